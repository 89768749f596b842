//! A net explored through the protocol of `quotient` has the counts of `explore`: this program is the test
//! and, called with `serve`, the program that gives successors.

mod nets;

use nets::{compiled, random_net};
use pidlab_budget::Budget;
use pidlab_core::Relations;
use pidlab_explore::lts::{LtsError, Quotient, QuotientOptions, reduce_program};
use pidlab_explore::net::{NetOptions, explore, serve};
use pidlab_explore::search::{Failure, Limits, Options, StopReason};
use pidlab_random::Rng;

/// Nets are made again by the program from their seeds.
fn net_of(seed: u64) -> pidlab_explore::net::Net {
    compiled(&random_net(&mut Rng::new(seed, 9)))
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let word = |at: usize| words.get(at).map(String::as_str);
    match word(1) {
        Some("serve") => {
            let net = net_of(words[2].parse().unwrap());
            serve(&net, &Budget::unlimited(), std::io::stdin(), std::io::stdout()).unwrap();
        }
        Some("say") => words[2..].iter().for_each(|line| {
            println!("{line}");
            std::io::stdin().read_line(&mut String::new()).unwrap();
        }),
        Some("sleep") => std::thread::sleep(std::time::Duration::from_secs(600)),
        _ => {
            counts_agree();
            limits_hold();
            bad_programs_are_refused();
            println!("nets through the protocol: ok");
        }
    }
}

fn ask(words: &[&str], relations: Relations, limits: Limits) -> Result<Quotient, LtsError> {
    let mut command = vec![std::env::current_exe().unwrap().display().to_string()];
    command.extend(words.iter().map(|word| word.to_string()));
    reduce_program(
        &command,
        &QuotientOptions { relations, limits, threads: 1, members: 1, graph: true },
    )
}

fn counts_agree() {
    let mut finite = 0;
    for seed in 0..100 {
        let net = net_of(seed);
        let relations = net.used_relations();
        let limits = Limits { states: Some(120), ..Limits::default() };
        let options = Options { limits: limits.clone(), ..Options::default() };
        let settings = NetOptions { relations, canon: true, force: false, options };
        let theirs = explore(&net, &settings).unwrap().report;
        let ours = ask(&["serve", &seed.to_string()], relations, limits).unwrap();
        assert!(ours.holds(), "seed {seed}: {:#?}", ours.assumptions);
        assert_eq!(ours.report.counters.states, theirs.counters.states, "seed {seed}");
        assert_eq!(ours.complete(), theirs.complete(), "seed {seed}");
        if theirs.complete() {
            finite += 1;
            let counts = (ours.edges, ours.deadlocks());
            assert_eq!(counts, (theirs.counters.edges, theirs.counters.deadlocks), "seed {seed}");
        }
    }
    assert!(finite > 15, "{finite} of 100 nets are finite: too few to mean much");
}

fn limits_hold() {
    let limits = Limits { states: Some(3), ..Limits::default() };
    let seed = (0..100).find(|&seed| {
        let found = ask(&["serve", &seed.to_string()], Relations::ALL, limits.clone()).unwrap();
        found.report.stopped == Some(StopReason::MaxStates)
    });
    assert!(seed.is_some());
    let budget = Budget::new(Some(std::time::Duration::from_millis(300)), None);
    let slow = ask(&["sleep"], Relations::ALL, Limits { states: None, budget });
    assert!(
        matches!(slow, Err(LtsError::Failure(Failure::Limit(_)))),
        "a program that says nothing"
    );
}

fn bad_programs_are_refused() {
    let hello = "{\"format\":\"pidlab-lts/1\"}";
    let state = "{\"sigma\":{\"A\":[[\"@1\"]]},\"eta\":{\"1\":0}}";
    let first = format!("{{\"id\":1,\"states\":[{state}]}}");
    for (lines, message) in [
        (vec!["hello"], "its first line must be"),
        (vec![hello, "{\"id\":7,\"states\":[]}"], "expected the number of the request, 1"),
        (vec![hello, "{\"id\":1,\"states\":[]}"], "no initial state"),
        (vec![hello, "{\"id\":1,\"states\":[{}]}"], "expected a field `sigma`"),
        (
            vec![hello, &first, "{\"id\":2,\"successors\":[]}"],
            "had 1 states, and the answer is about 0",
        ),
        (vec![hello, &first, "{\"id\":2,\"successors\":[[{\"state\":1}]]}"], "expected a state"),
        (vec![hello, &first], "ended without an answer"),
    ] {
        let words = [&["say"][..], &lines[..]].concat();
        let error = ask(&words, Relations::default(), Limits::default()).err().unwrap().to_string();
        assert!(error.contains(message), "{lines:?}: {error}");
    }
}
