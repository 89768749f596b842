//! Counterexamples say who does what: threads by number, the shared state, what broadcasts carry along, and what is
//! marked where there are no threads.

mod common;

use common::answer;
use pidlab_cover::ThreadMove;
use pidlab_cover::parse::{spec, tts};

fn moved(thread: u64, from: &str, to: &str) -> ThreadMove {
    ThreadMove { thread, from: Some(from.into()), to: Some(to.into()) }
}

#[test]
fn a_broadcast_names_the_threads_it_carries() {
    let net = tts::parse("2 3\n0 0 -> 0 1\n0 0 -> 1 0 1 ~> 2\n", "1|0,2").unwrap();
    let trace = answer(&net, "backward", 10.0, true).trace.unwrap();
    let [first, second] = &trace.steps[..] else { panic!("{trace:?}") };
    assert_eq!((&first.threads[..], &first.carried[..]), (&[moved(2, "l0", "l1")][..], &[][..]));
    assert_eq!(second.threads, [moved(1, "l0", "l0")]);
    assert_eq!(second.carried, [moved(2, "l1", "l2")]);
    assert_eq!((first.shared.as_deref(), second.shared.as_deref()), (Some("s0"), Some("s1")));
    assert!(first.marking.is_empty(), "threads say it all");
}

#[test]
fn a_petri_net_says_what_is_marked() {
    let text = "vars a b c\nrules\na >= 1 -> a' = a - 1, b' = b + 1;\nb >= 2 -> c' = c + b, b' = 0;\n\
        init a = 2\ntarget c >= 2\n";
    let trace = answer(&spec::parse(text).unwrap(), "backward", 10.0, true).trace.unwrap();
    let marked: Vec<Vec<(&str, u32)>> = trace
        .steps
        .iter()
        .map(|step| step.marking.iter().map(|(place, &count)| (place.as_str(), count)).collect())
        .collect();
    assert_eq!(marked, [vec![("a", 1), ("b", 1)], vec![("b", 2)], vec![("c", 2)]]);
}
