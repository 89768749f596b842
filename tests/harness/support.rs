//! Small experiments in folders of their own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder that goes away with the test.
pub struct Scratch(pub PathBuf);

static NEXT: AtomicUsize = AtomicUsize::new(0);

impl Scratch {
    pub fn new() -> Scratch {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("pidlab-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// An experiment with the given backends and sizes; everything else is small.
    pub fn experiment(&self, backends: &str, sizes: &str, budget: &str) -> PathBuf {
        let scale = format!("{{ sizes = {sizes}, states = 2, seconds = 1 }}");
        let text = format!(
            r#"name = "mini"
title = "a small experiment"
source = "test"
claim = "none"
backends = {backends}
relations = ["parent", "all"]
orders = 2
figures = ["density", "exponents", "versus", "cactus", "orders", "residuals"]
scale = {{ smoke = {scale}, small = {scale}, paper = {scale} }}
budget = {budget}

[[states]]
label = "mixed"
random = {{ locations = 3, pid_share = 0.6, distinct_data = 5 }}

[[transformations]]
label = "rename"
steps = [{{ kind = "rename" }}]

[[transformations]]
label = "exchange"
steps = [{{ kind = "exchange-pids", strength = 0.2 }}]
"#
        );
        let path = self.path("mini.toml");
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

pub const BUDGET: &str = "{ seconds = 2.0 }";

pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_pidlab"))
}

/// A program that is pidlab with a backend made slower: `canon=1.5`.
pub fn slowed(scratch: &Scratch, slowdown: &str) -> PathBuf {
    wrapper(scratch, "slowed.sh", &format!("PIDLAB_TEST_SLOWDOWN={slowdown}"))
}

/// The same pidlab, whatever slowdown the environment asks for.
pub fn unslowed(scratch: &Scratch) -> PathBuf {
    wrapper(scratch, "unslowed.sh", "env -u PIDLAB_TEST_SLOWDOWN")
}

fn wrapper(scratch: &Scratch, name: &str, before: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = scratch.path(name);
    // `exec env` so that the shell is gone: whoever ends the worker must end pidlab
    let before = before.strip_prefix("env ").unwrap_or(before);
    let script = format!("#!/bin/sh\nexec env {before} {} \"$@\"\n", env!("CARGO_BIN_EXE_pidlab"));
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

pub fn run(experiment: &Path, out: &Path, more: &[&str]) -> Output {
    program().arg("run").arg(experiment).arg("--out").arg(out).args(more).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Asserts an exit code and shows what the program said if it is another.
pub fn expect(output: &Output, code: i32) {
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

/// `rows.csv`: the names of its columns, then its rows.
pub fn table(out: &Path) -> Vec<Vec<String>> {
    fields(&std::fs::read_to_string(out.join("rows.csv")).unwrap())
}

/// The fields of CSV, line by line.
pub fn fields(text: &str) -> Vec<Vec<String>> {
    let reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let records = reader.into_records().map(|record| record.unwrap());
    records.map(|record| record.iter().map(String::from).collect()).collect()
}

/// `rows.csv` without the columns that depend on the clock.
pub fn timeless(out: &Path) -> Vec<Vec<String>> {
    let table = table(out);
    let kept: Vec<usize> = (0..table[0].len())
        .filter(|&at| !table[0][at].ends_with("_ns") && table[0][at] != "peak_kib")
        .collect();
    table.iter().map(|row| kept.iter().map(|&at| row[at].clone()).collect()).collect()
}

/// Values of one column of `rows.csv`.
pub fn column(out: &Path, name: &str) -> Vec<String> {
    let table = table(out);
    let at = table[0].iter().position(|n| n == name).unwrap();
    table[1..].iter().map(|row| row[at].clone()).collect()
}

/// The row segments of a run folder.
pub fn segments(out: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(out.join("log"))
        .map(|entries| entries.map(|entry| entry.unwrap().path()).collect())
        .unwrap_or_default();
    found.retain(|path| path.extension().is_some_and(|e| e == "rows"));
    found.sort();
    found
}

/// Bytes of rows written so far.
pub fn written(out: &Path) -> u64 {
    let rows = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes.get(16..24).map_or(0, |count| u64::from_le_bytes(count.try_into().unwrap()))
    };
    segments(out).iter().map(rows).sum::<u64>() * 88
}
