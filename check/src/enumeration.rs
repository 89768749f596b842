//! Definition 1 of SACS'10 by enumeration of all bijections: what everything else is held against.
//!
//! A state is described over an ordering of its pids and next-pids: which are active, the next-pid of each, the
//! relations as pairs of places, σ with pids replaced by their places. Two states are equivalent iff some
//! bijection, that is some pair of orderings, makes the descriptions equal: iff the least descriptions over all
//! orderings are equal. It shares no code with the backends and none with the rest of this crate; pids are
//! plain sequences of integers and the relations are written out once more. Cost: factorial, so for at
//! most seven pids and next-pids.

use pidlab_core::state::ComponentKind;
use pidlab_core::{Component, Relation, Relations, State};
use std::collections::{BTreeMap, BTreeSet};

type Sequence = Vec<u64>;

/// A state in plain terms: pids and next-pids by their number in a list.
struct Plain {
    numbers: BTreeMap<Sequence, usize>,
    /// Active pids with their next-pids.
    active: Vec<(usize, usize)>,
    /// Pairs that a relation has to be compared on and holds for.
    related: Vec<(Relation, usize, usize)>,
    sigma: Vec<(String, Vec<Part>)>,
}

/// A component: a pid by number or place, or data.
type Part = Result<usize, String>;

/// A state over the places 0..n of an ordering.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Debug, Hash)]
pub struct Description {
    active: Vec<Option<usize>>,
    related: Vec<(u8, usize, usize)>,
    sigma: Vec<(String, Vec<Part>)>,
}

impl Plain {
    fn of(state: &State) -> Plain {
        let name = |pid: u32| state.forest().pid(pid).segments().to_vec();
        let component = |component: &Component| match component.kind() {
            ComponentKind::Pid(pid) => Ok(name(pid)),
            ComponentKind::Data(datum) => Err(state.data()[datum as usize].to_string()),
        };
        let vector = |vector: usize| {
            let location = state.locations()[state.location_of(vector) as usize].to_string();
            (location, state.vector(vector).iter().map(component).collect::<Vec<_>>())
        };
        let sigma: Vec<_> = (0..state.vector_count()).map(vector).collect();
        let in_sigma: BTreeSet<Sequence> =
            sigma.iter().flat_map(|(_, parts)| parts.iter().flatten().cloned()).collect();
        let active: Vec<_> = state
            .pids()
            .filter_map(|pid| {
                let created = state.eta(pid)?;
                Some((name(pid), [name(pid), vec![created + 1]].concat()))
            })
            .collect();
        let mut pids = in_sigma.clone();
        pids.extend(active.iter().flat_map(|(pid, next)| [pid.clone(), next.clone()]));
        let related = related(&pids, &in_sigma);
        let numbers: BTreeMap<_, _> = pids.into_iter().zip(0..).collect();
        let sigma = sigma
            .into_iter()
            .map(|(location, parts)| {
                (location, parts.into_iter().map(|part| part.map(|pid| numbers[&pid])).collect())
            })
            .collect();
        let active = active.iter().map(|(pid, next)| (numbers[pid], numbers[next])).collect();
        Plain { numbers, active, related, sigma }
    }

    /// The state as seen when pid number i is at place `places[i]`.
    fn describe(&self, relations: Relations, places: &[usize]) -> Description {
        let mut active = vec![None; places.len()];
        for &(pid, next) in &self.active {
            active[places[pid]] = Some(places[next]);
        }
        let related = self.related.iter().filter(|(relation, ..)| relations.contains(*relation));
        let mut related: Vec<_> =
            related.map(|&(relation, x, y)| (relation as u8, places[x], places[y])).collect();
        related.sort_unstable();
        let place = |part: &Part| part.as_ref().map(|&pid| places[pid]).map_err(String::clone);
        let vector = |(location, parts): &(String, Vec<Part>)| {
            (location.clone(), parts.iter().map(place).collect())
        };
        let mut sigma: Vec<_> = self.sigma.iter().map(vector).collect();
        sigma.sort_unstable();
        Description { active, related, sigma }
    }
}

/// Where each relation holds; `parent` and `ancestor` count between pids of σ, the others everywhere.
fn related(
    pids: &BTreeSet<Sequence>,
    in_sigma: &BTreeSet<Sequence>,
) -> Vec<(Relation, usize, usize)> {
    let mut found = Vec::new();
    for (i, x) in pids.iter().enumerate() {
        for (j, y) in pids.iter().enumerate() {
            let both = in_sigma.contains(x) && in_sigma.contains(y);
            let compared = |relation: &Relation| both || is_sibling(*relation);
            let holding = Relations::ALL.iter().filter(compared).filter(|r| holds(*r, x, y));
            found.extend(holding.map(|relation| (relation, i, j)));
        }
    }
    found
}

fn is_sibling(relation: Relation) -> bool {
    matches!(relation, Relation::AdjacentSibling | Relation::ElderSibling)
}

/// Written out once more, so that a mistake in `Relation::holds` shows.
fn holds(relation: Relation, x: &[u64], y: &[u64]) -> bool {
    let (Some((last_x, before_x)), Some((last_y, before_y))) = (x.split_last(), y.split_last())
    else {
        return false;
    };
    let prefix = y.len() > x.len() && y[..x.len()] == *x;
    let siblings = before_x == before_y;
    match relation {
        Relation::Parent => prefix && y.len() == x.len() + 1,
        Relation::Ancestor => prefix,
        Relation::AdjacentSibling => siblings && last_x.checked_add(1) == Some(*last_y),
        Relation::ElderSibling => siblings && last_x < last_y,
    }
}

/// How many pids and next-pids a state has: the enumeration takes the factorial of that.
pub fn elements(state: &State) -> usize {
    Plain::of(state).numbers.len()
}

/// Equal for equivalent states and only for them.
pub fn class(state: &State, relations: Relations) -> Description {
    let plain = Plain::of(state);
    let mut places: Vec<usize> = (0..plain.numbers.len()).collect();
    let mut least = plain.describe(relations, &places);
    while next_permutation(&mut places) {
        least = least.min(plain.describe(relations, &places));
    }
    least
}

fn next_permutation(items: &mut [usize]) -> bool {
    let Some(i) = (1..items.len()).rev().find(|&i| items[i - 1] < items[i]) else { return false };
    let Some(j) = (i..items.len()).rev().find(|&j| items[j] > items[i - 1]) else { return false };
    items.swap(i - 1, j);
    items[i..].reverse();
    true
}

/// Whether a bijection over pid numbers, next-pids following their creators, is one of Definition 1.
pub fn is_witness(q: &State, r: &State, relations: Relations, image: &[u32]) -> bool {
    let (mine, theirs) = (Plain::of(q), Plain::of(r));
    let Some(places) = places(q, r, (&mine, &theirs), image) else { return false };
    let onto: BTreeSet<usize> = places.iter().copied().collect();
    let identity: Vec<usize> = (0..theirs.numbers.len()).collect();
    onto.len() == identity.len()
        && mine.describe(relations, &places) == theirs.describe(relations, &identity)
}

/// For each pid and next-pid of q the number of its image in r, if each has exactly one.
fn places(q: &State, r: &State, plain: (&Plain, &Plain), image: &[u32]) -> Option<Vec<usize>> {
    let (mine, theirs) = plain;
    let mut places = vec![None; mine.numbers.len()];
    let mut set = |from: &[u64], to: &[u64]| {
        let (from, to) = (*mine.numbers.get(from)?, *theirs.numbers.get(to)?);
        (*places[from].get_or_insert(to) == to).then_some(())
    };
    for pid in q.pids() {
        let to = *image.get(pid as usize).filter(|to| (**to as usize) < r.pid_count())?;
        set(q.forest().pid(pid).segments(), r.forest().pid(to).segments())?;
        match (q.next_pid(pid), r.next_pid(to)) {
            (Some(from), Some(to)) => set(from.segments(), to.segments())?,
            (None, None) => {}
            _ => return None,
        }
    }
    places.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_core::text::parse_state;

    #[test]
    fn the_listeners_of_the_crate_documentation() {
        let q = parse_state("L : <1:1> <2:0>  H : <1.1:0>").unwrap();
        let r = parse_state("L : <1:0> <2:1>  H : <2.1:0>").unwrap();
        let parent = Relations::default();
        assert_eq!(elements(&q), 6);
        assert_eq!(class(&q, parent), class(&r, parent));
        assert_ne!(class(&q, Relations::ALL), class(&r, Relations::ALL));
        assert!(is_witness(&q, &r, parent, &[1, 2, 0]));
        assert!(!is_witness(&q, &r, parent, &[0, 2, 1]));
        assert!(!is_witness(&q, &r, Relations::ALL, &[1, 2, 0]));
        assert!(!is_witness(&q, &r, parent, &[1, 2]));
        assert!(!is_witness(&q, &r, parent, &[1, 2, 3]));
    }

    #[test]
    fn every_ordering_is_seen_once() {
        let mut items = [0, 1, 2, 3];
        let mut seen = BTreeSet::from([items]);
        while next_permutation(&mut items) {
            assert!(seen.insert(items));
        }
        assert_eq!(seen.len(), 24);
    }
}
