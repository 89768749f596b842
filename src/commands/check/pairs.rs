//! `pidlab check --pairs`: many pairs in, one answer a line out, in order.
//!
//! A line that is no pair, or holds a state that is refused, is answered with its error; the others
//! go on. What a line may hold is in [`pidlab_core::pairs`].

use super::judge::{Judge, Judgement};
use crate::outcome::Outcome;
use crate::output::{Document, Done, Form, Rows, Stream};
use crate::{input, verdict};
use anyhow::{Context, Result, bail};
use pidlab_backends::{Verdict, WitnessMap};
use pidlab_core::pairs::PairLine;
use pidlab_graphs::{Source, json_error};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

/// A longer line is answered with an error instead of being read into memory whole.
const MAX_LINE: u64 = 1 << 29;

/// Answers every line of the file; the worst that happened to any of them is the outcome.
pub fn run(path: &Path, judge: &Judge, form: Form) -> Result<Done> {
    let mut reader = input::open(path)?;
    let mut answers = Stream::new(form);
    let mut worst = Worst::default();
    let mut number = 0;
    while let Some(line) = next_line(&mut reader).with_context(|| input::display(path))? {
        number += 1;
        if line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty()) {
            continue;
        }
        let line = line.map_err(|what| {
            let what = format!("{}:{number}: {what}", input::display(path));
            BadLine { id: Value::Null, what }
        });
        match line.and_then(|line| Decided::of(path, number, &line, judge)) {
            Ok(decided) => {
                worst.add(&decided.judgement);
                answers.show(&Reply::decided(&decided.pair, &decided.judgement))?;
            }
            Err(bad) => {
                worst.bad_lines += 1;
                answers.show(&Reply::Bad { id: &bad.id, error: bad.what })?;
            }
        }
    }
    Ok(Done::Shown(worst.outcome(path)?))
}

/// What happened over all lines.
#[derive(Default)]
struct Worst {
    bad_lines: usize,
    undecided: bool,
    disagreement: bool,
}

impl Worst {
    fn add(&mut self, judgement: &Judgement) {
        self.undecided |= matches!(judgement.decision.verdict, Verdict::Undecided(_));
        self.disagreement |= judgement.violation.is_some();
    }

    fn outcome(&self, path: &Path) -> Result<Outcome> {
        match self {
            Worst { disagreement: true, .. } => Ok(Outcome::Disagreement),
            Worst { bad_lines: 1.., .. } => {
                bail!("{}: {} lines could not be decided", path.display(), self.bad_lines)
            }
            Worst { undecided: true, .. } => Ok(Outcome::Undecided),
            _ => Ok(Outcome::Yes),
        }
    }
}

/// A line that cannot be answered, with its id where one can be read.
struct BadLine {
    id: Value,
    what: String,
}

/// The next line without its end, or why it is not read; `None` at the end of the file.
fn next_line(reader: &mut impl BufRead) -> std::io::Result<Option<Result<Vec<u8>, String>>> {
    let mut line = Vec::new();
    if reader.take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_LINE && line.last() != Some(&b'\n') {
        skip_line(reader)?;
        return Ok(Some(Err(format!("the line is longer than {MAX_LINE} bytes"))));
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

/// A pair and what was found of it.
struct Decided {
    pair: PairLine,
    judgement: Judgement,
}

impl Decided {
    fn of(path: &Path, number: usize, line: &[u8], judge: &Judge) -> Result<Decided, BadLine> {
        let pair: PairLine = serde_json::from_slice(line).map_err(|error| {
            let text = String::from_utf8_lossy(line);
            let source = Source::new(input::display(path), text).starting_at(number);
            BadLine { id: id_of(line), what: json_error(&source, &error).to_string() }
        })?;
        let bad = |what: String| {
            let what = format!("{}:{number}: {what}", input::display(path));
            BadLine { id: pair.id.clone(), what }
        };
        let relations = pair.relations(judge.relations).map_err(bad)?;
        for (name, state) in [("q", &pair.q), ("r", &pair.r)] {
            input::check_consistent(state, judge.allow_inconsistent)
                .map_err(|error| bad(format!("state {name}: {error}")))?;
        }
        let judgement = judge.decide(&pair.q, &pair.r, relations);
        Ok(Decided { pair, judgement })
    }
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

/// The answer to one line.
#[derive(Serialize)]
#[serde(untagged)]
enum Reply<'s> {
    Bad {
        id: &'s Value,
        error: String,
    },
    Decided {
        id: &'s Value,
        equivalent: Option<bool>,
        witness: Option<Box<WitnessMap<'s>>>,
        build_seconds: f64,
        decide_seconds: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        undecided: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        confirmed_by: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        violation: Option<&'s str>,
        #[serde(skip)]
        sentence: String,
    },
}

impl<'s> Reply<'s> {
    fn decided(pair: &'s PairLine, judgement: &'s Judgement) -> Reply<'s> {
        let found = &judgement.decision.verdict;
        Reply::Decided {
            id: &pair.id,
            equivalent: verdict::equivalent(found),
            witness: WitnessMap::of(found, &pair.q, &pair.r).map(Box::new),
            build_seconds: judgement.decision.build.as_secs_f64(),
            decide_seconds: judgement.decision.decide.as_secs_f64(),
            undecided: verdict::why_undecided(found),
            confirmed_by: judgement.confirmed_by,
            violation: judgement.violation.as_deref(),
            sentence: judgement.sentence(),
        }
    }
}

impl Document for Reply<'_> {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Reply::Bad { id, error } => writeln!(out, "{id}: error: {error}"),
            Reply::Decided { id, sentence, violation: None, .. } => {
                writeln!(out, "{id}: {sentence}")
            }
            Reply::Decided { id, sentence, violation: Some(violation), .. } => {
                writeln!(out, "{id}: {sentence}; CONTRADICTION: {violation}")
            }
        }
    }

    fn rows(&self) -> Result<Rows> {
        Rows::of(
            "id equivalent witness error build_seconds decide_seconds undecided confirmed_by violation",
            [self],
        )
    }
}
