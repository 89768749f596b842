//! Random programs with functions, virtual calls and exceptions, against an interpreter of the tests'
//! own: the same states, edges and deadlocks; with exact symmetry as many as there are orbits under all
//! renamings of threads and objects, by trying all of them.

mod random;
mod support;

use pidlab_explore::heap::{Compression, HeapOptions, ThreadSymmetry, explore};
use pidlab_explore::search::Order;
use random::interpreter::{Counts, count, fixed_form, least_form};
use random::program::{Program, Random};
use support::inline;

const MOST_STATES: usize = 2_000;

fn found(program: &Program, symmetry: &str, compression: Compression, order: Order) -> Counts {
    let symmetry: ThreadSymmetry = symmetry.parse().unwrap();
    let options = HeapOptions { symmetry, compression, order, ..HeapOptions::default() };
    let text = program.text();
    let found = explore(inline(&text), &options).unwrap();
    assert!(found.fault.is_none(), "{:?}\n{text}", found.fault);
    let counters = found.report.counters;
    Counts { states: counters.states, edges: counters.edges, deadlocks: counters.deadlocks }
}

/// How many programs of a series were small enough, and whether something happened in them.
#[derive(Default)]
struct Tally {
    compared: usize,
    large: usize,
    smaller: usize,
}

fn compare(seed: u64, programs: usize, node_set: bool) -> Tally {
    let mut random = Random(seed);
    let mut tally = Tally::default();
    for number in 0..programs {
        let program = random.program(node_set);
        let Some(orbits) = count(&program, MOST_STATES, least_form) else { continue };
        let compression = Compression::ALL[number % Compression::ALL.len()];
        let order = if number % 2 == 0 { Order::BreadthFirst } else { Order::DepthFirst };
        let exact = found(&program, "exact", compression, order);
        assert_eq!(exact, orbits, "exact, program {number}\n{}", program.text());
        tally.compared += 1;
        tally.large += usize::from(orbits.states > 30);
        let Some(all) = count(&program, 4 * MOST_STATES, fixed_form) else { continue };
        let none = found(&program, "none", compression, order);
        assert_eq!(none, all, "none, program {number}\n{}", program.text());
        tally.smaller += usize::from(orbits.states < all.states);
        for heuristic in ["pc", "kbots:0", "kbots:1", "kbots:inf"] {
            let states = found(&program, heuristic, compression, order).states;
            let range = orbits.states..=all.states;
            assert!(range.contains(&states), "{heuristic}, program {number}\n{}", program.text());
        }
    }
    tally
}

#[test]
fn random_programs_agree_with_the_interpreter() {
    let tally = compare(16, 250, false);
    assert!(tally.compared > 120, "only {} programs were small enough", tally.compared);
    assert!(tally.large > 40, "only {} programs had more than 30 states", tally.large);
    assert!(tally.smaller > 20, "only {} programs had symmetry", tally.smaller);
}

#[test]
fn with_sets_of_references_too() {
    let tally = compare(17, 100, true);
    assert!(tally.compared > 30, "only {} programs were small enough", tally.compared);
}

#[test]
#[ignore = "takes minutes"]
fn many_more() {
    for seed in 0..20 {
        compare(1_000 + seed, 1_000, false);
        compare(2_000 + seed, 300, true);
    }
}
