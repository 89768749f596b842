//! Ctrl-C as a flag: what runs long looks at it, ends in order and reports what it has.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The flag; the first call starts to listen. A second Ctrl-C ends the program at once.
pub fn flag() -> &'static AtomicBool {
    // fails only if a handler is there already, and then it is ours
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &INTERRUPTED
}
