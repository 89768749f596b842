//! A question in the format that the first line names (`tts`, with its property after a line `%`, `spec`, `lgfsm` or `bp`),
//! solved by every algorithm within a small budget: the command `cover` behind its readers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_cover::Net;
use pidlab_cover::parse::bp::{BoolOptions, read_with};
use pidlab_cover::parse::{lgfsm, spec, tts};
use pidlab_fuzz::cover::{limited, solve_by_all};

pidlab_fuzz::mutate_by!(pidlab_fuzz::tokens);

fuzz_target!(|text: &str| {
    let Some((format, text)) = text.split_once('\n') else { return };
    let net: Option<Net> = match format {
        "tts" => {
            let (system, property) = text.split_once("\n%\n").unwrap_or((text, "0|0"));
            tts::parse(system, property).ok()
        }
        "spec" => spec::read(&limited(text)).ok(),
        "lgfsm" => lgfsm::read(&limited(text)).ok(),
        "bp" => read_with(&limited(text), BoolOptions { slice: true, error_label: None }).ok(),
        _ => None,
    };
    if let Some(net) = net {
        solve_by_all(&net);
    }
});
