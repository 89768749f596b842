//! Any text as undirected and as directed edges: both are refused, or the directed graph has at least as many edges.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_graphs::{Format, Source};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    let read = |format: Format| format.read_one(&Source::new("a.edges", text));
    match (read(Format::Edges), read(Format::Arcs)) {
        (Ok(edges), Ok(arcs)) => {
            assert_eq!(edges.vertex_count(), arcs.vertex_count());
            assert!(edges.edge_count() <= arcs.edge_count());
            assert!(edges.to_state().expect("a graph is a state").is_consistent());
        }
        (Err(one), Err(other)) => assert_eq!(one, other),
        _ => panic!("the direction decides whether a list can be read"),
    }
});
