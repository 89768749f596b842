//! What the search loop itself costs: a model whose states are eight bytes and whose successors are
//! one addition; then dining philosophers in both orders, plain, compressed and up to symmetry. Run with
//! `cargo bench -p pidlab-explore --bench search_loop`; numbers behind `--` are numbers of philosophers.

use pidlab_explore::heap::{Compression, HeapOptions, ThreadSymmetry, compile, explore};
use pidlab_explore::search::*;
use pidlab_explore::source::Source;

const PHILOSOPHERS: &str = include_str!("../../models/philosophers.bir");

/// Points below a bound in a grid of three dimensions, packed into one word.
struct Grid(u64);

impl Model for Grid {
    type State = u64;
    type Worker = ();
    fn worker(&self) {}
    fn initial(&self, _: &mut (), out: &mut Successors<u64>) -> Result<(), Failure> {
        *out.push(0) = 0;
        Ok(())
    }
    fn successors(&self, _: &mut (), s: &u64, out: &mut Successors<u64>) -> Result<(), Failure> {
        for axis in 0..3 {
            if (s >> (20 * axis)) & 0xF_FFFF < self.0 {
                *out.push(axis) = s + (1 << (20 * axis));
            }
        }
        Ok(())
    }
}

struct Word;

impl Canonizer<u64> for Word {
    type Worker = ();
    fn worker(&self) {}
    fn key(&self, _: &mut (), state: &u64, key: &mut Vec<u8>) -> Result<(), Failure> {
        key.clear();
        key.extend_from_slice(&state.to_le_bytes());
        Ok(())
    }
    fn decode(&self, _: &mut (), key: &[u8], state: &mut u64) {
        *state = key.try_into().map(u64::from_le_bytes).unwrap_or_default();
    }
}

const ROUNDS: usize = 5;

fn main() {
    let given: Vec<i64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    if given.is_empty() {
        bare_loop();
    }
    for n in if given.is_empty() { vec![10, 12] } else { given } {
        philosophers(n);
    }
}

/// The best of several runs, which must all find as many states.
fn best(run: impl Fn() -> SearchReport) -> SearchReport {
    let reports: Vec<_> = (0..ROUNDS).map(|_| run()).collect();
    assert!(reports.iter().all(|report| report.counters == reports[0].counters));
    let fastest = reports.into_iter().min_by_key(|report| report.elapsed);
    fastest.expect("there is more than one round")
}

fn bare_loop() {
    let ways = [
        ("breadth-first, representative", Order::BreadthFirst, Continue::Representative, 1),
        ("breadth-first, concrete", Order::BreadthFirst, Continue::Concrete, 1),
        ("breadth-first, 2 threads", Order::BreadthFirst, Continue::Representative, 2),
        ("depth-first, concrete", Order::DepthFirst, Continue::Concrete, 1),
    ];
    for (name, order, from, threads) in ways {
        let options = Options { order, from, threads, ..Options::default() };
        let report = best(|| {
            search(&Grid(159), &Word, &mut ArenaStore::new(), &options)
                .expect("the grid has no failing transition")
        });
        let (seconds, c) = (report.elapsed.as_secs_f64(), report.counters);
        println!(
            "grid, {name}: {} states, {seconds:.3} s, {:.2} million states/s, {:.2} million transitions/s",
            c.states,
            c.states as f64 / seconds / 1e6,
            c.transitions as f64 / seconds / 1e6
        );
    }
}

fn philosophers(n: i64) {
    use Compression::{Bytes, None, Tree};
    use ThreadSymmetry::Exact;
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let plain = dine(n, order, ThreadSymmetry::None, Bytes, 1.0);
        dine(n, order, ThreadSymmetry::None, None, plain);
        dine(n, order, ThreadSymmetry::None, Tree, plain);
        dine(n, order, Exact, Bytes, plain);
    }
}

/// Prints and returns the best time by states; `plain` is that of the plain way.
fn dine(
    n: i64,
    order: Order,
    symmetry: ThreadSymmetry,
    compression: Compression,
    plain: f64,
) -> f64 {
    let options = HeapOptions { order, symmetry, compression, ..HeapOptions::default() };
    let bytes = std::cell::Cell::new(0.0);
    let report = best(|| {
        let source = Source::new("philosophers.bir", PHILOSOPHERS);
        let program = compile(&source, &[("N".to_string(), n)]).expect("the model compiles");
        let found = explore(program, &options).expect("the model is defined");
        bytes.set(found.bytes_per_state());
        found.report
    });
    let (seconds, states) = (report.elapsed.as_secs_f64(), report.counters.states as f64);
    let each = seconds / states;
    println!(
        "{n} philosophers, {order:?}, symmetry {symmetry}, {compression}: {states} states, {seconds:.3} s, {:.0} states/s, {:.1} bytes a state, {:.2} times the plain time by states",
        states / seconds,
        bytes.get(),
        if plain == 1.0 { 1.0 } else { each / plain }
    );
    each
}
