//! Reading a state named on the command line: `.pst` is the papers' notation, all else is JSON.

use anyhow::{Context, bail};
use pidlab_core::{State, json};
use std::fs::File;
use std::path::Path;

/// Loads a state; one that is no consistent thread configuration is refused unless allowed.
pub fn load(path: &Path, allow_inconsistent: bool) -> anyhow::Result<State> {
    let state = read(path).with_context(|| format!("cannot read state {}", path.display()))?;
    if !allow_inconsistent {
        state.check_consistent().with_context(|| format!("in state {}", path.display()))?;
    }
    Ok(state)
}

fn read(path: &Path) -> anyhow::Result<State> {
    Ok(json::read_state(open(path)?)?)
}

/// Opens a file for reading; a directory is said to be one.
pub fn open(path: &Path) -> anyhow::Result<File> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    if file.metadata()?.is_dir() {
        bail!("{} is a directory, expected a file", path.display());
    }
    Ok(file)
}
