//! What a depth-first search has open: all successors not yet looked at, or one state a level.
//!
//! [`Stack`] keeps siblings and generates nothing twice. [`Levels`] keeps the state on top and what leads back from
//! it: words where a step is told by what changes, a state where it is not. Siblings told by what changes wait,
//! whole ones are kept for the last few levels only: for models whose steps are cheap and whose searches
//! go deep. Slots keep their memory in both.

use super::model::{Change, Model, Successors, Tag};
use super::store::Id;

/// A state whose successors are partly on the stack.
pub struct Frame {
    pub id: Id,
    pub open: usize,
    /// Where its targets begin.
    pub targets: usize,
}

/// An open state of a search that keeps only the one on top.
pub struct Level {
    pub id: Id,
    /// Where its targets begin.
    pub targets: usize,
    /// The next successor to look at, and how many there are.
    next: usize,
    count: usize,
    /// Where its successors wait, tags and changes, if all are told by what changes.
    waiting: Option<(usize, usize)>,
    /// Where what takes its changes back begins; `None`: the state before is kept.
    undo: Option<usize>,
}

/// Levels whose successors are kept for the way back as whole states: most ways back are short.
const KEPT_LEVELS: usize = 64;

/// Open states from the initial one down: the one on top, and what leads back from it.
pub struct Levels<T> {
    /// The state on top.
    pub state: T,
    levels: Vec<Level>,
    /// What takes the changes of all levels back.
    undo: Vec<Change>,
    /// What would make them again, which nobody asks for.
    unused: Vec<Change>,
    /// States before steps that are not told by what changes; slots above the top keep their memory.
    before: Vec<T>,
    steps: usize,
    /// Successors of open levels, told by what changes.
    tags: Vec<Tag>,
    changes: Vec<Change>,
    /// Successors of the last levels, with the number of the state that they belong to.
    kept: Vec<(Option<Id>, Successors<T>)>,
}

impl<T: Default> Default for Levels<T> {
    fn default() -> Levels<T> {
        let kept = (0..KEPT_LEVELS).map(|_| (None, Successors::new())).collect();
        let (levels, undo, unused, before, tags, changes) = Default::default();
        Levels { state: T::default(), levels, undo, unused, before, steps: 0, tags, changes, kept }
    }
}

impl<T: Clone + Default> Levels<T> {
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Opens a level for a state that `put` exchanges for the one on top.
    pub fn enter(&mut self, id: Id, targets: usize, put: impl FnOnce(&mut T)) {
        if self.steps == self.before.len() {
            self.before.push(T::default());
        }
        std::mem::swap(&mut self.before[self.steps], &mut self.state);
        self.steps += 1;
        put(&mut self.state);
        self.push(id, targets, None);
    }

    fn push(&mut self, id: Id, targets: usize, undo: Option<usize>) {
        self.levels.push(Level { id, targets, next: 0, count: 0, waiting: None, undo });
    }

    /// The next successor of the state on top, how many it has, and its number.
    #[inline]
    pub fn turn(&self) -> (usize, usize, Id) {
        let top = &self.levels[self.levels.len() - 1];
        (top.next, top.count, top.id)
    }

    /// Takes the next successor of the state on top.
    #[inline]
    pub fn take(&mut self) -> Tag {
        let place = self.place();
        let top = self.levels.len() - 1;
        let level = &mut self.levels[top];
        let index = level.next;
        level.next += 1;
        match level.waiting {
            Some((tags, _)) => self.tags[tags + index],
            None => self.kept[place].1.tag(index),
        }
    }

    /// Keeps the successors of the state on top.
    pub fn keep(&mut self, successors: &mut Successors<T>) {
        let top = self.levels.len() - 1;
        self.levels[top].count = successors.len();
        if !successors.all_by_changes() {
            return self.keep_whole(self.levels[top].id, successors);
        }
        let by = self.changes.len();
        self.levels[top].waiting = Some((self.tags.len(), by));
        self.tags.extend((0..successors.len()).map(|index| successors.tag(index).moved(by)));
        self.changes.extend_from_slice(successors.all_changes());
    }

    /// Those of the state on top that are left, if they wait.
    #[inline]
    pub fn waiting(&self) -> Option<(&[Tag], &[Change])> {
        let top = &self.levels[self.levels.len() - 1];
        top.waiting.map(|(tags, _)| (&self.tags[tags + top.next..], &self.changes[..]))
    }

    /// Where the successors of the state on top are kept.
    fn place(&self) -> usize {
        (self.levels.len() - 1) % KEPT_LEVELS
    }

    /// Keeps the successors of the state on top for as long as there is room.
    pub fn keep_whole(&mut self, id: Id, successors: &mut Successors<T>) {
        let place = self.place();
        self.kept[place].0 = Some(id);
        std::mem::swap(&mut self.kept[place].1, successors);
    }

    /// The successors of the state on top, if they are still there.
    pub fn kept(&self, id: Id) -> Option<&Successors<T>> {
        let (of, successors) = &self.kept[self.place()];
        (*of == Some(id)).then_some(successors)
    }

    /// Opens a level for a successor of the state on top.
    pub fn descend<M: Model<State = T>>(
        &mut self,
        model: &M,
        id: Id,
        targets: usize,
        tag: Tag,
        index: usize,
    ) {
        let place = self.place();
        let is_waiting = self.levels[self.levels.len() - 1].waiting.is_some();
        let all = if is_waiting { &self.changes[..] } else { self.kept[place].1.all_changes() };
        if let Some(changes) = tag.changes(all) {
            let undo = self.undo.len();
            model.change(&mut self.state, changes, &mut self.undo);
            return self.push(id, targets, Some(undo));
        }
        let mut state = T::default();
        self.kept[place].1.swap(index, &mut state);
        self.enter(id, targets, |slot| std::mem::swap(slot, &mut state));
        // the slot's old memory is of use to the list
        self.kept[place].1.swap(index, &mut state);
    }

    /// Goes back to the state below.
    pub fn pop<M: Model<State = T>>(&mut self, model: &M) -> Option<Level> {
        let level = self.levels.pop()?;
        match level.undo {
            Some(undo) => {
                self.undo[undo..].reverse();
                self.unused.clear();
                model.change(&mut self.state, &self.undo[undo..], &mut self.unused);
                self.undo.truncate(undo);
            }
            None => {
                self.steps -= 1;
                std::mem::swap(&mut self.before[self.steps], &mut self.state);
            }
        }
        if let Some((tags, changes)) = level.waiting {
            self.tags.truncate(tags);
            self.changes.truncate(changes);
        }
        Some(level)
    }

    pub fn bytes(&self) -> u64 {
        let changes = self.undo.capacity() + self.changes.capacity();
        (self.before.capacity() * size_of::<T>()
            + self.levels.capacity() * size_of::<Level>()
            + changes * size_of::<Change>()
            + self.tags.capacity() * size_of::<Tag>()) as u64
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
