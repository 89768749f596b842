//! An experiment on heap programs as a TOML file: model, cases, symmetries, compressions, and the
//! numbers that were published.

use crate::heap::run::Compression;
use crate::heap::symmetry::ThreadSymmetry;
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

pub const FORMAT: &str = "pidlab-heap-experiment/1";

#[derive(Debug, Error)]
pub enum ExperimentError {
    #[error("{0}")]
    Toml(#[from] toml::de::Error),
    #[error("format is {0:?}, expected {FORMAT:?}")]
    Format(String),
    #[error("scale {scale}: there is no case {case:?}")]
    NoCase { scale: String, case: String },
    #[error("there is no scale {0:?}; use smoke, small or paper")]
    NoScale(String),
    #[error("{0}")]
    Value(String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    name: String,
    title: String,
    source: String,
    model: String,
    reconstructed: bool,
    symmetries: Vec<String>,
    scale: BTreeMap<String, Scale>,
    case: Vec<Case>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    pub cases: Vec<String>,
    pub compressions: Vec<String>,
}

/// One setting of the constants.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub label: String,
    pub constants: BTreeMap<String, i64>,
    /// By symmetry.
    #[serde(default)]
    pub paper: BTreeMap<String, Published>,
}

/// What the paper prints for a case and a symmetry. Memory and time of 2003 are shown, never
/// compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    pub states: u64,
    pub seen: u64,
    /// By compression: memory and time as printed.
    #[serde(default)]
    pub cost: BTreeMap<String, [String; 2]>,
}

#[derive(Clone, Debug)]
pub struct Experiment {
    pub name: String,
    pub title: String,
    pub source: String,
    /// File name of the program.
    pub model: String,
    /// Whether the program is ours, made after a description.
    pub reconstructed: bool,
    pub symmetries: Vec<ThreadSymmetry>,
    pub scales: BTreeMap<String, Scale>,
    pub cases: Vec<Case>,
}

/// What one scale asks for.
pub struct Plan<'e> {
    pub cases: Vec<&'e Case>,
    pub compressions: Vec<Compression>,
}

impl Experiment {
    pub fn parse(text: &str) -> Result<Experiment, ExperimentError> {
        let file: File = toml::from_str(text)?;
        if file.format != FORMAT {
            return Err(ExperimentError::Format(file.format));
        }
        let symmetries = file.symmetries.iter().map(|name| name.parse());
        Ok(Experiment {
            name: file.name,
            title: file.title,
            source: file.source,
            model: file.model,
            reconstructed: file.reconstructed,
            symmetries: symmetries.collect::<Result<_, _>>().map_err(ExperimentError::Value)?,
            scales: file.scale,
            cases: file.case,
        })
    }

    pub fn plan(&self, scale: &str) -> Result<Plan<'_>, ExperimentError> {
        let wanted =
            self.scales.get(scale).ok_or_else(|| ExperimentError::NoScale(scale.to_string()))?;
        let case = |label: &String| {
            let no_case = || ExperimentError::NoCase { scale: scale.into(), case: label.clone() };
            self.cases.iter().find(|case| case.label == *label).ok_or_else(no_case)
        };
        let compressions = wanted.compressions.iter().map(|name| name.parse());
        Ok(Plan {
            cases: wanted.cases.iter().map(case).collect::<Result<_, _>>()?,
            compressions: compressions.collect::<Result<_, _>>().map_err(ExperimentError::Value)?,
        })
    }
}

/// The paper's name for a symmetry, or ours where it has none.
pub fn column(symmetry: ThreadSymmetry) -> String {
    match symmetry {
        ThreadSymmetry::None => "NTS".into(),
        ThreadSymmetry::Pc => "PCS".into(),
        ThreadSymmetry::Kbots(usize::MAX) => "∞-BOTS".into(),
        ThreadSymmetry::Kbots(k) => format!("{k}-BOTS"),
        ThreadSymmetry::Exact => "exact".into(),
    }
}
