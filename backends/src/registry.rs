//! All backends in one table.
//!
//! To add a backend: a file with a type that implements [`Backend`], and one line in `table`.

use crate::backend::{Backend, Info};
use crate::canon::Canon;
use crate::external::External;
use crate::external::python::ADAPTERS;
use crate::nauty::NautyBackend;
use crate::petgraph::Petgraph;
use crate::refine::Refine;
use crate::vf2::Vf2;
use crate::wl::WeisfeilerLeman;
use thiserror::Error;

/// The backend used where none is asked for.
pub const DEFAULT: &str = "canon";

/// How names of backends begin that stand for a command.
pub const EXTERNAL: &str = "external:";

type Make = Box<dyn Fn() -> Box<dyn Backend>>;

/// Every backend that is part of the program, in the order they are listed.
fn table() -> Vec<(&'static str, Make)> {
    let mut table: Vec<(&'static str, Make)> = vec![
        ("canon", Box::new(|| Box::new(Canon))),
        ("refine", Box::new(|| Box::new(Refine))),
        ("vf2", Box::new(|| Box::new(Vf2))),
        ("petgraph", Box::new(|| Box::new(Petgraph))),
        ("wl", Box::new(|| Box::new(WeisfeilerLeman))),
    ];
    for backend in NautyBackend::ALL {
        table.push((backend.name(), Box::new(move || Box::new(backend))));
    }
    for adapter in &ADAPTERS {
        table.push((adapter.name(), Box::new(|| Box::new(adapter.backend()))));
    }
    table
}

/// Why a name gives no backend.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FindError {
    /// No backend has that name.
    #[error("there is no backend `{name}`; the backends are {known} and external:<command>")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The backend exists but cannot run here.
    #[error("backend `{name}` is not available here: {reason}")]
    Unavailable {
        /// The name asked for.
        name: String,
        /// What is missing and what to do about it.
        reason: String,
    },
    /// The command after `external:` cannot be split into words.
    #[error("{0}")]
    Command(String),
}

/// Names of all backends of the program.
pub fn names() -> Vec<&'static str> {
    table().into_iter().map(|(name, _)| name).collect()
}

/// What there is to say of every backend.
pub fn list() -> Vec<Info> {
    table().into_iter().map(|(_, make)| make().info()).collect()
}

/// The backend of that name, if it can be used.
pub fn find(name: &str) -> Result<Box<dyn Backend>, FindError> {
    let backend = make(name)?;
    match backend.info().unavailable {
        Some(reason) => Err(FindError::Unavailable { name: name.into(), reason }),
        None => Ok(backend),
    }
}

fn make(name: &str) -> Result<Box<dyn Backend>, FindError> {
    if let Some(command) = name.strip_prefix(EXTERNAL) {
        return Ok(Box::new(External::new(command).map_err(FindError::Command)?));
    }
    match table().into_iter().find(|(known, _)| *known == name) {
        Some((_, make)) => Ok(make()),
        None => Err(FindError::Unknown { name: name.into(), known: names().join(", ") }),
    }
}
