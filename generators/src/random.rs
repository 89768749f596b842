//! Random consistent states (ISCIS'09, section 4; SACS'10, section 5).
//!
//! The papers measure against the number p of distinct pids, the number of vectors, the share of
//! pids among components and the number of distinct data values; those and the shape of the pid
//! forest are parameters here. The forest grows pid by pid below random parents, the components are
//! distributed so that every pid occurs, so there are exactly p. Cost: linear in p and the components.

use crate::draft::{Draft, DraftComponent};
use pidlab_core::state::BuildError;
use pidlab_core::{Datum, State};
use pidlab_random::Rng;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Pids, locations and data values are numbered with 32 bits, and nothing is made of more of them.
const MOST: usize = 1_000_000_000;

/// What a random state shall look like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RandomParams {
    /// Number of distinct pids, exactly.
    pub pids: usize,
    /// Number of locations to choose from.
    pub locations: usize,
    /// Number of vectors; as many as pids if not given.
    pub vectors: Option<usize>,
    /// Least and largest number of components of a vector.
    pub width: [usize; 2],
    /// Share of pids among the components; raised as far as needed to place every pid.
    pub pid_share: f64,
    /// Number of distinct data values to choose from.
    pub distinct_data: usize,
    /// Number of root pids to start from; more appear if depth and fan-out leave no other room.
    pub roots: usize,
    /// Largest number of integers in a pid.
    pub depth: usize,
    /// Largest number of children that a pid has in the forest.
    pub fan_out: usize,
    /// Share of pids that are not active.
    pub inactive_share: f64,
    /// Probability that a sibling is followed by a gap (children that came and went).
    pub gap_share: f64,
    /// Probability that a created pid is itself gone while its descendants may live on.
    pub vanished_share: f64,
}

impl Default for RandomParams {
    fn default() -> RandomParams {
        RandomParams {
            pids: 50,
            locations: 5,
            vectors: None,
            width: [1, 4],
            pid_share: 0.6,
            distinct_data: 10,
            roots: 3,
            depth: 6,
            fan_out: 8,
            inactive_share: 0.1,
            gap_share: 0.2,
            vanished_share: 0.1,
        }
    }
}

/// Why there is no state with such parameters.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParamError {
    /// A parameter outside its range.
    #[error("`{field}` is {value}, expected {expected}")]
    OutOfRange {
        /// The name of the parameter.
        field: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
    /// Every pid has to occur.
    #[error(
        "{pids} pids do not fit into {components} components ({vectors} vectors); raise `vectors` or `width`, or lower `pids`"
    )]
    NoRoom {
        /// Pids asked for.
        pids: usize,
        /// Components that the vectors have.
        components: usize,
        /// Vectors asked for.
        vectors: usize,
    },
    /// What a state builder refuses.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// A random consistent state.
pub fn random_state(params: &RandomParams, rng: &mut Rng) -> Result<State, ParamError> {
    params.check()?;
    let mut draft = Draft::default();
    grow_forest(params, rng, &mut draft);
    retire(params, rng, &mut draft);
    draft.data = (0..params.distinct_data).map(|value| Datum::Int(value as i128)).collect();
    draft.locations = (1..=params.locations).map(|number| format!("L{number}")).collect();
    distribute(params, rng, &mut draft)?;
    Ok(draft.to_state()?)
}

/// Names and values are listed before a state is made of them: this many take about a gigabyte.
const MOST_NAMES: usize = 1 << 24;
/// A state of a hundred million pids or vectors takes tens of gigabytes.
const MOST_ITEMS: usize = 100_000_000;
const MOST_COMPONENTS: usize = 400_000_000;

impl RandomParams {
    /// Whether every parameter is in range; the error names the one that is not.
    pub fn check(&self) -> Result<(), ParamError> {
        self.check_counts()?;
        let wrong =
            |field, value: String, expected| Err(ParamError::OutOfRange { field, value, expected });
        for (field, value) in
            [("pid_share", self.pid_share), ("inactive_share", self.inactive_share)]
        {
            if !(0.0..=1.0).contains(&value) {
                return wrong(field, value.to_string(), "a share between 0 and 1");
            }
        }
        for (field, value) in
            [("gap_share", self.gap_share), ("vanished_share", self.vanished_share)]
        {
            if !(0.0..=0.9).contains(&value) {
                return wrong(field, value.to_string(), "a share between 0 and 0.9");
            }
        }
        for (field, value) in [
            ("locations", self.locations),
            ("roots", self.roots),
            ("depth", self.depth),
            ("fan_out", self.fan_out),
        ] {
            if value == 0 {
                return wrong(field, value.to_string(), "at least 1");
            }
        }
        for (field, value) in [
            ("pids", self.pids),
            ("locations", self.locations),
            ("vectors", self.vectors.unwrap_or(self.pids)),
            ("width", self.width[1]),
            ("distinct_data", self.distinct_data),
        ] {
            if value > MOST {
                return wrong(field, value.to_string(), "at most 1000000000");
            }
        }
        let vectors = self.vectors.unwrap_or(self.pids);
        let components = vectors.saturating_mul(self.width[1]);
        if components < self.pids {
            return Err(ParamError::NoRoom { pids: self.pids, components, vectors });
        }
        if self.width[0] > self.width[1] {
            return wrong("width", format!("{:?}", self.width), "[least, largest]");
        }
        if self.distinct_data == 0 && (self.pid_share < 1.0 || self.pids == 0) {
            return wrong(
                "distinct_data",
                "0".to_string(),
                "at least 1, or pid_share = 1 with pids",
            );
        }
        Ok(())
    }
}

impl RandomParams {
    /// No count is beyond what can be held in memory.
    fn check_counts(&self) -> Result<(), ParamError> {
        const NAMES: &str = "at most 16,777,216";
        const ITEMS: &str = "at most 100,000,000";
        let vectors = self.vectors.unwrap_or(self.pids);
        for (field, value, most, expected) in [
            ("pids", self.pids, MOST_ITEMS, ITEMS),
            ("vectors", vectors, MOST_ITEMS, ITEMS),
            ("locations", self.locations, MOST_NAMES, NAMES),
            ("distinct_data", self.distinct_data, MOST_NAMES, NAMES),
        ] {
            if value > most {
                let value = value.to_string();
                return Err(ParamError::OutOfRange { field, value, expected });
            }
        }
        match vectors.checked_mul(self.width[1]) {
            Some(components) if components <= MOST_COMPONENTS => Ok(()),
            _ => Err(ParamError::OutOfRange {
                field: "width",
                value: format!("{:?} for {vectors} vectors", self.width),
                expected: "at most 400,000,000 components in all vectors together",
            }),
        }
    }
}

/// A pid that may still get children.
struct Parent {
    segments: Vec<u64>,
    /// Number among the listed pids; `None` if the pid is gone.
    listed: Option<u32>,
    last: u64,
    children: usize,
}

fn grow_forest(params: &RandomParams, rng: &mut Rng, draft: &mut Draft) {
    let gap = |rng: &mut Rng| 1 + rng.run(params.gap_share, 8);
    let mut open: Vec<Parent> = Vec::new();
    let (mut last_root, mut roots) = (0, 0);
    while draft.pids.len() < params.pids {
        let segments = if roots < params.roots || open.is_empty() {
            roots += 1;
            last_root += gap(rng);
            vec![last_root]
        } else {
            let at = rng.index(open.len());
            let step = gap(rng);
            next_child(&mut open, at, step, params.fan_out, draft)
        };
        let gone = rng.chance(params.vanished_share);
        let listed = (!gone).then(|| draft.add_pid(&segments, Some(0)));
        if segments.len() < params.depth {
            open.push(Parent { segments, listed, last: 0, children: 0 });
        }
    }
    for created in draft.eta.iter_mut().flatten() {
        *created += rng.run(params.gap_share, 8);
    }
}

/// The name of a new child of `open[at]`, which is closed when it has enough.
fn next_child(
    open: &mut Vec<Parent>,
    at: usize,
    step: u64,
    fan_out: usize,
    draft: &mut Draft,
) -> Vec<u64> {
    let parent = &mut open[at];
    parent.last += step;
    parent.children += 1;
    let mut segments = parent.segments.clone();
    segments.push(parent.last);
    if let Some(pid) = parent.listed {
        draft.eta[pid as usize] = Some(parent.last);
    }
    if parent.children >= fan_out {
        open.swap_remove(at);
    }
    segments
}

fn retire(params: &RandomParams, rng: &mut Rng, draft: &mut Draft) {
    let count = share_of(params.inactive_share, draft.pids.len());
    for pid in rng.sample(draft.pids.len(), count) {
        draft.eta[pid] = None;
    }
}

/// Draws locations and widths, then distributes pids and data over the components.
fn distribute(params: &RandomParams, rng: &mut Rng, draft: &mut Draft) -> Result<(), ParamError> {
    let vectors = params.vectors.unwrap_or(params.pids);
    let [least, largest] = params.width;
    for _ in 0..vectors {
        let location = rng.index(params.locations) as u32;
        let width = rng.between(least as u64, largest as u64) as usize;
        draft.add_vector(location, std::iter::repeat_n(DraftComponent::Data(0), width));
    }
    let components = draft.cells.len();
    if components < params.pids {
        return Err(ParamError::NoRoom { pids: params.pids, components, vectors });
    }
    let wanted = share_of(params.pid_share, components).max(params.pids);
    let slots = rng.permutation(components);
    for (placed, &slot) in slots.iter().enumerate() {
        // the first p places make every pid occur
        draft.cells[slot] = if placed < params.pids {
            DraftComponent::Pid(placed as u32)
        } else if placed < wanted && params.pids > 0 {
            DraftComponent::Pid(rng.index(params.pids) as u32)
        } else {
            DraftComponent::Data(rng.index(params.distinct_data) as u32)
        };
    }
    Ok(())
}

/// The number of items that a share stands for.
pub(crate) fn share_of(share: f64, items: usize) -> usize {
    ((items as f64 * share).round() as usize).min(items)
}
