//! VF2: Cordella, Foggia, Sansone, Vento, "A (sub)graph isomorphism algorithm for matching large
//! graphs", IEEE PAMI 26(10), 2004; the algorithm of the papers' experiments (SACS'10, section 5).
//!
//! A partial mapping grows by one pair of vertices at a time, taken from the terminal sets (vertices
//! one arc away from the mapped ones), and a pair is dropped if it breaks an arc to a mapped vertex or
//! if the numbers of terminal and new neighbours differ. Pairs come in the order of NetworkX's
//! `DiGraphMatcher`, the program the papers used: the least terminal vertex of the second graph,
//! against all of the first, in order. Where that program recurses and rebuilds its terminal sets in
//! linear time at every step, this one keeps a stack and ordered sets: same search tree, less
//! overhead. Known weakness: nothing is learned from a failure, so a symmetric but unequal pair takes
//! exponential time.

use crate::backend::{Backend, DecidedBy, Decision, Exactness, Info, Problem, Verdict};
use crate::budget::{Budget, Exhausted};
use crate::digraph::{Adjacency, Digraph, DigraphPair};
use pidlab_core::graph::{Form, Vertex};
use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Included};
use std::time::Instant;

/// Our VF2 on the layered graphs.
pub struct Vf2;

impl Backend for Vf2 {
    fn info(&self) -> Info {
        Info {
            name: "vf2".into(),
            exactness: Exactness::Exact,
            source: "own; Cordella, Foggia, Sansone, Vento 2004, in NetworkX's order".into(),
            unavailable: None,
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let start = Instant::now();
        let pair = match DigraphPair::build(problem, Form::Full, budget) {
            Ok(pair) => pair,
            Err(verdict) => return Decision::unbuilt(verdict, start.elapsed()),
        };
        let built = Instant::now();
        let (verdict, by) = match alike(&pair, budget) {
            true => (search(&pair, budget), DecidedBy::Solver),
            false if budget.allows_short_cuts() => (Verdict::NotEquivalent, DecidedBy::PreCheck),
            // the algorithm is for graphs of one size: whoever runs it has compared the sizes
            false => (Verdict::NotEquivalent, DecidedBy::Solver),
        };
        Decision::of(verdict, start, built).by(by).sized(pair.q.len(), pair.arc_count())
    }
}

/// Whether there is something to search: as many vertices, and as many of every colour and degree unless
/// the search is to see to that itself.
fn alike(pair: &DigraphPair, budget: &Budget) -> bool {
    match budget.allows_short_cuts() {
        true => pair.same_signatures(),
        false => pair.q.len() == pair.r.len(),
    }
}

fn search(pair: &DigraphPair, budget: &Budget) -> Verdict {
    match Matcher::new(&pair.q, &pair.r, budget).run() {
        Ok(Some(image)) => pair.witness(&image),
        Ok(None) => Verdict::NotEquivalent,
        Err(exhausted) => exhausted.into(),
    }
}

const UNMAPPED: Vertex = Vertex::MAX;

/// One graph with the part of the mapping on its side.
struct Side<'g> {
    graph: &'g Digraph,
    by_color: bool,
    core: Vec<Vertex>,
    /// Whether the vertex is mapped or has an arc into (`[IN]`), or from (`[OUT]`), a mapped one.
    near: [Vec<bool>; 2],
    /// Those of them that are not mapped: in q by colour, so that candidates of the right colour lie
    /// together; in r by number alone.
    terminal: [BTreeSet<(u32, Vertex)>; 2],
    log: Vec<(usize, Vertex)>,
}

const IN: usize = 0;
const OUT: usize = 1;

impl<'g> Side<'g> {
    fn new(graph: &'g Digraph, by_color: bool) -> Side<'g> {
        Side {
            graph,
            by_color,
            core: vec![UNMAPPED; graph.len()],
            near: [vec![false; graph.len()], vec![false; graph.len()]],
            terminal: [BTreeSet::new(), BTreeSet::new()],
            log: Vec::new(),
        }
    }

    fn is_mapped(&self, vertex: Vertex) -> bool {
        self.core[vertex as usize] != UNMAPPED
    }

    fn key(&self, vertex: Vertex) -> (u32, Vertex) {
        (if self.by_color { self.graph.color[vertex as usize] } else { 0 }, vertex)
    }

    fn map(&mut self, vertex: Vertex, image: Vertex) {
        self.core[vertex as usize] = image;
        let key = self.key(vertex);
        for set in [IN, OUT] {
            self.terminal[set].remove(&key);
            self.approach(set, vertex);
        }
        let graph = self.graph;
        for &(v, _) in graph.predecessors.of(vertex) {
            self.approach(IN, v);
        }
        for &(v, _) in graph.successors.of(vertex) {
            self.approach(OUT, v);
        }
    }

    fn approach(&mut self, set: usize, vertex: Vertex) {
        if std::mem::replace(&mut self.near[set][vertex as usize], true) {
            return;
        }
        self.log.push((set, vertex));
        if !self.is_mapped(vertex) {
            let key = self.key(vertex);
            self.terminal[set].insert(key);
        }
    }

    fn unmap(&mut self, vertex: Vertex, log_length: usize) {
        for (set, v) in self.log.split_off(log_length) {
            self.near[set][v as usize] = false;
            let key = self.key(v);
            self.terminal[set].remove(&key);
        }
        self.core[vertex as usize] = UNMAPPED;
        let key = self.key(vertex);
        for set in [IN, OUT] {
            if self.near[set][vertex as usize] {
                self.terminal[set].insert(key);
            }
        }
    }

    /// The next unmapped vertex of a colour, in order.
    fn next_unmapped(&self, from: Vertex, color: Option<u32>) -> Option<Vertex> {
        (from..self.graph.len() as Vertex).find(|&v| {
            !self.is_mapped(v) && color.is_none_or(|c| self.graph.color[v as usize] == c)
        })
    }
}

/// How many neighbours are terminal on either side, or new: the paper's look-ahead rules.
#[derive(Default, PartialEq, Eq)]
struct Ahead {
    mapped: u32,
    terminal: [u32; 2],
    new: u32,
}

/// Where the pairs of a level come from.
#[derive(Clone, Copy)]
enum Candidates {
    Terminal(usize),
    /// No terminal vertices: a new component begins.
    Any,
}

struct Frame {
    candidates: Candidates,
    target: Vertex,
    /// The vertex of q tried last, and how long the logs were before it.
    tried: Option<Vertex>,
    logs: (usize, usize),
}

struct Matcher<'g> {
    q: Side<'g>,
    r: Side<'g>,
    budget: &'g Budget,
}

impl<'g> Matcher<'g> {
    fn new(q: &'g Digraph, r: &'g Digraph, budget: &'g Budget) -> Matcher<'g> {
        Matcher { q: Side::new(q, true), r: Side::new(r, false), budget }
    }

    fn run(mut self) -> Result<Option<Vec<Vertex>>, Exhausted> {
        let mut stack: Vec<Frame> = Vec::new();
        loop {
            if stack.len() == self.q.graph.len() {
                return Ok(Some(self.q.core));
            }
            let Some(frame) = self.frame(stack.last()) else { return Ok(None) };
            stack.push(frame);
            loop {
                let Some(frame) = stack.last_mut() else { return Ok(None) };
                if self.advance(frame)? {
                    break;
                }
                stack.pop();
                if let Some(frame) = stack.last_mut() {
                    self.undo(frame);
                }
            }
        }
    }

    /// The next level: which vertex of r is to be matched, and with what.
    fn frame(&self, last: Option<&Frame>) -> Option<Frame> {
        let logs = (self.q.log.len(), self.r.log.len());
        for set in [OUT, IN] {
            let (mine, other) = (&self.q.terminal[set], &self.r.terminal[set]);
            if let (false, Some(&(_, target))) = (mine.is_empty(), other.first()) {
                return Some(Frame {
                    candidates: Candidates::Terminal(set),
                    target,
                    tried: None,
                    logs,
                });
            }
        }
        // the least unmapped vertex never goes down as the mapping grows
        let from = match last {
            Some(Frame { candidates: Candidates::Any, target, .. }) => *target,
            _ => 0,
        };
        let target = self.r.next_unmapped(from, None)?;
        Some(Frame { candidates: Candidates::Any, target, tried: None, logs })
    }

    /// Maps the next feasible candidate of the frame; false if there is none left.
    fn advance(&mut self, frame: &mut Frame) -> Result<bool, Exhausted> {
        while let Some(candidate) = self.next_candidate(frame) {
            frame.tried = Some(candidate);
            self.budget.step()?;
            if self.feasible(candidate, frame.target)? {
                self.q.map(candidate, frame.target);
                self.r.map(frame.target, candidate);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn undo(&mut self, frame: &Frame) {
        if let Some(candidate) = frame.tried {
            self.q.unmap(candidate, frame.logs.0);
            self.r.unmap(frame.target, frame.logs.1);
        }
    }

    fn next_candidate(&self, frame: &Frame) -> Option<Vertex> {
        let color = self.r.graph.color[frame.target as usize];
        match frame.candidates {
            Candidates::Any => self.q.next_unmapped(frame.tried.map_or(0, |v| v + 1), Some(color)),
            Candidates::Terminal(set) => {
                let from = frame.tried.map_or(Included((color, 0)), |v| Excluded((color, v)));
                let range = (from, Included((color, Vertex::MAX)));
                self.q.terminal[set].range(range).next().map(|&(_, v)| v)
            }
        }
    }

    fn feasible(&self, x: Vertex, y: Vertex) -> Result<bool, Exhausted> {
        let (q, r) = (self.q.graph, self.r.graph);
        if q.successors.labels_to(x, x) != r.successors.labels_to(y, y) {
            return Ok(false);
        }
        for (mine, other) in [(&q.predecessors, &r.predecessors), (&q.successors, &r.successors)] {
            if mine.of(x).len() != other.of(y).len()
                || !self.arcs_kept(mine, other, x, y)
                || self.ahead(&self.q, mine.of(x))? != self.ahead(&self.r, other.of(y))?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether every arc between x and a mapped vertex has its like at y. That y has no more of them
    /// follows from the counts of mapped neighbours.
    fn arcs_kept(&self, mine: &Adjacency, other: &Adjacency, x: Vertex, y: Vertex) -> bool {
        mine.of(x).iter().all(|&(v, labels)| {
            let image = self.q.core[v as usize];
            image == UNMAPPED || other.labels_to(y, image) == Some(labels)
        })
    }

    fn ahead(&self, side: &Side, neighbors: &[(Vertex, u32)]) -> Result<Ahead, Exhausted> {
        let mut ahead = Ahead::default();
        for (count, &(v, _)) in neighbors.iter().enumerate() {
            if count % 256 == 255 {
                self.budget.step()?;
            }
            let near = [side.near[IN][v as usize], side.near[OUT][v as usize]];
            if side.is_mapped(v) {
                ahead.mapped += 1;
                continue;
            }
            ahead.terminal[IN] += u32::from(near[IN]);
            ahead.terminal[OUT] += u32::from(near[OUT]);
            ahead.new += u32::from(!near[IN] && !near[OUT]);
        }
        Ok(ahead)
    }
}
