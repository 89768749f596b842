//! The table of the sensitivity study: a line a condition.

use crate::analyse::Analysis;
use crate::analyse::sensitivity::{Condition, Mix, answer};
use crate::grid::{Grid, GridCell};

/// The table; `None` where the experiment asks for no such study.
pub fn grid(analysis: &Analysis) -> Option<Grid> {
    let caption = answer(&analysis.sensitivity)?;
    let columns = [
        "condition",
        "78/22",
        "all: % below",
        "components",
        "t/p last/first",
        "t/(p log p) last/first",
        "mixes: % below",
        "nearest mix",
        "its % below",
        "its components",
    ];
    let mut conditions: Vec<&Condition> = analysis.sensitivity.iter().collect();
    conditions.sort_by_key(|condition| !condition.nearest.is_as_published());
    let rows = conditions.into_iter().map(|condition| {
        let (all, nearest) = (&condition.all, &condition.nearest);
        let shift =
            |of: Option<pidlab_stats::Interval>| of.map_or("–".into(), |shift| shift.to_string());
        let texts = [
            condition.name(),
            appears(condition).to_string(),
            percent(all.share),
            components(all),
            shift(all.lower_shift),
            shift(all.upper_shift),
            format!("{} to {}", percent(condition.range.0), percent(condition.range.1)),
            nearest.transformations.join(", "),
            percent(nearest.share),
            components(nearest),
        ];
        texts.into_iter().map(GridCell::from).collect()
    });
    Some(Grid {
        name: "sensitivity",
        caption,
        columns: columns.map(String::from).to_vec(),
        rows: rows.collect(),
    })
}

/// Which mixes show the published picture.
fn appears(condition: &Condition) -> &'static str {
    match (condition.all.is_as_published(), condition.nearest.is_as_published()) {
        (true, _) => "with all",
        (false, true) => "with some",
        (false, false) => "no",
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn components(mix: &Mix) -> String {
    mix.components.map_or("–".into(), |components| components.to_string())
}
