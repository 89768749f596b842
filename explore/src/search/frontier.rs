//! What a depth-first search has open: all successors not yet looked at, or one state a level.
//!
//! [`Stack`] keeps siblings and generates nothing twice. [`Levels`] keeps one state per open level and
//! has the successors of the last few only: for models whose steps are cheap and whose searches go
//! deep. Slots keep their memory in both.

use super::model::{Successors, Tag};
use super::store::Id;

/// A state whose successors are partly on the stack.
pub struct Frame {
    pub id: Id,
    pub open: usize,
    /// Where its targets begin.
    pub targets: usize,
}

/// An open state of a search that keeps one per level.
pub struct Level {
    pub id: Id,
    /// The next successor to look at, and how many there are.
    pub next: usize,
    pub count: usize,
    /// Where its targets begin.
    pub targets: usize,
}

/// Levels whose successors are kept for the way back: most ways back are short.
const KEPT_LEVELS: usize = 64;

/// Open states from the initial one down; slots above the top keep their memory.
pub struct Levels<T> {
    levels: Vec<Level>,
    slots: Vec<T>,
    /// Successors of the last levels, with the number of the state that they belong to.
    kept: Vec<(Option<Id>, Successors<T>)>,
}

impl<T: Default> Default for Levels<T> {
    fn default() -> Levels<T> {
        let kept = (0..KEPT_LEVELS).map(|_| (None, Successors::new())).collect();
        Levels { levels: Vec::new(), slots: Vec::new(), kept }
    }
}

impl<T: Default> Levels<T> {
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    pub fn push(&mut self, id: Id, targets: usize) -> &mut T {
        let top = self.levels.len();
        self.levels.push(Level { id, next: 0, count: 0, targets });
        if top == self.slots.len() {
            self.slots.push(T::default());
        }
        &mut self.slots[top]
    }

    pub fn top(&mut self) -> (&mut Level, &mut T) {
        let top = self.levels.len() - 1;
        (&mut self.levels[top], &mut self.slots[top])
    }

    /// Where the successors of the state on top are kept.
    fn place(&self) -> usize {
        (self.levels.len() - 1) % KEPT_LEVELS
    }

    /// Keeps the successors of the state on top.
    pub fn keep(&mut self, id: Id, successors: &mut Successors<T>) {
        let place = self.place();
        self.kept[place].0 = Some(id);
        std::mem::swap(&mut self.kept[place].1, successors);
    }

    /// The successors of the state on top, if they are still there.
    pub fn kept(&self, id: Id) -> Option<&Successors<T>> {
        let (of, successors) = &self.kept[self.place()];
        (*of == Some(id)).then_some(successors)
    }

    /// Opens a level for one of the kept successors of the state on top.
    pub fn descend(&mut self, id: Id, targets: usize, index: usize) {
        let place = self.place();
        let mut state = T::default();
        self.kept[place].1.swap(index, &mut state);
        std::mem::swap(self.push(id, targets), &mut state);
        // the slot's old memory is of use to the list
        self.kept[place].1.swap(index, &mut state);
    }

    pub fn pop(&mut self) {
        self.levels.pop();
    }

    pub fn bytes(&self) -> u64 {
        (self.slots.capacity() * size_of::<T>() + self.levels.capacity() * size_of::<Level>())
            as u64
    }
}

/// Successors not yet looked at; slots above the top keep their memory.
pub struct Stack<T> {
    slots: Vec<T>,
    tags: Vec<Tag>,
}

impl<T> Default for Stack<T> {
    fn default() -> Stack<T> {
        Stack { slots: Vec::new(), tags: Vec::new() }
    }
}

impl<T: Default> Stack<T> {
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Last successor first, so that the first one is popped first.
    pub fn push_all(&mut self, successors: &mut Successors<T>) {
        for index in (0..successors.len()).rev() {
            let top = self.tags.len();
            if top == self.slots.len() {
                self.slots.push(T::default());
            }
            successors.swap(index, &mut self.slots[top]);
            self.tags.push(successors.tag(index));
        }
    }

    pub fn pop(&mut self, state: &mut T) -> Option<Tag> {
        let tag = self.tags.pop()?;
        std::mem::swap(state, &mut self.slots[self.tags.len()]);
        Some(tag)
    }

    pub fn bytes(&self) -> u64 {
        (self.slots.capacity() * size_of::<T>() + self.tags.capacity() * size_of::<Tag>()) as u64
    }
}
