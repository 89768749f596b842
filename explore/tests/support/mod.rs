//! What the tests of heap programs share.
#![allow(dead_code)]

use pidlab_explore::heap::{
    Compression, HeapExploration, HeapModel, HeapOptions, HeapOrder, HeapProgram, ThreadSymmetry,
    Word, compile, explore,
};
use pidlab_explore::search::{Model, Successors};
use pidlab_explore::source::Source;
use std::collections::HashSet;

/// All models with constants that keep them small.
pub const SMALL: [(&str, &[(&str, i64)]); 13] = [
    ("philosophers.bir", &[("N", 4)]),
    ("philosophers.bir", &[("N", 5)]),
    ("bounded-buffer.bir", &[("N", 3), ("M", 2)]),
    ("ordered-list.bir", &[("N", 2), ("MAX", 2)]),
    ("ordered-list.bir", &[("N", 3), ("MAX", 1)]),
    ("readers-writers.bir", &[("READERS", 2), ("WRITERS", 2)]),
    ("concurrent-stack.bir", &[("N", 3)]),
    ("thread-pool.bir", &[("WORKERS", 2), ("TASKS", 2)]),
    ("thread-pool.bir", &[("WORKERS", 2), ("TASKS", 3)]),
    ("shared-stack.bir", &[("USERS", 3), ("CAPACITY", 1)]),
    ("shared-stack.bir", &[("USERS", 3), ("CAPACITY", 2)]),
    ("work-queue.bir", &[("WORKERS", 2), ("TASKS", 2)]),
    ("work-queue.bir", &[("WORKERS", 2), ("TASKS", 3)]),
];

pub fn settings(constants: &[(&str, i64)]) -> Vec<(String, i64)> {
    constants.iter().map(|&(name, value)| (name.to_string(), value)).collect()
}

pub fn program(model: &str, constants: &[(&str, i64)]) -> HeapProgram {
    let path = format!("{}/../models/{model}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    compile(&Source::new(model, text), &settings(constants))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A program given as text.
pub fn inline(text: &str) -> HeapProgram {
    compile(&Source::new("inline.bir", text), &[]).unwrap_or_else(|error| panic!("{error}"))
}

pub fn counts(
    program: HeapProgram,
    symmetry: ThreadSymmetry,
    compression: Compression,
) -> HeapExploration {
    let options = HeapOptions { symmetry, compression, ..HeapOptions::default() };
    explore(program, &options).unwrap()
}

/// All reachable states, found by a loop that shares nothing with the search.
pub fn reachable(model: &HeapModel) -> Vec<Vec<Word>> {
    let mut worker = model.worker();
    let mut known = HashSet::new();
    let mut all = vec![model.initial_words()];
    known.insert(all[0].clone());
    let mut next = 0;
    while next < all.len() {
        let mut successors = Successors::new();
        model.successors(&mut worker, &all[next], &mut successors).unwrap();
        for index in 0..successors.len() {
            if known.insert(successors.state(index).clone()) {
                all.push(successors.state(index).clone());
            }
        }
        next += 1;
    }
    all
}

pub fn model(name: &str, constants: &[(&str, i64)]) -> HeapModel {
    HeapModel::new(program(name, constants), HeapOrder::DepthFirst)
}
