//! Any text as claims, and as those of an experiment: refused, or decided by the analysis of a run.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_harness::analyse::Analysis;
use pidlab_harness::claims::{decide, parse};
use pidlab_harness::experiment::Experiment;
use std::sync::LazyLock;

pidlab_fuzz::mutate_by!(pidlab_fuzz::toml);

static RUN: LazyLock<(Experiment, Analysis)> = LazyLock::new(|| {
    let text = include_str!("../../results/iscis09-small/experiment.toml");
    let analysis = include_str!("../../results/iscis09-small/analysis.json");
    let experiment = Experiment::parse(text, "experiment.toml".as_ref());
    (experiment.expect("an experiment"), serde_json::from_str(analysis).expect("an analysis"))
});

fuzz_target!(|text: &str| {
    let Ok(claims) = parse(text) else { return };
    let (experiment, analysis) = &*RUN;
    for claim in &claims {
        if claim.check(experiment).is_ok() {
            let decided = decide(claim, analysis);
            serde_json::to_string(&decided).expect("a decided claim is a document");
        }
    }
});
