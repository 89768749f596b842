//! Keys of markings that are lists of trees.
//!
//! Within a process the numbers of the trees say it all. Processes that search together number their trees
//! each by itself, so their keys hold the trees' bytes: the canonical form of
//! [`NetCanonizer`](crate::net::NetCanonizer).

use super::forest::Forest;
use super::table::{TreeTable, each_tree, rank};
use crate::net::canon::bytes::{KeyReader, put};
use crate::net::compiled::Net;
use crate::search::{ArenaStore, Canonizer, Failure};

/// The canonizer of [`Forest`]s.
#[derive(Clone, Copy)]
pub struct TreeKeys<'t> {
    /// The net.
    pub net: &'t Net,
    /// Where the trees are.
    pub table: &'t TreeTable,
    /// Whether other processes must understand the keys.
    pub portable: bool,
}

impl Canonizer<Forest> for TreeKeys<'_> {
    type Worker = ();

    fn worker(&self) {}

    #[inline]
    fn key(&self, _: &mut (), forest: &Forest, key: &mut Vec<u8>) -> Result<(), Failure> {
        match self.portable {
            true => write_canonical(&self.table.read(), forest, key),
            false => write_numbers(forest, key),
        }
        Ok(())
    }

    #[inline]
    fn decode(&self, _: &mut (), key: &[u8], forest: &mut Forest) {
        match self.portable {
            true => read_canonical(self.net, self.table, key, forest),
            false => read_numbers(key, forest),
        }
    }
}

/// Writes the number of trees and the trees' numbers, or the only tree, over `key`.
#[inline]
pub fn write_numbers(forest: &Forest, key: &mut Vec<u8>) {
    key.clear();
    put(key, forest.len() as u64);
    key.extend_from_slice(&forest.alone);
    forest.numbers.iter().for_each(|&tree| put(key, tree.into()));
}

/// The inverse of [`write_numbers`].
#[inline]
pub fn read_numbers(key: &[u8], forest: &mut Forest) {
    forest.clear();
    let mut reader = KeyReader(key);
    match reader.get() {
        0 | 1 => forest.alone.extend_from_slice(reader.0),
        many => forest.numbers.extend((0..many).map(|_| reader.get() as u32)),
    }
}

/// Writes the canonical form over `key`: the trees in the order of their bytes.
pub fn write_canonical(trees: &ArenaStore, forest: &Forest, key: &mut Vec<u8>) {
    key.clear();
    put(key, forest.len() as u64);
    key.extend_from_slice(&forest.alone);
    let mut sorted: Vec<&[u8]> = forest.numbers.iter().map(|&tree| trees.key(tree)).collect();
    sorted.sort_unstable();
    sorted.iter().for_each(|tree| key.extend_from_slice(tree));
}

/// The inverse of [`write_canonical`]; gives numbers to trees that have none.
pub fn read_canonical(net: &Net, table: &TreeTable, key: &[u8], forest: &mut Forest) {
    forest.clear();
    let mut reader = KeyReader(key);
    if reader.get() < 2 {
        forest.alone.extend_from_slice(reader.0);
        return;
    }
    let mut ranked = Vec::new();
    each_tree(&net.places, key, |tree| ranked.push((rank(tree), table.number(tree))));
    ranked.sort_unstable();
    forest.numbers.extend(ranked.iter().map(|&(_, tree)| tree));
}
