//! `[[states]]` and `[[transformations]]`: which base states, and what is done to them.

use super::bounds;
use super::explored::Explored;
use crate::inputs::FileKind;
use pidlab_generators::hard::{self, Family, Variant};
use pidlab_generators::{RandomParams, Transformation};
use serde::Deserialize;
use std::path::PathBuf;

const ONE_OF: &str = "exactly one of `random` (parameters), `family` (a hard family), `explored` (a model), `pairs` (a file), \
     `folder`, `manifest` and `generator` (a command) is needed";

/// One kind of base states: random ones with parameters, a hard family, markings of a net, or the user's own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateSet {
    /// Names the set in rows; what it is made of unless given.
    #[serde(default)]
    pub label: String,
    /// Parameters of random states; the number of pids is the size of the grid.
    pub random: Option<RandomParams>,
    /// Vectors for each pid, where they shall grow with the state.
    pub vectors_per_pid: Option<f64>,
    /// A hard family.
    pub family: Option<Family>,
    /// Pairs that an exploration compares; the size is a constant of the net.
    pub explored: Option<Explored>,
    /// A file of pairs, as `pidlab check --pairs` takes it.
    pub pairs: Option<PathBuf>,
    /// A folder of states and graphs.
    pub folder: Option<PathBuf>,
    /// A list of pairs of files, one a line.
    pub manifest: Option<PathBuf>,
    /// A program that makes pairs.
    pub generator: Option<String>,
    /// Which files of the folder, with one `*`.
    pub files: Option<String>,
    /// Their format, where endings do not say it.
    pub format: Option<String>,
    /// Two patterns: a file that fits the first is compared with the one that the second makes of its name.
    pub names: Option<[String; 2]>,
    /// What is known of these pairs.
    pub expect: Option<String>,
    /// What a state of the folder is compared with, if not with another file.
    pub pairing: Option<Pairing>,
    /// Sizes in place of the scale's, where sizes mean something else for a family.
    pub sizes: Option<Vec<u32>>,
}

/// What a state on its own is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// The same state under other names, the same graph with its vertices in another order.
    Shuffled,
    /// What the experiment's transformations make of it.
    Transformed,
}

/// A transformation under a name of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    /// Names it in rows; its steps unless given.
    #[serde(default)]
    pub label: String,
    /// What is done to a random state, one step after another.
    #[serde(default)]
    pub steps: Vec<Transformation>,
    /// Which state of a hard family the base is compared with.
    pub variant: Option<Variant>,
}

/// Labels for those that have none: what each would be called, with a number where that is taken.
pub(super) fn fill_labels<'l>(labels: impl Iterator<Item = (&'l mut String, String)>) {
    let mut labels: Vec<(&mut String, String)> = labels.collect();
    for at in 0..labels.len() {
        if !labels[at].0.is_empty() {
            continue;
        }
        let usual = labels[at].1.clone();
        let numbered = (2..).map(|number| format!("{usual} {number}"));
        let mut names = std::iter::once(usual.clone()).chain(numbered);
        let label = names.find(|name| labels.iter().all(|(taken, _)| *taken != name));
        *labels[at].0 = label.unwrap_or(usual);
    }
}

impl Variation {
    /// What it does, as a name.
    pub(super) fn usual_label(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{variant:?}").to_lowercase(),
            None if self.steps.is_empty() => "unchanged".into(),
            None => self.steps.iter().map(|step| step.kind.name()).collect::<Vec<_>>().join(", "),
        }
    }

    /// The strength that its label names after its kind ("exchange-pids 0.05"), where an experiment varies it.
    pub fn varied(&self) -> Option<f64> {
        let strength = self.steps.first()?.strength;
        self.label.strip_suffix(&format!(" {strength}")).map(|_| strength)
    }
}

impl StateSet {
    /// What it is made of, as a name.
    pub(super) fn usual_label(&self) -> String {
        let file = |path: &PathBuf| {
            path.file_name().map_or("states".into(), |name| name.to_string_lossy().into_owned())
        };
        let files = [&self.pairs, &self.folder, &self.manifest].into_iter().flatten().next();
        match (&self.family, &self.explored, files) {
            (Some(family), ..) => family.to_string(),
            (_, Some(explored), _) => explored.model.clone(),
            (.., Some(path)) => file(path),
            _ if self.generator.is_some() => "generated".into(),
            _ => "random".into(),
        }
    }

    /// Problems with the set itself, and with the sizes that a scale asks it for.
    pub fn check(&self, sizes: &[u32]) -> Result<(), String> {
        let sizes = self.sizes.as_deref().unwrap_or(sizes);
        if sizes.contains(&0) {
            return Err(format!("states `{}` have size 0; sizes start at 1", self.label));
        }
        let kinds = [
            self.random.is_some(),
            self.family.is_some(),
            self.explored.is_some(),
            self.pairs.is_some(),
            self.folder.is_some(),
            self.manifest.is_some(),
            self.generator.is_some(),
        ];
        let checked = match (&self.random, &self.family, &self.explored) {
            _ if kinds.iter().filter(|given| **given).count() != 1 => Err(ONE_OF.into()),
            (Some(_), ..) => self.check_random(sizes),
            (_, Some(family), _) => sizes.iter().try_for_each(|&size| {
                hard::check(*family, size as usize).map_err(|error| error.to_string())
            }),
            (.., Some(explored)) => explored.check(),
            _ => self.check_own(),
        };
        checked.map_err(|problem| format!("states `{}`: {problem}", self.label))
    }

    /// Options of folders, which the others do not have.
    fn check_own(&self) -> Result<(), String> {
        let of_folders = [
            ("files", self.files.is_some()),
            ("names", self.names.is_some()),
            ("pairing", self.pairing.is_some()),
        ];
        if self.folder.is_none()
            && let Some((field, _)) = of_folders.iter().find(|(_, given)| *given)
        {
            return Err(format!("`{field}` is for a `folder`"));
        }
        if self.names.is_some() && self.pairing.is_some() {
            return Err(
                "`names` and `pairing` both say what a state is compared with; give one".into()
            );
        }
        if self.expect.is_some() && self.names.is_none() {
            return Err(
                "`expect` is for pairs by `names`; files of pairs and manifests have `expected`"
                    .into(),
            );
        }
        let patterns = self.names.iter().flatten().chain(&self.files);
        match patterns.clone().find(|pattern| pattern.matches('*').count() != 1) {
            Some(pattern) => {
                Err(format!("`{pattern}` is not a pattern; one `*` stands for any text"))
            }
            None => self.format.as_deref().map_or(Ok(()), |name| FileKind::named(name).map(|_| ())),
        }
    }

    /// Whether its states come from files or programs of the user.
    pub fn takes_inputs(&self) -> bool {
        self.is_listed()
            || self.generator.is_some()
            || self.explored.as_ref().is_some_and(|explored| explored.file().is_some())
    }

    /// Whether its blocks are a list of files or lines; the others have sizes.
    pub fn is_listed(&self) -> bool {
        self.pairs.is_some() || self.folder.is_some() || self.manifest.is_some()
    }

    /// Whether both states of a pair are given, so that there is nothing to transform.
    pub fn brings_pairs(&self) -> bool {
        self.pairs.is_some() || self.manifest.is_some() || self.names.is_some()
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
