//! The elements that a witness maps (pids of σ, active pids, next-pids) and, for each of the four
//! relations, the partial function that generates it.
//!
//! The elements sit in a trie of their own, made of the integers of the pids; a prefix that several
//! pids share is one node, so pids 10,000 deep cost no more than they are long.

use pidlab_core::forest::NONE;
use pidlab_core::pid::{excerpt, write_segments};
use pidlab_core::{Relation, State};
use rustc_hash::FxHashMap;

/// Number of an element: the pids keep their numbers, next-pids that are not pids come after them.
pub type ElementId = u32;

/// "No element" or "no node".
pub const NOTHING: u32 = u32::MAX;

const TOP: u32 = u32::MAX;

pub struct Elements<'s> {
    pub state: &'s State,
    /// Trie node of each element.
    node: Vec<u32>,
    /// The next-pid of each pid; [`NOTHING`] if it is not active.
    next: Vec<ElementId>,
    trie: Trie,
}

#[derive(Default)]
struct Trie {
    edges: FxHashMap<(u32, u64), u32>,
    up: Vec<u32>,
    step: Vec<u64>,
    element: Vec<ElementId>,
}

impl Trie {
    fn child(&mut self, parent: u32, step: u64) -> u32 {
        let fresh = self.up.len() as u32;
        let node = *self.edges.entry((parent, step)).or_insert(fresh);
        if node == fresh {
            self.up.push(parent);
            self.step.push(step);
            self.element.push(NOTHING);
        }
        node
    }

    fn find(&self, segments: &[u64]) -> Option<u32> {
        segments.iter().try_fold(TOP, |at, &step| self.edges.get(&(at, step)).copied())
    }
}

impl<'s> Elements<'s> {
    pub fn of(state: &'s State) -> Elements<'s> {
        let mut elements =
            Elements { state, node: Vec::new(), next: Vec::new(), trie: Trie::default() };
        elements.enter_pids();
        elements.enter_next_pids();
        elements
    }

    fn enter_pids(&mut self) {
        let forest = self.state.forest();
        self.trie.edges.reserve(2 * forest.len());
        for pid in self.state.pids() {
            let above = forest.ancestor(pid);
            let start = if above == NONE { TOP } else { self.node[above as usize] };
            let node = forest.steps_of(pid).iter().fold(start, |at, &s| self.trie.child(at, s));
            self.trie.element[node as usize] = pid;
            self.node.push(node);
        }
    }

    fn enter_next_pids(&mut self) {
        for pid in self.state.pids() {
            let next = match self.state.eta(pid) {
                Some(created) => self.enter_next_pid(pid, created + 1),
                None => NOTHING,
            };
            self.next.push(next);
        }
    }

    fn enter_next_pid(&mut self, pid: ElementId, step: u64) -> ElementId {
        let node = self.trie.child(self.node[pid as usize], step);
        let element = &mut self.trie.element[node as usize];
        if *element == NOTHING {
            *element = self.node.len() as ElementId;
            self.node.push(node);
        }
        *element
    }

    pub fn len(&self) -> usize {
        self.node.len()
    }

    pub fn pid_count(&self) -> usize {
        self.next.len()
    }

    /// The next-pid of an element; [`NOTHING`] unless it is an active pid.
    pub fn next(&self, element: ElementId) -> ElementId {
        self.next.get(element as usize).copied().unwrap_or(NOTHING)
    }

    pub fn is_active(&self, element: ElementId) -> bool {
        self.next(element) != NOTHING
    }

    fn in_sigma(&self, element: ElementId) -> bool {
        (element as usize) < self.pid_count() && self.state.is_in_sigma(element)
    }

    pub fn find(&self, segments: &[u64]) -> Option<ElementId> {
        let element = self.trie.element[self.trie.find(segments)? as usize];
        (element != NOTHING).then_some(element)
    }

    /// The element's pid as text, shortened when very long.
    pub fn name(&self, element: ElementId) -> String {
        let mut segments = Vec::new();
        let mut node = self.node[element as usize];
        while node != TOP {
            segments.push(self.trie.step[node as usize]);
            node = self.trie.up[node as usize];
        }
        segments.reverse();
        let mut text = String::new();
        write_segments(&segments, &mut text).expect("writing to a string does not fail");
        excerpt(&text)
    }

    /// The partial function that generates a relation, over all elements.
    pub fn links(&self, relation: Relation) -> Vec<ElementId> {
        match relation {
            Relation::Parent => self.parents(),
            Relation::Ancestor => self.nearest_ancestors(),
            Relation::AdjacentSibling => self.younger_siblings(|i, j| i.checked_add(1) == Some(j)),
            Relation::ElderSibling => self.younger_siblings(|_, _| true),
        }
    }

    fn parents(&self) -> Vec<ElementId> {
        let parent = |e: ElementId| match self.trie.up[self.node[e as usize] as usize] {
            TOP => NOTHING,
            up => self.sigma_element(up),
        };
        let all = 0..self.len() as ElementId;
        all.map(|e| if self.in_sigma(e) { parent(e) } else { NOTHING }).collect()
    }

    /// The pid of σ at a trie node.
    fn sigma_element(&self, node: u32) -> ElementId {
        let element = self.trie.element[node as usize];
        if element != NOTHING && self.in_sigma(element) { element } else { NOTHING }
    }

    fn nearest_ancestors(&self) -> Vec<ElementId> {
        // nodes are numbered after their parents, so one pass settles all
        let mut above = vec![NOTHING; self.trie.up.len()];
        for node in 0..above.len() {
            let up = self.trie.up[node];
            if up != TOP {
                let there = self.sigma_element(up);
                above[node] = if there != NOTHING { there } else { above[up as usize] };
            }
        }
        let all = 0..self.len() as ElementId;
        all.map(|e| if self.in_sigma(e) { above[self.node[e as usize] as usize] } else { NOTHING })
            .collect()
    }

    /// The next younger sibling among the elements, where the two integers satisfy `linked`.
    fn younger_siblings(&self, linked: impl Fn(u64, u64) -> bool) -> Vec<ElementId> {
        let place = |&e: &ElementId| {
            let node = self.node[e as usize] as usize;
            (self.trie.up[node], self.trie.step[node])
        };
        let mut order: Vec<ElementId> = (0..self.len() as ElementId).collect();
        order.sort_unstable_by_key(place);
        let mut younger = vec![NOTHING; self.len()];
        for pair in order.windows(2) {
            let ((z, i), (z2, j)) = (place(&pair[0]), place(&pair[1]));
            if z == z2 && linked(i, j) {
                younger[pair[0] as usize] = pair[1];
            }
        }
        younger
    }
}
