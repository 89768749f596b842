//! What is known of the rows of one run folder while workers write it.
//!
//! Shared by everything that feeds workers: which rows are done, what a dead worker left, and the rows
//! that workers did not survive, which get a segment of their own.

use crate::execute::pool::Grave;
use crate::plan::Plan;
use crate::store::record::{Record, Status};
use crate::store::segment::{self, Segment};
use crate::store::{Rows, Store};
use anyhow::Context;

/// Workers that cannot even start would otherwise be started forever.
const DEATHS_WITHOUT_ROW: u32 = 5;

pub struct Ledger<'r> {
    pub plan: &'r Plan,
    pub store: &'r Store,
    pub session: usize,
    pub done: Rows,
    /// Rows of this session.
    pub rows: u64,
    /// Rows of this session that a worker did not survive.
    pub lost: u64,
    segment: Option<Segment>,
    barren_deaths: u32,
}

impl<'r> Ledger<'r> {
    pub fn new(plan: &'r Plan, store: &'r Store, session: usize, done: Rows) -> Ledger<'r> {
        Ledger { plan, store, session, done, rows: 0, lost: 0, segment: None, barren_deaths: 0 }
    }

    /// Whether a block has rows to run.
    pub fn is_open(&self, block: u64) -> bool {
        self.plan.rows_of(block).any(|row| !self.done.contains(row))
    }

    /// The rows of a block that are there already.
    pub fn skip(&self, block: u64) -> Vec<u64> {
        self.plan.rows_of(block).filter(|&row| self.done.contains(row)).collect()
    }

    pub fn finish_block(&mut self, block: u64) {
        for row in self.plan.rows_of(block) {
            self.rows += u64::from(self.done.insert(row));
        }
    }

    /// Takes over the rows that a worker left behind.
    pub fn absorb(&mut self, grave: &Grave) {
        let written = segment::scan(&grave.segment, self.plan.digest())
            .map(|scan| scan.records)
            .unwrap_or_default();
        let fresh = written.iter().filter(|record| self.done.insert(record.row)).count() as u64;
        self.rows += fresh;
    }

    /// Settles the row that a worker died of; an error if workers cannot even start.
    pub fn settle(&mut self, grave: &Grave) -> anyhow::Result<Result<(), String>> {
        // one that got as far as its segment cost a row and cannot go on forever
        self.barren_deaths = if grave.started { 0 } else { self.barren_deaths + 1 };
        if self.barren_deaths >= DEATHS_WITHOUT_ROW {
            return Ok(Err(format!("workers cannot start: {}", grave.last_words)));
        }
        if grave.started {
            self.record_loss(&grave.blocks, grave.status)?;
        }
        Ok(Ok(()))
    }

    /// The first missing row of the first block was in flight.
    fn record_loss(&mut self, blocks: &[u64], status: Status) -> anyhow::Result<()> {
        let rows = blocks.iter().flat_map(|&block| self.plan.row_order(block));
        let Some(row) = rows.into_iter().find(|&row| !self.done.contains(row)) else {
            return Ok(());
        };
        if self.segment.is_none() {
            let path = self.store.segment_path(self.session, "lost");
            self.segment = Some(Segment::create(&path, self.plan.digest())?);
        }
        if let Some(segment) = &mut self.segment {
            segment.append(&Record::lost(row, status)).context("cannot write a row")?;
        }
        self.done.insert(row);
        self.rows += 1;
        self.lost += 1;
        Ok(())
    }
}
