//! Two states in one line: whatever they are, exact backends agree on them under every Ω*.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_backends::{Budget, GraphKind, Problem, Verdict, registry};
use pidlab_core::{Relations, State};
use std::time::Duration;

pidlab_fuzz::mutate_by!(pidlab_fuzz::json);

fuzz_target!(|data: &[u8]| {
    let Ok((q, r)) = serde_json::from_slice::<(State, State)>(data) else { return };
    for relations in Relations::subsets() {
        let mut verdicts = Vec::new();
        for name in ["canon", "refine", "vf2"] {
            let backend = registry::find(name).expect("always there");
            let budget = Budget::new(Some(Duration::from_secs(1)), Some(1 << 28));
            let problem = Problem { q: &q, r: &r, relations, graph: GraphKind::Corrected };
            match backend.decide(problem, &budget).verdict {
                Verdict::Equivalent(_) => verdicts.push(true),
                Verdict::NotEquivalent => verdicts.push(false),
                Verdict::Undecided(_) => {}
            }
        }
        assert!(verdicts.windows(2).all(|pair| pair[0] == pair[1]), "{relations} {verdicts:?}");
    }
});
