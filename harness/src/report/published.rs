//! Published tables in the paper's layout: one grid per case, a column per symmetry, rows for counts and for
//! memory and time of each compression. The paper's number stands in brackets.

use crate::analyse::Analysis;
use crate::analyse::cells::CaseCount;
use crate::claims::{Printed, PublishedTable, name};
use crate::distinct::distinct;
use crate::grid::{self, Grid};

/// The grids of an experiment on models; the published numbers are those of its table, if it has one.
pub fn grids(analysis: &Analysis, tables: &[PublishedTable]) -> Vec<Grid> {
    let table = tables.iter().find(|table| table.experiment == analysis.experiment);
    let counted = analysis.cells.iter().filter(|cell| cell.counts.contains_key("states"));
    let sets = distinct(counted.map(|cell| cell.set.as_str()));
    sets.into_iter().map(|set| Case::new(set, analysis, table).grid()).collect()
}

/// One case: its cells, and what the paper prints for it.
struct Case<'a> {
    set: &'a str,
    cells: Vec<&'a CaseCount>,
    printed: Vec<&'a Printed>,
}

impl<'a> Case<'a> {
    fn new(set: &'a str, analysis: &'a Analysis, table: Option<&'a PublishedTable>) -> Case<'a> {
        let printed = table.into_iter().flat_map(|table| &table.cells);
        Case {
            set,
            cells: analysis.cells.iter().filter(|cell| cell.set == set).collect(),
            printed: printed.filter(|printed| printed.set == set).collect(),
        }
    }

    fn grid(&self) -> Grid {
        let symmetries = self.parts(0);
        let mut rows = vec![self.counts("s", "states", &symmetries)];
        rows.push(self.counts("seen", "seen", &symmetries));
        for compression in self.parts(1) {
            rows.push(self.costs(compression, 0, &symmetries));
            rows.push(self.costs(compression, 1, &symmetries));
        }
        let mut columns = vec![self.set.to_string()];
        columns.extend(symmetries.iter().map(|symmetry| name(symmetry)));
        let caption = "ours [paper]; m: kilobytes of the visited set, t: seconds".into();
        Grid { name: "published", caption, columns, rows }
    }

    /// The different first, second, … parts of the names of configurations, in order.
    fn parts(&self, at: usize) -> Vec<&'a str> {
        distinct(self.cells.iter().filter_map(|cell| cell.backend.split('+').nth(at)))
    }

    fn cell(&self, symmetry: &str, compression: Option<&str>) -> Option<&CaseCount> {
        let wanted = |cell: &&&CaseCount| {
            let mut parts = cell.backend.split('+');
            parts.next() == Some(symmetry)
                && compression.is_none_or(|wanted| parts.next() == Some(wanted))
                && cell.is_complete()
        };
        self.cells.iter().find(wanted).copied()
    }

    fn paper(&self, symmetry: &str) -> Option<&Printed> {
        self.printed.iter().find(|printed| printed.backend == symmetry).copied()
    }

    fn counts(&self, title: &str, column: &str, symmetries: &[&str]) -> Vec<grid::GridCell> {
        let beside = |symmetry: &&str| {
            let ours = self.cell(symmetry, None).and_then(|cell| cell.count(column));
            let paper = self.paper(symmetry).and_then(|printed| printed.counts.get(column));
            beside(ours.map(|n| n.to_string()), paper.map(|n| n.to_string()))
        };
        [title.into()].into_iter().chain(symmetries.iter().map(beside)).collect()
    }

    /// Memory (0) or time (1).
    fn costs(&self, compression: &str, which: usize, symmetries: &[&str]) -> Vec<grid::GridCell> {
        let beside = |symmetry: &&str| {
            let cell = self.cell(symmetry, Some(compression));
            let ours = cell.and_then(|cell| match which {
                0 => Some(format!("{:.1}", cell.count("bytes")? as f64 / 1024.0)),
                _ => Some(format!("{:.3}", cell.seconds?)),
            });
            let paper = self.paper(symmetry).and_then(|printed| printed.cost.get(compression));
            beside(ours, paper.map(|cost| cost[which].clone()))
        };
        let title = format!("{compression} {}", ["m", "t"][which]);
        [title.into()].into_iter().chain(symmetries.iter().map(beside)).collect()
    }
}

fn beside(ours: Option<String>, paper: Option<String>) -> grid::GridCell {
    let ours = ours.unwrap_or_else(|| "-".into());
    match paper {
        Some(paper) => format!("{ours} [{paper}]").into(),
        None => ours.into(),
    }
}
