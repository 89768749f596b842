//! Whether two graphs are isomorphic, by following one path of the search tree.
//!
//! One path from the root to a leaf is laid in the first graph; the second graph is searched for a
//! path with the same traces whose leaf maps the first graph onto the second. Every node is left
//! at its first difference. How many candidates need to be tried at a level follows from the
//! automorphisms of the first graph (pigeonhole): if the vertex on the path has an orbit of s among
//! c candidates, s of the c candidates of an isomorphic node are right, so c − s + 1 are enough.
//! Orbits are found by matching the first graph with itself, deepest level first. Both searches run
//! in turns with growing limits: symmetric inputs need the orbits, rigid ones do not. How much there
//! is to search depends on the path more than on all else; where the first one turns out badly and no
//! symmetry is seen, a better one is sought by [`probing`](super::probe).
//!
//! Cost: a path is O(m log n); isomorphic inputs with rich symmetry need one or two, rigid ones as
//! many beginnings of paths as vertices. No canonical leaf is ever sought, which is why this beats
//! canonical labelling of both sides. Weakness: inputs of many independent hard parts, which
//! [`components`](super::components) takes apart first.

use super::graph::WeightedGraph;
use super::partition::{Partition, UndoMark};
use super::path::{Path, SearchSide};
use crate::budget::{Budget, Exhausted};

/// How far the search for orbits has come: levels are done from the deepest up.
struct OrbitSearch {
    /// Levels left.
    level: usize,
    /// The target cell of the level in hand, empty before it is begun; those before `next` are done.
    cell: Vec<u32>,
    next: usize,
    orbits: Orbits,
}

impl OrbitSearch {
    fn new(path: &Path, n: usize) -> OrbitSearch {
        OrbitSearch { level: path.targets.len(), cell: Vec::new(), next: 0, orbits: Orbits::new(n) }
    }

    /// A vertex of the cell of which it is open whether it is in the orbit.
    fn next_open(&mut self, vertex: u32) -> Option<u32> {
        let own = self.orbits.find(vertex);
        while let Some(&other) = self.cell.get(self.next) {
            let root = self.orbits.find(other);
            if root != own && !self.orbits.rejected[root as usize] {
                return Some(other);
            }
            self.next += 1;
        }
        None
    }

    fn reject(&mut self, vertex: u32) {
        let root = self.orbits.find(vertex);
        self.orbits.rejected[root as usize] = true;
    }

    /// The size of the orbit; goes on to the level above.
    fn close_level(&mut self, vertex: u32) -> u32 {
        let own = self.orbits.find(vertex);
        let cell = std::mem::take(&mut self.cell);
        self.next = 0;
        self.level -= 1;
        let mut size = 0;
        for v in cell {
            let root = self.orbits.find(v);
            size += u32::from(root == own);
            self.orbits.rejected[root as usize] = false;
        }
        size
    }
}

/// How a search ended.
enum Outcome {
    /// The vertices of the leaf that matches.
    Found(Vec<u32>),
    None,
    /// The limit of work was reached.
    GaveUp,
}

struct Frame {
    candidates: Vec<u32>,
    next: usize,
    mark: UndoMark,
}

/// Paths' worth of work in the first turn of each search; every later turn gets twice as much.
const FIRST_TURN: u64 = 4;
/// Paths' worth of work after which it is time to look for a better path.
const BAD: u64 = 64;

/// An isomorphism between graphs whose equitable partitions have the same shape and trace.
pub fn isomorphism(
    q: (&WeightedGraph, Partition),
    r: (&WeightedGraph, Partition),
    budget: &Budget,
) -> Result<Option<Vec<u32>>, Exhausted> {
    let mut left = SearchSide::new(q.0, q.1, budget);
    let mut right = SearchSide::new(r.0, r.1, budget);
    let mut path = left.lay_path(|side| {
        let target = side.usual_target();
        Ok((target, side.partition.order[target as usize]))
    })?;
    let mut frames = vec![right.frame(&path, 0)];
    let mut orbits = OrbitSearch::new(&path, q.0.len());
    let mut limit = FIRST_TURN * path.work;
    let (mut bad, mut effort) = (BAD * path.work, 1);
    loop {
        match right.pursue(&path, left.graph, 0, &mut frames, limit)? {
            Outcome::Found(leaf) => return Ok(Some(image(&path.leaf, &leaf))),
            Outcome::None => return Ok(None),
            Outcome::GaveUp => {}
        }
        limit = limit.saturating_mul(2);
        if limit >= bad && orbits.orbits.automorphisms == 0 {
            if let Some(better) = left.better_path(&path, effort)? {
                path = better;
                right.partition.undo(frames[0].mark);
                frames = vec![right.frame(&path, 0)];
                orbits = OrbitSearch::new(&path, q.0.len());
            }
            (bad, effort) = (bad * 16, effort * 8);
        }
        // no symmetry seen so far: rather go on with the search itself
        let share = if orbits.orbits.automorphisms == 0 { 4 } else { 1 };
        if left.find_orbits(&mut path, &mut orbits, limit / share)? {
            limit = u64::MAX;
            for (level, frame) in frames.iter_mut().enumerate() {
                frame.candidates.truncate(path.enough(level));
            }
        }
    }
}

/// What a permutation moves, and where to.
pub type Moves = Vec<(u32, u32)>;

/// The group of automorphisms below an equitable partition: the sizes of the orbits along a path, whose product is its
/// order, and generators.
pub fn automorphisms(
    graph: &WeightedGraph,
    partition: Partition,
    budget: &Budget,
) -> Result<(Vec<u32>, Vec<Moves>), Exhausted> {
    let mut side = SearchSide::new(graph, partition, budget);
    let mut path = side.lay_path(|side| {
        let target = side.usual_target();
        Ok((target, side.partition.order[target as usize]))
    })?;
    let mut search = OrbitSearch::new(&path, graph.len());
    search.orbits.generators = Some(Vec::new());
    side.find_orbits(&mut path, &mut search, u64::MAX)?;
    Ok((path.orbit, search.orbits.generators.unwrap_or_default()))
}

/// The map from one order of vertices to another.
pub fn image(from: &[u32], to: &[u32]) -> Vec<u32> {
    let mut image = vec![0; from.len()];
    for (&x, &y) in from.iter().zip(to) {
        image[x as usize] = y;
    }
    image
}

impl SearchSide<'_> {
    /// Searches below a node at `level`, where the first frame stands, for a leaf that `path` maps
    /// onto. After giving up it can be called again to go on.
    fn pursue(
        &mut self,
        path: &Path,
        origin: &WeightedGraph,
        level: usize,
        frames: &mut Vec<Frame>,
        work: u64,
    ) -> Result<Outcome, Exhausted> {
        let limit = self.refiner.work.saturating_add(work);
        while let Some(frame) = frames.last_mut() {
            if self.refiner.work > limit {
                return Ok(Outcome::GaveUp);
            }
            self.partition.undo(frame.mark);
            let Some(&vertex) = frame.candidates.get(frame.next) else {
                frames.pop();
                continue;
            };
            frame.next += 1;
            let at = level + frames.len() - 1;
            if !self.follow(path, at, vertex)? {
                continue;
            }
            if at + 1 < path.targets.len() {
                frames.push(self.frame(path, at + 1));
            } else if is_isomorphism(origin, self.graph, &image(&path.leaf, &self.partition.order))
            {
                return Ok(Outcome::Found(self.partition.order.clone()));
            } else {
                self.refiner.work += self.graph.arc_count() as u64;
            }
        }
        Ok(Outcome::None)
    }

    /// As many candidates of the target cell as the pigeonhole asks for.
    fn frame(&self, path: &Path, level: usize) -> Frame {
        let mut candidates = self.partition.members(path.targets[level]).to_vec();
        candidates.truncate(path.enough(level));
        Frame { candidates, next: 0, mark: self.partition.mark() }
    }

    /// Finds the orbit of every vertex on the path under the automorphisms that fix those before it;
    /// false if that takes more work than allowed, and then it can be called again to go on.
    fn find_orbits(
        &mut self,
        path: &mut Path,
        search: &mut OrbitSearch,
        work: u64,
    ) -> Result<bool, Exhausted> {
        let limit = self.refiner.work.saturating_add(work);
        self.walk_to_end(path)?;
        while search.level > 0 {
            let level = search.level - 1;
            self.return_to(path, level);
            if search.cell.is_empty() {
                search.cell = self.partition.members(path.targets[level]).to_vec();
            }
            while let Some(other) = search.next_open(path.vertices[level]) {
                let mark = self.partition.mark();
                let mut frames = vec![Frame { candidates: vec![other], next: 0, mark }];
                let left = limit.saturating_sub(self.refiner.work);
                let outcome = self.pursue(path, self.graph, level, &mut frames, left)?;
                self.partition.undo(mark);
                match outcome {
                    Outcome::Found(leaf) => search.orbits.unite_all(&path.leaf, &leaf),
                    Outcome::None => search.reject(other),
                    Outcome::GaveUp => {
                        self.return_to(path, 0);
                        return Ok(false);
                    }
                }
            }
            path.orbit[level] = search.close_level(path.vertices[level]);
        }
        self.return_to(path, 0);
        Ok(true)
    }

    /// Goes down the path again, so that every level can be returned to.
    fn walk_to_end(&mut self, path: &mut Path) -> Result<(), Exhausted> {
        for level in 0..path.targets.len() {
            path.marks[level] = self.partition.mark();
            self.follow(path, level, path.vertices[level])?;
        }
        Ok(())
    }
}

/// Whether a bijection of vertices keeps all arcs and their weights.
pub fn is_isomorphism(from: &WeightedGraph, to: &WeightedGraph, image: &[u32]) -> bool {
    let mut weight = vec![None; to.len()];
    (0..from.len() as u32).all(|v| {
        let target = image[v as usize];
        to.arcs(target).for_each(|(u, w)| weight[u as usize] = Some(w));
        let same = from.range(v).len() == to.range(target).len()
            && from.arcs(v).all(|(u, w)| weight[image[u as usize] as usize] == Some(w));
        to.arcs(target).for_each(|(u, _)| weight[u as usize] = None);
        same
    })
}

/// Union–find over vertices.
struct Orbits {
    parent: Vec<u32>,
    /// Roots of orbits that the path's vertex is not in.
    rejected: Vec<bool>,
    automorphisms: usize,
    /// What was found, where it is wanted.
    generators: Option<Vec<Moves>>,
}

impl Orbits {
    fn new(n: usize) -> Orbits {
        let (parent, rejected) = ((0..n as u32).collect(), vec![false; n]);
        Orbits { parent, rejected, automorphisms: 0, generators: None }
    }

    fn find(&mut self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            self.parent[v as usize] = self.parent[self.parent[v as usize] as usize];
            v = self.parent[v as usize];
        }
        v
    }

    /// An automorphism, as the leaves it maps onto each other.
    fn unite_all(&mut self, from: &[u32], to: &[u32]) {
        self.automorphisms += 1;
        if let Some(generators) = &mut self.generators {
            let moved = from.iter().copied().zip(to.iter().copied()).filter(|(x, y)| x != y);
            generators.push(moved.collect());
        }
        for (&x, &y) in from.iter().zip(to) {
            let (a, b) = (self.find(x), self.find(y));
            if a != b {
                self.parent[b as usize] = a;
                self.rejected[a as usize] |= self.rejected[b as usize];
            }
        }
    }
}
