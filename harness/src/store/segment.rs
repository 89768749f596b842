//! The append-only row log: one segment file a worker, never rewritten.
//!
//! A segment starts with a header that names the plan and counts the rows, then holds [`Record`]s. A
//! worker appends each row through a [`Mapped`] file as soon as it is known, so a kill at any moment
//! loses at most the row in flight; the scheduler flushes segments to disk every few seconds. On opening,
//! an incomplete last record and unused room are cut off and a record with a wrong checksum is left
//! out; both rows are simply run again.

use super::mapped::Mapped;
use super::record::{LENGTH, Record};
use crate::remedy::Remedy;
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Ending of a segment's name.
pub const ENDING: &str = "rows";
const MAGIC: &[u8; 8] = b"pidrows3";
/// Magic, digest of the plan, number of rows.
const HEADER: usize = 24;
const COUNT_AT: usize = 16;

/// Why rows cannot be read or written.
#[derive(Debug, Error)]
pub enum SegmentError {
    /// The system refuses.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The file holds something else.
    #[error("{} {problem}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What it holds.
        problem: &'static str,
        /// What would help.
        #[source]
        remedy: Remedy,
    },
}

/// A segment being written.
pub struct Segment {
    file: Mapped,
    path: PathBuf,
    rows: u64,
}

impl Segment {
    pub fn create(path: &Path, digest: u64) -> Result<Segment, SegmentError> {
        let wrap = |cause| SegmentError::Io { path: path.to_path_buf(), cause };
        let mut file = Mapped::create(path).map_err(wrap)?;
        let mut header = MAGIC.to_vec();
        header.extend(digest.to_le_bytes());
        header.extend(0u64.to_le_bytes());
        file.append(&header).map_err(wrap)?;
        Ok(Segment { file, path: path.to_path_buf(), rows: 0 })
    }

    pub fn append(&mut self, record: &Record) -> Result<(), SegmentError> {
        self.file
            .append(&record.encode())
            .map_err(|cause| SegmentError::Io { path: self.path.clone(), cause })?;
        self.rows += 1;
        self.file.replace(COUNT_AT, &self.rows.to_le_bytes());
        Ok(())
    }
}

/// Whether a segment has its header: a worker that came so far was ready for rows.
pub fn is_begun(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *MAGIC
}

/// Rows that were written to a segment so far; its writer may be at work.
pub fn rows_written(path: &Path) -> u64 {
    let mut count = [0; 8];
    let read = File::open(path).and_then(|file| file.read_exact_at(&mut count, COUNT_AT as u64));
    if read.is_ok() { u64::from_le_bytes(count) } else { 0 }
}

/// What a segment held, and what was wrong with it.
#[derive(Default)]
pub struct Scan {
    pub records: Vec<Record>,
    /// Bytes of an incomplete last record that were cut off.
    pub torn: u64,
    /// Whole records whose checksum was wrong.
    pub damaged: u64,
    /// Bytes up to the end of the last whole record; none of a segment that was not begun.
    whole: u64,
    /// Bytes of the file.
    bytes: u64,
}

/// Reads a segment and repairs its end.
pub fn scan(path: &Path, digest: u64) -> Result<Scan, SegmentError> {
    let scan = read(path, digest)?;
    if scan.whole < scan.bytes {
        let cut = open_itself(path, true).and_then(|file| file.set_len(scan.whole));
        cut.map_err(|cause| SegmentError::Io { path: path.to_path_buf(), cause })?;
    }
    Ok(scan)
}

/// Reads a segment as it is.
pub fn read(path: &Path, digest: u64) -> Result<Scan, SegmentError> {
    let wrap = |cause| SegmentError::Io { path: path.to_path_buf(), cause };
    let mut bytes = Vec::new();
    let mut file = open_itself(path, false).map_err(wrap)?;
    file.read_to_end(&mut bytes).map_err(wrap)?;
    if bytes.len() < HEADER || bytes.iter().all(|&byte| byte == 0) {
        // ended while the header was written: nothing was in it
        return Ok(Scan::default());
    }
    let other = |problem| SegmentError::Other {
        path: path.to_path_buf(),
        problem,
        remedy: Remedy::OtherRun,
    };
    let (header, body) = bytes.split_at(HEADER);
    let (magic, plan) = (&header[..8], &header[8..COUNT_AT]);
    if magic != MAGIC {
        return Err(other("is not a row log of this version (its header is not `pidrows3`)"));
    }
    if plan != digest.to_le_bytes() {
        return Err(other("holds rows of another experiment, scale or seed"));
    }
    let scan = scan_body(used(body));
    let whole = HEADER + (scan.records.len() + scan.damaged as usize) * LENGTH;
    Ok(Scan { whole: whole as u64, bytes: bytes.len() as u64, ..scan })
}

/// The body without room that was reserved and never used. A whole record ends in a checksum, which
/// may end in zeros, so zeros are only cut from where the next record would begin.
fn used(body: &[u8]) -> &[u8] {
    let end = body.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    &body[..end.next_multiple_of(LENGTH).min(body.len())]
}

fn scan_body(body: &[u8]) -> Scan {
    let mut scan = Scan::default();
    let (whole, torn) = body.as_chunks::<LENGTH>();
    for chunk in whole {
        match Record::decode(chunk) {
            Some(record) => scan.records.push(record),
            None => scan.damaged += 1,
        }
    }
    scan.torn = torn.len() as u64;
    scan
}

/// The file of that name, not one that a link leads to: it may be cut.
fn open_itself(path: &Path, write: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(write).custom_flags(OFlags::NOFOLLOW.bits() as i32).open(path)
}
