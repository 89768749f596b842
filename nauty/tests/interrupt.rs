//! A time limit within one refinement. Alone in its process, whose processor time is measured.

use pidlab_nauty::{
    Labeler, LabelingLimits, SparseGraph, Stopped, canonical_labeling, in_own_thread, unavailable,
};
use std::time::Duration;

const STACK: usize = 64 << 20;

/// A random graph whose edges are vertices too: one refinement of it takes seconds.
fn subdivided(vertices: u32, edges: u32) -> SparseGraph {
    let mut state = 1u64;
    let mut below = |n: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((state >> 33) % u64::from(n)) as u32
    };
    let mut list = Vec::new();
    for edge in 0..edges {
        let middle = vertices + edge;
        let (x, y) = (below(vertices), below(vertices - 1));
        list.extend([(x, middle), (middle, if y >= x { y + 1 } else { y })]);
    }
    SparseGraph::new(vec![0; (vertices + edges) as usize], &list).unwrap()
}

/// Processor time of this process, which does not depend on what else runs.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

#[test]
fn a_refinement_is_left_in_the_middle() {
    if let Some(reason) = unavailable() {
        eprintln!("SKIPPED: nauty is not available: {reason}");
        return;
    }
    for program in [Labeler::Traces, Labeler::Nauty, Labeler::NautySchreier] {
        let time = Some(Duration::from_millis(100));
        let limits = LabelingLimits { time, memory: None, own_thread: true };
        let mut graph = subdivided(20_000, 3_000_000);
        let begun = cpu_seconds();
        let result =
            in_own_thread(STACK, time, move || canonical_labeling(program, &mut graph, limits));
        assert_eq!(result, Err(Stopped::Time), "{program:?}");
        let spent = cpu_seconds() - begun;
        assert!(spent < 0.7, "{program:?} went on for {spent} s");
    }
}
