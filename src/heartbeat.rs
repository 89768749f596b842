//! A sign of life on the terminal for commands that cannot say how long they will take: what is done now, and since
//! when.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Quick answers stay without it.
const SILENT: Duration = Duration::from_secs(2);
const BEAT: Duration = Duration::from_millis(500);

static BAR: OnceLock<ProgressBar> = OnceLock::new();
static WHAT: Mutex<String> = Mutex::new(String::new());

/// Shows the time spent so far on standard error, if that is a terminal, until the program ends.
pub fn start(what: &str) {
    use std::io::IsTerminal;
    say(what.to_string());
    if !std::io::stderr().is_terminal() {
        return;
    }
    std::thread::spawn(|| {
        std::thread::sleep(SILENT);
        let what = WHAT.lock().unwrap_or_else(PoisonError::into_inner).clone();
        BAR.get_or_init(|| spinner(&what));
        loop {
            std::thread::park();
        }
    });
}

/// The same while `work` is done, between steps that show their own progress.
pub fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    use std::io::IsTerminal;
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let (end, ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // nothing is ever sent: the other side goes away when the work is done
            if ended.recv_timeout(SILENT) == Err(RecvTimeoutError::Timeout) {
                let bar = spinner(what);
                let _ = ended.recv();
                bar.finish_and_clear();
            }
        });
        let done = work();
        drop(end);
        done
    })
}

fn spinner(what: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}: {elapsed}") {
        bar.set_style(style);
    }
    bar.set_message(what.to_string());
    bar.set_elapsed(SILENT);
    bar.enable_steady_tick(BEAT);
    bar
}

/// What is done now, such as `size 3 of 7`.
pub fn say(what: String) {
    if let Some(bar) = BAR.get() {
        bar.set_message(what.clone());
    }
    *WHAT.lock().unwrap_or_else(PoisonError::into_inner) = what;
}

/// Prints something on the same terminal, so that neither writes over the other.
pub fn pause<T>(print: impl FnOnce() -> T) -> T {
    match BAR.get() {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}
