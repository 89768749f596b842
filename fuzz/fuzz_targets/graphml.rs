//! Any text: refused with a place inside it, or a graph that is a state.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_graphs::{Format, Source};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    match Format::GraphMl.read_one(&Source::new("a.graphml", text)) {
        Err(wrong) => assert!(wrong.line >= 1 && !wrong.to_string().is_empty()),
        Ok(graph) => assert!(graph.to_state().expect("a graph is a state").is_consistent()),
    }
});
