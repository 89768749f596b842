//! A sign of life on the terminal for commands that measure in steps of their own: what is done now, since when, and
//! about how long it will take, where a share of the work is known to be done.

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Quick answers stay without it.
const SILENT: Duration = Duration::from_secs(2);
const BEAT: Duration = Duration::from_millis(500);

static BAR: OnceLock<ProgressBar> = OnceLock::new();
static WHAT: Mutex<String> = Mutex::new(String::new());
static STARTED: OnceLock<Instant> = OnceLock::new();
static END: Mutex<Option<Instant>> = Mutex::new(None);
/// With less of the work done, the time left would be a guess.
const LEAST_SHARE: f64 = 0.05;

/// Shows the time spent so far on standard error, if that is a terminal, until the program ends.
pub fn start(what: &str) {
    use std::io::IsTerminal;
    STARTED.get_or_init(Instant::now);
    say(what.to_string());
    if !std::io::stderr().is_terminal() {
        return;
    }
    std::thread::spawn(|| {
        std::thread::sleep(SILENT);
        let what = WHAT.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if what.is_empty() {
            return;
        }
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
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}: {elapsed}{left}") {
        bar.set_style(style.with_key("left", write_left));
    }
    bar.set_message(what.to_string());
    bar.set_elapsed(SILENT);
    bar.enable_steady_tick(BEAT);
    bar
}

/// After the time spent: how long it will still take, counted down between two steps.
fn write_left(_: &ProgressState, out: &mut dyn fmt::Write) {
    let end = *END.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(left) = end.and_then(|end| end.checked_duration_since(Instant::now())) {
        // a line of a terminal takes what is written to it
        let _ = write!(out, ", about {} left", HumanDuration(left));
    }
}

/// What is done now, and which share of all the work is done before it, from 0 to 1.
pub fn say_share(what: String, done: f64) {
    if let Some(started) = STARTED.get().filter(|_| done >= LEAST_SHARE) {
        let spent = started.elapsed();
        let whole = Duration::try_from_secs_f64(spent.as_secs_f64() / done).ok();
        *END.lock().unwrap_or_else(PoisonError::into_inner) =
            whole.and_then(|whole| started.checked_add(whole));
    }
    say(what);
}

/// What is done now, such as `size 3 of 7`.
pub fn say(what: String) {
    if let Some(bar) = BAR.get() {
        bar.set_message(what.clone());
    }
    *WHAT.lock().unwrap_or_else(PoisonError::into_inner) = what;
}

/// Takes the line away: the command has said all that it will.
pub fn end() {
    say(String::new());
    if let Some(bar) = BAR.get() {
        bar.finish_and_clear();
    }
}

/// Prints something on the same terminal, so that neither writes over the other.
pub fn pause<T>(print: impl FnOnce() -> T) -> T {
    match BAR.get() {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}
