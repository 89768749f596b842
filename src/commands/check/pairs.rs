//! `pidlab check --pairs`: many pairs in, one answer a line out, in order.
//!
//! A line that is not a pair, or holds a state that is refused, is answered with its error; the others
//! go on. What a line may hold is in [`pidlab_core::pairs`].

use super::judge::{Judge, Judgement};
use crate::input::Input;
use crate::outcome::Outcome;
use crate::output::{Document, Done, Form, Rows, Stream};
use crate::{input, output, verdict};
use anyhow::{Context, Result, anyhow, bail};
use pidlab_backends::{Verdict, WitnessMap};
use pidlab_core::pairs::PairLine;
use pidlab_graphs::{Source, json_error};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

/// A longer line is answered with an error instead of being read into memory whole.
const MAX_LINE: u64 = 1 << 29;
/// Lines that a thread takes at a time.
const TOGETHER: usize = 64;
/// As much as the first thread of a process has.
const STACK: usize = 8 << 20;

/// Answers every line of the file; the worst that happened to any of them is the outcome.
///
/// Lines that have arrived are answered side by side and printed in their order; nobody waits for more of them, so
/// a program that asks line by line is answered line by line.
pub fn run(path: &Path, judge: &Judge, threads: usize, form: Form) -> Result<Done> {
    let mut reader = input::open(path)?;
    let mut answers = Stream::new(form);
    let mut worst = Worst::default();
    let mut block = Block { path, judge, form, is_first: true, read: 0, lines: Vec::new() };
    while block.read(&mut reader).with_context(|| input::display(path))? {
        for answered in block.answer(threads)? {
            worst.add(&answered.worst);
            answers.pass_on(&answered.text)?;
        }
        answers.flush()?;
    }
    Ok(Done::Shown(worst.outcome(path)?))
}

/// Lines that are answered side by side.
struct Block<'r> {
    path: &'r Path,
    judge: &'r Judge,
    form: Form,
    /// Whether nothing was answered before.
    is_first: bool,
    /// Lines of the file so far.
    read: usize,
    /// Numbers of lines that are not blank, with the line or why it is not read.
    lines: Vec<(usize, Result<Vec<u8>, String>)>,
}

/// What was printed about some lines, and the worst that happened to them.
#[derive(Default)]
struct Answered {
    text: Vec<u8>,
    worst: Worst,
}

impl Block<'_> {
    /// Reads the next line, and those behind it that have arrived as well; `false` at the end of the file.
    fn read(&mut self, reader: &mut Input) -> io::Result<bool> {
        self.is_first &= self.lines.is_empty();
        self.lines.clear();
        while self.lines.is_empty() || reader.buffer().contains(&b'\n') {
            let Some(line) = next_line(reader)? else { break };
            self.read += 1;
            if !line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty()) {
                self.lines.push((self.read, line));
            }
        }
        Ok(!self.lines.is_empty())
    }

    fn answer(&self, threads: usize) -> Result<Vec<Answered>> {
        let parts = self.lines.len().div_ceil(TOGETHER);
        let next = AtomicUsize::new(0);
        let work = || -> Result<Vec<(usize, Answered)>> {
            let mut done = Vec::new();
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= parts {
                    return Ok(done);
                }
                done.push((part, self.part(part)?));
            }
        };
        let mut done = std::thread::scope(|scope| {
            // some backends go as deep as a state is large
            let thread = || Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            let others: Vec<_> = (1..threads.min(parts)).map(|_| thread()).collect();
            let mut done = work()?;
            // a thread that cannot be started is one less
            for thread in others.into_iter().flatten() {
                done.extend(
                    thread.join().map_err(|_| anyhow!("a thread panicked; this is a bug"))??,
                );
            }
            anyhow::Ok(done)
        })?;
        done.sort_unstable_by_key(|(part, _)| *part);
        Ok(done.into_iter().map(|(_, answered)| answered).collect())
    }

    fn part(&self, part: usize) -> Result<Answered> {
        let start = part * TOGETHER;
        let end = self.lines.len().min(start + TOGETHER);
        let mut answered = Answered::default();
        for (number, line) in &self.lines[start..end] {
            let with_columns = self.is_first && part == 0 && answered.text.is_empty();
            self.line(*number, line.as_ref(), with_columns, &mut answered)?;
        }
        Ok(answered)
    }

    fn line(
        &self,
        number: usize,
        line: Result<&Vec<u8>, &String>,
        with_columns: bool,
        Answered { text, worst }: &mut Answered,
    ) -> Result<()> {
        let Block { path, judge, form, .. } = *self;
        let line = line.map_err(|what| {
            let what = format!("{}:{number}: {what}", input::display(path));
            BadLine { id: Value::Null, what }
        });
        match line.and_then(|line| Decided::of(path, number, line, judge)) {
            Ok(Decided { pair, judgement }) => {
                worst.note(&judgement);
                output::print(form, with_columns, &Reply::decided(&pair, &judgement), text)
            }
            Err(bad) => {
                worst.bad_lines += 1;
                output::print(
                    form,
                    with_columns,
                    &Reply::Bad { id: &bad.id, error: bad.what },
                    text,
                )
            }
        }
    }
}

/// What happened over all lines.
#[derive(Default)]
struct Worst {
    bad_lines: usize,
    undecided: bool,
    disagreement: bool,
}

impl Worst {
    fn note(&mut self, judgement: &Judgement) {
        self.undecided |= matches!(judgement.decision.verdict, Verdict::Undecided(_));
        self.disagreement |= judgement.violation.is_some();
    }

    fn add(&mut self, other: &Worst) {
        self.bad_lines += other.bad_lines;
        self.undecided |= other.undecided;
        self.disagreement |= other.disagreement;
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
    if reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
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
        let pair = PairLine::parse(line).map_err(|error| {
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
        let expected = pair.expected().map_err(bad)?;
        let mut judgement = judge.decide(&pair.q, &pair.r, relations, &judge.budget());
        judge.hold_against(expected, &mut judgement);
        Ok(Decided { pair, judgement })
    }
}

/// The id of a line that is not a pair, if it is JSON at all.
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
