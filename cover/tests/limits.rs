//! Every phase of answering a question ends when its budget does.
//!
//! The inputs would take minutes or hours; the bar is far above the limit, so that a busy machine does
//! not matter, and far below what an unpolled loop would take.

mod common;

use pidlab_cover::check::{Model, Rejection, Unreadable, check_within};
use pidlab_cover::parse::{bp, lgfsm, spec, tts};
use pidlab_cover::{
    Budget, Certificate, Counter, CoverVerdict, Diagnostic, Document, Exhausted, Net, SolveOptions,
    Source, Step, Trace, solve,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_millis(300);
const BAR: Duration = Duration::from_secs(20);

fn soon() -> Budget {
    Budget::new(Some(LIMIT), None)
}

/// The result of something that must end soon after its budget.
fn in_time<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    assert!(start.elapsed() < BAR, "took {:?}", start.elapsed());
    result
}

fn reason(net: &Net, algorithm: &str, reduce: bool) -> String {
    let options = SolveOptions { algorithm: algorithm.into(), budget: soon(), reduce };
    let document = in_time(|| solve(net, &options)).unwrap();
    assert_eq!(document.verdict, CoverVerdict::Unknown, "{algorithm}");
    assert!(document.certificate.is_none() && document.trace.is_none());
    document.reason.unwrap()
}

/// `n` ways to share tokens between x and y, then `n` ways for z and w: n² final markings that no
/// index tells apart, two steps from the start.
fn shares(n: u32) -> String {
    let rule = |from: u32, a: &str, b: &str| -> String {
        let to = from + 1;
        let one = |i: u32| {
            let (left, right) = (i + 1, n - i);
            format!(
                "s{from} >= 1 -> s{from}' = s{from} - 1, s{to}' = s{to} + 1, \
                 {a}' = {a} + {left}, {b}' = {b} + {right};\n"
            )
        };
        (0..n).map(one).collect()
    };
    let rules = rule(0, "x", "y") + &rule(1, "z", "w");
    format!(
        "vars\ns0 s1 s2 x y z w bad\nrules\n{rules}init\ns0 = 1\ntarget\nbad >= 1, x >= 1, y >= 1\n"
    )
}

/// The largest inductive set of [`shares`] by hand.
fn closed_set(n: u32) -> Document {
    let configuration = |entries: &[(&str, u32)]| -> BTreeMap<String, Counter> {
        entries.iter().map(|e| (e.0.to_string(), Counter::Number(e.1))).collect()
    };
    let first = |i: u32| [("x", i + 1), ("y", n - i)];
    let mut configurations = vec![configuration(&[("s0", 1)])];
    for i in 0..n {
        let [x, y] = first(i);
        configurations.push(configuration(&[("s1", 1), x, y]));
        for j in 0..n {
            configurations.push(configuration(&[("s2", 1), x, y, ("z", j + 1), ("w", n - j)]));
        }
    }
    let mut document = Document::unknown("by hand", String::new());
    document.verdict = CoverVerdict::Safe;
    document.certificate =
        Some(Certificate::Forward { configurations, merge: None, fuse: None, forget: None });
    document
}

/// Tokens that wander between pairs of places: c^k markings.
fn wanderers(k: u32, c: u32) -> String {
    let rules: String = (0..k)
        .map(|i| {
            format!(
                "a{i} >= 1 -> a{i}' = a{i} - 1, b{i}' = b{i} + 1;\n\
                 b{i} >= 1 -> b{i}' = b{i} - 1, a{i}' = a{i} + 1;\n"
            )
        })
        .collect();
    let list = |form: &dyn Fn(u32) -> String, between: &str| {
        (0..k).map(form).collect::<Vec<_>>().join(between)
    };
    let vars = list(&|i| format!("a{i} b{i}"), " ");
    let init = list(&|i| format!("a{i} = {c}"), ", ");
    // One token more than there are: only a search, or a proof by weights, tells.
    let target = list(&|i| format!("b{i} >= {c}, a{i} >= 1"), ", ");
    format!("vars\n{vars}\nrules\n{rules}init\n{init}\ntarget\n{target}\n")
}

#[test]
fn the_set_of_a_finished_search_is_made_and_checked_within_the_limit() {
    let net = spec::parse(&shares(200)).unwrap();
    let reason = reason(&net, "karp-miller", false);
    assert!(reason.contains("karp-miller") && reason.contains("time limit of 300ms"), "{reason}");
}

#[test]
fn every_search_ends() {
    let net = spec::parse(&wanderers(12, 9)).unwrap();
    for algorithm in ["karp-miller", "mp", "beacon", "beacon:bfs", "bounded:1"] {
        let reason = reason(&net, algorithm, false);
        assert!(reason.contains("time limit of 300ms"), "{algorithm}: {reason}");
    }
}

/// Tokens of x may have come from x, y or z: half a billion least predecessors.
#[test]
fn predecessors_under_transfers_are_counted_out_within_the_limit() {
    let text = "vars\ns x y z\nrules\ns >= 1 -> x' = x + y + z, y' = 0, z' = 0;\n\
                s >= 1 -> y' = y + 1;\ns >= 1 -> z' = z + 1;\n\
                init\ns = 1, y >= 1\ntarget\nx >= 30000, y >= 1\n";
    let net = spec::parse(text).unwrap();
    let reason = reason(&net, "backward", true);
    assert!(reason.contains("backward: time limit of 300ms"), "{reason}");
}

/// Each thread of local state 0 goes to one of four local states.
const SCATTER: &str = "2 4\n0 0 -> 1 0 0 ~> 0 0 ~> 1 0 ~> 2 0 ~> 3\n";

/// A hundred threads each in local states 2 and 3, as a list.
fn crowd() -> String {
    ["2", "3"].map(|local| vec![local; 100].join(",")).join(",")
}

/// Moves from each local state to each other: a thread of the target may have come from anywhere.
fn mixing() -> String {
    let arcs = (0..4).flat_map(|from| (0..4).map(move |to| (from, to)));
    let lines: String = arcs.map(|(from, to)| format!("0 {from} ~> 1 {to}\n")).collect();
    format!("2 4\n{lines}")
}

/// Billions of outcomes of one step, and billions of least predecessors.
#[test]
fn choices_of_threads_are_counted_out_within_the_limit() {
    let net = tts::parse(SCATTER, "0|3").unwrap();
    let found = reason(&net, "bounded:5000", true);
    assert!(found.contains("time limit of 300ms"), "{found}");
    let net = tts::parse(&mixing(), &format!("1|{}", crowd())).unwrap();
    let found = reason(&net, "backward", true);
    assert!(found.contains("time limit of 300ms"), "{found}");
}

#[test]
fn reductions_end() {
    // Each state is entered by the transition before: the pairs grow by one state a round.
    let mut text = "16000 2\n".to_string();
    for s in (0..15_999).rev() {
        text += &format!("{s} 0 -> {} 0\n{s} 0 -> {} 1\n{} 1 -> {s} 0\n", s + 1, s + 1, s + 1);
    }
    let net = tts::parse(&text, "15999|1,1").unwrap();
    let reason = reason(&net, "auto", true);
    let (phase, limit) = reason.split_once(": ").unwrap();
    assert!(["reducing the net", "finding pairs of places"].contains(&phase), "{reason}");
    assert_eq!(limit, "time limit of 300ms reached");
}

fn stops(net: &Net, document: &Document) {
    let stopped = in_time(|| check_within(net, document, &soon()));
    assert_eq!(stopped, Err(Rejection::Stopped(Exhausted::Time)));
}

#[test]
fn checks_of_forward_certificates_end() {
    let small = spec::parse(&shares(4)).unwrap();
    assert_eq!(check_within(&small, &closed_set(4), &Budget::unlimited()), Ok(true));
    stops(&spec::parse(&shares(250)).unwrap(), &closed_set(250));
}

#[test]
fn checks_of_backward_certificates_end() {
    let n = 4000;
    let basis = |i: u32| BTreeMap::from([("x".to_string(), i + 1), ("y".to_string(), n - i)]);
    let mut document = Document::unknown("by hand", String::new());
    document.verdict = CoverVerdict::Safe;
    document.certificate = Some(Certificate::Backward {
        basis: (0..n).map(basis).collect(),
        inequalities: Vec::new(),
        pairs: None,
        merge: None,
        fuse: None,
        forget: None,
    });
    // Every predecessor of an element is above the element before it, far down the list.
    let rules: String =
        (1..200).map(|i| format!("x >= {i}, y >= 1 -> x' = x + 1, y' = y - 1;\n")).collect();
    let text = format!("vars\nx y\nrules\n{rules}init\nx = 0\ntarget\nx >= 1, y >= {n}\n");
    stops(&spec::parse(&text).unwrap(), &document);
}

#[test]
fn checks_of_steps_with_choices_end() {
    let mut document = Document::unknown("by hand", String::new());
    document.verdict = CoverVerdict::Safe;
    let omega = || Counter::Omega("ω".into());
    let threads = |i: u32| (format!("l{i}"), omega());
    let after = |s: &str| (0..4).map(threads).chain([(s.into(), Counter::Number(1))]).collect();
    let many = BTreeMap::from([("s0".into(), Counter::Number(1)), ("l0".into(), omega())]);
    let few = BTreeMap::from([
        ("s0".into(), Counter::Number(1)),
        ("l0".into(), Counter::Number(5000)),
        ("l1".into(), Counter::Number(1)),
    ]);
    let configurations = vec![many, few, after("s1")];
    document.certificate =
        Some(Certificate::Forward { configurations, merge: None, fuse: None, forget: None });
    stops(&tts::parse(SCATTER, "0|3").unwrap(), &document);
    document.certificate = Some(Certificate::Backward {
        basis: vec![BTreeMap::from([("s1".into(), 1), ("l2".into(), 100), ("l3".into(), 100)])],
        inequalities: Vec::new(),
        pairs: None,
        merge: None,
        fuse: None,
        forget: None,
    });
    stops(&tts::parse(&mixing(), &format!("1|{}", crowd())).unwrap(), &document);
}

#[test]
fn checks_of_traces_end() {
    let places: Vec<String> = (0..20_000).map(|i| format!("p{i}")).collect();
    let init: Vec<String> = places.iter().map(|p| format!("{p} = 1")).collect();
    let rule = "p0 >= 1 -> p0' = p0 - 1, p1' = p1 + 1;\np1 >= 1 -> p1' = p1 - 1, p0' = p0 + 1;";
    let text = format!(
        "vars\n{}\nrules\n{rule}\ninit\n{}\ntarget\np0 >= 9\n",
        places.join(" "),
        init.join(", ")
    );
    let step = |i: u32| Step {
        carried: Vec::new(),
        marking: BTreeMap::new(),
        transition: i % 2,
        line: 0,
        rule: String::new(),
        threads: Vec::new(),
        shared: None,
        moves: BTreeMap::new(),
    };
    let mut document = Document::unknown("by hand", String::new());
    document.verdict = CoverVerdict::Unsafe;
    document.trace = Some(Trace {
        threads: 0,
        initial: places.iter().map(|p| (p.clone(), 1)).collect(),
        steps: (0..200_000).map(step).collect(),
    });
    stops(&spec::parse(&text).unwrap(), &document);
}

fn stops_reading(text: String, read: impl FnOnce(&Source) -> Result<Net, Diagnostic>) {
    let source = Source::new("long", text);
    let result = in_time(|| read(&source.within(soon())));
    assert_eq!(result.unwrap_err().limit, Some(Exhausted::Time));
}

/// A program in which every step sets all of n shared variables to anything.
fn any_values(n: u32) -> String {
    let names: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let (names, any) = (names.join(", "), vec!["*"; n as usize].join(", "));
    format!(
        "shared {names};\nerror x0 && !x0;\nthread {{ while (true) {{ {names} := {any}; }} }}\n"
    )
}

#[test]
fn translations_of_programs_end() {
    for n in [12, 40, 128] {
        stops_reading(any_values(n), bp::read);
    }
    // Not the steps explode but the text: every call of p copies it.
    let long = vec!["a"; 20_000].join(" && ");
    let calls = "p();".repeat(2000);
    let text = format!(
        "shared a;\nerror a;\nproc p() {{ while ({long}) {{ a := {long}; }} }}\n\
         thread {{ {calls} }}\n"
    );
    stops_reading(text, bp::read);
}

#[test]
fn a_spent_budget_stops_every_reader() {
    let spent =
        |text: &str| Source::new("long", text).within(Budget::new(Some(Duration::ZERO), None));
    let limit = |read: Result<(), Diagnostic>| read.unwrap_err().limit;
    let lines = "0 0 -> 1 1\n".repeat(5000);
    let machine = format!("lgfsm 1\nshared 2\nlocal 2\ninit 0 0\n{lines}error 1\n");
    let stopped = Some(Exhausted::Time);
    assert_eq!(limit(lgfsm::read(&spent(&machine)).map(|_| ())), stopped);
    let system = spent(&format!("2 2\n{lines}"));
    assert_eq!(limit(tts::read_system(&system).map(|_| ())), stopped);
    let net = tts::parse(&format!("2 2\n{lines}"), "1|1").unwrap();
    let property = spent(&"1|0\n".repeat(5000));
    assert_eq!(limit(tts::read_property(&property, &net).map(|_| ())), stopped);
    assert_eq!(limit(spec::read(&spent(&shares(200))).map(|_| ())), stopped);
}

#[test]
fn a_spent_budget_stops_every_reader_of_the_checker() {
    let spent = || Budget::new(Some(Duration::ZERO), None);
    let stopped = Err(Unreadable::Stopped(Exhausted::Time));
    let tts = |system: &str, property: &str| {
        let (system, property) = (system.as_bytes(), property.as_bytes());
        Model::read_tts(system, property, None, &spent()).map(|_| ())
    };
    let moves = " 0 ~> 1".repeat(5000);
    for system in ["0 0 -> 1 1\n".repeat(5000), format!("0 0 -> 1 1{moves}\n"), "\n".repeat(5000)] {
        assert_eq!(tts(&format!("2 2\n{system}"), "1|1"), stopped);
    }
    assert_eq!(tts("2000 2000\n0 0 -> 1 1\n", "1|1"), stopped);
    assert_eq!(tts("2 2\n", &"1|0\n".repeat(5000)), stopped);
    assert_eq!(tts("2 2\n", &format!("1|{}", vec!["0"; 5000].join(","))), stopped);
    assert_eq!(Model::read_spec(shares(200).as_bytes(), &spent()).map(|_| ()), stopped);
}

#[test]
fn the_checker_refuses_more_states_than_a_net_may_have() {
    let read = Model::read_tts(b"4294967295 4294967295\n", b"0|0\n", None, &Budget::unlimited());
    assert!(matches!(read, Err(Unreadable::Malformed { line: 1, .. })));
}

/// Steps of a rule that has very many, and a rule that sets very many places.
#[test]
fn the_checker_reads_rules_within_the_limit() {
    let text = "vars\nx y\nrules\nx >= 1 -> x' = y + x - 4294967294, y' = 0;\n\
                init\nx = 1\ntarget\ny >= 1\n";
    let read = in_time(|| Model::read_spec(text.as_bytes(), &soon()));
    assert_eq!(read, Err(Unreadable::Stopped(Exhausted::Time)));
    let names: Vec<String> = (0..100_000).map(|i| format!("p{i}")).collect();
    let effects: Vec<String> = names.iter().map(|p| format!("{p}' = 0")).collect();
    let text = format!(
        "vars\n{}\nrules\np0 >= 1 -> {};\ninit\np0 = 1\ntarget\np1 >= 1\n",
        names.join(" "),
        effects.join(", ")
    );
    let net = in_time(|| spec::parse(&text)).unwrap();
    let model = in_time(|| Model::read_spec(text.as_bytes(), &Budget::unlimited()));
    assert!(model == Ok(common::model_of(&net)));
}

#[test]
fn a_rule_that_stands_for_billions_of_steps_is_refused_at_once() {
    let text = "vars\nx y\nrules\nx >= 1 -> x' = y + x - 4294967294, y' = 0;\n\
                init\nx = 1\ntarget\ny >= 1\n";
    let error = in_time(|| spec::parse(text)).unwrap_err();
    assert!(error.line == 4 && error.message.contains("1000 steps"), "{error}");
}

#[test]
fn calls_nest_as_deep_as_the_program_says() {
    let last = 20_000;
    let procedures: String =
        (0..last).map(|i| format!("proc p{i}() {{ p{}(); }}\n", i + 1)).collect();
    let text = format!(
        "shared a;\nerror a;\n{procedures}proc p{last}() {{ a := true; }}\nthread {{ p0(); }}\n"
    );
    let net = bp::parse(&text).unwrap();
    assert_eq!(common::answer(&net, "auto", 60.0, true).verdict, CoverVerdict::Unsafe);
    let recursive = text.replace("a := true;", "p7();");
    let error = bp::parse(&recursive).err().unwrap();
    assert!(error.message.contains("`p7` is recursive"), "{error}");
}

#[test]
fn long_expressions_are_read_and_deep_ones_refused_with_their_line() {
    let program = |e: &str| format!("shared a, b;\nerror a;\nthread {{\na := {e};\n}}\n");
    let long = program(&vec!["b"; 100_000].join(" && "));
    assert_eq!(bp::parse(&long).unwrap().transitions.len(), 1);
    for deep in [
        format!("{}b{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("{}b", "!".repeat(100_000)),
    ] {
        let error = bp::parse(&program(&deep)).err().unwrap();
        assert!(
            error.line == 4 && error.message.contains("nested more than 100 levels deep"),
            "{error}"
        );
    }
    let nested = format!("shared a;\nerror a;\nthread {{\n{}", "if (a) {\n".repeat(100_000));
    let error = bp::parse(&nested).err().unwrap();
    assert!(
        error.line > 100 && error.message.contains("nested more than 100 levels deep"),
        "{error}"
    );
    let chain = format!("if (a) {{}}{}", " else if (a) {}".repeat(100_000));
    let error = bp::parse(&format!("shared a;\nerror a;\nthread {{ {chain} }}\n")).err().unwrap();
    assert!(error.message.contains("nested more than 100 levels deep"), "{error}");
}

#[test]
fn a_name_of_the_caller_does_not_hide_a_shared_variable_from_the_called() {
    let text = "shared a;\nerror a;\nproc f() { a := true; }\n\
                thread { while (true) { local a; f(); } }\n";
    let net = bp::parse(text).unwrap();
    assert_eq!(common::answer(&net, "auto", 10.0, true).verdict, CoverVerdict::Unsafe);
}
