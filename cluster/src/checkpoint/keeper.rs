//! Writes checkpoints for one worker.

use super::files::{FileInfo, write_file};
use super::manifest::{FORMAT, Generation, Manifest};
use crate::codec::{put, put_bytes};
use crate::exchange::Exchange;
use crate::message::{self, Kind};
use crate::network::hello::Identity;
use crate::part::{Concrete, Part};
use crate::totals::Totals;
use pidlab_explore::search::{Failure, Id, Store};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub struct Keeper {
    folder: PathBuf,
    every: Duration,
    worker: usize,
    identity: Identity,
    last: Instant,
    /// Levels that have been written.
    levels: u32,
    generations: Vec<Generation>,
    frontier: Vec<FileInfo>,
    /// In the names of files, so that two searches never write the same file.
    tag: String,
}

/// What a worker wrote.
#[derive(Serialize, Deserialize)]
struct Written {
    worker: usize,
    states: Option<FileInfo>,
    frontier: Option<FileInfo>,
    error: Option<String>,
}

impl Keeper {
    pub fn new(
        folder: PathBuf,
        every: Duration,
        worker: usize,
        identity: Identity,
        known: Option<Manifest>,
    ) -> Keeper {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let tag = format!("{:x}-{:x}", std::process::id(), now.as_nanos());
        let levels = known.as_ref().map_or(0, |known| known.totals.sizes.len() as u32);
        let (generations, frontier) =
            known.map_or_else(Default::default, |known| (known.generations, known.frontier));
        let last = Instant::now();
        Keeper { folder, every, worker, identity, last, levels, generations, frontier, tag }
    }

    /// Whether it is time for a checkpoint; the first worker says so for all.
    pub fn is_due(&self) -> bool {
        self.worker == 0 && self.last.elapsed() >= self.every
    }

    /// Writes what is new, together with all other workers.
    pub fn write<S: Store>(
        &mut self,
        part: &Part<S>,
        concrete: &Concrete,
        totals: &Totals,
        exchange: &mut Exchange,
    ) -> Result<(), Failure> {
        let own = self.write_own(part, concrete, totals.level());
        exchange.broadcast(&message::write(Kind::Written, &own)?);
        exchange.close()?;
        let mut written: Vec<Written> = Vec::new();
        while let Some(parcel) = exchange.arriving()? {
            written.push(message::read(message::open(&parcel)?.1)?);
        }
        if let Some(error) = written.iter().find_map(|written| written.error.clone()) {
            return Err(Failure::Setup(error));
        }
        written.sort_by_key(|written| written.worker);
        let (first_level, last_level) = (self.levels, totals.level());
        let files = written.iter().filter_map(|written| written.states.clone()).collect();
        self.generations.push(Generation { first_level, last_level, files });
        let frontier = written.into_iter().filter_map(|written| written.frontier).collect();
        let before = std::mem::replace(&mut self.frontier, frontier);
        self.levels = last_level + 1;
        self.last = Instant::now();
        if self.worker == 0 {
            self.write_manifest(totals)?;
            for file in before {
                // nobody needs it any more, and what stays does no harm
                let _ = std::fs::remove_file(self.folder.join(file.name));
            }
        }
        Ok(())
    }

    fn write_manifest(&self, totals: &Totals) -> Result<(), Failure> {
        let manifest = Manifest {
            format: FORMAT.into(),
            identity: self.identity.clone(),
            totals: totals.clone(),
            generations: self.generations.clone(),
            frontier: self.frontier.clone(),
        };
        manifest.write(&self.folder)
    }

    fn write_own<S: Store>(&self, part: &Part<S>, concrete: &Concrete, level: u32) -> Written {
        let (worker, tag) = (self.worker, &self.tag);
        let mut written = Written { worker, states: None, frontier: None, error: None };
        let states = format!("level-{level}-{worker}-{tag}.states");
        match write_file(&self.folder, &states, |to| self.write_states(part, level, to)) {
            Ok(file) => written.states = Some(file),
            Err(failure) => written.error = Some(failure.to_string()),
        }
        if part.concrete.is_some() && written.error.is_none() {
            let frontier = format!("level-{level}-{worker}-{tag}.frontier");
            match write_file(&self.folder, &frontier, |to| {
                write_frontier(part, concrete, level, to)
            }) {
                Ok(file) => written.frontier = Some(file),
                Err(failure) => written.error = Some(failure.to_string()),
            }
        }
        written
    }

    /// For each level the number of states, then the states: key, rank, predecessor, label.
    fn write_states<S: Store>(
        &self,
        part: &Part<S>,
        last: u32,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let (mut record, mut key) = (Vec::new(), Vec::new());
        for level in self.levels..=last {
            let states = part.level(level as usize);
            record.clear();
            put(&mut record, states.len() as u64);
            to.write_all(&record)?;
            for id in states {
                part.store.read(id as Id, &mut key);
                record.clear();
                put_bytes(&mut record, &key);
                put(&mut record, part.ranks[id].into());
                put(&mut record, part.parents[id].into());
                put(&mut record, part.labels[id].into());
                to.write_all(&record)?;
            }
        }
        Ok(())
    }
}

/// The key of each state of the last level, and the concrete state.
fn write_frontier<S: Store>(
    part: &Part<S>,
    concrete: &Concrete,
    level: u32,
    to: &mut dyn Write,
) -> io::Result<()> {
    let (mut record, mut key) = (Vec::new(), Vec::new());
    let states = part.level(level as usize);
    for (index, id) in states.enumerate() {
        part.store.read(id as Id, &mut key);
        record.clear();
        put_bytes(&mut record, &key);
        put_bytes(&mut record, concrete.get(index));
        to.write_all(&record)?;
    }
    Ok(())
}
