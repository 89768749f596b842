//! A program that is asked line by line and killed when it takes too long.
//!
//! Requests are numbered and an answer repeats the number of its request, so that a line too many is
//! not taken for the answer to another question.

use super::cpu;
use super::lifeline::Tied;
use super::lines::{LastWords, LineRead, LineReader, writer};
use crate::budget::Budget;
use serde::Deserialize;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, TryRecvError};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum ProcessFailure {
    #[error("cannot be started: {0}")]
    Start(std::io::Error),
    #[error("the time limit was reached")]
    Time,
    #[error("interrupted")]
    Interrupted,
    #[error("ended without an answer{0}")]
    Ended(String),
    #[error("{0}")]
    Malformed(String),
}

/// What forms of a problem the program wants to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    pub states: bool,
    pub layered: bool,
    pub plain: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Greeting {
    format: String,
    wants: Vec<String>,
    #[serde(default)]
    name: Option<String>,
}

/// The `format` of the greeting.
pub const FORMAT: &str = "pidlab-external/2";
/// The protocol without numbers.
const UNNUMBERED: &str = "pidlab-external/1";

/// How long a caller that may be interrupted waits between two looks at that.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A greeting is short.
const LONGEST_GREETING: usize = 1 << 16;

/// A running program; killed when dropped.
pub struct Process {
    program: Tied,
    requests: SyncSender<String>,
    answers: LineReader,
    errors: LastWords,
    wants: Wants,
    name: Option<String>,
    asked: u64,
}

impl Process {
    /// Starts the program and reads its greeting, for which it has `time` at most.
    pub fn start(
        command: &[String],
        time: Duration,
        budget: &Budget,
    ) -> Result<Process, ProcessFailure> {
        let mut start = Command::new(&command[0]);
        start.args(&command[1..]);
        start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = Tied::start(start).map_err(ProcessFailure::Start)?;
        let errors = LastWords::default();
        if let Some(stderr) = program.child.stderr.take() {
            errors.listen(stderr);
        }
        let (stdin, stdout) = (program.child.stdin.take(), program.child.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(ProcessFailure::Ended(String::new()));
        };
        let requests = writer(stdin);
        let answers = LineReader::start(stdout, LONGEST_GREETING);
        let (wants, name) = (Wants::default(), None);
        let mut process = Process { program, requests, answers, errors, wants, name, asked: 0 };
        (process.wants, process.name) = greeting(&process.receive(Some(time), budget)?)?;
        Ok(process)
    }

    /// What the program calls itself.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub fn wants(&self) -> Wants {
        self.wants
    }

    /// The number of the next request.
    pub fn next_number(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }

    /// CPU time of the program and its children so far, where the system tells it.
    pub fn cpu(&self) -> Option<Duration> {
        cpu::used_by(self.program.child.id())
    }

    /// Sends one line and waits for one line of at most `longest` bytes.
    pub fn exchange(
        &mut self,
        request: String,
        longest: usize,
        budget: &Budget,
    ) -> Result<String, ProcessFailure> {
        match self.answers.lines.try_recv() {
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Err(self.ended()),
            Ok(_) => {
                return Err(ProcessFailure::Malformed(
                    "it wrote a line without being asked".into(),
                ));
            }
        }
        self.answers.expect_up_to(longest);
        self.requests.send(request).map_err(|_| self.ended())?;
        self.receive(budget.remaining(), budget)
    }

    fn receive(
        &mut self,
        time: Option<Duration>,
        budget: &Budget,
    ) -> Result<String, ProcessFailure> {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        let line = loop {
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            let line = self.answers.lines.recv_timeout(left.unwrap_or(LOOK_EVERY).min(LOOK_EVERY));
            let is_over = || deadline.is_some_and(|end| Instant::now() >= end);
            if line != Err(RecvTimeoutError::Timeout) || is_over() {
                break line;
            }
            if budget.is_interrupted() {
                return Err(ProcessFailure::Interrupted);
            }
        };
        match line {
            Ok(LineRead::Whole(line)) => Ok(line),
            Ok(LineRead::TooLong(limit)) => Err(ProcessFailure::Malformed(format!(
                "it wrote a line of more than {limit} bytes, more than an answer can need here"
            ))),
            Err(RecvTimeoutError::Timeout) => Err(ProcessFailure::Time),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// The failure of a program that is gone, with what it wrote to standard error.
    fn ended(&mut self) -> ProcessFailure {
        // its standard error is read in another thread: give that a moment
        std::thread::sleep(Duration::from_millis(50));
        let words = self.errors.text();
        let status = self.program.child.try_wait().ok().flatten();
        let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
        let words = if words.is_empty() { String::new() } else { format!(": {words}") };
        ProcessFailure::Ended(format!("{status}{words}"))
    }
}

fn greeting(line: &str) -> Result<(Wants, Option<String>), ProcessFailure> {
    let expected = || {
        ProcessFailure::Malformed(format!(
            "its first line must be {{\"format\": \"{FORMAT}\", \"wants\": [\"states\" and/or \"layered\" and/or \"plain\"]}}"
        ))
    };
    let greeting: Greeting = serde_json::from_str(line).map_err(|_| expected())?;
    match greeting.format.as_str() {
        FORMAT => {}
        UNNUMBERED => {
            return Err(ProcessFailure::Malformed(format!(
                "it speaks {UNNUMBERED}, and {FORMAT} is needed: greet with that, and repeat the `id` of each request in its answer"
            )));
        }
        _ => return Err(expected()),
    }
    let mut wants = Wants::default();
    for name in &greeting.wants {
        match name.as_str() {
            "states" => wants.states = true,
            "layered" => wants.layered = true,
            "plain" => wants.plain = true,
            _ => return Err(expected()),
        }
    }
    match greeting.name {
        Some(name) if !is_name(&name) => Err(ProcessFailure::Malformed(format!(
            "its `name` {name:?} is not one: expected 1 to {LONGEST_NAME} letters, digits, blanks or any of `-_.+`"
        ))),
        name => Ok((wants, name)),
    }
}

/// Longer ones spoil tables and legends.
const LONGEST_NAME: usize = 40;

/// Whether a text can name a backend in tables, legends and names of files.
fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || " -_.+".contains(c);
    (1..=LONGEST_NAME).contains(&text.chars().count())
        && text.chars().all(fits)
        && text.trim() == text
        && !text.starts_with('.')
}

/// Why a program cannot be started, if that can be seen without starting it.
pub fn missing(program: &str) -> Option<String> {
    let path = std::path::Path::new(program);
    let found = if path.components().count() > 1 {
        path.is_file()
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
    };
    (!found).then(|| format!("there is no program `{program}`"))
}
