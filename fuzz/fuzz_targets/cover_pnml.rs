//! Any text as a place/transition net in PNML and, after a line `%`, its property.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_cover::Net;
use pidlab_cover::parse::pnml;
use pidlab_fuzz::cover::{limited, write_and_read};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    let (system, property) = text.split_once("\n%\n").unwrap_or((text, "p >= 1"));
    let Ok(system) = pnml::read_system(&limited(system)) else { return };
    if let Ok(targets) = system.read_property(&limited(property)) {
        write_and_read(&Net { targets, ..system.net });
    }
});
