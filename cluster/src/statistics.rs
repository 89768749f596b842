//! Where the time of a search on several processes goes, and how evenly it is spread.

use crate::finish::Work;
use serde::Serialize;
use std::time::Duration;

#[derive(Clone, Debug, Serialize)]
pub struct Statistics {
    pub processes: usize,
    /// Workers of each process.
    pub threads: usize,
    /// Bytes written to connections by all processes, a state.
    pub bytes_sent_per_state: f64,
    /// Bytes of keys that went from worker to worker, in a process or between two, a state.
    pub key_bytes_sent_per_state: f64,
    /// Shares of the time of all workers.
    pub canonise_share: f64,
    pub communication_share: f64,
    pub waiting_share: f64,
    /// States of the process with the fewest over those of the one with the most.
    pub balance: f64,
    pub states_by_process: Vec<u64>,
    pub memory_by_process: Vec<u64>,
    /// States of each level of the search.
    pub levels: Vec<u64>,
}

impl Statistics {
    pub fn new(work: &[Work], levels: Vec<u64>, threads: usize) -> Statistics {
        let by_process = |value: fn(&Work) -> u64| -> Vec<u64> {
            work.chunks(threads).map(|process| process.iter().map(value).sum()).collect()
        };
        let states_by_process = by_process(|work| work.states);
        let states = states_by_process.iter().sum::<u64>().max(1) as f64;
        let total = |value: fn(&Work) -> u64| work.iter().map(value).sum::<u64>() as f64;
        let time = |value: fn(&Work) -> Duration| -> f64 {
            work.iter().map(|work| value(work).as_secs_f64()).sum()
        };
        let elapsed = time(|work| work.elapsed).max(1e-9);
        let (least, most) = (states_by_process.iter().min(), states_by_process.iter().max());
        let balance = match (least, most) {
            (Some(&least), Some(&most)) if most > 0 => least as f64 / most as f64,
            _ => 1.0,
        };
        Statistics {
            processes: work.len() / threads.max(1),
            threads,
            bytes_sent_per_state: total(|work| work.written) / states,
            key_bytes_sent_per_state: total(|work| work.sent) / states,
            canonise_share: work.iter().map(canonising).sum::<f64>() / elapsed,
            communication_share: time(|work| work.moved) / elapsed,
            waiting_share: time(|work| work.waited) / elapsed,
            balance,
            memory_by_process: by_process(|w| w.key_bytes + w.index_bytes + w.parent_bytes),
            states_by_process,
            levels,
        }
    }
}

/// Seconds a worker spent on canonical forms: the sampled share of the time that it expanded states.
fn canonising(work: &Work) -> f64 {
    let sampled = (work.generate + work.canonise + work.batch).as_secs_f64();
    let elsewhere = work.stored + work.moved + work.waited;
    let expanding = work.elapsed.saturating_sub(elsewhere).as_secs_f64();
    if sampled == 0.0 { 0.0 } else { expanding * work.canonise.as_secs_f64() / sampled }
}
