//! Every command shows its result as text, as one JSON document and as CSV, with the same exit code;
//! Ctrl-C ends what runs long with a message and the exit code of the convention. What becomes of output
//! that nobody takes is in `streams`.

mod streams;

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_pidlab"))
}

fn run(words: &[&str]) -> Output {
    program().args(words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path =
            std::env::temp_dir().join(format!("pidlab-formats-{}-{name}", std::process::id()));
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

/// The fields of one line of CSV.
fn fields(line: &str) -> usize {
    let mut quoted = false;
    let mut count = 1;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => count += 1,
            _ => {}
        }
    }
    assert!(!quoted, "an open quote in {line}");
    count
}

/// Text, JSON and CSV of one command.
fn three_forms(command: &str) {
    let words: Vec<&str> = command.split(' ').collect();
    let plain = run(&words);
    let json = run(&[&words[..], &["--json"]].concat());
    let csv = run(&[&words[..], &["--csv"]].concat());
    let code = plain.status.code();
    assert!(code.is_some_and(|code| code < 2), "{command}: {}", text(&plain.stderr));
    assert!(!plain.stdout.is_empty(), "{command} prints nothing");
    assert_eq!(json.status.code(), code, "{command} --json: {}", text(&json.stderr));
    assert_eq!(csv.status.code(), code, "{command} --csv: {}", text(&csv.stderr));
    let document: serde_json::Value = serde_json::from_slice(&json.stdout)
        .unwrap_or_else(|error| panic!("{command} --json is not one document: {error}"));
    let format = document.get("format").or_else(|| document[0].get("format"));
    assert!(format.is_some_and(|f| f.as_str().unwrap().starts_with("pidlab-")), "{command}");
    let table = text(&csv.stdout);
    let columns = fields(table.lines().next().unwrap_or_default());
    assert!(table.lines().count() > 1, "{command} --csv has no line:\n{table}");
    for line in table.lines() {
        assert_eq!(fields(line), columns, "{command} --csv: {line}");
    }
}

/// What is shown for each command; those with a run folder are below.
const COMMANDS: [(&str, &str); 19] = [
    ("check", "check examples/q3.json examples/q3-prime.json"),
    ("check", "check examples/q3.json examples/q3-prime.json --relations all"),
    ("backends", "backends"),
    ("bogor", "bogor peers --philosophers 4 --rounds 1"),
    ("canon", "canon examples/q3.json"),
    ("convert", "convert examples/q3.json"),
    ("explain", "explain models/philosophers.bir --set N=2"),
    ("explore", "explore models/nkm.tnet --set k=2 --set m=1"),
    ("explore", "explore models/philosophers.bir --set N=3"),
    ("bench", "bench engine --sizes 30 --pairs 1 --backends canon,refine"),
    ("bench", "bench hard --families cubic --most-pids 30 --backends canon,refine"),
    ("generate", "generate random --pids 5"),
    ("generate", "generate hard --list"),
    ("generate", "generate transform --list"),
    ("graph", "graph examples/q3.json"),
    ("lint", "lint models/server.tnet"),
    ("cover", "cover models/mutex.lgfsm"),
    ("experiments", "experiments"),
    ("reproduce", "reproduce bogor-table1 --scale smoke"),
];

#[test]
fn every_command_in_three_forms() {
    COMMANDS.iter().for_each(|(_, command)| three_forms(command));
}

#[test]
fn runs_and_tournaments_in_three_forms() {
    let scratch = Scratch::new("runs");
    let run = scratch.path("run");
    three_forms(&format!("run relations --scale smoke --out {run}"));
    for command in ["analyse", "plot", "report"] {
        three_forms(&format!("{command} {run}"));
    }
    let cup = scratch.path("cup");
    three_forms(&format!(
        "tournament --scale smoke --backend canon,refine --family cubic,random --out {cup}"
    ));
}

#[test]
fn comparisons_in_three_forms() {
    let scratch = Scratch::new("compare");
    let (one, two) = (scratch.path("one"), scratch.path("two"));
    for folder in [&one, &two] {
        assert!(run(&["run", "relations", "--scale", "smoke", "--out", folder]).status.success());
    }
    // two short runs may differ in anything but the forms
    three_forms(&format!("compare {one} {two} --threshold 95%"));
}

#[test]
fn verify_in_three_forms() {
    let scratch = Scratch::new("verify");
    let answer = scratch.path("answer.json");
    let found = run(&["check", "examples/q3.json", "examples/q3-prime.json", "--json"]);
    std::fs::write(&answer, found.stdout).unwrap();
    three_forms(&format!("verify examples/q3.json examples/q3-prime.json --witness {answer}"));
}

/// Commands that need a run are shown above, `track` and `setup` in tests of their own.
#[test]
fn no_command_is_forgotten() {
    let elsewhere =
        ["run", "analyse", "plot", "report", "tournament", "verify", "compare", "track", "setup"];
    let help = text(&run(&["--help"]).stdout);
    let (_, list) = help.split_once("Commands:\n").unwrap();
    for line in list.lines().take_while(|line| !line.is_empty()) {
        let Some(name) = line.strip_prefix("  ").and_then(|l| l.split(' ').next()) else {
            continue;
        };
        let known = COMMANDS.iter().any(|(command, _)| *command == name)
            || elsewhere.contains(&name)
            || ["help", ""].contains(&name);
        assert!(known, "{name} has no test of its forms");
    }
}

fn start(words: &[&str]) -> Child {
    program().args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends Ctrl-C after a while and returns how the program ended.
fn interrupted(words: &[&str]) -> Output {
    let child = start(words);
    std::thread::sleep(Duration::from_millis(700));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

#[test]
fn ctrl_c_is_answered() {
    // beyond reach, so that the signal meets it at work
    let endless = ["explore", "models/nkm.tnet", "--set", "k=9", "--set", "m=9"];
    for more in [&[][..], &["--csv"][..]] {
        let stopped = interrupted(&[&endless[..], more].concat());
        assert_eq!(stopped.status.code(), Some(3), "{}", text(&stopped.stderr));
        assert!(!stopped.stdout.is_empty(), "what was found so far is shown");
    }
    let bogor = interrupted(&["bogor", "peers", "--philosophers", "12"]);
    assert_eq!(bogor.status.code(), Some(130), "{}", text(&bogor.stderr));
    assert!(text(&bogor.stderr).contains("interrupted: nothing was written"));
}

/// In the middle of making a large pair or of a long decision, not only between two of them.
#[test]
fn ctrl_c_on_bench_is_answered_at_once() {
    for (command, kept) in [
        ("bench engine --backends vf2 --sizes 300000 --limit 100", "the sizes so far are shown"),
        ("bench hard --families cfi --backends vf2 --limit 100", "the rows so far are shown"),
    ] {
        for form in ["--seed=1", "--json", "--csv"] {
            let words: Vec<&str> = command.split(' ').chain([form]).collect();
            let begun = Instant::now();
            let bench = interrupted(&words);
            assert_eq!(bench.status.code(), Some(3), "{}", text(&bench.stderr));
            assert!(text(&bench.stderr).contains(&format!("interrupted: {kept}")), "{command}");
            // a decision goes on for a hundred seconds
            assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        }
    }
}
