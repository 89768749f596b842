//! The progress bar of a run: rows, rows a second and the time left, also of the rounds that come after it; silent
//! when not on a terminal.

use crate::execute::estimate::{Estimate, rate, rounded};
use indicatif::{ProgressBar, ProgressStyle};
use pidlab_figures::count;
use std::time::{Duration, Instant};

/// How often the text changes.
const EVERY: Duration = Duration::from_millis(200);

pub struct Progress {
    bar: ProgressBar,
    what: String,
    /// Rounds that come after this one and take as long.
    rounds_after: u32,
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
        Progress { bar, what, rounds_after: 0, before: done, shown: done, clock, told: None }
    }

    /// The same where so many rounds come after this one.
    pub fn before_rounds(self, rounds_after: u32) -> Progress {
        Progress { rounds_after, ..self }
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
        let left = match estimate.left(elapsed) {
            Some(left) => {
                format!("{} left", rounded(left + (elapsed + left) * self.rounds_after))
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
