//! What every command has in common: help with examples, man pages and the reference, colours only on a terminal, and
//! messages that name the right command.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn pidlab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pidlab"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn refused(arguments: &[&str]) -> String {
    let output = pidlab(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stderr)
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("pidlab-line-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// A page for every command, which `man` can read and which is not written over files of others.
#[test]
fn man_pages_for_every_command() {
    let scratch = Scratch::new("man");
    let folder = scratch.path("man1");
    let output = pidlab(&["man", &folder, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["format"], "pidlab-man/1");
    let files: Vec<&str> =
        document["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    for name in ["pidlab.1", "pidlab-explore.1", "pidlab-bench-engine.1", "pidlab-setup-python.1"] {
        assert!(files.iter().any(|file| file.ends_with(&format!("/{name}"))), "{name}: {files:?}");
    }
    assert!(!files.iter().any(|file| file.contains("worker")), "{files:?}");
    let page = std::fs::read_to_string(Path::new(&folder).join("pidlab-explore.1")).unwrap();
    for part in [".TH pidlab-explore 1", "\\-\\-thread\\-symmetry", "Examples:"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let again = pidlab(&["man", &folder, "--csv"]);
    assert_eq!(again.status.code(), Some(0), "again");
    assert_eq!(text(&again.stdout).lines().count(), files.len() + 1);
    std::fs::write(Path::new(&folder).join("pidlab-check.1"), "a page of mine").unwrap();
    assert!(refused(&["man", &folder]).contains("pidlab-check.1 was not written by pidlab"));
}

/// docs/commands.md is what the program says of itself: `pidlab man > docs/commands.md`.
#[test]
fn the_command_reference_is_current() {
    let printed = text(&pidlab(&["man"]).stdout);
    let kept = std::fs::read_to_string("docs/commands.md").unwrap_or_default();
    assert!(printed == kept, "docs/commands.md is out of date: pidlab man > docs/commands.md");
}

/// Every command that help lists has help of its own, with examples.
#[test]
fn every_help_has_examples() {
    let printed = text(&pidlab(&["man"]).stdout);
    let commands: Vec<&str> =
        printed.lines().filter_map(|line| line.strip_prefix("## pidlab ")).collect();
    assert!(commands.len() > 30, "{commands:?}");
    for command in commands {
        let mut words: Vec<&str> = command.split(' ').collect();
        words.push("--help");
        let help = text(&pidlab(&words).stdout);
        assert!(help.contains("Examples:\n  "), "{command}: {help}");
    }
}

#[test]
fn the_right_command_is_named() {
    let said = refused(&["explore", "models/rockall.bp"]);
    assert!(said.contains("`pidlab cover models/rockall.bp`"), "{said}");
    let said = refused(&["cover", "models/nkm.tnet"]);
    assert!(said.contains("`pidlab explore models/nkm.tnet`"), "{said}");
    let said = refused(&["backends", "--csv", "--json"]);
    assert!(said.contains("--json and --csv ask for different output"), "{said}");
}

/// What can be written is written, the counts are printed, and what is left out is said.
#[test]
fn graphs_that_are_too_large_to_draw_leave_the_others() {
    let scratch = Scratch::new("graphs");
    let (svg, aut) = (scratch.path("graph.svg"), scratch.path("graph.aut"));
    let arguments = [
        "explore",
        "models/nkm.tnet",
        "--set",
        "k=3",
        "--set",
        "m=2",
        "--output",
        &svg,
        "--output",
        &aut,
    ];
    let output = pidlab(&arguments);
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{said}{told}");
    assert!(said.contains("states     "), "{said}");
    assert!(told.contains("graph.svg") && told.contains("graph.aut written"), "{told}");
    assert!(Path::new(&aut).exists() && !Path::new(&svg).exists());
}

#[test]
fn explorations_end_in_a_verdict_and_show_what_went_wrong() {
    let printed = |arguments: &[&str]| text(&pidlab(arguments).stdout);
    let net = ["explore", "models/nkm.tnet"];
    assert!(printed(&net).contains("\nverdict    no deadlock\n"), "{}", printed(&net));
    let violated = [&net[..], &["--property", "never exists(h2(_))"]].concat();
    let said = printed(&violated);
    assert!(said.contains(" violated\n") && said.contains(" steps:\n"), "{said}");
    let silent = printed(&[&violated[..], &["--no-trace"]].concat());
    assert!(silent.contains(" violated\n") && !silent.contains(" steps:\n"), "{silent}");
    let silent = printed(&[&violated[..], &["--no-trace", "--json"]].concat());
    assert!(silent.contains("\"trace\":null"), "{silent}");
    let stopped =
        printed(&["explore", "models/server.tnet", "--canon", "off", "--max-states", "50"]);
    assert!(stopped.contains("\nverdict    undecided: --max-states was reached\n"), "{stopped}");
    for model in ["models/nkm.tnet", "models/philosophers.bir"] {
        let name = if model.ends_with("tnet") { "k" } else { "N" };
        let [one, other] = [2, 3].map(|value| format!("{name}={value}"));
        let twice = pidlab(&["explore", model, "--set", &one, "--set", &other]);
        assert_eq!(twice.status.code(), Some(2), "one of them would be ignored");
    }
    let said = printed(&["explore", "models/philosophers.bir", "--set", "N=3"]);
    assert!(said.contains("\nverdict    deadlock"), "{said}");
    let clean = printed(&["explore", "models/bounded-buffer.bir", "--set", "N=1", "--set", "M=1"]);
    assert!(clean.contains("\nverdict    "), "{clean}");
}

/// Name, backends, states, transformations and sizes are an experiment.
#[test]
fn an_experiment_needs_five_fields() {
    let scratch = Scratch::new("short");
    let (file, out) = (scratch.path("short.toml"), scratch.path("run"));
    let least = "name = \"short\"\nbackends = [\"canon\", \"refine\"]\nsizes = [10, 20, 40]\n\
        [[states]]\nlabel = \"random\"\nrandom = { locations = 3 }\n\
        [[transformations]]\nlabel = \"rename\"\nsteps = [{ kind = \"rename\" }]\n";
    std::fs::write(&file, least).unwrap();
    let rows = |scale: &str| {
        let folder = format!("{out}-{scale}");
        let output = pidlab(&["run", &file, "--scale", scale, "--out", &folder, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        document["rows"].as_u64().unwrap()
    };
    // sizes × states × backends
    assert_eq!([rows("smoke"), rows("small")], [2 * 2, 3 * 3 * 2]);
    let report = pidlab(&["report", &format!("{out}-small")]);
    assert_eq!(report.status.code(), Some(0), "{}", text(&report.stderr));
    let page = std::fs::read_to_string(format!("{out}-small/report.html")).unwrap();
    assert!(page.contains("<title>short</title>") && page.contains("id=\"density\""));

    let broken = |from: &str, to: &str| {
        std::fs::write(&file, least.replace(from, to)).unwrap();
        refused(&["run", &file, "--out", &out])
    };
    let said = broken("locations = 3", "pid_share = 8");
    assert!(said.contains("`pid_share` is 8") && !Path::new(&out).exists(), "{said}");
    assert!(broken("sizes = [10, 20, 40]\n", "").contains("`sizes`"));
    let said = broken("name =", "nome =");
    assert_eq!(
        said.matches("nome").count(),
        said.matches("unknown field `nome`").count() + 1,
        "{said}"
    );
    assert_eq!(said.matches("unknown field").count(), 1, "an error is said once: {said}");
}

/// Runs the program on a terminal of its own.
fn on_a_terminal(setting: &str, arguments: &str) -> Option<String> {
    let script = format!(
        "import os, pty, sys\nos.environ.pop('NO_COLOR', None)\n{setting}\nos.environ['TERM'] = 'xterm'\n\
         pty.spawn(['{}'] + '{arguments}'.split())",
        env!("CARGO_BIN_EXE_pidlab")
    );
    let output = Command::new("python3").args(["-c", &script]).stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => Some(text(&output.stdout)),
        _ => None,
    }
}

#[test]
fn verdicts_are_colored_on_terminals_alone() {
    let states = "check examples/q3.json examples/q3-prime.json";
    let words: Vec<&str> = states.split(' ').collect();
    assert!(!text(&pidlab(&words).stdout).contains('\u{1b}'));
    let Some(shown) = on_a_terminal("", states) else {
        return eprintln!("SKIPPED: no python3 with pty; colours are not tried");
    };
    assert!(shown.contains("\u{1b}[32mequivalent\u{1b}[0m"), "{shown:?}");
    let denied = on_a_terminal("", &format!("{states} --relations all")).unwrap();
    assert!(denied.contains("\u{1b}[31mnot equivalent\u{1b}[0m"), "{denied:?}");
    for setting in ["os.environ['NO_COLOR'] = '1'", "os.environ['NO_COLOR'] = 'yes'"] {
        let plain = on_a_terminal(setting, states).unwrap();
        assert!(plain.contains("equivalent") && !plain.contains("\u{1b}[3"), "{plain:?}");
    }
    let plain = on_a_terminal("os.environ['NO_COLOR'] = '1'", "check --help").unwrap();
    assert!(plain.contains("Usage") && !plain.contains('\u{1b}'), "{plain:?}");
    let document = on_a_terminal("", &format!("{states} --json")).unwrap();
    assert!(!document.contains('\u{1b}'), "{document:?}");
}
