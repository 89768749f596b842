//! The runs of a net that show what went wrong or was reached.

use super::graphs::create;
use super::net::TraceFormat;
use pidlab_explore::net::export::trace;
use pidlab_explore::net::{Net, NetExploration, NetTrace, PropertyAnswer};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

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

/// The runs to a deadlock or a violation.
fn wrong(found: &NetExploration) -> Vec<(String, &NetTrace)> {
    let violated = found.verdicts.iter().map(|verdict| verdict.answer == PropertyAnswer::Violated);
    let with_run =
        found.verdicts.iter().zip(violated).filter(|(verdict, _)| verdict.trace.is_some());
    let kept = found.deadlock.iter().map(|_| true).chain(with_run.map(|(_, violated)| violated));
    runs(found).into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(run, _)| run).collect()
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
            // what went wrong is shown unless it is asked for in another form
            None if self.file.is_some() => return Ok(bytes),
            None => {
                for (title, run) in wrong(found) {
                    writeln!(bytes, "\n{title}:")?;
                    trace::write_text(net, run, &mut bytes)?;
                }
                return Ok(bytes);
            }
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
