//! The backends of a plan, opened by name.

use anyhow::Context;
use pidlab_backends::Backend;
use pidlab_backends::registry::{self, FindError};

pub fn open(names: &[String]) -> anyhow::Result<Vec<Box<dyn Backend>>> {
    names.iter().map(|name| open_one(name)).collect()
}

pub fn open_one(name: &str) -> anyhow::Result<Box<dyn Backend>> {
    #[cfg(feature = "doubles")]
    if let Some(double) = super::doubles::find(name)? {
        return Ok(double);
    }
    let found = registry::find(name);
    match found {
        // the others name it themselves
        Err(FindError::Command(_)) => found.with_context(|| format!("backend `{name}`")),
        found => Ok(found?),
    }
}
