//! The rows of a run folder, read from its segments.

use super::folder::{self, Folder};
use super::messages::Messages;
use super::record::Record;
use super::segment::{self, Scan, SegmentError};
use rustc_hash::FxHashMap;
use std::path::Path;

/// What earlier sessions left.
pub struct FoundRows {
    /// The rows.
    pub records: Vec<Record>,
    /// The session of each of them, as the manifest counts them.
    pub sessions: Vec<u32>,
    /// Their numbers.
    pub done: RowSet,
    /// Why rows failed.
    pub messages: FxHashMap<u64, String>,
    /// What had to be repaired, for the user.
    pub repairs: Vec<String>,
}

/// A set of row numbers.
pub struct RowSet {
    bits: Vec<u64>,
    /// How many they are.
    pub count: u64,
}

impl RowSet {
    /// No row of so many.
    pub fn new(rows: u64) -> RowSet {
        RowSet { bits: vec![0; rows.div_ceil(64) as usize], count: 0 }
    }

    /// Whether a row is in it.
    pub fn contains(&self, row: u64) -> bool {
        self.bits.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Whether the row was new and in range.
    pub fn insert(&mut self, row: u64) -> bool {
        let Some(word) = self.bits.get_mut((row / 64) as usize) else { return false };
        let new = *word >> (row % 64) & 1 == 0;
        *word |= 1 << (row % 64);
        self.count += u64::from(new);
        new
    }
}

/// The files of a session's worker: rows, why rows failed, and what it said.
pub(super) fn segment_files(session: usize, worker: &str) -> [String; 3] {
    [segment::ENDING, super::messages::ENDING, "stderr"]
        .map(|ending| format!("log/session-{session:03}-{worker}.{ending}"))
}

/// The session that a file of rows is of.
fn session_of(name: &str) -> Option<u32> {
    let name = name.strip_prefix("log/session-")?.strip_suffix(segment::ENDING)?;
    name.split_once('-')?.0.parse().ok()
}

impl FoundRows {
    /// Reads the segments of a folder that this process works in, and repairs them.
    pub fn scan(files: &Folder, digest: u64, rows: u64) -> anyhow::Result<FoundRows> {
        FoundRows::collect(files.path(), files.names()?, rows, |path| segment::scan(path, digest))
    }

    /// Reads the segments of a folder and changes nothing in it.
    pub fn peek(folder: &Path, digest: u64, rows: u64) -> anyhow::Result<FoundRows> {
        FoundRows::collect(folder, folder::names_of(folder)?, rows, |path| {
            segment::read(path, digest)
        })
    }

    /// No row of so many.
    pub fn none(rows: u64) -> FoundRows {
        FoundRows {
            records: Vec::new(),
            sessions: Vec::new(),
            done: RowSet::new(rows),
            messages: FxHashMap::default(),
            repairs: Vec::new(),
        }
    }

    /// Adds rows of another folder, whose sessions are counted from `first`.
    pub fn extend(&mut self, other: FoundRows, first: u32) {
        other.records.iter().for_each(|record| {
            self.done.insert(record.row);
        });
        self.records.extend(other.records);
        self.sessions.extend(other.sessions.into_iter().map(|session| first + session));
        self.messages.extend(other.messages);
    }

    /// A row written twice counts once, the first time.
    fn collect(
        folder: &Path,
        names: impl IntoIterator<Item = String>,
        rows: u64,
        read: impl Fn(&Path) -> Result<Scan, SegmentError>,
    ) -> anyhow::Result<FoundRows> {
        let mut found = FoundRows::none(rows);
        for name in names {
            let path = folder.join(&name);
            if let Some(session) = session_of(&name).filter(|_| path.exists()) {
                found.add(&path, session, read(&path)?);
            }
        }
        Ok(found)
    }

    fn add(&mut self, path: &Path, session: u32, scan: Scan) {
        let file = path.display();
        if scan.torn > 0 {
            let bytes = scan.torn;
            self.repairs.push(format!("{file}: cut off an incomplete last row ({bytes} bytes)"));
        }
        if scan.damaged > 0 {
            let rows = scan.damaged;
            self.repairs.push(format!("{file}: {rows} damaged rows left out, they will run again"));
        }
        let mut messages = Messages::read_beside(path);
        for record in scan.records {
            if self.done.insert(record.row) {
                self.messages.extend(messages.remove_entry(&record.row));
                self.records.push(record);
                self.sessions.push(session);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_segment_says_its_session() {
        for session in [0, 12, 12_345] {
            let [rows, messages, stderr] = segment_files(session, "worker-007");
            assert_eq!(session_of(&rows), Some(session as u32));
            assert_eq!((session_of(&messages), session_of(&stderr)), (None, None));
        }
        assert_eq!(session_of("log/other.rows"), None);
    }
}
