//! What a backend's program says first: the protocol it speaks, and which forms of a problem it wants to be sent.

use super::program::ProgramFailure;
use serde::Deserialize;

/// What forms of a problem the program wants to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    pub states: bool,
    pub layered: bool,
    pub plain: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Greeting {
    format: String,
    wants: Vec<String>,
}

/// The `format` of the greeting.
pub const FORMAT: &str = "pidlab-external/2";
/// The protocol without numbers.
const UNNUMBERED: &str = "pidlab-external/1";

/// The forms in a greeting.
pub fn wants_of(line: &str) -> Result<Wants, ProgramFailure> {
    let expected = || {
        ProgramFailure::Malformed(format!(
            "its first line must be {{\"format\": \"{FORMAT}\", \"wants\": [\"states\" and/or \"layered\" and/or \"plain\"]}}"
        ))
    };
    let greeting: Greeting = serde_json::from_str(line).map_err(|_| expected())?;
    match greeting.format.as_str() {
        FORMAT => {}
        UNNUMBERED => {
            return Err(ProgramFailure::Malformed(format!(
                "it speaks {UNNUMBERED}, and {FORMAT} is needed: greet with that, and repeat the `id` of each request in its answer"
            )));
        }
        _ => return Err(expected()),
    }
    let mut wants = Wants::default();
    for name in &greeting.wants {
        match name.as_str() {
            "states" => wants.states = true,
            "layered" => wants.layered = true,
            "plain" => wants.plain = true,
            _ => return Err(expected()),
        }
    }
    Ok(wants)
}
