//! The whole program, as a user starts it: state spaces, coverability, checkers, runs that are killed, full disks,
//! lying backends.

use super::child::{Folder, wait};
use super::{Checked, Seen};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

type Test = fn(&Folder) -> Checked;

pub const CHECKS: [(&str, Test); 8] = [
    ("state spaces have the known counts", counts),
    ("a safe library is proved and its certificate checked", safe),
    ("an unsafe library has a trace that is checked", not_safe),
    ("a forged certificate is rejected", forged),
    ("a run that is killed resumes to the same table", killed),
    ("a full disk is reported", full_disk),
    ("a run that finds no room stops and resumes to the same table", no_room),
    ("a lying backend is noticed", liar),
];

/// Model, constants, states, exit code. N(1,1) has the number of ICTAC'08; N(2,1) was counted by a program of its own
/// (`testdata/explore`); three philosophers have 35 reachable combinations of program counters, and the start.
const COUNTS: [(&str, &str, u64, i32); 3] = [
    ("nkm.tnet", "--set k=1 --set m=1", 7, 0),
    ("nkm.tnet", "--set k=2 --set m=1", 22, 0),
    ("philosophers.bir", "--set N=3", 36, 1),
];

fn counts(folder: &Folder) -> Checked {
    for (model, constants, states, code) in COUNTS {
        folder.model(model)?;
        let found = folder.document(&format!("explore {model} {constants}"), code)?;
        ensure!(
            found["states"] == states,
            "{model} {constants}: {} states, not {states}",
            found["states"]
        );
    }
    Ok(Seen::Ok("N(1,1), N(2,1), three philosophers and their deadlock".into()))
}

const SAFE: &str = "rockall.bp";
const UNSAFE: &str = "rockall-no-lock-B0_New.bp";

/// The answer to a coverability question, kept as a file.
fn answer(folder: &Folder, model: &str, code: i32) -> Result<Value> {
    folder.model(model)?;
    let answer = folder.document(&format!("cover {model}"), code)?;
    folder.write("answer.json", &answer.to_string())?;
    Ok(answer)
}

fn safe(folder: &Folder) -> Checked {
    let answer = answer(folder, SAFE, 0)?;
    ensure!(answer["verdict"] == "safe" && !answer["certificate"].is_null(), "no certificate");
    folder.document(&format!("verify {SAFE} --answer answer.json"), 0)?;
    Ok(Seen::Ok(format!("{SAFE} for any number of threads")))
}

fn not_safe(folder: &Folder) -> Checked {
    let answer = answer(folder, UNSAFE, 1)?;
    ensure!(answer["verdict"] == "unsafe" && !answer["trace"].is_null(), "no trace");
    folder.document(&format!("verify {UNSAFE} --answer answer.json"), 0)?;
    Ok(Seen::Ok(format!("{UNSAFE}, replayed step by step")))
}

/// The proof of the safe library does not hold for the unsafe one.
fn forged(folder: &Folder) -> Checked {
    answer(folder, SAFE, 0)?;
    let verified = folder.run(&format!("verify {UNSAFE} --answer answer.json"))?;
    verified.expect(1).context("the certificate of another model")?;
    Ok(Seen::Ok("the certificate of another model".into()))
}

const EXPERIMENT: &str = r#"format = "pidlab-experiment/2"
name = "selftest"
title = "selftest"
source = "selftest"
claim = "none"
backends = BACKENDS
relations = ["parent", "all"]
figures = []
budget = { seconds = 20.0 }

[[states]]
label = "mixed"
random = { locations = 3, pid_share = 0.6, distinct_data = 5 }

[[transformations]]
label = "rename"
steps = [{ kind = "rename" }]

[[transformations]]
label = "exchange"
steps = [{ kind = "exchange-pids", strength = 0.2 }]

[scale.smoke]
sizes = SIZES
states = 2
seconds = 1
[scale.small]
sizes = [10]
states = 1
seconds = 1
[scale.paper]
sizes = [10]
states = 1
seconds = 1
"#;

/// Writes an experiment and returns the command that runs it.
fn experiment(folder: &Folder, name: &str, backends: Value, sizes: &str) -> Result<String> {
    let text = EXPERIMENT.replace("BACKENDS", &backends.to_string()).replace("SIZES", sizes);
    folder.write(&format!("{name}.toml"), &text)?;
    Ok(format!("run {name}.toml --scale smoke"))
}

/// Within this time a run has written something, also on a loaded machine.
const FIRST_ROW: Duration = Duration::from_secs(60);

/// The command of a run that can be disturbed, and the table of it undisturbed.
fn undisturbed(folder: &Folder) -> Result<(String, Vec<Vec<String>>)> {
    let sizes = "{ from = 10, to = 200, count = 30 }";
    let run = experiment(folder, "resumed", json!(["canon", "refine"]), sizes)?;
    folder.run(&format!("{run} --out calm"))?.expect(0)?;
    Ok((run, table(folder, "calm")?))
}

fn killed(folder: &Folder) -> Checked {
    let (run, calm) = undisturbed(folder)?;
    let mut command = folder.command(&format!("{run} --out killed"));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let begin = Instant::now();
    // some rows, but not all of them
    while rows_written(folder) == 0 && child.try_wait()?.is_none() && begin.elapsed() < FIRST_ROW {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill()?;
    let was_killed = wait(&mut child)?.code().is_none();
    folder.run(&format!("{run} --out killed"))?.expect(0)?;
    ensure!(calm == table(folder, "killed")?, "the table is not that of an undisturbed run");
    match was_killed {
        true => Ok(Seen::Ok(format!("{} rows", calm.len() - 1))),
        false => Ok(Seen::Skipped("the run ended before it could be killed".into())),
    }
}

/// Bytes of rows beyond the headers of their files.
fn rows_written(folder: &Folder) -> u64 {
    const HEADER: u64 = 24;
    let files = std::fs::read_dir(folder.path("killed/log")).into_iter().flatten().flatten();
    let rows = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "rows"));
    rows.filter_map(|file| Some(file.metadata().ok()?.len().saturating_sub(HEADER))).sum()
}

/// The table of a run without the columns that depend on the clock.
fn table(folder: &Folder, run: &str) -> Result<Vec<Vec<String>>> {
    let path = folder.path(run).join("rows.csv");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(&path)?;
    let rows: Vec<csv::StringRecord> = reader.records().collect::<csv::Result<_>>()?;
    let names = rows.first().context("an empty table")?;
    let kept: Vec<usize> = names
        .iter()
        .enumerate()
        .filter(|(_, name)| !name.ends_with("_ns") && *name != "peak_kib")
        .map(|(at, _)| at)
        .collect();
    Ok(rows.iter().map(|row| kept.iter().map(|&at| row[at].to_string()).collect()).collect())
}

/// Linux has a device that is always full.
fn full_disk(folder: &Folder) -> Checked {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        return Ok(Seen::Skipped("this system has no /dev/full".into()));
    };
    let mut child = folder.command("backends --json").stdout(full).stderr(Stdio::null()).spawn()?;
    let code = wait(&mut child)?.code();
    ensure!(code == Some(2), "exit code {code:?} instead of 2");
    Ok(Seen::Ok("exit code 2 for output that cannot be written".into()))
}

/// A limit on the size of files is to each of them a disk that is full; no right to mount one is needed.
fn no_room(folder: &Folder) -> Checked {
    if !has_shell() {
        return Ok(Seen::Skipped("there is no shell to limit files in".into()));
    }
    let (run, calm) = undisturbed(folder)?;
    let limited = "trap '' XFSZ; ulimit -f 16 || exit 99; exec \"$0\" \"$@\" --workers 1";
    let ended = folder.finish(folder.in_shell(limited, &format!("{run} --out full")))?;
    if ended.code == Some(99) {
        return Ok(Seen::Skipped("files cannot be limited here".into()));
    }
    ended.expect(2)?;
    ensure!(ended.err.contains("disk full"), "no word of the disk: {}", ended.err);
    folder.run(&format!("{run} --out full"))?.expect(0)?;
    ensure!(calm == table(folder, "full")?, "the table is not that of an undisturbed run");
    Ok(Seen::Ok(format!("exit code 2, then {} rows", calm.len() - 1)))
}

/// Says "not equivalent" whatever it is asked.
const LIAR: &str = r#"echo '{"format": "pidlab-external/2", "wants": ["states"]}'
while read -r question; do
  id=${question#*\"id\":}
  id=${id%%[!0-9 ]*}
  echo "{\"id\": $id, \"equivalent\": false}"
done
"#;

fn liar(folder: &Folder) -> Checked {
    if !has_shell() {
        return Ok(Seen::Skipped("there is no shell to write a liar in".into()));
    }
    folder.write("liar.sh", LIAR)?;
    let liar = "external:sh liar.sh";
    let run = experiment(folder, "lies", json!([liar]), "[12]")?;
    let ended = folder.run(&format!("{run} --out lies --json"))?;
    ended.expect(4)?;
    let document: Value = serde_json::from_str(&ended.out).context("not one document")?;
    let Some(finding) = document["findings"].get(0) else { bail!("no finding in {}", ended.out) };
    ensure!(finding["backend"] == liar, "another backend is blamed: {finding}");
    Ok(Seen::Ok("a shell script that denies everything: exit code 4".into()))
}

fn has_shell() -> bool {
    let shell = Command::new("sh").args(["-c", "exit 0"]).stdin(Stdio::null()).status();
    shell.is_ok_and(|status| status.success())
}
