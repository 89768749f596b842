//! A sign of life on the terminal for commands that cannot say how far they are.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Quick answers stay without it.
const SILENT: Duration = Duration::from_secs(2);
const BEAT: Duration = Duration::from_millis(500);

/// Shows the time spent so far on standard error, if that is a terminal, until the program ends.
pub fn start(what: &'static str) {
    use std::io::IsTerminal;
    if !std::io::stderr().is_terminal() {
        return;
    }
    std::thread::spawn(move || {
        std::thread::sleep(SILENT);
        let bar = ProgressBar::new_spinner().with_message(what);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}: {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(BEAT);
        loop {
            std::thread::park();
        }
    });
}
