//! Ctrl-C and termination requests, counted while a session runs.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub struct Signals {
    count: Arc<AtomicUsize>,
    attended: Arc<AtomicBool>,
}

/// Exit code of a program that a user ended, as shells give it.
const ENDED_BY_USER: i32 = 130;

impl Signals {
    /// As long as the value lives a signal no longer ends the process; whoever asks for the count must
    /// act. Afterwards it does again: rows are safe then.
    pub fn listen() -> std::io::Result<Signals> {
        let (count, attended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(true)));
        let (seen, still) = (count.clone(), attended.clone());
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
        std::thread::spawn(move || {
            for _ in signals.forever() {
                if !still.load(Ordering::Relaxed) {
                    note!("interrupted: the rows are kept; the same command makes the rest");
                    std::process::exit(ENDED_BY_USER);
                }
                seen.fetch_add(1, Ordering::Relaxed);
            }
        });
        Ok(Signals { count, attended })
    }

    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.attended.store(false, Ordering::Relaxed);
    }
}
