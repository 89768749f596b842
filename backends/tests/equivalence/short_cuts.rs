//! Without short cuts the solver sees every pair, and the verdicts stay what they were.

use crate::pairs::pairs;
use crate::{checked, quick_backends};
use pidlab_backends::{
    Backend, Budget, DecidedBy, Decision, GraphKind, Problem, Verdict, registry,
};
use pidlab_core::{Relations, State};

fn decision(
    backend: &dyn Backend,
    (q, r): (&State, &State),
    relations: Relations,
    budget: &Budget,
) -> Decision {
    backend.decide(Problem { q, r, relations, graph: GraphKind::Corrected }, budget)
}

#[test]
fn the_solver_sees_every_pair_if_it_is_to() {
    let all = pairs();
    let others: Vec<&State> = all.iter().step_by(7).map(|pair| &pair.q).collect();
    let budget = Budget::unlimited().without_short_cuts();
    for backend in quick_backends() {
        let name = backend.info().name;
        for pair in &all {
            // pairs of different sizes too, which nothing but a count is needed for
            let more = others.iter().map(|other| (&pair.q, *other));
            for (q, r) in [(&pair.q, &pair.r)].into_iter().chain(more) {
                let expected = checked(&*backend, q, r, pair.relations, GraphKind::Corrected);
                let found = decision(&*backend, (q, r), pair.relations, &budget);
                assert_eq!(
                    matches!(found.verdict, Verdict::Equivalent(_)),
                    expected,
                    "{name}, {}",
                    pair.id
                );
                assert_ne!(
                    found.verdict,
                    Verdict::Undecided(pidlab_backends::backend::Undecided::NoDifferenceFound)
                );
                assert_eq!(found.decided_by, DecidedBy::Solver, "{name}, {}", pair.id);
            }
        }
    }
}

/// States that differ in a count, in a shape, and in nothing but who is whose parent.
#[test]
fn whoever_decides_says_so() {
    let state = |text: &str| pidlab_core::json::parse_state(text).unwrap();
    let base = state(
        r#"{"sigma": {"A": [["@1", 7], ["@1.1", 7], ["@2", 7]]}, "eta": {"1": 1, "2": 0, "1.1": 0}}"#,
    );
    let fewer = state(r#"{"sigma": {"A": [["@1", 7]]}, "eta": {"1": 0}}"#);
    let shape = state(
        r#"{"sigma": {"A": [["@1", 7], ["@1.1", 7], ["@2", 8]]}, "eta": {"1": 1, "2": 0, "1.1": 0}}"#,
    );
    let who = |name: &str, other: &State| {
        let backend = registry::find(name).ok()?;
        let found = decision(&*backend, (&base, other), Relations::default(), &Budget::unlimited());
        assert_eq!(
            matches!(found.verdict, Verdict::Equivalent(_)),
            std::ptr::eq(other, &base),
            "{name}"
        );
        Some(found.decided_by)
    };
    assert_eq!(who("canon", &fewer), Some(DecidedBy::PreCheck));
    assert_eq!(who("vf2", &fewer), Some(DecidedBy::PreCheck));
    assert_eq!(who("refine", &fewer), Some(DecidedBy::PreCheck));
    for name in ["canon", "refine", "vf2", "petgraph"] {
        assert_eq!(who(name, &base), Some(DecidedBy::Solver), "{name}");
    }
    // nauty may not be built in
    for (name, other) in [("nauty", &fewer), ("nauty", &shape), ("traces-faithful", &shape)] {
        assert_ne!(who(name, other), Some(DecidedBy::Solver), "{name}");
    }
}
