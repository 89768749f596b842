//! Any text as a labelled transition system: refused, or reduced; what is written of it is read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_core::Relations;
use pidlab_explore::lts::{QuotientOptions, reduce_file};
use pidlab_explore::search::Limits;

pidlab_fuzz::mutate_by!(pidlab_fuzz::json_lines);

fuzz_target!(|text: &[u8]| {
    for relations in [Relations::default(), Relations::NONE, Relations::ALL] {
        let limits = Limits { states: Some(100), ..Limits::default() };
        let options = QuotientOptions { relations, limits, members: 1, graph: true, threads: 2 };
        if let Ok(found) = reduce_file("fuzz", text, &options) {
            let graph = found.graph.expect("a graph was asked for");
            assert_eq!(graph.nodes.len() as u64, found.report.counters.states);
            assert!(graph.nodes.iter().all(|node| node.state.is_some()));
        }
    }
});
