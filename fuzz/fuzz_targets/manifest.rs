//! Any text as the manifest of a run folder: refused, or one that says the same after being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_fuzz::folder::emptied;
use pidlab_harness::store::manifest::{FILE, Manifest};
use pidlab_harness::store::{experiment_of, plan_of};

pidlab_fuzz::mutate_by!(pidlab_fuzz::json);

fuzz_target!(|text: &str| {
    let folder = emptied("manifest");
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("room");
    put("experiment.toml", include_str!("../../results/iscis09-small/experiment.toml"));
    put(FILE, text);
    if let Ok(manifest) = Manifest::read(&folder) {
        let _ = (experiment_of(&folder), plan_of(&folder));
        let written = serde_json::to_string(&manifest).expect("a manifest is a document");
        put(FILE, &written);
        let again = Manifest::read(&folder).expect("what is written can be read");
        assert_eq!(serde_json::to_string(&again).expect("a document"), written);
    }
});
