//! One run of one commit as the history keeps it: format `pidlab-history/1`, a small Parquet file.
//!
//! A line is one state under one backend, relation set and graph kind, with its median time; a hash of
//! the inputs goes with it, so that times are only ever compared on the same pairs of states.

use crate::analyse::{series, table};
use crate::compare::matched::SizeClass;
use crate::remedy::Remedy;
use crate::store;
use crate::store::machine::{self, Machine};
use crate::store::manifest::Manifest;
use anyhow::{Context, bail};
use pidlab_analysis::{Table, Values};
use pidlab_stats::order::median;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The format of the files.
pub const FORMAT: &str = "pidlab-history/1";

/// What a line is about, without the state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SeriesKey {
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the scale.
    pub scale: String,
    /// Its seed.
    pub seed: u64,
    /// Who was asked.
    pub backend: String,
    /// Under which relations.
    pub relations: String,
    /// On which graphs.
    pub graph: String,
    /// Size class, or entry of the experiment file.
    pub class: String,
}

/// One state under one backend.
#[derive(Clone, Debug)]
pub struct SnapshotLine {
    /// What it is about.
    pub subject: SeriesKey,
    /// Number of the state; with the repetition for models and instances.
    pub state: u64,
    /// Hash of the pairs of states behind the time.
    pub inputs: u64,
    /// Rows behind the time.
    pub rows: u64,
    /// Median over the state's rows; infinite if most hit a limit.
    pub seconds: f64,
}

/// A commit measured once.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The commit.
    pub commit: String,
    /// First line of the commit's message, if git knew it.
    pub title: String,
    /// When the commit was made, or else measured: `2026-11-16T03:10:28Z`.
    pub when: String,
    /// When it was measured.
    pub measured: String,
    /// On which machine.
    pub machine: Machine,
    /// Version of the kernel.
    pub kernel: String,
    /// Tells runs of one commit apart.
    pub run: String,
    /// The times.
    pub lines: Vec<SnapshotLine>,
}

impl Snapshot {
    /// From a finished run folder; `commit` in place of the one in its manifest.
    pub fn of_run(folder: &Path, commit: Option<&str>) -> anyhow::Result<Snapshot> {
        let manifest = Manifest::read(folder)?;
        let provenance = machine::origin(folder, &manifest)?;
        if let Some(problem) = machine::several(folder, &manifest) {
            bail!("{problem}; a history takes runs of one machine each");
        }
        let commit = commit.unwrap_or(&provenance.commit).to_string();
        if commit == "unknown" || !commit.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            let problem = format!("{}: `{commit}` does not name a commit", folder.display());
            return Err(Remedy::Commit.refuse(problem));
        }
        let started: Vec<&str> = manifest.sessions.iter().map(|s| s.started.as_str()).collect();
        let run = crc32fast::hash(format!("{}{started:?}", manifest.plan).as_bytes());
        let measured = started.last().map_or(String::new(), |text| text.to_string());
        let (when, title) = dated(&commit).unwrap_or((measured.clone(), String::new()));
        Ok(Snapshot {
            lines: lines(folder, &manifest)?,
            commit,
            title,
            when,
            measured,
            machine: Machine::of(&provenance),
            kernel: provenance.kernel,
            run: format!("{run:08x}"),
        })
    }

    /// The name of its file.
    pub fn file_name(&self) -> String {
        let when: String = self.when.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        format!("{when}-{}-{}.parquet", self.commit, self.run)
    }

    /// The file's bytes.
    pub fn encode(&self) -> anyhow::Result<Vec<u8>> {
        let n = self.lines.len();
        let same = |text: &'static str| Values::Text(vec![text; n]);
        let own = |text| Values::Text(std::iter::repeat_n(text, n).collect());
        let text =
            |get: fn(&SnapshotLine) -> &str| Values::Text(self.lines.iter().map(get).collect());
        let whole =
            |get: fn(&SnapshotLine) -> u64| Values::Whole(self.lines.iter().map(get).collect());
        let mut table = Table::new(vec![
            ("format", same(FORMAT)),
            ("commit", own(self.commit.as_str())),
            ("title", own(self.title.as_str())),
            ("when", own(self.when.as_str())),
            ("measured", own(self.measured.as_str())),
            ("cpu", own(self.machine.cpu.as_str())),
            ("cores", Values::Whole(vec![self.machine.cores as u64; n])),
            ("kernel", own(self.kernel.as_str())),
            ("run", own(self.run.as_str())),
            ("experiment", text(|l| &l.subject.experiment)),
            ("scale", text(|l| &l.subject.scale)),
            ("seed", whole(|l| l.subject.seed)),
            ("backend", text(|l| &l.subject.backend)),
            ("relations", text(|l| &l.subject.relations)),
            ("graph", text(|l| &l.subject.graph)),
            ("class", text(|l| &l.subject.class)),
            ("state", whole(|l| l.state)),
            ("inputs", whole(|l| l.inputs)),
            ("rows", whole(|l| l.rows)),
            ("seconds", Values::Real(self.lines.iter().map(|l| l.seconds).collect())),
        ])?;
        let mut bytes = Vec::new();
        table.write_parquet(&mut bytes)?;
        Ok(bytes)
    }

    /// Reads a file.
    pub fn read(path: &Path) -> anyhow::Result<Snapshot> {
        let table = Table::read_parquet(path).context("the history has a file that is broken")?;
        Snapshot::from_table(&table).with_context(|| format!("{}", path.display()))
    }

    fn from_table(table: &Table) -> anyhow::Result<Snapshot> {
        let format = table.texts("format").ok().and_then(|f| f.first().copied()).unwrap_or("none");
        if format != FORMAT {
            bail!("has format `{format}`, this program reads `{FORMAT}`");
        }
        let first = |name: &str| -> anyhow::Result<String> {
            Ok(table.texts(name)?.first().copied().unwrap_or_default().to_string())
        };
        let text = |name: &str| table.texts(name);
        let (experiment, scale, backend) = (text("experiment")?, text("scale")?, text("backend")?);
        let (relations, graph, class) = (text("relations")?, text("graph")?, text("class")?);
        let (seed, state) = (table.wholes("seed")?, table.wholes("state")?);
        let (inputs, rows) = (table.wholes("inputs")?, table.wholes("rows")?);
        let seconds = table.numbers("seconds")?;
        let line = |i: usize| SnapshotLine {
            subject: SeriesKey {
                experiment: experiment[i].into(),
                scale: scale[i].into(),
                seed: seed[i],
                backend: backend[i].into(),
                relations: relations[i].into(),
                graph: graph[i].into(),
                class: class[i].into(),
            },
            state: state[i],
            inputs: inputs[i],
            rows: rows[i],
            seconds: seconds[i],
        };
        let cores = table.wholes("cores")?.first().copied().unwrap_or(0) as usize;
        Ok(Snapshot {
            commit: first("commit")?,
            title: first("title")?,
            when: first("when")?,
            measured: first("measured")?,
            machine: Machine { cpu: first("cpu")?, cores },
            kernel: first("kernel")?,
            run: first("run")?,
            lines: (0..table.rows()).map(line).collect(),
        })
    }
}

/// When a commit was made and the first line of its message, if there is a repository that knows.
fn dated(commit: &str) -> Option<(String, String)> {
    let date = "--date=format-local:%Y-%m-%dT%H:%M:%SZ";
    let text = std::process::Command::new("git")
        .env("TZ", "UTC")
        .args(["show", "--no-patch", date, "--format=%cd%n%s", commit, "--"])
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let mut lines = text.lines();
    Some((lines.next()?.to_string(), lines.next().unwrap_or_default().to_string()))
}

/// The rows of a run, brought down to one line for each state.
fn lines(folder: &Path, manifest: &Manifest) -> anyhow::Result<Vec<SnapshotLine>> {
    let (experiment, ..) = store::experiment_of(folder)?;
    let table = table::read(folder)?;
    let (backend, relations, graph) =
        (table.texts("backend")?, table.texts("relations")?, table.texts("graph")?);
    let (state, pair) = (table.wholes("state")?, table.wholes("pair")?);
    let (classes, repetition) = (SizeClass::of_rows(&table)?, table.wholes("repetition")?);
    let times = series::seconds(&table, &experiment.analysis)?;
    let mut groups: BTreeMap<(SeriesKey, u64), (u64, Vec<f64>)> = BTreeMap::new();
    for i in 0..table.rows() {
        let subject = SeriesKey {
            experiment: manifest.experiment.clone(),
            scale: manifest.scale.name().into(),
            seed: manifest.seed,
            backend: backend[i].into(),
            relations: relations[i].into(),
            graph: graph[i].into(),
            class: classes[i].name().into(),
        };
        let unit = classes[i].unit(state[i], repetition[i]);
        let group = groups.entry((subject, unit)).or_default();
        group.0 = group.0.rotate_left(5) ^ pair[i];
        group.1.push(times[i]);
    }
    let line = |((subject, state), (inputs, mut times)): ((SeriesKey, u64), (u64, Vec<f64>))| {
        times.retain(|time| !time.is_nan());
        let rows = times.len() as u64;
        SnapshotLine { subject, state, inputs, rows, seconds: median(&mut times) }
    };
    let lines: Vec<SnapshotLine> =
        groups.into_iter().map(line).filter(|line| line.rows > 0).collect();
    match lines.is_empty() {
        true => bail!("{}: no row of the run was decided", folder.display()),
        false => Ok(lines),
    }
}
