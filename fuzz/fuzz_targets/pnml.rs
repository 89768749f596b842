//! Any text as PNML: refused, or a net that survives being written and read again, and becomes a `.tnet`
//! that is taken or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_explore::net::{compile, tnet_of};
use pidlab_pnml::{Source, read, write};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    let source = Source::new("fuzz", text);
    let Ok(net) = read(&source) else { return };
    let mut written = Vec::new();
    write(&net, &mut written).expect("writing to memory does not fail");
    let again = String::from_utf8(written).expect("PNML is UTF-8");
    read(&Source::new("again", again)).expect("what is written can be read");
    if let Ok(text) = tnet_of(&source, &net)
        && text.len() < 10_000
    {
        let _ = compile(Source::new("net", text), &[], &[]);
    }
});
