//! Experiment files: `experiments/*.toml`, format `pidlab-experiment/2`.
//!
//! A file says what is asked (pairs of states, models, instances), who answers, and which scale takes how
//! many of each. Unknown fields are errors that name the line; what TOML cannot see (an empty list, a
//! number out of range) is checked in `bounds` and names the field.

mod analysis;
pub(crate) mod bounds;
pub mod explored;
pub mod instances;
mod kind;
pub mod library;
mod measure;
pub mod models;
mod scales;
pub mod states;
mod toml_text;

use crate::claims::Claim;
use crate::inputs::Inputs;
pub use analysis::{AnalysisOptions, Clock, Size, Time};
use instances::InstanceSet;
pub use kind::QuestionKind;
pub use measure::{Decider, Measure};
use models::{Explorer, ModelCase};
use pidlab_backends::GraphKind;
use pidlab_core::Relations;
use pidlab_syntax::Diagnostic;
pub use scales::{Scale, Scales, SizeRange, Sizes, Spacing};
use serde::{Deserialize, Deserializer};
use states::{StateSet, Variation, fill_labels};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use toml_text::at_field;
pub(crate) use toml_text::read_toml;

/// The format of experiment files.
pub const FORMAT: &str = "pidlab-experiment/2";
/// Files of version 1 know pairs of states only and mean the same in version 2.
const OLD_FORMAT: &str = "pidlab-experiment/1";
/// Formats of experiments that were files of their own kind.
const OTHER_FORMATS: [&str; 2] = ["pidlab-heap-experiment/1", "pidlab-cover-experiment/1"];
/// The seed of every experiment that names none: the year of SACS'10.
pub const DEFAULT_SEED: u64 = 2010;

/// Why an experiment file cannot be used.
#[derive(Debug, Error)]
pub enum ExperimentError {
    /// The file cannot be read.
    #[error("{}: {_1}", _0.display())]
    Read(PathBuf, std::io::Error),
    /// The file is not TOML of this format, or a field of it has a value that cannot be.
    #[error(transparent)]
    Syntax(Diagnostic),
    /// The file asks for something that cannot be done.
    #[error("{}: {_1}", _0.display())]
    Invalid(PathBuf, String),
}

/// An experiment as its file says it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The format that the file names.
    pub format: Option<String>,
    /// Names run folders, and claims say it.
    pub name: String,
    /// Heads reports [default: the name].
    #[serde(default)]
    pub title: String,
    /// Paper and section, or "ours".
    #[serde(default = "ours")]
    pub source: String,
    /// What the paper claims, in our words.
    #[serde(default = "no_claim")]
    pub claim: String,
    /// Where this experiment cannot follow the paper.
    #[serde(default)]
    pub deviations: Vec<String>,
    /// Of all states and orders.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Who answers: backends for states, algorithms for instances. Configurations for models can be listed
    /// here or follow from `explorer`.
    #[serde(default)]
    pub backends: Vec<String>,
    /// The configurations of the explorer, for models.
    #[serde(default)]
    pub explorer: Explorer,
    /// The sets of relations under which states are compared.
    #[serde(default = "default_relations", deserialize_with = "relations")]
    pub relations: Vec<Relations>,
    /// The kinds of layered graph.
    #[serde(default = "default_graphs")]
    pub graphs: Vec<GraphName>,
    /// Orders in which vectors are handed to the backend; the first is as generated.
    #[serde(default = "one")]
    pub orders: u32,
    /// How often each row is measured.
    #[serde(default = "one")]
    pub repetitions: u32,
    /// What one row may take.
    #[serde(default)]
    pub budget: RowLimits,
    /// How rows are measured.
    #[serde(default)]
    pub measure: Measure,
    /// Base states, where pairs of states are asked about.
    #[serde(default)]
    pub states: Vec<StateSet>,
    /// Models, where state spaces are asked about.
    #[serde(default)]
    pub models: Vec<ModelCase>,
    /// Coverability questions, where these are asked.
    #[serde(default)]
    pub instances: Vec<InstanceSet>,
    /// What is done to base states.
    #[serde(default)]
    pub transformations: Vec<Variation>,
    /// Sizes of the scales that have none of their own.
    pub sizes: Option<Sizes>,
    /// How much of everything.
    #[serde(default)]
    pub scale: Scales,
    /// What the rows are analysed for.
    #[serde(default)]
    pub analysis: AnalysisOptions,
    /// What is drawn [default: what fits the kind].
    #[serde(default)]
    pub figures: Option<Vec<FigureName>>,
    /// Claims of its own, judged beside those of the papers.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// The folder of the file: names in it are relative to that.
    #[serde(skip)]
    pub base: PathBuf,
    /// What it takes from files of the user: from the start where a run folder has it, else once it is planned.
    #[serde(skip)]
    pub inputs: Option<Arc<Inputs>>,
}

/// A kind of layered graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphName {
    /// As corrected: equivalent to Definition 1 for all relations.
    Corrected,
    /// As the paper has it.
    Published,
}

/// What one row may take.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RowLimits {
    /// Seconds for one decision.
    pub seconds: f64,
    /// Memory of a worker process.
    pub memory_mib: u64,
    /// Seconds after which a worker that ignores its budget is ended.
    pub grace_seconds: f64,
}

/// A figure that an experiment can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureName {
    /// Times against sizes, darker where measurements are frequent.
    Density,
    /// The two components of SACS'10.
    Components,
    /// Time over growth laws in segments of growing size.
    Histograms,
    /// Growth exponents with their intervals.
    Exponents,
    /// Backend against backend.
    Versus,
    /// Rows decided within a time limit.
    Cactus,
    /// Spread over vertex orders.
    Orders,
    /// What fits leave.
    Residuals,
    /// The reduced state graphs that sets of explored states name.
    StateGraph,
    /// Memory of the visited set, by symmetry and compression.
    BytesPerState,
    /// Plain and reduced state spaces by set of relations.
    Reduction,
    /// Shares below the dividing line by condition.
    Sensitivity,
}

/// How much of an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScaleName {
    /// Seconds.
    Smoke,
    /// Minutes.
    Small,
    /// As much as the paper.
    Paper,
}

impl ScaleName {
    /// Its name in files and on command lines.
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

fn ours() -> String {
    "ours".to_string()
}

fn no_claim() -> String {
    "none".to_string()
}

fn default_relations() -> Vec<Relations> {
    vec![Relations::default()]
}

fn default_graphs() -> Vec<GraphName> {
    vec![GraphName::Corrected]
}

fn one() -> u32 {
    1
}

impl Default for RowLimits {
    fn default() -> RowLimits {
        RowLimits { seconds: 2.0, memory_mib: 2048, grace_seconds: 5.0 }
    }
}

impl RowLimits {
    /// Time for one row.
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// Time after which a worker that ignores its budget is ended.
    pub fn grace(&self) -> Duration {
        Duration::from_secs_f64(self.grace_seconds.max(0.1))
    }

    /// Time after which a program that has not greeted is given up: before its worker is thought to be stuck.
    pub fn patience(&self) -> Duration {
        self.time() + self.grace()
    }
}

fn relations<'de, D: Deserializer<'de>>(de: D) -> Result<Vec<Relations>, D::Error> {
    let names = Vec::<String>::deserialize(de)?;
    names.iter().map(|name| name.parse().map_err(serde::de::Error::custom)).collect()
}

impl From<GraphName> for GraphKind {
    fn from(graph: GraphName) -> GraphKind {
        match graph {
            GraphName::Corrected => GraphKind::Corrected,
            GraphName::Published => GraphKind::Published,
        }
    }
}

impl Experiment {
    /// Reads and checks the copy of an experiment in a run folder; its text comes with it.
    pub fn read(path: &Path) -> Result<(Experiment, String), ExperimentError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| ExperimentError::Read(path.to_path_buf(), error))?;
        let inputs = Inputs::read(path.parent().unwrap_or(Path::new("")))
            .map_err(|error| ExperimentError::Invalid(path.to_path_buf(), format!("{error:#}")))?;
        Ok((Experiment::parse_with(&text, path, inputs.map(Arc::new))?, text))
    }

    /// Parses and checks the text of a file; what it names is relative to the folder of the path.
    pub fn parse(text: &str, path: &Path) -> Result<Experiment, ExperimentError> {
        Experiment::parse_with(text, path, None)
    }

    /// The same with inputs that were collected before.
    pub fn parse_with(
        text: &str,
        path: &Path,
        inputs: Option<Arc<Inputs>>,
    ) -> Result<Experiment, ExperimentError> {
        let mut experiment: Experiment = read_toml(path, text).map_err(ExperimentError::Syntax)?;
        fill_labels(experiment.states.iter_mut().map(|set| {
            let usual = set.usual_label();
            (&mut set.label, usual)
        }));
        fill_labels(experiment.transformations.iter_mut().map(|variation| {
            let usual = variation.usual_label();
            (&mut variation.label, usual)
        }));
        experiment.base = path.parent().unwrap_or(Path::new("")).to_path_buf();
        for explored in experiment.states.iter_mut().filter_map(|set| set.explored.as_mut()) {
            let opened = explored.open(inputs.as_deref(), &experiment.base);
            opened.map_err(|error| {
                ExperimentError::Invalid(path.to_path_buf(), format!("{error:#}"))
            })?;
        }
        experiment.inputs = inputs;
        let usual = match experiment.kind() {
            QuestionKind::Pairs => Size::Pids,
            QuestionKind::Models => Size::States,
            QuestionKind::Instances => Size::Places,
        };
        experiment.analysis.size.get_or_insert(usual);
        if experiment.title.is_empty() {
            experiment.title = experiment.name.clone();
        }
        let invalid = |problem: String| match at_field(path, text, &problem) {
            Some(shown) => ExperimentError::Syntax(shown),
            None => ExperimentError::Invalid(path.to_path_buf(), problem),
        };
        if let Some(sizes) = &experiment.sizes {
            bounds::sizes("sizes", sizes).map_err(invalid)?;
            experiment.scale.take_sizes(sizes);
        } else {
            // before anything lists them: a range of four thousand million would take 16 GiB
            for name in [ScaleName::Smoke, ScaleName::Small, ScaleName::Paper] {
                let field = format!("scale.{}.sizes", name.name());
                bounds::sizes(&field, &experiment.scale(name).sizes).map_err(invalid)?;
            }
            experiment.scale.share_sizes();
        }
        experiment.check().map_err(invalid)?;
        Ok(experiment)
    }

    /// What a scale asks for.
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
    pub fn kind(&self) -> QuestionKind {
        match (self.models.is_empty(), self.instances.is_empty()) {
            (false, _) => QuestionKind::Models,
            (_, false) => QuestionKind::Instances,
            _ => QuestionKind::Pairs,
        }
    }

    /// What is drawn.
    pub fn figures(&self) -> &[FigureName] {
        match (&self.figures, self.kind()) {
            (Some(figures), _) => figures,
            (None, QuestionKind::Pairs) => {
                &[FigureName::Density, FigureName::Versus, FigureName::Cactus]
            }
            (None, QuestionKind::Models) => &[FigureName::BytesPerState],
            (None, QuestionKind::Instances) => &[FigureName::Cactus],
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

    /// The value of a parameter in each set of states; none where another parameter differs from the first set's, too.
    pub fn factor_values(&self, factor: &str) -> Vec<Option<f64>> {
        let others = ["pid_share", "distinct_data", "locations", "depth", "vectors_per_pid"];
        let value = |set: &StateSet| {
            let plain = self.states.first()?;
            let differs = |name: &str| set.parameter(name) != plain.parameter(name);
            let clean = others.iter().all(|name| *name == factor || !differs(name));
            clean.then(|| set.parameter(factor)).flatten()
        };
        self.states.iter().map(value).collect()
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
        for told in
            ["format", "title", "source", "claim", "deviations", "analysis", "figures", "claims"]
        {
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
