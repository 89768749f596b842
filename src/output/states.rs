//! Writing states: to a file in the form its name asks for, or to standard output.

use super::Stdout;
use crate::input::is_text;
use anyhow::Context;
use pidlab_core::{State, json, text};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a state to a file in the form its name asks for, or to standard output as JSON.
pub fn save(state: &State, path: Option<&Path>) -> anyhow::Result<()> {
    match path {
        None => write(state, false, &mut Stdout),
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
