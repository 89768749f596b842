//! Any text as a boolean program: refused, or a machine, sliced and not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_cover::parse::bp::{BoolOptions, read_with};
use pidlab_fuzz::cover::{limited, write_and_read};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    for slice in [false, true] {
        let options = BoolOptions { slice, error_label: Some("l") };
        if let Ok(net) = read_with(&limited(text), options) {
            write_and_read(&net);
        }
    }
});
