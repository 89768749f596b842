//! Any text as the property of a `.tts` and of a PNML net; the checker's reader understands what the parser does.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_cover::check::Model;
use pidlab_cover::parse::{pnml, tts};
use pidlab_cover::{Net, Source};
use pidlab_fuzz::cover::limited;
use std::sync::LazyLock;

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

const SYSTEM: &str = "3 4\n0 0 -> 0 1\n0 1 -> 1 2 0 ~> 3\n1 2 +> 2 0\n";

static THREADS: LazyLock<Net> =
    LazyLock::new(|| tts::read_system(&Source::new("system", SYSTEM)).expect("a system"));
static PLACES: LazyLock<pnml::PnmlSystem> = LazyLock::new(|| {
    let text = include_str!("../seeds/cover_pnml/all.pnml");
    let (net, _) = text.split_once("\n%\n").expect("a net and its property");
    pnml::read_system(&Source::new("net", net)).expect("a net")
});

fuzz_target!(|text: &str| {
    let _ = PLACES.read_property(&limited(text));
    let source = limited(text);
    let read = Model::read_tts(SYSTEM.as_bytes(), text.as_bytes(), None, source.budget());
    let parsed = tts::read_property(&source, &THREADS);
    if let (Ok(read), Ok(targets)) = (&read, &parsed) {
        let net = Net { targets: targets.clone(), ..THREADS.clone() };
        let model = Model::of_net(&net, source.budget()).expect("a small net");
        assert_eq!(*read, model, "the checker reads it in another way");
    }
    let mut net = THREADS.clone();
    let _ = tts::set_start(&mut net, &source);
});
