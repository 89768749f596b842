//! Any text: refused, or a heap program that is explored, a little, in every store; exact symmetry never
//! finds more states than none.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_backends::Budget;
use pidlab_explore::heap::{Compression, HeapOptions, ThreadSymmetry, compile, explore};
use pidlab_explore::search::{Limits, Order};
use pidlab_explore::source::Source;
use std::time::Duration;

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    let source = Source::new("fuzz.bir", text);
    let runs = [
        (ThreadSymmetry::None, Compression::Bytes, Order::DepthFirst),
        (ThreadSymmetry::Exact, Compression::Packed, Order::BreadthFirst),
        (ThreadSymmetry::Kbots(2), Compression::Collapse, Order::DepthFirst),
        (ThreadSymmetry::Pc, Compression::Tree, Order::BreadthFirst),
    ];
    let mut found = Vec::new();
    for (symmetry, compression, order) in runs {
        let Ok(program) = compile(&source, &[]) else { return };
        let budget = Budget::new(Some(Duration::from_millis(300)), Some(1 << 28));
        let limits = Limits { states: Some(200), budget };
        let options =
            HeapOptions { symmetry, compression, order, limits, trace: true, ..Default::default() };
        let Ok(explored) = explore(program, &options) else { return };
        found.push(explored.report.complete().then_some(explored.report.counters.states));
    }
    if let [Some(none), Some(exact), ..] = found[..] {
        assert!(exact <= none, "{exact} states with exact symmetry, {none} without");
    }
});
