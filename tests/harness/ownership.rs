//! What pidlab did not write it neither replaces nor removes, and it writes in its own folders alone.

use crate::support::{BUDGET, Scratch, expect, program, run, text, timeless};
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

const BACKENDS: &str = r#"["canon"]"#;
const LIST: &str = "pidlab-files.jsonl";

/// Every file below a folder with its contents; links as where they lead.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            let target = std::fs::read_link(&path).unwrap();
            found.insert(path, target.to_string_lossy().as_bytes().to_vec());
        } else if path.is_dir() {
            found.extend(contents(&path));
            found.insert(path, Vec::new());
        } else {
            let bytes = std::fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

/// A folder with files of a user under names that pidlab uses, too.
fn users_folder(path: &Path) {
    std::fs::create_dir_all(path.join("log")).unwrap();
    let names = ["notes.json", "experiment.toml", "lock", "rows.csv", "rows.parquet", "page.html"];
    for name in names.into_iter().chain(["log/old.json", "log/measured.rows", "manifest.json"]) {
        std::fs::write(path.join(name), format!("{{\"mine\": \"{name}\"}}")).unwrap();
    }
}

fn refused(output: &Output) -> String {
    expect(output, 2);
    text(&output.stderr)
}

fn pidlab(arguments: &[&str], out: &Path) -> Output {
    program().args(arguments).arg(out).output().unwrap()
}

fn finished(scratch: &Scratch) -> (PathBuf, PathBuf) {
    let experiment = scratch.experiment(BACKENDS, "[10, 12, 14]", BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    (experiment, out)
}

#[test]
fn a_users_folder_is_refused_and_untouched() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, "[10]", BUDGET);
    let experiment = experiment.to_str().unwrap();
    let mine = scratch.path("mine");
    users_folder(&mine);
    users_folder(&mine.join("relations-smoke"));
    users_folder(&mine.join("bogor-table1-smoke"));
    let before = contents(&mine);
    let cup = ["tournament", "--scale", "smoke", "--backend", "canon", "--family", "cubic"];
    let commands: [&[&str]; 9] = [
        &["run", experiment, "--out"],
        &["run", experiment, "--fresh", "--out"],
        &["run", experiment, "--replay", "0", "--save"],
        &[&cup[..], &["--fresh", "--out"]].concat(),
        &[&cup[..], &["--out"]].concat(),
        &["reproduce", "relations", "--scale", "smoke", "--fresh", "--out"],
        &["reproduce", "bogor-table1", "--scale", "smoke", "--out"],
        &["cover", "--compare", "models", "--algorithms", "beacon", "--out"],
        &[
            "compare",
            env!("CARGO_BIN_EXE_pidlab"),
            env!("CARGO_BIN_EXE_pidlab"),
            "--fresh",
            "--out",
        ],
    ];
    for command in commands {
        let said = refused(&pidlab(command, &mine));
        assert!(said.contains("not made by pidlab"), "{command:?}: {said}");
        assert!(contents(&mine) == before, "{command:?} changed something");
    }
    let said = refused(&pidlab(&["analyse"], &mine));
    assert!(said.contains("manifest.json"), "{said}");
    assert!(contents(&mine) == before, "analyse changed something");
}

#[test]
fn the_folder_of_the_experiment_itself_is_refused() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, "[10]", BUDGET);
    std::fs::rename(&experiment, scratch.path("experiment.toml")).unwrap();
    let before = contents(&scratch.0);
    for more in [&["--fresh"][..], &["--timeout", "9s"]] {
        let output = program()
            .current_dir(&scratch.0)
            .args(["run", "experiment.toml", "--out", "."])
            .args(more)
            .output()
            .unwrap();
        refused(&output);
        assert!(contents(&scratch.0) == before, "{more:?}");
    }
}

#[test]
fn fresh_removes_what_we_wrote_and_nothing_else() {
    let scratch = Scratch::new();
    let (experiment, out) = finished(&scratch);
    expect(&pidlab(&["report"], &out), 0);
    for name in ["notes.json", "log/notes.csv", "figures/mine.svg"] {
        std::fs::write(out.join(name), "mine").unwrap();
    }
    expect(&run(&experiment, &out, &["--fresh", "--seed", "7"]), 0);
    for name in ["notes.json", "log/notes.csv", "figures/mine.svg"] {
        assert_eq!(std::fs::read(out.join(name)).unwrap(), b"mine", "{name}");
    }
    for name in ["report.html", "analysis.json", "figures/density.svg"] {
        assert!(!out.join(name).exists(), "{name} is of the old run");
    }
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    assert!(manifest.contains("\"seed\": 7"), "{manifest}");
}

#[test]
fn foreign_files_in_a_folder_of_ours_are_refused() {
    let scratch = Scratch::new();
    let (_, out) = finished(&scratch);
    for (command, name) in
        [("analyse", "analysis.json"), ("plot", "figures/density.svg"), ("report", "report.html")]
    {
        std::fs::create_dir_all(out.join("figures")).unwrap();
        std::fs::write(out.join(name), "mine").unwrap();
        let said = refused(&pidlab(&[command], &out));
        assert!(said.contains(name) && said.contains("not written by pidlab"), "{said}");
        assert_eq!(std::fs::read(out.join(name)).unwrap(), b"mine");
        std::fs::remove_file(out.join(name)).unwrap();
        expect(&pidlab(&[command], &out), 0);
    }
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, "[10]", BUDGET);
    let good = std::fs::read_to_string(&experiment).unwrap();
    let deep = scratch.path("a/b/c");
    std::fs::create_dir_all(&deep).unwrap();
    for name in ["../../../evil", "/evil", "..", "a/b", "", "-x", "a\\nb"] {
        let bad = good.replace("name = \"mini\"", &format!("name = \"{name}\""));
        std::fs::write(&experiment, bad).unwrap();
        let before = contents(&scratch.0);
        let output = program().current_dir(&deep).arg("run").arg(&experiment).output().unwrap();
        let said = refused(&output);
        assert!(said.contains("`name`") && said.contains("mini.toml"), "{name}: {said}");
        assert!(contents(&scratch.0) == before, "{name}");
    }
}

#[test]
fn links_in_a_run_folder_are_not_followed() {
    let scratch = Scratch::new();
    let (experiment, out) = finished(&scratch);
    let victim = scratch.path("victim");
    users_folder(&victim);
    let before = contents(&victim);
    for (name, command) in [
        ("rows.csv", "run"),
        ("experiment.toml", "run"),
        ("manifest.json", "run"),
        ("lock", "run"),
        ("analysis.json", "analyse"),
        (LIST, "run"),
        ("log", "run"),
    ] {
        let (path, kept) = (out.join(name), scratch.path("kept"));
        let was_there = path.exists();
        if was_there {
            std::fs::rename(&path, &kept).unwrap();
        }
        let target = match name {
            "manifest.json" | "experiment.toml" | LIST => kept.clone(),
            _ => victim.join(name),
        };
        symlink(&target, &path).unwrap();
        let (ours, theirs) = (std::fs::read(&kept).ok(), contents(&victim));
        let output = match command {
            "run" => run(&experiment, &out, &[]),
            _ => pidlab(&[command], &out),
        };
        let said = refused(&output);
        assert!(said.contains(name), "{name}: {said}");
        let fresh = run(&experiment, &out, &["--fresh"]);
        // a link that was never listed is nobody's business
        if name != "analysis.json" {
            refused(&fresh);
        }
        assert_eq!((std::fs::read(&kept).ok(), contents(&victim)), (ours, theirs), "{name}");
        std::fs::remove_file(&path).unwrap();
        if was_there {
            std::fs::rename(&kept, &path).unwrap();
        }
    }
    assert!(contents(&victim) == before);
    expect(&run(&experiment, &out, &[]), 0);
}

#[test]
fn a_segment_that_is_a_link_is_not_cut() {
    let scratch = Scratch::new();
    let (experiment, out) = finished(&scratch);
    let segment = crate::support::segments(&out).remove(0);
    let theirs = scratch.path("theirs.rows");
    let mut bytes = std::fs::read(&segment).unwrap();
    bytes.extend([1; 30]);
    std::fs::write(&theirs, &bytes).unwrap();
    std::fs::remove_file(&segment).unwrap();
    symlink(&theirs, &segment).unwrap();
    refused(&run(&experiment, &out, &[]));
    assert_eq!(std::fs::read(&theirs).unwrap(), bytes);
}

#[test]
fn a_crash_while_a_file_is_listed_or_written_does_no_harm() {
    let scratch = Scratch::new();
    let (experiment, out) = finished(&scratch);
    let list = out.join(LIST);
    let whole = std::fs::read_to_string(&list).unwrap();
    std::fs::write(out.join("notes"), "mine").unwrap();
    // listed and never made; cut off in the middle of a name that would have been the user's
    std::fs::write(&list, format!("{whole}\"report.html\"\n\"notes")).unwrap();
    std::fs::write(out.join("pidlab-files.tmp"), "half a table").unwrap();
    expect(&pidlab(&["report"], &out), 0);
    expect(&run(&experiment, &out, &["--fresh"]), 0);
    assert_eq!(std::fs::read(out.join("notes")).unwrap(), b"mine");
    assert!(!out.join("report.html").exists());
    // killed when nothing but the beginning of the list was there
    let new = scratch.path("new");
    std::fs::create_dir(&new).unwrap();
    std::fs::write(new.join(LIST), &whole[..7]).unwrap();
    expect(&run(&experiment, &new, &[]), 0);
    assert_eq!(timeless(&new), timeless(&out));
}

#[test]
fn a_forged_list_leads_nowhere() {
    let scratch = Scratch::new();
    let (experiment, out) = finished(&scratch);
    let victim = scratch.path("victim.txt");
    std::fs::write(&victim, "mine").unwrap();
    let list = out.join(LIST);
    let whole = std::fs::read_to_string(&list).unwrap();
    let absolute = victim.to_str().unwrap().to_string();
    for name in ["../victim.txt", "log/../../victim.txt", &absolute, "../"] {
        std::fs::write(&list, format!("{whole}\"{name}\"\n")).unwrap();
        let said = refused(&run(&experiment, &out, &["--fresh"]));
        assert!(said.contains(LIST) && said.contains("line"), "{name}: {said}");
        assert_eq!(std::fs::read(&victim).unwrap(), b"mine");
    }
}

#[test]
fn a_new_comparison_removes_only_what_the_old_one_wrote() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, "[10, 12, 14]", BUDGET);
    let out = scratch.path("out");
    let compare = || {
        program()
            .args(["compare", env!("CARGO_BIN_EXE_pidlab"), env!("CARGO_BIN_EXE_pidlab")])
            .args(["--rounds", "1", "--instructions", "off", "--threshold", "90%"])
            .args(["--no-rerun", "--fresh", "--experiment"])
            .arg(&experiment)
            .arg("--out")
            .arg(&out)
            .output()
            .unwrap()
    };
    expect(&compare(), 0);
    let mine = ["notes.json", "mini/round-01/base/notes.json", "mini/thesis.tex"];
    mine.iter().for_each(|name| std::fs::write(out.join(name), "mine").unwrap());
    let started = || std::fs::read_to_string(out.join("mini/round-01/new/manifest.json")).unwrap();
    let before = started();
    expect(&compare(), 0);
    assert_ne!(started(), before, "measured anew");
    mine.iter().for_each(|name| assert_eq!(std::fs::read(out.join(name)).unwrap(), b"mine"));
}

#[test]
fn a_page_of_a_history_replaces_its_own_kind_alone() {
    let scratch = Scratch::new();
    let (_, out) = finished(&scratch);
    let (history, page) = (scratch.path("history"), scratch.path("page.html"));
    let track = || {
        let mut command = program();
        command.args(["track", "--commit", "c1", "--history"]).arg(&history);
        command.arg("--page").arg(&page).arg(&out).output().unwrap()
    };
    std::fs::write(&page, "<html>mine</html>").unwrap();
    let said = refused(&track());
    assert!(said.contains("page.html") && said.contains("not written by pidlab"), "{said}");
    assert_eq!(std::fs::read(&page).unwrap(), b"<html>mine</html>");
    std::fs::remove_file(&page).unwrap();
    expect(&track(), 0);
    expect(&track(), 0);
    // nor is a history written through a link
    let machine = std::fs::read_dir(&history).unwrap().next().unwrap().unwrap().path();
    let elsewhere = scratch.path("elsewhere");
    std::fs::remove_dir_all(&machine).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, &machine).unwrap();
    refused(&track());
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn fresh_does_not_discard_other_results_of_ours() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(BACKENDS, "[10]", BUDGET);
    let saved = scratch.path("saved");
    expect(&pidlab(&["run", experiment.to_str().unwrap(), "--replay", "0", "--save"], &saved), 0);
    let before = contents(&saved);
    let said = refused(&run(&experiment, &saved, &["--fresh"]));
    assert!(said.contains("something else than a run"), "{said}");
    assert!(contents(&saved) == before);
}
