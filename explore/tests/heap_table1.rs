//! Bogor'03, table 1: all 24 numbers.
use pidlab_explore::heap::compile::compile;
use pidlab_explore::heap::diagnostic::Source;
use pidlab_explore::heap::keys::{Encoding, Keys};
use pidlab_explore::heap::moves::HeapModel;
use pidlab_explore::heap::numbering::HeapOrder;
use pidlab_explore::heap::pack::Packing;
use pidlab_explore::heap::symmetry::ThreadSymmetry;
use pidlab_explore::search::*;

fn counts(n: i64, symmetry: ThreadSymmetry, encoding: Encoding) -> (u64, u64, u64) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/philosophers.bir");
    let source = Source::new("philosophers.bir", std::fs::read_to_string(path).unwrap());
    let program = compile(&source, &[("N".to_string(), n)]).unwrap_or_else(|e| panic!("{e}"));
    let packing = Packing::new(&program);
    let model = HeapModel::new(program, HeapOrder::DepthFirst);
    let keys = Keys {
        layout: &model.layout,
        packing: &packing,
        symmetry,
        heap: HeapOrder::DepthFirst,
        encoding,
    };
    let options =
        Options { order: Order::DepthFirst, from: Continue::Concrete, ..Options::default() };
    let mut store = ArenaStore::new();
    let report = search(&model, &keys, &mut store, &options).unwrap();
    eprintln!(
        "{n} {symmetry} {:?} {:?} {} {}",
        report.counters, report.elapsed, report.key_bytes, report.index_bytes
    );
    (report.counters.states, report.counters.seen, report.counters.deadlocks)
}

#[test]
fn all_numbers() {
    for (n, expected) in [
        (3, [(36, 41), (19, 21), (14, 15), (14, 15)]),
        (5, [(393, 1024), (250, 659), (160, 410), (81, 208)]),
        (7, [(4287, 17394), (3337, 13683), (2207, 8937), (615, 2490)]),
        (10, [(154451, 961681), (137863, 860763), (99976, 623240), (15490, 96440)]),
    ] {
        let symmetries = ["none", "pc", "kbots:inf", "exact"];
        for (symmetry, (states, seen)) in symmetries.into_iter().zip(expected) {
            let found = counts(n, symmetry.parse().unwrap(), Encoding::Words);
            assert_eq!(found, (states, seen, 1), "N = {n}, {symmetry}");
        }
    }
}
