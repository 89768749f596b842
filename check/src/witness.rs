//! Witness files: a JSON object from names to names, `{"@1": "@2", …}`, bare or as the field
//! `witness` of what `pidlab check --json` prints.
//!
//! Read as a stream into a list of pairs, so that a name given twice is still seen twice.

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use std::fmt;
use std::io::Read;

/// Reads a witness document; trailing text is an error.
pub fn read(reader: impl Read) -> Result<Vec<(String, String)>, serde_json::Error> {
    let mut de =
        serde_json::Deserializer::from_reader(std::io::BufReader::with_capacity(1 << 16, reader));
    let pairs = Document.deserialize(&mut de)?;
    de.end()?;
    Ok(pairs)
}

struct Document;

impl<'de> DeserializeSeed<'de> for Document {
    type Value = Vec<(String, String)>;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<Self::Value, D::Error> {
        de.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document {
    type Value = Vec<(String, String)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(
            "a witness such as {\"@1\": \"@2\"}, or a document whose field `witness` is one",
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut bare = Vec::new();
        let mut field = None;
        let mut is_report = false;
        while let Some(key) = map.next_key::<String>()? {
            if key.starts_with(|c: char| c == '@' || c.is_ascii_digit()) {
                bare.push((key, map.next_value::<String>()?));
                continue;
            }
            is_report = true;
            match key.as_str() {
                "witness" if field.is_some() => {
                    return Err(A::Error::custom("field `witness` occurs twice"));
                }
                "witness" => field = Some(map.next_value::<Option<Pairs>>()?),
                "format" | "equivalent" | "backend" | "reason" | "id" | "relations" => {
                    map.next_value::<IgnoredAny>()?;
                }
                // a report may grow fields; a bare map may not hold anything but names
                _ if bare.is_empty() => drop(map.next_value::<IgnoredAny>()?),
                other => return Err(A::Error::custom(format!("`{other}` is not a pid"))),
            }
        }
        match (field, bare.is_empty()) {
            (Some(Some(pairs)), true) => Ok(pairs.0),
            (Some(None), _) => Err(A::Error::custom(
                "the field `witness` is null: the states were not found equivalent, so there is nothing to verify",
            )),
            (Some(_), false) => {
                Err(A::Error::custom("names beside the field `witness`; give one of the two"))
            }
            (None, _) if is_report => Err(A::Error::custom("the document has no field `witness`")),
            (None, _) => Ok(bare),
        }
    }
}

struct Pairs(Vec<(String, String)>);

impl<'de> serde::Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Pairs, D::Error> {
        de.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object from pids to pids, such as {\"@1\": \"@2\"}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry::<String, String>()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}
