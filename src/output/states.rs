//! States as documents, and as files in the form that their name asks for.

use super::{Document, Json, Rows};
use crate::input::is_text;
use anyhow::{Context, bail};
use pidlab_core::{State, json, text};
use pidlab_graphs::Format;
use serde::Serialize;
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// A state on standard output.
pub struct StateDocument {
    pub state: State,
    /// Whether the text is in the papers' notation, or JSON too.
    pub as_text: bool,
}

/// Not by serde, which would hold the state a second time.
impl Json for StateDocument {
    fn json(&self, mut out: &mut dyn Write) -> io::Result<()> {
        json::write_state(&self.state, &mut out)
    }
}

impl Document for StateDocument {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        write(&self.state, self.as_text, out)
    }

    /// σ and η, a vector or a pid a record.
    fn rows(&self) -> anyhow::Result<Rows> {
        let state = serde_json::to_value(&self.state)?;
        let part = |name: &str| state[name].as_object().into_iter().flatten();
        let entry = |part, key, value| StatePart { part, key, value };
        let sigma = part("sigma").flat_map(|(location, vectors)| {
            let vectors = vectors.as_array().into_iter().flatten();
            vectors.map(move |vector| entry("sigma", location, vector))
        });
        let eta = part("eta").map(|(pid, created)| entry("eta", pid, created));
        Rows::of("part key value", sigma.chain(eta))
    }

    fn is_file(&self) -> bool {
        true
    }
}

#[derive(Serialize)]
struct StatePart<'s> {
    part: &'static str,
    key: &'s str,
    value: &'s Value,
}

/// A state that went to a file.
#[derive(Serialize)]
pub struct Written {
    format: &'static str,
    path: String,
    pids: usize,
    vectors: usize,
}

impl Written {
    /// Writes a state to a file, in the papers' notation or as JSON by its name.
    pub fn save(state: &State, path: &Path) -> anyhow::Result<Written> {
        if Format::of_path(path).is_some() {
            bail!(
                "{} would be a graph by its ending, and states are not written as graphs; use .json or .pst",
                path.display()
            );
        }
        File::create(path)
            .and_then(|file| write(state, is_text(path), &mut BufWriter::new(file)))
            .with_context(|| format!("cannot write {}", path.display()))?;
        let (pids, vectors) = (state.pid_count(), state.vector_count());
        Ok(Written { format: "pidlab-written/1", path: path.display().to_string(), pids, vectors })
    }
}

impl Document for Written {
    /// The file is what was asked for.
    fn text(&self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("path pids vectors", [self])
    }
}

/// Writes a state as text in the papers' notation or as one line of JSON.
pub fn write(state: &State, as_text: bool, mut out: &mut dyn Write) -> io::Result<()> {
    match as_text {
        true => text::write_state(state, &mut out)?,
        false => {
            json::write_state(state, &mut out)?;
            writeln!(out)?;
        }
    }
    out.flush()
}
