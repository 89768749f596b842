//! All backends in one table.
//!
//! To add a backend: a file with a type that implements [`Backend`], and one line in [`builtin`].

use crate::backend::{Backend, Info};
use crate::canon::Canon;
use crate::nauty::NautyBackend;
use crate::refine::Refine;
use crate::vf2::Vf2;
use thiserror::Error;

/// The backend used where none is asked for.
pub const DEFAULT: &str = "canon";

/// Every backend that is part of the program, in the order they are listed.
fn builtin() -> Vec<Box<dyn Backend>> {
    let mut all: Vec<Box<dyn Backend>> = vec![Box::new(Canon), Box::new(Refine), Box::new(Vf2)];
    all.extend(NautyBackend::ALL.map(|backend| Box::new(backend) as Box<dyn Backend>));
    all
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FindError {
    #[error("there is no backend `{name}`; the backends are {known}")]
    Unknown { name: String, known: String },
    #[error("backend `{name}` is not available here: {reason}")]
    Unavailable { name: String, reason: String },
}

/// What there is to say of every backend.
pub fn list() -> Vec<Info> {
    builtin().iter().map(|backend| backend.info()).collect()
}

/// The backend of that name, if it can be used.
pub fn find(name: &str) -> Result<Box<dyn Backend>, FindError> {
    let found = builtin().into_iter().find(|backend| backend.info().name == name);
    let backend = found.ok_or_else(|| FindError::Unknown { name: name.into(), known: known() })?;
    match backend.info().unavailable {
        Some(reason) => Err(FindError::Unavailable { name: name.into(), reason }),
        None => Ok(backend),
    }
}

fn known() -> String {
    let names: Vec<String> = list().into_iter().map(|info| info.name).collect();
    names.join(", ")
}
