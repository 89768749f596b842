//! Any text as lines of graph6, sparse6 and digraph6: refused with a place inside the text, or graphs that are states.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_graphs::{Format, Source};

fuzz_target!(|text: &str| {
    let source = Source::new("a.g6", text);
    for record in Format::Graph6.records(text) {
        match Format::Graph6.parse(&source, record) {
            Err(wrong) => assert!(wrong.line >= 1 && wrong.line <= text.lines().count()),
            Ok(graph) if graph.vertex_count() < 1000 => {
                assert!(graph.to_state().expect("a graph is a state").is_consistent());
                let names: Vec<u32> = (0..graph.vertex_count() as u32).rev().collect();
                assert_eq!(graph.renamed(&names).renamed(&names), graph);
            }
            Ok(_) => {}
        }
    }
});
