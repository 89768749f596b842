//! `[[states]]` and `[[transformations]]`: which base states, and what is done to them.

use super::explored::Explored;
use pidlab_generators::hard::{Family, Variant};
use pidlab_generators::{RandomParams, Transformation};
use serde::Deserialize;

/// One kind of base states: random ones with parameters, a hard family, or markings of a net.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateSet {
    pub label: String,
    /// Parameters of random states; the number of pids is the size of the grid.
    pub random: Option<RandomParams>,
    /// Vectors for each pid, where they shall grow with the state.
    pub vectors_per_pid: Option<f64>,
    pub family: Option<Family>,
    /// Pairs that an exploration compares; the size is a constant of the net.
    pub explored: Option<Explored>,
    /// Sizes in place of the scale's, where sizes mean something else for a family.
    pub sizes: Option<Vec<u32>>,
}

/// A transformation under a name of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    pub label: String,
    /// What is done to a random state, one step after another.
    #[serde(default)]
    pub steps: Vec<Transformation>,
    /// Which state of a hard family the base is compared with.
    pub variant: Option<Variant>,
}

impl StateSet {
    pub fn check(&self) -> Result<(), String> {
        match (&self.random, &self.family, &self.explored) {
            (Some(_), None, None) | (None, Some(_), None) => Ok(()),
            (None, None, Some(explored)) => {
                explored.check().map_err(|problem| format!("states `{}`: {problem}", self.label))
            }
            _ => Err(format!(
                "states `{}` need one of `random` (parameters), `family` (a hard family) and `explored` (a net)",
                self.label
            )),
        }
    }

    pub fn params(&self, size: u32) -> Option<RandomParams> {
        let mut params = self.random.clone()?;
        params.pids = size as usize;
        if let Some(ratio) = self.vectors_per_pid {
            params.vectors = Some((f64::from(size) * ratio).ceil() as usize);
        }
        Some(params)
    }

    /// A numeric parameter of the random states, by its name in the file.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        if name == "vectors_per_pid" {
            return self.vectors_per_pid;
        }
        let table = toml::Table::try_from(self.random.as_ref()?).ok()?;
        let value = table.get(name)?;
        value.as_float().or_else(|| value.as_integer().map(|n| n as f64))
    }
}
