//! `[[instances]]`: coverability questions from files, folders, or drawn at random.

use super::models;
use anyhow::{Context, bail};
use pidlab_cover::CoverVerdict;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where questions come from, and who is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceSet {
    /// Names the set in rows.
    pub label: String,
    /// One model: a file, or one that comes with the program.
    pub file: Option<String>,
    /// Every model below a folder; `verdicts.json` in it says what is known.
    pub folder: Option<PathBuf>,
    /// Machines drawn at random; the scale's `states` says how many.
    #[serde(default)]
    pub random_machines: bool,
    /// The verdict that is known.
    pub expect: Option<CoverVerdict>,
    /// Algorithms in place of the experiment's.
    pub backends: Option<Vec<String>>,
    /// Merge local states that behave alike and fuse steps first.
    #[serde(default = "yes")]
    pub reduce: bool,
}

fn yes() -> bool {
    true
}

/// The endings of files that hold a question.
pub const ENDINGS: [&str; 4] = ["spec", "tts", "lgfsm", "bp"];

impl InstanceSet {
    /// Problems with it, in words.
    pub fn check(&self) -> Result<(), String> {
        let given = [self.file.is_some(), self.folder.is_some(), self.random_machines];
        match given.iter().filter(|given| **given).count() {
            1 => Ok(()),
            _ => Err(format!(
                "instances `{}` need one of `file`, `folder` and `random_machines = true`",
                self.label
            )),
        }
    }

    /// The files of the set, in the order of their names; none where machines are drawn.
    pub fn files(&self) -> anyhow::Result<Vec<PathBuf>> {
        match (&self.file, &self.folder) {
            (Some(file), _) => Ok(vec![PathBuf::from(file)]),
            (None, Some(folder)) => models_below(folder),
            (None, None) => Ok(Vec::new()),
        }
    }

    /// A file's name as rows show it.
    pub fn name_of(&self, file: &Path) -> String {
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        file.strip_prefix(folder).unwrap_or(file).display().to_string()
    }
}

fn models_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut open = vec![folder.to_path_buf()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| {
                let name = folder.display();
                format!("cannot read the folder {name}: start where it is (for experiments of pidlab, in a clone of its repository), or name another in a copy of the file")
            })?;
        for entry in entries {
            let path = entry?.path();
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if path.is_dir() {
                open.push(path);
            } else if ENDINGS.contains(&ending) {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        bail!("{} holds no model; their names end in .{}", folder.display(), ENDINGS.join(", ."));
    }
    found.sort();
    Ok(found)
}

/// `verdicts.json` in a folder, if there is one: name without ending → verdict.
pub fn known_verdicts(folder: &Path) -> anyhow::Result<BTreeMap<String, CoverVerdict>> {
    #[derive(Deserialize)]
    struct Known {
        verdict: CoverVerdict,
    }
    #[derive(Deserialize)]
    struct File {
        verdicts: BTreeMap<String, Known>,
    }
    let path = folder.join("verdicts.json");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = models::read(&path.display().to_string())?;
    let file: File = serde_json::from_str(&text)
        .with_context(|| format!("{}: expected {{\"verdicts\": …}}", path.display()))?;
    Ok(file.verdicts.into_iter().map(|(name, known)| (name, known.verdict)).collect())
}
