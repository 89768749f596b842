//! One process with threads against several processes, in turns: N(4,3) and twelve philosophers.
//! Run with `cargo bench -p pidlab-cluster --bench processes [-- ROUNDS WAY…]`; a way is such as `nkm-2x1`:
//! two processes of one thread each. Processes are threads that speak through sockets, so that what is
//! measured is the search and not the start of programs.

#[path = "../tests/support/mod.rs"]
mod support;

use pidlab_cluster::Statistics;
use pidlab_explore::heap::{self, HeapOptions};
use pidlab_explore::net::{NetOptions, explore, explore_by};
use pidlab_explore::search::{Options, Order, SearchReport};
use support::{Folders, net, program, together};

/// How to run a search: processes, and threads of each; 0 processes: without a cluster.
const WAYS: [(usize, usize); 6] = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (4, 1)];

fn nkm((processes, threads): (usize, usize)) -> (SearchReport, Option<Statistics>) {
    let net = net("nkm.tnet", &[("k", "4"), ("m", "3")], &[]);
    let options = Options { threads, ..Options::default() };
    let settings = NetOptions { relations: Default::default(), canon: true, force: false, options };
    if processes == 0 {
        return (explore(&net, &settings).expect("the net is defined").report, None);
    }
    let mut all = together(processes, threads, &Folders::default(), |cluster| {
        let found = explore_by(&net, &settings, cluster).expect("the net is defined");
        (found.report, cluster.statistics())
    });
    all.swap_remove(0)
}

fn philosophers((processes, threads): (usize, usize)) -> (SearchReport, Option<Statistics>) {
    let make = || program("philosophers.bir", &[("N", 12)]);
    let options = HeapOptions { order: Order::BreadthFirst, ..HeapOptions::default() };
    if processes == 0 {
        return (heap::explore(make(), &options).expect("the program is defined").report, None);
    }
    let mut all = together(processes, threads, &Folders::default(), |cluster| {
        let found = heap::explore_by(make(), &options, cluster).expect("the program is defined");
        (found.report, cluster.statistics())
    });
    all.swap_remove(0)
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let rounds = given.iter().find_map(|word| word.parse().ok()).unwrap_or(3);
    let named = |word: &String| word.contains('-');
    let chosen = |what: &str, (processes, threads): (usize, usize)| {
        let name = format!("{what}-{processes}x{threads}");
        !given.iter().any(named) || given.contains(&name)
    };
    for _ in 0..rounds {
        for way in WAYS.into_iter().filter(|&way| chosen("nkm", way)) {
            show("N(4,3)", way, nkm(way));
        }
        // heap programs have one thread without a cluster
        let ways = WAYS.into_iter().filter(|&way| way != (0, 2));
        for way in ways.filter(|&way| chosen("philosophers", way)) {
            show("philosophers", way, philosophers(way));
        }
    }
}

fn show(
    what: &str,
    (processes, threads): (usize, usize),
    found: (SearchReport, Option<Statistics>),
) {
    let (report, statistics) = found;
    let seconds = report.elapsed.as_secs_f64();
    let (states, edges) = (report.counters.states, report.counters.edges);
    print!("{what:13} {processes} × {threads} {states:>9} states {edges:>9} edges {seconds:7.3} s");
    let bytes = (report.key_bytes + report.index_bytes) as f64 / states as f64;
    print!(" {bytes:6.1} bytes a state");
    if let Some(took) = statistics {
        let sent = took.bytes_sent_per_state;
        let (canonise, moving) = (took.canonise_share, took.communication_share);
        let (waiting, balance) = (took.waiting_share, took.balance);
        print!(
            " sent {sent:6.1} canonise {canonise:.2} move {moving:.2} wait {waiting:.2} balance {balance:.3}"
        );
    }
    println!();
}
