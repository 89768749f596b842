//! A comparison as a table to read, as one JSON document, and as CSV.

use super::Comparison;
use super::judge::{Judged, Rules, Standing};
use crate::grid::quoted;
use pidlab_stats::Interval;
use serde_json::{Value, json};
use std::fmt::Write;

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
    let group = &one.group;
    json!({
        "experiment": group.experiment,
        "backend": group.backend,
        "relations": group.relations,
        "graph": group.graph,
        "class": group.class.name(),
        "transformation": group.transformation,
        "verdict": one.verdict(rules.delta),
        "standing": one.standing.name(),
        "ratio": one.ratio,
        "rerun": one.again,
        "states": one.states,
        "rows": one.rows,
        "more_rows": one.more_rows(),
        "no_longer_decided": one.no_longer,
        "base_seconds": one.base_seconds,
        "new_seconds": one.new_seconds,
        "instructions": one.instructions.map(|counted| json!({
            "base": counted.base,
            "new": counted.new,
            "ratio": counted.ratio(),
            "repeats": counted.repeats,
        })),
    })
}

const COLUMNS: [&str; 22] = [
    "experiment",
    "backend",
    "relations",
    "graph",
    "class",
    "transformation",
    "verdict",
    "standing",
    "ratio",
    "low",
    "high",
    "rerun_ratio",
    "rerun_low",
    "rerun_high",
    "states",
    "rows",
    "more_rows",
    "no_longer_decided",
    "base_seconds",
    "new_seconds",
    "base_instructions",
    "new_instructions",
];

pub fn csv(comparison: &Comparison, rules: &Rules) -> String {
    let mut out = COLUMNS.join(",") + "\n";
    for one in &comparison.judged {
        let mut fields = vec![
            one.group.experiment.clone(),
            one.group.backend.clone(),
            one.group.relations.clone(),
            one.group.graph.clone(),
            one.group.class.name().into(),
            one.group.transformation.clone().unwrap_or_default(),
            one.verdict(rules.delta),
            one.standing.name().into(),
        ];
        fields.extend(bounds(one.ratio));
        fields.extend(bounds(one.again));
        fields.extend([one.states, one.rows].map(|n| n.to_string()));
        fields.push(one.more_rows().map_or(String::new(), |n| n.to_string()));
        fields.push(one.no_longer.to_string());
        fields.extend([one.base_seconds, one.new_seconds].map(|s| format!("{s:.9}")));
        let counts = one.instructions.map_or([None; 2], |c| [Some(c.base), Some(c.new)]);
        fields.extend(counts.map(|n| n.map_or(String::new(), |n| format!("{n:.0}"))));
        let line: Vec<_> = fields.iter().map(|field| quoted(field)).collect();
        writeln!(out, "{}", line.join(",")).ok();
    }
    out
}

fn bounds(interval: Option<Interval>) -> [String; 3] {
    match interval {
        Some(i) => [i.value, i.low, i.high].map(|x| format!("{x:.5}")),
        None => Default::default(),
    }
}

pub fn table(comparison: &Comparison, rules: &Rules) -> String {
    let mut lines = vec![
        ["experiment", "backend", "size", "base", "new", "new/base", "instr.", "verdict"]
            .map(String::from),
    ];
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
    let mut out = aligned(&lines);
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

/// Columns padded to their widest field, two spaces between.
pub fn aligned<const N: usize>(lines: &[[String; N]]) -> String {
    let width = |k: usize| lines.iter().map(|line| line[k].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut out = String::new();
    for line in lines {
        let mut text = String::new();
        for (field, width) in line.iter().zip(widths) {
            let pad = width - field.chars().count() + 2;
            text.push_str(field);
            text.push_str(&" ".repeat(pad));
        }
        writeln!(out, "{}", text.trim_end()).ok();
    }
    out
}
