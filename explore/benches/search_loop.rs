//! What the search loop itself costs: a model whose states are eight bytes and whose successors are
//! one addition; then ten dining philosophers in both orders. Run with
//! `cargo bench -p pidlab-explore --bench search_loop`.

use pidlab_explore::heap::{HeapOptions, compile, explore};
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

fn main() {
    let ways = [
        ("breadth-first, representative", Order::BreadthFirst, Continue::Representative, 1),
        ("breadth-first, concrete", Order::BreadthFirst, Continue::Concrete, 1),
        ("breadth-first, 2 threads", Order::BreadthFirst, Continue::Representative, 2),
        ("depth-first, concrete", Order::DepthFirst, Continue::Concrete, 1),
    ];
    for (name, order, from, threads) in ways {
        let options = Options { order, from, threads, ..Options::default() };
        let report = search(&Grid(159), &Word, &mut ArenaStore::new(), &options)
            .expect("the grid has no failing transition");
        let seconds = report.elapsed.as_secs_f64();
        let c = report.counters;
        println!(
            "{name}: {} states, {} transitions, {seconds:.2} s, {:.2} million states/s, {:.2} million transitions/s",
            c.states,
            c.transitions,
            c.states as f64 / seconds / 1e6,
            c.transitions as f64 / seconds / 1e6
        );
    }
    philosophers();
}

fn philosophers() {
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let seconds = (0..5).map(|_| {
            let source = Source::new("philosophers.bir", PHILOSOPHERS);
            let program = compile(&source, &[("N".to_string(), 10)]).expect("the model compiles");
            let options = HeapOptions { order, ..HeapOptions::default() };
            let report = explore(program, &options).expect("the model is defined").report;
            assert_eq!(report.counters.states, 154_451);
            report.elapsed.as_secs_f64()
        });
        let best = seconds.fold(f64::INFINITY, f64::min);
        println!(
            "10 philosophers, {order:?}: best of 5 {best:.3} s, {:.0} states/s",
            154_451.0 / best
        );
    }
}
