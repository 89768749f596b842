//! Answers as text: JSON for programs, sentences for people.

use pidlab_cover::{Budget, CoverVerdict, Document, Exhausted, Step, StressReport};
use std::fmt::Write;

/// An answer written out, or the limit that was reached before its end: a trace may have millions of
/// steps.
pub fn answer(
    document: &Document,
    json: bool,
    budget: &Budget,
) -> anyhow::Result<Result<String, Exhausted>> {
    if !json {
        return Ok(answer_text(document, budget));
    }
    let mut polled = Polled { bytes: Vec::new(), budget, stopped: None };
    match (serde_json::to_writer(&mut polled, document), polled.stopped) {
        (Err(_), Some(stop)) => Ok(Err(stop)),
        (done, _) => {
            done?;
            Ok(Ok(String::from_utf8(polled.bytes)?))
        }
    }
}

/// Bytes in memory that poll the budget as they come.
struct Polled<'a> {
    bytes: Vec<u8>,
    budget: &'a Budget,
    stopped: Option<Exhausted>,
}

impl std::io::Write for Polled<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Err(stop) = self.budget.steps(1) {
            self.stopped = Some(stop);
            return Err(std::io::Error::other(stop));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn answer_text(document: &Document, budget: &Budget) -> Result<String, Exhausted> {
    let verdict = match document.verdict {
        CoverVerdict::Safe => "safe for any number of threads",
        CoverVerdict::Unsafe => "unsafe",
        CoverVerdict::Unknown => "unknown",
    };
    let mut text = format!(
        "{verdict}, answered by {} in {:.3} s: {} configurations explored, {} kept\n",
        document.algorithm, document.seconds, document.explored, document.kept
    );
    if let Some(reason) = &document.reason {
        text.push_str(reason);
    }
    if let Some(trace) = &document.trace {
        let _ = writeln!(text, "{} threads, {} steps, replayed:", trace.threads, trace.steps.len());
        for (number, step) in trace.steps.iter().enumerate() {
            budget.steps(8)?;
            let choices = choices_text(step);
            let _ = writeln!(text, "{:>4}. line {}: {}{choices}", number + 1, step.line, step.rule);
        }
    }
    if document.certificate.is_some() {
        text.push_str("certificate checked (--json prints it)");
    }
    Ok(text)
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

pub fn stress_text(report: &StressReport) -> String {
    let mut text = format!("seed {}, {} machines\n", report.seed, report.machines);
    for row in &report.schedules {
        let _ = writeln!(
            text,
            "{:22} {:>6} incomplete, {:>6} lost a shared state, {:>6} never reached it",
            row.schedule, row.incomplete, row.lost_shared_state, row.never_met
        );
    }
    let _ = writeln!(
        text,
        "net of Finkel et al. 2005: {} schedules, {} incomplete",
        report.finkel_schedules, report.finkel_incomplete
    );
    for row in &report.schedules {
        if let (Some(example), Some(number)) = (&row.example, row.example_machine) {
            let _ = writeln!(text, "\n# {}: machine {number}\n{example}", row.schedule);
        }
    }
    text
}
