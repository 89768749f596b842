//! The runs of a net that show what went wrong or was reached.

use super::graphs::create;
use super::net::TraceFormat;
use crate::outcome::Outcome;
use pidlab_explore::net::export::trace;
use pidlab_explore::net::{Net, NetExploration, NetTrace, PropertyAnswer};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// What went wrong or was reached, with the run that shows it.
struct Run<'f> {
    title: String,
    trace: &'f NetTrace,
    is_wrong: bool,
}

fn runs(found: &NetExploration) -> Vec<Run<'_>> {
    let deadlock = found.deadlock.iter().map(|trace| Run {
        title: format!("deadlock after {} steps", trace.steps.len()),
        trace,
        is_wrong: true,
    });
    let properties = found.verdicts.iter().filter_map(|verdict| {
        let trace = verdict.trace.as_ref()?;
        let (name, what, steps) =
            (&verdict.property, answer_text(verdict.answer), trace.steps.len());
        let title = format!("{name}: {what} after {steps} steps");
        Some(Run { title, trace, is_wrong: outcome(verdict.answer) == Outcome::No })
    });
    deadlock.chain(properties).collect()
}

pub fn answer_text(answer: PropertyAnswer) -> String {
    serde_json::to_value(answer)
        .ok()
        .and_then(|value| value.as_str().map(str::to_string))
        .unwrap_or_default()
}

/// What the answer to one property is worth.
pub fn outcome(answer: PropertyAnswer) -> Outcome {
    match answer {
        PropertyAnswer::Holds | PropertyAnswer::Reached => Outcome::Yes,
        PropertyAnswer::Violated | PropertyAnswer::Unreachable => Outcome::No,
        PropertyAnswer::Unknown => Outcome::Undecided,
    }
}

/// How runs are shown besides in the document, and where.
pub enum Shown<'a> {
    Nothing,
    /// As text, behind the counts.
    WhatWentWrong,
    All {
        format: TraceFormat,
        file: Option<&'a Path>,
    },
}

impl Shown<'_> {
    /// Writes the runs to the file, or returns what is to follow the text.
    pub fn write(&self, net: &Net, found: &NetExploration) -> anyhow::Result<Vec<u8>> {
        let mut runs = runs(found);
        let (format, file) = match self {
            Shown::Nothing => return Ok(Vec::new()),
            Shown::WhatWentWrong => {
                runs.retain(|run| run.is_wrong);
                (TraceFormat::Text, None)
            }
            Shown::All { format, file } => (*format, *file),
        };
        let bytes = written(net, found, format, &runs)?;
        match file {
            Some(file) => {
                create(file)?.write_all(&bytes)?;
                Ok(Vec::new())
            }
            None => Ok(bytes),
        }
    }
}

fn written(
    net: &Net,
    found: &NetExploration,
    format: TraceFormat,
    runs: &[Run<'_>],
) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match format {
        TraceFormat::Html => {
            let runs: Vec<_> = runs.iter().map(|run| (run.title.clone(), run.trace)).collect();
            trace::write_html(net, &runs, &mut bytes)?;
        }
        TraceFormat::Json => {
            let run = |run: &Run<'_>| json!({"title": run.title, "trace": to_json(net, found, run.trace)});
            let runs: Vec<Value> = runs.iter().map(run).collect();
            writeln!(bytes, "{}", json!({"format": "pidlab-trace/1", "runs": runs}))?;
        }
        TraceFormat::Text => {
            for run in runs {
                writeln!(bytes, "\n{}:", run.title)?;
                trace::write_text(net, run.trace, &mut bytes)?;
            }
        }
    }
    Ok(bytes)
}

/// A run as JSON; nothing if a limit is reached before.
pub fn to_json(net: &Net, found: &NetExploration, run: &NetTrace) -> Option<Value> {
    trace::to_json(net, run, &found.budget).ok()
}
