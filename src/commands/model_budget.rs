//! One budget for a command that reads a model: its clock starts with the command, and reading,
//! compiling, searching, finding runs again and writing share it.

use crate::input;
use crate::limits::LimitArgs;
use crate::outcome::Outcome;
use crate::output;
use anyhow::Context;
use pidlab_backends::Exhausted;
use pidlab_explore::net::compiled::Faulty;
use pidlab_explore::net::explore::ExploreError;
use pidlab_explore::search::{Allowance, Failure, Limits, SLACK, StopReason};
use pidlab_explore::source::{Diagnostic, Source};
use serde_json::Value;
use std::io::{self, Read, Write};
use std::path::Path;

/// The limits of a command that starts now.
pub fn limits(args: &LimitArgs, states: Option<u64>) -> Limits<'static> {
    let memory = args.memory_limit.map(|size| size.0);
    let limits = Limits { states, memory, ..Limits::default() };
    limits.within(args.timeout.map(|timeout| timeout.0))
}

/// Reads the text of a model, no more of it than memory allows.
pub fn read(path: &Path, limits: &Limits<'_>) -> anyhow::Result<Source> {
    let name = input::display(path);
    let cannot = || format!("{name}: cannot be read");
    let most = limits.memory.map_or(u64::MAX, |bytes| bytes.saturating_add(SLACK));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).with_context(cannot)?;
    file.take(most).read_to_end(&mut bytes).with_context(cannot)?;
    if bytes.len() as u64 == most {
        return Err(stopped(StopReason::Memory).context(name));
    }
    let text = String::from_utf8(bytes).with_context(cannot)?;
    Ok(Source::new(name, text).within(limits.allowance()))
}

/// An error that says no more than that a limit was reached leaves the question open; as JSON, if a document
/// was asked for, with nothing counted.
pub fn undecided_at_limit(
    done: anyhow::Result<Outcome>,
    document: Option<Value>,
) -> anyhow::Result<Outcome> {
    let (error, limit) = match done {
        Err(error) => match limit_behind(&error) {
            Some(limit) => (error, limit),
            None => return Err(error),
        },
        other => return other,
    };
    undecided(&error, document, serde_json::to_value(StopReason::from(limit))?)
}

/// An error that leaves the question open, with the word for what stopped the search.
pub fn undecided(
    error: &anyhow::Error,
    document: Option<Value>,
    stopped: Value,
) -> anyhow::Result<Outcome> {
    note!("undecided: {error:#}");
    if let Some(Value::Object(mut fields)) = document {
        fields.insert("complete".into(), false.into());
        fields.insert("stopped".into(), stopped);
        fields.insert("reason".into(), format!("{error:#}").into());
        output::json(&fields)?;
    }
    Ok(Outcome::Undecided)
}

/// The limit that an error stands for, if it stands for nothing else.
fn limit_behind(error: &anyhow::Error) -> Option<Exhausted> {
    let in_search = |failure: &Failure| match failure {
        Failure::Limit(what) => Some(*what),
        _ => None,
    };
    let in_text = |diagnostic: &Diagnostic| diagnostic.limit;
    let faulty = |faulty: &Faulty| faulty.0.iter().find_map(in_text);
    let exploring = |error: &ExploreError| match error {
        ExploreError::Failure(failure) => in_search(failure),
        _ => None,
    };
    error
        .downcast_ref()
        .and_then(in_text)
        .or_else(|| error.downcast_ref().and_then(faulty))
        .or_else(|| error.downcast_ref().and_then(in_search))
        .or_else(|| error.downcast_ref().and_then(exploring))
}

/// A limit that ended a part of the work, as an error.
pub fn stopped(reason: StopReason) -> anyhow::Error {
    match reason {
        StopReason::Memory => Failure::Limit(Exhausted::Memory).into(),
        StopReason::Time => Failure::Limit(Exhausted::Time).into(),
        _ => anyhow::anyhow!("interrupted"),
    }
}

/// What takes nothing more once a limit is reached.
pub struct Limited<W> {
    pub to: W,
    pub allowance: Allowance,
}

impl<W: Write> Write for Limited<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.allowance.check().map_err(io::Error::other)?;
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The limit behind an error of [`Limited`], if that is what it was.
pub fn limit_of(error: &io::Error) -> Option<Failure> {
    error.get_ref()?.downcast_ref::<Exhausted>().map(|&what| Failure::Limit(what))
}
