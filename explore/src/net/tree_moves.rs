//! Markings as multisets of trees: the fast way through nets whose transitions are local.
//!
//! Under [`is_local`](super::locality::is_local) a transition replaces one tree of the marking by
//! others, whatever the rest is. So the moves of a tree are computed once per thread of the search,
//! by the firing rule and the forest order, and looked up by the tree's bytes from then on; a
//! marking is the list of its trees, and its canonical form that list in order. The keys are the
//! same as those of [`NetCanonizer`].
//!
//! Cost: a successor is a copy of the marking's bytes. Weakness: nothing is gained on markings that
//! are one tree; their moves are not kept.

use super::canon::bytes::{KeyReader, put};
use super::canon::forest::skip_tree;
use super::canon::{CanonWorker, NetCanonizer};
use super::compiled::Net;
use super::marking::Marking;
use super::model::{NetModel, NetWorker};
use crate::search::{Canonizer, Failure, Label, Model, Successors};
use pidlab_budget::Budget;
use pidlab_core::Relations;
use rustc_hash::FxHashMap;

/// Bytes of trees and moves that a thread keeps; beyond, it forgets all and starts again.
const MOST_BYTES: usize = 1 << 24;

/// Trees one after another, as they stand in a key.
#[derive(Clone, Debug, Default)]
pub struct TreeMultiset {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl TreeMultiset {
    #[inline]
    fn start(&self, tree: usize) -> usize {
        if tree == 0 { 0 } else { self.ends[tree - 1] as usize }
    }

    #[inline]
    fn tree(&self, tree: usize) -> &[u8] {
        &self.bytes[self.start(tree)..self.ends[tree] as usize]
    }

    #[inline]
    fn push(&mut self, tree: &[u8]) {
        self.bytes.extend_from_slice(tree);
        self.ends.push(self.bytes.len() as u32);
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Adds the trees of a key.
    fn push_key(&mut self, net: &Net, key: &[u8]) {
        let mut reader = KeyReader(key);
        let trees = reader.get();
        let (head, base) = (key.len() - reader.0.len(), self.bytes.len());
        for _ in 0..trees {
            skip_tree(&net.places, &mut reader);
            self.ends.push((base + key.len() - reader.0.len() - head) as u32);
        }
        self.bytes.extend_from_slice(&key[head..key.len() - reader.0.len()]);
    }

    /// Copies all trees of another but one.
    fn set_without(&mut self, other: &TreeMultiset, tree: usize) {
        let (start, end) = (other.start(tree), other.ends[tree] as usize);
        self.bytes.clear();
        self.bytes.extend_from_slice(&other.bytes[..start]);
        self.bytes.extend_from_slice(&other.bytes[end..]);
        self.ends.clear();
        self.ends.extend_from_slice(&other.ends[..tree]);
        let gone = (end - start) as u32;
        self.ends.extend(other.ends[tree + 1..].iter().map(|end| end - gone));
    }
}

/// One move of a tree: what it becomes.
#[derive(Clone, Copy, Debug)]
struct Move {
    label: Label,
    weight: u32,
    /// Its trees in the multiset beside.
    first: u32,
    end: u32,
}

/// Moves of trees.
#[derive(Debug, Default)]
struct Moves {
    list: Vec<Move>,
    trees: TreeMultiset,
}

impl Moves {
    fn clear(&mut self) {
        self.list.clear();
        self.trees.clear();
    }

    fn bytes(&self) -> usize {
        self.trees.bytes.len() + self.trees.ends.len() * 4 + self.list.len() * size_of::<Move>()
    }

    /// Adds a move of the tree whose moves began at `start`; equal ones are counted together.
    fn add(&mut self, net: &Net, start: usize, label: Label, weight: u32, key: &[u8]) {
        let first = self.trees.ends.len();
        self.trees.push_key(net, key);
        let end = self.trees.ends.len();
        let (trees, new) = (&self.trees, self.trees.start(first));
        let equal = self.list[start..].iter_mut().find(|other| {
            let other_bytes = trees.start(other.first as usize)..trees.start(other.end as usize);
            other.label == label
                && other.end - other.first == (end - first) as u32
                && trees.bytes[other_bytes] == trees.bytes[new..]
        });
        if let Some(equal) = equal {
            equal.weight += weight;
            self.trees.bytes.truncate(new);
            self.trees.ends.truncate(first);
            return;
        }
        self.list.push(Move { label, weight, first: first as u32, end: end as u32 });
    }
}

/// A local net.
#[derive(Clone, Copy)]
pub struct TreeMovesModel<'n> {
    net: &'n Net,
    base: NetModel<'n>,
    keys: NetCanonizer<'n>,
    inspects: bool,
}

/// Memory of one thread of the search.
pub struct TreeMovesWorker {
    base: NetWorker,
    keys: CanonWorker,
    marking: Marking,
    successors: Successors<Marking>,
    key: Vec<u8>,
    /// The moves of each tree seen: where they are in `kept`.
    known: FxHashMap<Box<[u8]>, (u32, u32)>,
    known_bytes: usize,
    kept: Moves,
    /// Moves of a tree that is not kept.
    once: Moves,
}

impl<'n> TreeMovesModel<'n> {
    /// The net must be local under Ω*.
    pub fn new(net: &'n Net, relations: Relations) -> TreeMovesModel<'n> {
        let (base, keys) = (NetModel::new(net, relations), NetCanonizer::new(net, relations));
        TreeMovesModel {
            net,
            base,
            keys,
            inspects: !net.properties.is_empty() || net.finals.is_some(),
        }
    }

    /// Appends the moves of a tree to `moves`.
    fn find_moves(
        &self,
        worker: &mut TreeMovesWorker,
        tree: &[u8],
        moves: &mut Moves,
    ) -> Result<(), Failure> {
        let TreeMovesWorker { base, keys, marking, successors, key, .. } = worker;
        key.clear();
        put(key, 1);
        key.extend_from_slice(tree);
        self.keys.decode(keys, key, marking);
        successors.clear();
        self.base.successors(base, marking, successors)?;
        let start = moves.list.len();
        for index in 0..successors.len() {
            self.keys.key(keys, successors.state(index), key)?;
            moves.add(self.net, start, successors.label(index), successors.weight(index), key);
        }
        Ok(())
    }

    /// Where the moves of a tree are in `worker.kept`.
    fn kept_moves(&self, worker: &mut TreeMovesWorker, tree: &[u8]) -> Result<(u32, u32), Failure> {
        if let Some(&range) = worker.known.get(tree) {
            return Ok(range);
        }
        if worker.known_bytes + worker.kept.bytes() > MOST_BYTES {
            worker.known.clear();
            worker.known_bytes = 0;
            worker.kept.clear();
        }
        let mut kept = std::mem::take(&mut worker.kept);
        let start = kept.list.len() as u32;
        let found = self.find_moves(worker, tree, &mut kept);
        let range = (start, kept.list.len() as u32);
        worker.kept = kept;
        found?;
        worker.known_bytes += tree.len() + size_of::<(Box<[u8]>, (u32, u32))>();
        worker.known.insert(tree.into(), range);
        Ok(range)
    }
}

/// Appends what becomes of a marking when one of `copies` equal trees makes one of the moves.
fn apply(
    forest: &TreeMultiset,
    tree: usize,
    copies: usize,
    list: &[Move],
    results: &TreeMultiset,
    out: &mut Successors<TreeMultiset>,
) {
    for m in list {
        let slot = out.push_weighted(m.label, m.weight * copies as u32);
        slot.set_without(forest, tree);
        (m.first..m.end).for_each(|result| slot.push(results.tree(result as usize)));
    }
}

impl Model for TreeMovesModel<'_> {
    type State = TreeMultiset;
    type Worker = TreeMovesWorker;

    fn worker(&self) -> TreeMovesWorker {
        TreeMovesWorker {
            base: self.base.worker(),
            keys: self.keys.worker(),
            marking: Marking::default(),
            successors: Successors::new(),
            key: Vec::new(),
            known: FxHashMap::default(),
            known_bytes: 0,
            kept: Moves::default(),
            once: Moves::default(),
        }
    }

    fn allow(&self, worker: &mut TreeMovesWorker, budget: &Budget) {
        self.base.allow(&mut worker.base, budget);
        self.keys.allow(&mut worker.keys, budget);
    }

    fn initial(
        &self,
        worker: &mut TreeMovesWorker,
        out: &mut Successors<TreeMultiset>,
    ) -> Result<(), Failure> {
        let TreeMovesWorker { base, keys, successors, key, .. } = worker;
        successors.clear();
        self.base.initial(base, successors)?;
        for index in 0..successors.len() {
            self.keys.key(keys, successors.state(index), key)?;
            let forest = out.push(successors.label(index));
            forest.clear();
            forest.push_key(self.net, key);
        }
        Ok(())
    }

    fn successors(
        &self,
        worker: &mut TreeMovesWorker,
        forest: &TreeMultiset,
        out: &mut Successors<TreeMultiset>,
    ) -> Result<(), Failure> {
        let trees = forest.ends.len();
        if trees == 1 {
            let mut once = std::mem::take(&mut worker.once);
            once.clear();
            self.find_moves(worker, forest.tree(0), &mut once)?;
            apply(forest, 0, 1, &once.list, &once.trees, out);
            worker.once = once;
            return Ok(());
        }
        let mut tree = 0;
        while tree < trees {
            let same = |&other: &usize| forest.tree(other) == forest.tree(tree);
            let copies = (tree..trees).take_while(same).count();
            let (start, end) = self.kept_moves(worker, forest.tree(tree))?;
            let list = &worker.kept.list[start as usize..end as usize];
            apply(forest, tree, copies, list, &worker.kept.trees, out);
            tree += copies;
        }
        Ok(())
    }

    fn inspect(&self, worker: &mut TreeMovesWorker, forest: &TreeMultiset) -> Result<u64, Failure> {
        if !self.inspects {
            return Ok(0);
        }
        let TreeMovesWorker { base, keys, marking, key, .. } = worker;
        key.clear();
        put(key, forest.ends.len() as u64);
        key.extend_from_slice(&forest.bytes);
        self.keys.decode(keys, key, marking);
        self.base.inspect(base, marking)
    }
}

/// The key of a marking: its trees in order.
#[derive(Clone, Copy)]
pub struct TreeMovesCanonizer<'n>(pub &'n Net);

impl Canonizer<TreeMultiset> for TreeMovesCanonizer<'_> {
    type Worker = Vec<u32>;

    fn worker(&self) -> Vec<u32> {
        Vec::new()
    }

    fn key(
        &self,
        order: &mut Vec<u32>,
        forest: &TreeMultiset,
        key: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        order.clear();
        for tree in 0..forest.ends.len() {
            let bytes = forest.tree(tree);
            // all but the last few are in order
            let is_next = order.last().is_none_or(|&last| forest.tree(last as usize) <= bytes);
            let at = match is_next {
                true => order.len(),
                false => order.partition_point(|&other| forest.tree(other as usize) <= bytes),
            };
            order.insert(at, tree as u32);
        }
        key.clear();
        put(key, forest.ends.len() as u64);
        order.iter().for_each(|&tree| key.extend_from_slice(forest.tree(tree as usize)));
        Ok(())
    }

    fn decode(&self, _: &mut Vec<u32>, key: &[u8], forest: &mut TreeMultiset) {
        forest.clear();
        forest.push_key(self.0, key);
    }
}
