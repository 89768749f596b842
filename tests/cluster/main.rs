//! `pidlab explore` by several processes, as a user runs it: results, faults, checkpoints and kills.

#![cfg(target_os = "linux")]

mod faults;
mod kills;
mod results;

use serde_json::Value;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// N(4,3): a search of a second or two.
const LARGE: [&str; 5] = ["nkm.tnet", "--set", "k=4", "--set", "m=3"];
/// C(C(8,5) + 3, 4) + 1.
const LARGE_STATES: u64 = 455_127;

/// A command to explore a model of models/.
fn explore(model_and_args: &[&str]) -> Command {
    let (model, args) = model_and_args.split_first().expect("a model");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(model);
    let mut command = Command::new(env!("CARGO_BIN_EXE_pidlab"));
    command.arg("explore").arg(path).args(args).arg("--json");
    command
}

fn start(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("pidlab runs")
}

/// Exit code, document if there is one, and messages.
fn read(output: &Output) -> (Option<i32>, Option<Value>, String) {
    let text = String::from_utf8_lossy(&output.stdout);
    let document = serde_json::from_str(&text).ok();
    assert_eq!(document.is_some(), !text.is_empty(), "not one document: {text}");
    (output.status.code(), document, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn end(child: Child) -> (Option<i32>, Option<Value>, String) {
    read(&child.wait_with_output().expect("pidlab ends"))
}

/// A folder of its own that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("pidlab-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Scratch(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a plain path").to_string()
    }

    /// A list of hosts with ports that are free at the moment.
    fn hosts(&self, count: usize) -> (String, Vec<String>) {
        let bind = |_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let bound: Vec<TcpListener> = (0..count).map(bind).collect();
        let hosts: Vec<String> =
            bound.iter().map(|l| l.local_addr().expect("an address").to_string()).collect();
        let file = self.path("hosts");
        std::fs::write(&file, hosts.join("\n")).expect("a list of hosts");
        (file, hosts)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// One of several processes.
fn member(model_and_args: &[&str], hosts: &str, process: usize, processes: usize) -> Command {
    let mut command = explore(model_and_args);
    command.args(["--processes", &processes.to_string(), "--process", &process.to_string()]);
    command.args(["--hostfile", hosts, "--threads", "1"]);
    command
}

/// The processes that a process has started.
fn children_of(process: u32) -> Vec<u32> {
    let file = format!("/proc/{process}/task/{process}/children");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

/// kill -9.
fn kill(process: u32) {
    let _ = Command::new("kill").args(["-9", &process.to_string()]).stderr(Stdio::null()).status();
}
