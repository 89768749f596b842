//! Definition 1 of SACS'10 by enumeration, on integer sequences; shares no code with the backends.
//!
//! A state is described over an ordering of its pids and next-pids: which are active, the next-pid of
//! each, the relations as matrices, σ with pids replaced by their places. Two states are equivalent
//! iff some bijection, that is some pair of orderings, makes the descriptions equal: when the
//! least descriptions over all orderings are equal. Factorial; for at most seven pids.

use pidlab_core::state::ComponentKind;
use pidlab_core::{Relation, Relations, State};
use std::collections::BTreeSet;

type Sequence = Vec<u64>;

/// A state in plain terms.
pub struct Plain {
    pub pids: Vec<Sequence>,
    sigma_pids: BTreeSet<Sequence>,
    active: Vec<(Sequence, Sequence)>,
    sigma: Vec<(String, Vec<Part>)>,
}

#[derive(Clone)]
enum Part {
    Data(String),
    Pid(Sequence),
}

/// A state over the places 0..n of an ordering.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Hash)]
pub struct Description {
    active: Vec<Option<usize>>,
    related: Vec<(u8, usize, usize)>,
    sigma: Vec<(String, Vec<Result<usize, String>>)>,
}

impl Plain {
    pub fn of(state: &State) -> Plain {
        let name = |pid: u32| state.forest().pid(pid).segments().to_vec();
        let mut sigma = Vec::new();
        let mut sigma_pids = BTreeSet::new();
        for vector in 0..state.vector_count() {
            let location = state.locations()[state.location_of(vector) as usize].to_string();
            let part = |component: &pidlab_core::Component| match component.kind() {
                ComponentKind::Pid(pid) => Part::Pid(name(pid)),
                ComponentKind::Data(datum) => Part::Data(state.data()[datum as usize].to_string()),
            };
            let parts: Vec<Part> = state.vector(vector).iter().map(part).collect();
            for part in &parts {
                if let Part::Pid(pid) = part {
                    sigma_pids.insert(pid.clone());
                }
            }
            sigma.push((location, parts));
        }
        let mut active = Vec::new();
        let mut pids = sigma_pids.clone();
        for pid in state.pids() {
            if let Some(created) = state.eta(pid) {
                let mut next = name(pid);
                next.push(created + 1);
                pids.insert(name(pid));
                pids.insert(next.clone());
                active.push((name(pid), next));
            }
        }
        Plain { pids: pids.into_iter().collect(), sigma_pids, active, sigma }
    }

    /// The state as seen when pid number i of `self.pids` is at place `places[i]`.
    pub fn describe(&self, relations: Relations, places: &[usize]) -> Description {
        let place = |pid: &Sequence| places[self.pids.binary_search(pid).unwrap()];
        let mut active = vec![None; self.pids.len()];
        for (pid, next) in &self.active {
            active[place(pid)] = Some(place(next));
        }
        let mut related = Vec::new();
        for (i, x) in self.pids.iter().enumerate() {
            for (j, y) in self.pids.iter().enumerate() {
                let in_sigma = self.sigma_pids.contains(x) && self.sigma_pids.contains(y);
                for relation in relations.iter().filter(|&r| in_sigma || is_sibling(r)) {
                    if holds(relation, x, y) {
                        related.push((relation as u8, places[i], places[j]));
                    }
                }
            }
        }
        related.sort_unstable();
        let part = |part: &Part| match part {
            Part::Data(text) => Err(text.clone()),
            Part::Pid(pid) => Ok(place(pid)),
        };
        let mut sigma: Vec<_> = self
            .sigma
            .iter()
            .map(|(l, parts)| (l.clone(), parts.iter().map(part).collect()))
            .collect();
        sigma.sort_unstable();
        Description { active, related, sigma }
    }
}

fn is_sibling(relation: Relation) -> bool {
    matches!(relation, Relation::AdjacentSibling | Relation::ElderSibling)
}

fn holds(relation: Relation, x: &[u64], y: &[u64]) -> bool {
    let prefix = y.len() > x.len() && y[..x.len()] == *x;
    let siblings = x.len() == y.len() && x[..x.len() - 1] == y[..y.len() - 1];
    let (last_x, last_y) = (x[x.len() - 1], y[y.len() - 1]);
    match relation {
        Relation::Parent => prefix && y.len() == x.len() + 1,
        Relation::Ancestor => prefix,
        Relation::AdjacentSibling => siblings && last_x + 1 == last_y,
        Relation::ElderSibling => siblings && last_x < last_y,
    }
}

/// Equal for equivalent states and only for them.
pub fn class(state: &State, relations: Relations) -> Description {
    let plain = Plain::of(state);
    let mut places: Vec<usize> = (0..plain.pids.len()).collect();
    let mut least = plain.describe(relations, &places);
    while next_permutation(&mut places) {
        least = least.min(plain.describe(relations, &places));
    }
    least
}

fn next_permutation(items: &mut [usize]) -> bool {
    let Some(i) = (1..items.len()).rev().find(|&i| items[i - 1] < items[i]) else { return false };
    let j = (i..items.len()).rev().find(|&j| items[j] > items[i - 1]).unwrap();
    items.swap(i - 1, j);
    items[i..].reverse();
    true
}

/// Whether a bijection over pid numbers, next-pids following their creators, is one of Definition 1.
pub fn is_witness(q: &State, r: &State, relations: Relations, image: &[u32]) -> bool {
    let (mine, theirs) = (Plain::of(q), Plain::of(r));
    let index = |plain: &Plain, pid: &[u64]| plain.pids.binary_search(&pid.to_vec()).ok();
    let mut places = vec![None; mine.pids.len()];
    let mut set = |from: &[u64], to: &[u64]| match (index(&mine, from), index(&theirs, to)) {
        (Some(from), Some(to)) => match places[from] {
            None => {
                places[from] = Some(to);
                true
            }
            Some(known) => known == to,
        },
        _ => false,
    };
    for pid in q.pids() {
        let to = image[pid as usize];
        if !set(q.forest().pid(pid).segments(), r.forest().pid(to).segments()) {
            return false;
        }
        match (q.next_pid(pid), r.next_pid(to)) {
            (Some(from), Some(to)) if !set(from.segments(), to.segments()) => return false,
            (Some(_), None) | (None, Some(_)) => return false,
            _ => {}
        }
    }
    let Some(places) = places.into_iter().collect::<Option<Vec<usize>>>() else { return false };
    let onto: BTreeSet<usize> = places.iter().copied().collect();
    let identity: Vec<usize> = (0..theirs.pids.len()).collect();
    onto.len() == identity.len()
        && mine.describe(relations, &places) == theirs.describe(relations, &identity)
}
