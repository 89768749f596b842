//! Any bytes: refused, or a state that survives being written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_core::json::{read_state, state_to_string};

pidlab_fuzz::mutate_by!(pidlab_fuzz::json);

fuzz_target!(|data: &[u8]| {
    if let Ok(state) = read_state(data) {
        let text = state_to_string(&state);
        let again = read_state(text.as_bytes()).expect("what is written can be read");
        assert_eq!(text, state_to_string(&again));
        let _ = state.check_consistent();
    }
});
