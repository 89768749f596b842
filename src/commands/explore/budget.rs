//! One budget for a command that reads a model: its clock starts with the command, and reading,
//! compiling, searching, finding runs again and writing share it.

use crate::arguments::LimitArgs;
use crate::input;
use crate::outcome::Outcome;
use crate::output::{Done, Open};
use anyhow::Context;
use pidlab_budget::{Budget, Exhausted, SLACK};
use pidlab_explore::net::{ExploreError, Faulty};
use pidlab_explore::search::{Failure, Limits, StopReason};
use pidlab_explore::source::{Diagnostic, Source};
use serde_json::Value;
use std::io::{self, Read, Write};
use std::path::Path;

/// The limits of a command that starts now.
pub fn limits(args: &LimitArgs, states: Option<u64>) -> Limits {
    Limits { states, budget: args.budget() }
}

/// Reads the text of a model, no more of it than memory allows.
pub fn read(path: &Path, limits: &Limits) -> anyhow::Result<Source> {
    let name = input::display(path);
    let cannot = || format!("{name}: cannot be read");
    let most = limits.budget.memory_limit().map_or(u64::MAX, |bytes| bytes.saturating_add(SLACK));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).with_context(cannot)?;
    file.take(most).read_to_end(&mut bytes).with_context(cannot)?;
    if bytes.len() as u64 == most {
        return Err(stopped(StopReason::Memory).context(name));
    }
    limits.budget.poll().map_err(|what| stopped(what.into()).context(name.clone()))?;
    Ok(Source::of_bytes(name, bytes, |_| false)?.within(limits.budget.clone()))
}

/// An error that says no more than that a limit was reached leaves the question open, with what is known
/// before anything is counted.
pub fn or_undecided(done: anyhow::Result<Done>, mut known: Value) -> anyhow::Result<Done> {
    let error = match done {
        Err(error) => error,
        done => return done,
    };
    let Some(limit) = limit_behind(&error) else { return Err(error) };
    known["complete"] = false.into();
    known["stopped"] = serde_json::to_value(StopReason::from(limit))?;
    Ok(Open::new(Outcome::Undecided, format!("{error:#}"), known).into())
}

/// The limit that an error stands for, if it stands for nothing else.
pub fn limit_behind(error: &anyhow::Error) -> Option<Exhausted> {
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
        _ => Failure::Limit(Exhausted::Interrupted).into(),
    }
}

/// What takes nothing more once a limit is reached.
pub struct Limited<W> {
    pub to: W,
    pub budget: Budget,
}

impl<W: Write> Write for Limited<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.budget.poll().map_err(io::Error::other)?;
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
