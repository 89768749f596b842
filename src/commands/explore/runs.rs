//! What an exploration of a net leaves besides its document: graphs in files, and the runs that show
//! what went wrong or was reached.

use super::budget::{self, Limited};
use super::net::TraceFormat;
use anyhow::{Context, bail};
use pidlab_explore::net::export::{GraphFormat, StateGraph, trace};
use pidlab_explore::net::{Net, NetExploration, NetTrace, PropertyAnswer};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Files for the reduced state graph.
pub struct Graphs<'a>(Vec<(&'a Path, GraphFormat)>);

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

    pub fn write(&self, net: &Net, found: &NetExploration) -> anyhow::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let graph = StateGraph::new(net, found)?;
        if let Some(what) = graph.left_out {
            note!("warning: the graph has no markings and bijections: {what}");
        }
        for &(file, format) in &self.0 {
            if graph.nodes.len() > format.most_nodes() {
                let (nodes, most) = (graph.nodes.len(), format.most_nodes());
                bail!("{}: {nodes} states; drawings have at most {most}; use .dot", file.display());
            }
            let to = Limited { to: create(file)?, budget: found.budget.clone() };
            let mut out = std::io::BufWriter::new(to);
            let written = graph.write(format, &mut out).and_then(|()| out.flush());
            written.or_else(|error| give_up(file, error))?;
        }
        Ok(())
    }
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
fn runs(found: &NetExploration) -> Vec<(String, &NetTrace)> {
    let mut runs = Vec::new();
    if let Some(trace) = &found.deadlock {
        runs.push((format!("deadlock after {} steps", trace.steps.len()), trace));
    }
    for verdict in &found.verdicts {
        if let Some(trace) = &verdict.trace {
            let what = answer_text(verdict.answer);
            runs.push((
                format!("{}: {what} after {} steps", verdict.property, trace.steps.len()),
                trace,
            ));
        }
    }
    runs
}

pub fn answer_text(answer: PropertyAnswer) -> String {
    serde_json::to_value(answer)
        .ok()
        .and_then(|value| value.as_str().map(str::to_string))
        .unwrap_or_default()
}

/// How runs are shown besides in the document, and where.
pub struct Shown<'a> {
    pub format: Option<TraceFormat>,
    pub file: Option<&'a Path>,
}

impl Shown<'_> {
    /// Writes the runs to the file, or returns what is to follow the text.
    pub fn write(&self, net: &Net, found: &NetExploration) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let runs = runs(found);
        match self.format {
            None => return Ok(bytes),
            Some(TraceFormat::Html) => trace::write_html(net, &runs, &mut bytes)?,
            Some(TraceFormat::Json) => {
                let run = |(title, run): &(String, &NetTrace)| json!({"title": title, "trace": to_json(net, found, run)});
                let runs: Vec<Value> = runs.iter().map(run).collect();
                writeln!(bytes, "{}", json!({"format": "pidlab-trace/1", "runs": runs}))?;
            }
            Some(TraceFormat::Text) => {
                for (title, run) in &runs {
                    writeln!(bytes, "\n{title}:")?;
                    trace::write_text(net, run, &mut bytes)?;
                }
            }
        }
        match self.file {
            Some(file) => {
                create(file)?.write_all(&bytes)?;
                Ok(Vec::new())
            }
            None => Ok(bytes),
        }
    }
}

/// A run as JSON; nothing if a limit is reached before.
pub fn to_json(net: &Net, found: &NetExploration, run: &NetTrace) -> Option<Value> {
    trace::to_json(net, run, &found.budget).ok()
}
