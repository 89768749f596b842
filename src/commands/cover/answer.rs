//! An answer about coverability as a document.

use crate::outcome::Outcome;
use crate::output::{self, Rows, painted};
use pidlab_cover::{Budget, CoverVerdict, Document, Exhausted, Net, Step, ThreadMove};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

#[derive(Serialize)]
#[serde(transparent)]
pub struct Answer {
    document: Document,
    /// How many threads a "safe" is about, in words.
    #[serde(skip)]
    threads: &'static str,
}

impl Answer {
    /// The answer, or "unknown" if it cannot be written out within the budget: a trace may have millions of
    /// steps. Writing it twice, once to nowhere, keeps no copy in memory.
    pub fn within(document: Document, net: &Net, budget: &Budget) -> serde_json::Result<Answer> {
        let mut nowhere = Polled { budget, stopped: None };
        match (serde_json::to_writer(&mut nowhere, &document), nowhere.stopped) {
            (Err(_), Some(stop)) => {
                let reason = format!("writing the answer: {}", budget.describe(stop));
                Ok(Answer::unknown(&document.algorithm, reason))
            }
            (written, _) => {
                let threads = if net.has_fixed_start() { "" } else { " for any number of threads" };
                written.map(|()| Answer { document, threads })
            }
        }
    }

    /// That there is none, and why.
    pub fn unknown(algorithm: &str, reason: String) -> Answer {
        Answer { document: Document::unknown(algorithm, reason), threads: "" }
    }
}

/// Takes anything until the budget ends.
struct Polled<'a> {
    budget: &'a Budget,
    stopped: Option<Exhausted>,
}

impl Write for Polled<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.budget.step() {
            Ok(()) => Ok(bytes.len()),
            Err(stop) => {
                self.stopped = Some(stop);
                Err(io::Error::other(stop))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl output::Document for Answer {
    fn outcome(&self) -> Outcome {
        match self.document.verdict {
            CoverVerdict::Safe => Outcome::Yes,
            CoverVerdict::Unsafe => Outcome::No,
            CoverVerdict::Unknown => Outcome::Undecided,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Document { algorithm, seconds, explored, kept, .. } = &self.document;
        let verdict = match self.document.verdict {
            CoverVerdict::Safe => format!("safe{}", self.threads),
            CoverVerdict::Unsafe => "unsafe".to_string(),
            CoverVerdict::Unknown => "unknown".to_string(),
        };
        let verdict = painted(output::Document::outcome(self), verdict);
        write!(out, "{verdict}, answered by {algorithm} in {seconds:.3} s: ")?;
        writeln!(out, "{explored} configurations explored, {kept} kept")?;
        if let Some(reason) = &self.document.reason {
            writeln!(out, "{}", reason.trim_end())?;
        }
        if let Some(trace) = &self.document.trace {
            let steps = trace.steps.len();
            let threads = trace.threads;
            let plural = if threads == 1 { "" } else { "s" };
            let more = if steps == 1 { "" } else { "s" };
            writeln!(out, "{threads} thread{plural}, {steps} step{more}, replayed:")?;
            writeln!(out, "      start: {}", tokens_text(&trace.initial))?;
            for (number, step) in trace.steps.iter().enumerate() {
                let (line, rule, choices) = (step.line, &step.rule, choices_text(step));
                let who = threads_text(step);
                writeln!(out, "{:>4}. {who}line {line}: {rule}{choices}", number + 1)?;
                if !step.carried.is_empty() {
                    writeln!(out, "      at the same time: {}", moves_text(&step.carried))?;
                }
                if let Some(shared) = &step.shared {
                    writeln!(out, "      shared: {shared}")?;
                }
                if !step.marking.is_empty() {
                    writeln!(out, "      marked: {}", tokens_text(&step.marking))?;
                }
            }
        }
        match &self.document.certificate {
            Some(_) => writeln!(out, "certificate checked (--json prints it)"),
            None => Ok(()),
        }
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of(
            "verdict algorithm explored certificate kept places reason runs seconds trace *",
            [self],
        )
    }
}

/// Who moves from where to where, `thread 2, l0 to l1; `; empty if that is not known.
fn threads_text(step: &Step) -> String {
    match moves_text(&step.threads) {
        text if text.is_empty() => text,
        text => format!("{text}; "),
    }
}

fn moves_text(moves: &[ThreadMove]) -> String {
    let one = |m: &ThreadMove| match (&m.from, &m.to) {
        (Some(from), Some(to)) => format!("thread {}, {from} to {to}", m.thread),
        (Some(from), None) => format!("thread {}, {from}", m.thread),
        (None, Some(to)) => format!("new thread {} at {to}", m.thread),
        (None, None) => String::new(),
    };
    moves.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Tokens on places, `2 × x0, 1 × x1`.
fn tokens_text(tokens: &BTreeMap<String, u32>) -> String {
    let one = |(place, count): (&String, &u32)| format!("{count} × {place}");
    tokens.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What threads chose, ` (l1: 2 to l1, 1 to l2)`; empty if nothing was to be chosen.
fn choices_text(step: &Step) -> String {
    let moves = step.moves.iter().map(|(from, to)| {
        let to: Vec<String> = to.iter().map(|(place, n)| format!("{n} to {place}")).collect();
        format!("{from}: {}", to.join(", "))
    });
    let moves: Vec<String> = moves.collect();
    if moves.is_empty() { String::new() } else { format!(" ({})", moves.join("; ")) }
}
