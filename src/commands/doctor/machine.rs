//! The machine: what every run needs, and what disturbs measurements.

use super::{Finding, Status};
use pidlab_harness::store::provenance::Provenance;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// A worker, its tables and the system want about so much.
const ENOUGH_KIB: u64 = 1 << 20;

/// What runs need.
pub fn essentials() -> Vec<Finding> {
    vec![program(), temporary_files(), results_folder()]
}

/// Runs start it again as their workers.
fn program() -> Finding {
    match std::env::current_exe().and_then(|path| path.metadata().map(|_| path)) {
        Ok(path) => Finding::ok("program", format!("{} {}", path.display(), env!("PIDLAB_COMMIT"))),
        Err(error) => Finding::new(
            "program",
            Status::Broken,
            format!("the file of this program is not found: {error}"),
            "start it from where it is installed; it may have been replaced while it ran",
        ),
    }
}

fn temporary_files() -> Finding {
    let folder = std::env::temp_dir();
    match try_to_write(&folder) {
        Ok(()) => Finding::ok("temporary files", folder.display().to_string()),
        Err(error) => Finding::new(
            "temporary files",
            Status::Broken,
            format!("{}: {error}", folder.display()),
            "free space there, or name another folder with TMPDIR",
        ),
    }
}

/// Nothing is made here but one file, which is removed again.
fn results_folder() -> Finding {
    let wanted = Path::new("results/local");
    let existing = wanted.ancestors().find(|folder| folder.is_dir()).map(Path::to_path_buf);
    let folder = existing.unwrap_or_else(|| PathBuf::from("."));
    match try_to_write(&folder) {
        Ok(()) => Finding::ok("results folder", wanted.display().to_string()),
        Err(error) => Finding::new(
            "results folder",
            Status::Warning,
            format!("cannot write to {}: {error}", folder.display()),
            "give runs a folder with --out, or work in another folder",
        ),
    }
}

fn try_to_write(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!(".pidlab-doctor-{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
    let written = file.write_all(b"pidlab").and_then(|()| file.sync_all());
    std::fs::remove_file(&path)?;
    written
}

/// What times depend on.
pub fn findings() -> Vec<Finding> {
    let here = Provenance::here();
    vec![cores(&here), memory(&here), governor(&here), load(here.cores), terminal()]
}

fn cores(here: &Provenance) -> Finding {
    let found = format!("{}, {}", here.cores, here.cpu);
    Finding::warn_if(
        here.cores < 2,
        "cores",
        found,
        "the program and its workers share one core: expect noise",
    )
}

fn memory(here: &Provenance) -> Finding {
    let Some(free) = available_kib() else {
        return Finding::new(
            "memory",
            Status::Missing,
            "the system does not say",
            "watch it yourself in long runs",
        );
    };
    let gib = |kib: u64| kib as f64 / (1 << 20) as f64;
    let found = format!("{:.1} GiB free of {:.1} GiB", gib(free), gib(here.memory_kib));
    Finding::warn_if(
        free < ENOUGH_KIB,
        "memory",
        found,
        "end other programs, or use fewer --workers and a --memory-limit",
    )
}

fn available_kib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn governor(here: &Provenance) -> Finding {
    match here.governor.as_str() {
        "performance" => Finding::ok("governor", "performance"),
        "not available" => Finding::new(
            "governor",
            Status::Missing,
            "the system does not say (virtual machine?)",
            "trust comparisons of interleaved runs (pidlab compare) rather than single times",
        ),
        other => Finding::new(
            "governor",
            Status::Warning,
            other,
            "for steady times: sudo cpupower frequency-set -g performance",
        ),
    }
}

/// More than half of the cores busy: workers will have to wait for theirs.
fn load(cores: usize) -> Finding {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    match text.split(' ').next().and_then(|load| load.parse::<f64>().ok()) {
        None => Finding::new(
            "load",
            Status::Missing,
            "the system does not say",
            "measure on an idle machine",
        ),
        Some(load) => Finding::warn_if(
            load > cores as f64 / 2.0,
            "load",
            format!("{load} over the last minute, {cores} cores"),
            "other programs are running: measure when they are done",
        ),
    }
}

fn terminal() -> Finding {
    let or_not = |is: bool| if is { "a terminal" } else { "not a terminal" };
    let out = or_not(io::stdout().is_terminal());
    let err = or_not(io::stderr().is_terminal());
    Finding::ok("terminal", format!("standard output is {out}, standard error is {err}"))
}
