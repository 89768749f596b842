//! Two lines, a greeting and an answer of an external program: refused, or a verdict; "equivalent" by an image of the
//! graphs that were sent is true.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_backends::external::read_conversation;
use pidlab_backends::{Budget, GraphKind, Problem, Verdict};
use pidlab_check::verify;
use pidlab_core::text::parse_state;
use pidlab_core::{Relations, State};
use std::sync::LazyLock;
use std::time::Duration;

pidlab_fuzz::mutate_by!(pidlab_fuzz::json_lines);

static PAIR: LazyLock<(State, State)> = LazyLock::new(|| {
    let state = |text: &str| parse_state(text).expect("a state");
    (state("L : <1:1> <2:0>  H : <1.1:0>"), state("L : <1:0> <2:1>  H : <2.1:0>"))
});

fuzz_target!(|text: &str| {
    let (greeting, answer) = text.split_once('\n').unwrap_or((text, ""));
    let (q, r) = &*PAIR;
    for relations in [Relations::default(), Relations::ALL] {
        let problem = Problem { q, r, relations, graph: GraphKind::Corrected };
        let budget = Budget::new(Some(Duration::from_secs(1)), Some(1 << 28));
        if let Ok(Verdict::Equivalent(witness)) =
            read_conversation(greeting, answer, problem, &budget)
        {
            let valid = verify(q, r, relations, &witness.0).is_ok();
            // a witness by names is checked by who asked
            assert!(valid || answer.contains("witness"), "{relations}: {witness:?}");
        }
    }
});
