//! Canonical labellings of small and large graphs, and limits that hold.

use pidlab_nauty::{
    Labeler, LabelingLimits, SparseGraph, Stopped, canonical_labeling, in_own_thread, unavailable,
};
use std::time::{Duration, Instant};

const STACK: usize = 64 << 20;
const PROGRAMS: [Labeler; 3] = [Labeler::Traces, Labeler::Nauty, Labeler::NautySchreier];

/// Whether nauty is there; says so if not.
fn available() -> bool {
    if let Some(reason) = unavailable() {
        eprintln!("SKIPPED: nauty is not available: {reason}");
    }
    unavailable().is_none()
}

fn label(program: Labeler, graph: &mut SparseGraph) -> Vec<u32> {
    canonical_labeling(program, graph, LabelingLimits::default()).unwrap()
}

fn isomorphic(program: Labeler, mut a: SparseGraph, mut b: SparseGraph) -> bool {
    let (a_order, b_order) = (label(program, &mut a), label(program, &mut b));
    let mut image = vec![0; a_order.len()];
    for (&from, &to) in a_order.iter().zip(&b_order) {
        image[from as usize] = to;
    }
    a.is_isomorphism(&b, &image)
}

/// A cycle of which every vertex v is called v · step.
fn cycle(n: u32, step: u32) -> SparseGraph {
    let edges: Vec<(u32, u32)> = (0..n).map(|v| (v * step % n, (v + 1) * step % n)).collect();
    SparseGraph::new(vec![0; n as usize], &edges).unwrap()
}

#[test]
fn isomorphic_just_when_canonical_graphs_are_equal() {
    if !available() {
        return;
    }
    let triangles =
        SparseGraph::new(vec![0; 6], &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]).unwrap();
    for program in PROGRAMS {
        assert!(isomorphic(program, cycle(7, 1), cycle(7, 3)));
        assert!(!isomorphic(program, cycle(6, 1), triangles.clone()));
        assert!(label(program, &mut SparseGraph::default()).is_empty());
        assert_eq!(label(program, &mut SparseGraph::new(vec![0], &[]).unwrap()), [0]);
    }
}

#[test]
fn colors_are_kept() {
    if !available() {
        return;
    }
    let path = |colors: [u32; 3]| SparseGraph::new(colors.to_vec(), &[(0, 1), (1, 2)]).unwrap();
    for program in PROGRAMS {
        assert!(isomorphic(program, path([1, 0, 0]), path([0, 0, 1])));
        assert!(!isomorphic(program, path([1, 0, 0]), path([0, 1, 0])));
    }
}

/// Copies of a strongly regular graph: beyond what either program does in half a second.
fn rooks(copies: u32) -> SparseGraph {
    let mut edges = Vec::new();
    for copy in 0..copies {
        for x in 0..16 {
            for y in 0..x {
                if x / 4 == y / 4 || x % 4 == y % 4 {
                    edges.push((copy * 16 + x, copy * 16 + y));
                }
            }
        }
    }
    SparseGraph::new(vec![0; 16 * copies as usize], &edges).unwrap()
}

#[test]
fn limits_hold_within_a_node_of_the_search_tree() {
    if !available() {
        return;
    }
    for program in PROGRAMS {
        for (time, memory, expected) in [
            (Some(Duration::from_millis(200)), None, Stopped::Time),
            (None, Some(1 << 20), Stopped::Memory),
        ] {
            let limits = LabelingLimits { time, memory, own_thread: true };
            let start = Instant::now();
            let result = in_own_thread(STACK, time, move || {
                canonical_labeling(program, &mut rooks(600), limits)
            });
            assert_eq!(result, Err(expected), "{program:?}");
            assert!(start.elapsed() < Duration::from_secs(10), "{program:?} {:?}", start.elapsed());
        }
    }
    // a limit in one thread does not hold in another
    assert!(isomorphic(Labeler::Nauty, cycle(50, 1), cycle(50, 7)));
}
