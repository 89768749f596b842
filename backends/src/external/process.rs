//! A program that is asked line by line and killed when it takes too long.

use serde::Deserialize;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use thiserror::Error;

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum Failure {
    #[error("cannot be started: {0}")]
    Start(std::io::Error),
    #[error("the time limit was reached")]
    Time,
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
}

/// The `format` of the greeting.
pub const FORMAT: &str = "pidlab-external/1";

/// An answer longer than this is not read.
const MAX_ANSWER: u64 = 1 << 30;

/// A running program; killed when dropped.
pub struct Process {
    child: Child,
    requests: SyncSender<String>,
    answers: Receiver<String>,
    errors: Arc<Mutex<String>>,
    wants: Wants,
}

impl Process {
    /// Starts the program and reads its greeting.
    pub fn start(command: &[String], time: Duration) -> Result<Process, Failure> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(Failure::Start)?;
        let errors = Arc::new(Mutex::new(String::new()));
        if let Some(stderr) = child.stderr.take() {
            keep_last_words(stderr, errors.clone());
        }
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::Ended(String::new()));
        };
        let requests = writer(stdin);
        let answers = reader(stdout);
        let mut process = Process { child, requests, answers, errors, wants: Wants::default() };
        process.wants = greeting(&process.receive(Some(time))?)?;
        Ok(process)
    }

    pub fn wants(&self) -> Wants {
        self.wants
    }

    /// Sends one line and waits for one line.
    pub fn exchange(&mut self, request: String, time: Option<Duration>) -> Result<String, Failure> {
        self.requests.send(request).map_err(|_| self.ended())?;
        self.receive(time)
    }

    fn receive(&mut self, time: Option<Duration>) -> Result<String, Failure> {
        match time {
            Some(time) => self.answers.recv_timeout(time),
            None => self.answers.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
        .map_err(|error| match error {
            RecvTimeoutError::Timeout => Failure::Time,
            RecvTimeoutError::Disconnected => self.ended(),
        })
    }

    /// The failure of a program that is gone, with what it wrote to standard error.
    fn ended(&mut self) -> Failure {
        // its standard error is read in another thread: give that a moment
        std::thread::sleep(Duration::from_millis(50));
        let words = self.errors.lock().map(|text| text.trim().to_string()).unwrap_or_default();
        let status = self.child.try_wait().ok().flatten().map(|status| format!(" ({status})"));
        let words = if words.is_empty() { String::new() } else { format!(": {words}") };
        Failure::Ended(format!("{}{words}", status.unwrap_or_default()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // fails only if the program has ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn greeting(line: &str) -> Result<Wants, Failure> {
    let expected = || {
        Failure::Malformed(format!(
            "its first line must be {{\"format\": \"{FORMAT}\", \"wants\": [\"states\" and/or \"layered\" and/or \"plain\"]}}"
        ))
    };
    let greeting: Greeting = serde_json::from_str(line).map_err(|_| expected())?;
    if greeting.format != FORMAT {
        return Err(expected());
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
    Ok(wants)
}

/// Writes requests in a thread, so that a program that does not read cannot block us.
fn writer(mut stdin: ChildStdin) -> SyncSender<String> {
    let (sender, receiver) = sync_channel::<String>(1);
    std::thread::spawn(move || {
        for line in receiver {
            let sent = stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n"));
            if sent.and_then(|()| stdin.flush()).is_err() {
                break;
            }
        }
    });
    sender
}

fn reader(stdout: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        loop {
            let mut line = Vec::new();
            let read = (&mut stdout).take(MAX_ANSWER).read_until(b'\n', &mut line);
            let text = String::from_utf8_lossy(&line).into_owned();
            if !read.is_ok_and(|bytes| bytes > 0) || sender.send(text).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Keeps the end of what the program writes to standard error.
fn keep_last_words(stderr: impl Read + Send + 'static, words: Arc<Mutex<String>>) {
    const KEEP: usize = 2000;
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
            let Ok(mut words) = words.lock() else { break };
            words.push_str(&String::from_utf8_lossy(&line));
            words.push('\n');
            if words.len() > KEEP {
                let cut = words.len() - KEEP;
                let cut = (cut..words.len()).find(|&i| words.is_char_boundary(i)).unwrap_or(cut);
                words.drain(..cut);
            }
        }
    });
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
