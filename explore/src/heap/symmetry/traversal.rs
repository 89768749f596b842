//! Canonical thread order by traversal codes: the fast way to the exact form of Bogor'03's shape
//! graphs.
//!
//! References leave an element in a fixed order. If they also enter it in a fixed order (no two of
//! one kind from elements of one colour), then a traversal along references, forwards and backwards,
//! is determined by where it starts. Its code, the sequence of colours and of the numbers that
//! references lead to, describes the connected part completely, so the least code over all starting
//! threads of the rarest colour is a canonical form of it; parts are sorted by their codes. The part
//! that global variables refer to starts at them.
//!
//! Where the order of entering references is open, the code ends with [`AMBIGUOUS`], the greatest of
//! all symbols; whether the least code ends so is the same for all equivalent states, and then the
//! caller must use the general engine. Cost: the size of the state for each starting thread, and
//! less for those whose code is greater early on.
//!
//! Colours are hashes of what elements hold. They choose where traversals start and which code is
//! the least, and both choices are the same for equivalent states, however many colours collide. What
//! a collision could spoil are ties: codes may be equal though the elements differ. Hence of equal
//! codes the one with the least contents counts, and what is still equal then is an automorphism
//! ([`super::contents`]). So equivalent states have one form, however bad the hash is. Before, the
//! first of equal codes counted, and a collision could split a class.

use super::contents::ElementStarts;
use super::hash::mix;
use crate::heap::machine::layout::*;
use std::cmp::Ordering;

const AMBIGUOUS: u64 = u64::MAX;
const NONE: u32 = u32::MAX;
/// The element that stands for the global variables.
const ROOT: usize = 0;

#[derive(Clone, Copy, Debug)]
struct Arc {
    from: u32,
    to: u32,
    /// Kind of the reference: type of its source, and its position there.
    label: u32,
}

/// Marks an entry of a [`RigidCode`] as an element whose colour counts.
pub const COLOR: u32 = 1 << 31;

/// A traversal of a shape that looks the same whatever the colours.
#[derive(Clone, Debug)]
pub struct RigidCode {
    pub code: Vec<u32>,
    /// Threads in the order they are reached.
    pub threads: Vec<u32>,
}

/// All traversals of such a shape.
pub struct RigidTraversals {
    pub codes: Vec<RigidCode>,
    /// By element: the part of its colour that does not depend on values.
    pub seeds: Vec<u64>,
    /// By thread: the elements it refers to.
    pub sees: Vec<Vec<u32>>,
}

/// What became of a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traversed {
    Found,
    /// The general engine must decide.
    Open,
}

/// Memory for traversals. Element 0 is the root, then come threads, then objects.
#[derive(Debug, Default)]
pub struct Traversal {
    threads: usize,
    colors: Vec<u64>,
    /// By element, the root included: what of its colour does not depend on values.
    seeds: Vec<u64>,
    arcs: Vec<Arc>,
    /// Bounds of the arcs that leave an element; they lie in order.
    out: Vec<u32>,
    /// Arcs by the element they enter, and their bounds.
    entering: Vec<u32>,
    into: Vec<u32>,
    /// By offset in the heap: the element there.
    element: Vec<u32>,
    references: Vec<u32>,
    number: Vec<u32>,
    queue: Vec<u32>,
    code: Vec<u64>,
    best: Vec<u64>,
    best_queue: Vec<u32>,
    sorted: Vec<(u64, u32)>,
    candidates: Vec<u32>,
    found: Vec<(u32, u64, u32)>,
    /// Elements whose part is done or under way.
    part: Vec<bool>,
    parts: Vec<Part>,
    codes: Vec<u64>,
    queues: Vec<u32>,
    /// Filled where codes tie.
    elements: ElementStarts,
}

/// One connected part with its least code.
#[derive(Clone, Debug)]
struct Part {
    code: std::ops::Range<usize>,
    queue: std::ops::Range<usize>,
}

impl Traversal {
    /// Writes the canonical order of the threads of a state; sets and tables must hold no
    /// references.
    pub fn order(&mut self, layout: &Layout, words: &[Word], order: &mut Vec<u32>) -> Traversed {
        self.build(layout, words);
        self.parts.clear();
        self.codes.clear();
        self.queues.clear();
        let found = match self.whole(layout, words) {
            Some(found) => found,
            None => self.part_by_part(layout, words),
        };
        if found == Traversed::Found {
            self.collect(layout, words, order);
        }
        found
    }

    /// For a shape whose traversals do not depend on colours: one from every thread. `None` if the
    /// shape is not of that kind, has global references, or is not connected.
    pub fn rigid(&mut self, layout: &Layout, words: &[Word]) -> Option<RigidTraversals> {
        self.build(layout, words);
        if self.threads == 0 || self.out[ROOT + 1] > 0 {
            return None;
        }
        // one colour for all: the order is clear only where labels alone decide
        self.colors.fill(0);
        let starts = 1..=self.threads as u32;
        let codes = starts.clone().map(|start| self.rigid_code(start)).collect::<Option<_>>()?;
        let targets = |thread| leaving(&self.arcs, &self.out, thread).iter().map(|arc| arc.to);
        let sees = starts.map(|thread| targets(thread).collect()).collect();
        Some(RigidTraversals { codes, seeds: self.seeds.clone(), sees })
    }

    fn rigid_code(&mut self, start: u32) -> Option<RigidCode> {
        self.traverse(start, false);
        if self.code.last() == Some(&AMBIGUOUS) || self.queue.len() + 1 != self.colors.len() {
            return None;
        }
        let mut code = Vec::with_capacity(self.code.len());
        for &element in &self.queue {
            code.push(COLOR | element);
            let arcs = leaving(&self.arcs, &self.out, element);
            code.extend(arcs.iter().map(|arc| self.number[arc.to as usize]));
        }
        let threads = self.queue.iter().filter(|&&element| element <= self.threads as u32);
        Some(RigidCode { code, threads: threads.map(|&element| element - 1).collect() })
    }

    /// The frequent case: no global references, and everything connected.
    fn whole(&mut self, layout: &Layout, words: &[Word]) -> Option<Traversed> {
        if self.threads == 0 || self.out[ROOT + 1] > 0 {
            return None;
        }
        self.queue.clear();
        self.queue.extend(1..=self.threads as u32);
        self.choose_candidates();
        self.traverse(self.candidates[0], false);
        let connected = self.queue.len() + 1 == self.colors.len();
        (connected && self.code.last() != Some(&AMBIGUOUS))
            .then(|| self.least_of_candidates(layout, words))
    }

    fn part_by_part(&mut self, layout: &Layout, words: &[Word]) -> Traversed {
        self.part.clear();
        self.part.resize(self.colors.len(), false);
        for element in 0..=self.threads {
            if self.part[element] {
                continue;
            }
            self.flood(element);
            self.choose_candidates();
            self.traverse(self.candidates[0], false);
            if self.least_of_candidates(layout, words) == Traversed::Open {
                return Traversed::Open;
            }
        }
        Traversed::Found
    }

    /// Tries all candidates but the first, which has been traversed, and keeps the least code.
    fn least_of_candidates(&mut self, layout: &Layout, words: &[Word]) -> Traversed {
        self.keep();
        for index in 1..self.candidates.len() {
            let code = self.traverse(self.candidates[index], true);
            if code.then_with(|| self.compare_contents(layout, words)) == Ordering::Less {
                self.keep();
            }
        }
        if self.best.last() == Some(&AMBIGUOUS) {
            return Traversed::Open;
        }
        let code = self.codes.len()..self.codes.len() + self.best.len();
        let queue = self.queues.len()..self.queues.len() + self.best_queue.len();
        self.codes.extend_from_slice(&self.best);
        self.queues.extend_from_slice(&self.best_queue);
        self.parts.push(Part { code, queue });
        Traversed::Found
    }

    /// Compares what was traversed last with the best, where both have one code.
    #[cold]
    fn compare_contents(&mut self, layout: &Layout, words: &[Word]) -> Ordering {
        self.elements.fill(layout, words);
        let (queue, best) = (self.queue.iter().copied(), self.best_queue.iter().copied());
        self.elements.compare(layout, words, queue, best)
    }

    fn keep(&mut self) {
        std::mem::swap(&mut self.best, &mut self.code);
        std::mem::swap(&mut self.best_queue, &mut self.queue);
    }

    /// Puts everything connected to `first` into the queue.
    fn flood(&mut self, first: usize) {
        self.queue.clear();
        self.queue.push(first as u32);
        self.part[first] = true;
        let mut done = 0;
        while let Some(&element) = self.queue.get(done) {
            done += 1;
            for arc in leaving(&self.arcs, &self.out, element) {
                reach(&mut self.part, &mut self.queue, arc.to);
            }
            for &arc in entering(&self.entering, &self.into, element) {
                reach(&mut self.part, &mut self.queue, self.arcs[arc as usize].from);
            }
        }
    }

    /// The threads of the rarest colour among the elements in the queue; the root, if it is there.
    fn choose_candidates(&mut self) {
        self.candidates.clear();
        if self.queue[0] == ROOT as u32 {
            self.candidates.push(ROOT as u32);
            return;
        }
        let threads = self.threads as u32;
        self.sorted.clear();
        let found = self.queue.iter().filter(|&&element| element <= threads);
        self.sorted.extend(found.map(|&element| (self.colors[element as usize], element)));
        let rarest = rarest(&mut self.sorted).iter().map(|&(_, element)| element);
        self.candidates.extend(rarest);
    }

    /// Traverses from `start`. With `compare` it stops as soon as the code is greater than the best
    /// one, and says how they compare.
    fn traverse(&mut self, start: u32, compare: bool) -> Ordering {
        self.number.clear();
        self.number.resize(self.colors.len(), NONE);
        self.code.clear();
        self.queue.clear();
        self.meet(start);
        let (mut done, mut less) = (0, !compare);
        while let Some(&element) = self.queue.get(done) {
            done += 1;
            let from = self.code.len();
            let clear = self.visit(element);
            if !less {
                let to = self.code.len().min(self.best.len());
                match self.code[from..].cmp(&self.best[from..to]) {
                    Ordering::Less => less = true,
                    Ordering::Greater => return Ordering::Greater,
                    Ordering::Equal => {}
                }
            }
            if !clear {
                break;
            }
        }
        if less { Ordering::Less } else { self.code.len().cmp(&self.best.len()) }
    }

    #[inline]
    fn meet(&mut self, element: u32) -> u32 {
        let number = &mut self.number[element as usize];
        if *number == NONE {
            *number = self.queue.len() as u32;
            self.queue.push(element);
        }
        *number
    }

    /// Writes an element's part of the code; `false` if it is not clear how to go on.
    fn visit(&mut self, element: u32) -> bool {
        self.code.push(self.colors[element as usize]);
        let (first, end) = (self.out[element as usize], self.out[element as usize + 1]);
        for arc in first..end {
            let to = self.arcs[arc as usize].to;
            let number = self.meet(to);
            self.code.push(number.into());
        }
        let clear = self.gather_entering(element);
        if clear {
            for index in 0..self.found.len() {
                self.meet(self.found[index].2);
            }
        } else {
            self.code.push(AMBIGUOUS);
        }
        clear
    }

    /// The elements not reached yet that refer to an element, in order; `false` if two are alike.
    #[inline]
    fn gather_entering(&mut self, element: u32) -> bool {
        self.found.clear();
        for &arc in entering(&self.entering, &self.into, element) {
            let Arc { from, label, .. } = self.arcs[arc as usize];
            if self.number[from as usize] == NONE {
                self.found.push((label, self.colors[from as usize], from));
            }
        }
        if self.found.len() < 2 {
            return true;
        }
        insertion_sort(&mut self.found);
        self.found.windows(2).all(|pair| (pair[0].0, pair[0].1) != (pair[1].0, pair[1].1))
    }

    /// Threads by part and place in its queue, parts by code and contents; the root's part is first.
    fn collect(&mut self, layout: &Layout, words: &[Word], order: &mut Vec<u32>) {
        let has_root = usize::from(
            self.parts.first().is_some_and(|p| self.queues[p.queue.start] == ROOT as u32),
        );
        if self.parts.len() > has_root + 1 {
            self.elements.fill(layout, words);
            let (codes, elements) = (&self.codes, &self.elements);
            let queue = |part: &Part| self.queues[part.queue.clone()].iter().copied();
            self.parts[has_root..].sort_by(|a, b| {
                let by_code = codes[a.code.clone()].cmp(&codes[b.code.clone()]);
                by_code.then_with(|| elements.compare(layout, words, queue(a), queue(b)))
            });
        }
        order.clear();
        let threads = 1..=self.threads as u32;
        for part in &self.parts {
            let queue = self.queues[part.queue.clone()].iter();
            order.extend(queue.filter(|element| threads.contains(element)).map(|&e| e - 1));
        }
    }

    fn build(&mut self, layout: &Layout, words: &[Word]) {
        self.threads = words[0] as usize;
        self.place_objects(layout, words);
        self.arcs.clear();
        self.seeds.clear();
        self.seeds.push(0);
        self.out.clear();
        self.out.push(0);
        for &at in &layout.global_references {
            self.arc(ROOT as u32, words[at as usize], at);
        }
        self.out.push(self.arcs.len() as u32);
        let mut at = layout.first_thread();
        for element in 1..=words[0] {
            let pc = words[at] as usize;
            let end = layout.thread_end(words, at);
            let kind = 2 * layout.frame_kind[pc] + 1;
            if layout.has_functions {
                self.scan_stack(layout, words, element, at..end, kind);
            } else {
                self.scan(words, element, at..end, kind, &layout.frame_references[pc], &[]);
            }
            at = end;
        }
        let mut element = words[0];
        while at < words.len() {
            element += 1;
            at = self.scan_object(layout, words, element, at);
        }
        self.color_threads();
        self.sort_entering();
    }

    /// Objects get elements behind the threads; everything has colour 0.
    fn place_objects(&mut self, layout: &Layout, words: &[Word]) {
        let heap = heap_start(words);
        self.element.clear();
        self.element.resize(words.len() - heap, 0);
        let mut count = 1 + self.threads as u32;
        for at in layout.objects(words) {
            self.element[at - heap] = count;
            count += 1;
        }
        self.colors.clear();
        self.colors.resize(count as usize, 0);
    }

    #[inline]
    fn arc(&mut self, from: u32, reference: Word, label: u32) -> u64 {
        if reference == 0 {
            return 0;
        }
        let to = self.element[reference as usize - 1];
        self.arcs.push(Arc { from, to, label });
        1
    }

    /// Colours an element by its words and adds its arcs. The colour is made of two parts, one for
    /// values and one for everything else, so that [`super::rigid`] can keep the latter.
    #[inline]
    fn scan(
        &mut self,
        words: &[Word],
        element: u32,
        range: std::ops::Range<usize>,
        kind: u32,
        references: &[u32],
        locks: &[u32],
    ) {
        let (mut seed, mut values) = (u64::from(kind), 0);
        let is_thread = element <= self.threads as u32;
        if is_thread {
            values = mix(values, words[range.start].into());
        }
        let (mut next, mut next_lock) = (0, 0);
        for offset in 1..range.len() as u32 {
            let word = words[range.start + offset as usize];
            if references.get(next) == Some(&offset) {
                next += 1;
                seed = mix(seed, self.arc(element, word, (kind << 16).wrapping_add(offset)));
            } else if locks.get(next_lock) == Some(&offset) {
                next_lock += 1;
                seed = mix(seed, self.lock_arc(element, word, (kind << 16).wrapping_add(offset)));
            } else {
                values = mix(values, word.into());
            }
        }
        self.colors[element as usize] = mix(seed, values);
        self.seeds.push(seed);
        self.out.push(self.arcs.len() as u32);
    }

    /// Scans all frames of a thread; program counters below the running one are values.
    fn scan_stack(
        &mut self,
        layout: &Layout,
        words: &[Word],
        element: u32,
        range: std::ops::Range<usize>,
        kind: u32,
    ) {
        let mut references = std::mem::take(&mut self.references);
        references.clear();
        layout.thread_references(words, range.start, |position| {
            references.push((position - range.start) as u32);
        });
        self.scan(words, element, range, kind, &references, &[]);
        self.references = references;
    }

    fn lock_arc(&mut self, from: u32, word: Word, label: u32) -> u64 {
        let (holder, count) = lock_parts(word);
        if let Some(thread) = holder {
            self.arcs.push(Arc { from, to: thread + 1, label });
        }
        count.into()
    }

    /// Scans an object and says where the next one starts.
    fn scan_object(&mut self, layout: &Layout, words: &[Word], element: u32, at: usize) -> usize {
        match &layout.objects[words[at] as usize] {
            ObjectLayout::Record { size, references, locks } => {
                self.scan(words, element, at..at + size, 2 * words[at], references, locks);
                at + size
            }
            ObjectLayout::Sequence { .. } => {
                let end = at + layout.object_size(words, at);
                self.references.clear();
                let references = &mut self.references;
                layout.object_references(words, at, |position| {
                    references.push((position - at) as u32);
                });
                let references = std::mem::take(&mut self.references);
                self.scan(words, element, at..end, 2 * words[at], &references, &[]);
                self.references = references;
                end
            }
        }
    }

    /// Threads see one step further: the colours of what they refer to become part of theirs.
    fn color_threads(&mut self) {
        for thread in 1..=self.threads as u32 {
            let sees = leaving(&self.arcs, &self.out, thread).iter().map(|arc| arc.to);
            let color = sees.fold(self.colors[thread as usize], |color, object| {
                mix(color, self.colors[object as usize])
            });
            self.colors[thread as usize] = color;
        }
    }

    /// Arcs by target, by counting.
    fn sort_entering(&mut self) {
        self.into.clear();
        self.into.resize(self.colors.len() + 1, 0);
        for arc in &self.arcs {
            self.into[arc.to as usize] += 1;
        }
        let mut sum = 0;
        for count in &mut self.into {
            sum += *count;
            *count = sum;
        }
        self.entering.clear();
        self.entering.resize(self.arcs.len(), 0);
        for (index, arc) in self.arcs.iter().enumerate() {
            let place = &mut self.into[arc.to as usize];
            *place -= 1;
            self.entering[*place as usize] = index as u32;
        }
    }
}

#[inline]
fn leaving<'a>(arcs: &'a [Arc], out: &[u32], element: u32) -> &'a [Arc] {
    &arcs[out[element as usize] as usize..out[element as usize + 1] as usize]
}

#[inline]
fn entering<'a>(entering: &'a [u32], into: &[u32], element: u32) -> &'a [u32] {
    &entering[into[element as usize] as usize..into[element as usize + 1] as usize]
}

#[inline]
fn reach(part: &mut [bool], queue: &mut Vec<u32>, element: u32) {
    if !std::mem::replace(&mut part[element as usize], true) {
        queue.push(element);
    }
}

/// The elements of the rarest colour; of the least one, if several are as rare.
pub fn rarest(colored: &mut [(u64, u32)]) -> &[(u64, u32)] {
    insertion_sort(colored);
    let (mut start, mut best) = (0, 0..colored.len());
    for end in 1..=colored.len() {
        if end < colored.len() && colored[end].0 == colored[start].0 {
            continue;
        }
        if end - start < best.len() {
            best = start..end;
        }
        start = end;
    }
    &colored[best]
}

/// For a handful of items; longer sequences go to the library's sort.
fn insertion_sort<T: Copy + Ord>(items: &mut [T]) {
    if items.len() > 32 {
        return items.sort_unstable();
    }
    for end in 1..items.len() {
        let item = items[end];
        let mut at = end;
        while at > 0 && items[at - 1] > item {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}
