//! The scheduler: hands blocks to worker processes and sees to it that every row ends as a row.
//!
//! Each worker holds some blocks ahead, so it never waits for the next. Progress is read off the length
//! of its segment; a worker whose segment stops growing for longer than budget and grace is ended,
//! and the row it was at becomes a timeout. A worker that dies leaves its segment behind: the first
//! row in its order that is missing there is the one that killed it.

use crate::execute::estimate::Estimate;
use crate::execute::ledger::Ledger;
use crate::execute::pool::{self, Event, Pool};
use crate::execute::progress::Progress;
use crate::execute::signals::Signals;
use crate::kinds::Finding;
use crate::plan::Plan;
use crate::store::manifest::End;
use crate::store::overhead::{self, Overhead, Spent};
use crate::store::record::Status;
use crate::store::{RowSet, Store};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const TICK: Duration = Duration::from_millis(50);
/// A gap between two looks that long means that this process was stopped, and workers with it.
const ASLEEP: Duration = Duration::from_secs(2);
/// What a machine that loses power may lose; a killed process loses nothing.
const SYNC_EVERY: Duration = Duration::from_secs(5);
/// Enough that a worker with blocks of a millisecond never waits for a busy scheduler.
const BLOCKS_AHEAD: usize = 64;

/// How a session ended.
pub struct SessionEnd {
    pub end: End,
    pub rows: u64,
    pub lost: u64,
    pub overhead: Overhead,
    pub findings: Vec<Finding>,
    /// Why the run could not go on (disk full, broken worker).
    pub failure: Option<String>,
}

pub struct Scheduler<'r> {
    plan: &'r Plan,
    program: PathBuf,
    ledger: Ledger<'r>,
    queue: VecDeque<u64>,
    estimate: Estimate,
    pool: Pool,
    /// Workers that have reported blocks since they were last fed.
    finished: Vec<usize>,
    all: Spent,
    near_200: Spent,
    findings: Vec<Finding>,
    failure: Option<String>,
    stopping: bool,
}

impl<'r> Scheduler<'r> {
    pub fn new(
        plan: &'r Plan,
        store: &'r Store,
        session: usize,
        done: RowSet,
    ) -> anyhow::Result<Scheduler<'r>> {
        let ledger = Ledger::new(plan, store, session, done);
        let queue = plan.block_order().into_iter().filter(|&block| ledger.is_open(block));
        let queue: VecDeque<u64> = queue.collect();
        Ok(Scheduler {
            estimate: Estimate::of(queue.iter().map(|&block| plan.block(block))),
            queue,
            plan,
            program: pool::own_program()?,
            ledger,
            pool: Pool::default(),
            finished: Vec::new(),
            all: Spent::default(),
            near_200: Spent::default(),
            findings: Vec::new(),
            failure: None,
            stopping: false,
        })
    }

    /// Runs until every row is there, the user stops it, or something contradicts.
    pub fn run(mut self, workers: usize, signals: &Signals) -> anyhow::Result<SessionEnd> {
        let mut progress = Progress::new("", self.plan.rows_here(), self.ledger.done.count);
        let workers = workers.min(self.queue.len().max(1));
        for _ in 0..workers {
            self.hire();
        }
        let (mut looked, mut synced) = (Instant::now(), Instant::now());
        while self.pool.is_alive() {
            for event in self.pool.next_events(TICK) {
                self.handle(event);
            }
            self.feed_the_finished();
            // events come by the thousand; the rest is looked after once a tick
            if looked.elapsed() < TICK {
                continue;
            }
            if looked.elapsed() > ASLEEP {
                self.pool.forgive();
            }
            looked = Instant::now();
            self.pool.react_to_user(signals, &mut self.stopping);
            self.end_the_stuck();
            let rows = self.ledger.done.count + self.pool.rows_written();
            progress.set(rows, &mut self.estimate);
            if synced.elapsed() > SYNC_EVERY {
                self.pool.sync();
                synced = Instant::now();
            }
        }
        self.pool.sync();
        progress.finish();
        self.finish()
    }

    fn hire(&mut self) {
        let limits = &self.plan.experiment.budget;
        let patience = limits.time() * 2 + limits.grace();
        let name = (self.ledger.session, self.ledger.worker_name());
        match self.pool.hire(&self.program, self.ledger.store, name, patience) {
            Ok(id) => self.feed(id),
            Err(error) => self.fail(format!("{error:#}")),
        }
    }

    /// Fills up a worker's queue, or lets it go when nothing is left.
    fn feed(&mut self, id: usize) {
        // near the end blocks are handed out singly, so that no worker sits on the rest
        let ahead = (self.queue.len() / 4).clamp(2, BLOCKS_AHEAD);
        let room = if self.stopping { 0 } else { ahead.saturating_sub(self.pool.load(id)) };
        let mut orders = Vec::new();
        for _ in 0..room {
            let Some(block) = self.queue.pop_front() else { break };
            orders.push((block, self.ledger.skip(block)));
        }
        if !orders.is_empty() {
            self.pool.give(id, &orders);
        }
        if self.pool.load(id) == 0 {
            self.pool.dismiss(id);
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Done { worker, block, spent } => {
                let rows = self.finish_block(block, spent);
                self.pool.finished(worker, block, rows);
                self.finished.push(worker);
            }
            Event::Disagree { finding, .. } => {
                self.findings.push(finding);
                self.stop();
            }
            Event::Fatal { message } => self.fail(message),
            Event::Gone { worker } => self.replace(worker),
        }
    }

    /// Once for all blocks that were reported together: one write, one waking of the worker.
    fn feed_the_finished(&mut self) {
        let mut workers = std::mem::take(&mut self.finished);
        workers.dedup();
        workers.into_iter().for_each(|worker| self.feed(worker));
    }

    fn finish_block(&mut self, block: u64, spent: Spent) -> u64 {
        let rows = self.ledger.finish_block(block);
        self.all.add(spent);
        let key = self.plan.block(block);
        self.estimate.finish(key, spent.wall as f64);
        if (150..=250).contains(&key.1) {
            self.near_200.add(spent);
        }
        rows
    }

    /// A worker process has ended: by itself, by us, or by a backend.
    fn replace(&mut self, worker: usize) {
        let Some(ended) = self.pool.reap(worker) else { return };
        self.ledger.absorb(&ended);
        if self.stopping || ended.blocks.is_empty() {
            return;
        }
        if let Err(failure) = self.ledger.settle(&ended) {
            return self.fail(failure);
        }
        for &block in ended.blocks.iter().rev() {
            self.queue.push_front(block);
        }
        self.hire()
    }

    fn end_the_stuck(&mut self) {
        for id in self.pool.stuck() {
            self.pool.kill(id, Status::Timeout);
        }
    }

    /// The first reason is the one that is told.
    fn fail(&mut self, why: String) {
        self.failure.get_or_insert(why);
        self.stop();
    }

    fn stop(&mut self) {
        self.stopping = true;
        self.pool.dismiss_all();
    }

    fn finish(self) -> anyhow::Result<SessionEnd> {
        let complete = self.ledger.done.count == self.plan.rows_here();
        let end = End::of(!self.findings.is_empty(), self.failure.is_some(), complete);
        Ok(SessionEnd {
            end,
            rows: self.ledger.rows,
            lost: self.ledger.lost,
            overhead: overhead::of(&self.all, &self.near_200),
            findings: self.findings,
            failure: self.failure,
        })
    }
}
