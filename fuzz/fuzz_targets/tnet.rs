//! Any text: refused, or a net that is explored, a little, with and without merging, and written as PNML or refused
//! there.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_backends::Budget;
use pidlab_core::Relations;
use pidlab_explore::net::{NetOptions, compile, explore, pnml_of};
use pidlab_explore::search::{Continue, Limits, Options};
use pidlab_explore::source::Source;
use std::time::Duration;

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    let Ok(net) = compile(Source::new("fuzz.tnet", text), &[], &[]) else { return };
    if text.len() < 1_000
        && let Ok(pnml) = pnml_of(&net)
    {
        pidlab_pnml::write(&pnml, &mut Vec::new()).expect("writing to memory does not fail");
    }
    let mut found = Vec::new();
    for canon in [false, true] {
        let budget = Budget::new(Some(Duration::from_millis(300)), Some(1 << 28));
        let limits = Limits { states: Some(200), budget };
        let options =
            Options { limits, threads: 1, from: Continue::Representative, ..Options::default() };
        let settings = NetOptions { relations: Relations::ALL, canon, force: true, options };
        let Ok(explored) = explore(&net, &settings) else { return };
        found.push(explored.report.complete().then_some(explored.report.counters.states));
    }
    if let [Some(plain), Some(merged)] = found[..] {
        assert!(merged <= plain, "{merged} classes of {plain} markings");
    }
});
