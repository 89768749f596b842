//! Output that cannot be written: a reader that went away ends a command quietly, a full disk is an error;
//! for every command and every form of its output.

use crate::{COMMANDS, Scratch, program, run, text};
use std::fs::File;
use std::path::Path;
use std::process::{Output, Stdio};

/// Exit code where the reader has gone away: 128 + SIGPIPE.
const READER_GONE: i32 = 141;

/// A pipe that nobody reads.
fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// A disk without room; `None` on systems that have no such file.
fn full_disk() -> Option<Stdio> {
    File::options().write(true).open("/dev/full").ok().map(Stdio::from)
}

fn with_output(words: &[&str], output: Stdio) -> Output {
    program().args(words).stdout(output).stderr(Stdio::piped()).output().unwrap()
}

fn output_is_missed(words: &[&str]) {
    let ended = with_output(words, closed_pipe());
    let errors = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(READER_GONE), "{words:?}: {errors}");
    assert!(!errors.contains("panicked") && !errors.contains("error:"), "{words:?}: {errors}");
    let Some(full) = full_disk() else {
        eprintln!("SKIPPED: there is no /dev/full here");
        return;
    };
    let ended = with_output(words, full);
    let errors = text(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{words:?}: {errors}");
    assert!(errors.contains("cannot write to standard output: "), "{words:?}: {errors}");
}

/// Text, JSON and CSV.
fn three_forms(command: &str) {
    let words: Vec<&str> = command.split(' ').collect();
    output_is_missed(&words);
    output_is_missed(&[&words[..], &["--json"]].concat());
    output_is_missed(&[&words[..], &["--csv"]].concat());
}

#[test]
fn every_command_misses_its_output() {
    COMMANDS.iter().for_each(|(command, ..)| three_forms(command));
}

#[test]
fn commands_on_files_miss_their_output() {
    let scratch = Scratch::new("streams");
    let answer = scratch.path("answer.json");
    let found = run(&["check", "examples/q3.json", "examples/q3-prime.json", "--json"]);
    std::fs::write(&answer, found.stdout).unwrap();
    three_forms(&format!("verify examples/q3.json examples/q3-prime.json --witness {answer}"));
    let pairs = scratch.path("pairs.jsonl");
    let state = r#"{"sigma":{"A":[["@1"]]},"eta":{}}"#;
    std::fs::write(&pairs, format!("{{\"id\":1,\"q\":{state},\"r\":{state}}}\n").repeat(3))
        .unwrap();
    three_forms(&format!("check --pairs {pairs}"));
}

#[test]
fn commands_on_runs_miss_their_output() {
    let scratch = Scratch::new("streams-run");
    let folder = scratch.path("run");
    three_forms(&format!("run relations --scale smoke --out {folder}"));
    for command in ["analyse", "plot", "report"] {
        three_forms(&format!("{command} {folder}"));
    }
    three_forms(&format!("run relations --scale smoke --out {folder} --replay 0"));
    three_forms(&format!("compare {folder} {folder} --threshold 95%"));
    let (history, page) = (scratch.path("history"), scratch.path("page.html"));
    three_forms(&format!("track {folder} --history {history} --page {page}"));
    let cup = scratch.path("cup");
    three_forms(&format!(
        "tournament --scale smoke --backend canon,refine --family cubic --out {cup}"
    ));
}

#[test]
fn help_misses_its_output() {
    for words in [&["--help"][..], &["--version"], &["check", "--help"], &["help", "run"]] {
        output_is_missed(words);
    }
}

#[test]
fn messages_that_nobody_takes_are_no_failure() {
    let Some(full) = full_disk() else { return };
    let mut command = program();
    command.args(["generate", "random", "--pids", "5"]);
    let made = command.stdout(Stdio::piped()).stderr(full).output().unwrap();
    assert_eq!(made.status.code(), Some(0));
    assert!(!made.stdout.is_empty());
}

#[test]
fn escape_sequences_in_names_do_not_reach_the_terminal() {
    let asked = run(&["check", "no\u{1b}[2Jfile.json", "examples/q3.json"]);
    assert_eq!(asked.status.code(), Some(2));
    assert!(text(&asked.stderr).contains("no\\u001b[2Jfile.json"), "{}", text(&asked.stderr));
}

/// The lines of a folder's Rust files that hold one of the words.
fn lines_with(folder: &Path, words: &[&str], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            lines_with(&path, words, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let source = std::fs::read_to_string(&path).unwrap();
            let bare = source.lines().filter(|line| words.iter().any(|word| line.contains(word)));
            found.extend(bare.map(|line| format!("{}: {line}", path.display())));
        }
    }
}

/// `print!` panics where output is not taken, and `io::stdout` loses what fails.
#[test]
fn all_output_goes_through_one_module() {
    let mut found = Vec::new();
    let words = ["print!(", "println!(", "eprint!(", "eprintln!(", "dbg!(", "io::stdout()."];
    lines_with(Path::new("src"), &words, &mut found);
    found.retain(|line| !line.starts_with("src/output/") && !line.contains("is_terminal()"));
    assert!(found.is_empty(), "{found:#?}");
}

/// JSON writes most control characters as escapes by itself, but not those above 0x7f.
#[test]
fn documents_hold_no_control_characters() {
    let scratch = Scratch::new("controls");
    let state = scratch.path("state.json");
    let name = "\u{9b}31m\u{202e}";
    std::fs::write(&state, format!(r#"{{"sigma":{{"{name}":[["@1"]]}},"eta":{{}}}}"#)).unwrap();
    let printed = text(&run(&["canon", &state, "--json"]).stdout);
    assert!(printed.contains(r"\u009b31m\u202e"), "{printed}");
    let document: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert!(document["canonical"]["sigma"].get(name).is_some(), "the name is the same: {printed}");
}
