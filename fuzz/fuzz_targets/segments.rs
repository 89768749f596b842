//! Any bytes as a row log, with checksums that are right or not: rows are taken or left out, a log that was repaired is
//! whole, and a table can be written of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_fuzz::folder::emptied;
use pidlab_harness::experiment::{Experiment, ScaleName};
use pidlab_harness::plan::Plan;
use pidlab_harness::store::Store;
use std::sync::LazyLock;

const TEXT: &str = include_str!("../../results/iscis09-small/experiment.toml");
const RECORD: usize = 120;

static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let experiment = Experiment::parse(TEXT, "experiment.toml".as_ref()).expect("an experiment");
    Plan::new(experiment, TEXT, ScaleName::Smoke, None).expect("a plan")
});

fuzz_target!(|bytes: &[u8]| {
    let Some((&form, body)) = bytes.split_first() else { return };
    let folder = emptied("segments");
    let store = Store::open(&folder, &PLAN, TEXT, false).expect("an empty folder");
    let path = store.new_segment(0, "worker-000").expect("room");
    std::fs::write(&path, if form % 8 == 0 { body.to_vec() } else { whole(body) }).expect("room");
    let Ok(found) = store.scan(PLAN.rows()) else { return };
    assert!(found.records.len() <= body.len() / RECORD && found.done.count <= PLAN.rows());
    if form % 4 == 1 {
        store.export(&PLAN, &found).expect("rows that are taken make a table");
    }
    let again = store.scan(PLAN.rows()).expect("what was repaired can be read");
    assert_eq!((again.records.len(), again.repairs.len()), (found.records.len(), 0));
});

/// A log of this plan with these records: rows in range, codes that there are, checksums.
fn whole(body: &[u8]) -> Vec<u8> {
    let mut log = b"pidrows3".to_vec();
    log.extend(PLAN.digest().to_le_bytes());
    log.extend((body.len() as u64 / RECORD as u64).to_le_bytes());
    for record in body.chunks(RECORD) {
        let mut record = record.to_vec();
        if record.len() == RECORD {
            let row = u64::from_le_bytes(record[..8].try_into().expect("eight bytes"));
            record[..8].copy_from_slice(&(row % PLAN.rows()).to_le_bytes());
            let codes = [3, 3, 7, 3, 2, 5, 5];
            (108..).zip(codes).for_each(|(at, codes): (usize, u8)| record[at] %= codes);
            let sum = crc32fast::hash(&record[..RECORD - 4]).to_le_bytes();
            record[RECORD - 4..].copy_from_slice(&sum);
        }
        log.extend(record);
    }
    log
}
