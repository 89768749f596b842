//! Ctrl-C: as a flag for what runs long and ends in order, as a message for what has nothing to keep.

use signal_hook::consts::SIGINT;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static LISTENING: Once = Once::new();

/// Exit code of a program that Ctrl-C ended, as shells give it.
const ENDED_BY_USER: i32 = 130;

/// The flag; the first call starts to listen. A second Ctrl-C ends the program at once.
pub fn flag() -> &'static AtomicBool {
    listen(|| {
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
    listen(move || {
        crate::heartbeat::end();
        note!("interrupted: {kept}");
        std::process::exit(ENDED_BY_USER);
    });
}

/// Answers every Ctrl-C from now on; only the first call has an effect.
fn listen(answer: impl Fn() + Send + Sync + 'static) {
    LISTENING.call_once(|| answer_each(answer));
}

#[cfg(unix)]
fn answer_each(answer: impl Fn() + Send + 'static) {
    // where signals cannot be listened for, Ctrl-C ends the program as it does any other
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT]) else { return };
    std::thread::spawn(move || signals.forever().for_each(|_| answer()));
}

#[cfg(windows)]
fn answer_each(answer: impl Fn() + Send + Sync + 'static) {
    // SAFETY: Windows calls the function in a thread that it starts for that, not in the middle of another
    let _ = unsafe { signal_hook::low_level::register(SIGINT, answer) };
}
