//! The pid relations of a state as arcs and properties of pids, with as few arcs as possible.
//!
//! In a consistent state next(x) is the youngest of x's children, so it needs no vertex: that a child is
//! a sibling of it, or adjacent to it, is a property of the child, and where Ω* has no parenthood an arc
//! from the last child of the chain to x ties the chain to x. Depth in the forest and rank in the chain
//! are properties too; they orient the arcs, so that an undirected edge can stand for them. States that are
//! not consistent get vertices for next-pids and every link as a directed arc.

use pidlab_core::forest::NONE;
use pidlab_core::graph::links::{Links, RelationScope};
use pidlab_core::{Relation, Relations, State};

/// What Ω* shows of the pids.
pub struct PidFamily {
    /// Listed pids, and next-pids after them where they have vertices.
    pub len: usize,
    /// Three words of properties for each vertex.
    pub properties: Vec<[u32; 3]>,
    /// (kind of link, from, to).
    pub arcs: Vec<(PidLink, u32, u32)>,
}

/// Kinds of arcs; the numbers become labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PidLink {
    Up,
    Sibling,
    Next,
    Parent,
    AdjacentSibling,
}

const ACTIVE: u32 = 1;
const CHILD: u32 = 2;
const ADJACENT: u32 = 4;
const ELDER_OF_NEXT: u32 = 8;
const ADJACENT_TO_NEXT: u32 = 16;
const IN_SIGMA: u32 = 32;
const LISTED: u32 = 64;

#[derive(Clone, Copy)]
struct Seen {
    parent: bool,
    ancestor: bool,
    adjacent: bool,
    elder: bool,
}

impl Seen {
    fn of(relations: Relations) -> Seen {
        Seen {
            parent: relations.contains(Relation::Parent),
            ancestor: relations.contains(Relation::Ancestor),
            adjacent: relations.contains(Relation::AdjacentSibling),
            elder: relations.contains(Relation::ElderSibling),
        }
    }

    fn forest(self) -> bool {
        self.parent || self.ancestor
    }
}

impl PidFamily {
    /// The family of a state known to be consistent.
    pub fn folded(state: &State, relations: Relations) -> PidFamily {
        let seen = Seen::of(relations);
        let mut folder = Folder::new(state, seen);
        if seen.adjacent || seen.elder {
            folder.tie_to_next();
        }
        for pid in state.pids() {
            folder.visit(pid);
        }
        PidFamily { len: state.pid_count(), properties: folder.properties, arcs: folder.arcs }
    }

    /// The family of any state, next-pids with vertices of their own.
    pub fn explicit(state: &State, relations: Relations) -> PidFamily {
        let seen = Seen::of(relations);
        let links = Links::of(state, RelationScope::Sigma);
        let mut arcs = Vec::new();
        let mut properties = vec![[0; 3]; links.len()];
        for pid in state.pids() {
            let bits = &mut properties[pid as usize][0];
            *bits |= LISTED | if state.is_in_sigma(pid) { IN_SIGMA } else { 0 };
            if state.is_active(pid) {
                *bits |= ACTIVE;
                arcs.push((PidLink::Next, pid, links.next(pid)));
            }
        }
        for vertex in 0..links.len() as u32 {
            let (above, sibling) = (links.above(vertex), links.sibling(vertex));
            if seen.parent && links.is_child(vertex) {
                arcs.push((PidLink::Parent, above, vertex));
            } else if seen.ancestor && above != NONE {
                arcs.push((PidLink::Up, above, vertex));
            }
            if seen.adjacent && links.is_adjacent(vertex) {
                arcs.push((PidLink::AdjacentSibling, vertex, sibling));
            } else if seen.elder && sibling != NONE {
                arcs.push((PidLink::Sibling, vertex, sibling));
            }
        }
        PidFamily { len: links.len(), properties, arcs }
    }
}

/// Words of a pid's properties.
const BITS: usize = 0;
const DEPTH: usize = 1;
const RANK: usize = 2;

struct Folder<'s> {
    state: &'s State,
    seen: Seen,
    properties: Vec<[u32; 3]>,
    arcs: Vec<(PidLink, u32, u32)>,
    /// Whether the chain of visible siblings from here on ends at the next-pid of the parent.
    tied: Vec<bool>,
}

impl<'s> Folder<'s> {
    fn new(state: &'s State, seen: Seen) -> Folder<'s> {
        let n = state.pid_count();
        let tied = if seen.forest() { Vec::new() } else { vec![false; n] };
        Folder { state, seen, properties: vec![[0; 3]; n], arcs: Vec::with_capacity(n), tied }
    }

    /// Notes for every pid how it stands to the next-pid of its parent, youngest siblings first.
    fn tie_to_next(&mut self) {
        let forest = self.state.forest();
        for pid in self.state.pids().rev() {
            let above = forest.ancestor(pid);
            if !forest.is_child(pid) {
                continue;
            }
            let Some(created) = self.state.eta(above) else { continue };
            let adjacent = self.seen.adjacent && forest.index(pid) == created;
            let bits = &mut self.properties[pid as usize][BITS];
            *bits |= if self.seen.elder { ELDER_OF_NEXT } else { 0 };
            *bits |= if adjacent { ADJACENT_TO_NEXT } else { 0 };
            if !self.seen.forest() {
                self.tie_chain(pid, above, adjacent);
            }
        }
    }

    /// Where parenthood is not visible: the last visible child is tied to the parent itself.
    fn tie_chain(&mut self, pid: u32, above: u32, adjacent: bool) {
        let younger = self.visible_sibling(pid);
        let last = if self.seen.elder { younger == NONE } else { adjacent };
        if last {
            self.arcs.push((PidLink::Up, above, pid));
        }
        self.tied[pid as usize] =
            self.seen.elder || adjacent || (younger != NONE && self.tied[younger as usize]);
    }

    /// The next sibling, if Ω* shows the step to it.
    fn visible_sibling(&self, pid: u32) -> u32 {
        let forest = self.state.forest();
        let visible = self.seen.elder || (self.seen.adjacent && forest.is_adjacent(pid));
        if visible { forest.sibling(pid) } else { NONE }
    }

    /// Elders and ancestors come first, so their depth and rank are known.
    fn visit(&mut self, pid: u32) {
        let forest = self.state.forest();
        let mut bits = if self.state.is_active(pid) { ACTIVE } else { 0 };
        let above = forest.ancestor(pid);
        let is_child = forest.is_child(pid);
        if above != NONE && (self.seen.ancestor || (self.seen.parent && is_child)) {
            bits |= if self.seen.parent && is_child { CHILD } else { 0 };
            self.arcs.push((PidLink::Up, above, pid));
            self.properties[pid as usize][DEPTH] = self.properties[above as usize][DEPTH] + 1;
        } else if !self.seen.forest() && self.tied[pid as usize] {
            self.properties[pid as usize][DEPTH] = self.properties[above as usize][DEPTH] + 1;
        }
        let younger = self.visible_sibling(pid);
        if younger != NONE {
            bits |= if self.seen.adjacent && forest.is_adjacent(pid) { ADJACENT } else { 0 };
            self.arcs.push((PidLink::Sibling, pid, younger));
            self.properties[younger as usize][RANK] = self.properties[pid as usize][RANK] + 1;
        }
        self.properties[pid as usize][BITS] |= bits;
    }
}
