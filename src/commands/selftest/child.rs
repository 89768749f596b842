//! This program as a child, in a temporary folder that goes away.

use crate::interrupt;
use anyhow::{Context, Result, bail, ensure};
use pidlab_harness::built_in;
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Far beyond what any check takes, also on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK: Duration = Duration::from_millis(5);

pub struct Folder {
    path: PathBuf,
    program: PathBuf,
    calls: AtomicUsize,
}

/// How a child ended, and what it printed.
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new() -> Result<Folder> {
        let program = std::env::current_exe().context("the file of this program is not found")?;
        let name = format!("pidlab-selftest-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Folder { path, program, calls: AtomicUsize::new(0) })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Puts a model that comes with the program into the folder.
    pub fn model(&self, name: &str) -> Result<()> {
        let models = built_in::get().models;
        let (_, text) = models.iter().find(|(known, _)| *known == name).context("no such model")?;
        self.write(name, text)
    }

    /// This program; words of the command line are separated by blanks.
    pub fn command(&self, words: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words.split(' ')).current_dir(&self.path).stdin(Stdio::null());
        command
    }

    /// A script of the shell that calls this program, as `$0`, with the words of the command line.
    pub fn in_shell(&self, script: &str, words: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(&self.program).args(words.split(' '));
        command.current_dir(&self.path).stdin(Stdio::null());
        command
    }

    /// Runs it to its end and returns what it printed.
    pub fn run(&self, words: &str) -> Result<Ended> {
        self.finish(self.command(words)).with_context(|| format!("pidlab {words}"))
    }

    /// Runs a command to its end. Output goes through files, so that no pipe fills up.
    pub fn finish(&self, mut command: Command) -> Result<Ended> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let [out, err] = ["out", "err"].map(|name| self.path(&format!("{name}-{call}.txt")));
        let mut child = command.stdout(File::create(&out)?).stderr(File::create(&err)?).spawn()?;
        let status = wait(&mut child)?;
        let read =
            |path: &Path| std::fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned());
        Ok(Ended { code: status.code(), out: read(&out)?, err: read(&err)? })
    }

    /// Its JSON document; the exit code must be the expected one.
    pub fn document(&self, words: &str, code: i32) -> Result<Value> {
        let ended = self.run(&format!("{words} --json"))?;
        ended.expect(code).with_context(|| format!("pidlab {words}"))?;
        serde_json::from_str(&ended.out)
            .with_context(|| format!("pidlab {words}: not one document"))
    }
}

impl Ended {
    pub fn expect(&self, code: i32) -> Result<()> {
        let last = self.err.lines().last().unwrap_or_default();
        ensure!(self.code == Some(code), "exit code {:?} instead of {code}: {last}", self.code);
        Ok(())
    }
}

/// Waits for the end; Ctrl-C and a child that hangs end it.
pub fn wait(child: &mut Child) -> Result<ExitStatus> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if interrupt::pressed() || begin.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("did not end within {} s", PATIENCE.as_secs());
        }
        std::thread::sleep(LOOK);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // what cannot be removed now is left to whoever cleans temporary files
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
