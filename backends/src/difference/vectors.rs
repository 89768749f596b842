//! Differences in numbers of pids, in locations and in vector shapes.

use super::census::{first_imbalance, numbers};
use super::{Reason, ReasonKind};
use pidlab_core::graph::links::{Links, RelationScope};
use pidlab_core::state::ComponentKind;
use pidlab_core::{Datum, State};

pub fn count_pids(q: &State, r: &State) -> Option<Reason> {
    let sigma = |s: &State| s.pids().filter(|&pid| s.is_in_sigma(pid)).count() as u64;
    let active = |s: &State| s.pids().filter(|&pid| s.is_active(pid)).count() as u64;
    let all = |s: &State| Links::of(s, RelationScope::Sigma).len() as u64;
    compare(ReasonKind::PidCount, "pids occur in sigma", sigma(q), sigma(r))
        .or_else(|| compare(ReasonKind::ActivePids, "pids are active", active(q), active(r)))
        .or_else(|| {
            compare(ReasonKind::NextPids, "pids and next-pids are different", all(q), all(r))
        })
}

fn compare(kind: ReasonKind, what: &str, q: u64, r: u64) -> Option<Reason> {
    let text = || format!("{q} {what} in the first state, {r} in the second");
    (q != r).then(|| Reason::counted(kind, text(), q, r))
}

pub fn compare_locations(q: &State, r: &State) -> Option<Reason> {
    let names = |s: &State| -> Vec<Box<str>> {
        (0..s.vector_count()).map(|v| s.locations()[s.location_of(v) as usize].clone()).collect()
    };
    let (mine, theirs) = (names(q), names(r));
    let found = first_imbalance(&mine, &theirs)?;
    let name = if found.in_q { &mine } else { &theirs }[found.example].to_string();
    let text = format!("location {name} has {}", numbers("vector", &found));
    let reason = Reason::counted(ReasonKind::Location, text, found.q, found.r);
    Some(Reason { location: Some(name), ..reason })
}

/// A vector with its pids replaced by the number of their first occurrence in it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct VectorShape<'s> {
    pub location: &'s str,
    parts: Vec<Part<'s>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part<'s> {
    Datum(&'s Datum),
    Hole(u32),
}

impl<'s> VectorShape<'s> {
    pub fn of(state: &'s State, vector: usize) -> VectorShape<'s> {
        let mut seen = rustc_hash::FxHashMap::default();
        let part = |component: &pidlab_core::Component| match component.kind() {
            ComponentKind::Data(datum) => Part::Datum(&state.data()[datum as usize]),
            ComponentKind::Pid(pid) => {
                let fresh = seen.len() as u32;
                Part::Hole(*seen.entry(pid).or_insert(fresh))
            }
        };
        VectorShape {
            location: &state.locations()[state.location_of(vector) as usize],
            parts: state.vector(vector).iter().map(part).collect(),
        }
    }

    /// `H⟨ε,"addr",2009⟩`; where a pid occurs twice the holes are numbered.
    pub fn text(&self) -> String {
        let holes = self.parts.iter().filter(|part| matches!(part, Part::Hole(_))).count() as u32;
        let distinct = self.parts.iter().filter_map(Part::hole).max().map_or(0, |last| last + 1);
        let parts: Vec<String> = self
            .parts
            .iter()
            .map(|part| match part {
                Part::Datum(datum) => datum.to_string(),
                Part::Hole(_) if holes == distinct => "ε".to_string(),
                Part::Hole(number) => format!("ε{}", number + 1),
            })
            .collect();
        format!("{}⟨{}⟩", self.location, parts.join(","))
    }
}

impl Part<'_> {
    fn hole(&self) -> Option<u32> {
        match self {
            Part::Hole(number) => Some(*number),
            Part::Datum(_) => None,
        }
    }
}

pub fn compare_shapes(q: &State, r: &State) -> Option<Reason> {
    let shapes = |s| -> Vec<VectorShape> { all_shapes(s) };
    let (mine, theirs) = (shapes(q), shapes(r));
    let found = first_imbalance(&mine, &theirs)?;
    let shape = &if found.in_q { mine } else { theirs }[found.example];
    let text = format!("of the form {} there are {}", shape.text(), numbers("vector", &found));
    let reason = Reason::counted(ReasonKind::VectorShape, text, found.q, found.r);
    Some(Reason { location: Some(shape.location.into()), shape: Some(shape.text()), ..reason })
}

pub fn all_shapes(state: &State) -> Vec<VectorShape<'_>> {
    (0..state.vector_count()).map(|vector| VectorShape::of(state, vector)).collect()
}
