//! Canonical order of forests: after Aho, Hopcroft and Ullman (1974), section 3.2, with hashes.
//!
//! A thread's code hashes its tokens (without the pid, in any order) and the codes of the threads
//! below it. Brothers are ordered by code; equal codes are compared in depth, so the order rests on
//! no hash. A tree is written depth first; the key is the trees, sorted as bytes. One backward pass
//! computes codes and sorts: a thread comes after those above it, and the siblings of a decoded
//! marking come in order but for the few that a transition touched, so each goes to the front of its
//! list at once. A successor of the marking decoded last takes the trees that the transition did not
//! touch from the key of that marking.
//!
//! Sibling relations make chains of siblings. A chain hangs below its first thread, each of its threads below the
//! next elder one, so that it is a forest still; a thread's head says by which kind of link it hangs, and
//! whether it is the youngest child of its parent. Without `parent` and `ancestor` the link from a
//! parent to its youngest child would join two trees: no forest.
//!
//! Cost: O(size) for successors of decoded markings, with a small factor for what was not touched.
//! Weakness: siblings in no order at all cost the square of their number, and equal ones are
//! compared again at every level above them.

mod read;

pub use read::skip_tree;

use super::bytes::{fold, put};
use crate::net::compiled::Place;
use crate::net::marking::{
    ACTIVE, ADJACENT, CHILD, Element, Marking, NEXT_ADJACENT, NONE, PlaceTokens, Thread,
};
use pidlab_budget::{Budget, Exhausted};
use pidlab_core::mix::mix;
use pidlab_core::{Relation, Relations};
use std::cmp::Ordering;

/// Memory of the ordering, reused.
#[derive(Clone, Debug, Default)]
pub struct ForestOrder {
    nodes: Vec<Node>,
    tokens: Vec<TokenRef>,
    sorting: Vec<TokenRef>,
    order: Vec<Element>,
    pairs: Vec<(Element, Element)>,
    stack: Vec<Element>,
    /// First root in order.
    roots: Element,
    /// Whether heads tell links between siblings.
    siblings: bool,
    /// The trees to order; `None`: all.
    touched: Option<u64>,
    /// The key that was decoded last, its number, and where its trees are.
    source: Vec<u8>,
    serial: u64,
    trees: Vec<(u32, u32)>,
    family: read::Family,
    /// Trees written just now, their threads, and where each begins in both.
    bytes: Vec<u8>,
    written: Vec<Element>,
    members: Vec<(u32, u32)>,
    /// The trees of the key in order.
    pieces: Vec<Piece>,
    /// What one order may use.
    pub budget: Budget,
}

/// A tree as bytes: of the key decoded last, or written just now.
#[derive(Clone, Copy, Debug)]
struct Piece {
    kept: bool,
    start: u32,
    end: u32,
}

/// What is known of a thread.
#[derive(Clone, Copy, Debug)]
struct Node {
    code: u64,
    /// The thread that it hangs below.
    up: Element,
    /// First child, and next sibling, in order.
    child: Element,
    sibling: Element,
    /// Its tokens: how many, and the head of a list into `tokens`.
    holds: u32,
    token: u32,
    flags: u8,
}

impl Node {
    #[inline]
    fn new(up: Element, flags: u8) -> Node {
        let code = mix(u64::from(flags), 0xf1a6);
        Node { code, up, child: NONE, sibling: NONE, holds: 0, token: END, flags }
    }
}

/// A token in a list.
#[derive(Clone, Copy, Debug)]
struct TokenRef {
    place: u32,
    start: u32,
    next: u32,
}

/// Hangs below its next elder sibling; with [`ADJACENT`] below the one created immediately before.
const YOUNGER: u8 = 16;
/// Is the youngest present child of its parent; with [`NEXT_ADJACENT`] the next one will follow immediately.
const YOUNGEST: u8 = 32;
/// Flags beyond those that a head has room for.
const LINKS: u8 = ADJACENT | NEXT_ADJACENT | YOUNGER | YOUNGEST;

/// Whether markings whose places hold one pid at most are forests under Ω*.
pub fn sees_forests(relations: Relations) -> bool {
    let above = relations.contains(Relation::Parent) || relations.contains(Relation::Ancestor);
    above || !sees_siblings(relations)
}

/// Whether heads tell links between siblings.
pub fn sees_siblings(relations: Relations) -> bool {
    relations.contains(Relation::AdjacentSibling) || relations.contains(Relation::ElderSibling)
}

const END: u32 = u32::MAX;
/// Two bits of a thread's head byte say how many tokens it holds; this value: the number follows.
const MANY: u64 = 3;

impl ForestOrder {
    pub fn order(&self) -> &[Element] {
        &self.order
    }

    /// Orders the threads and appends the key.
    pub fn write(
        &mut self,
        places: &[Place],
        relations: Relations,
        marking: &Marking,
        key: &mut Vec<u8>,
    ) -> Result<(), Exhausted> {
        let origin = marking.origin;
        let known = origin.serial != 0 && origin.serial == self.serial;
        self.touched = if known { Some(origin.touched) } else { None };
        self.arrange(places, relations, marking)?;
        self.pieces.clear();
        self.pieces.extend(self.trees.iter().enumerate().filter_map(|(tree, &(start, end))| {
            let kept = known && origin.touched >> tree & 1 == 0;
            kept.then_some(Piece { kept, start, end })
        }));
        self.write_trees(places, marking)?;
        put(key, self.pieces.len() as u64);
        for piece in &self.pieces {
            key.extend_from_slice(self.bytes_of(piece));
        }
        write_unowned(places, marking, key);
        Ok(())
    }

    /// Writes the trees at hand and puts each where it belongs among the pieces.
    fn write_trees(&mut self, places: &[Place], marking: &Marking) -> Result<(), Exhausted> {
        self.bytes.clear();
        self.written.clear();
        self.members.clear();
        let mut root = self.roots;
        while root != NONE {
            let (start, first) = (self.bytes.len() as u32, self.written.len() as u32);
            self.write_tree(places, marking, root);
            let piece = Piece { kept: false, start, end: self.bytes.len() as u32 };
            let bytes = self.bytes_of(&piece);
            let at = self.pieces.partition_point(|other| self.bytes_of(other) <= bytes);
            self.pieces.insert(at, piece);
            self.budget.spend((self.pieces.len() - at) as u64)?;
            self.members.push((start, first));
            root = self.nodes[root as usize].sibling;
        }
        if self.touched.is_none() {
            self.note_order();
        }
        self.members.clear();
        Ok(())
    }

    #[inline]
    fn bytes_of(&self, piece: &Piece) -> &[u8] {
        let from = if piece.kept { &self.source } else { &self.bytes };
        &from[piece.start as usize..piece.end as usize]
    }

    /// The threads in the order of the pieces, all of which were written just now.
    fn note_order(&mut self) {
        self.order.clear();
        for piece in &self.pieces {
            let tree = self.members.partition_point(|&(start, _)| start < piece.start);
            let first = self.members[tree].1 as usize;
            let end = self.members.get(tree + 1).map_or(self.written.len(), |m| m.1 as usize);
            self.order.extend_from_slice(&self.written[first..end]);
        }
    }

    /// Depth first, a thread before its children.
    fn write_tree(&mut self, places: &[Place], marking: &Marking, root: Element) {
        let mut bytes = std::mem::take(&mut self.bytes);
        self.stack.clear();
        self.stack.push(root);
        while let Some(thread) = self.stack.pop() {
            self.written.push(thread);
            let node = self.nodes[thread as usize];
            let below = self.stack.len();
            let mut child = node.child;
            while child != NONE {
                self.stack.push(child);
                child = self.nodes[child as usize].sibling;
            }
            let children = (self.stack.len() - below) as u64;
            self.stack[below..].reverse();
            let holds = u64::from(node.holds);
            let flags = u64::from(node.flags & !LINKS);
            put(&mut bytes, children << 4 | holds.min(MANY) << 2 | flags);
            if self.siblings {
                bytes.push(node.flags & LINKS);
            }
            if holds >= MANY {
                put(&mut bytes, holds);
            }
            self.write_tokens(places, marking, node.token, &mut bytes);
        }
        self.bytes = bytes;
    }

    #[inline]
    fn is_at_hand(&self, thread: &Thread) -> bool {
        self.touched.is_none_or(|touched| thread.tree < 64 && touched >> thread.tree & 1 == 1)
    }

    #[inline]
    fn write_tokens(&self, places: &[Place], marking: &Marking, first: u32, key: &mut Vec<u8>) {
        let mut at = first;
        while at != END {
            let token = self.tokens[at as usize];
            let info = &places[token.place as usize];
            put(key, u64::from(token.place));
            let words = &marking.words[token.start as usize..][..info.width];
            for (i, &word) in words.iter().enumerate() {
                if i != info.pids[0] {
                    put(key, fold(word));
                }
            }
            at = token.next;
        }
    }

    fn arrange(
        &mut self,
        places: &[Place],
        relations: Relations,
        marking: &Marking,
    ) -> Result<(), Exhausted> {
        self.see(relations, marking);
        self.list_tokens(places, marking);
        self.sort_long_lists(places, marking);
        self.sort_siblings(places, marking)
    }

    /// The threads as Ω* sees them.
    fn see(&mut self, relations: Relations, marking: &Marking) {
        self.siblings = sees_siblings(relations);
        self.nodes.clear();
        if self.siblings {
            return self.see_chains(relations, marking);
        }
        let far = relations.contains(Relation::Ancestor);
        let near = if relations.contains(Relation::Parent) { CHILD } else { 0 };
        self.nodes.extend(marking.threads.iter().map(|thread| {
            let child = thread.flags & near;
            let up = if far || child != 0 { thread.up } else { NONE };
            Node::new(up, thread.flags & ACTIVE | child)
        }));
    }

    fn see_chains(&mut self, relations: Relations, marking: &Marking) {
        self.nodes.extend(marking.threads.iter().map(|thread| {
            let seen = thread.seen_through(relations);
            let younger = if seen.elder == NONE { 0 } else { YOUNGER };
            Node::new(seen.above(), seen.flags & (ACTIVE | CHILD | ADJACENT) | younger)
        }));
        for thread in &marking.threads {
            let seen = thread.seen_through(relations);
            if seen.youngest != NONE {
                let child = &mut self.nodes[seen.youngest as usize];
                *child = Node::new(child.up, child.flags | YOUNGEST | seen.flags & NEXT_ADJACENT);
            }
        }
    }

    /// Adds every token to the list and the code of its thread.
    fn list_tokens(&mut self, places: &[Place], marking: &Marking) {
        self.tokens.clear();
        // backwards, so that a list runs through the places in order
        for (place, info) in places.iter().enumerate().rev() {
            let Some(&pid) = info.pids.first() else { continue };
            let mut start = marking.starts[place + 1];
            for token in PlaceTokens::new(marking.place(place), info.width).rev() {
                start -= info.width as u32;
                if !self.is_at_hand(&marking.threads[token[pid] as usize]) {
                    continue;
                }
                let node = &mut self.nodes[token[pid] as usize];
                let mut hash = mix(place as u64, 0x70ce);
                for (i, &word) in token.iter().enumerate() {
                    if i != pid {
                        hash = mix(hash, u64::from(word));
                    }
                }
                node.code = node.code.wrapping_add(hash);
                node.holds += 1;
                let next = std::mem::replace(&mut node.token, self.tokens.len() as u32);
                self.tokens.push(TokenRef { place: place as u32, start, next });
            }
        }
    }

    /// Several tokens of one thread are compared and written in order.
    fn sort_long_lists(&mut self, places: &[Place], marking: &Marking) {
        if self.tokens.len() <= self.nodes.len() && self.nodes.iter().all(|n| n.holds <= 1) {
            return;
        }
        for thread in 0..self.nodes.len() {
            if self.nodes[thread].holds > 1 {
                self.sort_tokens(places, marking, thread);
            }
        }
    }

    /// Sorts the list of a thread; its pid is the same word in all tokens of a place.
    fn sort_tokens(&mut self, places: &[Place], marking: &Marking, thread: usize) {
        let words = |token: &TokenRef| {
            &marking.words[token.start as usize..][..places[token.place as usize].width]
        };
        self.sorting.clear();
        let mut at = self.nodes[thread].token;
        while at != END {
            self.sorting.push(self.tokens[at as usize]);
            at = self.tokens[at as usize].next;
        }
        self.sorting.sort_unstable_by(|a, b| (a.place, words(a)).cmp(&(b.place, words(b))));
        let mut at = self.nodes[thread].token;
        for sorted in &self.sorting {
            let slot = &mut self.tokens[at as usize];
            at = slot.next;
            (slot.place, slot.start) = (sorted.place, sorted.start);
        }
    }

    /// Last thread first: when its turn comes everything below it is in order.
    fn sort_siblings(&mut self, places: &[Place], marking: &Marking) -> Result<(), Exhausted> {
        let mut pairs = std::mem::take(&mut self.pairs);
        self.roots = NONE;
        for thread in (0..self.nodes.len()).rev() {
            if !self.is_at_hand(&marking.threads[thread]) {
                continue;
            }
            let Node { code, up, .. } = self.nodes[thread];
            let first = match up {
                NONE => self.roots,
                up => {
                    let above = &mut self.nodes[up as usize];
                    above.code = above.code.wrapping_add(mix(code, 0xb107));
                    above.child
                }
            };
            let element = thread as Element;
            let mut work = 1;
            let before = self.last_before(element, first, places, marking, &mut pairs, &mut work);
            self.budget.spend(work)?;
            match (before, up) {
                (NONE, NONE) => self.roots = element,
                (NONE, up) => self.nodes[up as usize].child = element,
                (before, _) => self.nodes[before as usize].sibling = element,
            }
            if before == NONE {
                self.nodes[thread].sibling = first;
            }
        }
        self.pairs = pairs;
        Ok(())
    }

    /// The sibling that a thread goes behind, or `NONE` if it is the first of those from `first` on;
    /// behind a sibling it is linked to the one after.
    #[inline]
    fn last_before(
        &mut self,
        thread: Element,
        first: Element,
        places: &[Place],
        marking: &Marking,
        pairs: &mut Vec<(Element, Element)>,
        work: &mut u64,
    ) -> Element {
        let code = self.nodes[thread as usize].code;
        let mut before = NONE;
        let mut next = first;
        while next != NONE {
            let other = self.nodes[next as usize];
            *work += 1;
            let later = other.code > code
                || other.code == code
                    && View { forest: self, places, marking }.compare(next, thread, pairs, work)
                        != Ordering::Less;
            if later {
                break;
            }
            before = next;
            next = other.sibling;
        }
        self.nodes[thread as usize].sibling = next;
        before
    }
}

/// A forest with what it was made of.
#[derive(Clone, Copy)]
struct View<'f> {
    forest: &'f ForestOrder,
    places: &'f [Place],
    marking: &'f Marking,
}

impl View<'_> {
    fn node(&self, thread: Element) -> &Node {
        &self.forest.nodes[thread as usize]
    }

    /// Flags, tokens, then children; a total order of whole subtrees.
    fn compare(
        &self,
        a: Element,
        b: Element,
        pairs: &mut Vec<(Element, Element)>,
        work: &mut u64,
    ) -> Ordering {
        pairs.clear();
        pairs.push((a, b));
        while let Some((a, b)) = pairs.pop() {
            *work += 1;
            let (x, y) = (self.node(a), self.node(b));
            let own = (x.flags, x.holds)
                .cmp(&(y.flags, y.holds))
                .then_with(|| self.compare_tokens(x.token, y.token))
                .then_with(|| self.pair_children(x.child, y.child, pairs));
            if own != Ordering::Equal {
                return own;
            }
        }
        Ordering::Equal
    }

    /// Adds the children to the pairs to compare; the one with fewer children is less.
    fn pair_children(
        &self,
        mut a: Element,
        mut b: Element,
        pairs: &mut Vec<(Element, Element)>,
    ) -> Ordering {
        while a != NONE && b != NONE {
            pairs.push((a, b));
            (a, b) = (self.node(a).sibling, self.node(b).sibling);
        }
        (a != NONE).cmp(&(b != NONE))
    }

    fn compare_tokens(&self, mut a: u32, mut b: u32) -> Ordering {
        while a != END && b != END {
            let (x, y) = (self.forest.tokens[a as usize], self.forest.tokens[b as usize]);
            let tokens = x.place.cmp(&y.place).then_with(|| self.compare_words(x, y));
            if tokens != Ordering::Equal {
                return tokens;
            }
            (a, b) = (x.next, y.next);
        }
        Ordering::Equal
    }

    /// The data of two tokens of one place.
    fn compare_words(&self, x: TokenRef, y: TokenRef) -> Ordering {
        let info = &self.places[x.place as usize];
        let words = |token: TokenRef| &self.marking.words[token.start as usize..][..info.width];
        let data = |token| {
            words(token).iter().enumerate().filter(|(i, _)| *i != info.pids[0]).map(|(_, w)| *w)
        };
        data(x).cmp(data(y))
    }
}

/// Tokens that no thread holds, place by place, sorted.
fn write_unowned(places: &[Place], marking: &Marking, key: &mut Vec<u8>) {
    for (place, info) in places.iter().enumerate() {
        if !info.pids.is_empty() {
            continue;
        }
        let mut tokens: Vec<&[u32]> = marking.place(place).chunks_exact(info.width).collect();
        tokens.sort_unstable();
        put(key, tokens.len() as u64);
        for token in tokens {
            token.iter().for_each(|&word| put(key, fold(word)));
        }
    }
}
