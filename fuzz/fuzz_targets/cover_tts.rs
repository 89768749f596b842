//! Any text as a thread transition system and, after a line `%`, its property.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_cover::check::Model;
use pidlab_cover::parse::tts;
use pidlab_fuzz::cover::{limited, write_and_read};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    let (system, property) = text.split_once("\n%\n").unwrap_or((text, "0|0"));
    let source = limited(system);
    let Ok(mut net) = tts::read_system(&source) else { return };
    let Ok(targets) = tts::read_property(&limited(property), &net) else { return };
    net.targets = targets;
    let budget = source.budget();
    let read = Model::read_tts(system.as_bytes(), property.as_bytes(), None, budget);
    if let (Ok(read), Ok(net)) = (read, Model::of_net(&net, budget)) {
        assert_eq!(read, net, "the checker reads it in another way");
    }
    write_and_read(&net);
});
