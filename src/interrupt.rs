//! Ctrl-C: as a flag for what runs long and ends in order, as a message for what has nothing to keep.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Exit code of a program that Ctrl-C ended, as shells give it.
const ENDED_BY_USER: i32 = 130;

/// The flag; the first call starts to listen. A second Ctrl-C ends the program at once.
pub fn flag() -> &'static AtomicBool {
    // fails only if a handler is there already, and then it is ours
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(ENDED_BY_USER);
        }
    });
    &INTERRUPTED
}

/// Whether Ctrl-C was pressed; for loops that stop between two steps.
pub fn pressed() -> bool {
    flag().load(Ordering::Relaxed)
}

/// For commands that cannot stop in the middle: Ctrl-C ends them and says what was kept.
pub fn end_with(kept: &'static str) {
    let _ = ctrlc::set_handler(move || {
        note!("interrupted: {kept}");
        std::process::exit(ENDED_BY_USER);
    });
}
