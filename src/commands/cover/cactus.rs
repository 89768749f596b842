//! The cactus plot of a comparison: instances decided against time, one curve per algorithm.

use super::compare::Row;
use pidlab_cover::answer::Verdict;
use pidlab_figures::{Cactus, Figure, Labels, Solved, write};
use std::path::{Path, PathBuf};

/// Below this a time says more about the clock than about the algorithm.
const LEAST: f64 = 1e-4;

/// Writes the figure into a folder; nothing if no instance was decided.
pub fn draw(rows: &[Row], timeout: f64, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let mut names: Vec<&str> = rows.iter().map(|r| r.algorithm.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let solved: Vec<Solved> =
        names.iter().enumerate().map(|(style, name)| solved(rows, name, style)).collect();
    let Some(mut axes) = Cactus::around("instances", &solved) else { return Ok(None) };
    axes.range.1 = axes.range.1.max(timeout);
    let figure = Figure {
        name: "cactus".into(),
        caption: format!(
            "Instances decided if each may take at most so long, by algorithm; further right and lower is better. The limit was {timeout} s.\n"
        ),
        columns: 1,
        panel: (640.0, 400.0),
        labels: Labels::Each,
        panels: vec![axes.panel("instances decided", &solved)],
    };
    Ok(Some(write(&figure, folder)?.1))
}

fn solved(rows: &[Row], algorithm: &str, style: usize) -> Solved {
    let all = || rows.iter().filter(|row| row.algorithm == algorithm);
    let decided = all().filter(|row| row.verdict != Verdict::Unknown);
    let times: Vec<f64> = decided.map(|row| row.seconds.max(LEAST)).collect();
    let name = format!("{algorithm} ({} of {})", times.len(), all().count());
    Solved { name, style, times }
}
