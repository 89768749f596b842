//! `[[models]]` and `[explorer]`: which models are explored, and in which configurations.
//!
//! A configuration has a name, which stands in the column `backend` of its rows: `SYMMETRY+COMPRESSION+SEARCH`
//! for heap programs (`kbots:inf+collapse+dfs`), `merged+SEARCH` or `plain+SEARCH` for nets.

use crate::built_in;
use pidlab_explore::heap::{Compression, ThreadSymmetry};
use pidlab_explore::search::Order;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// A model with constants.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCase {
    /// Names the case in rows and claims.
    pub label: String,
    /// A file, or a model that comes with the program.
    pub model: String,
    /// Constants of the model.
    #[serde(default)]
    pub set: BTreeMap<String, i64>,
    /// A number that orders cases on axes.
    #[serde(default = "one")]
    pub size: u32,
}

fn one() -> u32 {
    1
}

/// The configurations of the explorer: all combinations.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explorer {
    /// `none`, `pc`, `kbots:K`, `kbots:inf`, `exact` for heap programs; `merged`, `plain` for nets.
    pub symmetries: Option<Vec<String>>,
    /// For heap programs: `none`, `bytes`, `packed`, `gzip`, `collapse`, `tree`.
    pub compressions: Option<Vec<String>>,
    /// `dfs`, `bfs`.
    pub searches: Option<Vec<String>>,
}

impl Explorer {
    /// The names of the configurations; a scale's own lists come before the experiment's.
    pub fn names(&self, of_scale: Option<&Explorer>) -> Vec<String> {
        let pick = |get: fn(&Explorer) -> &Option<Vec<String>>| {
            of_scale.and_then(|own| get(own).clone()).or_else(|| get(self).clone())
        };
        let symmetries = pick(|e| &e.symmetries).unwrap_or_default();
        let compressions = pick(|e| &e.compressions).unwrap_or_default();
        let searches = pick(|e| &e.searches).unwrap_or_else(|| vec!["dfs".into()]);
        let mut names = Vec::new();
        for symmetry in &symmetries {
            for search in &searches {
                if compressions.is_empty() {
                    names.push(format!("{symmetry}+{search}"));
                }
                for compression in &compressions {
                    names.push(format!("{symmetry}+{compression}+{search}"));
                }
            }
        }
        names
    }
}

/// One way to explore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Configuration {
    /// Of a heap program.
    Heap { symmetry: ThreadSymmetry, compression: Compression, order: Order },
    /// Of a net.
    Net { merged: bool, order: Order },
}

impl Configuration {
    /// From the name.
    pub(crate) fn parse(name: &str) -> Result<Configuration, String> {
        let order = |text: &str| match text {
            "dfs" => Ok(Order::DepthFirst),
            "bfs" => Ok(Order::BreadthFirst),
            other => Err(format!("`{name}`: there is no search `{other}`; use dfs or bfs")),
        };
        match name.split('+').collect::<Vec<_>>()[..] {
            [symmetry, compression, search] => Ok(Configuration::Heap {
                symmetry: symmetry.parse().map_err(|problem| format!("`{name}`: {problem}"))?,
                compression: compression
                    .parse()
                    .map_err(|problem| format!("`{name}`: {problem}"))?,
                order: order(search)?,
            }),
            ["merged", search] => Ok(Configuration::Net { merged: true, order: order(search)? }),
            ["plain", search] => Ok(Configuration::Net { merged: false, order: order(search)? }),
            _ => Err(format!(
                "`{name}` is not a configuration of the explorer; write SYMMETRY+COMPRESSION+SEARCH for heap \
                 programs (kbots:inf+collapse+dfs), merged+SEARCH or plain+SEARCH for nets"
            )),
        }
    }
}

impl ModelCase {
    /// Whether the model is a net.
    pub fn is_net(&self) -> bool {
        self.model.ends_with(".tnet")
    }

    /// The model's text: of a file if there is one, else of a model that comes with the program.
    pub fn text(&self) -> anyhow::Result<String> {
        read(&self.model)
    }
}

/// The text of a model: a file, or one that comes with the program.
pub fn read(model: &str) -> anyhow::Result<String> {
    if Path::new(model).is_file() {
        return std::fs::read_to_string(model)
            .map_err(|error| anyhow::anyhow!("{model}: cannot be read: {error}"));
    }
    let known = built_in::get().models;
    match known.iter().find(|(name, _)| *name == model) {
        Some((_, text)) => Ok((*text).to_string()),
        None => {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            anyhow::bail!(
                "there is no model `{model}`; name a file, or one of {}",
                names.join(", ")
            )
        }
    }
}
