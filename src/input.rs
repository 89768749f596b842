//! Reading states: from a file or standard input, as JSON, or by the file's extension in the papers'
//! notation (`.pst`) or as a graph ([`Format`]).
//!
//! Every way this can go wrong has a message of its own that names the file and, where there is one,
//! line and column, with a caret below the place; all of them end with exit code 2.

use crate::outcome::Outcome;
use crate::output::{Done, Open};
use anyhow::{Context, Result, anyhow, bail};
use pidlab_budget::{Budget, Exhausted};
use pidlab_core::json::{self, ReadError};
use pidlab_core::state::BuildError;
use pidlab_core::{Relations, State};
use pidlab_graphs::{Format, Source, state_of_json, state_of_text};
use pidlab_syntax::Diagnostic;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// A longer JSON text is read as a stream and not kept, so that there is no line to show where it is wrong.
const LARGEST_KEPT: u64 = 1 << 24;

/// "-" for standard input.
const STDIN: &str = "-";

/// Reads a state and refuses inconsistent ones unless allowed.
pub fn load_state(path: &Path, allow_inconsistent: bool) -> Result<State> {
    load_state_within(path, allow_inconsistent, &Budget::unlimited())
}

/// The same within limits; [`undecided`] tells one that was reached from other errors.
pub fn load_state_within(path: &Path, allow_inconsistent: bool, budget: &Budget) -> Result<State> {
    let state = read(path, budget)?;
    check_consistent(&state, allow_inconsistent).with_context(|| display(path))?;
    Ok(state)
}

/// The limit that ended reading, if one did.
pub fn limit_of(error: &anyhow::Error) -> Option<Exhausted> {
    error.downcast_ref().copied().or_else(|| error.downcast_ref::<Diagnostic>()?.limit)
}

/// A limit that ended reading is an open answer, a document of what is known; all else stays an error.
pub fn undecided(error: anyhow::Error, known: Value) -> Result<Done> {
    match limit_of(&error) {
        Some(_) => Ok(Open::new(Outcome::Undecided, error.to_string(), known).into()),
        None => Err(error),
    }
}

/// Two states within limits; standard input can be only one of them.
pub fn load_states_within(
    a: &Path,
    b: &Path,
    allow_inconsistent: bool,
    budget: &Budget,
) -> Result<(State, State)> {
    if is_stdin(a) && is_stdin(b) {
        bail!("both states are to be read from standard input; give at least one file");
    }
    let load = |path| load_state_within(path, allow_inconsistent, budget);
    Ok((load(a)?, load(b)?))
}

pub fn check_consistent(state: &State, allow_inconsistent: bool) -> Result<()> {
    if !allow_inconsistent {
        state.check_consistent().map_err(|e| anyhow!("{e}, or use --allow-inconsistent"))?;
    }
    Ok(())
}

/// A file or standard input.
pub type Input = BufReader<Box<dyn Read>>;

/// What is read at a time.
const BUFFER: usize = 1 << 20;

/// Opens a file or standard input for reading; a directory or an empty file is an error.
pub fn open(path: &Path) -> Result<Input> {
    let source: Box<dyn Read> = match is_stdin(path) {
        true => Box::new(std::io::stdin()),
        false => Box::new(open_file(path)?),
    };
    let mut reader = BufReader::with_capacity(BUFFER, source);
    let start = reader.fill_buf().with_context(|| format!("cannot read {}", display(path)))?;
    if start.is_empty() {
        let expected = match graph_format(path) {
            Some(_) => "a graph",
            None if is_text(path) => "a state in the notation of the papers",
            None => "JSON",
        };
        bail!("{}:1:1: the file is empty; expected {expected}", display(path));
    }
    Ok(reader)
}

fn open_file(path: &Path) -> Result<File> {
    if path.is_dir() {
        bail!("{} is a directory; give a file", display(path));
    }
    File::open(path).with_context(|| format!("cannot open {}", display(path)))
}

fn read(path: &Path, budget: &Budget) -> Result<State> {
    let reader = open(path)?;
    if let Some(format) = graph_format(path) {
        return read_graph(path, format, reader, budget);
    }
    if is_text(path) {
        let source = Source::of_bytes(display(path), read_all(path, reader)?, |_| false)?;
        return Ok(state_of_text(&source.within(budget.clone()))?);
    }
    read_json(path, reader, budget)
}

fn read_json(path: &Path, mut reader: impl Read, budget: &Budget) -> Result<State> {
    let mut start = Vec::new();
    let read = reader.by_ref().take(LARGEST_KEPT).read_to_end(&mut start);
    read.with_context(|| format!("cannot read {}", display(path)))?;
    if (start.len() as u64) < LARGEST_KEPT {
        let source = Source::of_bytes(display(path), start, |_| false)?;
        return Ok(state_of_json(&source.within(budget.clone()))?);
    }
    let whole = start.as_slice().chain(reader);
    json::read_state_within(whole, budget).map_err(|error| match error {
        ReadError::Json(error) => anyhow!("{}: {error}", display(path)),
        ReadError::Limit(limit) => limit.into(),
    })
}

fn read_graph(path: &Path, format: Format, reader: impl Read, budget: &Budget) -> Result<State> {
    let source = format.source(display(path), read_all(path, reader)?)?.within(budget.clone());
    let graph = format.read_one(&source)?;
    graph.to_state_within(budget).map_err(|error| match error {
        BuildError::Limit(limit) => limit.into(),
        error => anyhow!("{}: {error}", display(path)),
    })
}

fn read_all(path: &Path, mut reader: impl Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", display(path)))?;
    Ok(bytes)
}

/// Whether the file is in the papers' notation by its extension.
pub fn is_text(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "pst")
}

/// Whether the file is a graph.
pub fn is_graph(path: &Path) -> bool {
    graph_format(path).is_some()
}

/// The format of a graph, by the file's extension or, where that says nothing, by its beginning.
fn graph_format(path: &Path) -> Option<Format> {
    let is_state = path.extension().is_some_and(|extension| extension == "json") || is_text(path);
    if is_state || !path.is_file() { Format::of_path(path) } else { Format::of_file(path) }
}

/// Ω* where none is named: graphs have no relations between their vertices.
pub fn default_relations(graph: bool) -> Relations {
    if graph { Relations::NONE } else { Relations::default() }
}

pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

pub fn display(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_string() } else { path.display().to_string() }
}
