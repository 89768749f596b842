//! Any document as an answer of `cover` about questions whose answers are known: the checker accepts no wrong one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_cover::check::{Model, check_set, check_within};
use pidlab_cover::parse::{lgfsm, spec, tts};
use pidlab_cover::{Budget, CoverVerdict, Document, Net, SetDocument};
use std::sync::LazyLock;
use std::time::Duration;

pidlab_fuzz::mutate_by!(pidlab_fuzz::json);

/// Two threads never meet in the section of a mutex; a step with a choice of each thread leads to a target, or does not.
static QUESTIONS: LazyLock<Vec<(Net, CoverVerdict)>> = LazyLock::new(|| {
    let mutex = include_str!("../seeds/cover_lgfsm/mutex.lgfsm");
    let choice = "2 3\n0 0 -> 0 1\n0 0 -> 1 0 1 ~> 1 1 ~> 2\n";
    let counter = "vars x y\nrules x >= 1 -> x' = x - 1, y' = y + 1; y >= 1 -> y' = y - 1, x' = x + 1;\ninit x = 1, y = 0\n";
    vec![
        (lgfsm::parse(mutex).expect("a machine"), CoverVerdict::Safe),
        (tts::parse(choice, "1|1").expect("a system"), CoverVerdict::Unsafe),
        (tts::parse(choice, "0|2").expect("a system"), CoverVerdict::Safe),
        (
            spec::parse(&format!("{counter}target x >= 1, y >= 1")).expect("a net"),
            CoverVerdict::Safe,
        ),
        (spec::parse(&format!("{counter}target y >= 1")).expect("a net"), CoverVerdict::Unsafe),
    ]
});

fuzz_target!(|text: &[u8]| {
    let budget = Budget::new(Some(Duration::from_secs(1)), Some(1 << 28));
    if let Ok(document) = serde_json::from_slice::<Document>(text) {
        for (net, truth) in QUESTIONS.iter() {
            if let Ok(true) = check_within(net, &document, &budget) {
                assert_eq!(document.verdict, *truth, "a proof of what is not so");
            }
        }
    }
    if let Ok(document) = serde_json::from_slice::<SetDocument>(text) {
        for (net, _) in QUESTIONS.iter() {
            let Ok(model) = Model::of_net(net, &budget) else { continue };
            let _ = check_set(&model, &document, &budget);
        }
    }
});
