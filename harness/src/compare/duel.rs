//! Two programs on the same rows, in turn: what the machine does to one it does to the other.
//!
//! A lane is one worker of each program of which only one works at a time. Every block goes to one of
//! them and right after to the other; a seeded coin says who is first. There are as many lanes as
//! workers were asked for, and each round starts its processes anew, because where a process comes to
//! lie in memory changes its speed by some per cent for as long as it lives.

use crate::execute::estimate::Estimate;
use crate::execute::ledger::Ledger;
use crate::execute::pool::{Event, Pool};
use crate::execute::progress::Progress;
use crate::execute::signals::Signals;
use crate::kinds::Finding;
use crate::plan::Plan;
use crate::store::manifest::End;
use crate::store::overhead::{self, Overhead, Spent};
use crate::store::record::Status;
use pidlab_random::Rng;
use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

const TICK: Duration = Duration::from_millis(20);
const COIN: u64 = 3 << 61;

/// One of the two: a program and the folder its rows go to.
pub struct Side<'r> {
    pub program: &'r Path,
    pub ledger: Ledger<'r>,
}

struct Lane {
    /// Numbers of the two workers in the pool.
    workers: [usize; 2],
    block: u64,
    /// Which side works on the block now.
    side: usize,
    /// Whether the other side has still to do the block.
    first: bool,
}

pub struct Duel<'r> {
    plan: &'r Plan,
    sides: [Side<'r>; 2],
    lanes: Vec<Option<Lane>>,
    queue: VecDeque<u64>,
    estimate: Estimate,
    coin: Rng,
    pool: Pool,
    spent: Spent,
    findings: Vec<(usize, Finding)>,
    failure: Option<String>,
    stopping: bool,
}

/// How a round ended: findings say which side they are of.
pub struct DuelEnd {
    pub end: End,
    pub rows: [u64; 2],
    pub lost: [u64; 2],
    pub overhead: Overhead,
    pub findings: Vec<(usize, Finding)>,
    pub failure: Option<String>,
}

impl<'r> Duel<'r> {
    pub fn new(plan: &'r Plan, sides: [Side<'r>; 2], round: u64) -> Duel<'r> {
        let open = |block: &u64| sides.iter().any(|side| side.ledger.is_open(*block));
        let queue: VecDeque<u64> = plan.block_order().into_iter().filter(open).collect();
        // each block is done twice
        let keys = queue.iter().map(|&block| plan.block(block));
        Duel {
            plan,
            sides,
            lanes: Vec::new(),
            estimate: Estimate::of(keys.clone().chain(keys)),
            queue,
            coin: Rng::for_analysis(plan.seed, COIN | round),
            pool: Pool::default(),
            spent: Spent::default(),
            findings: Vec::new(),
            failure: None,
            stopping: false,
        }
    }

    pub fn run(
        mut self,
        progress: impl FnOnce(u64, u64) -> Progress,
        lanes: usize,
        signals: &Signals,
    ) -> anyhow::Result<DuelEnd> {
        let mut progress = progress(2 * self.plan.rows(), self.rows_done());
        for _ in 0..lanes.min(self.queue.len()) {
            let workers = [self.hire(0)?, self.hire(1)?];
            self.lanes.push(Some(Lane { workers, block: 0, side: 0, first: false }));
            self.advance(self.lanes.len() - 1);
        }
        while self.pool.is_alive() {
            for event in self.pool.next_events(TICK) {
                self.handle(event)?;
            }
            self.pool.react_to_user(signals, &mut self.stopping);
            for id in self.pool.stuck() {
                self.pool.kill(id, Status::Timeout);
            }
            progress.set(self.rows_done(), &mut self.estimate);
        }
        self.pool.sync();
        progress.finish();
        Ok(self.finish())
    }

    fn rows_done(&self) -> u64 {
        self.sides.iter().map(|side| side.ledger.done.count).sum()
    }

    fn hire(&mut self, side: usize) -> anyhow::Result<usize> {
        let limits = &self.plan.experiment.budget;
        let patience = limits.time() * 2 + limits.grace();
        let side = &mut self.sides[side];
        let name = (side.ledger.session, side.ledger.worker_name());
        self.pool.hire(side.program, side.ledger.store, name, patience)
    }

    /// Gives a lane its block's other side or the next block, or lets it go.
    fn advance(&mut self, number: usize) {
        let Some(lane) = &mut self.lanes[number] else { return };
        if lane.first && !self.stopping {
            (lane.side, lane.first) = (1 - lane.side, false);
        } else if let Some(block) = self.queue.pop_front().filter(|_| !self.stopping) {
            (lane.block, lane.side, lane.first) = (block, self.coin.index(2), true);
        } else {
            let workers = lane.workers;
            self.lanes[number] = None;
            workers.into_iter().for_each(|id| self.pool.dismiss(id));
            return;
        }
        self.give(number);
    }

    fn give(&mut self, number: usize) {
        let Some(lane) = &self.lanes[number] else { return };
        let skip = self.sides[lane.side].ledger.skip(lane.block);
        self.pool.give(lane.workers[lane.side], &[(lane.block, skip)]);
    }

    /// The lane and side of a worker.
    fn seat(&self, worker: usize) -> Option<(usize, usize)> {
        self.lanes.iter().enumerate().find_map(|(number, lane)| {
            let side = lane.as_ref()?.workers.iter().position(|&id| id == worker)?;
            Some((number, side))
        })
    }

    fn handle(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::Done { worker, block, spent } => {
                let seat = self.seat(worker);
                let rows = seat.map_or(0, |(_, side)| self.sides[side].ledger.finish_block(block));
                self.pool.finished(worker, block, rows);
                if let Some((lane, _)) = seat {
                    self.spent.add(spent);
                    self.estimate.finish(self.plan.block(block), spent.wall as f64);
                    self.advance(lane);
                }
            }
            Event::Disagree { worker, finding } => {
                let side = self.seat(worker).map_or(0, |(_, side)| side);
                self.findings.push((side, finding));
                self.stop();
            }
            Event::Fatal { message } => {
                self.failure.get_or_insert(message);
                self.stop();
            }
            Event::Gone { worker } => self.replace(worker)?,
        }
        Ok(())
    }

    fn replace(&mut self, worker: usize) -> anyhow::Result<()> {
        let (Some(ended), Some((number, side))) = (self.pool.reap(worker), self.seat(worker))
        else {
            return Ok(());
        };
        self.sides[side].ledger.absorb(&ended);
        if self.stopping {
            return Ok(());
        }
        if let Err(failure) = self.sides[side].ledger.settle(&ended) {
            let program = self.sides[side].program.display();
            self.failure = Some(format!("{program}: {failure}"));
            self.stop();
            return Ok(());
        }
        let replacement = self.hire(side)?;
        if let Some(lane) = &mut self.lanes[number] {
            lane.workers[side] = replacement;
            if lane.side == side {
                self.give(number);
            }
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.stopping = true;
        self.pool.dismiss_all();
    }

    fn finish(self) -> DuelEnd {
        let complete = self.rows_done() == 2 * self.plan.rows();
        let end = End::of(!self.findings.is_empty(), self.failure.is_some(), complete);
        DuelEnd {
            end,
            rows: [self.sides[0].ledger.rows, self.sides[1].ledger.rows],
            lost: [self.sides[0].ledger.lost, self.sides[1].ledger.lost],
            overhead: overhead::of(&self.spent, &Spent::default()),
            findings: self.findings,
            failure: self.failure,
        }
    }
}
