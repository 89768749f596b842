//! Why rows failed: one line of JSON a row, `[row, "message"]`, in a file beside the row's segment.
//!
//! Records have a fixed width and no room for text, and few rows need one. The line is written before
//! the row, so a row that is there has its message.

use super::segment::SegmentError;
use rustc_hash::FxHashMap;
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Ending of the file's name.
pub const ENDING: &str = "messages";
const LONGEST: usize = 300;

pub struct Messages {
    path: PathBuf,
    /// Opened with the first message.
    file: Option<File>,
}

impl Messages {
    pub fn beside(segment: &Path) -> Messages {
        Messages { path: segment.with_extension(ENDING), file: None }
    }

    pub fn add(&mut self, row: u64, message: &str) -> Result<(), SegmentError> {
        let line = format!("{}\n", serde_json::json!([row, tidy(message)]));
        self.append(line.as_bytes())
            .map_err(|cause| SegmentError::Io { path: self.path.clone(), cause })
    }

    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            let mut options = OpenOptions::new();
            options.append(true).create(true).custom_flags(OFlags::NOFOLLOW.bits() as i32);
            self.file = Some(options.open(&self.path)?);
        }
        match &mut self.file {
            Some(file) => file.write_all(line),
            None => Ok(()),
        }
    }

    /// The messages beside a segment; lines that were cut off are left out.
    pub fn read_beside(segment: &Path) -> FxHashMap<u64, String> {
        let bytes = std::fs::read(segment.with_extension(ENDING)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        text.lines().filter_map(|line| serde_json::from_str::<(u64, String)>(line).ok()).collect()
    }
}

/// One line without control characters: it comes from other programs and goes to tables and terminals.
pub fn tidy(message: &str) -> String {
    let words: Vec<&str> = message
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_as_one_tidy_line() {
        let folder = std::env::temp_dir().join(format!("pidlab-messages-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let segment = folder.join("a.rows");
        let mut messages = Messages::beside(&segment);
        messages.add(7, "no\nsuch \x1b[31mfile\x07").unwrap();
        messages.add(9, &"x".repeat(1000)).unwrap();
        messages.append(b"[10, \"cut o").unwrap();
        let read = Messages::read_beside(&segment);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(read[&7], "no such [31mfile");
        assert_eq!((read.len(), read[&9].chars().count()), (2, 301));
    }
}
