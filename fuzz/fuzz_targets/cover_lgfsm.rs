//! Any text as a local/global machine.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_cover::parse::lgfsm;
use pidlab_fuzz::cover::{limited, write_and_read};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    if let Ok(net) = lgfsm::read(&limited(text)) {
        write_and_read(&net);
    }
});
