//! A state of a labelled transition system: its pids by name, and the marking that canonisers see.
//!
//! Pids are numbered in lexicographic order, so one pass finds the links of the marking (nearest listed
//! ancestor, elder sibling, youngest child) and whether the state is a consistent thread configuration
//! (SACS'10, Assumption 2). Packed into bytes, equal states are equal bytes. Cost: a sort of the pids,
//! everything else is linear; memory is kept from state to state.

use super::name::{NameRef, first_segment};
use crate::net::canon::bytes::{KeyReader, put};
use crate::net::compiled::Place;
use crate::net::marking::{ADJACENT, CHILD, Element, Marking, NEXT_ADJACENT, NONE, Thread};
use pidlab_core::state::INACTIVE;

/// A thread: where its name lies, and how many children it has created.
#[derive(Clone, Copy, Debug)]
pub struct LtsThread {
    pub name: NameRef,
    /// [`INACTIVE`] where it is not active.
    pub created: u64,
    pub in_sigma: bool,
}

/// How a state breaks Assumption 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An active thread that no vector holds.
    NotInSigma(Element),
    /// A thread that descends from a child that an active one has not created yet.
    NotYetCreated(Element, Element),
}

/// A state.
#[derive(Clone, Debug, Default)]
pub struct LtsState {
    names: Vec<u8>,
    pub threads: Vec<LtsThread>,
    pub marking: Marking,
    pub fault: Option<Fault>,
    /// Of every depth the thread listed last; memory of `link`.
    last_at: Vec<Element>,
    above: Vec<Element>,
}

impl LtsState {
    #[inline]
    pub fn name(&self, thread: Element) -> &[u8] {
        self.threads[thread as usize].name.bytes(&self.names)
    }

    /// The integers of the name of a thread.
    pub fn segments(&self, thread: Element) -> Vec<u64> {
        let (mut name, mut segments) = (self.name(thread), Vec::new());
        while !name.is_empty() {
            let (segment, len) = first_segment(name);
            segments.push(segment);
            name = &name[len..];
        }
        segments
    }

    #[inline]
    pub fn is_active(&self, thread: Element) -> bool {
        self.threads[thread as usize].created != INACTIVE
    }

    /// The name of the creator of a thread, listed or not.
    #[inline]
    pub fn creator(&self, thread: Element) -> &[u8] {
        let name = self.threads[thread as usize].name;
        &self.names[name.start as usize..name.last as usize]
    }

    /// The last integer of the name of a thread.
    #[inline]
    pub fn index(&self, thread: Element) -> u64 {
        let name = self.threads[thread as usize].name;
        first_segment(&self.names[name.last as usize..name.end as usize]).0
    }

    /// The thread with a name.
    pub fn find(&self, name: &[u8]) -> Option<Element> {
        let (mut low, mut high) = (0, self.threads.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.name(middle as Element).cmp(name) {
                std::cmp::Ordering::Equal => return Some(middle as Element),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn clear(&mut self) {
        self.names.clear();
        self.threads.clear();
        self.marking.clear();
        self.fault = None;
    }

    /// Adds a thread whose name comes after all others.
    fn push_thread(&mut self, name: &[u8], created: u64, in_sigma: bool) {
        let start = self.names.len();
        self.names.extend_from_slice(name);
        let name = NameRef::of(&self.names, start);
        self.threads.push(LtsThread { name, created, in_sigma });
    }

    /// Finds the links of all threads and what is inconsistent.
    fn link(&mut self) {
        self.last_at.clear();
        self.above.clear();
        for thread in 0..self.threads.len() as Element {
            self.leave_below(thread);
            let up = self.above.last().copied().unwrap_or(NONE);
            let elder = self.elder(thread);
            let mut linked = Thread { up, elder, flags: 0, ..Thread::NEW };
            if self.is_active(thread) {
                linked.flags |= crate::net::marking::ACTIVE;
                if !self.threads[thread as usize].in_sigma {
                    self.fault.get_or_insert(Fault::NotInSigma(thread));
                }
            }
            if elder != NONE && self.index(elder) + 1 == self.index(thread) {
                linked.flags |= ADJACENT;
            }
            if up != NONE {
                self.link_below(up, thread, &mut linked);
            }
            self.marking.threads.push(linked);
            self.above.push(thread);
        }
    }

    /// Takes what is not an ancestor of a thread from the stack.
    #[inline]
    fn leave_below(&mut self, thread: Element) {
        while let Some(&top) = self.above.last()
            && !self.name(thread).starts_with(self.name(top))
        {
            self.above.pop();
        }
    }

    #[inline]
    fn elder(&mut self, thread: Element) -> Element {
        let depth = self.threads[thread as usize].name.depth as usize;
        if self.last_at.len() <= depth {
            self.last_at.resize(depth + 1, NONE);
        }
        let before = std::mem::replace(&mut self.last_at[depth], thread);
        match before != NONE && self.creator(before) == self.creator(thread) {
            true => before,
            false => NONE,
        }
    }

    /// Links a thread with its nearest ancestor.
    #[inline]
    fn link_below(&mut self, up: Element, thread: Element, linked: &mut Thread) {
        let (above, below) = (self.name(up).len(), self.name(thread));
        let (step, len) = first_segment(&below[above..]);
        let is_child = above + len == below.len();
        linked.flags |= if is_child { CHILD } else { 0 };
        let created = self.threads[up as usize].created;
        if created == INACTIVE {
            return;
        }
        if step > created {
            self.fault.get_or_insert(Fault::NotYetCreated(thread, up));
        }
        if is_child {
            let creator = &mut self.marking.threads[up as usize];
            creator.youngest = thread;
            creator.flags &= !NEXT_ADJACENT;
            creator.flags |= if step == created { NEXT_ADJACENT } else { 0 };
        }
    }

    /// Writes the state as bytes: equal states give equal bytes.
    pub fn pack(&self, out: &mut Vec<u8>) {
        put(out, self.threads.len() as u64);
        for (number, thread) in self.threads.iter().enumerate() {
            let name = self.name(number as Element);
            put(out, name.len() as u64);
            out.extend_from_slice(name);
            put(out, u64::from(thread.in_sigma));
            put(out, thread.created.wrapping_add(1));
        }
        let starts = &self.marking.starts;
        for (place, range) in starts.windows(2).enumerate().filter(|(_, range)| range[0] < range[1])
        {
            put(out, place as u64);
            put(out, u64::from(range[1] - range[0]));
            let words = &self.marking.words[range[0] as usize..range[1] as usize];
            words.iter().for_each(|&word| put(out, word.into()));
        }
    }

    /// Reads what [`LtsState::pack`] wrote; `places` is how many places there are.
    pub fn unpack(&mut self, bytes: &[u8], places: usize) {
        self.clear();
        let mut reader = KeyReader(bytes);
        for _ in 0..reader.get() {
            let len = reader.get() as usize;
            let (name, rest) = reader.0.split_at(len);
            reader.0 = rest;
            let in_sigma = reader.get() == 1;
            let created = reader.get().wrapping_sub(1);
            self.push_thread(name, created, in_sigma);
        }
        self.marking.starts.push(0);
        while !reader.0.is_empty() {
            let place = reader.get() as usize;
            self.marking.starts.resize(place + 1, self.marking.words.len() as u32);
            let words = reader.get();
            self.marking.words.extend((0..words).map(|_| reader.get() as u32));
        }
        self.fill_starts(places);
        self.link();
    }

    /// Canonisers want a start for every place there is.
    pub fn fill_starts(&mut self, places: usize) {
        self.marking.starts.resize(places + 1, self.marking.words.len() as u32);
    }

    /// What Assumption 2 says about the state, in words.
    pub fn fault_text(&self) -> Option<String> {
        let dotted = |thread| super::name::dotted(self.name(thread));
        Some(match self.fault? {
            Fault::NotInSigma(thread) => format!(
                "pid {} is active (in eta) but does not occur in sigma (first rule)",
                dotted(thread)
            ),
            Fault::NotYetCreated(thread, up) => format!(
                "pid {} descends from a child of {} that, by eta, it has not created yet (second rule)",
                dotted(thread),
                dotted(up)
            ),
        })
    }
}

/// Collects vectors and counters in any order.
#[derive(Default)]
pub struct LtsBuilder {
    bytes: Vec<u8>,
    /// A name, and the word or counter that stands for it.
    found: Vec<(NameRef, u32)>,
    counters: Vec<u64>,
    words: Vec<u32>,
    /// The pid that was made active last, and whether each came after the one before.
    last_active: Option<NameRef>,
    unordered: bool,
    /// Place and first word of every token.
    tokens: Vec<(u32, u32)>,
    sorted: Vec<(u32, u32)>,
}

/// Counters are told from words by this bit.
const COUNTER: u32 = 1 << 31;

impl LtsBuilder {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.found.clear();
        self.counters.clear();
        (self.last_active, self.unordered) = (None, false);
        self.words.clear();
        self.tokens.clear();
    }

    /// Adds a pid as the next word of a token.
    #[inline]
    pub fn pid(&mut self, text: &str) -> Result<(), String> {
        let start = self.bytes.len();
        super::name::push_dotted(&mut self.bytes, text)?;
        self.found.push((NameRef::of(&self.bytes, start), self.words.len() as u32));
        self.words.push(0);
        Ok(())
    }

    #[inline]
    pub fn datum(&mut self, number: u32) {
        self.words.push(number);
    }

    /// The next word, where a token begins.
    pub fn next_word(&self) -> u32 {
        self.words.len() as u32
    }

    /// Ends a token that began with a word; one without components has a word that means nothing.
    #[inline]
    pub fn token(&mut self, place: u32, first: u32) {
        if first == self.words.len() as u32 {
            self.words.push(0);
        }
        self.tokens.push((place, first));
    }

    /// Makes a pid active.
    pub fn active(&mut self, text: &str, created: u64) -> Result<(), String> {
        let start = self.bytes.len();
        super::name::push_dotted(&mut self.bytes, text)?;
        let name = NameRef::of(&self.bytes, start);
        self.found.push((name, COUNTER | self.counters.len() as u32));
        self.counters.push(created);
        let before = self.last_active.replace(name);
        self.unordered |= before.is_some_and(|before| before.compare(&name, &self.bytes).is_ge());
        Ok(())
    }

    /// A pid that is active twice.
    pub fn active_twice(&self) -> Option<String> {
        // most files list them in order
        if !self.unordered {
            return None;
        }
        let active = self.found.iter().filter(|(_, slot)| slot & COUNTER != 0);
        let mut names: Vec<&[u8]> = active.map(|(name, _)| name.bytes(&self.bytes)).collect();
        names.sort_unstable();
        names.windows(2).find(|two| two[0] == two[1]).map(|two| super::name::dotted(two[0]))
    }

    /// The state; no pid may be active twice.
    pub fn finish(&mut self, places: &[Place], out: &mut LtsState) {
        out.clear();
        let bytes = &self.bytes;
        self.found.sort_unstable_by(|a, b| a.0.compare(&b.0, bytes));
        let mut at = 0;
        while at < self.found.len() {
            let name = self.found[at].0;
            let (mut created, mut in_sigma) = (INACTIVE, false);
            while let Some((_, slot)) =
                self.found.get(at).filter(|next| next.0.compare(&name, bytes).is_eq())
            {
                if slot & COUNTER == 0 {
                    self.words[*slot as usize] = out.threads.len() as u32;
                    in_sigma = true;
                } else {
                    created = self.counters[(slot & !COUNTER) as usize];
                }
                at += 1;
            }
            out.push_thread(name.bytes(bytes), created, in_sigma);
        }
        self.place_tokens(places, out);
        out.link();
    }

    /// The words of all tokens, place by place, in order within a place.
    fn place_tokens(&mut self, places: &[Place], out: &mut LtsState) {
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.tokens);
        let words = |&(place, first): &(u32, u32)| {
            let width = places[place as usize].width;
            &self.words[first as usize..first as usize + width]
        };
        self.sorted.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| words(a).cmp(words(b))));
        out.marking.starts.push(0);
        for token in &self.sorted {
            let end = out.marking.words.len() as u32;
            out.marking.starts.resize(token.0 as usize + 1, end);
            out.marking.words.extend_from_slice(words(token));
        }
        out.fill_starts(places.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lts::read::parse_state;
    use crate::lts::schema::Schema;
    use pidlab_core::json;

    const STATES: [&str; 7] = [
        r#"{"sigma":{"A":[["@1"]],"B":[["@1.1",7],["@2.1.3"]]},"eta":{"1":1,"1.1":0}}"#,
        r#"{"sigma":{"A":[["@1"],["@1"],[]]},"eta":{}}"#,
        r#"{"sigma":{},"eta":{}}"#,
        r#"{"sigma":{"A":[["@1.2"],["@1.3.1"],["@1.4"],["@1.4.1"]]},"eta":{"1.4":1}}"#,
        r#"{"sigma":{"A":[["@1"],["@1.2.1"]]},"eta":{"1":1}}"#,
        r#"{"sigma":{"A":[["@1"]]},"eta":{"2":0}}"#,
        r#"{"sigma":{"A":[["@1",true,"x",-3],["@@1"]]},"eta":{"1":300}}"#,
    ];

    fn parsed(text: &str, schema: &mut Schema) -> LtsState {
        let mut state = LtsState::default();
        parse_state(text, schema, &mut state).unwrap();
        state
    }

    #[test]
    fn links_and_faults_are_those_of_states() {
        for text in STATES {
            let (mut schema, truth) = (Schema::default(), json::parse_state(text).unwrap());
            let state = parsed(text, &mut schema);
            let forest = truth.forest();
            assert_eq!(state.threads.len(), truth.pid_count());
            assert_eq!(state.fault.is_none(), truth.is_consistent(), "{text}");
            for pid in truth.pids() {
                let thread = &state.marking.threads[pid as usize];
                assert_eq!(thread.up, forest.ancestor(pid), "{text}");
                assert_eq!(thread.has(CHILD), forest.is_child(pid), "{text}");
                let younger = forest.sibling(pid);
                if younger != pidlab_core::forest::NONE {
                    let younger = &state.marking.threads[younger as usize];
                    assert_eq!(younger.elder, pid, "{text}");
                    assert_eq!(younger.has(ADJACENT), forest.is_adjacent(pid), "{text}");
                }
            }
        }
    }

    #[test]
    fn packing_keeps_everything() {
        for text in STATES {
            let mut schema = Schema::default();
            let state = parsed(text, &mut schema);
            let (mut bytes, mut again) = (Vec::new(), LtsState::default());
            state.pack(&mut bytes);
            again.unpack(&bytes, schema.places.len());
            assert_eq!(again.marking, state.marking, "{text}");
            assert_eq!(again.fault, state.fault, "{text}");
            let mut written = Vec::new();
            crate::lts::write::write_state(&schema, &again, &mut written);
            let written = String::from_utf8(written).unwrap();
            let truth = json::state_to_string(&json::parse_state(text).unwrap());
            assert_eq!(json::state_to_string(&json::parse_state(&written).unwrap()), truth);
        }
    }
}
