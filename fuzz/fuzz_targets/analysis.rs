//! Any text as the analysis of a run: refused, or one that decides all claims and is told of in a table.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_fuzz::folder::emptied;
use pidlab_harness::analyse::Analysis;
use pidlab_harness::claims::{Claim, decide, parse};
use pidlab_harness::report::summary;
use std::sync::LazyLock;

pidlab_fuzz::mutate_by!(pidlab_fuzz::json);

static CLAIMS: LazyLock<Vec<Claim>> =
    LazyLock::new(|| parse(include_str!("../../experiments/claims.toml")).expect("claims"));

fuzz_target!(|text: &str| {
    if let Ok(analysis) = serde_json::from_str::<Analysis>(text) {
        CLAIMS.iter().for_each(|claim| drop(decide(claim, &analysis)));
    }
    let folder = emptied("analysis");
    std::fs::create_dir_all(folder.join("run")).expect("room");
    std::fs::write(folder.join("run/analysis.json"), text).expect("room");
    if let Ok(runs) = summary::read(&folder) {
        let table = summary::markdown(&runs);
        let claims: usize = runs.iter().map(|(_, run)| run.claims.len()).sum();
        assert_eq!(table.lines().count(), 6 + claims, "a claim is a line:\n{table}");
    }
});
