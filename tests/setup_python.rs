//! `pidlab setup python` with a shell script in place of Python: what is made, kept, refused and never touched.
//! With the real one it takes the network and minutes, so that is for people to try.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Answers as Python does: `-c` says what is installed, `-m venv` copies itself, `-m pip` writes names down.
const PYTHON: &str = r#"#!/bin/sh
here=$(dirname "$0")
case "$1 $2" in
  "-m venv") mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  "-m pip")
    if [ "$3" = list ]; then cat "$here/installed" 2>/dev/null; exit 0; fi
    if [ -n "$OFFLINE" ]; then echo "no route to the index" >&2; exit 1; fi
    shift 5; for word; do echo "$word"; done > "$here/installed" ;;
  *)
    packages=$(sed 's/\(.*\)==\(.*\)/"\1":"\2"/' "$here/installed" 2>/dev/null | paste -sd, -)
    echo "{\"python\":\"3.99.1\",\"packages\":{$packages},\"modules\":[]}" ;;
esac
"#;

struct Home(PathBuf);

impl Home {
    fn new(test: &str) -> Home {
        let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("setup-{test}"));
        std::fs::remove_dir_all(&home).ok();
        std::fs::create_dir_all(&home).unwrap();
        let python = home.join("python-for-tests");
        std::fs::write(&python, PYTHON).unwrap();
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
        Home(home)
    }

    fn setup(&self, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pidlab"));
        command.args(["setup", "python"]).args(more);
        command.env("XDG_CACHE_HOME", &self.0).env_remove("OFFLINE");
        command.env("PIDLAB_PYTHON", self.0.join("python-for-tests"));
        command
    }

    fn folder(&self) -> PathBuf {
        self.0.join("pidlab").join("python")
    }

    /// Everything in the cache but the lock.
    fn entries(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.join("pidlab")).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "python.lock").collect()
    }
}

fn run(mut command: Command) -> Output {
    command.output().unwrap()
}

fn document(output: &Output) -> serde_json::Value {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refused(output: &Output, why: &str) {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains(why), "{words}");
    assert!(output.stdout.is_empty());
}

#[test]
fn an_environment_is_made_once_and_grows() {
    let home = Home::new("once");
    let first = document(&run(home.setup(&["--with", "networkx", "--json"])));
    assert_eq!(first["format"], "pidlab-setup/1");
    assert_eq!((&first["changed"], &first["python"]), (&true.into(), &"3.99.1".into()));
    assert_eq!(first["packages"]["networkx"], "3.6.1");
    let again = document(&run(home.setup(&["--with", "networkx", "--json"])));
    assert_eq!(again["changed"], false);
    assert_eq!(again["packages"], first["packages"]);
    let more = document(&run(home.setup(&["--with", "igraph", "--json"])));
    assert_eq!(more["changed"], true);
    assert_eq!(more["with"], serde_json::json!(["igraph", "networkx"]), "what was there stays");
    assert_eq!(home.entries(), ["python"]);
    let text = run(home.setup(&[]));
    assert!(String::from_utf8_lossy(&text.stdout).contains("passagemath-graphs"), "{text:?}");
    let csv = run(home.setup(&["--csv"]));
    assert!(String::from_utf8_lossy(&csv.stdout).lines().count() > 1, "{csv:?}");
}

#[test]
fn without_a_network_nothing_changes() {
    let home = Home::new("offline");
    let mut offline = home.setup(&["--with", "networkx"]);
    refused(
        &run({
            offline.env("OFFLINE", "1");
            offline
        }),
        "no route to the index",
    );
    assert!(home.entries().is_empty(), "{:?}", home.entries());
    document(&run(home.setup(&["--with", "networkx", "--json"])));
    let before = std::fs::read(home.folder().join("pidlab-python.json")).unwrap();
    let mut offline = home.setup(&["--with", "sage"]);
    refused(
        &run({
            offline.env("OFFLINE", "1");
            offline
        }),
        "nothing was changed",
    );
    assert_eq!(std::fs::read(home.folder().join("pidlab-python.json")).unwrap(), before);
    assert_eq!(home.entries(), ["python"]);
}

#[test]
fn without_python_nothing_is_made() {
    let home = Home::new("no-python");
    for (python, why) in
        [("/nonexistent/python", "does not run"), ("/bin/false", "is not a Python")]
    {
        let mut command = home.setup(&[]);
        command.env("PIDLAB_PYTHON", python);
        refused(&run(command), why);
        assert!(home.entries().is_empty());
    }
    refused(&run(home.setup(&["--with", "sgae"])), "known are networkx, sage");
}

#[test]
fn folders_of_others_are_left_alone() {
    let home = Home::new("foreign");
    let passing = home.0.join("pidlab").join("python-passing-mine");
    let marked = home.0.join("pidlab").join("python-passing-new-1");
    let write = |folder: &Path, name: &str, text: &str| {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(name), text).unwrap();
    };
    write(&home.folder(), "mine.txt", "mine");
    write(&passing, "mine.txt", "mine");
    let record =
        r#"{"format":"pidlab-python/1","complete":false,"python":"3","with":[],"packages":{}}"#;
    write(&marked, "pidlab-python.json", record);
    refused(&run(home.setup(&["--with", "networkx"])), "is not an environment that pidlab made");
    assert_eq!(std::fs::read_to_string(home.folder().join("mine.txt")).unwrap(), "mine");
    assert!(passing.join("mine.txt").exists());
    assert!(!marked.exists(), "what a killed setup left is removed");
}
