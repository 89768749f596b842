//! Ctrl-C and termination requests, counted.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// From here on a signal no longer ends the process; whoever asks for the count must act.
    pub fn listen() -> std::io::Result<Signals> {
        let count = Arc::new(AtomicUsize::new(0));
        let seen = count.clone();
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
        std::thread::spawn(move || {
            for _ in signals.forever() {
                seen.fetch_add(1, Ordering::Relaxed);
            }
        });
        Ok(Signals(count))
    }

    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
