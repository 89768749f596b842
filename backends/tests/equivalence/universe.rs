//! A small universe of states: every one that can be made from a few pids, locations and counters.

use pidlab_core::state::StateBuilder;
use pidlab_core::{Datum, State};

const POOL: [&[u64]; 6] = [&[1], &[2], &[1, 1], &[1, 2], &[1, 1, 1], &[2, 1]];

/// A state as lists, before it is built.
#[derive(Clone)]
struct Sketch {
    vectors: Vec<(&'static str, Vec<&'static [u64]>)>,
    eta: Vec<(&'static [u64], u64)>,
}

/// All states over at most `pids` pids of the pool: each in location A or B, active with a counter
/// up to 2 or inactive, and optionally a vector ⟨x, y⟩ or ⟨x, y, x⟩ in location C. Consistent ones, or
/// the others.
pub fn states(pids: usize, consistent: bool) -> Vec<State> {
    let mut sketches = Vec::new();
    for set in 0u32..1 << POOL.len() {
        let chosen: Vec<&[u64]> =
            (0..POOL.len()).filter(|i| set >> i & 1 == 1).map(|i| POOL[i]).collect();
        if chosen.len() <= pids {
            sketches.extend(over(&chosen));
        }
    }
    let built = sketches.iter().map(build);
    built.filter(|state| state.check_consistent().is_ok() == consistent).collect()
}

/// All consistent states over at most two of the first four pids of the pool, with counters up to 1
/// and without location C.
pub fn small_states() -> Vec<State> {
    let mut sketches = Vec::new();
    for set in 0u32..1 << 4 {
        let chosen: Vec<&[u64]> = (0..4).filter(|i| set >> i & 1 == 1).map(|i| POOL[i]).collect();
        if chosen.len() <= 2 {
            sketches.extend(apart(&chosen, &[None, Some(0), Some(1)]));
        }
    }
    sketches.iter().map(build).filter(|state| state.check_consistent().is_ok()).collect()
}

fn over(chosen: &[&'static [u64]]) -> Vec<Sketch> {
    let mut sketches = apart(chosen, &[None, Some(0), Some(1), Some(2)]);
    let linked: Vec<Sketch> =
        sketches.iter().flat_map(|sketch| with_links(sketch, chosen)).collect();
    sketches.extend(linked);
    sketches
}

/// Every pid in a vector of its own.
fn apart(chosen: &[&'static [u64]], counters: &[Option<u64>]) -> Vec<Sketch> {
    let mut sketches = vec![Sketch { vectors: Vec::new(), eta: Vec::new() }];
    for &pid in chosen {
        sketches = sketches.iter().flat_map(|sketch| with_pid(sketch, pid, counters)).collect();
    }
    sketches
}

fn with_pid(sketch: &Sketch, pid: &'static [u64], counters: &[Option<u64>]) -> Vec<Sketch> {
    let mut all = Vec::new();
    for location in ["A", "B"] {
        for &created in counters {
            let mut more = sketch.clone();
            more.vectors.push((location, vec![pid]));
            more.eta.extend(created.map(|count| (pid, count)));
            all.push(more);
        }
    }
    all
}

fn with_links(sketch: &Sketch, chosen: &[&'static [u64]]) -> Vec<Sketch> {
    let mut all = Vec::new();
    for &x in chosen {
        for &y in chosen {
            for vector in [vec![x, y], vec![x, y, x]] {
                let mut more = sketch.clone();
                more.vectors.push(("C", vector));
                all.push(more);
            }
        }
    }
    all
}

fn build(sketch: &Sketch) -> State {
    let mut builder = StateBuilder::new();
    for (location, pids) in &sketch.vectors {
        let key = builder.location(location);
        let mut entries: Vec<_> = pids.iter().map(|pid| builder.pid(pid)).collect();
        if *location == "C" {
            entries.push(pidlab_core::state::NewComponent::Data(Datum::from("c")));
        }
        builder.vector(key, entries);
    }
    for &(pid, created) in &sketch.eta {
        builder.active(pid, created).unwrap();
    }
    builder.finish().unwrap()
}

/// Every `step`-th of the items, so that a test covers all regions of a large list.
pub fn sample<T>(items: Vec<T>, count: usize) -> Vec<T> {
    let step = items.len().div_ceil(count).max(1);
    items.into_iter().step_by(step).collect()
}
