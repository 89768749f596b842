//! Labelled transition systems modulo equivalence: against the explorer on nets, and against brute force
//! over all bijections on small systems.

mod nets;

use nets::{compiled, random_net};
use pidlab_check::enumeration;
use pidlab_core::{Relations, State, json};
use pidlab_explore::lts::{LtsError, Quotient, QuotientOptions, reduce_file};
use pidlab_explore::net::export::write_lts;
use pidlab_explore::net::{Net, NetOptions, compile, explore};
use pidlab_explore::search::{Limits, Options};
use pidlab_explore::source::Source;
use pidlab_random::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

fn reduce(text: &str, relations: Relations) -> Result<Quotient, LtsError> {
    let one = reduce_by(1, text, relations);
    let three = reduce_by(3, text, relations);
    match (&one, &three) {
        (Ok(one), Ok(three)) => {
            assert_eq!(one.assumptions, three.assumptions);
            assert_eq!(one.report.counters, three.report.counters);
            assert_eq!((one.edges, one.open), (three.edges, three.open));
        }
        (Err(one), Err(three)) => assert_eq!(one.to_string(), three.to_string()),
        _ => panic!("one thread and three disagree whether the system can be read"),
    }
    one
}

fn reduce_by(threads: usize, text: &str, relations: Relations) -> Result<Quotient, LtsError> {
    let limits = Limits::default();
    let options = QuotientOptions { relations, limits, threads, members: 1, graph: true };
    reduce_file("test.jsonl", text.as_bytes(), &options)
}

/// A net explored up to a number of states, and the system that is written of it.
fn system(net: &Net, relations: Relations, canon: bool, states: u64) -> ([u64; 4], String) {
    let limits = Limits { states: Some(states), ..Limits::default() };
    let options = Options { limits, record_edges: true, ..Options::default() };
    let found = explore(net, &NetOptions { relations, canon, force: false, options }).unwrap();
    let mut text = Vec::new();
    write_lts(net, &found, &mut text).unwrap();
    let counters = &found.report.counters;
    let complete = u64::from(found.report.complete());
    let counts = [counters.states, counters.edges, counters.deadlocks, complete];
    (counts, String::from_utf8(text).unwrap())
}

fn nkm(k: u32, m: u32) -> Net {
    let text = include_str!("../../models/nkm.tnet");
    let settings = [("k".into(), k.to_string()), ("m".into(), m.to_string())];
    compile(Source::new("nkm", text), &settings, &[]).unwrap()
}

#[test]
fn systems_of_nets_have_the_counts_of_the_explorer() {
    let mut complete = 0;
    for seed in 0..60 {
        let mut rng = Rng::new(seed, 7);
        let text = random_net(&mut rng);
        let net = compiled(&text);
        let relations = net.used_relations();
        let (counts, lts) = system(&net, relations, true, 100);
        let found =
            reduce(&lts, relations).unwrap_or_else(|e| panic!("{seed}: {e}\n{text}\n{lts}"));
        assert!(found.holds(), "seed {seed}\n{text}\n{:#?}", found.assumptions);
        if counts[3] == 1 {
            complete += 1;
            let ours = [found.report.counters.states, found.edges, found.deadlocks(), 1];
            assert_eq!(ours, counts, "seed {seed}\n{text}");
            assert!(found.complete());
        } else {
            assert!(found.open > 0, "seed {seed}");
        }
    }
    assert!(complete > 10, "{complete} of 60 nets are finite: too few to mean much");
}

/// A system with many states of each class: the plain state space.
#[test]
fn plain_systems_are_reduced_to_the_classes() {
    for (k, m, states, edges) in [(1, 1, 7, 7), (2, 1, 22, 37)] {
        let (_, lts) = system(&nkm(k, m), Relations::default(), false, 400);
        // what was not expanded is left open, and every class has states that were
        let found = reduce(&lts, Relations::default()).unwrap();
        assert!(found.holds(), "{:#?}", found.assumptions);
        assert_eq!((found.report.counters.states, found.edges, found.open), (states, edges, 0));
        assert!(found.read.states > 10 * states && found.assumptions[2].tests > states);
    }
}

/// Without the relation that the guards use, equivalent states have different steps.
#[test]
fn an_unsound_choice_of_relations_is_found() {
    let (_, lts) = system(&nkm(2, 2), Relations::default(), false, 2_000);
    let found = reduce(&lts, Relations::NONE).unwrap();
    let third = &found.assumptions[2];
    assert!(!found.holds() && !third.holds);
    let shown = third.counterexample.as_ref().unwrap();
    assert!(shown["q"].is_object() && shown["r"].is_object() && shown["bijection"].is_object());
    assert!(shown["action"].is_string() && shown["reason"].is_string());
}

const HEAD: &str = "{\"format\":\"pidlab-lts/1\"}\n";

#[test]
fn every_assumption_can_fail() {
    let state = |id: u32, initial: bool, state: &str| {
        format!("{{\"id\":{id},\"initial\":{initial},\"state\":{state}}}\n")
    };
    let step = |from: u32, to: u32| format!("{{\"from\":{from},\"action\":\"a\",\"to\":{to}}}\n");
    let one = r#"{"sigma":{"A":[["@1"]]},"eta":{"1":0}}"#;
    let fails = |text: String| {
        let found = reduce(&text, Relations::default()).unwrap();
        let fails = |a: &&pidlab_explore::lts::Assumption| !a.holds;
        found.assumptions.iter().filter(fails).map(|a| a.id).collect::<Vec<_>>()
    };
    // a pid from nowhere; one that wakes up
    let foreign = r#"{"sigma":{"A":[["@1"],["@2"]]},"eta":{"1":0}}"#;
    let text = [HEAD, &state(0, true, one), &state(1, false, foreign), &step(0, 1)].concat();
    assert_eq!(fails(text), [1], "nothing is compared");
    let asleep = r#"{"sigma":{"A":[["@1"],["@1.1"]]},"eta":{"1":1}}"#;
    let awake = r#"{"sigma":{"A":[["@1"],["@1.1"]]},"eta":{"1":1,"1.1":0}}"#;
    let text = [HEAD, &state(0, true, asleep), &state(1, false, awake), &step(0, 1)].concat();
    assert_eq!(fails(text), [1]);
    // an active pid that is nowhere
    let missing = r#"{"sigma":{},"eta":{"1":0}}"#;
    assert_eq!(fails([HEAD, &state(0, true, missing)].concat()), [2]);
    let text = [HEAD, &state(0, true, one), &state(1, false, missing), &step(0, 1)].concat();
    assert_eq!(fails(text), [2]);
    // two equivalent states, of which one has a transition more that breaks Assumption 1
    let renamed = r#"{"sigma":{"A":[["@2"]]},"eta":{"2":0}}"#;
    let states = [&state(0, true, one)[..], &state(1, true, renamed), &state(2, false, foreign)];
    let text = [HEAD, &states.concat(), &step(0, 0), &step(1, 1), &step(0, 2)].concat();
    assert_eq!(fails(text.clone()), [1, 3]);
    let third = reduce(&text, Relations::default()).unwrap().assumptions[2].clone();
    let shown = third.counterexample.unwrap();
    assert!(shown["q"].is_object() && shown["to"].is_object() && shown["action"] == "a");
    assert!(
        shown["reason"].as_str().unwrap().contains("breaks Assumption 1, so that it could not")
    );
    // of two threads alike one moves and the other does not
    let twins = r#"{"sigma":{"A":[["@1"],["@2"]]},"eta":{"1":0,"2":0}}"#;
    let moved = r#"{"sigma":{"A":[["@2"]],"B":[["@1"]]},"eta":{"1":0,"2":0}}"#;
    let other = r#"{"sigma":{"A":[["@1"]],"B":[["@2"]]},"eta":{"1":0,"2":0}}"#;
    let lame = [HEAD, &state(0, true, twins), &state(1, false, moved), &step(0, 1)].concat();
    assert_eq!(fails(lame.clone()), [3]);
    let whole = [lame, state(2, false, other), step(0, 2)].concat();
    assert_eq!(fails(whole), [0; 0]);
    // a label must be renamed as well
    let said = |from, to, pid| {
        format!("{{\"from\":{from},\"action\":\"a\",\"pid\":\"@{pid}\",\"to\":{to}}}\n")
    };
    let states =
        [HEAD, &state(0, true, twins), &state(1, false, moved), &state(2, false, other)].concat();
    assert_eq!(fails([&states[..], &said(0, 1, "1"), &said(0, 2, "2")].concat()), [0; 0]);
    assert_eq!(fails([&states[..], &said(0, 1, "1"), &said(0, 2, "1")].concat()), [3]);
    assert_eq!(fails([&states[..], &said(0, 1, "3"), &said(0, 2, "2")].concat()), [3]);
}

#[test]
fn what_is_wrong_is_shown_where_it_stands() {
    let cases = [
        ("{\"id\":0,\"stat\":{}}", 9, "unknown field `stat`"),
        ("{\"id\":0}", 1, "expected a field `state`"),
        ("{\"id\":0,\"state\":{\"sigma\":{\"A\":[[\"@0\"]]},\"eta\":{}}}", 33, "part that is 0"),
        ("{\"id\":0,\"state\":{\"sigma\":{\"A\":[[1.5]]},\"eta\":{}}}", 33, "64 bits"),
        ("{\"id\":0,\"state\":{\"sigma\":{\"A\":[[null]]},\"eta\":{}}}", 33, "found `null`"),
        ("{\"id\":0,\"state\":{\"sigma\":{},\"eta\":{\"1\":-1}}}", 36, "number of children"),
        ("{\"id\":0,\"state\":{\"sigma\":{},\"eta\":{\"1\":0,\"1\":0}}}", 17, "gives pid 1 twice"),
        (
            "{\"id\":0,\"state\":{\"sigma\":{},\"eta\":{\"1\":0,\"2\":0,\"1\":0}}}",
            17,
            "gives pid 1 twice",
        ),
        ("{\"from\":0,\"to\":1}", 1, "expected a field `action`"),
        ("{\"from\":0,\"action\":\"a\",\"pid\":\"1\",\"to\":1}", 30, "such as \"@1.2\""),
        ("{\"from\":0,\"from\":0}", 11, "occurs twice"),
        ("[1]", 1, "expected an object"),
        ("{\"id\":0,\"state\":{\"sigma\":{},\"eta\":{}}} x", 40, "the end of the line"),
        ("{\"what\":0}", 2, "expected a header"),
        ("{\"format\":\"pidlab-lts/2\"}", 11, "pidlab-lts/1"),
    ];
    for (line, column, message) in cases {
        // the header may be the first line only; a line without content counts
        let text = format!("\n{line}\n");
        let Err(LtsError::Wrong(wrong)) = reduce(&text, Relations::default()) else {
            panic!("{line} is taken")
        };
        assert!(wrong.message.contains(message), "{line}: {wrong}");
        assert_eq!((wrong.line, wrong.column), (2, column), "{line}: {wrong}");
    }
    let whole = [
        (
            "{\"id\":0,\"initial\":true,\"state\":{\"sigma\":{},\"eta\":{}}}\n{\"from\":0,\"action\":\"a\",\"to\":9}\n",
            "test.jsonl:2: a transition names the state 9, which no line describes",
        ),
        (
            "{\"id\":\"x\",\"initial\":true,\"expanded\":false,\"state\":{\"sigma\":{},\"eta\":{}}}\n{\"from\":\"x\",\"action\":\"a\",\"to\":\"x\"}\n",
            "the state \"x\" is marked as not expanded",
        ),
        ("{\"id\":0,\"state\":{\"sigma\":{},\"eta\":{}}}\n", "no state is initial"),
    ];
    for (text, message) in whole {
        let error = reduce(text, Relations::default()).err().unwrap().to_string();
        assert!(error.contains(message), "{error}");
    }
}

/// States are found again whatever numbers name them: dense, sparse, large, or small ones after large ones.
#[test]
fn any_names_of_states_will_do() {
    let (_, lts) = system(&nkm(2, 1), Relations::default(), true, 100);
    let counters = |text: &str| reduce(text, Relations::default()).unwrap().report.counters;
    let names: [fn(u64) -> u64; 4] = [
        |n| n * 1_000_003,
        |n| u64::MAX - n,
        |n| if n.is_multiple_of(3) { n } else { (1 << 40) + n },
        |n| 5_000 - n,
    ];
    for name in names {
        let renamed = lts.lines().map(|line| {
            let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
            for field in ["id", "from", "to"] {
                if let Some(n) = line.get(field).and_then(|n| n.as_u64()) {
                    line[field] = name(n).into();
                }
            }
            line.to_string() + "\n"
        });
        assert_eq!(counters(&renamed.collect::<String>()), counters(&lts));
    }
}

/// A random consistent state over few pids.
fn random_state(rng: &mut Rng) -> String {
    let pids = ["1", "2", "1.1", "1.2", "2.1"];
    let mut used: Vec<&str> = pids.into_iter().filter(|_| rng.index(2) == 0).collect();
    if used.is_empty() {
        used.push("1");
    }
    let mut sigma: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for pid in &used {
        sigma.entry(["A", "B"][rng.index(2)]).or_default().push(format!("[\"@{pid}\"]"));
    }
    if used.len() > 1 && rng.index(3) == 0 {
        let pair = format!("[\"@{}\",{},\"@{}\"]", used[0], rng.index(2), used[1]);
        sigma.entry("A").or_default().push(pair);
    }
    let active = used.iter().filter(|_| rng.index(2) == 0).map(|pid| {
        let children = pids.iter().filter(|p| p.len() > pid.len() && p.starts_with(pid));
        let last = children.filter(|p| used.contains(p)).map(|p| p[2..].parse::<u64>().unwrap());
        format!("\"{pid}\":{}", last.max().unwrap_or(0))
    });
    let active: Vec<String> = active.collect();
    let sigma: Vec<String> =
        sigma.iter().map(|(name, all)| format!("\"{name}\":[{}]", all.join(","))).collect();
    format!("{{\"sigma\":{{{}}},\"eta\":{{{}}}}}", sigma.join(","), active.join(","))
}

struct Small {
    states: Vec<State>,
    /// Source, action, pid of the label, target.
    steps: Vec<(usize, usize, Option<String>, usize)>,
    text: String,
}

fn random_system(rng: &mut Rng) -> Small {
    let mut small = Small { states: Vec::new(), steps: Vec::new(), text: HEAD.into() };
    for id in 0..rng.between(2, 6) as usize {
        let mut state = random_state(rng);
        // brute force takes the factorial of this
        while enumeration::elements(&json::parse_state(&state).unwrap()) > 5 {
            state = random_state(rng);
        }
        writeln!(small.text, "{{\"id\":\"q{id}\",\"initial\":true,\"state\":{state}}}").unwrap();
        small.states.push(json::parse_state(&state).unwrap());
    }
    for _ in 0..rng.index(8) {
        let (from, to) = (rng.index(small.states.len()), rng.index(small.states.len()));
        let (action, q) = (rng.index(2), &small.states[from]);
        let pid = (rng.index(2) == 0).then(|| rng.index(q.pid_count()) as u32);
        let pid = pid.map(|pid| q.forest().pid(pid).to_string());
        let shown = pid.as_ref().map_or(String::new(), |pid| format!(",\"pid\":\"@{pid}\""));
        writeln!(
            small.text,
            "{{\"from\":\"q{from}\",\"action\":\"a{action}\"{shown},\"to\":\"q{to}\"}}"
        )
        .unwrap();
        small.steps.push((from, action, pid, to));
    }
    small
}

/// All bijections between two states that Definition 1 allows.
fn bijections(q: &State, r: &State, relations: Relations) -> Vec<Vec<u32>> {
    let n = q.pid_count();
    if n != r.pid_count() {
        return Vec::new();
    }
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        let longer = |image: &Vec<u32>| {
            let image = image.clone();
            (0..n as u32)
                .filter(move |y| !image.contains(y))
                .map(move |y| (y, ()))
                .map(|(y, ())| y)
                .collect::<Vec<_>>()
        };
        all = all
            .iter()
            .flat_map(|image| longer(image).into_iter().map(|y| [&image[..], &[y]].concat()))
            .collect();
    }
    all.retain(|image| enumeration::is_witness(q, r, relations, image));
    all
}

fn pids(state: &State) -> Vec<String> {
    state.pids().map(|pid| state.forest().pid(pid).to_string()).collect()
}

/// Assumption 1 as it is written.
fn first_holds(q: &State, r: &State) -> bool {
    let mine: BTreeSet<String> = pids(q).into_iter().collect();
    let next: BTreeSet<String> =
        q.pids().filter_map(|pid| q.next_pid(pid)).map(|pid| pid.to_string()).collect();
    let active = |state: &State, name: &str| {
        state.pids().any(|pid| state.forest().pid(pid).to_string() == name && state.is_active(pid))
    };
    // children after the next one are created in the same step
    let later = |name: &str| {
        name.rsplit_once('.').is_some_and(|(parent, last)| {
            q.pids().any(|pid| {
                q.forest().pid(pid).to_string() == parent
                    && q.eta(pid).is_some_and(|eta| last.parse::<u64>().unwrap() > eta)
            })
        })
    };
    pids(r).iter().all(|pid| {
        let created = next.contains(pid) || later(pid);
        (mine.contains(pid) || created) && (!active(r, pid) || active(q, pid) || created)
    })
}

/// Assumption 3 as it is written, for systems where Assumption 1 holds.
fn third_holds(small: &Small, relations: Relations) -> bool {
    let all = 0..small.states.len();
    all.clone().all(|q| {
        all.clone().all(|r| {
            bijections(&small.states[q], &small.states[r], relations).iter().all(|h| {
                small
                    .steps
                    .iter()
                    .filter(|s| s.0 == q)
                    .all(|s| has_counterpart(small, s, r, h, relations))
            })
        })
    })
}

fn has_counterpart(
    small: &Small,
    step: &(usize, usize, Option<String>, usize),
    r: usize,
    h: &[u32],
    relations: Relations,
) -> bool {
    let (q, other) = (&small.states[step.0], &small.states[r]);
    let (mine, theirs) = (pids(q), pids(other));
    let mut image: BTreeMap<String, String> = BTreeMap::new();
    for (x, &y) in h.iter().enumerate() {
        image.insert(mine[x].clone(), theirs[y as usize].clone());
        if let (Some(x), Some(y)) = (q.next_pid(x as u32), other.next_pid(y)) {
            image.insert(x.to_string(), y.to_string());
        }
    }
    let label = step.2.as_ref().map(|pid| image[pid].clone());
    small.steps.iter().filter(|s| (s.0, s.1, &s.2) == (r, step.1, &label)).any(|s| {
        let (to, there) = (&small.states[step.3], &small.states[s.3]);
        bijections(to, there, relations).iter().any(|k| {
            let (mine, theirs) = (pids(to), pids(there));
            k.iter().enumerate().all(|(x, &y)| {
                let agrees = |x: &str, y: &str| image.get(x).is_none_or(|known| known == y);
                let next = match (to.next_pid(x as u32), there.next_pid(y)) {
                    (Some(x), Some(y)) => agrees(&x.to_string(), &y.to_string()),
                    _ => true,
                };
                agrees(&mine[x], &theirs[y as usize]) && next
            })
        })
    })
}

#[test]
fn small_systems_agree_with_brute_force_under_all_relations() {
    let mut verdicts = [[0; 2]; 3];
    for seed in 0..500 {
        let mut rng = Rng::new(seed, 3);
        let small = random_system(&mut rng);
        for relations in Relations::subsets() {
            let found =
                reduce(&small.text, relations).unwrap_or_else(|e| panic!("{e}\n{}", small.text));
            let classes: BTreeSet<_> =
                small.states.iter().map(|q| enumeration::class(q, relations)).collect();
            let context =
                format!("seed {seed}, {relations}\n{}\n{:#?}", small.text, found.assumptions);
            assert_eq!(found.report.counters.states, classes.len() as u64, "{context}");
            let sound = |s: &&(usize, usize, Option<String>, usize)| {
                first_holds(&small.states[s.0], &small.states[s.3])
            };
            let first = small.steps.iter().all(|s| sound(&s));
            assert_eq!(found.assumptions[0].holds, first, "{context}");
            assert!(found.assumptions[1].holds, "{context}");
            if first {
                let third = third_holds(&small, relations);
                assert_eq!(found.assumptions[2].holds, third, "{context}");
                verdicts[2][usize::from(third)] += 1;
            }
            verdicts[0][usize::from(first)] += 1;
        }
    }
    assert!(verdicts[0].iter().chain(&verdicts[2]).all(|&n| n > 50), "{verdicts:?}");
}

/// What reading, testing and reducing N(4,3) takes; run by name, and compare CPU time.
#[test]
#[ignore = "takes a minute"]
fn cost_of_a_large_system() {
    for (k, m, most) in [(3, 3, u64::MAX), (4, 3, 40_000)] {
        let (counts, lts) = system(&nkm(k, m), Relations::default(), true, most);
        let limits = Limits::default();
        let options = QuotientOptions {
            relations: Relations::default(),
            limits,
            threads: 2,
            members: 1,
            graph: false,
        };
        let found = reduce_file("nkm.jsonl", lts.as_bytes(), &options).unwrap();
        let (size, rate) =
            (lts.len() / 1_000_000, found.read.states as f64 / found.elapsed.as_secs_f64());
        println!(
            "N({k},{m}): {size} MB, {:?}, {:.2?}, {rate:.0} states/s",
            found.read, found.elapsed
        );
        assert!(found.holds());
        if counts[3] == 1 {
            assert_eq!([found.report.counters.states, found.edges], counts[..2]);
        }
    }
}

/// Files with random changes are refused or reduced, never more.
#[test]
fn changed_files_are_refused_or_reduced() {
    let (_, lts) = system(&nkm(2, 1), Relations::default(), true, 100);
    let lines: Vec<&str> = lts.lines().take(40).collect();
    let pieces =
        ["\"", "{", "}", "[", "]", ",", ":", "@", "1", ".", "0", "\\", "\u{fc}", "-", "\0", "e9"];
    let mut refused = 0;
    for seed in 0..400 {
        let mut rng = Rng::new(seed, 21);
        let mut text = lines.join("\n").into_bytes();
        for _ in 0..=rng.index(3) {
            let at = rng.index(text.len());
            let end = (at + rng.index(4)).min(text.len());
            text.splice(at..end, pieces[rng.index(pieces.len())].bytes());
        }
        let limits = Limits { states: Some(50), ..Limits::default() };
        let options = QuotientOptions {
            relations: Relations::ALL,
            limits,
            threads: 1 + rng.index(3),
            members: 1,
            graph: true,
        };
        refused += u32::from(reduce_file("test.jsonl", &text[..], &options).is_err());
    }
    assert!(refused > 300, "{refused}");
}
