//! Markings as relational structures: what Ω* can see of a state, and nothing else.
//!
//! A thread is an element, not a pid. The relations kept are links (spec: "quadratic arcs are
//! avoidable"): to the parent or nearest present ancestor, to the nearest present elder sibling,
//! and from an active thread to its youngest present child, with a flag whether its next child
//! would follow that one immediately. They are all that Definition 1 of SACS'10 preserves in a
//! consistent state, and they can be kept up to date when threads are created, end and vanish, so
//! the search never builds a pid. Tokens lie place after place in one array of words.

use pidlab_core::{Relation, Relations};

/// Number of a thread within a marking.
pub type Element = u32;

/// "No such element" in links.
pub const NONE: Element = u32::MAX;

/// One thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Parent or nearest present ancestor.
    pub up: Element,
    /// Nearest present elder sibling.
    pub elder: Element,
    /// Youngest present child; of active threads only.
    pub youngest: Element,
    pub flags: u8,
    /// Which tree of the key that the marking comes from; [`NO_TREE`] if it comes from none.
    pub tree: u8,
}

/// See [`Thread::tree`].
pub const NO_TREE: u8 = u8::MAX;

/// The thread is active.
pub const ACTIVE: u8 = 1;
/// `up` is the parent.
pub const CHILD: u8 = 2;
/// `elder` was created immediately before this thread.
pub const ADJACENT: u8 = 4;
/// The next child of this thread will follow `youngest` immediately.
pub const NEXT_ADJACENT: u8 = 8;

impl Thread {
    pub const NEW: Thread =
        Thread { up: NONE, elder: NONE, youngest: NONE, flags: ACTIVE, tree: NO_TREE };

    pub fn is_active(&self) -> bool {
        self.flags & ACTIVE != 0
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// The thread that this one hangs below where sibling relations are seen: chains of siblings hang below
    /// their first, whose ancestor is that of all of them.
    #[inline]
    pub fn above(&self) -> Element {
        if self.elder != NONE { self.elder } else { self.up }
    }

    /// What a set of relations sees of the links: as if only those had been kept.
    #[inline]
    pub fn seen_through(&self, relations: Relations) -> Thread {
        let sees = |relation| relations.contains(relation);
        let mut seen = *self;
        let (near, far) = (sees(Relation::Parent), sees(Relation::Ancestor));
        seen.mask_link(near, far, CHILD, |t| &mut t.up);
        let (near, far) = (sees(Relation::AdjacentSibling), sees(Relation::ElderSibling));
        seen.mask_link(near, far, ADJACENT, |t| &mut t.elder);
        seen.mask_link(near, far, NEXT_ADJACENT, |t| &mut t.youngest);
        seen
    }

    fn mask_link(
        &mut self,
        near: bool,
        far: bool,
        flag: u8,
        link: fn(&mut Thread) -> &mut Element,
    ) {
        let seen = far || near && self.has(flag);
        if !seen {
            *link(self) = NONE;
        }
        if !near || *link(self) == NONE {
            self.flags &= !flag;
        }
    }
}

/// The tokens in the words of a place. Unlike `chunks_exact` it does not divide.
#[derive(Clone, Copy)]
pub struct PlaceTokens<'m> {
    words: &'m [u32],
    width: usize,
}

impl<'m> PlaceTokens<'m> {
    #[inline]
    pub fn new(words: &'m [u32], width: usize) -> PlaceTokens<'m> {
        PlaceTokens { words, width }
    }
}

impl<'m> Iterator for PlaceTokens<'m> {
    type Item = &'m [u32];

    #[inline]
    fn next(&mut self) -> Option<&'m [u32]> {
        let (token, rest) = self.words.split_at_checked(self.width)?;
        self.words = rest;
        Some(token)
    }
}

impl DoubleEndedIterator for PlaceTokens<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let at = self.words.len().checked_sub(self.width)?;
        let (rest, token) = self.words.split_at(at);
        self.words = rest;
        Some(token)
    }
}

/// A marking: threads and tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marking {
    pub(crate) threads: Vec<Thread>,
    /// Where the words of each place begin; one more entry than there are places.
    pub(crate) starts: Vec<u32>,
    pub(crate) words: Vec<u32>,
    pub(crate) origin: Origin,
    /// Of a marking decoded from the key of a forest: how many threads symmetry maps each thread to,
    /// itself included; 0 where a sibling stands for it. Empty: not known.
    pub(crate) orbits: Vec<u32>,
}

/// What a canoniser may know of a marking already: the key it was decoded from, and which trees of
/// that key have been touched since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Number of the decoding; 0: none.
    pub serial: u64,
    /// One bit a tree.
    pub touched: u64,
}

impl Marking {
    /// Notes that something about a thread changes.
    #[inline]
    pub(crate) fn touch(&mut self, thread: Element) {
        match self.threads[thread as usize].tree {
            tree @ 0..64 => self.origin.touched |= 1 << tree,
            _ => self.origin = Origin::default(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.origin = Origin::default();
        self.orbits.clear();
        self.threads.clear();
        self.starts.clear();
        self.words.clear();
    }

    pub(crate) fn copy_from(&mut self, other: &Marking) {
        self.threads.clone_from(&other.threads);
        self.starts.clone_from(&other.starts);
        self.words.clone_from(&other.words);
        self.origin = other.origin;
        self.orbits.clear();
    }

    /// All words of a place.
    #[inline]
    pub(crate) fn place(&self, place: usize) -> &[u32] {
        &self.words[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// Removes a token of a place.
    pub(crate) fn remove(&mut self, place: usize, start: usize, width: usize) {
        self.words.copy_within(start + width.., start);
        self.words.truncate(self.words.len() - width);
        for start in &mut self.starts[place + 1..] {
            *start -= width as u32;
        }
    }

    /// Makes room for a token at the end of a place; its words are whatever they are.
    pub(crate) fn make_room(&mut self, place: usize, width: usize) -> &mut [u32] {
        let (at, end) = (self.starts[place + 1] as usize, self.words.len());
        self.words.resize(end + width, 0);
        self.words.copy_within(at..end, at + width);
        for start in &mut self.starts[place + 1..] {
            *start += width as u32;
        }
        &mut self.words[at..at + width]
    }

    /// Puts the tokens of each place, whose widths are given, in order: equal ones stand together.
    pub(crate) fn sort_tokens(&mut self, widths: impl Iterator<Item = usize>) {
        for (bounds, width) in self.starts.windows(2).zip(widths) {
            let words = &mut self.words[bounds[0] as usize..bounds[1] as usize];
            let mut tokens: Vec<&[u32]> = words.chunks_exact(width).collect();
            tokens.sort_unstable();
            let sorted = tokens.concat();
            words.copy_from_slice(&sorted);
        }
    }

    /// Whether a relation holds between two threads; it must be one of those kept.
    pub(crate) fn related(&self, relation: Relation, x: Element, y: Element) -> bool {
        let thread = |e: Element| &self.threads[e as usize];
        match relation {
            Relation::Parent => thread(y).up == x && thread(y).has(CHILD),
            Relation::AdjacentSibling => thread(y).elder == x && thread(y).has(ADJACENT),
            Relation::Ancestor => self.reaches(y, x, |t| t.up),
            Relation::ElderSibling => self.reaches(y, x, |t| t.elder),
        }
    }

    fn reaches(&self, from: Element, to: Element, link: fn(&Thread) -> Element) -> bool {
        let mut at = link(&self.threads[from as usize]);
        while at != NONE && at != to {
            at = link(&self.threads[at as usize]);
        }
        at == to && at != NONE
    }

    /// A new child of an active thread.
    pub(crate) fn create(&mut self, parent: Element, kept: Relations) -> Element {
        let child = self.threads.len() as Element;
        let creator = &mut self.threads[parent as usize];
        let mut thread = Thread::NEW;
        thread.up = parent;
        thread.elder = creator.youngest;
        thread.flags |= CHILD;
        thread.tree = creator.tree;
        if creator.has(NEXT_ADJACENT) {
            thread.flags |= ADJACENT;
        }
        creator.youngest = child;
        creator.flags |= NEXT_ADJACENT;
        *creator = creator.seen_through(kept);
        self.threads.push(thread.seen_through(kept));
        child
    }

    /// The thread is no longer active; it stays as long as a token holds it.
    pub(crate) fn end(&mut self, thread: Element) {
        let thread = &mut self.threads[thread as usize];
        thread.flags &= !(ACTIVE | NEXT_ADJACENT);
        thread.youngest = NONE;
    }

    /// Removes the links to a thread that vanishes: they go on to the next one present.
    pub(crate) fn unlink(&mut self, gone: Element, kept: Relations) {
        let Thread { up, elder, .. } = self.threads[gone as usize];
        for thread in &mut self.threads {
            if thread.up != gone && thread.elder != gone && thread.youngest != gone {
                continue;
            }
            let mut touched = false;
            for (link, beyond, flag) in [
                (&mut thread.up, up, CHILD),
                (&mut thread.elder, elder, ADJACENT),
                (&mut thread.youngest, elder, NEXT_ADJACENT),
            ] {
                if *link == gone {
                    *link = beyond;
                    thread.flags &= !flag;
                    touched = true;
                }
            }
            if touched {
                *thread = thread.seen_through(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn family(kept: Relations) -> Marking {
        let mut marking = Marking { threads: vec![Thread::NEW], ..Marking::default() };
        for parent in [0, 0, 0, 2] {
            marking.create(parent, kept);
        }
        marking
    }

    #[test]
    fn all_relations_between_creations() {
        let m = family(Relations::ALL);
        assert!(m.related(Relation::Parent, 0, 2) && !m.related(Relation::Parent, 0, 4));
        assert!(m.related(Relation::Ancestor, 0, 4) && !m.related(Relation::Ancestor, 1, 4));
        assert!(m.related(Relation::AdjacentSibling, 1, 2));
        assert!(!m.related(Relation::AdjacentSibling, 1, 3));
        assert!(
            m.related(Relation::ElderSibling, 1, 3) && !m.related(Relation::ElderSibling, 3, 1)
        );
    }

    #[test]
    fn links_pass_over_the_vanished() {
        let mut m = family(Relations::ALL);
        m.unlink(2, Relations::ALL);
        assert!(m.related(Relation::ElderSibling, 1, 3));
        assert!(!m.related(Relation::AdjacentSibling, 1, 3));
        assert!(m.related(Relation::Ancestor, 0, 4) && !m.related(Relation::Parent, 0, 4));
        m.unlink(3, Relations::ALL);
        assert_eq!(m.threads[0].youngest, 1);
        assert!(!m.threads[0].has(NEXT_ADJACENT));
    }

    #[test]
    fn only_what_is_kept_is_seen() {
        let adjacent = Relations::NONE.with(Relation::AdjacentSibling);
        let mut m = family(adjacent);
        assert_eq!(m.threads[2].up, NONE);
        m.unlink(3, adjacent);
        assert_eq!(m.threads[0].youngest, NONE);
        assert_eq!(family(Relations::NONE).threads, [Thread::NEW; 5]);
    }
}
