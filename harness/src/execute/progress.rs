//! The progress bar of a run: rows, rows a second and the time left, also of the rounds that come after it; silent
//! when not on a terminal.

use crate::execute::estimate::{Estimate, rate, rounded};
use indicatif::{ProgressBar, ProgressStyle};
use pidlab_figures::count;
use std::time::{Duration, Instant};

/// How often the text changes.
const EVERY: Duration = Duration::from_millis(200);

/// What is known of a round of several before it is measured.
#[derive(Clone, Copy, Default)]
pub struct Ahead {
    /// What the round before took.
    pub expected: Option<Duration>,
    /// What comes after it, in rounds like this one.
    pub rounds_after: f64,
}

pub struct Progress {
    bar: ProgressBar,
    what: String,
    ahead: Ahead,
    /// Rows that were there before.
    before: u64,
    /// Rows shown: they never go back, though a worker that dies takes its row with it.
    shown: u64,
    clock: Instant,
    told: Option<Instant>,
}

impl Progress {
    /// `what` comes first, such as the round of several.
    pub fn new(what: &str, rows: u64, done: u64) -> Progress {
        let bar = ProgressBar::new(rows).with_position(done);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {msg}") {
            bar.set_style(style);
        }
        let (what, clock) = (what.to_string(), Instant::now());
        let ahead = Ahead::default();
        Progress { bar, what, ahead, before: done, shown: done, clock, told: None }
    }

    /// The same for a round of several.
    pub fn of_round(self, ahead: Ahead) -> Progress {
        Progress { ahead, ..self }
    }

    pub fn set(&mut self, rows: u64, estimate: &mut Estimate) {
        if self.told.is_some_and(|told| told.elapsed() < EVERY) {
            return;
        }
        self.told = Some(Instant::now());
        let rows_of_all = self.bar.length().unwrap_or(rows);
        self.shown = self.shown.max(rows).min(rows_of_all);
        self.bar.set_position(self.shown);
        let elapsed = self.clock.elapsed();
        let Ahead { expected, rounds_after } = self.ahead;
        let left = estimate.left(elapsed);
        let left = match left.or(expected.map(|expected| expected.saturating_sub(elapsed))) {
            Some(left) => {
                let after = (elapsed + left).as_secs_f64() * rounds_after;
                let after = Duration::try_from_secs_f64(after).unwrap_or_default();
                format!("{} left", rounded(left.saturating_add(after)))
            }
            None => "estimating".to_string(),
        };
        let (shown, all) = (count(self.shown as usize), count(rows_of_all as usize));
        let speed = rate(self.shown - self.before, elapsed);
        self.bar.set_message(format!("{}{shown}/{all} rows, {speed}, {left}", self.what));
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
