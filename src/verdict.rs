//! Verdicts for people and for programs.

use crate::outcome::Outcome;
use pidlab_backends::backend::Undecided;
use pidlab_backends::{Verdict, Witness};
use pidlab_core::State;
use serde_json::{Map, Value};

/// The exit code of a verdict.
pub fn outcome(verdict: &Verdict) -> Outcome {
    match verdict {
        Verdict::Equivalent(_) => Outcome::Yes,
        Verdict::NotEquivalent => Outcome::No,
        Verdict::Undecided(_) => Outcome::Undecided,
    }
}

/// `true`, `false` or, where undecided, `null`.
pub fn equivalent(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Equivalent(_) => Value::Bool(true),
        Verdict::NotEquivalent => Value::Bool(false),
        Verdict::Undecided(_) => Value::Null,
    }
}

/// The witness of a verdict as a JSON object over pids and next-pids, or `null`.
pub fn witness(verdict: &Verdict, q: &State, r: &State) -> Value {
    match verdict {
        Verdict::Equivalent(witness) => Value::Object(witness_map(witness, q, r)),
        _ => Value::Null,
    }
}

fn witness_map(Witness(images): &Witness, q: &State, r: &State) -> Map<String, Value> {
    let name = |state: &State, pid: u32| format!("@{}", state.forest().pid(pid));
    let mut map = Map::new();
    for pid in q.pids() {
        let image = images[pid as usize];
        map.insert(name(q, pid), Value::String(name(r, image)));
        if let (Some(mine), Some(theirs)) = (q.next_pid(pid), r.next_pid(image)) {
            map.insert(format!("@{mine}"), Value::String(format!("@{theirs}")));
        }
    }
    map
}

/// Why a question stayed open.
pub fn why_undecided(undecided: &Undecided) -> String {
    match undecided {
        Undecided::Exhausted(limit) => limit.to_string(),
        Undecided::NoDifferenceFound => {
            "the backend is a heuristic and finds no difference; use an exact one".to_string()
        }
        Undecided::Failed(reason) => reason.clone(),
    }
}
