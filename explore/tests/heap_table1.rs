//! Bogor'03, table 1: all 24 numbers, one deadlock each, and the exact form; in every store and, where
//! the order cannot matter, in both orders.

mod support;

use pidlab_explore::heap::{Compression, HeapOptions, ThreadSymmetry, explore};
use pidlab_explore::search::Order;

const COLUMNS: [&str; 4] = ["none", "pc", "kbots:inf", "exact"];
const TABLE: [(i64, [(u64, u64); 4]); 4] = [
    (3, [(36, 41), (19, 21), (14, 15), (14, 15)]),
    (5, [(393, 1024), (250, 659), (160, 410), (81, 208)]),
    (7, [(4287, 17394), (3337, 13683), (2207, 8937), (615, 2490)]),
    (10, [(154_451, 961_681), (137_863, 860_763), (99_976, 623_240), (15_490, 96_440)]),
];

fn found(n: i64, symmetry: &str, compression: Compression, order: Order) -> (u64, u64, u64) {
    let program = support::program("philosophers.bir", &[("N", n)]);
    let symmetry: ThreadSymmetry = symmetry.parse().unwrap();
    let options = HeapOptions { symmetry, compression, order, ..HeapOptions::default() };
    let counters = explore(program, &options).unwrap().report.counters;
    (counters.states, counters.seen, counters.deadlocks)
}

#[test]
fn every_number_of_the_table() {
    for (n, row) in TABLE {
        for (symmetry, (states, seen)) in COLUMNS.into_iter().zip(row) {
            let ours = found(n, symmetry, Compression::default(), Order::DepthFirst);
            assert_eq!(ours, (states, seen, 1), "N = {n}, {symmetry}");
        }
    }
}

#[test]
fn stores_do_not_change_counts() {
    for compression in Compression::ALL {
        for (n, row) in &TABLE[..3] {
            for (symmetry, &(states, seen)) in COLUMNS.into_iter().zip(row) {
                let ours = found(*n, symmetry, compression, Order::DepthFirst);
                assert_eq!(ours, (states, seen, 1), "N = {n}, {symmetry}, {compression}");
            }
        }
    }
}

#[test]
fn without_heuristics_the_order_of_the_search_does_not_matter() {
    for compression in Compression::ALL {
        for (n, row) in &TABLE[..3] {
            for column in [0, 3] {
                let (states, seen) = row[column];
                let ours = found(*n, COLUMNS[column], compression, Order::BreadthFirst);
                assert_eq!(ours, (states, seen, 1), "N = {n}, {}, {compression}", COLUMNS[column]);
            }
        }
    }
}
