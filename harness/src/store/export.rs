//! The result table of a run: `rows.parquet` and `rows.csv`, one line a row, sorted by row number.
//!
//! First what a row's number stands for, then the counts of its kind, then what came of it and what the generator was
//! told. `columns.md` beside it says what the columns mean, `datapackage.json` says it to programs.

use super::FoundRows;
use super::columns::{self, ColumnDoc, ColumnType};
use super::folder::Folder;
use super::machine::Machine;
use super::manifest::Manifest;
use super::package;
use super::parameters::{self, EntryLabels, ParameterColumn};
use super::record::Record;
use crate::experiment::{GraphName, QuestionKind};
use crate::plan::{Place, Plan};
use pidlab_analysis::{Table, Values};
use std::io::Write;

/// A record together with what its number stands for.
struct Line<'p> {
    plan: &'p Plan,
    names: &'p Names<'p>,
    place: Place,
    record: Record,
    message: &'p str,
    machine: &'p str,
}

/// Texts that many lines share.
struct Names<'p> {
    kind: QuestionKind,
    labels: Vec<&'p str>,
    /// What backends are called.
    backends: Vec<&'p str>,
    relations: Vec<String>,
    /// Names of the files of instances, by block.
    inputs: Vec<String>,
    /// Machines, by session.
    machines: Vec<String>,
}

type Text = for<'l> fn(&'l Line<'l>) -> &'l str;
type Whole = fn(&Line<'_>) -> u64;

enum Column {
    Text(&'static str, Text),
    Whole(&'static str, Whole),
    Flag(&'static str, fn(&Line<'_>) -> bool),
    Count(&'static str, usize),
    Parameter(ParameterColumn),
}

/// What a row's number stands for.
const PLACES: [Column; 11] = [
    Column::Whole("row", |l| l.record.row),
    Column::Whole("state", |l| l.place.block),
    Column::Text("set", |l| l.names.labels[l.place.set]),
    Column::Whole("size", |l| u64::from(l.place.size)),
    Column::Text("transformation", |l| l.transformation()),
    Column::Whole("variant", |l| l.place.variant),
    Column::Text("relations", |l| &l.names.relations[l.place.relations]),
    Column::Text("graph", |l| l.graph()),
    Column::Whole("order", |l| u64::from(l.place.order)),
    Column::Text("backend", |l| l.names.backends[l.place.backend]),
    Column::Whole("repetition", |l| u64::from(l.place.repetition)),
];

/// What came of it.
const RESULTS: [Column; 16] = [
    Column::Text("expected", |l| l.record.expected.name(l.names.kind)),
    Column::Text("answer", |l| l.record.answer.name(l.names.kind)),
    Column::Text("status", |l| l.record.status.name()),
    Column::Text("check", |l| l.record.check.name()),
    Column::Flag("obvious", |l| l.record.obvious),
    Column::Whole("build_ns", |l| l.record.build_ns),
    Column::Whole("decide_ns", |l| l.record.decide_ns),
    Column::Whole("wall_ns", |l| l.record.build_ns.saturating_add(l.record.decide_ns)),
    Column::Whole("cpu_ns", |l| l.record.cpu_ns),
    Column::Text("clock", |l| l.record.clock.name()),
    Column::Whole("generate_ns", |l| l.record.generate_ns),
    Column::Whole("check_ns", |l| l.record.check_ns),
    Column::Whole("peak_kib", |l| u64::from(l.record.peak_kib)),
    Column::Whole("pair", |l| l.record.pair),
    Column::Text("machine", |l| l.machine),
    Column::Text("message", |l| l.message),
];

/// What only pairs have.
const PAIRS: [Column; 2] = [
    Column::Whole("av", |l| {
        l.record.counts[3].saturating_mul(l.record.counts[2]).saturating_mul(4)
    }),
    Column::Text("decided_by", |l| l.record.decided_by.name()),
];

/// The file or line that a pair is from.
const INPUT: Column = Column::Text("input", |l| l.plan.input_name(l.place.block).unwrap_or(""));

fn columns(
    kind: QuestionKind,
    own_inputs: bool,
    (text, labels): (&str, &EntryLabels<'_>),
) -> Vec<Column> {
    let counts = kind.counts().iter().enumerate().map(|(at, name)| Column::Count(name, at));
    let more = match kind {
        QuestionKind::Pairs => PAIRS.into_iter().chain(own_inputs.then_some(INPUT)).collect(),
        QuestionKind::Models => Vec::new(),
        QuestionKind::Instances => {
            vec![Column::Text("instance", |l| &l.names.inputs[l.place.block as usize])]
        }
    };
    let told = parameters::columns(text, labels).into_iter().map(Column::Parameter);
    PLACES.into_iter().chain(counts).chain(more).chain(RESULTS).chain(told).collect()
}

impl Line<'_> {
    fn transformation(&self) -> &str {
        self.plan.transformation(&self.place)
    }

    fn graph(&self) -> &str {
        match self.plan.graph(&self.place) {
            GraphName::Corrected => "corrected",
            GraphName::Published => "published",
        }
    }

    /// The label of the entry that a parameter follows from.
    fn entry(&self, told: &ParameterColumn) -> &str {
        match told.is_of_transformation() {
            true => self.transformation(),
            false => self.names.labels[self.place.set],
        }
    }

    /// A row that its worker did not survive has no count; the size asked for stands in for pids.
    fn count(&self, at: usize) -> u64 {
        match (self.names.kind, at, self.record.counts[at]) {
            (QuestionKind::Pairs, 0, 0) => u64::from(self.place.size),
            (_, _, count) => count,
        }
    }
}

impl<'p> Names<'p> {
    fn of(plan: &'p Plan, manifest: &'p Manifest) -> Names<'p> {
        let kind = plan.experiment.kind();
        let blocks = if kind == QuestionKind::Instances { plan.blocks() } else { 0 };
        Names {
            kind,
            labels: plan.experiment.labels(),
            backends: plan.backends.iter().map(|name| manifest.shown(name)).collect(),
            relations: plan.experiment.relations.iter().map(|set| set.to_string()).collect(),
            inputs: (0..blocks).map(|block| plan.instance_name(block)).collect(),
            machines: manifest
                .sessions
                .iter()
                .map(|s| Machine::of(&s.provenance).to_string())
                .collect(),
        }
    }
}

pub fn write(
    plan: &Plan,
    found: &FoundRows,
    manifest: &Manifest,
    files: &Folder,
) -> anyhow::Result<()> {
    let names = Names::of(plan, manifest);
    let line = |(&record, &session): (&Record, &u32)| Line {
        plan,
        names: &names,
        place: plan.place(record.row),
        record,
        message: found.messages.get(&record.row).map_or("", String::as_str),
        machine: names.machines.get(session as usize).map_or("unknown", String::as_str),
    };
    let mut lines: Vec<Line<'_>> = found.records.iter().zip(&found.sessions).map(line).collect();
    lines.sort_unstable_by_key(|line| line.record.row);
    let columns = columns_of(plan, &names, files)?;
    let mut table = table(&columns, &lines)?;
    files.write_with("rows.parquet", |file| Ok(table.write_parquet(file)?))?;
    files.write_with("rows.csv", |file| write_csv(&columns, &lines, file)).map(|_| ())
}

/// What the columns mean, for people and for programs.
pub fn describe(plan: &Plan, manifest: &Manifest, files: &Folder) -> anyhow::Result<()> {
    let columns = columns_of(plan, &Names::of(plan, manifest), files)?;
    let docs: Vec<ColumnDoc> = columns.iter().map(Column::doc).collect();
    files.write("columns.md", columns::page(&docs).as_bytes())?;
    package::write(&plan.experiment, manifest, &docs, files)
}

fn columns_of(plan: &Plan, names: &Names, files: &Folder) -> anyhow::Result<Vec<Column>> {
    let text = std::fs::read_to_string(files.path_of(super::EXPERIMENT))?;
    let labels = EntryLabels::of(&plan.experiment);
    Ok(columns(names.kind, plan.experiment.inputs.is_some(), (&text, &labels)))
}

fn table(columns: &[Column], lines: &[Line<'_>]) -> anyhow::Result<Table> {
    // what parameters are as text lives as long as the table is made
    let texts: Vec<Vec<String>> = columns.iter().map(|column| column.own_texts(lines)).collect();
    let columns = columns.iter().zip(&texts).map(|(column, texts)| {
        let values = match column {
            Column::Text(name, get) => match columns::type_of(name) {
                Some(ColumnType::Category) => Values::Category(lines.iter().map(get).collect()),
                _ => Values::Text(lines.iter().map(get).collect()),
            },
            Column::Whole(_, get) => Values::Whole(lines.iter().map(get).collect()),
            Column::Flag(_, get) => Values::Flag(lines.iter().map(get).collect()),
            Column::Count(_, at) => {
                Values::Whole(lines.iter().map(|line| line.count(*at)).collect())
            }
            Column::Parameter(told) if told.is_number() => {
                Values::Sparse(lines.iter().map(|line| told.number(line.entry(told))).collect())
            }
            Column::Parameter(_) => Values::Category(texts.iter().map(String::as_str).collect()),
        };
        (column.name(), values)
    });
    Ok(Table::new(columns.collect())?)
}

fn write_csv(columns: &[Column], lines: &[Line<'_>], out: impl Write) -> anyhow::Result<()> {
    let mut out = csv::Writer::from_writer(out);
    out.write_record(columns.iter().map(Column::name))?;
    for line in lines {
        for column in columns {
            match column {
                Column::Text(_, get) => out.write_field(get(line))?,
                Column::Whole(_, get) => out.write_field(get(line).to_string())?,
                Column::Flag(_, get) => out.write_field(get(line).to_string())?,
                Column::Count(_, at) => out.write_field(line.count(*at).to_string())?,
                Column::Parameter(told) => out.write_field(told.text(line.entry(told)))?,
            }
        }
        out.write_record(None::<&[u8]>)?;
    }
    Ok(out.flush()?)
}

impl Column {
    fn name(&self) -> &str {
        match self {
            Column::Text(name, _) | Column::Whole(name, _) => name,
            Column::Flag(name, _) | Column::Count(name, _) => name,
            Column::Parameter(told) => &told.name,
        }
    }

    fn doc(&self) -> ColumnDoc {
        let is_number = matches!(self, Column::Parameter(told) if told.is_number());
        columns::describe(self.name(), is_number)
    }

    /// The texts of a parameter that is not a number.
    fn own_texts(&self, lines: &[Line<'_>]) -> Vec<String> {
        match self {
            Column::Parameter(told) if !told.is_number() => {
                lines.iter().map(|line| told.text(line.entry(told))).collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_documented() {
        for kind in [QuestionKind::Pairs, QuestionKind::Models, QuestionKind::Instances] {
            for column in columns(kind, true, ("", &EntryLabels::default())) {
                assert!(columns::type_of(column.name()).is_some(), "{}", column.name());
                assert!(!column.doc().description.contains("as the experiment file has it"));
            }
        }
    }
}
