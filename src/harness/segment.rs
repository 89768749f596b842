//! The append-only row log: one segment file a worker, never rewritten.
//!
//! A segment starts with a header that names the plan, then holds [`Record`]s. A worker appends each
//! row with one `write` as soon as it is known, so a kill at any moment loses at most the row in
//! flight; the scheduler flushes segments to disk every second. On opening, an incomplete last
//! record is cut off and a record with a wrong checksum is left out; both rows are simply run again.

use super::record::{LENGTH, Record};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

const MAGIC: &[u8; 8] = b"pidrows1";
const HEADER: usize = 16;

#[derive(Debug, Error)]
pub enum SegmentError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "{} is no row log of this version (its header is not `pidrows1`); use another --out folder, or --fresh to discard this run", .0.display()
    )]
    Version(PathBuf),
    #[error(
        "{} holds rows of another experiment, scale or seed; use another --out folder, or --fresh to discard this run", .0.display()
    )]
    OtherPlan(PathBuf),
}

/// A segment being written.
pub struct Segment {
    file: File,
    path: PathBuf,
}

impl Segment {
    pub fn create(path: &Path, digest: u64) -> Result<Segment, SegmentError> {
        let wrap = |source| SegmentError::Io { path: path.to_path_buf(), source };
        let mut file = OpenOptions::new().append(true).create_new(true).open(path).map_err(wrap)?;
        let mut header = MAGIC.to_vec();
        header.extend(digest.to_le_bytes());
        file.write_all(&header).map_err(wrap)?;
        Ok(Segment { file, path: path.to_path_buf() })
    }

    /// One record, one `write`.
    pub fn append(&mut self, record: &Record) -> Result<(), SegmentError> {
        self.file
            .write_all(&record.encode())
            .map_err(|source| SegmentError::Io { path: self.path.clone(), source })
    }
}

/// What a segment held, and what was wrong with it.
#[derive(Default)]
pub struct Scan {
    pub records: Vec<Record>,
    /// Bytes of an incomplete last record that were cut off.
    pub torn: u64,
    /// Whole records whose checksum was wrong.
    pub damaged: u64,
}

/// Reads a segment and repairs its end.
pub fn scan(path: &Path, digest: u64) -> Result<Scan, SegmentError> {
    let wrap = |source| SegmentError::Io { path: path.to_path_buf(), source };
    let mut bytes = Vec::new();
    File::open(path).and_then(|mut f| f.read_to_end(&mut bytes)).map_err(wrap)?;
    if bytes.len() < HEADER {
        // killed while the header was written: nothing was in it
        std::fs::remove_file(path).map_err(wrap)?;
        return Ok(Scan { torn: bytes.len() as u64, ..Scan::default() });
    }
    let (magic, rest) = bytes.split_at(8);
    let (plan, body) = rest.split_at(8);
    if magic != MAGIC {
        return Err(SegmentError::Version(path.to_path_buf()));
    }
    if plan != digest.to_le_bytes() {
        return Err(SegmentError::OtherPlan(path.to_path_buf()));
    }
    let scan = scan_body(body);
    if scan.torn > 0 {
        let whole = bytes.len() as u64 - scan.torn;
        OpenOptions::new().write(true).open(path).and_then(|f| f.set_len(whole)).map_err(wrap)?;
    }
    Ok(scan)
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

/// The segments of a run folder, in order of their names.
pub fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "rows") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
