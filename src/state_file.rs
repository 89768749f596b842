//! Reading and writing states named on the command line: `.pst` is the papers' notation, all else
//! is JSON.

use anyhow::{Context, bail};
use pidlab_core::{State, json, text};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
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
    let mut file = open(path)?;
    if is_text(path) {
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        return Ok(text::parse_state(&text)?);
    }
    Ok(json::read_state(file)?)
}

/// Whether a file name asks for the papers' notation.
pub fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pst")
}

/// Writes a state to a file in the form its name asks for, or to standard output as JSON.
pub fn save(state: &State, path: Option<&Path>) -> anyhow::Result<()> {
    match path {
        None => write(state, false, &mut std::io::stdout().lock()),
        Some(path) => File::create(path)
            .map_err(anyhow::Error::from)
            .and_then(|mut file| write(state, is_text(path), &mut file))
            .with_context(|| format!("cannot write {}", path.display())),
    }
}

/// Writes a state as text in the papers' notation or as one line of JSON.
pub fn write(state: &State, as_text: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let mut out = BufWriter::new(out);
    if as_text {
        text::write_state(state, &mut out)?;
    } else {
        json::write_state(state, &mut out)?;
        writeln!(out)?;
    }
    Ok(out.flush()?)
}

/// Opens a file for reading; a directory is said to be one.
pub fn open(path: &Path) -> anyhow::Result<File> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    if file.metadata()?.is_dir() {
        bail!("{} is a directory, expected a file", path.display());
    }
    Ok(file)
}
