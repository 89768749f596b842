//! A marking as a list of trees.
//!
//! One tree alone is kept as its bytes: in nets that live in one tree every marking would be a number
//! of its own, and its bytes would be stored twice.

use super::table::TreeId;

/// The trees of a marking.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    /// Two or more trees, ordered by rank and number; empty if there are fewer.
    pub numbers: Vec<TreeId>,
    /// The only tree; empty if there is none, or more than one.
    pub alone: Vec<u8>,
}

impl Forest {
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.alone.clear();
    }

    /// How many trees there are.
    pub fn len(&self) -> usize {
        match self.numbers.len() {
            0 => usize::from(!self.alone.is_empty()),
            many => many,
        }
    }
}
