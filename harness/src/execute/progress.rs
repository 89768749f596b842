//! The progress bar of a run: rows per second and time left; silent when not on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(rows: u64, done: u64) -> Progress {
        let bar = ProgressBar::new(rows).with_position(done);
        let template = "{wide_bar} {human_pos}/{human_len} rows, {per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.reset_eta();
        Progress(bar)
    }

    pub fn set(&self, rows: u64) {
        self.0.set_position(rows);
    }

    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
