//! Witnesses by name: reads the pids, and sees that every element is mapped exactly once.

use crate::elements::{ElementId, Elements, NOTHING};
use crate::violation::{StateSide, Violation};
use pidlab_core::pid::{excerpt, parse_segments};

/// The mapping of elements that the names describe.
pub fn from_names(
    q: &Elements,
    r: &Elements,
    witness: &[(String, String)],
) -> Result<Vec<ElementId>, Violation> {
    let mut h = vec![NOTHING; q.len()];
    let mut segments = Vec::new();
    for (from, to) in witness {
        let element = resolve(q, StateSide::Q, from, &mut segments)?;
        let image = resolve(r, StateSide::R, to, &mut segments)?;
        if h[element as usize] != NOTHING {
            return Err(Violation::Twice { pid: q.name(element) });
        }
        h[element as usize] = image;
    }
    match h.iter().position(|&image| image == NOTHING) {
        Some(element) => Err(Violation::Missing { pid: q.name(element as ElementId) }),
        None => Ok(h),
    }
}

fn resolve(
    elements: &Elements,
    side: StateSide,
    text: &str,
    segments: &mut Vec<u64>,
) -> Result<ElementId, Violation> {
    let pid = text.strip_prefix('@').unwrap_or(text);
    parse_segments(pid, segments)
        .map_err(|e| Violation::NotAPid { text: excerpt(text), reason: e.to_string() })?;
    elements.find(segments).ok_or_else(|| Violation::Unknown { pid: excerpt(pid), side })
}
