//! Any bytes as a file of a history: refused, or a run of which a page can be made.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_fuzz::folder::emptied;
use pidlab_harness::history::page::{CommitLinks, render};
use pidlab_harness::history::{folder, series};

fuzz_target!(|bytes: &[u8]| {
    let history = emptied("history");
    let machine = history.join("machine-2-cores");
    std::fs::create_dir_all(&machine).expect("room");
    std::fs::write(machine.join("one.parquet"), bytes).expect("room");
    if let Ok(entries) = folder::read(&history) {
        let machines = series::all(&entries, 0.05);
        assert!(render(&machines, &CommitLinks(None), "pidlab track").contains("</html>"));
    }
});
