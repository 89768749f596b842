//! What is known of the rows of one run folder while workers write it.
//!
//! Shared by everything that feeds workers: which rows are done, what a dead worker left, and the rows
//! that workers did not survive, which get a segment of their own.

use crate::execute::pool::EndedWorker;
use crate::plan::Plan;
use crate::store::messages::Messages;
use crate::store::record::Record;
use crate::store::segment::{self, Segment};
use crate::store::{RowSet, Store};

/// Workers that end before their first row has begun would otherwise be started forever.
const DEATHS_WITHOUT_ROW: u32 = 5;
/// A disk with less room than this counts as full: a worker may have died of it.
const ROOM: usize = 1 << 16;

pub struct Ledger<'r> {
    pub plan: &'r Plan,
    pub store: &'r Store,
    pub session: usize,
    pub done: RowSet,
    /// Rows of this session.
    pub rows: u64,
    /// Rows of this session that a worker did not survive.
    pub lost: u64,
    segment: Option<(Segment, Messages)>,
    idle_deaths: u32,
    /// Names of workers that left nothing, to be given again.
    free: Vec<String>,
    hired: usize,
}

impl<'r> Ledger<'r> {
    pub fn new(plan: &'r Plan, store: &'r Store, session: usize, done: RowSet) -> Ledger<'r> {
        Ledger {
            plan,
            store,
            session,
            done,
            rows: 0,
            lost: 0,
            segment: None,
            idle_deaths: 0,
            free: Vec::new(),
            hired: 0,
        }
    }

    /// A name for a new worker's files.
    pub fn worker_name(&mut self) -> String {
        self.free.pop().unwrap_or_else(|| {
            self.hired += 1;
            format!("worker-{:03}", self.hired - 1)
        })
    }

    /// Whether a block has rows to run.
    pub fn is_open(&self, block: u64) -> bool {
        self.plan.rows_of(block).any(|row| !self.done.contains(row))
    }

    /// The rows of a block that are there already.
    pub fn skip(&self, block: u64) -> Vec<u64> {
        self.plan.rows_of(block).filter(|&row| self.done.contains(row)).collect()
    }

    /// A worker has done a block; how many of its rows were not there before.
    pub fn finish_block(&mut self, block: u64) -> u64 {
        let rows = self.plan.rows_of(block).filter(|&row| self.done.insert(row)).count() as u64;
        self.rows += rows;
        rows
    }

    /// Takes over the rows that a worker left behind; files without a row are removed.
    pub fn absorb(&mut self, ended: &EndedWorker) {
        let written = segment::scan(&ended.segment, self.plan.digest())
            .map(|scan| scan.records)
            .unwrap_or_default();
        let fresh = written.iter().filter(|record| self.done.insert(record.row)).count() as u64;
        self.rows += fresh;
        if written.is_empty() && self.store.remove_segment(self.session, &ended.name).is_ok() {
            self.free.push(ended.name.clone());
        }
    }

    /// Settles the row that a worker died of; an error says why no worker can go on.
    pub fn settle(&mut self, ended: &EndedWorker) -> Result<(), String> {
        self.idle_deaths = if ended.started { 0 } else { self.idle_deaths + 1 };
        if self.idle_deaths >= DEATHS_WITHOUT_ROW {
            return Err(format!(
                "workers cannot start: {DEATHS_WITHOUT_ROW} of them ended before their first row ({})",
                ended.message()
            ));
        }
        if !ended.started {
            return Ok(());
        }
        // a row is not to blame for a full disk: it runs again when there is room
        self.probe_disk()?;
        self.record_loss(ended).map_err(|error| format!("cannot write a row: {error}"))
    }

    fn probe_disk(&self) -> Result<(), String> {
        let name = "log/room";
        let files = &self.store.files;
        let written = files.write(name, &[1; ROOM]).map_err(|e| format!("is the disk full? {e:#}"));
        written.and_then(|_| files.remove(name).map_err(|error| error.to_string()))
    }

    /// The first missing row of the first block was in flight.
    fn record_loss(&mut self, ended: &EndedWorker) -> anyhow::Result<()> {
        let rows = ended.blocks.iter().flat_map(|&block| self.plan.row_order(block));
        let Some(row) = rows.into_iter().find(|&row| !self.done.contains(row)) else {
            return Ok(());
        };
        let (segment, messages) = match &mut self.segment {
            Some(both) => both,
            none => {
                let path = self.store.new_segment(self.session, "lost")?;
                let segment = Segment::create(&path, self.plan.digest())?;
                none.insert((segment, Messages::beside(&path)))
            }
        };
        messages.add(row, &ended.message())?;
        segment.append(&Record::lost(row, ended.status))?;
        self.done.insert(row);
        self.rows += 1;
        self.lost += 1;
        Ok(())
    }
}
