//! Lines to and from a program, each end in a thread of its own, with bounds on what is kept.
//!
//! One line at most is read ahead, so a program that writes without being asked is stopped by its full
//! pipe. A line that grows beyond the limit of the moment ends the reading: it is never held whole.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::ChildStdin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

/// A line that a program wrote.
#[derive(Debug, PartialEq, Eq)]
pub enum LineRead {
    /// The line without its end.
    Whole(String),
    /// Longer than the limit, which is given.
    TooLong(usize),
}

/// The lines of a program's standard output, or of its standard input.
pub struct LineReader {
    /// One at a time, in order; the sender is gone at the end of the input.
    pub lines: Receiver<LineRead>,
    limit: Arc<AtomicUsize>,
}

impl LineReader {
    /// Reads lines of at most `limit` bytes.
    pub fn start(output: impl Read + Send + 'static, limit: usize) -> LineReader {
        let (sender, lines) = sync_channel(0);
        let limit = Arc::new(AtomicUsize::new(limit));
        let current = limit.clone();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(line)) = next_line(&mut output, &current) {
                let last = matches!(line, LineRead::TooLong(_));
                if sender.send(line).is_err() || last {
                    break;
                }
            }
        });
        LineReader { lines, limit }
    }

    /// Sets how long the next line may be.
    pub fn expect_up_to(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }
}

/// The next line without its end; `None` at the end of the output.
fn next_line(output: &mut impl BufRead, limit: &AtomicUsize) -> std::io::Result<Option<LineRead>> {
    let mut line = Vec::new();
    loop {
        let buffer = output.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        let at_end = buffer.is_empty();
        let limit = limit.load(Ordering::Relaxed);
        if line.len() + part.len() > limit {
            return Ok(Some(LineRead::TooLong(limit)));
        }
        line.extend_from_slice(part);
        let used = part.len() + usize::from(end.is_some());
        output.consume(used);
        if at_end && line.is_empty() {
            return Ok(None);
        }
        if at_end || end.is_some() {
            let text = String::from_utf8(line)
                .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned());
            return Ok(Some(LineRead::Whole(text)));
        }
    }
}

/// Writes requests in a thread, so that a program that does not read cannot block us.
pub fn writer(mut stdin: ChildStdin) -> SyncSender<String> {
    let (sender, receiver) = sync_channel::<String>(1);
    std::thread::spawn(move || {
        for line in receiver {
            let sent = stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n"));
            if sent.and_then(|()| stdin.flush()).is_err() {
                break;
            }
        }
    });
    sender
}

/// The end of what a program writes to standard error.
#[derive(Clone, Default)]
pub struct LastWords(Arc<Mutex<Vec<u8>>>);

impl LastWords {
    /// Keeps the last bytes of the stream.
    pub fn listen(&self, mut stderr: impl Read + Send + 'static) {
        const KEPT: usize = 2000;
        let words = self.0.clone();
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = stderr.read(&mut part) {
                let Ok(mut words) = words.lock() else { break };
                words.extend_from_slice(&part[..count]);
                let surplus = words.len().saturating_sub(KEPT);
                words.drain(..surplus);
            }
        });
    }

    pub fn text(&self) -> String {
        let words = self.0.lock().map(|words| words.clone()).unwrap_or_default();
        String::from_utf8_lossy(&words).trim().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_the_limit() {
        let limit = AtomicUsize::new(3);
        let mut output = BufReader::new(&b"abc\n\nabcd\n"[..]);
        let mut next = || next_line(&mut output, &limit).unwrap();
        assert!(matches!(next(), Some(LineRead::Whole(line)) if line == "abc"));
        assert!(matches!(next(), Some(LineRead::Whole(line)) if line.is_empty()));
        assert!(matches!(next(), Some(LineRead::TooLong(3))));
    }

    #[test]
    fn an_endless_line_is_never_held() {
        let reader = LineReader::start(std::io::repeat(b'x'), 1 << 16);
        assert!(matches!(reader.lines.recv(), Ok(LineRead::TooLong(_))));
        assert!(reader.lines.recv().is_err(), "the reading is over");
    }
}
