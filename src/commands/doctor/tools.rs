//! Programs of others that some commands call or that building needs.

use super::{Finding, Status};
use pidlab_backends::registry;
use pidlab_harness::compare::instructions::{Choice, InstructionCounter};
use std::ffi::OsString;
use std::process::{Command, Stdio};

pub fn findings() -> Vec<Finding> {
    vec![
        compiler(),
        nauty(),
        tool(
            "cargo",
            "needed to build pidlab and to compare commits: install Rust from your system or rustup",
        ),
        tool(
            "git",
            "needed to compare commits and to know which one a program was built from: install git",
        ),
        counter(Choice::Perf, "perf counters", PERF),
        counter(
            Choice::Valgrind,
            "valgrind",
            "counts instructions for pidlab compare: install valgrind",
        ),
    ]
}

const PERF: &str = "counts instructions for pidlab compare, faster than valgrind: install perf; if it is, sudo sysctl \
                    kernel.perf_event_paranoid=2; virtual machines often have no counters";

/// The first line that a program says of its version.
fn version(program: &OsString) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().next().filter(|_| output.status.success())?;
    Some(line.trim().to_string())
}

fn tool(name: &str, advice: &str) -> Finding {
    match version(&name.into()) {
        Some(version) => Finding::ok(name, version),
        None => Finding::new(name, Status::Missing, "not on the path, or it does not run", advice),
    }
}

fn compiler() -> Finding {
    let named = std::env::var_os("CC").filter(|name| !name.is_empty());
    let names = named.into_iter().chain(["cc", "gcc", "clang"].map(OsString::from));
    match names.into_iter().find_map(|name| version(&name)) {
        Some(version) => Finding::ok("C compiler", version),
        None => Finding::new(
            "C compiler",
            Status::Missing,
            "none of $CC, cc, gcc, clang runs",
            "needed to build nauty and Traces, and for some Python packages: install gcc or clang",
        ),
    }
}

/// Part of this program, or not; a compiler found now does not help a program that was built without it.
fn nauty() -> Finding {
    match registry::find("nauty") {
        Ok(_) => Finding::ok("nauty and Traces", "built in"),
        Err(error) => Finding::new(
            "nauty and Traces",
            Status::Missing,
            error.to_string(),
            "build pidlab again where there is a C compiler, without --no-default-features",
        ),
    }
}

fn counter(choice: Choice, name: &str, advice: &str) -> Finding {
    match InstructionCounter::choose(choice) {
        Ok(counter) => Finding::ok(name, counter.name()),
        Err(reason) => Finding::new(name, Status::Missing, reason, advice),
    }
}
