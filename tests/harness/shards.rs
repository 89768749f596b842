//! A run in shards: measured in parts, killed and continued, refused where parts do not fit, and merged into the run
//! that one process makes.

use crate::kinds::{instances, models};
use crate::resume::wait_for_rows;
use crate::support::{BUDGET, Scratch, column, expect, program, run, text, timeless};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const BACKENDS: &str = r#"["canon", "refine"]"#;
const SIZES: &str = "{ from = 10, to = 40, count = 7 }";

fn pairs(scratch: &Scratch) -> PathBuf {
    scratch.experiment(BACKENDS, SIZES, BUDGET)
}

fn shard(experiment: &Path, name: &str, out: &Path) -> Output {
    run(experiment, out, &["--shard", name, "--workers", "1"])
}

/// All shards of a run, in folders of their own.
fn shards(scratch: &Scratch, experiment: &Path, of: usize) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = (1..=of).map(|i| scratch.path(&format!("part-{i}"))).collect();
    for (i, folder) in folders.iter().enumerate() {
        expect(&shard(experiment, &format!("{}/{of}", i + 1), folder), 0);
    }
    folders
}

fn merge(folders: &[PathBuf], out: &Path, more: &[&str]) -> Output {
    program().arg("merge").args(folders).arg("--out").arg(out).args(more).output().unwrap()
}

fn refused(folders: &[PathBuf], scratch: &Scratch, words: &[&str]) {
    let out = scratch.path("refused");
    let output = merge(folders, &out, &[]);
    expect(&output, 2);
    let said = text(&output.stderr);
    for word in words {
        assert!(said.contains(word), "`{word}` is not in: {said}");
    }
    assert!(!out.exists(), "a refused merge leaves nothing");
}

/// Every file below a folder with its contents and the time of its last change.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let changed = path.metadata().unwrap().modified().unwrap();
                    found.push((path.clone(), std::fs::read(&path).unwrap(), changed));
                }
            }
        }
    }
    found.sort();
    found
}

/// Changes a field of a shard's manifest.
fn edit(folder: &Path, change: impl FnOnce(&mut Value)) {
    let path = folder.join("manifest.json");
    let mut manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut manifest);
    std::fs::write(&path, manifest.to_string()).unwrap();
}

fn set_machine(folder: &Path, cpu: &str) {
    edit(folder, |manifest| manifest["sessions"][0]["provenance"]["cpu"] = cpu.into());
}

fn json(arguments: &[&str], folder: &Path) -> Value {
    let output = program().args(arguments).arg(folder).arg("--json").output().unwrap();
    expect(&output, 0);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn shards_of_every_kind_merge_into_the_table_of_one_run() {
    for (experiment, of) in [(pairs as fn(&Scratch) -> _, 3), (models, 2), (instances, 5)] {
        let scratch = Scratch::new();
        let experiment = experiment(&scratch);
        let (whole, merged) = (scratch.path("whole"), scratch.path("merged"));
        expect(&run(&experiment, &whole, &["--scale", "smoke"]), 0);
        let folders: Vec<PathBuf> = (1..=of).map(|i| scratch.path(&format!("part-{i}"))).collect();
        let mut rows = 0;
        for (i, folder) in folders.iter().enumerate() {
            let name = format!("{}/{of}", i + 1);
            expect(&run(&experiment, folder, &["--scale", "smoke", "--shard", &name]), 0);
            rows += timeless(folder).len() - 1;
        }
        let before: Vec<_> = folders.iter().map(|folder| contents(folder)).collect();
        expect(&merge(&folders, &merged, &[]), 0);
        let after: Vec<_> = folders.iter().map(|folder| contents(folder)).collect();
        assert!(before == after, "a merge changes nothing in the shards");
        assert_eq!(timeless(&merged), timeless(&whole));
        assert_eq!(timeless(&whole).len() - 1, rows);
        // a merged run is a run: nothing is left to do, and it is analysed, drawn, reported, compared and tracked
        let again = run(&experiment, &merged, &["--scale", "smoke"]);
        expect(&again, 0);
        assert_eq!(timeless(&merged), timeless(&whole));
        for command in ["analyse", "plot", "report"] {
            expect(&program().arg(command).arg(&merged).output().unwrap(), 0);
        }
        let page = std::fs::read_to_string(merged.join("report.html")).unwrap();
        assert!(page.contains("<h2>Shards</h2>") && !page.contains("<h2>Machines</h2>"));
        let compared = program()
            .args(["compare", "--no-rerun", "--json"])
            .args([&whole, &merged])
            .output()
            .unwrap();
        // the times were measured on a machine that others use: they may differ
        assert!(matches!(compared.status.code(), Some(0 | 1)), "{}", text(&compared.stderr));
        let document: Value = serde_json::from_slice(&compared.stdout).unwrap();
        assert_eq!(document["rows"].as_u64().unwrap() as usize, rows - skipped(&whole));
        let history = scratch.path("history");
        let track = ["track", "--commit", "abc1234", "--history"];
        expect(&program().args(track).arg(&history).arg(&merged).output().unwrap(), 0);
    }
}

/// Rows that a comparison leaves out: nobody decided them.
fn skipped(folder: &Path) -> usize {
    column(folder, "status").iter().filter(|status| !["ok", "open"].contains(&&***status)).count()
}

#[test]
fn questions_about_one_state_stay_together_and_sizes_are_spread() {
    let scratch = Scratch::new();
    let folders = shards(&scratch, &pairs(&scratch), 2);
    let of = |folder: &PathBuf, name: &str| {
        let mut values = column(folder, name);
        values.sort();
        values.dedup();
        values
    };
    let states: Vec<Vec<String>> = folders.iter().map(|folder| of(folder, "state")).collect();
    assert!(states[0].iter().all(|state| !states[1].contains(state)));
    for folder in &folders {
        assert_eq!(of(folder, "size").len(), 7, "every size is in every shard");
        assert_eq!(of(folder, "backend").len(), 2);
        assert_eq!(column(folder, "row").len(), 7 * 2 * 2 * 2 * 2);
    }
}

#[test]
fn a_killed_shard_continues_and_merges() {
    let scratch = Scratch::new();
    let sizes = "{ from = 10, to = 200, count = 60 }";
    let experiment = scratch.experiment(BACKENDS, sizes, BUDGET);
    let (whole, merged) = (scratch.path("whole"), scratch.path("merged"));
    expect(&run(&experiment, &whole, &[]), 0);
    let folders = vec![scratch.path("part-1"), scratch.path("part-2")];
    expect(&shard(&experiment, "1/2", &folders[0]), 0);
    let mut child = program()
        .arg("run")
        .arg(&experiment)
        .args(["--shard", "2/2", "--workers", "1", "--out"])
        .arg(&folders[1])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_rows(&folders[1], 10_000);
    child.kill().unwrap();
    child.wait().unwrap();
    // its workers end with it and let go of the folder's files
    std::thread::sleep(std::time::Duration::from_millis(200));
    refused(&folders, &scratch, &["shard 2/2", "part-2", "incomplete", "of 960 rows"]);
    let resumed = shard(&experiment, "2/2", &folders[1]);
    expect(&resumed, 0);
    assert!(text(&resumed.stderr).contains("resuming"), "{}", text(&resumed.stderr));
    expect(&merge(&folders, &merged, &[]), 0);
    assert_eq!(timeless(&merged), timeless(&whole));
}

#[test]
fn shards_that_do_not_exist_are_refused() {
    let scratch = Scratch::new();
    let experiment = pairs(&scratch);
    for (name, words) in [
        ("0/3", "there is no shard 0/3: expected 1/3 to 3/3"),
        ("4/3", "there is no shard 4/3"),
        ("x", "expected I/N such as 2/8"),
        ("1/0", "N at least 1"),
        ("1/15", "the run has 14 base states"),
    ] {
        let output = shard(&experiment, name, &scratch.path("out"));
        expect(&output, 2);
        assert!(text(&output.stderr).contains(words), "{name}: {}", text(&output.stderr));
        assert!(!scratch.path("out").exists());
    }
}

#[test]
fn a_folder_of_another_shard_is_refused() {
    let scratch = Scratch::new();
    let experiment = pairs(&scratch);
    let out = scratch.path("part");
    expect(&shard(&experiment, "1/2", &out), 0);
    for other in [&["--shard", "2/2"][..], &[]] {
        let output = run(&experiment, &out, other);
        expect(&output, 2);
        assert!(text(&output.stderr).contains("part shard 1/2, now"), "{}", text(&output.stderr));
    }
}

#[test]
fn what_does_not_make_one_run_is_refused() {
    let scratch = Scratch::new();
    let experiment = pairs(&scratch);
    let folders = shards(&scratch, &experiment, 3);
    let more = |name: &str, options: &[&str]| {
        let folder = scratch.path(name);
        expect(&run(&experiment, &folder, &[options, &["--workers", "1"]].concat()), 0);
        folder
    };
    refused(&folders[..2], &scratch, &["missing: shard 3/3"]);
    refused(&folders[1..2], &scratch, &["missing: shard 1/3, shard 3/3"]);
    let twice = [folders.clone(), vec![folders[0].clone()]].concat();
    refused(&twice, &scratch, &["shard 1/3 is there twice", "part-1 and"]);
    let half = more("half", &["--shard", "1/2"]);
    let overlap = [folders.clone(), vec![half]].concat();
    refused(&overlap, &scratch, &["number of shards: ", "2 in ", "3 in "]);
    let seed = more("seed", &["--shard", "3/3", "--seed", "7"]);
    let other_seed = [folders[..2].to_vec(), vec![seed]].concat();
    refused(&other_seed, &scratch, &["seed: 2010 in ", "part-1", "7 in "]);
    let backend = more("backend", &["--shard", "3/3", "--backend", "canon"]);
    let other_backend = [folders[..2].to_vec(), vec![backend]].concat();
    refused(&other_backend, &scratch, &["backends: canon,refine in "]);
    let whole = more("whole", &[]);
    refused(&[whole], &scratch, &["whole run and not a shard"]);
    refused(&[scratch.path("nothing")], &scratch, &["not a run folder"]);
    edit(&folders[1], |m| m["sessions"][0]["provenance"]["pidlab"] = "0.0.1".into());
    refused(&folders, &scratch, &["version of pidlab: ", "0.0.1 in ", "part-2"]);
}

#[test]
fn rows_of_another_shard_are_noticed() {
    let scratch = Scratch::new();
    let folders = shards(&scratch, &pairs(&scratch), 3);
    edit(&folders[0], |manifest| manifest["shard"] = "2/3".into());
    edit(&folders[1], |manifest| manifest["shard"] = "1/3".into());
    refused(&folders, &scratch, &["shard 1/3 in", "shard 2/3 in", "which is of another shard"]);
}

#[test]
fn a_merge_never_replaces_what_is_there() {
    let scratch = Scratch::new();
    let folders = shards(&scratch, &pairs(&scratch), 2);
    let into_itself = merge(&folders, &folders[0], &["--fresh"]);
    expect(&into_itself, 2);
    assert!(text(&into_itself.stderr).contains("is one of the shards"));
    let merged = scratch.path("merged");
    expect(&merge(&folders, &merged, &[]), 0);
    let again = merge(&folders, &merged, &[]);
    expect(&again, 2);
    assert!(text(&again.stderr).contains("holds a run already"), "{}", text(&again.stderr));
    expect(&merge(&folders, &merged, &["--fresh"]), 0);
    let own = scratch.path("own");
    std::fs::create_dir(&own).unwrap();
    std::fs::write(own.join("thesis.tex"), "mine").unwrap();
    expect(&merge(&folders, &own, &["--fresh"]), 2);
    assert_eq!(std::fs::read_dir(&own).unwrap().count(), 1);
    // a merge that was killed left no manifest: the next one begins anew
    std::fs::remove_file(merged.join("manifest.json")).unwrap();
    expect(&merge(&folders, &merged, &[]), 0);
}

#[test]
fn times_of_machines_do_not_mix_unasked() {
    let scratch = Scratch::new();
    let folders = shards(&scratch, &pairs(&scratch), 3);
    set_machine(&folders[0], "Abacus");
    set_machine(&folders[1], "Babbage");
    set_machine(&folders[2], "Babbage");
    let merged = scratch.path("merged");
    let output = merge(&folders, &merged, &["--json"]);
    expect(&output, 0);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let machines = document["machines"].as_array().unwrap();
    assert_eq!(machines.len(), 2);
    assert!(machines[0]["machine"].as_str().unwrap().starts_with("Babbage"));
    let analysis = json(&["analyse"], &merged)["analysis"].clone();
    // answers of all rows, times of those of one machine
    let all = column(&merged, "row").len();
    assert_eq!(analysis["rows"].as_u64().unwrap() as usize, all);
    let on_babbage = machines[0]["rows"].as_u64().unwrap();
    let timed: u64 =
        analysis["series"].as_array().unwrap().iter().map(|s| s["rows"].as_u64().unwrap()).sum();
    assert_eq!(timed, on_babbage);
    assert_eq!(analysis["machines"][0]["analysed"], true);
    assert_eq!(analysis["machines"][1]["analysed"], false);
    expect(&program().arg("report").arg(&merged).output().unwrap(), 0);
    let page = std::fs::read_to_string(merged.join("report.html")).unwrap();
    assert!(page.contains("not taken together") && page.contains("Abacus"));
    let compare = |more: &[&str]| {
        let mut command = program();
        command.args(["compare", "--no-rerun"]).args([&merged, &merged]);
        command.args(more).output().unwrap()
    };
    let refused = compare(&[]);
    expect(&refused, 2);
    let said = text(&refused.stderr);
    assert!(
        said.contains("whose times do not mix") && said.contains("--across-machines"),
        "{said}"
    );
    expect(&compare(&["--across-machines"]), 0);
    let track = program().args(["track", "--commit", "abc"]).arg(&merged).output().unwrap();
    expect(&track, 2);
    // told so, the analysis takes them together
    expect(&merge(&folders, &merged, &["--fresh", "--across-machines"]), 0);
    let together = json(&["analyse"], &merged)["analysis"].clone();
    let timed: u64 =
        together["series"].as_array().unwrap().iter().map(|s| s["rows"].as_u64().unwrap()).sum();
    assert_eq!(timed as usize, all);
}

fn script(name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new("sh");
    command.arg(name).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    command.env("PIDLAB", env!("CARGO_BIN_EXE_pidlab")).envs(variables.iter().copied());
    command.output().unwrap()
}

#[test]
fn the_shell_loop_and_the_slurm_array_make_the_run() {
    let scratch = Scratch::new();
    let experiment = pairs(&scratch);
    let whole = scratch.path("whole");
    expect(&run(&experiment, &whole, &[]), 0);
    let (experiment, looped, array) =
        (experiment.to_str().unwrap(), scratch.path("looped"), scratch.path("array"));
    let done = script("ci/shards.sh", &[experiment, looped.to_str().unwrap(), "3"], &[]);
    expect(&done, 0);
    assert_eq!(timeless(&looped), timeless(&whole));
    let folders: Vec<PathBuf> = (1..=3).map(|i| scratch.path(&format!("array-{i}"))).collect();
    for task in ["1", "2", "3"] {
        // the last one as if it were started again alone
        let count = if task == "3" { "1" } else { "3" };
        let variables =
            [("SLURM_ARRAY_TASK_ID", task), ("SLURM_ARRAY_TASK_COUNT", count), ("SHARDS", "3")];
        let variables = if task == "3" { &variables[..] } else { &variables[..2] };
        expect(&script("ci/slurm-array.sh", &[experiment, array.to_str().unwrap()], variables), 0);
    }
    expect(&merge(&folders, &array, &[]), 0);
    assert_eq!(timeless(&array), timeless(&whole));
    for name in ["ci/shards.sh", "ci/slurm-array.sh"] {
        let output = script(name, &[], &[]);
        assert!(!output.status.success() && text(&output.stderr).contains("usage: "));
    }
}
