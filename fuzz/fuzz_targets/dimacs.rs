//! Any text: refused, or a graph whose state is consistent and the same whatever its lines' order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_graphs::{Format, Source};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    let Ok(graph) = Format::Dimacs.read_one(&Source::new("a.col", text)) else { return };
    let lines: Vec<&str> = text.lines().collect();
    let problem = lines.iter().position(|line| line.trim_start().starts_with('p'));
    let (before, after) = lines.split_at(problem.expect("a graph has a problem line") + 1);
    // a vertex may be coloured twice, and then the last line counts
    let edges = after.iter().filter(|line| !line.trim_start().starts_with('n'));
    let colors = after.iter().filter(|line| line.trim_start().starts_with('n'));
    let again: Vec<&str> = before.iter().chain(edges.rev()).chain(colors).copied().collect();
    let again = Format::Dimacs.read_one(&Source::new("b.col", again.join("\n")));
    assert_eq!(again.expect("the same lines"), graph);
    if graph.vertex_count() < 1000 {
        assert!(graph.to_state().expect("a graph is a state").is_consistent());
    }
});
