//! The loop on one thread: breadth-first by a queue, depth-first by a stack.
//!
//! Both orders share [`Run`]: how a state is expanded, stored, counted. A breadth-first frontier
//! that goes on from representatives needs no queue at all: numbers are given in queue order, so
//! the next state to expand is the next number.

use super::batch::KeyBatch;
use super::counters::Stopwatch;
use super::frontier::{Frame, Levels, Stack};
use super::limits::Limits;
use super::model::{Canonizer, Change, Failure, Label, Model, Successors, Tag};
use super::options::{Continue, Options};
use super::report::SearchReport;
use super::store::{Id, Store, key_hash};
use std::collections::VecDeque;
use std::time::Instant;

/// Work between two looks at clock and memory: a step counts 64, a byte of a key one.
const CHECK_EVERY: usize = 64 * 64;

pub(super) fn breadth_first<M: Model, C: Canonizer<M::State>, S: Store>(
    model: &M,
    canonizer: &C,
    store: &mut S,
    options: &Options<'_>,
) -> Result<SearchReport, Failure> {
    let mut run = Run::new(model, canonizer, store, options);
    let end = run.breadth_first();
    run.finish(end)
}

pub(super) fn depth_first<M: Model, C: Canonizer<M::State>, S: Store>(
    model: &M,
    canonizer: &C,
    store: &mut S,
    options: &Options<'_>,
) -> Result<SearchReport, Failure> {
    let mut run = Run::new(model, canonizer, store, options);
    let end = match options.one_per_level {
        true => run.depth_first_one_per_level(),
        false => run.depth_first(),
    };
    run.finish(end)
}

/// One search under way.
struct Run<'r, M: Model, C: Canonizer<M::State>, S> {
    model: &'r M,
    canonizer: &'r C,
    store: &'r mut S,
    options: &'r Options<'r>,
    limits: Limits,
    started: Instant,
    moves: M::Worker,
    keys: C::Worker,
    successors: Successors<M::State>,
    key: Vec<u8>,
    batch: KeyBatch,
    /// Numbers of the batch's keys, and whether they are new.
    found: Vec<(Id, bool)>,
    undo: Vec<Change>,
    /// Targets of the state being expanded (breadth-first) or of all open states (depth-first).
    targets: Vec<(Label, Id)>,
    report: SearchReport,
    /// Bytes held by the frontier.
    frontier_bytes: u64,
    /// Work since the limits were looked at.
    work: usize,
}

impl<'r, M: Model, C: Canonizer<M::State>, S: Store> Run<'r, M, C, S> {
    fn new(
        model: &'r M,
        canonizer: &'r C,
        store: &'r mut S,
        options: &'r Options<'r>,
    ) -> Run<'r, M, C, S> {
        let limits = options.limits.clone();
        let (mut keys, mut moves) = (canonizer.worker(), model.worker());
        let budget = &limits.budget;
        canonizer.allow(&mut keys, budget);
        model.allow(&mut moves, budget);
        Run {
            model,
            canonizer,
            store,
            options,
            started: Instant::now(),
            moves,
            keys,
            successors: Successors::new(),
            key: Vec::new(),
            batch: KeyBatch::new(budget),
            found: Vec::new(),
            undo: Vec::new(),
            targets: Vec::new(),
            report: SearchReport::default(),
            frontier_bytes: 0,
            work: 0,
            limits,
        }
    }

    fn finish(self, end: Result<(), Failure>) -> Result<SearchReport, Failure> {
        let mut report = self.report;
        report.note_end(end)?;
        report.elapsed = self.started.elapsed();
        report.key_bytes = self.store.key_bytes();
        report.parent_bytes = report.parents.bytes();
        report.index_bytes = self.store.index_bytes() + report.parent_bytes;
        Ok(report)
    }

    fn breadth_first(&mut self) -> Result<(), Failure> {
        self.allow_changes();
        let mut queue = VecDeque::new();
        let mut state = M::State::default();
        self.model.initial(&mut self.moves, &mut self.successors)?;
        for index in 0..self.successors.len() {
            self.store_initial(index, &mut queue)?;
        }
        let mut next: Id = 0;
        let mut announced: usize = 0;
        while (next as usize) < self.store.len() && self.report.stopped.is_none() {
            match self.options.from {
                Continue::Concrete => {
                    if announced <= next as usize {
                        let more = self.model.announce(&mut self.moves, &queue)?;
                        announced = (next as usize).saturating_add(more.max(1));
                    }
                    state = queue.pop_front().unwrap_or_default();
                }
                Continue::Representative => {
                    self.store.read(next, &mut self.key);
                    self.canonizer.decode_source(&mut self.keys, &self.key, &mut state);
                }
            }
            self.expand_in_breadth(next, &state, &mut queue)?;
            next += 1;
        }
        Ok(())
    }

    fn store_initial(
        &mut self,
        index: usize,
        queue: &mut VecDeque<M::State>,
    ) -> Result<(), Failure> {
        self.canonizer.key(&mut self.keys, self.successors.state(index), &mut self.key)?;
        if let Some((_, true)) = self.admit_current() {
            self.report.parents.push_initial();
            self.enqueue(index, None, queue);
        }
        Ok(())
    }

    /// Has a successor wait, a whole one or what changes of `source`.
    fn enqueue(&mut self, index: usize, source: Option<&M::State>, queue: &mut VecDeque<M::State>) {
        if self.options.from == Continue::Concrete {
            let mut state = M::State::default();
            if let (Some(changes), Some(source)) = (self.successors.changes(index), source) {
                state.clone_from(source);
                self.undo.clear();
                self.model.change(&mut state, changes, &mut self.undo);
            } else {
                self.successors.swap(index, &mut state);
            }
            queue.push_back(state);
            self.frontier_bytes = (queue.capacity() * size_of::<M::State>()) as u64;
        }
    }

    fn expand_in_breadth(
        &mut self,
        id: Id,
        state: &M::State,
        queue: &mut VecDeque<M::State>,
    ) -> Result<(), Failure> {
        let mut watch = self.generate(id, state)?;
        self.targets.clear();
        let mut batch = std::mem::take(&mut self.batch);
        let is_prepared = self.options.from == Continue::Representative;
        if !is_prepared && !self.successors.all_changes().is_empty() {
            self.canonizer.prepare(&mut self.keys, state);
        }
        let all = 0..self.successors.len();
        batch.fill(self.canonizer, &mut self.keys, &self.successors, all)?;
        watch.lap(&mut self.report.timing.canonize);
        self.report.admit_all(self.store, &self.limits, &batch, &mut self.found);
        for index in 0..self.found.len() {
            let (tag, (to, fresh)) = (self.successors.tag(index), self.found[index]);
            self.arrive(id, tag, to, fresh);
            if fresh {
                self.enqueue(index, Some(state), queue);
            }
        }
        if self.found.len() < batch.len() {
            return Ok(());
        }
        let bytes = batch.bytes();
        self.batch = batch;
        watch.lap(&mut self.report.timing.store);
        self.close_edges(id, 0);
        self.tick(bytes);
        Ok(())
    }

    /// Has successors told by what changes, if the canoniser can do with that.
    fn allow_changes(&mut self) {
        if self.canonizer.takes_changes() {
            self.model.by_changes(&mut self.moves);
        }
    }

    /// Successors and findings of a state that was just stored or taken from the queue.
    #[inline]
    fn generate(&mut self, id: Id, state: &M::State) -> Result<Stopwatch, Failure> {
        let mut watch = Stopwatch::sample(self.report.counters.expanded);
        self.report.counters.expanded += 1;
        let findings = self.model.inspect(&mut self.moves, state)?;
        self.report.note(findings, id, self.options.stop_at);
        self.successors.clear();
        if self.report.stopped.is_some() {
            return Ok(watch);
        }
        self.model.successors(&mut self.moves, state, &mut self.successors)?;
        if self.successors.is_empty() {
            self.report.note_deadlock(id, findings, self.options);
        }
        watch.lap(&mut self.report.timing.generate);
        Ok(watch)
    }

    /// Stores the current key.
    #[inline]
    fn admit_current(&mut self) -> Option<(Id, bool)> {
        let key = std::mem::take(&mut self.key);
        let admitted = self.admit(&key, key_hash(&key));
        self.key = key;
        admitted
    }

    /// Stores a key; `None` if it is new and the store must not grow.
    #[inline]
    fn admit(&mut self, key: &[u8], hash: u64) -> Option<(Id, bool)> {
        self.report.admit(self.store, &self.limits, key, hash)
    }

    #[inline]
    fn arrive(&mut self, from: Id, tag: Tag, to: Id, fresh: bool) {
        let weight = u64::from(tag.weight);
        self.report.counters.transitions += weight;
        self.report.counters.seen += weight - u64::from(fresh);
        if fresh {
            self.report.parents.push(from, tag.label);
        }
        self.targets.push((tag.label, to));
    }

    /// Counts the distinct targets gathered since `start` as edges of `from`.
    #[inline]
    fn close_edges(&mut self, from: Id, start: usize) {
        let targets = &mut self.targets[start..];
        if !self.options.record_edges && are_apart(targets) {
            self.report.counters.edges += targets.len() as u64;
            return self.targets.truncate(start);
        }
        targets.sort_unstable();
        let mut last = None;
        for &(label, to) in targets.iter() {
            if last.replace((label, to)) != Some((label, to)) {
                self.report.counters.edges += 1;
                if self.options.record_edges {
                    self.report.edges.push((from, label, to));
                }
            }
        }
        self.targets.truncate(start);
    }

    /// Counts a step whose keys have so many bytes.
    #[inline]
    fn tick(&mut self, bytes: usize) {
        self.work += 64 + bytes;
        if self.work >= CHECK_EVERY {
            self.work = 0;
            self.check_limits();
        }
    }

    fn check_limits(&mut self) {
        let edges = (self.report.edges.capacity() * size_of::<(Id, Label, Id)>()) as u64;
        let bytes = self.store.key_bytes()
            + self.store.index_bytes()
            + self.report.parents.bytes()
            + edges
            + self.frontier_bytes;
        self.limits.budget.hold(bytes);
        if let Err(what) = self.limits.budget.poll() {
            self.report.stopped.get_or_insert(what.into());
        }
        if let Some(progress) = self.options.progress {
            progress(&self.report.counters);
        }
    }

    fn depth_first(&mut self) -> Result<(), Failure> {
        let mut stack = Stack::default();
        self.model.initial(&mut self.moves, &mut self.successors)?;
        stack.push_all(&mut self.successors);
        let roots = stack.len();
        let mut state = M::State::default();
        // frames below are open states; the initial ones have none
        let mut frames: Vec<Frame> = Vec::new();
        let end = self.descend(&mut stack, &mut state, &mut frames);
        debug_assert!(roots > 0 || self.store.is_empty());
        // what a search that was stopped has seen counts all the same
        while let Some(frame) = frames.pop() {
            self.close_edges(frame.id, frame.targets);
        }
        end
    }

    fn descend(
        &mut self,
        stack: &mut Stack<M::State>,
        state: &mut M::State,
        frames: &mut Vec<Frame>,
    ) -> Result<(), Failure> {
        while let Some(tag) = stack.pop(state) {
            self.canonizer.key(&mut self.keys, state, &mut self.key)?;
            let Some((to, fresh)) = self.admit_current() else { break };
            match frames.last_mut() {
                Some(frame) => {
                    frame.open -= 1;
                    let from = frame.id;
                    self.arrive(from, tag, to, fresh);
                }
                None if fresh => self.report.parents.push_initial(),
                None => {}
            }
            self.tick(self.key.len());
            if fresh {
                self.open(to, state, stack, frames)?;
                self.frontier_bytes = stack.bytes();
            }
            self.close_frames(frames);
            if self.report.stopped.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// The same order with the state on top alone: on the way back what changed is taken back.
    /// Successors told by what changes wait for their turn; whole ones are generated again, except for
    /// the last few levels.
    fn depth_first_one_per_level(&mut self) -> Result<(), Failure> {
        // what changes is taken back from the state that it was made to
        if self.options.from == Continue::Concrete {
            self.allow_changes();
        }
        let mut levels: Levels<M::State> = Levels::default();
        let end = self.descend_by_level(&mut levels);
        while let Some(level) = levels.pop(self.model) {
            self.close_edges(level.id, level.targets);
        }
        end
    }

    fn descend_by_level(&mut self, levels: &mut Levels<M::State>) -> Result<(), Failure> {
        let mut initial = Successors::new();
        self.model.initial(&mut self.moves, &mut initial)?;
        for index in 0..initial.len() {
            self.canonizer.key(&mut self.keys, initial.state(index), &mut self.key)?;
            let Some((id, true)) = self.admit_current() else { continue };
            self.report.parents.push_initial();
            let key = std::mem::take(&mut self.key);
            levels.enter(id, self.targets.len(), |state| initial.swap(index, state));
            self.open_level(id, &key, levels)?;
            self.key = key;
            while !levels.is_empty() && self.report.stopped.is_none() {
                self.advance(levels)?;
            }
        }
        Ok(())
    }

    /// Expands the state on top, whose key is given.
    fn open_level(
        &mut self,
        id: Id,
        key: &[u8],
        levels: &mut Levels<M::State>,
    ) -> Result<(), Failure> {
        if self.options.from == Continue::Representative {
            self.canonizer.decode(&mut self.keys, key, &mut levels.state);
        }
        let _unclocked = self.generate(id, &levels.state)?;
        levels.keep(&mut self.successors);
        self.frontier_bytes = levels.bytes();
        Ok(())
    }

    /// Goes through the successors of the state on top that are left: down at the first new one, up
    /// behind the last.
    fn advance(&mut self, levels: &mut Levels<M::State>) -> Result<(), Failure> {
        let mut batch = std::mem::take(&mut self.batch);
        let end = self.take_turns(&mut batch, levels);
        self.batch = batch;
        end
    }

    fn take_turns(
        &mut self,
        batch: &mut KeyBatch,
        levels: &mut Levels<M::State>,
    ) -> Result<(), Failure> {
        let (mut next, count, from) = levels.turn();
        while next < count {
            self.fill_level(batch, levels)?;
            self.store.warm(batch);
            for ahead in 0..batch.len() {
                let (key, hash) = batch.get(ahead);
                let tag = levels.take();
                let Some((to, fresh)) = self.admit(key, hash) else { return Ok(()) };
                self.arrive(from, tag, to, fresh);
                self.tick(key.len());
                if fresh {
                    levels.descend(self.model, to, self.targets.len(), tag, next + ahead);
                    return self.open_level(to, key, levels);
                }
                if self.report.stopped.is_some() {
                    return Ok(());
                }
            }
            next += batch.len();
        }
        if let Some(level) = levels.pop(self.model) {
            self.close_edges(from, level.targets);
        }
        Ok(())
    }

    /// Computes the keys of the successors that are left on top, or of the next one where a key is dear:
    /// below a new one many of the others will be looked at again.
    fn fill_level(
        &mut self,
        batch: &mut KeyBatch,
        levels: &mut Levels<M::State>,
    ) -> Result<(), Failure> {
        let (canonizer, keys) = (self.canonizer, &mut self.keys);
        if let Some((tags, changes)) = levels.waiting() {
            let are_cheap = canonizer.prepare(keys, &levels.state);
            let tags = if are_cheap { tags } else { &tags[..1] };
            return batch.fill_changed(canonizer, keys, tags, changes);
        }
        let (first, _, from) = levels.turn();
        if levels.kept(from).is_none() {
            self.successors.clear();
            self.model.successors(&mut self.moves, &levels.state, &mut self.successors)?;
            levels.keep_whole(from, &mut self.successors);
        }
        let Some(successors) = levels.kept(from) else { return Ok(()) };
        if successors.changes(first).is_some() {
            canonizer.prepare(keys, &levels.state);
        }
        batch.fill(canonizer, keys, successors, first..first + 1)
    }

    /// Expands a new state; its successors go on the stack.
    fn open(
        &mut self,
        id: Id,
        state: &mut M::State,
        stack: &mut Stack<M::State>,
        frames: &mut Vec<Frame>,
    ) -> Result<(), Failure> {
        if self.options.from == Continue::Representative {
            self.canonizer.decode(&mut self.keys, &self.key, state);
        }
        let _unclocked = self.generate(id, state)?;
        frames.push(Frame { id, open: self.successors.len(), targets: self.targets.len() });
        stack.push_all(&mut self.successors);
        Ok(())
    }

    fn close_frames(&mut self, frames: &mut Vec<Frame>) {
        while let Some(frame) = frames.pop_if(|frame| frame.open == 0) {
            self.close_edges(frame.id, frame.targets);
        }
    }
}

/// Whether targets are all different, as the last bits of their numbers show; most are.
#[inline]
fn are_apart(targets: &[(Label, Id)]) -> bool {
    let mut seen = [0_u64; 4];
    let mut twice = 0;
    for &(_, to) in targets {
        let (word, bit) = (&mut seen[(to >> 6 & 3) as usize], 1 << (to & 63));
        twice |= *word & bit;
        *word |= bit;
    }
    twice == 0
}
