//! Any text after the `:` of sparse6: refused, or a graph whose edges join its vertices.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_graphs::{Format, Source};

fuzz_target!(|text: &str| {
    let line = format!(":{}", text.lines().next().unwrap_or_default());
    if let Ok(graph) = Format::Graph6.read_one(&Source::new("a.s6", line)) {
        let n = graph.vertex_count() as u32;
        assert!(graph.edges().all(|(x, y, kind)| x <= y && y < n && !kind.directed));
    }
});
