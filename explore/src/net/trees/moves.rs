//! The search of a local net: what its trees become.
//!
//! The moves of a tree are computed once per thread of the search, by the firing rule and the forest
//! order, and found by the tree's number from then on.
//!
//! Cost: a successor is a copy of the numbers of the marking's trees. Weakness: nothing is gained on
//! markings that are one tree; their moves are not kept.

use super::forest::Forest;
use super::keys::{read_canonical, write_canonical};
use super::table::{TreeId, TreeTable, each_tree, rank};
use crate::net::canon::bytes::put;
use crate::net::canon::{CanonWorker, NetCanonizer};
use crate::net::compiled::Net;
use crate::net::marking::Marking;
use crate::net::model::{NetModel, NetWorker};
use crate::search::{Canonizer, Failure, Label, Model, Store, Successors};
use pidlab_budget::Budget;
use pidlab_core::Relations;

/// Bytes of moves that a thread keeps; beyond, it forgets all and starts again.
const MOST_BYTES: usize = 1 << 24;

/// One move of a tree: what it becomes.
#[derive(Clone, Copy, Debug)]
struct Move {
    label: Label,
    weight: u32,
    /// Its trees in the list beside.
    first: u32,
    end: u32,
}

/// Moves of trees.
#[derive(Debug, Default)]
struct Moves {
    list: Vec<Move>,
    trees: Vec<TreeId>,
}

impl Moves {
    fn clear(&mut self) {
        self.list.clear();
        self.trees.clear();
    }

    fn bytes(&self) -> usize {
        self.trees.len() * size_of::<TreeId>() + self.list.len() * size_of::<Move>()
    }

    /// Adds a move of the tree whose moves began at `start`; equal ones are counted together.
    fn add(&mut self, start: usize, label: Label, weight: u32, result: &[TreeId]) {
        let trees = &self.trees;
        let equal = self.list[start..].iter_mut().find(|other| {
            other.label == label && trees[other.first as usize..other.end as usize] == *result
        });
        if let Some(equal) = equal {
            equal.weight += weight;
            return;
        }
        let first = self.trees.len() as u32;
        self.trees.extend_from_slice(result);
        self.list.push(Move { label, weight, first, end: self.trees.len() as u32 });
    }
}

/// What a thread of the search knows of a tree.
#[derive(Clone, Copy)]
struct Known {
    rank: u64,
    /// Where its moves are, or [`NOWHERE`].
    moves: (u32, u32),
}

const NOWHERE: (u32, u32) = (u32::MAX, 0);

/// A local net.
#[derive(Clone, Copy)]
pub struct TreeMovesModel<'n> {
    net: &'n Net,
    base: NetModel<'n>,
    keys: NetCanonizer<'n>,
    table: &'n TreeTable,
    inspects: bool,
}

/// Memory of one thread of the search.
pub struct TreeMovesWorker {
    base: NetWorker,
    keys: CanonWorker,
    marking: Marking,
    successors: Successors<Marking>,
    key: Vec<u8>,
    /// By number.
    known: Vec<Known>,
    kept: Moves,
    result: Vec<TreeId>,
}

impl TreeMovesWorker {
    /// Takes note of the trees that others have found.
    #[cold]
    fn catch_up(&mut self, table: &TreeTable) {
        let trees = table.read();
        for tree in self.known.len()..trees.len() {
            let rank = rank(trees.key(tree as TreeId));
            self.known.push(Known { rank, moves: NOWHERE });
        }
    }

    #[inline]
    fn place(&self, tree: TreeId) -> (u64, TreeId) {
        (self.known[tree as usize].rank, tree)
    }
}

impl<'n> TreeMovesModel<'n> {
    /// The net must be local under Ω*.
    pub fn new(net: &'n Net, relations: Relations, table: &'n TreeTable) -> TreeMovesModel<'n> {
        let (base, keys) = (NetModel::new(net, relations), NetCanonizer::new(net, relations));
        let inspects = !net.properties.is_empty() || net.finals.is_some();
        TreeMovesModel { net, base, keys, table, inspects }
    }

    /// Fires what a marking, given by its canonical form in `worker.key`, enables.
    fn fire(&self, worker: &mut TreeMovesWorker) -> Result<(), Failure> {
        let TreeMovesWorker { base, keys, marking, successors, key, .. } = worker;
        self.keys.decode(keys, key, marking);
        successors.clear();
        self.base.successors(base, marking, successors)
    }

    /// Finds and keeps the moves of a tree.
    #[cold]
    fn find_moves(&self, worker: &mut TreeMovesWorker, tree: TreeId) -> Result<(), Failure> {
        if worker.kept.bytes() > MOST_BYTES {
            worker.kept.clear();
            worker.known.iter_mut().for_each(|known| known.moves = NOWHERE);
        }
        worker.key.clear();
        put(&mut worker.key, 1);
        worker.key.extend_from_slice(self.table.read().key(tree));
        self.fire(worker)?;
        let start = worker.kept.list.len();
        for index in 0..worker.successors.len() {
            let TreeMovesWorker { keys, successors, key, kept, result, .. } = &mut *worker;
            self.keys.key(keys, successors.state(index), key)?;
            result.clear();
            each_tree(&self.net.places, key, |tree| result.push(self.table.number(tree)));
            kept.add(start, successors.label(index), successors.weight(index), result);
        }
        worker.catch_up(self.table);
        let moves = (start as u32, worker.kept.list.len() as u32);
        worker.known[tree as usize].moves = moves;
        Ok(())
    }

    /// The successors of a marking that is one tree.
    fn moves_alone(
        &self,
        worker: &mut TreeMovesWorker,
        forest: &Forest,
        out: &mut Successors<Forest>,
    ) -> Result<(), Failure> {
        worker.key.clear();
        put(&mut worker.key, forest.len() as u64);
        worker.key.extend_from_slice(&forest.alone);
        self.fire(worker)?;
        let TreeMovesWorker { keys, successors, key, .. } = worker;
        for index in 0..successors.len() {
            self.keys.key(keys, successors.state(index), key)?;
            let slot = out.push_weighted(successors.label(index), successors.weight(index));
            read_canonical(self.net, self.table, key, slot);
        }
        Ok(())
    }

    /// Appends what becomes of a marking when one of `copies` equal trees moves.
    #[inline]
    fn apply(
        &self,
        worker: &TreeMovesWorker,
        forest: &Forest,
        at: usize,
        copies: u32,
        out: &mut Successors<Forest>,
    ) {
        let (start, end) = worker.known[forest.numbers[at] as usize].moves;
        for m in &worker.kept.list[start as usize..end as usize] {
            let slot = out.push_weighted(m.label, m.weight * copies);
            slot.clear();
            slot.numbers.extend_from_slice(&forest.numbers[..at]);
            slot.numbers.extend_from_slice(&forest.numbers[at + 1..]);
            for &result in &worker.kept.trees[m.first as usize..m.end as usize] {
                let place = worker.place(result);
                let before = |&other: &TreeId| worker.place(other) < place;
                slot.numbers.insert(slot.numbers.partition_point(before), result);
            }
            if let [tree] = slot.numbers[..] {
                slot.numbers.clear();
                slot.alone.extend_from_slice(self.table.read().key(tree));
            }
        }
    }
}

impl Model for TreeMovesModel<'_> {
    type State = Forest;
    type Worker = TreeMovesWorker;

    fn worker(&self) -> TreeMovesWorker {
        TreeMovesWorker {
            base: self.base.worker(),
            keys: self.keys.worker(),
            marking: Marking::default(),
            successors: Successors::new(),
            key: Vec::new(),
            known: Vec::new(),
            kept: Moves::default(),
            result: Vec::new(),
        }
    }

    fn allow(&self, worker: &mut TreeMovesWorker, budget: &Budget) {
        self.base.allow(&mut worker.base, budget);
        self.keys.allow(&mut worker.keys, budget);
    }

    fn initial(
        &self,
        worker: &mut TreeMovesWorker,
        out: &mut Successors<Forest>,
    ) -> Result<(), Failure> {
        let TreeMovesWorker { base, keys, successors, key, .. } = worker;
        successors.clear();
        self.base.initial(base, successors)?;
        for index in 0..successors.len() {
            self.keys.key(keys, successors.state(index), key)?;
            read_canonical(self.net, self.table, key, out.push(successors.label(index)));
        }
        Ok(())
    }

    fn successors(
        &self,
        worker: &mut TreeMovesWorker,
        forest: &Forest,
        out: &mut Successors<Forest>,
    ) -> Result<(), Failure> {
        let trees = &forest.numbers;
        if trees.is_empty() {
            return self.moves_alone(worker, forest, out);
        }
        if trees.iter().any(|&tree| tree as usize >= worker.known.len()) {
            worker.catch_up(self.table);
        }
        let mut at = 0;
        while at < trees.len() {
            let copies = trees[at..].iter().take_while(|&&other| other == trees[at]).count();
            if worker.known[trees[at] as usize].moves == NOWHERE {
                self.find_moves(worker, trees[at])?;
            }
            self.apply(worker, forest, at, copies as u32, out);
            at += copies;
        }
        Ok(())
    }

    fn inspect(&self, worker: &mut TreeMovesWorker, forest: &Forest) -> Result<u64, Failure> {
        if !self.inspects {
            return Ok(0);
        }
        let TreeMovesWorker { base, keys, marking, key, .. } = worker;
        write_canonical(&self.table.read(), forest, key);
        self.keys.decode(keys, key, marking);
        self.base.inspect(base, marking)
    }
}
