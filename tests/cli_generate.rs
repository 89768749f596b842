//! `pidlab generate`, `convert` and `verify` from the outside.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn pidlab(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pidlab")).args(args).current_dir(folder).output().unwrap()
}

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn ok(args: &[&str], folder: &Path) -> String {
    let output = pidlab(args, folder);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The message of a command that must end with exit code 2.
fn refused(args: &[&str], folder: &Path) -> String {
    let output = pidlab(args, folder);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let at = folder("same-seed");
    for args in [
        ["generate", "random", "--pids", "40", "--seed", "7"],
        ["generate", "hard", "--family", "cfi", "--size", "8"],
    ] {
        assert_eq!(ok(&args, &at), ok(&args, &at));
    }
    let other = ["generate", "random", "--pids", "40", "--seed", "8"];
    assert_ne!(ok(&other, &at), ok(&["generate", "random", "--pids", "40", "--seed", "7"], &at));
}

#[test]
fn transformations_compose_and_say_what_they_guarantee() {
    let at = folder("transform");
    ok(&["generate", "random", "--pids", "30", "-o", "a.json"], &at);
    let args = ["generate", "transform", "a.json", "--kind", "rename", "-o", "b.json"];
    let output = pidlab(&args, &at);
    assert!(
        String::from_utf8(output.stderr).unwrap().contains("beside a.json: equivalent; 30 pids")
    );
    let both =
        ["generate", "transform", "a.json", "--kind", "rename", "--kind", "replace-data:0.5"];
    let message = String::from_utf8(pidlab(&both, &at).stderr).unwrap();
    assert!(message.contains("beside a.json: not equivalent"), "{message}");
    assert!(ok(&["generate", "transform", "--list"], &at).contains("near-miss"));
    assert!(refused(&["generate", "transform", "a.json", "--kind", "x"], &at).contains("rename"));
    let strong = ["generate", "transform", "a.json", "--kind", "rename", "--strength", "7"];
    assert!(refused(&strong, &at).contains("strength 7"));
}

#[test]
fn families_are_listed_and_bad_requests_explained() {
    let at = folder("hard");
    assert!(ok(&["generate", "hard", "--list"], &at).contains("projective-plane"));
    let listing: serde_json::Value =
        serde_json::from_str(&ok(&["generate", "hard", "--list", "--json"], &at)).unwrap();
    assert_eq!(listing["format"], "pidlab-families/1");
    assert_eq!(listing["families"].as_array().unwrap().len(), 18);
    let hard =
        |family, size| refused(&["generate", "hard", "--family", family, "--size", size], &at);
    assert!(hard("cfx", "4").contains("projective-plane"));
    assert!(hard("cubic", "9").contains("even"));
    assert!(hard("rook", "1").contains("outside"));
}

#[test]
fn text_and_json_convert_into_each_other() {
    let at = folder("convert");
    std::fs::write(at.join("a.pst"), "L : <2:2, 2> <3, 2.1:0>\n").unwrap();
    let json = ok(&["convert", "a.pst"], &at);
    assert!(json.contains(r#""sigma":{"L":[["@2",2],[3,"@2.1"]]}"#), "{json}");
    ok(&["convert", "a.pst", "-o", "a.json"], &at);
    assert_eq!(ok(&["convert", "a.json"], &at), "L : <2:2, 2> <3, 2.1:0>\n");
    std::fs::write(at.join("bad.pst"), "L : <2.1>\n").unwrap();
    assert!(refused(&["convert", "bad.pst"], &at).contains("bad.pst:1:6: "));
}

#[test]
fn a_state_without_vectors_goes_through_both_formats() {
    let at = folder("nothing");
    std::fs::write(at.join("a.json"), r#"{"sigma":{},"eta":{}}"#).unwrap();
    ok(&["convert", "a.json", "-o", "a.pst"], &at);
    ok(&["check", "a.pst", "a.json", "--relations", "all"], &at);
    assert_eq!(ok(&["convert", "a.json"], &at), "@eta :\n");
    assert!(ok(&["convert", "a.pst"], &at).contains(r#""sigma":{},"eta":{}"#));
    std::fs::write(at.join("mishap.pst"), "").unwrap();
    assert!(refused(&["convert", "mishap.pst"], &at).contains("is empty"));
}

/// The next-pid of a pid that has created 2^64-2 children ends in 2^64-1, the largest integer of a pid.
#[test]
fn the_largest_counter_is_2_to_the_64_minus_2() {
    let at = folder("largest");
    let state = |last: &str, created: &str| {
        let sigma = format!(r#"{{"A":[["@1","@1.{last}"]]}}"#);
        format!(r#"{{"sigma":{sigma},"eta":{{"1":{created}}}}}"#)
    };
    let write = |name: &str, text: String| std::fs::write(at.join(name), text).unwrap();
    write("a.json", state("18446744073709551614", "18446744073709551614"));
    write("b.json", state("3", "3"));
    write("c.json", state("18446744073709551613", "18446744073709551614"));
    write("d.json", state("1", "18446744073709551615"));
    ok(&["convert", "a.json", "-o", "a.pst"], &at);
    for backend in ["canon", "refine", "vf2", "petgraph"] {
        let check = |other: &str| {
            let args = ["check", "a.pst", other, "--relations", "all", "--backend", backend];
            pidlab(&args, &at).status.code()
        };
        assert_eq!([check("a.json"), check("b.json")], [Some(0); 2], "{backend}");
        assert_eq!(check("c.json"), Some(1), "{backend}");
    }
    for kind in ["increment-counters", "shift-integers", "replace-pids", "shift-pids", "rename"] {
        ok(&["generate", "transform", "a.json", "--kind", kind, "-o", "t.json"], &at);
        let known = pidlab(&["check", "a.json", "t.json"], &at).status.code();
        assert!(matches!(known, Some(0 | 1)), "{kind}");
    }
    assert!(refused(&["convert", "d.json"], &at).contains("largest eta"));
}

#[test]
fn witnesses_are_verified() {
    let at = folder("verify");
    std::fs::write(at.join("a.pst"), "A : <1:1> B : <@1.1>").unwrap();
    std::fs::write(at.join("b.pst"), "A : <5:3> B : <@5.1>").unwrap();
    let verify = |witness: &str, relations: &str| {
        std::fs::write(at.join("w.json"), witness).unwrap();
        let args =
            ["verify", "a.pst", "b.pst", "--witness", "w.json", "--relations", relations, "--json"];
        let output = pidlab(&args, &at);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let good = r#"{"@1":"@5","@1.1":"@5.1","@1.2":"@5.4"}"#;
    let (code, text) = verify(good, "parent");
    assert_eq!(code, Some(0));
    assert_eq!(text.trim(), r#"{"format":"pidlab-verify/1","valid":true,"violation":null}"#);
    let report = format!("{{\"equivalent\":true,\"witness\":{good},\"reason\":null}}");
    assert_eq!(verify(&report, "parent").0, Some(0));
    let (code, text) = verify(good, "all");
    assert_eq!(code, Some(1));
    assert!(text.contains("adjacent-sibling is not preserved"), "{text}");
    assert_eq!(verify(r#"{"@1":"@5"}"#, "none").0, Some(1));
    assert_eq!(verify("{", "none").0, Some(2));
    assert_eq!(verify(r#"{"equivalent":false,"witness":null}"#, "none").0, Some(2));
}

/// Counts used to be taken as they came, up to a panic or the end of memory.
#[test]
fn counts_beyond_memory_are_refused() {
    let at = folder("counts");
    for name in ["pids", "locations", "vectors", "width", "distinct-data"] {
        for value in ["18446744073709551615", "9223372036854775807", "4294967296"] {
            let option = format!("--{name}");
            let message = refused(&["generate", "random", &option, value], &at);
            assert!(message.contains("at most"), "{name}: {message}");
        }
    }
    for name in ["roots", "depth", "fan-out"] {
        ok(&["generate", "random", &format!("--{name}"), "18446744073709551615"], &at);
    }
}
