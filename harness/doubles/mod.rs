//! Backends that misbehave on purpose, for the tests of the program.
//!
//! The feature `doubles` compiles them; only the tests' dev-dependency turns it on, so no released program has
//! them. They run in the worker's process, as backends do: what they do to it is what is tested.

mod slowed;

use crate::clock::process_cpu;
use pidlab_backends::backend::Undecided;
use pidlab_backends::canon::Canon;
use pidlab_backends::{Backend, Budget, Decision, Exactness, Info, Problem, Verdict, Witness};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Vice {
    /// Calls pairs of states with an even number of vectors not equivalent.
    Lies,
    /// Says "equivalent" with pids mapped to themselves.
    Forges,
    Aborts,
    OverflowsTheStack,
    Hangs,
    EatsMemory,
    /// Does its work in a thread of its own.
    Delegates,
    /// Never decides, and says why in colour.
    Fails,
}

struct Double(Vice);

/// The double of that name, or a backend that the environment asks to be slowed down.
pub fn find(name: &str) -> anyhow::Result<Option<Box<dyn Backend>>> {
    let vice = match name {
        "double:liar" => Vice::Lies,
        "double:forger" => Vice::Forges,
        "double:abort" => Vice::Aborts,
        "double:overflow" => Vice::OverflowsTheStack,
        "double:hang" => Vice::Hangs,
        "double:hog" => Vice::EatsMemory,
        "double:delegate" => Vice::Delegates,
        "double:fail" => Vice::Fails,
        _ => return slowed::find(name),
    };
    Ok(Some(Box::new(Double(vice))))
}

impl Backend for Double {
    fn info(&self) -> Info {
        Info {
            name: "double".into(),
            exactness: Exactness::Exact,
            source: "test double".into(),
            unavailable: None,
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let clock = Instant::now();
        // every eighth size misbehaves, so that ordinary rows lie between
        let triggered = problem.q.pid_count().is_multiple_of(8);
        let verdict = match self.0 {
            Vice::Lies if problem.q.vector_count().is_multiple_of(2) => Verdict::NotEquivalent,
            Vice::Forges => Verdict::Equivalent(Witness(problem.q.pids().collect())),
            Vice::Aborts if triggered => std::process::abort(),
            Vice::OverflowsTheStack if triggered => {
                Verdict::Undecided(Undecided::Failed(descend(1).to_string()))
            }
            Vice::Hangs if triggered => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            Vice::EatsMemory if triggered => {
                let mut hoard: Vec<Vec<u8>> = Vec::new();
                loop {
                    hoard.push(vec![1; 1 << 24]);
                    std::hint::black_box(&hoard);
                }
            }
            Vice::Fails => {
                let why = "no licence\nfor this machine \x1b[31m";
                Verdict::Undecided(Undecided::Failed(why.into()))
            }
            Vice::Delegates => {
                std::thread::spawn(|| spin(Duration::from_millis(5))).join().ok();
                return honest(problem, budget);
            }
            _ => return honest(problem, budget),
        };
        Decision::of(verdict, clock, clock)
    }
}

fn honest(problem: Problem<'_>, budget: &Budget) -> Decision {
    Canon.decide(problem, budget)
}

/// Burns CPU time, however long that takes on a busy machine.
fn spin(time: Duration) {
    let end = process_cpu() + time;
    while process_cpu() < end {
        std::hint::spin_loop();
    }
}

fn descend(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 64]);
    if depth == u64::MAX { frame[0] } else { descend(depth + 1) + std::hint::black_box(frame)[63] }
}
