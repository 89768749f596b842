//! The pid relations of one state, next-pids included, in two links a pid.
//!
//! Within a state `ancestor` is a forest and `elder-sibling` a set of chains, so the nearest ancestor
//! (flagged when it is the parent) and the next younger sibling (flagged when it is adjacent) determine
//! all four relations. A next-pid x.(η(x)+1) can only be a sibling of children of x, and x is listed,
//! so it is inserted into the chain of x's children without looking at any other pid; where the state
//! is inconsistent it may be a listed pid itself. Cost: O(pids).

use crate::forest::{Forest, NONE, PidId};
use crate::state::State;

/// Between which pids parenthood and ancestry are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationScope {
    /// Between the pids of σ: Definition 1 of SACS'10, third item.
    Sigma,
    /// Between all pids and next-pids: "all vertices of the third and fourth layers".
    All,
}

/// Links among the listed pids (numbered as in the state) and, after them, the next-pids that are
/// not listed themselves, in the order of their creators.
#[derive(Clone, Debug)]
pub struct Links {
    next: Vec<u32>,
    above: Vec<u32>,
    child: Vec<bool>,
    sibling: Vec<u32>,
    adjacent: Vec<bool>,
}

impl Links {
    /// The links of a state; next-pids that are listed pids themselves get no second number.
    pub fn of(state: &State, scope: RelationScope) -> Links {
        let mut links = Links::listed(state, scope);
        links.insert_next_pids(state, scope);
        links
    }

    /// Pids and next-pids together.
    pub fn len(&self) -> usize {
        self.above.len()
    }

    /// Whether the state has no pid.
    pub fn is_empty(&self) -> bool {
        self.above.is_empty()
    }

    /// What the listed pid creates next; [`NONE`] if it is not active.
    pub fn next(&self, pid: PidId) -> u32 {
        self.next[pid as usize]
    }

    /// Nearest ancestor in scope, or [`NONE`].
    pub fn above(&self, vertex: u32) -> u32 {
        self.above[vertex as usize]
    }

    /// Whether the nearest ancestor is the parent.
    pub fn is_child(&self, vertex: u32) -> bool {
        self.child[vertex as usize]
    }

    /// Next younger sibling, or [`NONE`].
    pub fn sibling(&self, vertex: u32) -> u32 {
        self.sibling[vertex as usize]
    }

    /// Whether that sibling is adjacent.
    pub fn is_adjacent(&self, vertex: u32) -> bool {
        self.adjacent[vertex as usize]
    }

    fn listed(state: &State, scope: RelationScope) -> Links {
        let forest = state.forest();
        let mut above = vec![NONE; forest.len()];
        let mut child = vec![false; forest.len()];
        let mut nearest = Vec::with_capacity(forest.len());
        for pid in state.pids() {
            let ancestor = forest.ancestor(pid);
            // ancestors have smaller numbers, so theirs is known already
            let found = if ancestor == NONE { NONE } else { nearest[ancestor as usize] };
            let counts = scope == RelationScope::All || state.is_in_sigma(pid);
            if counts {
                above[pid as usize] = found;
                child[pid as usize] = found != NONE && found == ancestor && forest.is_child(pid);
            }
            nearest.push(if counts { pid } else { found });
        }
        Links {
            next: vec![NONE; forest.len()],
            above,
            child,
            sibling: state.pids().map(|pid| forest.sibling(pid)).collect(),
            adjacent: state.pids().map(|pid| forest.is_adjacent(pid)).collect(),
        }
    }

    fn insert_next_pids(&mut self, state: &State, scope: RelationScope) {
        let neighbors = Neighbors::of_next_pids(state, self);
        for pid in state.pids() {
            let Some(created) = state.eta(pid) else { continue };
            if self.next(pid) == NONE {
                let next = self.push_next(pid, scope);
                self.link_siblings(next, created + 1, &neighbors, pid, state.forest());
            }
        }
        if scope == RelationScope::All {
            self.attach_below_next_pids(state);
        }
    }

    fn push_next(&mut self, creator: PidId, scope: RelationScope) -> u32 {
        let next = self.above.len() as u32;
        self.next[creator as usize] = next;
        self.above.push(if scope == RelationScope::All { creator } else { NONE });
        self.child.push(scope == RelationScope::All);
        self.sibling.push(NONE);
        self.adjacent.push(false);
        next
    }

    fn link_siblings(
        &mut self,
        next: u32,
        index: u64,
        b: &Neighbors,
        creator: u32,
        forest: &Forest,
    ) {
        let (elder, younger) = (b.elder[creator as usize], b.younger[creator as usize]);
        if elder != NONE {
            self.sibling[elder as usize] = next;
            self.adjacent[elder as usize] = forest.index(elder) + 1 == index;
        }
        if younger != NONE {
            self.sibling[next as usize] = younger;
            self.adjacent[next as usize] = index + 1 == forest.index(younger);
        }
    }

    /// Listed descendants of an unlisted next-pid (inconsistent states only).
    fn attach_below_next_pids(&mut self, state: &State) {
        let forest = state.forest();
        for pid in state.pids() {
            let ancestor = forest.ancestor(pid);
            let steps = forest.steps_of(pid);
            if ancestor == NONE || steps.len() < 2 {
                continue;
            }
            if state.eta(ancestor).is_some_and(|created| created + 1 == steps[0]) {
                self.above[pid as usize] = self.next(ancestor);
                self.child[pid as usize] = steps.len() == 2;
            }
        }
    }
}

/// For every active pid the listed children next to its next-pid on either side.
struct Neighbors {
    elder: Vec<u32>,
    younger: Vec<u32>,
}

impl Neighbors {
    /// Also notes in `links` the next-pids that are listed pids.
    fn of_next_pids(state: &State, links: &mut Links) -> Neighbors {
        let forest = state.forest();
        let mut neighbors =
            Neighbors { elder: vec![NONE; forest.len()], younger: vec![NONE; forest.len()] };
        for pid in state.pids().filter(|&pid| forest.is_child(pid)) {
            let creator = forest.ancestor(pid) as usize;
            let Some(created) = state.eta(creator as u32) else { continue };
            match forest.index(pid).cmp(&(created + 1)) {
                std::cmp::Ordering::Less => neighbors.elder[creator] = pid,
                std::cmp::Ordering::Equal => links.next[creator] = pid,
                std::cmp::Ordering::Greater if neighbors.younger[creator] == NONE => {
                    neighbors.younger[creator] = pid;
                }
                std::cmp::Ordering::Greater => {}
            }
        }
        neighbors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse_state;
    use crate::relation::Relation;

    /// All relations read off the links against the definition on integer sequences.
    fn check(text: &str) {
        let state = parse_state(text).unwrap();
        for scope in [RelationScope::Sigma, RelationScope::All] {
            let links = Links::of(&state, scope);
            let mut names: Vec<Vec<u64>> =
                state.pids().map(|p| state.forest().pid(p).segments().to_vec()).collect();
            names.resize(links.len(), Vec::new());
            for pid in state.pids().filter(|&p| state.is_active(p)) {
                names[links.next(pid) as usize] = state.next_pid(pid).unwrap().segments().to_vec();
            }
            let in_scope = |v: u32| {
                scope == RelationScope::All
                    || ((v as usize) < state.pid_count() && state.is_in_sigma(v))
            };
            for x in 0..links.len() as u32 {
                for y in 0..links.len() as u32 {
                    let holds = |r: Relation| r.holds(&names[x as usize], &names[y as usize]);
                    let both = in_scope(x) && in_scope(y);
                    assert_eq!(climbs(&links, y, x), both && holds(Relation::Ancestor));
                    let parent = links.above(y) == x && links.is_child(y);
                    assert_eq!(parent, both && holds(Relation::Parent), "{text} {x} {y}");
                    assert_eq!(follows(&links, x, y), holds(Relation::ElderSibling));
                    let adjacent = links.sibling(x) == y && links.is_adjacent(x);
                    assert_eq!(adjacent, holds(Relation::AdjacentSibling), "{text} {x} {y}");
                }
            }
        }
    }

    fn climbs(links: &Links, mut from: u32, to: u32) -> bool {
        while links.above(from) != NONE {
            from = links.above(from);
            if from == to {
                return true;
            }
        }
        false
    }

    fn follows(links: &Links, mut from: u32, to: u32) -> bool {
        while links.sibling(from) != NONE {
            from = links.sibling(from);
            if from == to {
                return true;
            }
        }
        false
    }

    #[test]
    fn links_generate_the_relations() {
        check(r#"{"sigma":{"A":[["@1"],["@2"],["@1.1"],["@1.3"],["@5"]]},"eta":{"1":3,"2":0}}"#);
        check(r#"{"sigma":{"A":[["@1"],["@1.1.1"],["@1.1.2.1"]]},"eta":{"1":1}}"#);
    }

    #[test]
    fn inconsistent_states_too() {
        // next-pids that are listed, lie among or above listed pids, active pids outside sigma
        check(r#"{"sigma":{"A":[["@1"],["@1.2"],["@1.4"]]},"eta":{"1":1}}"#);
        check(r#"{"sigma":{"A":[["@1"],["@1.2"],["@1.4"]]},"eta":{"1":2}}"#);
        check(r#"{"sigma":{"A":[["@1"],["@1.1.1"],["@1.1.2.1"]]},"eta":{"1":0}}"#);
        check(r#"{"sigma":{"A":[["@1"],["@1.1.1"]]},"eta":{"1":0,"1.1":0,"2":4}}"#);
    }
}
