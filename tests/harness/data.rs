//! The rows of a run as data for others: types, columns that say what they are, a data package, exports, and names of
//! programs of one's own.

use crate::support::{BUDGET, Scratch, column, expect, fields, program, run, table, text};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn export(folder: &Path, more: &[&str]) -> Output {
    program().arg("export").arg(folder).args(more).output().unwrap()
}

#[test]
fn a_run_says_what_its_columns_are() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["canon"]"#, "[10, 20]", BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    let names = table(&out).remove(0);
    let package: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("datapackage.json")).unwrap())
            .unwrap();
    let rows = &package["resources"][0];
    let described: Vec<&str> = rows["schema"]["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| field["name"].as_str().unwrap())
        .collect();
    assert_eq!(described, names);
    for resource in package["resources"].as_array().unwrap() {
        assert!(out.join(resource["path"].as_str().unwrap()).is_file(), "{resource}");
    }
    let length = std::fs::metadata(out.join("rows.csv")).unwrap().len();
    assert_eq!(rows["bytes"], length);
    has_checksums(&out, &package);
    let page = std::fs::read_to_string(out.join("columns.md")).unwrap();
    for name in &names {
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
    let share = column(&out, "set_pid_share");
    assert!(share.iter().all(|value| value == "0.6"), "{share:?}");
    let whole = column(&out, "wall_ns").into_iter().zip(column(&out, "build_ns"));
    for ((wall, build), decide) in whole.zip(column(&out, "decide_ns")) {
        let [wall, build, decide] = [wall, build, decide].map(|ns| ns.parse::<u64>().unwrap());
        assert_eq!(wall, build + decide);
    }
    assert!(column(&out, "obvious").iter().all(|value| ["true", "false"].contains(&&**value)));
}

/// A tool that knows nothing of pidlab finds every file unchanged.
fn has_checksums(folder: &Path, package: &Value) {
    let line = |resource: &Value| {
        let hash = resource["hash"].as_str().unwrap().strip_prefix("sha256:").unwrap();
        format!("{hash}  {}\n", resource["path"].as_str().unwrap())
    };
    let list: String = package["resources"].as_array().unwrap().iter().map(line).collect();
    std::fs::write(folder.join("sums"), &list).unwrap();
    let mut tool = Command::new("sha256sum");
    match tool.args(["--check", "--strict", "sums"]).current_dir(folder).output() {
        Ok(output) => expect(&output, 0),
        Err(_) => eprintln!("SKIPPED: there is no sha256sum"),
    }
    std::fs::remove_file(folder.join("sums")).unwrap();
}

#[test]
fn a_table_is_exported_in_four_formats() {
    let scratch = Scratch::new();
    let experiment = scratch.experiment(r#"["canon", "refine"]"#, "[10, 20]", BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    let rows = table(&out).len() - 1;
    let csv = export(&out, &["--format", "csv"]);
    expect(&csv, 0);
    assert_eq!(text(&csv.stdout), std::fs::read_to_string(out.join("rows.csv")).unwrap());
    let lines = text(&export(&out, &["--format", "jsonl"]).stdout);
    let objects: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), rows);
    assert!(objects[0]["obvious"].is_boolean() && objects[0]["set_pid_share"].is_number());
    let arff = text(&export(&out, &["--format", "arff"]).stdout);
    let (head, data) = arff.split_once("@data\n").unwrap();
    assert_eq!(data.lines().count(), rows);
    assert!(head.contains("@attribute backend {canon,refine}"), "{head}");
    let file = scratch.path("rows.parquet");
    let written = ["--format", "parquet", "--output", file.to_str().unwrap()];
    expect(&export(&out, &written), 0);
    assert!(std::fs::read(&file).unwrap().starts_with(b"PAR1"));
    let by_ending = scratch.path("again.parquet");
    expect(&export(&out, &["--output", by_ending.to_str().unwrap()]), 0);
    assert_eq!(std::fs::read(&by_ending).unwrap(), std::fs::read(&file).unwrap());
    let other = scratch.path("other.parquet");
    expect(&export(&out, &["--format", "csv", "--output", other.to_str().unwrap()]), 2);
    assert!(!other.exists());
    let again = export(&out, &written);
    expect(&again, 2);
    assert!(text(&again.stderr).contains("is there already"), "{}", text(&again.stderr));
    expect(&export(&out, &["--format", "parquet"]), 2);
    expect(&export(&scratch.path("nothing"), &[]), 2);
    expect(&export(&out, &["--format", "xlsx"]), 2);
}

/// A table of an earlier version, kept as CSV, has the types of this one.
#[test]
fn reference_runs_are_exported() {
    let exported = export(Path::new("results/sacs10-smoke"), &[]);
    expect(&exported, 0);
    let table = fields(&text(&exported.stdout));
    let at = table[0].iter().position(|name| name == "obvious").unwrap();
    assert_eq!(table.len(), 1081);
    assert!(table[1..].iter().all(|row| ["true", "false"].contains(&&*row[at])));
}

#[test]
fn programs_have_names_of_their_own() {
    let scratch = Scratch::new();
    let program_named = |file: &str, name: &str| {
        let path = scratch.path(file);
        let script = format!(
            r#"echo '{{"format":"pidlab-external/2","wants":["plain"]{name}}}'
while read -r line; do
  id=${{line#*\"id\":}}; id=${{id%%,*}}
  echo "{{\"id\":$id,\"equivalent\":null}}"
done"#
        );
        std::fs::write(&path, script).unwrap();
        format!("external:sh {}", path.display())
    };
    let mine = program_named("mine.sh", r#","name":"my matcher""#);
    let nameless = program_named("nameless.sh", "");
    let taken = program_named("taken.sh", r#","name":"canon""#);
    let backends = format!(r#"["canon", "{mine}", "{nameless}", "{taken}"]"#);
    let experiment = scratch.experiment(&backends, "[10]", BUDGET);
    let out = scratch.path("run");
    expect(&run(&experiment, &out, &[]), 0);
    let mut names = column(&out, "backend");
    names.sort();
    names.dedup();
    assert_eq!(names, ["canon", nameless.as_str(), taken.as_str(), "my matcher"]);
    expect(&program().arg("report").arg(&out).output().unwrap(), 0);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    // the command that makes the page again names the program, nothing below it does
    let (_, shown) = page.split_once("<section class=\"box\">").unwrap();
    assert!(shown.contains("my matcher") && !shown.contains("mine.sh"));
    let bad = program_named("bad.sh", r#","name":"../../etc""#);
    let state = "examples/q3.json";
    let asked = program().args(["check", state, state, "--backend", &bad]).output().unwrap();
    expect(&asked, 3);
    assert!(
        text(&asked.stdout).contains("is not one: expected 1 to 40"),
        "{}",
        text(&asked.stdout)
    );
}
