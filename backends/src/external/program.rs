//! A program that is asked line by line over JSON Lines and killed when it takes too long.
//!
//! Used for external backends and for external generators. Requests are numbered and an answer repeats the number of
//! its request, so that a line too many is not taken for the answer to another question.

use super::cpu;
use super::lifeline::Tied;
use super::lines::{LastWords, LineRead, LineReader, writer};
use crate::budget::Budget;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, TryRecvError};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum ProgramFailure {
    /// The system does not start it.
    #[error("cannot be started: {0}")]
    Start(std::io::Error),
    /// It took too long.
    #[error("the time limit was reached")]
    Time,
    /// The caller was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// It is gone; the text has its status and its last words.
    #[error("ended without an answer{0}")]
    Ended(String),
    /// It does not keep to the protocol.
    #[error("{0}")]
    Malformed(String),
}

/// How long a caller that may be interrupted waits between two looks at that.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A greeting is short.
const LONGEST_GREETING: usize = 1 << 16;

/// A running program; killed when dropped.
pub struct Program {
    program: Tied,
    requests: SyncSender<String>,
    answers: LineReader,
    errors: LastWords,
    asked: u64,
}

impl Program {
    /// Starts the program, in a folder if one is given, and reads its greeting, for which it has `time` at most.
    pub fn start(
        command: &[String],
        folder: Option<&Path>,
        time: Duration,
        budget: &Budget,
    ) -> Result<(Program, String), ProgramFailure> {
        let [name, arguments @ ..] = command else {
            return Err(ProgramFailure::Malformed("there is no command".into()));
        };
        let mut start = Command::new(name);
        start.args(arguments);
        if let Some(folder) = folder {
            start.current_dir(folder);
        }
        start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = Tied::start(start).map_err(ProgramFailure::Start)?;
        let errors = LastWords::default();
        if let Some(stderr) = program.child.stderr.take() {
            errors.listen(stderr);
        }
        let (stdin, stdout) = (program.child.stdin.take(), program.child.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(ProgramFailure::Ended(String::new()));
        };
        let requests = writer(stdin);
        let answers = LineReader::start(stdout, LONGEST_GREETING);
        let mut program = Program { program, requests, answers, errors, asked: 0 };
        let greeting = program.receive_within(Some(time), budget)?;
        Ok((program, greeting))
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
    ) -> Result<String, ProgramFailure> {
        self.send(request, longest)?;
        self.receive(budget)
    }

    /// Sends one line, whose answer may have `longest` bytes; there must not be another under way.
    pub fn send(&mut self, request: String, longest: usize) -> Result<(), ProgramFailure> {
        match self.answers.lines.try_recv() {
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Err(self.ended()),
            Ok(_) => {
                return Err(ProgramFailure::Malformed(
                    "it wrote a line without being asked".into(),
                ));
            }
        }
        self.answers.expect_up_to(longest);
        self.requests.send(request).map_err(|_| self.ended())
    }

    /// Waits for the answer to the line sent last.
    pub fn receive(&mut self, budget: &Budget) -> Result<String, ProgramFailure> {
        self.receive_within(budget.remaining(), budget)
    }

    fn receive_within(
        &mut self,
        time: Option<Duration>,
        budget: &Budget,
    ) -> Result<String, ProgramFailure> {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        let line = loop {
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            let line = self.answers.lines.recv_timeout(left.unwrap_or(LOOK_EVERY).min(LOOK_EVERY));
            let is_over = || deadline.is_some_and(|end| Instant::now() >= end);
            if line != Err(RecvTimeoutError::Timeout) || is_over() {
                break line;
            }
            if budget.is_interrupted() {
                return Err(ProgramFailure::Interrupted);
            }
        };
        match line {
            Ok(LineRead::Whole(line)) => Ok(line),
            Ok(LineRead::TooLong(limit)) => Err(ProgramFailure::Malformed(format!(
                "it wrote a line of more than {limit} bytes, more than an answer can need here"
            ))),
            Err(RecvTimeoutError::Timeout) => Err(ProgramFailure::Time),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// The failure of a program that is gone, with what it wrote to standard error.
    fn ended(&mut self) -> ProgramFailure {
        // its standard error is read in another thread: give that a moment
        std::thread::sleep(Duration::from_millis(50));
        let words = self.errors.text();
        let status = self.program.child.try_wait().ok().flatten();
        let status = status.map(|status| format!(" ({status})")).unwrap_or_default();
        let words = if words.is_empty() { String::new() } else { format!(": {words}") };
        ProgramFailure::Ended(format!("{status}{words}"))
    }
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
