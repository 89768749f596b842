//! What an exploration of a net leaves besides its document: graphs in files, and the runs that show
//! what went wrong or was reached.

use super::budget::{self, Limited};
use super::net::TraceFormat;
use crate::outcome::Outcome;
use anyhow::Context;
use pidlab_explore::net::export::{GraphFormat, StateGraph, trace};
use pidlab_explore::net::{Net, NetExploration, NetTrace, PropertyAnswer};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Files for the reduced state graph.
pub struct Graphs<'a>(Vec<GraphFile<'a>>);

impl<'a> Graphs<'a> {
    /// The name of a file says its format.
    pub fn of(files: &'a [PathBuf]) -> anyhow::Result<Graphs<'a>> {
        let format = |file: &'a PathBuf| {
            let extension = file.extension().and_then(|e| e.to_str()).unwrap_or("");
            let format = GraphFormat::of_extension(extension).with_context(|| {
                format!("--output {}: use .dot, .graphml, .json, .aut or .svg", file.display())
            })?;
            Ok((file.as_path(), format))
        };
        files.iter().map(format).collect::<anyhow::Result<_>>().map(Graphs)
    }

    /// Writes what can be written; what was left out and why, if anything was.
    pub fn write(&self, net: &Net, found: &NetExploration) -> anyhow::Result<Option<String>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let graph = StateGraph::new(net, found)?;
        if let Some(what) = graph.left_out {
            note!("warning: the graph has no markings and bijections: {what}");
        }
        let nodes = graph.nodes.len();
        let fits = |(_, format): &&(&Path, GraphFormat)| nodes <= format.most_nodes();
        let (fitting, others): (Vec<_>, Vec<_>) = self.0.iter().partition(fits);
        for &&(file, format) in &fitting {
            let to = Limited { to: create(file)?, budget: found.budget.clone() };
            let mut out = std::io::BufWriter::new(to);
            let written = graph.write(format, &mut out).and_then(|()| out.flush());
            written.or_else(|error| give_up(file, error))?;
        }
        Ok(too_large(nodes, &fitting, &others))
    }
}

type GraphFile<'a> = (&'a Path, GraphFormat);

/// What has too many states to be drawn is left out, and named when everything else is there.
fn too_large(nodes: usize, written: &[&GraphFile<'_>], left: &[&GraphFile<'_>]) -> Option<String> {
    let (_, format) = left.first()?;
    let list = |files: &[&GraphFile<'_>]| {
        files.iter().map(|(file, _)| file.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    let also = match written {
        [] => String::new(),
        files => format!("; {} written", list(files)),
    };
    let (left, most) = (list(left), format.most_nodes());
    Some(format!(
        "{left}: {nodes} states, and drawings have at most {most}; use .dot or .aut{also}"
    ))
}

/// A graph that a limit cut short is of no use.
fn give_up(file: &Path, error: std::io::Error) -> anyhow::Result<()> {
    let message = format!("cannot write {}", file.display());
    let Some(limit) = budget::limit_of(&error) else {
        return Err(anyhow::Error::new(error).context(message));
    };
    // what is left of it stays if it cannot be removed, as the message says that it is not whole
    let _ = std::fs::remove_file(file);
    Err(anyhow::Error::new(limit).context(message))
}

fn create(file: &Path) -> anyhow::Result<std::fs::File> {
    std::fs::File::create(file).with_context(|| format!("cannot write {}", file.display()))
}

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
