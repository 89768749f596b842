//! `--timeout` and `--memory-limit` of the commands that read models, held against what the process
//! really takes. Times are generous, so that a busy machine fails nothing; what they must catch took
//! many times as long.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Stdio};

#[path = "support/watched.rs"]
mod watched;

use watched::{Scratch, pidlab, ran};

fn model(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name);
    path.to_str().expect("a path of text").to_string()
}

/// Fork-join whose tasks never get smaller: markings grow without end.
fn endless(name: &str) -> Scratch {
    let text = std::fs::read_to_string(model("fork-join.tnet")).expect("the model is there");
    Scratch::new(name, &text.replace("n / 2", "n / 1"))
}

#[test]
fn growing_markings_stay_within_memory() {
    let net = endless("growing.tnet");
    for search in [&["--search", "dfs"][..], &["--threads", "1"], &["--threads", "2"]] {
        let mut args = vec!["explore", net.path(), "--relations", "auto", "--timeout", "20s"];
        args.extend(["--memory-limit", "100MB"]);
        args.extend(search);
        pidlab(&args).keeps_to(100, 40.0);
    }
}

#[test]
fn every_way_to_keep_states_stays_within_memory() {
    let path = model("philosophers.bir");
    for compression in ["none", "bytes", "packed", "gzip", "collapse", "tree"] {
        for search in ["dfs", "bfs"] {
            let mut args = vec!["explore", &path, "--set", "N=16", "--search", search];
            args.extend(["--compress", compression, "--memory-limit", "120MB", "--timeout", "6s"]);
            let ran = pidlab(&args);
            // some searches meet the deadlock before the limit
            assert!(matches!(ran.code, Some(1 | 3)), "{}{}", ran.output, ran.errors);
            ran.fits_into(120, 20.0);
        }
    }
}

#[test]
fn every_search_of_a_net_stays_within_memory() {
    let path = model("nkm.tnet");
    for way in [
        &["--threads", "1"][..],
        &["--threads", "2"],
        &["--search", "dfs"],
        &["--canon", "off", "--threads", "2"],
        &["--canon", "off", "--search", "dfs"],
        &["--relations", "all", "--threads", "2"],
    ] {
        let mut args = vec!["explore", &path, "--set", "k=6", "--set", "m=5", "--timeout", "6s"];
        args.extend(["--memory-limit", "120MB"]);
        args.extend(way);
        pidlab(&args).keeps_to(120, 20.0);
    }
}

#[test]
fn all_thread_properties_share_one_clock() {
    let net = endless("properties.tnet");
    let property =
        "thread x: after exists(task(y, _) where y == x) never exists(over(y) where y == x)";
    let mut args = vec!["explore", net.path(), "--relations", "auto", "--timeout", "1s", "--json"];
    (0..20).for_each(|_| args.extend(["--property", property]));
    let ran = pidlab(&args);
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    // one second each took 22
    ran.takes_at_most(8.0);
}

/// Depth-first search finds a deadlock after 201 steps and goes on for ever; the nearest one is hidden
/// among very many states.
const FAR: &str = "system far {
    int i; int a; int b; int c;
    main thread M() {
        loc l: when i < 200 do { i := i + 1; } goto l;
               when i < 200 && a < 1000 do { a := a + 1; } goto l;
               when i < 200 && b < 1000 do { b := b + 1; } goto l;
               when i < 200 && c < 1000 do { c := c + 1; } goto l;
               when i == 200 do { } goto dead;
        loc dead: when false do { } return;
    }
}";

#[test]
fn the_search_for_a_shorter_way_shares_the_clock() {
    let program = Scratch::new("far.bir", FAR);
    let ran = pidlab(&["explore", program.path(), "--timeout", "4s"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.output, ran.errors);
    // no shorter one was found, so it is the way that the search went
    assert!(ran.output.contains("steps:"), "{}", ran.output);
    assert!(!ran.output.contains("the way there is left out"), "{}", ran.output);
    // twice the time before
    ran.takes_at_most(7.0);
}

fn with_body(body: &str) -> String {
    format!("system s {{ int x; main thread M() {{ loc l: do {{ {body} }} return; }} }}")
}

#[test]
fn choices_of_one_step_stay_within_limits() {
    let text = with_body(&"x := x * 7 + choose(0..9); ".repeat(8));
    let program = Scratch::new("choices.bir", &text);
    let limits = ["--timeout", "20s", "--memory-limit", "200MB"];
    for search in ["dfs", "bfs"] {
        let args = [&["explore", program.path(), "--search", search][..], &limits].concat();
        pidlab(&args).keeps_to(200, 40.0);
    }
    let args = [&["explain", program.path(), "--move", "M 1"][..], &limits].concat();
    pidlab(&args).keeps_to(200, 40.0);
}

#[test]
fn choices_that_lead_nowhere_end_in_time() {
    let choices = "x := choose(0..9); ".repeat(8);
    let text = with_body(&format!("set<int> none := new set<int>; {choices} x := pick(none);"));
    let program = Scratch::new("nowhere.bir", &text);
    let ran = pidlab(&["explore", program.path(), "--timeout", "500ms"]);
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    ran.takes_at_most(5.0);
}

#[test]
fn a_long_loop_in_one_step_ends_in_time() {
    let body = "x := (x + 1) % 1000; ".repeat(20_000);
    let program = Scratch::new("loop.bir", &with_body(&format!("while true {{ {body} }}")));
    let ran = pidlab(&["explore", program.path(), "--timeout", "500ms"]);
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    ran.takes_at_most(6.0);
}

#[test]
fn ways_to_count_end_in_time() {
    let tokens = "p(i) for i in 1..200";
    let patterns = ["p(a)", "p(b)", "p(c)", "p(d)", "p(e)", "p(f)"].join(", ");
    let net = format!("net n place p(int) init {tokens} property s = never count({patterns}) < 0");
    let net = Scratch::new("count.tnet", &net);
    let ran = pidlab(&["explore", net.path(), "--timeout", "500ms"]);
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    ran.takes_at_most(5.0);
}

#[test]
fn bindings_of_one_transition_end_in_time() {
    let patterns = ["p(a)", "p(b)", "p(c)", "p(d)", "p(e)", "p(f)"].join(", ");
    let guard = "guard a + b + c + d + e + f < 0";
    let net = format!(
        "net n place p(int) init p(i) for i in 1..200 transition t {{ take {patterns} {guard} }}"
    );
    let net = Scratch::new("bindings.tnet", &net);
    let ran = pidlab(&["explore", net.path(), "--timeout", "500ms"]);
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    ran.takes_at_most(5.0);
}

#[test]
fn the_canonical_form_of_one_marking_ends_in_time() {
    let children = "create w[10000] of x put q(w[i], i * 7919 % 10007) for i in 1..10000";
    let many: String =
        (0..20).map(|n| format!(" {}", children.replace('w', &format!("w{n}")))).collect();
    let net = format!(
        "net n place p(pid) place q(pid, int) init p(@1) transition t {{ take p(x){many} }}"
    );
    let net = Scratch::new("canon.tnet", &net);
    let ran = pidlab(&["explore", net.path(), "--timeout", "1s"]);
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    ran.takes_at_most(8.0);
}

#[test]
fn many_statements_are_compiled_at_once() {
    let declarations: String =
        (0..50_000).map(|i| format!("int t{i} := {i}; x := t{i};\n")).collect();
    let choices: String = (0..50_000).map(|_| "x := choose(x..x);\n").collect();
    for (name, body) in [("declarations", declarations), ("choices", choices)] {
        let program = Scratch::new(&format!("{name}.bir"), &with_body(&body));
        let ran = pidlab(&["explore", program.path()]);
        assert_eq!(ran.code, Some(0), "{}", ran.errors);
        // more than 40 before
        ran.takes_at_most(15.0);
    }
}

#[test]
fn compiling_stays_within_limits() {
    let loops = "for i in 1..60000 for j in 1..60000";
    let net = format!("net n place p(int) transition t {loops} {{ take p(i) put p(j) }}");
    let net = Scratch::new("loops.tnet", &net);
    for command in ["explore", "lint"] {
        let ran = pidlab(&[command, net.path(), "--timeout", "1s"]);
        assert_eq!(ran.code, Some(3), "{}{}", ran.output, ran.errors);
        assert!(ran.errors.contains("the time limit was reached"), "{}", ran.errors);
        ran.takes_at_most(6.0);
        pidlab(&[command, net.path(), "--memory-limit", "100MB"]).keeps_to(100, 30.0);
    }
    let sixty = |of: &str| vec![of; 60].join(", ");
    let (a, b, c, d) = (sixty("1"), sixty("a"), sixty("b"), sixty("c"));
    let net = format!("net n const a = {a} const b = {b} const c = {c} const d = {d} place p(int)");
    let net = Scratch::new("lists.tnet", &net);
    pidlab(&["explore", net.path(), "--memory-limit", "100MB"]).keeps_to(100, 30.0);
}

#[test]
fn lint_has_limits() {
    let net = endless("lint.tnet");
    let endless = ["lint", net.path(), "--max-states", "100000000"];
    let ran = pidlab(&[&endless[..], &["--timeout", "1s", "--json"]].concat());
    assert_eq!(ran.code, Some(3), "{}{}", ran.output, ran.errors);
    assert!(ran.output.contains("\"stopped\":\"time\""), "{}", ran.output);
    ran.takes_at_most(6.0);
    pidlab(&[&endless[..], &["--memory-limit", "60MB"]].concat()).keeps_to(60, 60.0);
}

/// Our searches end, and so does a program beside them that never would.
#[test]
fn the_comparison_with_other_explorers_ends_in_time() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless-spin");
    std::fs::create_dir_all(&folder).expect("a folder is made");
    let spin = folder.join("spin");
    std::fs::write(&spin, "#!/bin/sh\nsleep 1000\n").expect("a file is written");
    std::fs::set_permissions(&spin, PermissionsExt::from_mode(0o755)).expect("it may run");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let peers = ["bogor", "peers", "--philosophers", "14", "--timeout", "300ms", "--json"];
    for path in [path, "/nowhere".into()] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pidlab"));
        let peers = ran(command.args(peers).env("PATH", path));
        assert_eq!(peers.code, Some(3), "{}{}", peers.output, peers.errors);
        assert!(peers.output.contains(r#""stopped":"time""#), "{}", peers.output);
        peers.takes_at_most(20.0);
    }
}

#[test]
fn a_graph_is_written_within_limits() {
    let net = endless("graph.tnet");
    let graph = Scratch::new("graph.json", "");
    let ran = pidlab(&[
        "explore",
        net.path(),
        "--max-states",
        "15000",
        "--timeout",
        "2s",
        "--output",
        graph.path(),
    ]);
    assert_eq!(ran.code, Some(3), "{}{}", ran.output, ran.errors);
    ran.takes_at_most(8.0);
}

#[test]
fn the_check_is_undecided_where_a_limit_ends_it() {
    let path = model("nkm.tnet");
    let set = ["--set", "k=4", "--set", "m=3"];
    let ran = pidlab(&[&["explore", &path, "--check", "--timeout", "3s"][..], &set].concat());
    // a check cut short is not a disagreement
    assert!(matches!(ran.code, Some(0 | 3)), "{}{}", ran.output, ran.errors);
    ran.takes_at_most(10.0);
}

#[test]
fn no_thread_at_all_and_far_too_many() {
    let path = model("nkm.tnet");
    // nobody would leave its first transition, which a t-net forbids
    let none = pidlab(&["explore", &path, "--set", "k=0"]);
    assert_eq!(none.code, Some(2));
    assert!(none.errors.contains("Assumption 3.1: transition `init`"), "{}", none.errors);
    let many = pidlab(&["explore", &path, "--threads", "18446744073709551615"]);
    assert_eq!(many.code, Some(2));
    assert!(many.errors.contains("at most 1024"), "{}", many.errors);
}

/// A program that asks nothing, and one that asks for more than memory allows.
#[test]
fn a_served_net_waits_and_reads_within_limits() {
    let serve = |limit: [&str; 2], input: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pidlab"));
        ran(command.arg("serve").arg(model("nkm.tnet")).args(limit).stdin(input))
    };
    let waits = serve(["--timeout", "300ms"], Stdio::piped());
    assert_eq!(waits.code, Some(3), "{}{}", waits.output, waits.errors);
    assert!(waits.errors.contains("time limit"), "{}", waits.errors);
    waits.takes_at_most(5.0);
    let request = Scratch::new("request.jsonl", &" ".repeat(200_000_000));
    let request = std::fs::File::open(request.path()).expect("the request is there");
    let reads = serve(["--memory-limit", "20MB"], request.into());
    assert_eq!(reads.code, Some(2), "{}{}", reads.output, reads.errors);
    assert!(reads.errors.contains("a request has more than 5000000 bytes"), "{}", reads.errors);
    reads.fits_into(20, 20.0);
}
