//! The worker processes of a session: starting, feeding, watching, reaping.

use crate::execute::signals::Signals;
use crate::kinds::Finding;
use crate::store::Store;
use crate::store::overhead::Spent;
use crate::store::record::Status;
use crate::store::segment;
use anyhow::Context;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// What workers tell, in order of arrival.
pub enum Event {
    Done { worker: usize, block: u64, spent: Spent },
    Disagree { worker: usize, finding: Finding },
    Fatal { message: String },
    Gone { worker: usize },
}

pub struct Pool {
    workers: Vec<Option<WorkerProcess>>,
    sender: Sender<Vec<Event>>,
    events: Receiver<Vec<Event>>,
    /// When the user asked for an end.
    asked: Option<Instant>,
}

/// How long rows in flight may go on after that; a row that is lost is measured again by the run that goes on.
const LAST_ROWS: Duration = Duration::from_millis(500);

struct WorkerProcess {
    child: Child,
    input: Option<ChildStdin>,
    name: String,
    segment: PathBuf,
    stderr: PathBuf,
    blocks: Vec<u64>,
    patience: Duration,
    /// Rows in its segment when it was last looked at.
    rows: u64,
    moved: Instant,
    killed_as: Option<Status>,
    /// Rows in blocks already reported as done.
    reported: u64,
}

/// What is left of a worker.
pub struct EndedWorker {
    /// Names its files.
    pub name: String,
    pub segment: PathBuf,
    pub blocks: Vec<u64>,
    pub status: Status,
    /// Whether it was ready for its first row: its segment has a header.
    pub started: bool,
    /// How the process ended, as the system tells it.
    pub ending: String,
    pub last_words: String,
}

impl EndedWorker {
    /// Why the worker ended, in one line.
    pub fn message(&self) -> String {
        match (self.status, self.last_words.is_empty()) {
            (Status::Timeout, _) => "ended because it ignored its time limit".into(),
            (_, true) => self.ending.clone(),
            (_, false) => format!("{}: {}", self.ending, self.last_words),
        }
    }
}

impl Default for Pool {
    fn default() -> Pool {
        let (sender, events) = channel();
        Pool { workers: Vec::new(), sender, events, asked: None }
    }
}

impl Pool {
    /// Starts one more worker of a program; `patience` is how long its segment may stand still.
    pub fn hire(
        &mut self,
        program: &Path,
        store: &Store,
        (session, name): (usize, String),
        patience: Duration,
    ) -> anyhow::Result<usize> {
        let id = self.workers.len();
        let segment = store.new_segment(session, &name)?;
        let (stderr, log) = store.new_stderr(session, &name)?;
        let mut child = Command::new(program)
            .args(["worker", "--"]) // a folder's name may begin with a dash
            .arg(store.folder())
            .arg(&segment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .process_group(0) // Ctrl-C in a terminal reaches the scheduler alone
            .spawn()
            .with_context(|| format!("cannot start a worker of {}", program.display()))?;
        let output = child.stdout.take().context("a worker has no output")?;
        let sender = self.sender.clone();
        std::thread::spawn(move || listen(id, output, &sender));
        let input = child.stdin.take();
        self.workers.push(Some(WorkerProcess {
            child,
            input,
            name,
            segment,
            stderr,
            blocks: Vec::new(),
            patience,
            rows: 0,
            moved: Instant::now(),
            killed_as: None,
            reported: 0,
        }));
        Ok(id)
    }

    pub fn is_alive(&self) -> bool {
        self.workers.iter().any(Option::is_some)
    }

    /// What came together, in order; nothing if nothing came in time.
    pub fn next_events(&self, wait: Duration) -> Vec<Event> {
        self.events.recv_timeout(wait).unwrap_or_default()
    }

    fn worker(&mut self, id: usize) -> Option<&mut WorkerProcess> {
        self.workers.get_mut(id)?.as_mut()
    }

    /// Blocks that a worker holds.
    pub fn load(&mut self, id: usize) -> usize {
        self.worker(id).map_or(usize::MAX, |worker| worker.blocks.len())
    }

    /// Hands blocks to a worker in one write; with each goes the list of its rows that are done.
    pub fn give(&mut self, id: usize, blocks: &[(u64, Vec<u64>)]) {
        let Some(worker) = self.worker(id) else { return };
        if worker.blocks.is_empty() {
            worker.moved = Instant::now();
        }
        let mut lines = String::new();
        for (block, skip) in blocks {
            let rows: Vec<String> = skip.iter().map(u64::to_string).collect();
            writeln!(lines, "block {block} {}", rows.join(",")).ok();
            worker.blocks.push(*block);
        }
        // a worker that died meanwhile is noticed by its end of output
        if let Some(input) = &mut worker.input {
            input.write_all(lines.as_bytes()).ok();
        }
    }

    /// A worker has reported a block, with so many rows that were not there before.
    pub fn finished(&mut self, id: usize, block: u64, rows: u64) {
        if let Some(worker) = self.worker(id) {
            worker.blocks.retain(|&b| b != block);
            worker.moved = Instant::now();
            worker.reported += rows;
        }
    }

    /// Lets a worker end after the row in flight.
    pub fn dismiss(&mut self, id: usize) {
        if let Some(worker) = self.worker(id) {
            worker.input = None;
        }
    }

    pub fn dismiss_all(&mut self) {
        (0..self.workers.len()).for_each(|id| self.dismiss(id));
    }

    pub fn kill(&mut self, id: usize, status: Status) {
        if let Some(worker) = self.worker(id) {
            worker.killed_as = Some(status);
            worker.child.kill().ok();
        }
    }

    fn kill_all(&mut self) {
        for worker in self.workers.iter_mut().flatten() {
            worker.child.kill().ok();
        }
    }

    /// Answers the user: first Ctrl-C, rows in flight may end within [`LAST_ROWS`]; second, workers are ended at
    /// once. `stopping` says whether the pool is being emptied already, and is set.
    pub fn react_to_user(&mut self, signals: &Signals, stopping: &mut bool) {
        match signals.count() {
            0 => {}
            1 if *stopping => {
                if self.asked.is_some_and(|asked| asked.elapsed() > LAST_ROWS) {
                    self.kill_all();
                }
            }
            1 => {
                note!(
                    "stopping; all rows that have ended are kept, those in flight are measured again"
                );
                (*stopping, self.asked) = (true, Some(Instant::now()));
                self.dismiss_all();
            }
            _ => {
                *stopping = true;
                self.kill_all();
            }
        }
    }

    /// Workers whose segment has not grown for longer than their patience.
    pub fn stuck(&mut self) -> Vec<usize> {
        let mut stuck = Vec::new();
        for (id, slot) in self.workers.iter_mut().enumerate() {
            let Some(worker) = slot else { continue };
            let rows = segment::rows_written(&worker.segment);
            if rows != worker.rows || worker.blocks.is_empty() {
                worker.rows = rows;
                worker.moved = Instant::now();
            } else if worker.moved.elapsed() > worker.patience && worker.killed_as.is_none() {
                stuck.push(id);
            }
        }
        stuck
    }

    /// Starts everybody's patience anew: nobody could work.
    pub fn forgive(&mut self) {
        self.workers.iter_mut().flatten().for_each(|worker| worker.moved = Instant::now());
    }

    /// Rows written in blocks that are not yet reported, for the progress bar.
    pub fn rows_written(&self) -> u64 {
        self.workers.iter().flatten().map(|w| w.rows.saturating_sub(w.reported)).sum()
    }

    /// Flushes what workers wrote to the disk.
    pub fn sync(&self) {
        for worker in self.workers.iter().flatten() {
            if let Ok(file) = std::fs::File::open(&worker.segment) {
                file.sync_data().ok();
            }
        }
    }

    /// What is left of a worker whose output has ended.
    pub fn reap(&mut self, id: usize) -> Option<EndedWorker> {
        self.workers.get_mut(id).and_then(Option::take).map(WorkerProcess::reap)
    }
}

impl WorkerProcess {
    fn reap(mut self) -> EndedWorker {
        let status = self.child.wait();
        let ending = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        let last_words = last_words(&self.stderr);
        let out_of_memory =
            ["memory allocation of", "allocation failed", "out of memory", "Cannot allocate"]
                .iter()
                .any(|phrase| last_words.contains(phrase));
        let by_itself = if out_of_memory { Status::Memory } else { Status::Crash };
        EndedWorker {
            started: segment::is_begun(&self.segment),
            name: self.name,
            segment: self.segment,
            blocks: self.blocks,
            status: self.killed_as.unwrap_or(by_itself),
            ending,
            last_words,
        }
    }
}

/// The program that runs now, as the one whose workers are hired.
pub fn own_program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot find the program's own path")
}

fn last_words(path: &std::path::Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    let tail = &bytes[bytes.len().saturating_sub(2000)..];
    String::from_utf8_lossy(tail).trim().to_string()
}

/// Turns a worker's lines into events until its output ends; lines that came together go on together.
fn listen(worker: usize, output: ChildStdout, events: &Sender<Vec<Event>>) {
    let mut reader = BufReader::new(output);
    let mut together = Vec::new();
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|length| length > 0) {
        let Some(event) = parse(worker, line.trim_end()) else { break };
        line.clear();
        together.push(event);
        let more = reader.buffer().contains(&b'\n');
        if !more && events.send(std::mem::take(&mut together)).is_err() {
            return;
        }
    }
    together.push(Event::Gone { worker });
    events.send(together).ok();
}

fn parse(worker: usize, line: &str) -> Option<Event> {
    let (kind, rest) = line.split_once(' ')?;
    match kind {
        "done" => {
            let numbers: Vec<u64> = rest.split(' ').map_while(|word| word.parse().ok()).collect();
            let [block, generating, deciding, checking, cpu, wall] = numbers[..] else {
                return None;
            };
            let spent = Spent { generating, deciding, checking, cpu, wall };
            Some(Event::Done { worker, block, spent })
        }
        "disagree" => Some(Event::Disagree { worker, finding: serde_json::from_str(rest).ok()? }),
        // an older program says it in one line
        "fatal" => Some(Event::Fatal {
            message: serde_json::from_str(rest).unwrap_or_else(|_| rest.to_string()),
        }),
        _ => None,
    }
}
