//! `pidlab check --pairs`: many pairs in, one answer a line out, in order.
//!
//! A line that is no pair, or holds a state that is refused, is answered with its error; the others
//! go on. Annotations that test suites keep beside a pair (`expected`, `tags`, …) are let through, any
//! other unknown field is an error.

use crate::commands::check::{Judge, Judgement};
use crate::input;
use crate::outcome::Outcome;
use crate::verdict;
use anyhow::{Context, Result};
use pidlab_backends::Verdict;
use pidlab_core::{Relation, Relations, State};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::io::{BufRead, Read, Write};
use std::path::Path;

/// A longer line is answered with an error instead of being read into memory whole.
const MAX_LINE: u64 = 1 << 29;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    id: Value,
    relations: Option<Vec<String>>,
    q: State,
    r: State,
    #[serde(default, rename = "format")]
    _format: IgnoredAny,
    #[serde(default, rename = "expected")]
    _expected: IgnoredAny,
    #[serde(default, rename = "published_graph")]
    _published_graph: IgnoredAny,
    #[serde(default, rename = "ct")]
    _ct: IgnoredAny,
    #[serde(default, rename = "tags")]
    _tags: IgnoredAny,
    #[serde(default, rename = "comment")]
    _comment: IgnoredAny,
}

/// Answers every line of the file; the worst that happened to any of them is the outcome.
pub fn run(path: &Path, judge: &Judge, as_json: bool) -> Result<PairsOutcome> {
    let mut reader = input::open(path)?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut worst = PairsOutcome::default();
    let mut number = 0;
    while let Some(line) = next_line(&mut reader).with_context(|| input::display(path))? {
        number += 1;
        if line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty()) {
            continue;
        }
        let answer = line.and_then(|line| answer(&line, judge, &mut worst)).unwrap_or_else(|bad| {
            worst.bad_lines += 1;
            json!({"id": bad.id, "error": format!("line {number}: {}", bad.what)})
        });
        print(&mut out, &answer, as_json)?;
        out.flush()?;
    }
    Ok(worst)
}

/// What happened over all lines.
#[derive(Default)]
pub struct PairsOutcome {
    pub bad_lines: usize,
    undecided: bool,
    disagreement: bool,
}

impl PairsOutcome {
    /// `None` if lines were bad: then it is bad input, exit code 2.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            PairsOutcome { disagreement: true, .. } => Some(Outcome::Disagreement),
            PairsOutcome { bad_lines: 1.., .. } => None,
            PairsOutcome { undecided: true, .. } => Some(Outcome::Undecided),
            _ => Some(Outcome::Yes),
        }
    }
}

/// A line that cannot be answered, with its id where one can be read.
struct BadLine {
    id: Value,
    what: String,
}

/// The next line without its end, or why it is not read; `None` at the end of the file.
fn next_line(reader: &mut impl BufRead) -> std::io::Result<Option<Result<Vec<u8>, BadLine>>> {
    let mut line = Vec::new();
    if reader.take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_LINE && line.last() != Some(&b'\n') {
        skip_line(reader)?;
        let what = format!("the line is longer than {MAX_LINE} bytes");
        return Ok(Some(Err(BadLine { id: Value::Null, what })));
    }
    Ok(Some(Ok(line)))
}

fn skip_line(reader: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = reader.fill_buf()?;
        let (used, done) = match buffer.iter().position(|&b| b == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        reader.consume(used);
        if done {
            return Ok(());
        }
    }
}

fn answer(line: &[u8], judge: &Judge, worst: &mut PairsOutcome) -> Result<Value, BadLine> {
    let pair: Line = serde_json::from_slice(line)
        .map_err(|error| BadLine { id: id_of(line), what: error.to_string() })?;
    let bad = |what: String| BadLine { id: pair.id.clone(), what };
    let relations = relations(pair.relations.as_deref(), judge.relations).map_err(bad)?;
    for (name, state) in [("q", &pair.q), ("r", &pair.r)] {
        input::check_consistent(state, judge.allow_inconsistent)
            .map_err(|error| bad(format!("state {name}: {error}")))?;
    }
    let judgement = judge.decide(&pair.q, &pair.r, relations).map_err(|e| bad(e.to_string()))?;
    worst.undecided |= matches!(judgement.decision.verdict, Verdict::Undecided(_));
    worst.disagreement |= judgement.violation.is_some();
    Ok(to_json(&pair, &judgement))
}

/// The id of a line that is no pair, if it is JSON at all.
fn id_of(line: &[u8]) -> Value {
    #[derive(Deserialize)]
    struct Id {
        #[serde(default)]
        id: Value,
    }
    serde_json::from_slice::<Id>(line).map_or(Value::Null, |line| line.id)
}

fn relations(names: Option<&[String]>, default: Relations) -> Result<Relations, String> {
    match names {
        None => Ok(default),
        Some(names) => names
            .iter()
            .map(|name| name.parse::<Relation>().map_err(|error| error.to_string()))
            .collect(),
    }
}

fn to_json(pair: &Line, judgement: &Judgement) -> Value {
    let verdict = &judgement.decision.verdict;
    let mut answer = json!({
        "id": pair.id,
        "equivalent": verdict::equivalent(verdict),
        "witness": verdict::witness(verdict, &pair.q, &pair.r),
    });
    if let Verdict::Undecided(undecided) = verdict {
        answer["undecided"] = Value::String(verdict::why_undecided(undecided));
    }
    if let Some(violation) = &judgement.violation {
        answer["violation"] = Value::String(violation.clone());
    }
    answer
}

fn print(out: &mut impl Write, answer: &Value, as_json: bool) -> std::io::Result<()> {
    if as_json {
        return writeln!(out, "{answer}");
    }
    let text = match (&answer["error"], &answer["equivalent"], &answer["undecided"]) {
        (Value::String(error), ..) => format!("error: {error}"),
        (_, Value::Bool(true), _) => "equivalent".to_string(),
        (_, Value::Bool(false), _) => "not equivalent".to_string(),
        (.., why) => format!("undecided: {}", why.as_str().unwrap_or_default()),
    };
    writeln!(out, "{}: {text}", answer["id"])
}
