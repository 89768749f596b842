//! Experiment files: `experiments/*.toml`, format `pidlab-experiment/2`.
//!
//! A file says what is asked (pairs of states, models, instances), who answers, and which scale takes how
//! many of each. Unknown fields are errors that name the line; what TOML cannot see (an empty list, a
//! number out of range) is checked in `bounds` and names the field.

mod bounds;
pub mod explored;
pub mod instances;
mod kind;
pub mod library;
mod measure;
pub mod models;
pub mod states;

use instances::InstanceSet;
pub use kind::Kind;
pub use measure::{Decider, Measure};
use models::{Explorer, ModelCase};
use pidlab_backends::GraphKind;
use pidlab_core::Relations;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use states::{StateSet, Variation};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

pub const FORMAT: &str = "pidlab-experiment/2";
/// Files of version 1 know pairs of states only and mean the same in version 2.
const OLD_FORMAT: &str = "pidlab-experiment/1";
/// Formats of experiments that were files of their own kind.
const OTHER_FORMATS: [&str; 2] = ["pidlab-heap-experiment/1", "pidlab-cover-experiment/1"];
/// The seed of every experiment that names none: the year of SACS'10.
pub const DEFAULT_SEED: u64 = 2010;

#[derive(Debug, Error)]
pub enum ExperimentError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}", path.display())]
    Syntax { path: PathBuf, source: Box<toml::de::Error> },
    #[error("{}: {problem}", path.display())]
    Invalid { path: PathBuf, problem: String },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    pub format: Option<String>,
    pub name: String,
    pub title: String,
    /// Paper and section, or "ours".
    pub source: String,
    /// What the paper claims, in our words.
    pub claim: String,
    /// Where this experiment cannot follow the paper.
    #[serde(default)]
    pub deviations: Vec<String>,
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Who answers: backends for states, algorithms for instances. Configurations for models can be listed
    /// here or follow from `explorer`.
    #[serde(default)]
    pub backends: Vec<String>,
    #[serde(default)]
    pub explorer: Explorer,
    #[serde(default = "default_relations", deserialize_with = "relations")]
    pub relations: Vec<Relations>,
    #[serde(default = "default_graphs")]
    pub graphs: Vec<Graph>,
    /// Orders in which vectors are handed to the backend; the first is as generated.
    #[serde(default = "one")]
    pub orders: u32,
    #[serde(default = "one")]
    pub repetitions: u32,
    #[serde(default)]
    pub budget: Limits,
    #[serde(default)]
    pub measure: Measure,
    #[serde(default)]
    pub states: Vec<StateSet>,
    #[serde(default)]
    pub models: Vec<ModelCase>,
    #[serde(default)]
    pub instances: Vec<InstanceSet>,
    #[serde(default)]
    pub transformations: Vec<Variation>,
    pub scale: Scales,
    #[serde(default)]
    pub analysis: Analysis,
    pub figures: Vec<Figure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Graph {
    Corrected,
    Published,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Seconds for one decision.
    #[serde(default = "two_seconds")]
    pub seconds: f64,
    /// Memory of a worker process.
    #[serde(default = "two_gib")]
    pub memory_mib: u64,
    /// Seconds after which a worker that ignores its budget is ended.
    #[serde(default = "five_seconds")]
    pub grace_seconds: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scales {
    pub smoke: Scale,
    pub small: Scale,
    pub paper: Scale,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Sizes of the base states.
    #[serde(default = "no_sizes")]
    pub sizes: Sizes,
    /// Base states for each size and each set of parameters; random machines for each set of them.
    #[serde(default = "one")]
    pub states: u32,
    /// Labels of the models or instances that take part; all if not given.
    pub only: Option<Vec<String>>,
    /// Other configurations than the experiment's.
    pub explorer: Option<Explorer>,
    /// Variants of a base state for each transformation.
    #[serde(default = "one")]
    pub variants: u32,
    /// Duration on two idle cores: measured at smoke and small, extrapolated at paper.
    pub seconds: f64,
    /// Another list of backends than the experiment's.
    pub backends: Option<Vec<String>>,
}

/// A list, or a range in equal steps.
#[derive(Clone, Debug)]
pub enum Sizes {
    List(Vec<u32>),
    Range(SizeRange),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeRange {
    from: u32,
    to: u32,
    pub count: u32,
    spacing: Option<Spacing>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    Linear,
    Log,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Analysis {
    pub time: Time,
    pub clock: Clock,
    /// What the time is set against [default: the first count of the kind].
    pub size: Option<Size>,
    /// Parameters of the states whose effect is asked for.
    pub factors: Vec<String>,
    /// Whether the segment procedure of SACS'10 is applied.
    pub segments: bool,
    /// Leaves out pairs that differ in a count, as the papers do (SACS'10, section 5, first remark).
    pub similar_only: bool,
    /// Keeps the times of rows with this decider alone; limits that were hit count as before.
    pub decided_by: Option<Decider>,
}

impl Default for Analysis {
    fn default() -> Analysis {
        Analysis {
            time: Time::Total,
            clock: Clock::Cpu,
            size: None,
            factors: Vec::new(),
            segments: false,
            similar_only: false,
            decided_by: None,
        }
    }
}

/// Which time is analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Time {
    /// Building the backend's structure and deciding.
    Total,
    /// Deciding alone.
    Decide,
}

/// Which clock is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// CPU time of whoever decided, the worker or a program of its own: not disturbed by other processes.
    Cpu,
    Wall,
}

/// What the time is set against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// p, the number of distinct pids.
    Pids,
    Vectors,
    /// a·v, arcs times vertices (ICTAC'08).
    ArcsTimesVertices,
    /// States of a state space.
    States,
    /// Places of a net.
    Places,
}

impl Size {
    /// Its column in the result table.
    pub fn column(self) -> &'static str {
        match self {
            Size::Pids => "p",
            Size::Vectors => "vectors",
            Size::ArcsTimesVertices => "av",
            Size::States => "states",
            Size::Places => "places",
        }
    }

    /// What the x axis shows, and what p stands for in the names of the laws.
    pub fn label(self) -> &'static str {
        match self {
            Size::Pids => "p (distinct pids)",
            Size::Vectors => "p = vectors",
            Size::ArcsTimesVertices => "p = a·v (arcs × vertices, both graphs)",
            Size::States => "p = states",
            Size::Places => "p = places",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    Density,
    Components,
    Histograms,
    Exponents,
    Versus,
    Cactus,
    Orders,
    Residuals,
    /// The reduced state graphs that sets of explored states name.
    StateGraph,
    /// Memory of the visited set, by symmetry and compression.
    BytesPerState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScaleName {
    Smoke,
    Small,
    Paper,
}

impl ScaleName {
    pub fn name(self) -> &'static str {
        match self {
            ScaleName::Smoke => "smoke",
            ScaleName::Small => "small",
            ScaleName::Paper => "paper",
        }
    }
}

fn default_seed() -> u64 {
    DEFAULT_SEED
}

fn default_relations() -> Vec<Relations> {
    vec![Relations::default()]
}

fn default_graphs() -> Vec<Graph> {
    vec![Graph::Corrected]
}

fn no_sizes() -> Sizes {
    Sizes::List(Vec::new())
}

fn one() -> u32 {
    1
}

fn two_seconds() -> f64 {
    2.0
}

fn five_seconds() -> f64 {
    5.0
}

fn two_gib() -> u64 {
    2048
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { seconds: two_seconds(), memory_mib: two_gib(), grace_seconds: five_seconds() }
    }
}

impl Limits {
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    pub fn grace(&self) -> Duration {
        Duration::from_secs_f64(self.grace_seconds.max(0.1))
    }
}

fn relations<'de, D: Deserializer<'de>>(de: D) -> Result<Vec<Relations>, D::Error> {
    let names = Vec::<String>::deserialize(de)?;
    names.iter().map(|name| name.parse().map_err(serde::de::Error::custom)).collect()
}

/// By hand, so that an error says what was expected and not how the program names it.
impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Sizes, D::Error> {
        de.deserialize_any(SizesVisitor)
    }
}

struct SizesVisitor;

impl<'de> Visitor<'de> for SizesVisitor {
    type Value = Sizes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "sizes: a list such as [10, 20, 50], or a range such as { from = 10, to = 200, count = 10 }",
        )
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Sizes, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Sizes::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, range: A) -> Result<Sizes, A::Error> {
        SizeRange::deserialize(MapAccessDeserializer::new(range)).map(Sizes::Range)
    }
}

impl From<Graph> for GraphKind {
    fn from(graph: Graph) -> GraphKind {
        match graph {
            Graph::Corrected => GraphKind::Corrected,
            Graph::Published => GraphKind::Published,
        }
    }
}

impl Sizes {
    pub fn values(&self) -> Vec<u32> {
        match self {
            Sizes::List(sizes) => sizes.clone(),
            Sizes::Range(SizeRange { from, to, count, spacing }) => (0..*count)
                .map(|i| {
                    let at = f64::from(i) / f64::from((*count).max(2) - 1);
                    let (low, high) = (f64::from(*from), f64::from(*to));
                    let size = match spacing {
                        Some(Spacing::Log) => low * (high / low).powf(at),
                        _ => low + (high - low) * at,
                    };
                    size.round() as u32
                })
                .collect(),
        }
    }
}

impl Experiment {
    pub fn read(path: &Path) -> Result<(Experiment, String), ExperimentError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ExperimentError::Read { path: path.to_path_buf(), source })?;
        Ok((Experiment::parse(&text, path)?, text))
    }

    pub fn parse(text: &str, path: &Path) -> Result<Experiment, ExperimentError> {
        let mut experiment: Experiment = toml::from_str(text).map_err(|source| {
            ExperimentError::Syntax { path: path.to_path_buf(), source: Box::new(source) }
        })?;
        let usual = match experiment.kind() {
            Kind::Pairs => Size::Pids,
            Kind::Models => Size::States,
            Kind::Instances => Size::Places,
        };
        experiment.analysis.size.get_or_insert(usual);
        match experiment.check() {
            Ok(()) => Ok(experiment),
            Err(problem) => Err(ExperimentError::Invalid { path: path.to_path_buf(), problem }),
        }
    }

    pub fn scale(&self, name: ScaleName) -> &Scale {
        match name {
            ScaleName::Smoke => &self.scale.smoke,
            ScaleName::Small => &self.scale.small,
            ScaleName::Paper => &self.scale.paper,
        }
    }

    fn check(&self) -> Result<(), String> {
        self.check_format()?;
        bounds::check(self)
    }

    fn check_format(&self) -> Result<(), String> {
        match self.format.as_deref() {
            None | Some(FORMAT | OLD_FORMAT) => Ok(()),
            Some(other) if OTHER_FORMATS.contains(&other) => Err(format!(
                "format `{other}` is not read any more; write `{FORMAT}` with [[models]] and [explorer], or with \
                 [[instances]] (docs/experiments.md)"
            )),
            Some(other) => Err(format!("format is `{other}`, expected `{FORMAT}`")),
        }
    }

    /// What its rows ask.
    pub fn kind(&self) -> Kind {
        match (self.models.is_empty(), self.instances.is_empty()) {
            (false, _) => Kind::Models,
            (_, false) => Kind::Instances,
            _ => Kind::Pairs,
        }
    }

    /// The labels of its states, models or instances.
    pub fn labels(&self) -> Vec<&str> {
        let states = self.states.iter().map(|set| set.label.as_str());
        let models = self.models.iter().map(|case| case.label.as_str());
        let instances = self.instances.iter().map(|set| set.label.as_str());
        states.chain(models).chain(instances).collect()
    }

    /// Places in the file of the entries that take part at a scale.
    pub fn entries_at(&self, scale: ScaleName) -> Vec<usize> {
        let only = self.scale(scale).only.as_deref();
        let takes_part =
            |label: &str| only.is_none_or(|only| only.iter().any(|wanted| wanted == label));
        let labels = self.labels().into_iter().enumerate();
        labels.filter(|(_, label)| takes_part(label)).map(|(entry, _)| entry).collect()
    }

    /// Who answers at a scale.
    pub fn backends_at(&self, scale: ScaleName) -> Vec<String> {
        let scale = self.scale(scale);
        if let Some(own) = &scale.backends {
            return own.clone();
        }
        match self.backends.is_empty() {
            true => self.explorer.names(scale.explorer.as_ref()),
            false => self.backends.clone(),
        }
    }

    /// The part of a file's text that rows follow from: another title, analysis or figure needs no new rows.
    pub fn measured_part(text: &str) -> String {
        let Ok(mut table) = toml::from_str::<toml::Table>(text) else { return text.to_string() };
        for told in ["format", "title", "source", "claim", "deviations", "analysis", "figures"] {
            table.remove(told);
        }
        if let Some(toml::Value::Table(scales)) = table.get_mut("scale") {
            for scale in scales.iter_mut().filter_map(|(_, scale)| scale.as_table_mut()) {
                scale.remove("seconds");
            }
        }
        toml::to_string(&table).unwrap_or_else(|_| text.to_string())
    }
}
