//! What a canonical store buys: N(k,m) explored with it and by pairwise isomorphism search, the
//! papers' method, both growing, in one run; then the speed of the store on a large instance. Run
//! with `cargo bench -p pidlab-explore --bench canonical_store`; a part alone: `-- speed-1`, `speed-2`
//! (and k and m, if others are wanted), `large-1`, `large-2`, `growth` or `pairwise`.

use pidlab_backends::registry::find;
use pidlab_core::{Relation, Relations};
use pidlab_explore::net::{Net, PairwiseSettings, compile, explore_pairwise, search_classes};
use pidlab_explore::search::{Options, SearchReport};
use pidlab_explore::source::Source;
use std::time::Duration;

const MODEL: &str = include_str!("../../models/nkm.tnet");

/// A name, the text, constants, Ω*.
type LargeModel =
    (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str);

/// Models with constants that give hundreds of thousands of classes and more, and Ω* in the words of the command line.
const LARGE: [LargeModel; 6] = [
    ("nkm", MODEL, &[("k", "5"), ("m", "3")], "parent"),
    ("nkm", MODEL, &[("k", "2"), ("m", "3")], "all"),
    (
        "server",
        include_str!("../../models/server.tnet"),
        &[("listeners", "3"), ("handlers", "4")],
        "parent",
    ),
    ("fork-join", include_str!("../../models/fork-join.tnet"), &[("size", "18")], "parent"),
    (
        "work-stealing",
        include_str!("../../models/work-stealing.tnet"),
        &[("workers", "8"), ("jobs", "28")],
        "parent",
    ),
    (
        "supervisor",
        include_str!("../../models/supervisor.tnet"),
        &[("width", "4"), ("restarts", "3")],
        "parent",
    ),
];

fn nkm(k: u32, m: u32) -> Net {
    let settings = [("k".into(), k.to_string()), ("m".into(), m.to_string())];
    compile(Source::new("nkm", MODEL), &settings, &[]).expect("the model compiles")
}

fn large(threads: usize) {
    for (name, text, settings, relations) in LARGE {
        let pairs: Vec<_> = settings.iter().map(|&(k, v)| (k.to_string(), v.to_string())).collect();
        let net = compile(Source::new(name, text), &pairs, &[]).expect("the model compiles");
        let relations = relations.parse().expect("the sets have names");
        let report = canonical(&net, relations, threads);
        let (states, seconds) = (report.counters.states as f64, report.elapsed.as_secs_f64());
        println!(
            "{name} {settings:?} {{{relations}}}, {threads} thread(s): {states} classes, {} edges, {seconds:.2} s, {:.0} classes/s, {:.1} bytes a class",
            report.counters.edges,
            states / seconds,
            (report.key_bytes + report.index_bytes) as f64 / states
        );
    }
}

fn canonical(net: &Net, relations: Relations, threads: usize) -> SearchReport {
    let options = Options { threads, ..Options::default() };
    search_classes(net, relations, &options).expect("the net is defined").0
}

fn growing(relations: Relations) {
    println!("N(k,m) with {{{relations}}}: canonical store against pairwise search");
    for (k, m) in [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (2, 2), (3, 2), (2, 3)] {
        let net = nkm(k, m);
        let ours = canonical(&net, relations, 1);
        let ours_time = ours.elapsed.as_secs_f64();
        print!("N({k},{m}) {:>7} states  canonical {:>10.6} s", ours.counters.states, ours_time);
        for name in ["vf2", "canon"] {
            let backend = find(name).expect("both backends are built in");
            let settings = PairwiseSettings {
                relations,
                graph: Default::default(),
                filter: true,
                max_states: None,
                time: Some(Duration::from_secs(5)),
            };
            let theirs = explore_pairwise(&net, &*backend, &settings, |_| {})
                .expect("both backends are exact");
            let time = theirs.elapsed.as_secs_f64();
            let mark = if theirs.complete { ' ' } else { '+' };
            if theirs.complete {
                assert_eq!(theirs.states as u64, ours.counters.states);
            }
            print!(
                "  pairwise {name} {time:>8.4}{mark}s {:>8} comparisons, {:>7.0} times",
                theirs.comparisons,
                time / ours_time
            );
        }
        println!();
    }
}

fn speed(threads: usize) {
    let chosen: Vec<u32> = std::env::args().skip(2).filter_map(|arg| arg.parse().ok()).collect();
    let instances = match chosen[..] {
        [k, m] => vec![(k, m)],
        _ => vec![(3, 3), (4, 3)],
    };
    for (k, m) in instances {
        let report = canonical(&nkm(k, m), Relations::default(), threads);
        let states = report.counters.states as f64;
        let seconds = report.elapsed.as_secs_f64();
        println!(
            "N({k},{m}) {{parent}}, {threads} thread(s): {states} states, {seconds:.2} s, {:.0} states/s, {:.1} bytes canonical, {:.1} beyond",
            states / seconds,
            report.key_bytes as f64 / states,
            report.index_bytes as f64 / states
        );
    }
}

/// The cost per state may not grow faster than the state.
fn growth() {
    for m in [4, 8, 16, 32] {
        let report = canonical(&nkm(1, m), Relations::default(), 1);
        let nanoseconds = report.elapsed.as_nanos() as f64 / report.counters.transitions as f64;
        let threads = 1 + 2 * m;
        println!(
            "N(1,{m}): up to {threads} pids, {} states, {nanoseconds:.0} ns a transition, {:.1} ns a transition and pid",
            report.counters.states,
            nanoseconds / f64::from(threads)
        );
    }
}

fn main() {
    let part = std::env::args().nth(1).filter(|part| !part.starts_with('-'));
    let wanted = |name: &str| part.as_deref().is_none_or(|part| part == name);
    for threads in [1, 2] {
        if wanted(&format!("speed-{threads}")) {
            speed(threads);
        }
        if wanted(&format!("large-{threads}")) {
            large(threads);
        }
    }
    if wanted("growth") {
        growth();
    }
    if wanted("pairwise") {
        growing(Relations::default());
        growing(Relations::default().with(Relation::AdjacentSibling));
    }
}
