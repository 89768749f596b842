//! The same question about many things, on all cores.

use crate::signals;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Most threads of a batch.
const MOST_THREADS: usize = 1024;

/// Answers for all items in their order. A thread takes one item at a time.
pub fn map<I, T>(
    py: Python<'_>,
    items: Vec<I>,
    threads: Option<usize>,
    answer: impl Fn(&I) -> T + Send + Sync + 'static,
) -> PyResult<Vec<T>>
where
    I: Send + Sync + 'static,
    T: Send + 'static,
{
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = threads.unwrap_or_else(cores).clamp(1, MOST_THREADS).min(items.len().max(1));
    signals::on_thread(py, move |stop| run(&items, threads, answer, stop))
}

fn run<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    answer: impl Fn(&I) -> T + Sync,
    stop: &Arc<AtomicBool>,
) -> Vec<T> {
    let turn = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        signals::ends_with(stop);
        let mut own = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            let number = turn.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { break };
            own.push((number, answer(item)));
        }
        answers.lock().unwrap_or_else(PoisonError::into_inner).extend(own);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_unstable_by_key(|&(number, _)| number);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
