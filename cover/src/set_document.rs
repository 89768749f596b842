//! The document of a coverability set, for readers and for the checker.

use crate::answer::Counter;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Name and version of the document, described in `docs/formats-cover.md`.
pub const SET_FORMAT: &str = "pidlab-cover-set/1";

/// The JSON document of `pidlab cover --set`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct SetDocument {
    /// [`SET_FORMAT`].
    #[serde(default = "set_format")]
    pub format: String,
    /// Whether the set was computed; else `reason` says why not, and it is empty.
    pub complete: bool,
    /// The algorithm that computed it.
    pub algorithm: String,
    /// The set. Counters are numbers or `"ω"`; places go by name, those left out have none.
    pub configurations: Vec<BTreeMap<String, Counter>>,
    /// How each configuration is derived: the number of its last step in `derivation`, from 1; 0 is the start.
    pub derived_at: Vec<u32>,
    /// Steps from the start; step i of the list has number i + 1.
    pub derivation: Vec<DerivationStep>,
    /// Configurations computed.
    pub explored: u64,
    /// Why there is no set, else null.
    #[serde(default)]
    pub reason: Option<String>,
    /// Wall-clock time of the search, without the check.
    #[serde(default)]
    pub seconds: f64,
    /// Places of the net.
    #[serde(default)]
    pub places: u64,
    /// Transitions of the net.
    #[serde(default)]
    pub transitions: u64,
}

/// A transition fired where an earlier step led, and loops that end there repeated without end.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct DerivationStep {
    /// The earlier step, 0 for the start.
    pub from: u32,
    /// The number of the transition in the file's order.
    pub transition: u32,
    /// Earlier steps that this one comes from: the transitions since each of them can be fired again, lose
    /// nothing, and make ω of whatever they raise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pumps: Vec<u32>,
}

fn set_format() -> String {
    SET_FORMAT.into()
}

impl SetDocument {
    /// No set, and why.
    pub fn unknown(algorithm: &str, reason: String) -> SetDocument {
        SetDocument {
            format: SET_FORMAT.into(),
            complete: false,
            algorithm: algorithm.into(),
            configurations: Vec::new(),
            derived_at: Vec::new(),
            derivation: Vec::new(),
            explored: 0,
            reason: Some(reason),
            seconds: 0.0,
            places: 0,
            transitions: 0,
        }
    }
}
