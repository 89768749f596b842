//! `[[states]]` and `[[transformations]]`: which base states, and what is done to them.

use super::bounds;
use super::explored::Explored;
use pidlab_generators::hard::{self, Family, Variant};
use pidlab_generators::{RandomParams, Transformation};
use serde::Deserialize;

/// One kind of base states: random ones with parameters, a hard family, or markings of a net.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateSet {
    /// Names the set in rows.
    pub label: String,
    /// Parameters of random states; the number of pids is the size of the grid.
    pub random: Option<RandomParams>,
    /// Vectors for each pid, where they shall grow with the state.
    pub vectors_per_pid: Option<f64>,
    /// A hard family.
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
    /// Names it in rows.
    pub label: String,
    /// What is done to a random state, one step after another.
    #[serde(default)]
    pub steps: Vec<Transformation>,
    /// Which state of a hard family the base is compared with.
    pub variant: Option<Variant>,
}

impl Variation {
    /// The strength that its label names after its kind ("exchange-pids 0.05"), where an experiment varies it.
    pub fn varied(&self) -> Option<f64> {
        let strength = self.steps.first()?.strength;
        self.label.strip_suffix(&format!(" {strength}")).map(|_| strength)
    }
}

impl StateSet {
    /// Problems with the set itself, and with the sizes that a scale asks it for.
    pub fn check(&self, sizes: &[u32]) -> Result<(), String> {
        let sizes = self.sizes.as_deref().unwrap_or(sizes);
        if sizes.contains(&0) {
            return Err(format!("states `{}` have size 0; sizes start at 1", self.label));
        }
        let checked = match (&self.random, &self.family, &self.explored) {
            (Some(_), None, None) => self.check_random(sizes),
            (None, Some(family), None) => sizes.iter().try_for_each(|&size| {
                hard::check(*family, size as usize).map_err(|error| error.to_string())
            }),
            (None, None, Some(explored)) => explored.check(),
            _ => Err("one of `random` (parameters), `family` (a hard family) and `explored` (a net) is needed".into()),
        };
        checked.map_err(|problem| format!("states `{}`: {problem}", self.label))
    }

    fn check_random(&self, sizes: &[u32]) -> Result<(), String> {
        bounds::vectors_per_pid(self)?;
        let mut params = sizes.iter().filter_map(|&size| self.params(size));
        params.try_for_each(|params| params.check()).map_err(|error| error.to_string())
    }

    /// Parameters of the random states of a size.
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
