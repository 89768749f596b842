//! What a backend's program says first: the protocol it speaks, which forms of a problem it wants to be sent, and what it
//! is called.

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
    #[serde(default)]
    name: Option<String>,
}

/// The `format` of the greeting.
pub const FORMAT: &str = "pidlab-external/2";
/// The protocol without numbers.
const UNNUMBERED: &str = "pidlab-external/1";

/// What a greeting must be, in words.
pub fn expected() -> String {
    format!(
        "its first line must be {{\"format\": \"{FORMAT}\", \"wants\": [\"states\" and/or \"layered\" and/or \"plain\"]}}"
    )
}

/// The forms in a greeting, and the name, if it has one.
pub fn read(line: &str) -> Result<(Wants, Option<String>), ProgramFailure> {
    let expected = || ProgramFailure::Malformed(expected());
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
    match greeting.name {
        Some(name) if !is_name(&name) => Err(ProgramFailure::Malformed(format!(
            "its `name` {name:?} is not one: expected 1 to {LONGEST_NAME} letters, digits, blanks or any of `-_.+`"
        ))),
        name => Ok((wants, name)),
    }
}

/// Longer ones spoil tables and legends.
const LONGEST_NAME: usize = 40;

/// Whether a text can name a backend in tables, legends and names of files.
fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || " -_.+".contains(c);
    (1..=LONGEST_NAME).contains(&text.chars().count())
        && text.chars().all(fits)
        && text.trim() == text
        && !text.starts_with('.')
}
