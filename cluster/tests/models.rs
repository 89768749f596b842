//! Several processes come to exactly what one process comes to, on all models.

mod support;

use pidlab_core::Relations;
use pidlab_explore::heap::ThreadSymmetry;
use pidlab_explore::heap::{self, HeapProgram};
use pidlab_explore::heap::{Compression, HeapOptions};
use pidlab_explore::net::Net;
use pidlab_explore::net::NetTrace;
use pidlab_explore::net::{NetExploration, NetOptions, PropertyAnswer, explore, explore_by};
use pidlab_explore::search::{Counters, Limits, Options, Order, StopReason};
use support::{Folders, net, program, shapes, together};

/// The nets of models/ with constants that keep them small.
const NETS: [(&str, &[(&str, &str)]); 7] = [
    ("nkm.tnet", &[("k", "2"), ("m", "2")]),
    ("server.tnet", &[]),
    ("fork-join.tnet", &[("size", "4")]),
    ("producer-consumer.tnet", &[]),
    ("ring.tnet", &[]),
    ("supervisor.tnet", &[]),
    ("work-stealing.tnet", &[]),
];

const PROGRAMS: [(&str, &[(&str, i64)]); 8] = [
    ("philosophers.bir", &[("N", 4)]),
    ("bounded-buffer.bir", &[("N", 3), ("M", 2)]),
    ("ordered-list.bir", &[("N", 2), ("MAX", 2)]),
    ("readers-writers.bir", &[("READERS", 2), ("WRITERS", 1)]),
    ("concurrent-stack.bir", &[("N", 2)]),
    ("thread-pool.bir", &[("WORKERS", 2), ("TASKS", 2)]),
    ("shared-stack.bir", &[("USERS", 3), ("CAPACITY", 1)]),
    ("work-queue.bir", &[("WORKERS", 2), ("TASKS", 2)]),
];

/// Everything about an exploration of a net that must not depend on who explored it.
#[derive(Debug, PartialEq)]
struct NetResult {
    counters: Counters,
    stopped: Option<StopReason>,
    deadlock: Option<Run>,
    verdicts: Vec<(String, PropertyAnswer, Option<Run>)>,
}

/// Transitions and classes of a run.
type Run = Vec<(String, u32)>;

fn run_of(trace: &NetTrace) -> Run {
    trace.steps.iter().map(|step| (step.transition.clone(), step.class)).collect()
}

fn net_result(found: &NetExploration) -> NetResult {
    let verdict = |v: &pidlab_explore::net::PropertyVerdict| {
        (v.property.clone(), v.answer, v.trace.as_ref().map(run_of))
    };
    NetResult {
        counters: found.report.counters,
        stopped: found.report.stopped,
        deadlock: found.deadlock.as_ref().map(run_of),
        verdicts: found.verdicts.iter().map(verdict).collect(),
    }
}

fn settings<'a>(net: &Net, options: Options<'a>) -> NetOptions<'a> {
    NetOptions { relations: net.used_relations(), canon: true, force: false, options }
}

fn same_by_all(net: &Net, settings: &NetOptions<'_>, what: &str) -> NetResult {
    let one = net_result(&explore(net, settings).unwrap());
    for (processes, threads) in shapes() {
        let all = together(processes, threads, &Folders::default(), |cluster| {
            net_result(&explore_by(net, settings, cluster).unwrap())
        });
        for (process, many) in all.iter().enumerate() {
            assert_eq!(*many, one, "{what}: {processes} × {threads}, process {process}");
        }
    }
    one
}

#[test]
fn all_nets() {
    for (name, constants) in NETS {
        let net = net(name, constants, &[]);
        let one = same_by_all(&net, &settings(&net, Options::default()), name);
        assert_eq!(one.stopped, None, "{name}");
        assert!(one.counters.states > 2, "{name}: {one:?}");
    }
}

#[test]
fn plain_spaces_and_general_forms() {
    let nkm = net("nkm.tnet", &[("k", "2"), ("m", "1")], &[]);
    let limits = Limits { states: Some(700), ..Limits::default() };
    let plain = Options { limits, ..Options::default() };
    let settings =
        |relations, canon, force, options| NetOptions { relations, canon, force, options };
    same_by_all(&nkm, &settings(Relations::default(), false, false, plain), "canon off");
    let all = settings(Relations::ALL, true, false, Options::default());
    same_by_all(&net("ring.tnet", &[], &[]), &all, "all relations");
    // guards compare what the keys leave out: the search goes on from concrete markings
    let forced = settings(Relations::NONE, true, true, Options::default());
    same_by_all(&nkm, &forced, "forced");
}

#[test]
fn searches_end_where_one_process_ends() {
    let constants = [("k", "2"), ("m", "2")];
    let never = ["never count(h3(_)) > 1", "reach count(f1(_)) == 2", "never count(h4(_)) > 0"];
    for property in never {
        let net = net("nkm.tnet", &constants, &[property]);
        let stop = Options { stop_at: u64::MAX >> 2, stop_at_deadlock: true, ..Options::default() };
        let one = same_by_all(&net, &settings(&net, stop), property);
        assert!(one.stopped.is_some(), "{property}");
    }
    let net = net("nkm.tnet", &constants, &[]);
    for most in [1, 2, 10, 33, 100, 231, 232, 233] {
        let limits = Limits { states: Some(most), ..Limits::default() };
        let limited = settings(&net, Options { limits, ..Options::default() });
        let one = same_by_all(&net, &limited, &format!("at most {most} states"));
        assert!(one.counters.states <= most);
    }
}

/// What must not depend on who explored a program.
type HeapResult = (Counters, Option<StopReason>, Option<String>, String);

fn heap_result(found: &heap::HeapExploration) -> HeapResult {
    let fault = found.fault.as_ref().map(|(_, text)| text.clone());
    (found.report.counters, found.report.stopped, fault, format!("{:?}", found.trace))
}

fn same_program(make: impl Fn() -> HeapProgram + Sync, options: &HeapOptions<'_>, what: &str) {
    let one = heap_result(&heap::explore(make(), options).unwrap());
    for (processes, threads) in shapes() {
        let all = together(processes, threads, &Folders::default(), |cluster| {
            heap_result(&heap::explore_by(make(), options, cluster).unwrap())
        });
        for (process, many) in all.iter().enumerate() {
            assert_eq!(*many, one, "{what}: {processes} × {threads}, process {process}");
        }
    }
}

#[test]
fn all_programs() {
    for (name, constants) in PROGRAMS {
        let order = Order::BreadthFirst;
        let options = HeapOptions { order, trace: true, ..HeapOptions::default() };
        same_program(|| program(name, constants), &options, name);
    }
}

#[test]
fn symmetries_and_compressed_stores() {
    let constants = [("N", 2), ("MAX", 2)];
    let make = || program("ordered-list.bir", &constants);
    let options = HeapOptions { order: Order::BreadthFirst, trace: true, ..HeapOptions::default() };
    // heuristics count what they see first: the order matters
    for symmetry in ["pc", "kbots:2", "exact"] {
        let symmetry: ThreadSymmetry = symmetry.parse().unwrap();
        same_program(make, &HeapOptions { symmetry, ..options.clone() }, &symmetry.to_string());
    }
    for compression in [Compression::Packed, Compression::Gzip, Compression::Collapse] {
        let name = compression.to_string();
        same_program(make, &HeapOptions { compression, ..options.clone() }, &name);
    }
    let tree = HeapOptions { compression: Compression::Tree, ..options };
    same_program(make, &tree, "tree");
}
