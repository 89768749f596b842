//! The trees of a search, each once, with a number.
//!
//! Numbers depend on which thread of a search is faster, so nothing else may: trees are ordered by a
//! hash of what they are, and by number only where two trees have the same hash. Cost: the threads of
//! a search share one lock, which they take for trees that they have not met before.

use crate::net::canon::bytes::KeyReader;
use crate::net::canon::forest::skip_tree;
use crate::net::compiled::Place;
use crate::search::{ArenaStore, Id, Store, key_hash};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// A tree of a [`TreeTable`].
pub type TreeId = Id;

/// Trees by number; shared by the threads of a search.
#[derive(Default)]
pub struct TreeTable(RwLock<ArenaStore>);

impl TreeTable {
    /// The trees, for as long as the guard lives.
    pub fn read(&self) -> RwLockReadGuard<'_, ArenaStore> {
        // a thread that panicked has added a tree or has not
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a tree.
    pub fn number(&self, tree: &[u8]) -> TreeId {
        let hash = key_hash(tree);
        if let Some(known) = self.read().find(tree, hash) {
            return known;
        }
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(tree, hash).0
    }

    /// Bytes of the trees, and bytes for finding them.
    pub fn bytes(&self) -> (u64, u64) {
        let trees = self.read();
        (trees.key_bytes(), trees.index_bytes())
    }
}

/// What trees are ordered by.
pub fn rank(tree: &[u8]) -> u64 {
    key_hash(tree)
}

/// Calls `visit` with each tree of a canonical form.
pub fn each_tree<'k>(places: &[Place], key: &'k [u8], mut visit: impl FnMut(&'k [u8])) {
    let mut reader = KeyReader(key);
    for _ in 0..reader.get() {
        let rest = reader.0;
        skip_tree(places, &mut reader);
        visit(&rest[..rest.len() - reader.0.len()]);
    }
}
