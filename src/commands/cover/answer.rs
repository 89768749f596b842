//! An answer about coverability as a document.

use crate::outcome::Outcome;
use crate::output::{self, Rows, painted};
use pidlab_cover::{Budget, CoverVerdict, Document, Exhausted, Step, ThreadMove};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
pub struct Answer(pub Document);

impl Answer {
    /// The answer, or "unknown" if it cannot be written out within the budget: a trace may have millions of
    /// steps. Writing it twice, once to nowhere, keeps no copy in memory.
    pub fn within(document: Document, budget: &Budget) -> serde_json::Result<Answer> {
        let mut nowhere = Polled { budget, stopped: None };
        match (serde_json::to_writer(&mut nowhere, &document), nowhere.stopped) {
            (Err(_), Some(stop)) => {
                let reason = format!("writing the answer: {}", budget.describe(stop));
                Ok(Answer(Document::unknown(&document.algorithm, reason)))
            }
            (written, _) => written.map(|()| Answer(document)),
        }
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
        match self.0.verdict {
            CoverVerdict::Safe => Outcome::Yes,
            CoverVerdict::Unsafe => Outcome::No,
            CoverVerdict::Unknown => Outcome::Undecided,
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Document { algorithm, seconds, explored, kept, .. } = &self.0;
        let verdict = match self.0.verdict {
            CoverVerdict::Safe => "safe for any number of threads",
            CoverVerdict::Unsafe => "unsafe",
            CoverVerdict::Unknown => "unknown",
        };
        let verdict = painted(output::Document::outcome(self), verdict);
        write!(out, "{verdict}, answered by {algorithm} in {seconds:.3} s: ")?;
        writeln!(out, "{explored} configurations explored, {kept} kept")?;
        if let Some(reason) = &self.0.reason {
            writeln!(out, "{}", reason.trim_end())?;
        }
        if let Some(trace) = &self.0.trace {
            let steps = trace.steps.len();
            let threads = trace.threads;
            let plural = if threads == 1 { "" } else { "s" };
            writeln!(out, "{threads} thread{plural}, {steps} steps, replayed:")?;
            let start = trace.initial.iter().map(|(place, n)| format!("{n} × {place}"));
            writeln!(out, "      start: {}", start.collect::<Vec<_>>().join(", "))?;
            for (number, step) in trace.steps.iter().enumerate() {
                let (line, rule, choices) = (step.line, &step.rule, choices_text(step));
                let who = threads_text(step);
                writeln!(out, "{:>4}. {who}line {line}: {rule}{choices}", number + 1)?;
                if let Some(shared) = &step.shared {
                    writeln!(out, "      shared: {shared}")?;
                }
            }
        }
        match &self.0.certificate {
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

/// Who moves from where to where, `thread 2, l0 to l1, `; empty if that is not known.
fn threads_text(step: &Step) -> String {
    let one = |m: &ThreadMove| match (&m.from, &m.to) {
        (Some(from), Some(to)) => format!("thread {}, {from} to {to}; ", m.thread),
        (Some(from), None) => format!("thread {}, {from}; ", m.thread),
        (None, Some(to)) => format!("new thread {} at {to}; ", m.thread),
        (None, None) => String::new(),
    };
    step.threads.iter().map(one).collect()
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
