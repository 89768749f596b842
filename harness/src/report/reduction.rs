//! What the reduction buys: plain against reduced searches of nets, as a table.

use crate::analyse::Analysis;
use crate::analyse::cells::CaseCount;
use crate::distinct::distinct;
use crate::grid::{Grid, GridCell};
use pidlab_core::Relations;

/// The searches of one net.
pub struct Reduction<'a> {
    /// The net.
    pub set: &'a str,
    /// Without reduction, complete or not.
    pub plain: Option<&'a CaseCount>,
    /// With it, by relations; complete ones.
    pub merged: Vec<&'a CaseCount>,
}

impl<'a> Reduction<'a> {
    /// `None` if no reduced search came to its end.
    pub fn of(analysis: &'a Analysis, set: &'a str) -> Option<Reduction<'a>> {
        let of = |symmetry: &'static str| {
            let cells = analysis.cells.iter().filter(move |cell| cell.set == set);
            cells.filter(move |cell| cell.backend.split('+').next() == Some(symmetry))
        };
        let plain = of("plain").find(|cell| cell.status != "skipped");
        let merged: Vec<&CaseCount> = of("merged").filter(|cell| cell.is_complete()).collect();
        (!merged.is_empty()).then_some(Reduction { set, plain, merged })
    }
}

/// Relations as the first letters of their names: `pa`, `0` for none.
pub fn letters(relations: &str) -> String {
    let Ok(set) = relations.parse::<Relations>() else { return relations.to_string() };
    let names = set.to_string();
    let letter = |name: &str| match name {
        "parent" => "p",
        "ancestor" => "a",
        "adjacent-sibling" => "s",
        "elder-sibling" => "e",
        _ => "",
    };
    match names.split(',').map(|name| letter(name.trim())).collect::<String>() {
        none if none.is_empty() => "0".into(),
        some => some,
    }
}

/// The table; `None` where an experiment has no plain searches to set against reduced ones.
pub fn grid(analysis: &Analysis) -> Option<Grid> {
    let sets = distinct(analysis.cells.iter().map(|cell| cell.set.as_str()));
    let mut rows = Vec::new();
    for reduction in sets.into_iter().filter_map(|set| Reduction::of(analysis, set)) {
        let Some(plain) = reduction.plain else { continue };
        rows.extend(reduction.merged.iter().map(|merged| row(reduction.set, plain, merged)));
    }
    let columns = [
        "net",
        "relations",
        "plain states",
        "reduced",
        "times fewer",
        "plain s",
        "reduced s",
        "plain kB",
        "reduced kB",
    ];
    (!rows.is_empty()).then(|| Grid {
        name: "reduction",
        caption: "plain: until its end or the limit of the row (then ≥); seconds of the search, kB of the visited set".into(),
        columns: columns.map(String::from).to_vec(),
        rows,
    })
}

fn row(set: &str, plain: &CaseCount, merged: &CaseCount) -> Vec<GridCell> {
    let at_least = if plain.is_complete() { "" } else { "≥ " };
    let states = |cell: &CaseCount| cell.count("states").unwrap_or(0);
    let kilobytes = |cell: &CaseCount| cell.count("bytes").unwrap_or(0) as f64 / 1024.0;
    let seconds = |cell: &CaseCount| cell.seconds.map_or("limit".into(), |s| format!("{s:.3}"));
    let times = states(plain) as f64 / states(merged).max(1) as f64;
    let texts = [
        set.to_string(),
        letters(&merged.relations),
        format!("{at_least}{}", states(plain)),
        states(merged).to_string(),
        format!("{at_least}{times:.1}"),
        seconds(plain),
        seconds(merged),
        format!("{at_least}{:.1}", kilobytes(plain)),
        format!("{:.1}", kilobytes(merged)),
    ];
    texts.into_iter().map(GridCell::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn relations_are_letters() {
        assert_eq!((letters("none"), letters("parent")), ("0".into(), "p".into()));
        assert_eq!(letters("all").len(), 4);
    }

    #[test]
    fn a_search_that_hit_its_limit_is_a_lower_bound() {
        let cell = |status: &str, states: u64| CaseCount {
            set: "net".into(),
            instance: String::new(),
            relations: "parent".into(),
            backend: "plain+bfs".into(),
            status: status.into(),
            answer: String::new(),
            counts: BTreeMap::from([("states".to_string(), states), ("bytes".to_string(), 2048)]),
            seconds: None,
            range: None,
        };
        let row = row("net", &cell("timeout", 100), &cell("ok", 10));
        let texts: Vec<&str> = row.iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts[2..5], ["≥ 100", "10", "≥ 10.0"]);
    }
}
