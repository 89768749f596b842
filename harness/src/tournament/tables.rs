//! The tables of a tournament, each as `.tex` and `.csv`.

use super::field::{Field, Instance};
use super::standings::{Standings, penalized};
use crate::distinct::distinct;
use crate::experiment::QuestionKind;
use crate::grid::{Grid, GridCell};
use crate::store::folder::Folder;
use std::path::PathBuf;

pub fn all(field: &Field, standings: &Standings) -> Vec<Grid> {
    vec![ranking(standings, field.kind), families(field, standings), duels(standings)]
}

/// Writes every table and returns the paths of the `.tex` files.
pub fn write(grids: &[Grid], files: &Folder) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for grid in grids {
        files.write(&format!("tables/{}.csv", grid.name), grid.csv().as_bytes())?;
        paths.push(files.write(&format!("tables/{}.tex", grid.name), grid.latex().as_bytes())?);
    }
    Ok(paths)
}

/// The ranking: what the program prints.
pub fn ranking(standings: &Standings, kind: QuestionKind) -> Grid {
    let left_out = match standings.left_out {
        0 => String::new(),
        n => format!(" {n} instances that not everybody was asked about are left out."),
    };
    let (classes, instances) = (standings.classes, standings.instances);
    let of = |count: usize, all: usize| format!("{count} of {all}");
    let mut rows: Vec<Vec<GridCell>> = standings
        .backends
        .iter()
        .map(|s| {
            let par2 = &s.par2_seconds;
            vec![
                s.backend.as_str().into(),
                of(s.decided, instances).into(),
                millis(par2.value).into(),
                format!("{}–{}", millis(par2.low), millis(par2.high)).into(),
                of(s.fastest_classes, classes).into(),
                of(s.within_two_classes, classes).into(),
                s.median_to_best.map_or("–".into(), |ratio| format!("{ratio:.1}")).into(),
            ]
        })
        .collect();
    let best = &standings.virtual_best;
    let par2 = &best.par2_seconds;
    let interval = format!("{}–{}", millis(par2.low), millis(par2.high));
    let decided = of(best.decided, instances);
    let mut last: Vec<GridCell> = vec!["virtual best".into(), decided.into()];
    last.extend([millis(par2.value).into(), interval.into()]);
    last.extend(["–"; 3].map(GridCell::from));
    rows.push(last);
    let columns =
        ["backend", "decided", "PAR-2 (ms)", "95 %", "fastest", "within 2×", "median / best"];
    Grid {
        name: "ranking",
        caption: format!(
            "{} by PAR-2: mean time of a decision, where what is not decided within {} s counts as twice that; interval over {}. Classes are {}, by medians.{left_out}",
            capital(kind.answerers()),
            standings.limit_seconds,
            kind.subjects(),
            kind.classes()
        ),
        columns: columns.map(String::from).to_vec(),
        rows,
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// PAR-2 of every backend on every family; the best in bold.
fn families(field: &Field, standings: &Standings) -> Grid {
    let ranked = by_rank(field, standings);
    let sets = distinct(field.classes.iter().map(|class| class.set.as_str()));
    let rows = sets.iter().map(|set| {
        let members: Vec<&Instance> = field.instances.iter().filter(|i| i.set == *set).collect();
        let scores: Vec<f64> =
            ranked.iter().map(|&at| mean_penalized(&members, at, field)).collect();
        let best = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let cell = |score: &f64| GridCell { text: millis(*score), bold: *score == best };
        let mut row = vec![GridCell::from(*set)];
        row.extend(scores.iter().map(cell));
        row
    });
    let mut columns = vec!["family".to_string()];
    columns.extend(ranked.iter().map(|&at| field.backends[at].clone()));
    Grid {
        name: "families",
        caption: format!(
            "PAR-2 in milliseconds by family; the best of each in bold. {} is the worst possible: no instance decided.",
            millis(2.0 * field.limit)
        ),
        rows: rows.collect(),
        columns,
    }
}

fn mean_penalized(members: &[&Instance], at: usize, field: &Field) -> f64 {
    let total: f64 = members.iter().map(|i| penalized(i.times[at], field.limit)).sum();
    total / members.len().max(1) as f64
}

/// Numbers of backends in the order of the ranking.
pub fn by_rank(field: &Field, standings: &Standings) -> Vec<usize> {
    let place = |name: &str| field.backends.iter().position(|backend| backend == name);
    standings.backends.iter().filter_map(|s| place(&s.backend)).collect()
}

/// On how many instances the backend of the row beats that of the column.
fn duels(standings: &Standings) -> Grid {
    let names: Vec<&str> = standings.backends.iter().map(|s| s.backend.as_str()).collect();
    let wins = |row: &str, column: &str| -> String {
        standings
            .pairs
            .iter()
            .find_map(|duel| {
                match (duel.a == row && duel.b == column, duel.a == column && duel.b == row) {
                    (true, _) => Some(duel.a_faster),
                    (_, true) => Some(duel.instances - duel.a_faster),
                    _ => None,
                }
            })
            .map_or("–".into(), |wins| wins.to_string())
    };
    let rows = names.iter().map(|row| {
        let mut cells = vec![GridCell::from(*row)];
        cells.extend(names.iter().map(|column| GridCell::from(wins(row, column))));
        cells
    });
    let mut columns = vec!["faster than".to_string()];
    columns.extend(names.iter().map(|name| name.to_string()));
    Grid {
        name: "duels",
        caption: format!(
            "Instances (of {}) on which the backend of the row is faster than that of the column.",
            standings.instances
        ),
        rows: rows.collect(),
        columns,
    }
}

/// Seconds as milliseconds with three significant digits.
pub fn millis(seconds: f64) -> String {
    match seconds * 1e3 {
        ms if !ms.is_finite() => "–".into(),
        ms if ms >= 100.0 => format!("{ms:.0}"),
        ms if ms >= 10.0 => format!("{ms:.1}"),
        ms if ms >= 1.0 => format!("{ms:.2}"),
        ms => format!("{ms:.3}"),
    }
}
