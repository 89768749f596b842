//! Any text as an experiment: refused, or a plan whose rows can all be placed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_harness::experiment::{Experiment, ScaleName};
use pidlab_harness::plan::Plan;

pidlab_fuzz::mutate_by!(pidlab_fuzz::toml);

/// Orders of more blocks than these only cost time.
const MOST_BLOCKS: u64 = 10_000;

fuzz_target!(|text: &str| {
    let Ok(experiment) = Experiment::parse(text, "fuzz/experiment.toml".as_ref()) else { return };
    for scale in [ScaleName::Smoke, ScaleName::Small, ScaleName::Paper] {
        let Ok(plan) = Plan::new(experiment.clone(), text, scale, None) else { continue };
        for row in [0, 1, plan.rows() / 2, plan.rows().saturating_sub(1)] {
            if row < plan.rows() {
                let place = plan.place(row);
                assert!(plan.rows_of(place.block).contains(&row));
                assert!(place.backend < plan.backends.len());
                let _ = (plan.transformation(&place), plan.relations(&place), plan.graph(&place));
            }
        }
        if plan.blocks() < MOST_BLOCKS {
            assert_eq!(plan.block_order().len() as u64, plan.blocks());
        }
    }
});
