//! The canonical forms that a search of a net has found.

use super::forest::Forest;
use super::keys::{read_canonical, read_numbers, write_canonical, write_numbers};
use super::table::TreeTable;
use crate::net::compiled::Net;
use crate::search::{ArenaStore, Id, Store, key_hash};

/// Canonical forms by number.
pub struct Classes {
    store: ArenaStore,
    /// The trees, if the store holds their numbers.
    trees: Option<TreeTable>,
}

impl Classes {
    /// The forms as they are in the store.
    pub(crate) fn plain(store: ArenaStore) -> Classes {
        Classes { store, trees: None }
    }

    /// The store holds numbers of trees.
    pub(crate) fn of_trees(store: ArenaStore, trees: TreeTable) -> Classes {
        Classes { store, trees: Some(trees) }
    }

    /// Writes the canonical form of a class over `form`.
    pub fn read(&self, class: Id, form: &mut Vec<u8>) {
        self.store.read(class, form);
        if let Some(trees) = &self.trees {
            let mut forest = Forest::default();
            read_numbers(form, &mut forest);
            write_canonical(&trees.read(), &forest, form);
        }
    }

    /// The class with a canonical form.
    pub fn find(&self, net: &Net, form: &[u8]) -> Option<Id> {
        let Some(trees) = &self.trees else { return self.store.find(form, key_hash(form)) };
        let (mut forest, mut key) = (Forest::default(), Vec::new());
        read_canonical(net, trees, form, &mut forest);
        write_numbers(&forest, &mut key);
        self.store.find(&key, key_hash(&key))
    }
}
