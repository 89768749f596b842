//! Breadth-first search on several threads with the numbering of one.
//!
//! The unexpanded states, in order of their numbers, are taken in batches. While a batch is worked
//! on the store does not change: every thread decodes, generates and canonises its share and looks
//! the keys up; keys it does not find it keeps, once per source. Then one thread walks the batch in
//! order and inserts what is left. Numbers, predecessors, traces and counts are therefore those of
//! the sequential search, whatever the number of threads, and no lock is taken inside the loop.
//! What stays sequential is one insertion per new state and a few per duplicate within a batch.

use super::counters::{Stopwatch, Timing};
use super::limits::{StopReason, Watch};
use super::model::{Canoniser, Failure, Label, Model, Successors};
use super::options::Options;
use super::report::Report;
use super::store::{Id, Store, key_hash};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// States a thread takes at a time.
const CHUNK: usize = 64;
/// States in a batch, at most.
const BATCH: usize = 1 << 14;
/// Bytes of keys that one thread holds back before the batch ends early.
const HOLD: usize = 1 << 25;

pub(super) fn breadth_first<M: Model, C: Canoniser<M::State>, S: Store>(
    model: &M,
    canoniser: &C,
    store: &mut S,
    options: &Options<'_>,
) -> Result<Report, Failure> {
    let started = Instant::now();
    let watch = Watch::start(options.limits);
    let mut crew: Vec<_> =
        (0..options.threads).map(|_| Worker::new(model, canoniser, &watch)).collect();
    let mut report = Report::default();
    let mut merge = Merge { store, report: &mut report, options, watch: &watch };
    merge.initial(&mut crew[0])?;
    let mut next = 0;
    while next < merge.store.len() && merge.report.stopped.is_none() {
        let end = merge.store.len().min(next + BATCH);
        let chunks = run_batch(&mut crew, &*merge.store, next..end)?;
        for chunk in &chunks {
            if merge.chunk(chunk).is_err() {
                break;
            }
            next += chunk.sources.len();
        }
        merge.check_limits();
        recycle(&mut crew, chunks);
    }
    for worker in &crew {
        report.timing.add(&worker.timing);
    }
    report.elapsed = started.elapsed();
    report.key_bytes = store.key_bytes();
    report.index_bytes = store.index_bytes() + report.parents.bytes();
    Ok(report)
}

/// Works on the states of a range; the results come back in order.
fn run_batch<M: Model, C: Canoniser<M::State>, S: Store>(
    crew: &mut [Worker<'_, M, C>],
    store: &S,
    range: std::ops::Range<usize>,
) -> Result<Vec<Chunk>, Failure> {
    let turn = AtomicUsize::new(range.start);
    let mut chunks = Vec::new();
    if range.len() <= CHUNK {
        chunks.extend(crew[0].work(store, &turn, range.end)?);
        return Ok(chunks);
    }
    std::thread::scope(|scope| {
        let (first, others) = crew.split_first_mut().expect("a crew has one worker or more");
        let running: Vec<_> = others
            .iter_mut()
            .map(|worker| scope.spawn(|| worker.work(store, &turn, range.end)))
            .collect();
        chunks.extend(first.work(store, &turn, range.end)?);
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
#[derive(Default)]
struct Chunk {
    first: Id,
    sources: Vec<Source>,
    targets: Vec<Target>,
    keys: Vec<u8>,
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

impl Chunk {
    fn key(&self, target: &Target) -> &[u8] {
        &self.keys[target.start as usize..][..target.len as usize]
    }

    fn clear(&mut self, first: Id) {
        self.first = first;
        self.sources.clear();
        self.targets.clear();
        self.keys.clear();
    }

    /// Adds a target of the source that began at `start` unless it is there.
    fn add(&mut self, start: usize, label: Label, id: Id, hash: u64, key: &[u8]) {
        let known = self.targets[start..].iter().any(|t| {
            t.label == label && t.id == id && (id != NEW || t.hash == hash && self.key(t) == key)
        });
        if known {
            return;
        }
        let (at, len) = (self.keys.len() as u32, key.len() as u32);
        if id == NEW {
            self.keys.extend_from_slice(key);
        }
        self.targets.push(Target { label, id, hash, start: at, len });
    }
}

/// One thread's tools.
struct Worker<'r, M: Model, C: Canoniser<M::State>> {
    model: &'r M,
    canoniser: &'r C,
    moves: M::Worker,
    keys: C::Worker,
    state: M::State,
    successors: Successors<M::State>,
    key: Vec<u8>,
    spare: Vec<Chunk>,
    expanded: u64,
    timing: Timing,
    watch: &'r Watch<'r>,
}

impl<'r, M: Model, C: Canoniser<M::State>> Worker<'r, M, C> {
    fn new(model: &'r M, canoniser: &'r C, watch: &'r Watch<'r>) -> Worker<'r, M, C> {
        Worker {
            model,
            canoniser,
            moves: model.worker(),
            keys: canoniser.worker(),
            state: M::State::default(),
            successors: Successors::new(),
            key: Vec::new(),
            spare: Vec::new(),
            expanded: 0,
            timing: Timing::default(),
            watch,
        }
    }

    /// Takes chunks until the range is used up, a limit is reached or enough keys are on hold;
    /// what was taken is always finished, so the chunks of all threads have no gap.
    fn work<S: Store>(
        &mut self,
        store: &S,
        turn: &AtomicUsize,
        end: usize,
    ) -> Result<Vec<Chunk>, Failure> {
        let mut done: Vec<Chunk> = Vec::new();
        let mut held = 0;
        loop {
            if !done.is_empty() && (held > HOLD || self.watch.check(0).is_err()) {
                return Ok(done);
            }
            let first = turn.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= end {
                return Ok(done);
            }
            let mut chunk = self.spare.pop().unwrap_or_default();
            chunk.clear(first as Id);
            for id in first..end.min(first + CHUNK) {
                self.expand(store, id as Id, &mut chunk)?;
            }
            held += chunk.keys.len();
            done.push(chunk);
        }
    }

    fn expand<S: Store>(&mut self, store: &S, id: Id, chunk: &mut Chunk) -> Result<(), Failure> {
        let mut watch = Stopwatch::sample(self.expanded);
        self.expanded += 1;
        store.read(id, &mut self.key);
        self.canoniser.decode(&mut self.keys, &self.key, &mut self.state);
        let findings = self.model.inspect(&mut self.moves, &self.state)?;
        self.successors.clear();
        self.model.successors(&mut self.moves, &self.state, &mut self.successors)?;
        watch.lap(&mut self.timing.generate);
        let start = chunk.targets.len();
        let mut transitions = 0;
        for index in 0..self.successors.len() {
            self.canoniser.key(&mut self.keys, self.successors.state(index), &mut self.key)?;
            watch.lap(&mut self.timing.canonise);
            let hash = key_hash(&self.key);
            let to = store.find(&self.key, hash).unwrap_or(NEW);
            let tag = self.successors.tag(index);
            transitions += u64::from(tag.weight);
            chunk.add(start, tag.label, to, hash, &self.key);
            watch.lap(&mut self.timing.store);
        }
        let targets = chunk.targets.len() as u32;
        chunk.sources.push(Source { findings, transitions, targets });
        Ok(())
    }
}

/// Hands used chunks back, evenly.
fn recycle<M: Model, C: Canoniser<M::State>>(crew: &mut [Worker<'_, M, C>], chunks: Vec<Chunk>) {
    let threads = crew.len();
    for (i, chunk) in chunks.into_iter().enumerate() {
        crew[i % threads].spare.push(chunk);
    }
}

/// The sequential half: inserts in order and counts.
struct Merge<'m, 'o, S> {
    store: &'m mut S,
    report: &'m mut Report,
    options: &'m Options<'o>,
    watch: &'m Watch<'o>,
}

/// The search is over.
struct Stopped;

impl<S: Store> Merge<'_, '_, S> {
    fn initial<M: Model, C: Canoniser<M::State>>(
        &mut self,
        worker: &mut Worker<'_, M, C>,
    ) -> Result<(), Failure> {
        worker.model.initial(&mut worker.moves, &mut worker.successors)?;
        for index in 0..worker.successors.len() {
            let state = worker.successors.state(index);
            worker.canoniser.key(&mut worker.keys, state, &mut worker.key)?;
            if let Some((_, true)) = self.admit(&worker.key, key_hash(&worker.key)) {
                self.report.parents.push_initial();
            }
        }
        Ok(())
    }

    fn admit(&mut self, key: &[u8], hash: u64) -> Option<(Id, bool)> {
        if self.watch.full(self.report.counters.states) {
            let known = self.store.find(key, hash);
            if known.is_none() {
                self.report.stopped.get_or_insert(StopReason::MaxStates);
            }
            return known.map(|id| (id, false));
        }
        let (id, fresh) = self.store.insert(key, hash);
        self.report.counters.states += u64::from(fresh);
        Some((id, fresh))
    }

    fn chunk(&mut self, chunk: &Chunk) -> Result<(), Stopped> {
        let mut start = 0;
        for (offset, source) in chunk.sources.iter().enumerate() {
            if self.report.stopped.is_some() {
                return Err(Stopped);
            }
            let id = chunk.first + offset as Id;
            let end = source.targets as usize;
            self.source(id, source, &chunk.targets[start..end], chunk)?;
            start = end;
        }
        Ok(())
    }

    fn source(
        &mut self,
        id: Id,
        source: &Source,
        targets: &[Target],
        chunk: &Chunk,
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
            let to = self.target(id, target, chunk, &mut new)?;
            if self.options.record_edges {
                self.report.edges.push((id, target.label, to));
            }
        }
        self.report.counters.edges += targets.len() as u64;
        self.report.counters.transitions += source.transitions;
        self.report.counters.seen += source.transitions - new;
        Ok(())
    }

    fn target(
        &mut self,
        from: Id,
        target: &Target,
        chunk: &Chunk,
        new: &mut u64,
    ) -> Result<Id, Stopped> {
        if target.id != NEW {
            return Ok(target.id);
        }
        let (to, fresh) = self.admit(chunk.key(target), target.hash).ok_or(Stopped)?;
        if fresh {
            *new += 1;
            self.report.parents.push(from, target.label);
        }
        Ok(to)
    }

    fn check_limits(&mut self) {
        let edges = (self.report.edges.capacity() * size_of::<super::Edge>()) as u64;
        let bytes =
            self.store.key_bytes() + self.store.index_bytes() + self.report.parents.bytes() + edges;
        if let Err(reason) = self.watch.check(bytes) {
            self.report.stopped.get_or_insert(reason);
        }
        if let Some(progress) = self.options.progress {
            progress(&self.report.counters);
        }
    }
}
