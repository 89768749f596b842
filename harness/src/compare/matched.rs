//! Rows of two runs that asked the same question on the same states.
//!
//! Rows are matched by what they are about, and by the hash of their pair of states: where the
//! generators changed, equal numbers do not mean equal inputs, and such rows are left out and counted.

use crate::analyse::{series, table};
use crate::experiment::Experiment;
use crate::store;
use anyhow::{Context, bail};
use pidlab_analysis::Table;
use pidlab_stats::order::median;
use pidlab_stats::paired::PairedRatio;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// What a verdict is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Group {
    pub experiment: String,
    pub backend: String,
    pub relations: String,
    pub graph: String,
    #[serde(serialize_with = "named")]
    pub class: SizeClass,
    /// Only where verdicts are asked for each transformation.
    pub transformation: Option<String>,
}

/// Size classes by the number of pids; models and instances are a class for each entry of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SizeClass {
    Small,
    Medium,
    Large,
    Entry(String),
}

fn named<S: Serializer>(class: &SizeClass, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(class.name())
}

impl SizeClass {
    /// The classes of the rows of a table.
    pub fn of_rows(table: &Table) -> anyhow::Result<Vec<SizeClass>> {
        match table.columns().iter().any(|name| name == "p") {
            true => Ok(table.numbers("p")?.into_iter().map(SizeClass::of).collect()),
            false => {
                Ok(table.texts("set")?.into_iter().map(|s| SizeClass::Entry(s.into())).collect())
            }
        }
    }

    /// What counts as one observation: the base state; of a model or instance, which is a class of its own, the
    /// repetition.
    pub fn unit(&self, state: u64, repetition: u64) -> u64 {
        match self {
            SizeClass::Entry(_) => state << 12 | repetition.min(0xFFF),
            _ => state,
        }
    }

    fn of(pids: f64) -> SizeClass {
        match pids {
            p if p < 64.0 => SizeClass::Small,
            p if p < 512.0 => SizeClass::Medium,
            _ => SizeClass::Large,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            SizeClass::Small => "p<64",
            SizeClass::Medium => "64<=p<512",
            SizeClass::Large => "p>=512",
            SizeClass::Entry(label) => label,
        }
    }
}

/// The measurements of one group.
#[derive(Default)]
pub struct Matched {
    pub cells: Vec<PairedRatio>,
    pub rows: usize,
    pub base: Vec<f64>,
    pub new: Vec<f64>,
    /// Rows that only the base decided within its limits.
    pub no_longer: usize,
}

impl Matched {
    pub fn states(&self) -> usize {
        self.cells.iter().map(|cell| cell.state).collect::<std::collections::BTreeSet<_>>().len()
    }

    /// The cells of every other state.
    pub fn half(&self, odd: bool) -> Vec<PairedRatio> {
        let mut states: Vec<u32> = self.cells.iter().map(|cell| cell.state).collect();
        states.sort_unstable();
        states.dedup();
        let of = |state: u32| states.binary_search(&state).map_or(0, |i| i % 2) == usize::from(odd);
        self.cells.iter().filter(|cell| of(cell.state)).copied().collect()
    }
}

/// Everything that two lists of run folders have in common.
#[derive(Default)]
pub struct Common {
    pub groups: BTreeMap<Group, Matched>,
    pub rows: usize,
    /// Rows with the same place but other states.
    pub other_inputs: usize,
    /// Rows to which base and new gave different answers.
    pub contradictions: Vec<String>,
}

/// One run as far as a comparison needs it.
struct Run {
    /// As its manifest calls it.
    name: String,
    experiment: Experiment,
    table: Table,
}

impl Run {
    fn read(folder: &Path) -> anyhow::Result<Run> {
        let (experiment, _, manifest) = store::experiment_of(folder)?;
        let table = table::read(folder)?;
        match table.rows() {
            0 => bail!("{}: the run has no rows", folder.display()),
            _ => Ok(Run { name: manifest.experiment, experiment, table }),
        }
    }
}

/// A row of one side.
struct Line<'t> {
    pair: u64,
    answer: &'t str,
    decided: bool,
    seconds: f64,
}

type Key<'t> = ([&'t str; 5], [u64; 5]);

/// The columns that say what a row is about.
struct Keys<'t> {
    texts: Vec<Vec<&'t str>>,
    wholes: Vec<Vec<u64>>,
}

impl<'t> Keys<'t> {
    fn of(table: &'t Table) -> anyhow::Result<Keys<'t>> {
        let texts = ["backend", "relations", "graph", "transformation", "set"];
        let wholes = ["state", "size", "variant", "order", "repetition"];
        Ok(Keys {
            texts: texts.iter().map(|name| table.texts(name)).collect::<Result<_, _>>()?,
            wholes: wholes.iter().map(|name| table.wholes(name)).collect::<Result<_, _>>()?,
        })
    }

    fn at(&self, i: usize) -> Key<'t> {
        (std::array::from_fn(|k| self.texts[k][i]), std::array::from_fn(|k| self.wholes[k][i]))
    }
}

fn lines(run: &Run) -> anyhow::Result<Vec<Line<'_>>> {
    let (table, limit) = (&run.table, run.experiment.budget.seconds);
    let seconds = series::seconds(table, &run.experiment.analysis)?;
    let (status, answer, pair) =
        (table.texts("status")?, table.texts("answer")?, table.wholes("pair")?);
    let line = |i: usize| Line {
        pair: pair[i],
        answer: answer[i],
        decided: matches!(status[i], "ok" | "open"),
        seconds: if seconds[i].is_infinite() { limit } else { seconds[i] },
    };
    Ok((0..table.rows()).map(line).collect())
}

impl Common {
    /// Adds what a round's two runs have in common.
    pub fn add(
        &mut self,
        base: &Path,
        new: &Path,
        round: u32,
        each_transformation: bool,
    ) -> anyhow::Result<()> {
        let (base_run, new_run) = (Run::read(base)?, Run::read(new)?);
        let names = [&base_run.name, &new_run.name];
        if names[0] != names[1] {
            bail!(
                "{} is a run of {}, {} one of {}: only runs of the same experiment can be compared",
                base.display(),
                names[0],
                new.display(),
                names[1]
            );
        }
        let before = (self.rows, self.other_inputs);
        self.match_rows(&base_run, &new_run, round, each_transformation)
            .with_context(|| format!("{} and {}", base.display(), new.display()))?;
        if self.rows == before.0 {
            let why = match self.other_inputs > before.1 {
                true => "the states differ: other seed or other generators",
                false => "other sizes, transformations, relations or backends",
            };
            bail!("{} and {} have no common rows ({why})", base.display(), new.display());
        }
        Ok(())
    }

    fn match_rows(
        &mut self,
        base: &Run,
        new: &Run,
        round: u32,
        each_transformation: bool,
    ) -> anyhow::Result<()> {
        let (base_lines, new_lines) = (lines(base)?, lines(new)?);
        let base_keys = Keys::of(&base.table)?;
        let known: HashMap<Key<'_>, usize> =
            (0..base_lines.len()).map(|i| (base_keys.at(i), i)).collect();
        let keys = Keys::of(&new.table)?;
        let classes = SizeClass::of_rows(&new.table)?;
        let mut logs: BTreeMap<(Group, u32), Vec<f64>> = BTreeMap::new();
        for (i, line) in new_lines.iter().enumerate() {
            let key = keys.at(i);
            let Some(old) = known.get(&key).map(|&at| &base_lines[at]) else { continue };
            if old.decided && line.decided && old.pair != line.pair {
                self.other_inputs += 1;
                continue;
            }
            if !(old.decided || line.decided) || old.seconds.is_nan() || line.seconds.is_nan() {
                continue;
            }
            self.rows += 1;
            self.compare_answers(&key, old, line);
            let group = group(&new.name, &key, &classes[i], each_transformation);
            let matched = self.groups.entry(group.clone()).or_default();
            matched.rows += 1;
            matched.base.push(old.seconds);
            matched.new.push(line.seconds);
            matched.no_longer += usize::from(old.decided && !line.decided);
            let log = (line.seconds.max(1e-9) / old.seconds.max(1e-9)).ln();
            let unit = classes[i].unit(key.1[0], key.1[4]) as u32;
            logs.entry((group, unit)).or_default().push(log);
        }
        for ((group, state), mut logs) in logs {
            let cell = PairedRatio { state, round, log_ratio: median(&mut logs) };
            self.groups.entry(group).or_default().cells.push(cell);
        }
        Ok(())
    }

    fn compare_answers(&mut self, key: &Key<'_>, old: &Line<'_>, line: &Line<'_>) {
        let said = |line: &Line<'_>| line.answer != "unknown";
        if said(old) && said(line) && old.answer != line.answer {
            let ([backend, relations, _, transformation, _], [state, ..]) = key;
            self.contradictions.push(format!(
                "{backend} {{{relations}}} on state {state}, {transformation}: base says {}, new says {}",
                old.answer, line.answer
            ));
        }
    }
}

fn group(experiment: &str, key: &Key<'_>, class: &SizeClass, each_transformation: bool) -> Group {
    let [backend, relations, graph, transformation, _] = key.0;
    Group {
        experiment: experiment.to_string(),
        backend: backend.to_string(),
        relations: relations.to_string(),
        graph: graph.to_string(),
        class: class.clone(),
        transformation: each_transformation.then(|| transformation.to_string()),
    }
}
