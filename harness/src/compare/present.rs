//! A comparison as one document, and as a table to read.

use super::Comparison;
use super::judge::{Judged, Rules, Standing};
use crate::grid::aligned;
use serde_json::{Value, json};
use std::fmt::Write;

/// The format of the document.
pub const FORMAT: &str = "pidlab-compare/1";

/// Format `pidlab-compare/1`.
pub fn document(comparison: &Comparison, rules: &Rules) -> Value {
    let list = |standing: Standing| -> Vec<Value> {
        comparison.with(standing).into_iter().map(|one| entry(one, rules)).collect()
    };
    json!({
        "format": FORMAT,
        "verdict": comparison.verdict(),
        "regressions": list(Standing::Regression),
        "improvements": list(Standing::Improvement),
        "not_confirmed": list(Standing::Unconfirmed),
        "results": comparison.judged.iter().map(|one| entry(one, rules)).collect::<Vec<_>>(),
        "base": comparison.base,
        "new": comparison.new,
        "threshold": rules.threshold,
        "delta": rules.delta,
        "confidence": rules.confidence,
        "seed": rules.seed,
        "rows": comparison.rows,
        "rounds": comparison.rounds,
        "confirmation": comparison.confirmation,
        "instructions": comparison.instructions,
        "contradictions": comparison.contradictions,
        "notes": comparison.notes,
        "seconds": comparison.seconds,
        "out": comparison.out.as_ref().map(|out| out.display().to_string()),
    })
}

fn entry(one: &Judged, rules: &Rules) -> Value {
    let mut entry = json!(one);
    entry["verdict"] = json!(one.verdict(rules.delta));
    entry["more_rows"] = json!(one.more_rows());
    if let Some(counted) = &one.instructions {
        entry["instructions"]["ratio"] = json!(counted.ratio());
    }
    entry
}

/// A table to read, with how it was measured.
pub fn table(comparison: &Comparison, rules: &Rules) -> String {
    let names = ["experiment", "backend", "size", "base", "new", "new/base", "instr.", "verdict"];
    let mut lines = vec![names.map(String::from)];
    for one in &comparison.judged {
        lines.push([
            one.group.experiment.clone(),
            subject(comparison, one),
            one.group.class.name().into(),
            time(one.base_seconds),
            time(one.new_seconds),
            one.ratio.map_or("–".into(), |r| r.to_string()),
            one.instructions.map_or("–".into(), |c| format!("{:.3}", c.ratio())),
            remark(one, rules),
        ]);
    }
    let mut out = aligned(&lines, false);
    writeln!(out, "\nbase:         {}\nnew:          {}", comparison.base, comparison.new).ok();
    writeln!(
        out,
        "measured:     {} rows a side in {} rounds, {:.0} s; seed {}, {:.0} % intervals, threshold {:.1} %",
        comparison.rows,
        comparison.rounds,
        comparison.seconds,
        rules.seed,
        100.0 * rules.confidence,
        100.0 * rules.threshold
    )
    .ok();
    writeln!(out, "confirmation: {}", comparison.confirmation).ok();
    writeln!(out, "instructions: {}", comparison.instructions).ok();
    for note in &comparison.notes {
        writeln!(out, "note:         {note}").ok();
    }
    for contradiction in comparison.contradictions.iter().take(10) {
        writeln!(out, "CONTRADICTION {contradiction}").ok();
    }
    writeln!(out, "verdict:      {}", comparison.verdict()).ok();
    out
}

/// Backend, with relations, graph and transformation where they vary.
fn subject(comparison: &Comparison, one: &Judged) -> String {
    let group = &one.group;
    let varies = |differs: fn(&super::matched::Group, &super::matched::Group) -> bool| {
        comparison.judged.iter().any(|other| differs(&other.group, group))
    };
    let mut name = group.backend.clone();
    if varies(|a, b| a.relations != b.relations) {
        write!(name, " {{{}}}", group.relations).ok();
    }
    if varies(|a, b| a.graph != b.graph) {
        write!(name, " {}", group.graph).ok();
    }
    if let Some(transformation) = &group.transformation {
        write!(name, " {transformation}").ok();
    }
    name
}

fn remark(one: &Judged, rules: &Rules) -> String {
    let mut text = one.verdict(rules.delta);
    let again = one.again.map_or(String::new(), |again| format!(" (again {again})"));
    match one.standing {
        Standing::Unremarkable => {}
        Standing::Regression => write!(text, ": REGRESSION{again}").unwrap_or(()),
        other => write!(text, ": {}{again}", other.name()).unwrap_or(()),
    }
    if one.no_longer > 0 {
        write!(text, ", {} rows no longer decided", one.no_longer).ok();
    }
    text
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
