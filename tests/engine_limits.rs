//! `--timeout` and `--memory-limit` of the commands that compare states, held against what the process really takes.
//! Times are generous, so that a busy machine fails nothing; what they must catch took many times as long.

#![cfg(target_os = "linux")]

#[path = "support/watched.rs"]
mod watched;

use watched::{Ran, Scratch, pidlab};

/// A state of a hard family.
fn hard(family: &str, size: &str, variant: &str) -> Scratch {
    let args = ["generate", "hard", "--family", family, "--size", size, "--variant", variant];
    let made = pidlab(&args);
    assert_eq!(made.code, Some(0), "{}", made.errors);
    Scratch::new(&format!("{family}-{size}-{variant}.json"), &made.output)
}

/// An answer, or none within the limits.
#[track_caller]
fn ends(ran: &Ran, seconds: f64) {
    assert!(matches!(ran.code, Some(0 | 1 | 3)), "{}{}", ran.output, ran.errors);
    ran.takes_at_most(seconds);
}

/// Every vertex of a Paley graph looks like every other, and there are many edges: encodings are large, and refining
/// once takes long.
#[test]
fn every_backend_ends_in_time_on_a_dense_graph() {
    let (q, r) = (hard("paley", "600", "base"), hard("paley", "600", "equivalent"));
    let backends =
        ["canon", "refine", "nauty", "traces", "nauty-faithful", "traces-faithful", "vf2", "wl"];
    for backend in backends {
        let args = ["check", q.path(), r.path(), "--backend", backend, "--timeout", "500ms"];
        ends(&pidlab(&args), 5.0);
    }
}

/// No backend decides the larger multipedes within seconds.
#[test]
fn every_backend_ends_in_time_on_a_hard_pair() {
    let (q, r) = (hard("multipede", "160", "base"), hard("multipede", "160", "equivalent"));
    for backend in ["canon", "refine", "nauty", "traces", "nauty-faithful", "traces-faithful"] {
        let args = ["check", q.path(), r.path(), "--backend", backend, "--timeout", "500ms"];
        let ran = pidlab(&args);
        ends(&ran, 5.0);
    }
}

#[test]
fn canonical_forms_and_groups_end_in_time() {
    let state = hard("multipede", "160", "base");
    for more in [&[][..], &["--group"], &["--check"]] {
        let args = [&["canon", state.path(), "--timeout", "500ms"][..], more].concat();
        ends(&pidlab(&args), 5.0);
    }
}

#[test]
fn comparing_stays_within_memory() {
    let (q, r) = (hard("paley", "600", "base"), hard("paley", "600", "equivalent"));
    for backend in ["canon", "refine", "nauty", "traces-faithful", "vf2"] {
        let args = ["check", q.path(), r.path(), "--backend", backend, "--memory-limit", "60MB"];
        let ran = pidlab(&[&args[..], &["--timeout", "20s"]].concat());
        assert!(matches!(ran.code, Some(0 | 1 | 3)), "{}{}", ran.output, ran.errors);
        ran.fits_into(60, 40.0);
    }
}

/// A hundred thousand states, each with a transition to the next.
fn long_system() -> Scratch {
    let mut text = String::from("{\"format\": \"pidlab-lts/1\"}\n");
    for n in 0..100_000 {
        let state = format!(r#"{{"sigma": {{"A": [["@1", {n}]]}}, "eta": {{"1": 0}}}}"#);
        let initial = n == 0;
        let line = format!(r#"{{"id": "{n}", "initial": {initial}, "state": {state}}}"#);
        text.push_str(&line);
        text.push('\n');
        if n > 0 {
            let from = n - 1;
            text.push_str(&format!(r#"{{"from": "{from}", "action": "a", "to": "{n}"}}"#));
            text.push('\n');
        }
    }
    Scratch::new("long.jsonl", &text)
}

#[test]
fn quotients_keep_to_both_limits() {
    let system = long_system();
    let in_time = pidlab(&["quotient", system.path(), "--timeout", "20ms"]);
    assert_eq!(in_time.code, Some(3), "{}{}", in_time.output, in_time.errors);
    in_time.takes_at_most(5.0);
    pidlab(&["quotient", system.path(), "--memory-limit", "10MB"]).keeps_to(10, 30.0);
    assert_eq!(pidlab(&["quotient", system.path()]).code, Some(0), "it can be read at all");
}

/// Reading, making a state of what was read, colours and the form: none of them may run on when the time is over.
#[test]
fn huge_inputs_end_in_time() {
    let edges: String = (1..400_000).map(|v| format!("e {v} {}\n", v + 1)).collect();
    let graph = Scratch::new("path.col", &format!("p edge 400000 399999\n{edges}"));
    let vectors: Vec<String> = (1..400_000).map(|pid| format!("[\"@{pid}\",{pid}]")).collect();
    let state = format!("{{\"sigma\": {{\"A\": [{}]}}, \"eta\": {{}}}}", vectors.join(","));
    let state = Scratch::new("huge.json", &state);
    for input in [&graph, &state] {
        for limit in ["20ms", "100ms", "200ms"] {
            for question in [&["canon", input.path()][..], &["check", input.path(), input.path()]] {
                let ran = pidlab(&[question, &["--timeout", limit, "--json"]].concat());
                assert!(matches!(ran.code, Some(0 | 3)), "{}{}", ran.output, ran.errors);
                ran.takes_at_most(3.0);
                if limit == "20ms" {
                    assert_eq!(ran.code, Some(3), "{}{}", ran.output, ran.errors);
                }
            }
        }
        let whole = pidlab(&["check", input.path(), input.path(), "--timeout", "60s"]);
        assert_eq!(whole.code, Some(0), "{}", whole.errors);
    }
}

/// Explicit graphs have an arc for every two siblings: half of 20,000² a side here. Building them, grouping their arcs and
/// writing them for other programs must not run on.
#[test]
fn quadratic_graphs_end_in_time() {
    let vectors: Vec<String> = (1..20_000).map(|pid| format!("[\"@{pid}\"]")).collect();
    let state = format!("{{\"sigma\": {{\"A\": [{}]}}, \"eta\": {{}}}}", vectors.join(","));
    let state = Scratch::new("siblings.json", &state);
    for backend in ["vf2", "refine", "nauty-faithful", "traces-faithful", "wl"] {
        let args = ["--relations", "all", "--backend", backend, "--timeout", "500ms"];
        let ran = pidlab(&[&["check", state.path(), state.path()][..], &args].concat());
        ends(&ran, 2.0);
    }
}

/// The answer, its confirmation by `canon` and the search for a reason share one limit: the planes are told apart at once, their
/// canonical forms take many seconds.
#[test]
fn all_parts_of_an_answer_share_one_limit() {
    let (q, r) = (hard("projective-plane", "64", "base"), hard("projective-plane", "64", "twin"));
    for more in [&[][..], &["--check", "--backend", "refine"]] {
        let args = [&["check", q.path(), r.path(), "--timeout", "2s"][..], more].concat();
        let ran = pidlab(&args);
        ends(&ran, 4.0);
        let open = ran.code == Some(3) || ran.output.contains("time limit of 2s reached");
        assert!(open, "{}", ran.output);
    }
}
