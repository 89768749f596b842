//! Ctrl-C and termination requests, counted while a session runs.
//!
//! One thread listens for the whole process: sessions follow each other (`reproduce all`), and a listener of each would
//! outlive it.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Signals so far, and sessions that attend to them.
static COUNT: AtomicUsize = AtomicUsize::new(0);
static SESSIONS: AtomicUsize = AtomicUsize::new(0);
static LISTENING: Mutex<bool> = Mutex::new(false);

pub struct Signals {
    /// Those before the session.
    before: usize,
}

/// Exit code of a program that a user ended, as shells give it.
const ENDED_BY_USER: i32 = 130;

impl Signals {
    /// As long as the value lives a signal no longer ends the process; whoever asks for the count must
    /// act. Afterwards it does again: rows are safe then.
    pub fn listen() -> std::io::Result<Signals> {
        SESSIONS.fetch_add(1, Ordering::Relaxed);
        let session = Signals { before: COUNT.load(Ordering::Relaxed) };
        let mut listening = LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
        if !*listening {
            let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
            std::thread::spawn(move || signals.forever().for_each(|_| count_one()));
            *listening = true;
        }
        Ok(session)
    }

    pub fn count(&self) -> usize {
        COUNT.load(Ordering::Relaxed) - self.before
    }
}

fn count_one() {
    if SESSIONS.load(Ordering::Relaxed) == 0 {
        note!("interrupted: the rows are kept; the same command makes the rest");
        std::process::exit(ENDED_BY_USER);
    }
    COUNT.fetch_add(1, Ordering::Relaxed);
}

impl Drop for Signals {
    fn drop(&mut self) {
        SESSIONS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn sessions_after_each_other_count_their_own_signals() {
        drop(Signals::listen().unwrap());
        let second = Signals::listen().unwrap();
        signal_hook::low_level::raise(SIGTERM).unwrap();
        let start = Instant::now();
        while second.count() == 0 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(second.count(), 1);
        let third = Signals::listen().unwrap();
        assert_eq!(third.count(), 0, "the signal was the second's");
    }
}
