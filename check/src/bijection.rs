//! Definition 1 for a given mapping h of elements, point by point.

use crate::elements::{ElementId, Elements, NOTHING};
use crate::sigma;
use crate::violation::Violation;
use pidlab_core::forest::PidId;
use pidlab_core::{Relation, Relations};

/// Extends a mapping of pid numbers to all elements: next-pids go with their creators.
pub fn from_numbers(
    q: &Elements,
    r: &Elements,
    witness: &[PidId],
) -> Result<Vec<ElementId>, Violation> {
    sizes("pids", q.pid_count(), r.pid_count())?;
    if witness.len() != q.pid_count() {
        return Err(Violation::Length { found: witness.len(), expected: q.pid_count() });
    }
    let mut h = vec![NOTHING; q.len()];
    for (pid, &image) in witness.iter().enumerate() {
        if image as usize >= r.pid_count() {
            let pid = q.name(pid as ElementId);
            return Err(Violation::OutOfRange { pid, image, count: r.pid_count() });
        }
        h[pid] = image;
    }
    for pid in 0..q.pid_count() as ElementId {
        let (next, image) = (q.next(pid), r.next(h[pid as usize]));
        if (next == NOTHING) != (image == NOTHING) {
            return Err(active_violation(q, r, pid, h[pid as usize]));
        }
        if next != NOTHING && h[next as usize] == NOTHING {
            h[next as usize] = image;
        }
    }
    Ok(h)
}

/// Whether `h`, defined on every element of `q`, is a bijection that satisfies Definition 1.
pub fn check(
    q: &Elements,
    r: &Elements,
    relations: Relations,
    h: &[ElementId],
) -> Result<(), Violation> {
    sizes("pids and next-pids", q.len(), r.len())?;
    injective(q, r, h)?;
    active_and_next(q, r, h)?;
    for relation in relations.iter() {
        preserved(q, r, relation, h)?;
    }
    sigma::check(q, r, h)
}

fn sizes(what: &'static str, q: usize, r: usize) -> Result<(), Violation> {
    if q == r { Ok(()) } else { Err(Violation::Sizes { what, q, r }) }
}

/// With equal sizes, injective means bijective.
fn injective(q: &Elements, r: &Elements, h: &[ElementId]) -> Result<(), Violation> {
    let mut origin = vec![NOTHING; r.len()];
    for (element, &image) in h.iter().enumerate() {
        let first = std::mem::replace(&mut origin[image as usize], element as ElementId);
        if first != NOTHING {
            return Err(Violation::NotInjective {
                first: q.name(first),
                second: q.name(element as ElementId),
                image: r.name(image),
            });
        }
    }
    Ok(())
}

/// Point 1: active pids onto active pids, next-pids to next-pids of the images.
fn active_and_next(q: &Elements, r: &Elements, h: &[ElementId]) -> Result<(), Violation> {
    for element in 0..q.len() as ElementId {
        let image = h[element as usize];
        if q.is_active(element) != r.is_active(image) {
            return Err(active_violation(q, r, element, image));
        }
        if q.is_active(element) && h[q.next(element) as usize] != r.next(image) {
            return Err(Violation::Next {
                pid: q.name(element),
                found: r.name(h[q.next(element) as usize]),
                expected: r.name(r.next(image)),
            });
        }
    }
    Ok(())
}

fn active_violation(q: &Elements, r: &Elements, pid: ElementId, image: ElementId) -> Violation {
    let active = if q.is_active(pid) { "the first" } else { "the second" };
    Violation::Active { pid: q.name(pid), image: r.name(image), active: active.to_string() }
}

/// Points 2 and 3 for one relation: h commutes with the function that generates it.
fn preserved(
    q: &Elements,
    r: &Elements,
    relation: Relation,
    h: &[ElementId],
) -> Result<(), Violation> {
    let (in_q, in_r) = (q.links(relation), r.links(relation));
    for element in 0..q.len() {
        let mapped = match in_q[element] {
            NOTHING => NOTHING,
            other => h[other as usize],
        };
        if mapped != in_r[h[element] as usize] {
            return Err(explain(q, r, relation, h, element as ElementId, &in_q, &in_r));
        }
    }
    Ok(())
}

/// A pair of pids related on one side and not on the other, found from one place where h and the
/// links do not commute.
fn explain(
    q: &Elements,
    r: &Elements,
    relation: Relation,
    h: &[ElementId],
    x: ElementId,
    in_q: &[ElementId],
    in_r: &[ElementId],
) -> Violation {
    let (image, y) = (h[x as usize], in_q[x as usize]);
    if y != NOTHING && !related(relation, in_r, image, h[y as usize]) {
        return violation(relation, (q, x, y), (r, image, h[y as usize]));
    }
    let image_w = in_r[image as usize];
    let w = h.iter().position(|&e| e == image_w).map_or(NOTHING, |e| e as ElementId);
    if !related(relation, in_q, x, w) {
        return violation(relation, (r, image, image_w), (q, x, w));
    }
    // both pairs hold on both sides, so y and w stand in opposite order
    violation(relation, (q, y, w), (r, h[y as usize], image_w))
}

/// Whether the links give the relation between two elements: one step, or any number of steps for
/// the two relations that are transitive.
fn related(relation: Relation, links: &[ElementId], from: ElementId, to: ElementId) -> bool {
    let transitive = matches!(relation, Relation::Ancestor | Relation::ElderSibling);
    let mut at = links[from as usize];
    while transitive && at != NOTHING && at != to {
        at = links[at as usize];
    }
    at == to
}

/// Links lead to parents and ancestors for the first two relations, to younger siblings otherwise.
fn violation(
    relation: Relation,
    (here, x, y): (&Elements, ElementId, ElementId),
    (there, x2, y2): (&Elements, ElementId, ElementId),
) -> Violation {
    let upwards = matches!(relation, Relation::Parent | Relation::Ancestor);
    let pair = |elements: &Elements, x, y| {
        let (x, y) = (elements.name(x), elements.name(y));
        if upwards { (y, x) } else { (x, y) }
    };
    let ((a, b), (a2, b2)) = (pair(here, x, y), pair(there, x2, y2));
    let sign = relation.symbol();
    Violation::Relation {
        relation,
        holds: format!("@{a} {sign} @{b}"),
        fails: format!("not @{a2} {sign} @{b2}"),
    }
}
