//! Any text: refused, or a state that survives being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_core::text::{parse_state, state_to_string};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    if let Ok(state) = parse_state(text) {
        let written = state_to_string(&state);
        let again = parse_state(&written).expect("what is written can be read");
        assert_eq!(written, state_to_string(&again));
    }
});
