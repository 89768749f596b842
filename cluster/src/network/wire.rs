//! A connection to another process, as timely sees it.
//!
//! What timely writes travels in frames: a byte for the kind, four for the length, the content. Other
//! frames are signs of life, a farewell before a connection is closed in order, and the reason why a
//! process gives up. Nobody reads from a connection that failed: the reader sleeps until the process
//! ends, as timely would panic otherwise, and what is written to it is dropped.

use super::faults::Faults;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use timely::communication::allocator::zero_copy::stream::Stream;

/// A process that was not heard of for so long is lost.
pub const SILENCE: Duration = Duration::from_secs(30);
/// Time between two signs of life.
const BEAT: Duration = Duration::from_secs(5);
/// How long a read may take before the silence is looked at.
const GLANCE: Duration = Duration::from_secs(1);
/// Longest reason that a process may give for giving up.
const LONGEST_REASON: usize = 1 << 16;
const HEAD: usize = 5;

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Frame {
    Data = 1,
    Beat = 2,
    Farewell = 3,
    Reason = 4,
}

impl Frame {
    fn of(byte: u8) -> Option<Frame> {
        [Frame::Data, Frame::Beat, Frame::Farewell, Frame::Reason]
            .into_iter()
            .find(|&frame| frame as u8 == byte)
    }

    fn head(self, length: usize) -> [u8; HEAD] {
        let [a, b, c, d] = (length as u32).to_le_bytes();
        [self as u8, a, b, c, d]
    }
}

/// One connection; what all its users share.
pub struct Link {
    /// Who is at the other end, for messages.
    peer: String,
    stream: TcpStream,
    writer: Mutex<TcpStream>,
    faults: Arc<Faults>,
    /// Farewell was said: nothing more may be written.
    closed: AtomicBool,
    /// Bytes handed to timely for this process, and bytes written.
    pub queued: AtomicU64,
    pub written: AtomicU64,
}

impl Link {
    pub fn new(peer: String, stream: TcpStream, faults: Arc<Faults>) -> io::Result<Link> {
        stream.set_nodelay(true)?;
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(GLANCE))?;
        stream.set_write_timeout(None)?;
        let writer = Mutex::new(stream.try_clone()?);
        let (queued, written) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Link { peer, stream, writer, faults, closed: AtomicBool::new(false), queued, written })
    }

    /// Bytes of messages that have not been written yet, or less: frames are not counted.
    pub fn backlog(&self) -> u64 {
        let queued = self.queued.load(Ordering::Relaxed);
        queued.saturating_sub(self.written.load(Ordering::Relaxed))
    }

    /// Sends signs of life until the connection is closed.
    pub fn beat(&self) {
        while !self.closed.load(Ordering::Acquire) && !self.faults.any() {
            // whoever holds the lock is writing: that is a sign of life
            if let Ok(mut writer) = self.writer.try_lock()
                && !self.closed.load(Ordering::Acquire)
            {
                let sent = writer.write_all(&Frame::Beat.head(0));
                self.note(sent);
            }
            std::thread::park_timeout(BEAT);
        }
    }

    /// Tells the other end why this one gives up.
    pub fn give_up(&self, reason: &str) {
        let Some(mut writer) = self.lock_soon() else { return };
        if self.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        let reason = &reason.as_bytes()[..reason.len().min(LONGEST_REASON)];
        // the other end may be gone: then it does not matter
        let _ = writer.set_write_timeout(Some(GLANCE));
        let _ = writer.write_all(&[&Frame::Reason.head(reason.len())[..], reason].concat());
    }

    /// The lock, unless somebody writes to a process that does not read.
    fn lock_soon(&self) -> Option<MutexGuard<'_, TcpStream>> {
        for _ in 0..100 {
            if let Ok(writer) = self.writer.try_lock() {
                return Some(writer);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        None
    }

    fn note(&self, done: io::Result<()>) {
        if let Err(error) = done {
            self.faults.note(format!("the connection to {} failed: {error}", self.peer));
        }
    }

    fn write_frame(&self, content: &[u8]) -> io::Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::Acquire) {
            return Ok(());
        }
        let head = Frame::Data.head(content.len());
        let sent = writer.write_vectored(&[IoSlice::new(&head), IoSlice::new(content)])?;
        match sent.checked_sub(HEAD) {
            Some(sent) => writer.write_all(&content[sent..])?,
            None => {
                writer.write_all(&head[sent..])?;
                writer.write_all(content)?;
            }
        }
        self.written.fetch_add((HEAD + content.len()) as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Ends the connection in order, unless there was a fault: then the other end hears of it.
    fn say_farewell(&self) {
        if let Err(failure) = self.faults.check() {
            return self.give_up(&failure.to_string());
        }
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.closed.swap(true, Ordering::AcqRel) {
            let sent = writer.write_all(&Frame::Farewell.head(0));
            self.note(sent);
            // the other end may have closed it already
            let _ = writer.shutdown(Shutdown::Write);
        }
    }
}

/// Timely's handle on a connection.
pub struct Wire {
    link: Arc<Link>,
    head: [u8; HEAD],
    /// Bytes of the head that have been read.
    headed: usize,
    /// Bytes of the content that have not.
    left: usize,
    heard: Instant,
    ended: bool,
}

impl Wire {
    pub fn new(link: Arc<Link>) -> Wire {
        let (headed, left, heard, ended) = (0, 0, Instant::now(), false);
        Wire { link, head: [0; HEAD], headed, left, heard, ended }
    }

    /// Reads something, however long it takes; sleeps for ever if nothing more will come.
    fn read_some(&mut self, buffer: &mut [u8]) -> usize {
        loop {
            match (&self.link.stream).read(buffer) {
                Ok(0) => self.lose("ended unexpectedly"),
                Ok(read) => {
                    self.heard = Instant::now();
                    return read;
                }
                Err(error) if is_timeout(&error) => {
                    if self.heard.elapsed() > SILENCE {
                        let seconds = SILENCE.as_secs();
                        self.lose(&format!("was not heard of for {seconds} s"));
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.lose(&format!("is lost: {error}")),
            }
        }
    }

    fn lose(&self, how: &str) -> ! {
        self.link.faults.note(format!("{} {how}", self.link.peer));
        loop {
            std::thread::park();
        }
    }

    /// Reads the rest of a frame's head and acts on it.
    fn read_head(&mut self) {
        let mut head = self.head;
        while self.headed < HEAD {
            self.headed += self.read_some(&mut head[self.headed..]);
        }
        self.headed = 0;
        let [kind, a, b, c, d] = head;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        match Frame::of(kind) {
            Some(Frame::Data) => self.left = length,
            Some(Frame::Beat) => {}
            Some(Frame::Farewell) => self.ended = true,
            Some(Frame::Reason) if length <= LONGEST_REASON => {
                let reason = self.read_reason(length);
                self.lose(&format!("gave up: {reason}"));
            }
            _ => self.lose("sent what is not a frame"),
        }
    }

    fn read_reason(&mut self, length: usize) -> String {
        let mut reason = vec![0; length];
        let mut read = 0;
        while read < length {
            read += self.read_some(&mut reason[read..]);
        }
        String::from_utf8_lossy(&reason).into_owned()
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 {
            if self.ended {
                return Ok(0);
            }
            self.read_head();
        }
        let most = buffer.len().min(self.left);
        let read = self.read_some(&mut buffer[..most]);
        self.left -= read;
        Ok(read)
    }
}

impl Write for Wire {
    fn write(&mut self, content: &[u8]) -> io::Result<usize> {
        let sent = self.link.write_frame(content);
        self.link.note(sent);
        Ok(content.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Wire> {
        Ok(Wire::new(Arc::clone(&self.link)))
    }

    fn set_nonblocking(&self, _nonblocking: bool) -> io::Result<()> {
        Ok(())
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        if how != Shutdown::Read {
            self.link.say_farewell();
        }
        Ok(())
    }
}
