//! The result table of a run: `rows.parquet` and `rows.csv`, one line a row, sorted by row number.

use super::folder::Folder;
use super::plan::{Place, Plan};
use super::record::Record;
use super::store::Found;
use crate::grid::quoted;
use pidlab_analysis::{Table, Values};
use std::io::Write;

/// A record together with what its number stands for.
struct Line<'p> {
    plan: &'p Plan,
    place: Place,
    record: Record,
    relations: &'p str,
    message: &'p str,
}

type Text = for<'l> fn(&'l Line<'l>) -> &'l str;
type Whole = fn(&Line<'_>) -> u64;

/// Either kind of column.
enum Column {
    Text(&'static str, Text),
    Whole(&'static str, Whole),
}

/// Columns in the order of the file; documented in `docs/experiments.md`.
const COLUMNS: [Column; 29] = [
    Column::Whole("row", |l| l.record.row),
    Column::Whole("state", |l| l.place.block),
    Column::Text("set", |l| &l.plan.experiment.states[l.place.set].label),
    Column::Whole("size", |l| u64::from(l.place.size)),
    Column::Text("transformation", |l| l.transformation()),
    Column::Whole("variant", |l| l.place.variant),
    Column::Text("relations", |l| l.relations),
    Column::Text("graph", |l| l.graph()),
    Column::Whole("order", |l| u64::from(l.place.order)),
    Column::Text("backend", |l| &l.plan.backends[l.place.backend]),
    Column::Whole("repetition", |l| u64::from(l.place.repetition)),
    Column::Whole("p", |l| l.pids()),
    Column::Whole("vectors", |l| u64::from(l.record.vectors)),
    Column::Whole("vertices", |l| u64::from(l.record.vertices)),
    Column::Whole("arcs", |l| u64::from(l.record.arcs)),
    Column::Whole("av", |l| 4 * u64::from(l.record.arcs) * u64::from(l.record.vertices)),
    Column::Text("expected", |l| l.record.expected.name()),
    Column::Text("answer", |l| l.record.answer.name()),
    Column::Text("status", |l| l.record.status.name()),
    Column::Text("check", |l| l.record.check.name()),
    Column::Text("obvious", |l| if l.record.obvious { "yes" } else { "no" }),
    Column::Whole("build_ns", |l| l.record.build_ns),
    Column::Whole("decide_ns", |l| l.record.decide_ns),
    Column::Whole("cpu_ns", |l| l.record.cpu_ns),
    Column::Whole("generate_ns", |l| l.record.generate_ns),
    Column::Whole("check_ns", |l| l.record.check_ns),
    Column::Whole("peak_kib", |l| u64::from(l.record.peak_kib)),
    Column::Whole("pair", |l| l.record.pair),
    Column::Text("message", |l| l.message),
];

impl Line<'_> {
    fn transformation(&self) -> &str {
        let transformations = &self.plan.experiment.transformations;
        transformations.get(self.place.transformation).map_or("none", |t| &t.label)
    }

    fn graph(&self) -> &str {
        match self.plan.graph(&self.place) {
            super::experiment::Graph::Corrected => "corrected",
            super::experiment::Graph::Published => "published",
        }
    }

    /// A row that its worker did not survive has no count; the size asked for stands in.
    fn pids(&self) -> u64 {
        match self.record.pids {
            0 => u64::from(self.place.size),
            pids => u64::from(pids),
        }
    }
}

pub fn write(plan: &Plan, found: &Found, files: &Folder) -> anyhow::Result<()> {
    let mut records = found.records.clone();
    records.sort_unstable_by_key(|record| record.row);
    let relations: Vec<String> =
        plan.experiment.relations.iter().map(|set| set.to_string()).collect();
    let lines: Vec<Line<'_>> = records
        .into_iter()
        .map(|record| {
            let place = plan.place(record.row);
            let message = found.messages.get(&record.row).map_or("", String::as_str);
            Line { plan, place, record, relations: &relations[place.relations], message }
        })
        .collect();
    let mut table = table(&lines)?;
    files.write_with("rows.parquet", |file| Ok(table.write_parquet(file)?))?;
    files.write_with("rows.csv", |file| Ok(write_csv(&lines, file)?))?;
    Ok(())
}

fn table(lines: &[Line<'_>]) -> anyhow::Result<Table> {
    let columns = COLUMNS.iter().map(|column| match column {
        Column::Text(name, get) => (*name, Values::Text(lines.iter().map(get).collect())),
        Column::Whole(name, get) => (*name, Values::Whole(lines.iter().map(get).collect())),
    });
    Ok(Table::new(columns.collect())?)
}

fn write_csv(lines: &[Line<'_>], out: impl Write) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(out);
    let names: Vec<&str> = COLUMNS.iter().map(Column::name).collect();
    writeln!(out, "{}", names.join(","))?;
    for line in lines {
        for (i, column) in COLUMNS.iter().enumerate() {
            if i > 0 {
                out.write_all(b",")?;
            }
            match column {
                Column::Text(_, get) => out.write_all(quoted(get(line)).as_bytes())?,
                Column::Whole(_, get) => write!(out, "{}", get(line))?,
            }
        }
        out.write_all(b"\n")?;
    }
    out.flush()
}

impl Column {
    fn name(&self) -> &'static str {
        match self {
            Column::Text(name, _) | Column::Whole(name, _) => name,
        }
    }
}
