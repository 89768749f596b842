//! Any text as the result table of a run folder of others: `analyse` and `report` refuse it, or write a page.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_fuzz::folder::emptied;
use pidlab_harness::pipeline;

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    let folder = emptied("rows");
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("room");
    put("experiment.toml", include_str!("../../results/hard-families-small/experiment.toml"));
    put("manifest.json", include_str!("../../results/hard-families-small/manifest.json"));
    put("pidlab-files.jsonl", include_str!("../../results/hard-families-small/pidlab-files.jsonl"));
    put("rows.csv", text);
    if let Ok(finished) = pipeline::analyse(&folder) {
        finished.report(&[]).expect("what is analysed can be told of");
    }
});
