//! Any text after the `&` of digraph6: refused, or a digraph without parallel arcs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_graphs::{Format, Source};

fuzz_target!(|text: &str| {
    let line = format!("&{}", text.lines().next().unwrap_or_default());
    if let Ok(graph) = Format::Graph6.read_one(&Source::new("a.d6", line)) {
        let n = graph.vertex_count() as u32;
        let arcs: Vec<(u32, u32)> = graph.edges().map(|(x, y, _)| (x, y)).collect();
        assert!(graph.edges().all(|(x, y, kind)| x < n && y < n && kind.directed));
        assert!(arcs.windows(2).all(|pair| pair[0] < pair[1]));
    }
});
