//! Breadth-first search on several threads with the numbering of one.
//!
//! The unexpanded states, in order of their numbers, are taken in batches. While a batch is worked
//! on the store does not change: every thread decodes, generates and canonises its share and looks
//! the keys up; keys it does not find it keeps, once per source. Then one thread walks the batch in
//! order and inserts what is left. Numbers, predecessors, traces and counts are therefore those of
//! the sequential search, whatever the number of threads, and no lock is taken inside the loop.
//! What stays sequential is one insertion per new state and a few per duplicate within a batch. A
//! search that goes on from concrete states has them wait in a queue, the first of each class.

use super::batch::KeyBatch;
use super::counters::{Stopwatch, Timing};
use super::limits::Limits;
use super::model::{Canonizer, Failure, Label, Model, Successors};
use super::options::{Continue, Options};
use super::report::SearchReport;
use super::store::{Id, Store, key_hash};
use pidlab_budget::{Budget, Exhausted};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// States a thread takes at a time.
const CHUNK: usize = 64;
/// States whose successors are looked up together.
const TOGETHER: usize = 8;
/// States in a batch, at most.
const BATCH: usize = 1 << 14;
/// Bytes of keys that one thread holds back before the batch ends early.
const HOLD: usize = 1 << 25;

pub(super) fn breadth_first<M: Model, C: Canonizer<M::State>, S: Store>(
    model: &M,
    canonizer: &C,
    store: &mut S,
    options: &Options<'_>,
) -> Result<SearchReport, Failure> {
    let started = Instant::now();
    let limits = options.limits.clone();
    let mut crew: Vec<_> =
        (0..options.threads).map(|_| Worker::new(model, canonizer, &limits.budget)).collect();
    let mut report = SearchReport::default();
    let queue = (options.from == Continue::Concrete).then(VecDeque::new);
    let mut merge = Merge { store, queue, report: &mut report, options, limits };
    let end = merge.run(&mut crew);
    report.note_end(end)?;
    for worker in &crew {
        report.timing.add(&worker.timing);
    }
    report.elapsed = started.elapsed();
    report.key_bytes = store.key_bytes();
    report.parent_bytes = report.parents.bytes();
    report.index_bytes = store.index_bytes() + report.parent_bytes;
    Ok(report)
}

/// The states to expand: numbers, and what they stand for.
struct Batch<'b, T, S> {
    store: &'b S,
    /// Concrete states from the first number on.
    queue: Option<&'b VecDeque<T>>,
    range: Range<usize>,
    /// The next number to take.
    turn: AtomicUsize,
}

/// Works on a batch; the results come back in order.
fn run_batch<M: Model, C: Canonizer<M::State>, S: Store>(
    crew: &mut [Worker<'_, M, C>],
    batch: &Batch<'_, M::State, S>,
) -> Result<Vec<Chunk<M::State>>, Failure> {
    let mut chunks = Vec::new();
    if batch.range.len() <= CHUNK {
        chunks.extend(crew[0].work(batch)?);
        return Ok(chunks);
    }
    std::thread::scope(|scope| {
        let (first, others) = crew.split_first_mut().expect("a crew has one worker or more");
        let running: Vec<_> =
            others.iter_mut().map(|worker| scope.spawn(|| worker.work(batch))).collect();
        chunks.extend(first.work(batch)?);
        for thread in running {
            chunks.extend(thread.join().map_err(|_| Failure::Model(PANIC.into()))??);
        }
        Ok::<(), Failure>(())
    })?;
    chunks.sort_unstable_by_key(|chunk| chunk.first);
    Ok(chunks)
}

const PANIC: &str = "a search thread panicked; this is a bug";

/// What became of consecutive states.
struct Chunk<T> {
    first: Id,
    sources: Vec<Source>,
    targets: Vec<Target>,
    keys: Vec<u8>,
    /// Concrete states of the targets that the store does not know, in their order.
    states: Vec<T>,
}

/// Summary of one expanded state.
struct Source {
    findings: u64,
    transitions: u64,
    /// End of its targets.
    targets: u32,
}

/// One distinct (label, target) of a source.
struct Target {
    label: Label,
    /// Number of the target, or [`NEW`] where the store does not know it.
    id: Id,
    hash: u64,
    /// Its key within the chunk, if it is new.
    start: u32,
    len: u32,
}

const NEW: Id = Id::MAX;

impl<T> Default for Chunk<T> {
    fn default() -> Chunk<T> {
        let (sources, targets, keys, states) = Default::default();
        Chunk { first: 0, sources, targets, keys, states }
    }
}

impl<T> Chunk<T> {
    fn key(&self, target: &Target) -> &[u8] {
        &self.keys[target.start as usize..][..target.len as usize]
    }

    fn clear(&mut self, first: Id) {
        self.first = first;
        self.sources.clear();
        self.targets.clear();
        self.keys.clear();
        self.states.clear();
    }

    /// Adds a target of the source that began at `start`; `false` if it is there already.
    fn add(&mut self, start: usize, label: Label, id: Id, hash: u64, key: &[u8]) -> bool {
        let known = self.targets[start..].iter().any(|t| {
            t.label == label && t.id == id && (id != NEW || t.hash == hash && self.key(t) == key)
        });
        if known {
            return false;
        }
        let (at, len) = (self.keys.len() as u32, key.len() as u32);
        if id == NEW {
            self.keys.extend_from_slice(key);
        }
        self.targets.push(Target { label, id, hash, start: at, len });
        true
    }
}

/// One thread's tools.
struct Worker<'r, M: Model, C: Canonizer<M::State>> {
    model: &'r M,
    canonizer: &'r C,
    moves: M::Worker,
    keys: C::Worker,
    state: M::State,
    successors: Successors<M::State>,
    key: Vec<u8>,
    batch: KeyBatch,
    /// Findings of the states being expanded, and where their successors end.
    opened: Vec<(u64, usize)>,
    spare: Vec<Chunk<M::State>>,
    expanded: u64,
    timing: Timing,
    budget: Budget,
    /// A limit reached within a chunk.
    exhausted: Option<Exhausted>,
}

impl<'r, M: Model, C: Canonizer<M::State>> Worker<'r, M, C> {
    fn new(model: &'r M, canonizer: &'r C, budget: &Budget) -> Worker<'r, M, C> {
        let (mut keys, mut moves) = (canonizer.worker(), model.worker());
        canonizer.allow(&mut keys, budget);
        model.allow(&mut moves, budget);
        Worker {
            model,
            canonizer,
            moves,
            keys,
            state: M::State::default(),
            successors: Successors::new(),
            key: Vec::new(),
            batch: KeyBatch::new(budget),
            opened: Vec::new(),
            spare: Vec::new(),
            expanded: 0,
            timing: Timing::default(),
            budget: budget.clone(),
            exhausted: None,
        }
    }

    /// Takes chunks until the batch is used up, a limit is reached or enough keys are on hold;
    /// what was taken is always finished, so the chunks of all threads have no gap but where a limit
    /// was reached within a chunk.
    fn work<S: Store>(
        &mut self,
        batch: &Batch<'_, M::State, S>,
    ) -> Result<Vec<Chunk<M::State>>, Failure> {
        let mut done: Vec<Chunk<M::State>> = Vec::new();
        let mut held = 0;
        let end = batch.range.end;
        loop {
            if !done.is_empty() && (held > HOLD || self.budget.poll().is_err()) {
                return Ok(done);
            }
            let first = batch.turn.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= end {
                return Ok(done);
            }
            let mut chunk = self.spare.pop().unwrap_or_default();
            chunk.clear(first as Id);
            let last = end.min(first + CHUNK);
            for start in (first..last).step_by(TOGETHER) {
                match self.expand(batch, start..last.min(start + TOGETHER), &mut chunk) {
                    Err(Failure::Limit(what)) => {
                        self.exhausted = Some(what);
                        done.push(chunk);
                        return Ok(done);
                    }
                    other => other?,
                }
            }
            held += chunk.keys.len();
            done.push(chunk);
        }
    }

    /// Expands a few states and looks up the successors of all of them together.
    fn expand<S: Store>(
        &mut self,
        batch: &Batch<'_, M::State, S>,
        ids: Range<usize>,
        chunk: &mut Chunk<M::State>,
    ) -> Result<(), Failure> {
        let mut watch = Stopwatch::sample(self.expanded / TOGETHER as u64);
        self.successors.clear();
        self.opened.clear();
        // what was opened before a limit was reached is looked up all the same
        let opened = ids.into_iter().try_for_each(|id| self.open(batch, id));
        let count = self.opened.last().map_or(0, |&(_, end)| end);
        while self.successors.len() > count {
            self.successors.retract();
        }
        watch.lap(&mut self.timing.generate);
        let all = 0..self.successors.len();
        self.batch.fill(self.canonizer, &mut self.keys, &self.successors, all)?;
        watch.lap(&mut self.timing.canonize);
        batch.store.warm(&self.batch);
        let mut next = 0;
        for &(findings, end) in &self.opened {
            let (start, mut transitions) = (chunk.targets.len(), 0);
            for index in next..end {
                let (key, hash) = self.batch.get(index);
                let to = batch.store.find(key, hash).unwrap_or(NEW);
                let tag = self.successors.tag(index);
                transitions += u64::from(tag.weight);
                let is_added = chunk.add(start, tag.label, to, hash, key);
                if is_added && to == NEW && batch.queue.is_some() {
                    let mut state = M::State::default();
                    self.successors.swap(index, &mut state);
                    chunk.states.push(state);
                }
            }
            next = end;
            let targets = chunk.targets.len() as u32;
            chunk.sources.push(Source { findings, transitions, targets });
        }
        watch.lap(&mut self.timing.store);
        opened
    }

    /// Adds the successors of a state to those that are there.
    #[inline]
    fn open<S: Store>(&mut self, batch: &Batch<'_, M::State, S>, id: usize) -> Result<(), Failure> {
        self.expanded += 1;
        let state = match batch.queue {
            Some(queue) => &queue[id - batch.range.start],
            None => {
                batch.store.read(id as Id, &mut self.key);
                self.canonizer.decode(&mut self.keys, &self.key, &mut self.state);
                &self.state
            }
        };
        let findings = self.model.inspect(&mut self.moves, state)?;
        self.model.successors(&mut self.moves, state, &mut self.successors)?;
        self.opened.push((findings, self.successors.len()));
        Ok(())
    }
}

/// Hands used chunks back, evenly.
fn recycle<M: Model, C: Canonizer<M::State>>(
    crew: &mut [Worker<'_, M, C>],
    chunks: Vec<Chunk<M::State>>,
) {
    let threads = crew.len();
    for (i, chunk) in chunks.into_iter().enumerate() {
        crew[i % threads].spare.push(chunk);
    }
}

/// The sequential half: inserts in order and counts.
struct Merge<'m, 'o, T, S> {
    store: &'m mut S,
    /// Concrete states that wait to be expanded, if the search goes on from those.
    queue: Option<VecDeque<T>>,
    report: &'m mut SearchReport,
    options: &'m Options<'o>,
    limits: Limits,
}

/// The search is over.
struct Stopped;

impl<T: Default + Sync, S: Store> Merge<'_, '_, T, S> {
    fn run<M, C>(&mut self, crew: &mut [Worker<'_, M, C>]) -> Result<(), Failure>
    where
        M: Model<State = T>,
        C: Canonizer<T>,
    {
        self.initial(&mut crew[0])?;
        let mut next = 0;
        while next < self.store.len() && self.report.stopped.is_none() {
            let range = next..self.store.len().min(next + BATCH);
            let turn = AtomicUsize::new(next);
            let batch = Batch { store: &*self.store, queue: self.queue.as_ref(), range, turn };
            let mut chunks = run_batch(crew, &batch)?;
            let first = next;
            for chunk in &mut chunks {
                // what lies behind a gap was reached out of order
                if chunk.first as usize != next || self.chunk(chunk).is_err() {
                    break;
                }
                next += chunk.sources.len();
            }
            if let Some(queue) = &mut self.queue {
                queue.drain(..next - first);
            }
            if let Some(what) = crew.iter().find_map(|worker| worker.exhausted) {
                self.report.stopped.get_or_insert(what.into());
            }
            self.check_limits();
            recycle(crew, chunks);
        }
        Ok(())
    }

    fn initial<M, C>(&mut self, worker: &mut Worker<'_, M, C>) -> Result<(), Failure>
    where
        M: Model<State = T>,
        C: Canonizer<T>,
    {
        worker.model.initial(&mut worker.moves, &mut worker.successors)?;
        for index in 0..worker.successors.len() {
            let state = worker.successors.state(index);
            worker.canonizer.key(&mut worker.keys, state, &mut worker.key)?;
            if let Some((_, true)) = self.admit(&worker.key, key_hash(&worker.key)) {
                self.report.parents.push_initial();
                if let Some(queue) = &mut self.queue {
                    let mut state = T::default();
                    worker.successors.swap(index, &mut state);
                    queue.push_back(state);
                }
            }
        }
        Ok(())
    }

    fn admit(&mut self, key: &[u8], hash: u64) -> Option<(Id, bool)> {
        self.report.admit(self.store, &self.limits, key, hash)
    }

    fn chunk(&mut self, chunk: &mut Chunk<T>) -> Result<(), Stopped> {
        let mut start = 0;
        let mut states = std::mem::take(&mut chunk.states).into_iter();
        let chunk = &*chunk;
        // all places in the table at once, so that the processor does not wait for one after another
        let new = chunk.targets.iter().filter(|target| target.id == NEW);
        std::hint::black_box(new.fold(0, |sum, target| sum ^ self.store.peek_table(target.hash)));
        for (offset, source) in chunk.sources.iter().enumerate() {
            let end = source.targets as usize;
            if let Err(what) = self.limits.budget.spend(64 * (end - start) as u64) {
                self.report.stopped.get_or_insert(what.into());
            }
            if self.report.stopped.is_some() {
                return Err(Stopped);
            }
            let id = chunk.first + offset as Id;
            self.source(id, source, &chunk.targets[start..end], chunk, &mut states)?;
            start = end;
        }
        Ok(())
    }

    fn source(
        &mut self,
        id: Id,
        source: &Source,
        targets: &[Target],
        chunk: &Chunk<T>,
        states: &mut std::vec::IntoIter<T>,
    ) -> Result<(), Stopped> {
        self.report.counters.expanded += 1;
        self.report.note(source.findings, id, self.options.stop_at);
        if self.report.stopped.is_some() {
            return Err(Stopped);
        }
        if targets.is_empty() {
            self.report.note_deadlock(id, source.findings, self.options);
        }
        let mut new = 0;
        for target in targets {
            let (to, fresh) = self.target(id, target, chunk, states)?;
            new += u64::from(fresh);
            self.report.counters.edges += 1;
            if self.options.record_edges {
                self.report.edges.push((id, target.label, to));
            }
        }
        self.report.counters.transitions += source.transitions;
        self.report.counters.seen += source.transitions - new;
        Ok(())
    }

    /// The number of a target, and whether it is new.
    fn target(
        &mut self,
        from: Id,
        target: &Target,
        chunk: &Chunk<T>,
        states: &mut std::vec::IntoIter<T>,
    ) -> Result<(Id, bool), Stopped> {
        if target.id != NEW {
            return Ok((target.id, false));
        }
        let state = states.next();
        let (to, fresh) = self.admit(chunk.key(target), target.hash).ok_or(Stopped)?;
        if fresh {
            self.report.parents.push(from, target.label);
            if let Some(queue) = &mut self.queue {
                queue.extend(state);
            }
        }
        Ok((to, fresh))
    }

    fn check_limits(&mut self) {
        let edges = (self.report.edges.capacity() * size_of::<super::Edge>()) as u64;
        let queue = self.queue.as_ref().map_or(0, |q| (q.capacity() * size_of::<T>()) as u64);
        let stored = self.store.key_bytes() + self.store.index_bytes();
        let bytes = stored + self.report.parents.bytes() + edges + queue;
        self.limits.budget.hold(bytes);
        if let Err(what) = self.limits.budget.poll() {
            self.report.stopped.get_or_insert(what.into());
        }
        if let Some(progress) = self.options.progress {
            progress(&self.report.counters);
        }
    }
}
