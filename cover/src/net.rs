//! The one internal model: a Petri net with optional transfer arcs.
//!
//! A local/global machine (Beacon'01 section 2.1) is the special case with one place per shared
//! state, exactly one of which is marked, and one place per local state; a thread transition system
//! adds spawns (one more token) and broadcasts (transfer arcs). "Any number of threads" is ω in the
//! initial configuration: whatever is coverable from some number of tokens is coverable from ω, and
//! the other way round.

use crate::budget::Budget;
use crate::choice::Moved;
use crate::config::{Config, Entry, MAX_COUNT, OMEGA};
use crate::error::Stop;
use crate::names::Names;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

/// Most places a model may declare; beyond it the declaration is a mistake, not a model.
pub const MAX_PLACES: usize = 1 << 22;

/// One step: take `pre`, move all tokens along the transfer arcs, put `post`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transition {
    /// Tokens taken, sorted by place.
    pub pre: Vec<Entry>,
    /// Tokens put, sorted by place.
    pub post: Vec<Entry>,
    /// `(from, to)`, sorted: every token left on `from` moves to a `to` of its own choice. A place
    /// with one arc has no choice; a token may stay only where `(from, from)` says so.
    pub transfers: Vec<(u32, u32)>,
    /// Line of the source, 0 if none.
    pub line: u32,
}

impl Transition {
    /// The arcs along which the tokens of a place move; none if they stay.
    pub fn moves_of(&self, place: u32) -> &[(u32, u32)] {
        let start = self.transfers.partition_point(|arc| arc.0 < place);
        let rest = &self.transfers[start..];
        &rest[..rest.partition_point(|arc| arc.0 == place)]
    }

    /// Whether tokens of some place choose between several moves.
    pub fn has_choice(&self) -> bool {
        self.transfers.windows(2).any(|w| w[0].0 == w[1].0)
    }
}

/// A coverability question: can a marking above one of `targets` be reached?
#[derive(Clone, Debug, Default)]
pub struct Net {
    /// Their names; everything else refers to places by number.
    pub places: Names,
    /// In the order of the file.
    pub transitions: Vec<Transition>,
    /// ω where the input allows any number (of at least `at_least`).
    pub initial: Config,
    /// Lower bounds of the ω places.
    pub at_least: Vec<Entry>,
    /// Lower bounds of bad markings: one of them suffices.
    pub targets: Vec<Config>,
    /// Text of each transition where the source has a better one than the arcs.
    pub labels: Vec<Arc<str>>,
    /// The systems of threads that the places belong to; none for a plain Petri net.
    pub systems: Vec<System>,
}

/// Places that are the states of threads: exactly one shared state is marked, local states have as many
/// tokens as there are threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// The shared states.
    pub shared: Range<u32>,
    /// The local states.
    pub local: Range<u32>,
}

impl System {
    /// So many shared states, and after them so many local ones.
    pub fn new(shared: u32, local: u32) -> System {
        System { shared: 0..shared, local: shared..shared + local }
    }
}

impl Net {
    /// Whether a step moves all tokens of a place at once (a broadcast).
    pub fn has_transfers(&self) -> bool {
        self.transitions.iter().any(|t| !t.transfers.is_empty())
    }

    /// Whether the input fixes every initial counter.
    pub fn has_fixed_start(&self) -> bool {
        self.initial.entries().iter().all(|e| e.1 != OMEGA)
    }

    /// The least tokens on each place that may start with any number.
    pub fn lower_bounds(&self) -> FxHashMap<u32, u32> {
        self.at_least.iter().copied().collect()
    }

    /// A transition as text, `s0 + l0 -> s1 + l1`.
    pub fn describe(&self, transition: usize) -> String {
        if let Some(label) = self.labels.get(transition) {
            return label.to_string();
        }
        let t = &self.transitions[transition];
        let mut text = format!("{} -> {}", self.sum(&t.pre), self.sum(&t.post));
        for &(from, to) in &t.transfers {
            let _ =
                write!(text, ", {} ~> {}", &self.places[from as usize], &self.places[to as usize]);
        }
        text
    }

    fn sum(&self, entries: &[Entry]) -> String {
        let terms: Vec<String> = entries
            .iter()
            .map(|&(p, n)| match n {
                1 => self.places[p as usize].to_string(),
                n => format!("{n} {}", &self.places[p as usize]),
            })
            .collect();
        if terms.is_empty() { "0".into() } else { terms.join(" + ") }
    }

    /// The successor of `config` under `t`, which must be enabled and leave no choice.
    pub fn fire(&self, config: &Config, t: &Transition) -> Result<Config, Stop> {
        self.fire_with(config, t, &[])
    }

    /// The successor of `config` under `t`, which must be enabled, with the tokens of places that
    /// have several moves spread over them as `choice` says, sorted by the places they leave.
    pub fn fire_with(
        &self,
        config: &Config,
        t: &Transition,
        choice: &[Moved],
    ) -> Result<Config, Stop> {
        let mut left = subtract(config.entries(), &t.pre);
        if !t.transfers.is_empty() {
            left = self.transfer(left, t, choice)?;
        }
        self.add(&left, &t.post)
    }

    fn transfer(
        &self,
        left: Vec<Entry>,
        t: &Transition,
        choice: &[Moved],
    ) -> Result<Vec<Entry>, Stop> {
        let mut kept = Vec::with_capacity(left.len());
        let mut moved = Vec::new();
        for (place, count) in left {
            match t.moves_of(place) {
                [] => kept.push((place, count)),
                [arc] => moved.push((arc.1, count)),
                _ => {
                    let chosen = &choice[choice.partition_point(|m| m.from < place)..];
                    let chosen = chosen.iter().take_while(|m| m.from == place);
                    moved.extend(chosen.filter(|m| m.count > 0).map(|m| (m.to, m.count)));
                }
            }
        }
        moved.sort_unstable();
        let mut arrived: Vec<Entry> = Vec::with_capacity(moved.len());
        for (place, count) in moved {
            match arrived.last_mut() {
                Some(last) if last.0 == place => last.1 = self.add_counts(place, last.1, count)?,
                _ => arrived.push((place, count)),
            }
        }
        Ok(self.add(&kept, &arrived)?.entries().to_vec())
    }

    fn add(&self, a: &[Entry], b: &[Entry]) -> Result<Config, Stop> {
        let mut sum = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let pa = a.get(i).map_or(u32::MAX, |e| e.0);
            let pb = b.get(j).map_or(u32::MAX, |e| e.0);
            if pa < pb {
                sum.push(a[i]);
                i += 1;
            } else if pb < pa {
                sum.push(b[j]);
                j += 1;
            } else {
                sum.push((pa, self.add_counts(pa, a[i].1, b[j].1)?));
                (i, j) = (i + 1, j + 1);
            }
        }
        Ok(Config::from_sorted(sum))
    }

    fn add_counts(&self, place: u32, a: u32, b: u32) -> Result<u32, Stop> {
        if a == OMEGA || b == OMEGA {
            return Ok(OMEGA);
        }
        a.checked_add(b)
            .filter(|&sum| sum <= MAX_COUNT)
            .ok_or_else(|| Stop::Overflow(self.places[place as usize].to_string()))
    }
}

/// `a − b` for `b ≤ a`; ω stays ω.
fn subtract(a: &[Entry], b: &[Entry]) -> Vec<Entry> {
    let mut rest = b.iter().peekable();
    let mut difference = Vec::with_capacity(a.len());
    for &(place, count) in a {
        let taken = rest.next_if(|e| e.0 == place).map_or(0, |e| e.1);
        let left = if count == OMEGA { OMEGA } else { count - taken };
        if left != 0 {
            difference.push((place, left));
        }
    }
    difference
}

/// Which transitions to look at: those whose rarest input place is marked.
pub struct EnabledIndex {
    by_place: Vec<Vec<u32>>,
    sources: Vec<u32>,
}

impl EnabledIndex {
    /// Indexes the transitions for which `keep` holds under their least used input place.
    pub fn new(
        net: &Net,
        keep: impl Fn(usize) -> bool,
        budget: &Budget,
    ) -> Result<EnabledIndex, Stop> {
        budget.reserve::<(u32, Vec<u32>)>(net.places.len())?;
        let mut uses = vec![0u32; net.places.len()];
        for t in &net.transitions {
            budget.steps(1 + t.pre.len())?;
            t.pre.iter().for_each(|e| uses[e.0 as usize] += 1);
        }
        let mut by_place = vec![Vec::new(); net.places.len()];
        let mut sources = Vec::new();
        for (i, t) in net.transitions.iter().enumerate().filter(|(i, _)| keep(*i)) {
            budget.steps(1 + t.pre.len())?;
            match t.pre.iter().min_by_key(|e| uses[e.0 as usize]) {
                Some(e) => by_place[e.0 as usize].push(i as u32),
                None => sources.push(i as u32),
            }
        }
        Ok(EnabledIndex { by_place, sources })
    }

    /// The transitions enabled in `config`, in ascending order.
    pub fn enabled(&self, net: &Net, config: &Config) -> Vec<u32> {
        let places = config.entries().iter();
        let candidates = places.flat_map(|e| self.by_place[e.0 as usize].iter());
        let mut found: Vec<u32> = candidates
            .copied()
            .filter(|&t| crate::config::leq(&net.transitions[t as usize].pre, config.entries()))
            .collect();
        found.extend(&self.sources);
        found.sort_unstable();
        found
    }
}

/// Sums entries of equal place and sorts; `None` on overflow.
pub fn collect_entries(entries: impl IntoIterator<Item = Entry>) -> Option<Vec<Entry>> {
    let mut sums = std::collections::BTreeMap::<u32, u32>::new();
    for (place, count) in entries {
        let sum = sums.entry(place).or_default();
        *sum = sum.checked_add(count).filter(|&s| s <= MAX_COUNT)?;
    }
    Some(sums.into_iter().filter(|e| e.1 != 0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn net(places: usize) -> Net {
        Net { places: (0..places).map(|i| format!("p{i}")).collect(), ..Net::default() }
    }

    #[test]
    fn firing_takes_transfers_and_puts_in_that_order() {
        let t = Transition {
            pre: vec![(0, 1)],
            post: vec![(1, 1)],
            transfers: vec![(0, 1)],
            ..Transition::default()
        };
        let after = net(2).fire(&Config::new(vec![(0, 5)]), &t).unwrap();
        assert_eq!(after.entries(), &[(1, 5)]);
        let after = net(2).fire(&Config::new(vec![(0, OMEGA), (1, 2)]), &t).unwrap();
        assert_eq!(after.entries(), &[(1, OMEGA)]);
    }

    #[test]
    fn a_full_counter_is_an_error_and_does_not_wrap() {
        let t = Transition { post: vec![(0, 1)], ..Transition::default() };
        let full = Config::new(vec![(0, MAX_COUNT)]);
        assert_eq!(net(1).fire(&full, &t), Err(Stop::Overflow("p0".into())));
        assert_eq!(collect_entries([(0, MAX_COUNT), (0, 1)]), None);
    }
}
