//! Any text: refused, or a graph that survives being written and read again, and becomes a state.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_core::graph::dimacs::{parse, write};

fuzz_target!(|text: &str| {
    if let Ok(graph) = parse(text) {
        assert_eq!(parse(&write(&graph)).expect("what is written can be read"), graph);
        if graph.colours().len() < 1000 {
            assert!(graph.to_state().expect("a graph is a state").is_consistent());
        }
    }
});
