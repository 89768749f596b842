//! A line of a file of pairs: two states, and what is known of them.
//!
//! `{"id": …, "relations": […], "q": state, "r": state}`. Annotations that test suites keep beside a pair (`expected`,
//! `published_graph`, `ct`, `tags`, `comment`) are let through, any other unknown field is an error.

use crate::relation::{Relation, Relations};
use crate::state::State;
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The format that a line may name.
pub const PAIR_FORMAT: &str = "pidlab-pair/1";

/// Two states in one line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairLine {
    /// What answers call the pair.
    #[serde(default)]
    pub id: Value,
    relations: Option<Vec<String>>,
    /// The first state.
    pub q: State,
    /// The second.
    pub r: State,
    #[serde(default)]
    expected: Value,
    #[serde(default, rename = "format", deserialize_with = "known_format")]
    _format: (),
    #[serde(default, rename = "published_graph")]
    _published_graph: IgnoredAny,
    #[serde(default, rename = "ct")]
    _ct: IgnoredAny,
    #[serde(default, rename = "tags")]
    _tags: IgnoredAny,
    #[serde(default, rename = "comment")]
    _comment: IgnoredAny,
}

impl PairLine {
    /// Reads a line. Not generic, so that it is compiled for speed here, whatever its caller is compiled for.
    pub fn parse(line: &[u8]) -> Result<PairLine, serde_json::Error> {
        serde_json::from_slice(line)
    }

    /// The relations that the line names, or those that hold where it names none.
    pub fn relations(&self, default: Relations) -> Result<Relations, String> {
        relations_of(self.relations.as_deref(), default)
    }

    /// Whether the states are equivalent, if the line says so.
    pub fn expected(&self) -> Result<Option<bool>, String> {
        expected_of(&self.expected)
    }
}

fn known_format<'de, D: Deserializer<'de>>(de: D) -> Result<(), D::Error> {
    let format = String::deserialize(de)?;
    match format == PAIR_FORMAT {
        true => Ok(()),
        false => {
            let format = crate::pid::excerpt(&format);
            Err(D::Error::custom(format!("format is `{format}`, expected `{PAIR_FORMAT}`")))
        }
    }
}

/// A list of names of relations, or the default where there is none.
pub fn relations_of(names: Option<&[String]>, default: Relations) -> Result<Relations, String> {
    match names {
        None => Ok(default),
        // "all" and "none" stand for sets and not for one relation: alone, as in experiments
        Some([set]) => set.parse::<Relations>().map_err(|error| error.to_string()),
        Some(names) => names
            .iter()
            .map(|name| name.parse::<Relation>().map_err(|error| error.to_string()))
            .collect(),
    }
}

/// `true` or "equivalent", `false` or "not-equivalent", `null` or "unknown".
pub fn expected_of(value: &Value) -> Result<Option<bool>, String> {
    match value {
        Value::Bool(equivalent) => Ok(Some(*equivalent)),
        Value::Null => Ok(None),
        Value::String(text) => match text.as_str() {
            "equivalent" => Ok(Some(true)),
            "not-equivalent" => Ok(Some(false)),
            "unknown" => Ok(None),
            _ => Err(unexpected(value)),
        },
        _ => Err(unexpected(value)),
    }
}

fn unexpected(value: &Value) -> String {
    format!(
        "`expected` is {}, and true, false, \"equivalent\", \"not-equivalent\" or null is needed",
        crate::pid::excerpt(&value.to_string())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_annotations() {
        let state = r#"{"sigma": {"A": [["@1"]]}, "eta": {}}"#;
        let line = |more: &str| {
            PairLine::parse(format!(r#"{{"q": {state}, "r": {state}{more}}}"#).as_bytes())
        };
        let pair =
            line(r#", "relations": ["ancestor"], "expected": "not-equivalent", "tags": [1]"#)
                .unwrap();
        assert_eq!(
            pair.relations(Relations::default()),
            Ok(Relations::NONE.with(Relation::Ancestor))
        );
        assert_eq!(pair.expected(), Ok(Some(false)));
        let all = line(r#", "relations": ["all"]"#).unwrap();
        assert_eq!(all.relations(Relations::default()), Ok(Relations::ALL));
        assert_eq!(line("").unwrap().relations(Relations::ALL), Ok(Relations::ALL));
        assert!(line(r#", "expected": 3"#).unwrap().expected().unwrap_err().contains('3'));
        assert!(line(r#", "wanted": true"#).is_err());
        assert!(line(r#", "format": "pidlab-pair/1""#).is_ok());
        assert!(line(r#", "format": "pidlab-state/1""#).is_err());
    }
}
