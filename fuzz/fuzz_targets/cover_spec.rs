//! Any text as a Petri net of the MIST suite; the checker's reader understands what the parser does.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_cover::check::Model;
use pidlab_cover::parse::spec;
use pidlab_fuzz::cover::{limited, write_and_read};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    let source = limited(text);
    if let Ok(net) = spec::read(&source) {
        let budget = source.budget();
        if let (Ok(read), Ok(net)) =
            (Model::read_spec(text.as_bytes(), budget), Model::of_net(&net, budget))
        {
            assert_eq!(read, net, "the checker reads it in another way");
        }
        write_and_read(&net);
    }
});
