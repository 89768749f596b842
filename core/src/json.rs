//! The JSON form of states, `pidlab-state/1`.
//!
//! Read as a stream straight into a [`StateBuilder`]: no tree of values is built, nesting is bounded
//! by the format itself, duplicate keys and unknown fields are errors with line and column.

use crate::datum::Datum;
use crate::pid::{excerpt, parse_segments, write_segments};
use crate::state::{BuildError, ComponentKind, LocationKey, NewComponent, State, StateBuilder};
use pidlab_budget::{Budget, Exhausted};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use std::cell::Cell;
use std::fmt;
use std::io::{Read, Write};

/// The `format` field of a state.
pub const STATE_FORMAT: &str = "pidlab-state/1";

/// Why a text was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not a state.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A limit was reached.
    #[error(transparent)]
    Limit(#[from] Exhausted),
}

/// Reads one state document; trailing text is an error.
pub fn read_state(reader: impl Read) -> Result<State, serde_json::Error> {
    read_state_within(reader, &Budget::unlimited()).map_err(unlimited)
}

/// The same within limits.
pub fn read_state_within(mut reader: impl Read, budget: &Budget) -> Result<State, ReadError> {
    read_state_from(&mut reader, budget)
}

/// Not generic, so that it is compiled for speed here, whatever its caller is compiled for.
fn read_state_from(reader: &mut dyn Read, budget: &Budget) -> Result<State, ReadError> {
    let reader = std::io::BufReader::with_capacity(1 << 16, reader);
    whole_state(serde_json::Deserializer::from_reader(reader), budget)
}

/// Reads one state document from text.
pub fn parse_state(text: &str) -> Result<State, serde_json::Error> {
    parse_state_within(text, &Budget::unlimited()).map_err(unlimited)
}

/// What is wrong where nothing is limited.
fn unlimited(error: ReadError) -> serde_json::Error {
    match error {
        ReadError::Json(error) => error,
        ReadError::Limit(limit) => serde_json::Error::custom(limit),
    }
}

/// The same within limits.
pub fn parse_state_within(text: &str, budget: &Budget) -> Result<State, ReadError> {
    whole_state(serde_json::Deserializer::from_str(text), budget)
}

fn whole_state<'de, R: serde_json::de::Read<'de>>(
    mut de: serde_json::Deserializer<R>,
    budget: &Budget,
) -> Result<State, ReadError> {
    let reached = Cell::new(None);
    let seed = StateSeed { builder: StateBuilder::within(budget), reached: &reached };
    match seed.deserialize(&mut de).and_then(|state| de.end().map(|()| state)) {
        Ok(state) => Ok(state),
        Err(error) => Err(reached.get().map_or(ReadError::Json(error), ReadError::Limit)),
    }
}

impl<'de> serde::Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<State, D::Error> {
        StateSeed { builder: StateBuilder::new(), reached: &Cell::new(None) }.deserialize(de)
    }
}

struct StateSeed<'b> {
    builder: StateBuilder,
    /// The limit that ended reading: an error of serde is text alone.
    reached: &'b Cell<Option<Exhausted>>,
}

/// A limit as an error of the reader, and kept as what it is.
fn limited<E: serde::de::Error>(reached: &Cell<Option<Exhausted>>, limit: Exhausted) -> E {
    reached.set(Some(limit));
    E::custom(limit)
}

impl<'de> DeserializeSeed<'de> for StateSeed<'_> {
    type Value = State;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<State, D::Error> {
        de.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for StateSeed<'_> {
    type Value = State;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a state, such as {\"sigma\": {\"L\": [[\"@1\"]]}, \"eta\": {\"1\": 0}}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<State, A::Error> {
        let StateSeed { mut builder, reached } = self;
        let mut seen = [false; FIELDS.len()];
        while let Some(field) = map.next_key_seed(Field)? {
            if std::mem::replace(&mut seen[field], true) {
                return Err(A::Error::custom(format!("field `{}` occurs twice", FIELDS[field])));
            }
            match FIELDS[field] {
                "format" => map.next_value_seed(Format)?,
                "sigma" => map.next_value_seed(Sigma(&mut builder, reached))?,
                _ => map.next_value_seed(Eta(&mut builder))?,
            }
        }
        for (field, seen) in FIELDS.iter().zip(seen).skip(1) {
            if !seen {
                return Err(A::Error::custom(format!("the state has no field `{field}`")));
            }
        }
        builder.finish().map_err(|error| match error {
            BuildError::Limit(limit) => limited(reached, limit),
            error => A::Error::custom(error),
        })
    }
}

/// The fields of a state; the first one may be left out.
const FIELDS: [&str; 3] = ["format", "sigma", "eta"];

/// The number of a field. Names are looked at where they stand and not copied: small states are read by the million.
struct Field;

impl<'de> DeserializeSeed<'de> for Field {
    type Value = usize;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<usize, D::Error> {
        de.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Field {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a field of a state")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<usize, E> {
        FIELDS.iter().position(|field| *field == name).ok_or_else(|| {
            let name = excerpt(name);
            E::custom(format!(
                "unknown field `{name}` in a state; the fields are format, sigma, eta"
            ))
        })
    }
}

/// The field `format`.
struct Format;

impl<'de> DeserializeSeed<'de> for Format {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<(), D::Error> {
        de.deserialize_str(self)
    }
}

impl Visitor<'_> for Format {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, format: &str) -> Result<(), E> {
        if format == STATE_FORMAT {
            return Ok(());
        }
        Err(E::custom(format!("format is `{}`, expected `{STATE_FORMAT}`", excerpt(format))))
    }
}

struct Sigma<'b>(&'b mut StateBuilder, &'b Cell<Option<Exhausted>>);

impl<'de> DeserializeSeed<'de> for Sigma<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<(), D::Error> {
        de.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Sigma<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("sigma as an object from locations to lists of vectors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(location) = map.next_key_seed(LocationName(self.0))? {
            map.next_value_seed(Vectors(self.0, location, self.1))?;
        }
        Ok(())
    }
}

/// A location that was not there before.
struct LocationName<'b>(&'b mut StateBuilder);

impl<'de> DeserializeSeed<'de> for LocationName<'_> {
    type Value = LocationKey;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<LocationKey, D::Error> {
        de.deserialize_str(self)
    }
}

impl Visitor<'_> for LocationName<'_> {
    type Value = LocationKey;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a location")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<LocationKey, E> {
        let fresh = self.0.fresh_location(name);
        fresh.ok_or_else(|| E::custom(format!("location `{name}` occurs twice in sigma")))
    }
}

struct Vectors<'b>(&'b mut StateBuilder, LocationKey, &'b Cell<Option<Exhausted>>);

impl<'de> DeserializeSeed<'de> for Vectors<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<(), D::Error> {
        de.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Vectors<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "location `{}` as a list of vectors", excerpt(self.0.location_name(self.1)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut entries = Vec::new();
        let mut segments = Vec::new();
        while seq.next_element_seed(Vector(self.0, &mut entries, &mut segments, self.1))?.is_some()
        {
            self.0.vector(self.1, entries.drain(..));
            self.0.poll().map_err(|limit| limited(self.2, limit))?;
        }
        Ok(())
    }
}

struct Vector<'b>(&'b mut StateBuilder, &'b mut Vec<NewComponent>, &'b mut Vec<u64>, LocationKey);

impl<'de> DeserializeSeed<'de> for Vector<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<(), D::Error> {
        de.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Vector<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let location = excerpt(self.0.location_name(self.3));
        write!(f, "a vector of location `{location}` as a list of components")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(entry) = seq.next_element_seed(ComponentSeed(self.0, self.2, self.3))? {
            self.1.push(entry);
        }
        Ok(())
    }
}

struct ComponentSeed<'b>(&'b mut StateBuilder, &'b mut Vec<u64>, LocationKey);

impl ComponentSeed<'_> {
    fn location(&self) -> String {
        excerpt(self.0.location_name(self.2))
    }
}

impl<'de> DeserializeSeed<'de> for ComponentSeed<'_> {
    type Value = NewComponent;
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<NewComponent, D::Error> {
        de.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ComponentSeed<'_> {
    type Value = NewComponent;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "a pid (\"@1.2\"), string, integer or boolean as component of a vector of location `{}`",
            self.location()
        )
    }

    fn visit_bool<E>(self, value: bool) -> Result<NewComponent, E> {
        Ok(NewComponent::Data(Datum::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<NewComponent, E> {
        Ok(NewComponent::Data(Datum::Int(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<NewComponent, E> {
        Ok(NewComponent::Data(Datum::Int(value.into())))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<NewComponent, E> {
        Err(E::custom(format!(
            "{value} in a vector of location `{}` is not an integer of at most 64 bits; write other numbers as strings",
            self.location()
        )))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<NewComponent, E> {
        match text.strip_prefix('@') {
            None => Ok(NewComponent::Data(Datum::Str(text.into()))),
            Some(rest) if rest.starts_with('@') => Ok(NewComponent::Data(Datum::Str(rest.into()))),
            Some(pid) => {
                if let Err(error) = parse_segments(pid, self.1) {
                    let location = self.location();
                    return Err(E::custom(format!(
                        "in a vector of location `{location}`: {error}"
                    )));
                }
                Ok(self.0.pid(self.1))
            }
        }
    }
}

struct Eta<'b>(&'b mut StateBuilder);

impl<'de> DeserializeSeed<'de> for Eta<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<(), D::Error> {
        de.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Eta<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("eta as an object from active pids to the number of children each has created")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut segments = Vec::new();
        while map.next_key_seed(ActivePid(&mut segments))?.is_some() {
            let created = map.next_value::<u64>().map_err(|e| eta_error(&segments, e))?;
            self.0.active(&segments, created).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// A pid as a key, with or without `@`.
struct ActivePid<'b>(&'b mut Vec<u64>);

impl<'de> DeserializeSeed<'de> for ActivePid<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, de: D) -> Result<(), D::Error> {
        de.deserialize_str(self)
    }
}

impl Visitor<'_> for ActivePid<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an active pid")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<(), E> {
        let pid = key.strip_prefix('@').unwrap_or(key);
        parse_segments(pid, self.0).map_err(|error| E::custom(format!("in eta: {error}")))
    }
}

fn eta_error<E: serde::de::Error + fmt::Display>(segments: &[u64], error: E) -> E {
    let mut pid = String::new();
    // a string takes all that is written to it
    let _ = write_segments(segments, &mut pid);
    let pid = excerpt(&pid);
    E::custom(format!("eta of pid {pid} must be a number of children, 0 or more: {error}"))
}

/// Writes a state in the format read above; locations, vectors and pids in the state's own order.
pub fn write_state(state: &State, out: &mut impl Write) -> std::io::Result<()> {
    write!(out, "{{\"format\":\"{STATE_FORMAT}\",\"sigma\":{{")?;
    let names = PidNames::new(state);
    let mut vector = 0;
    for (number, location) in state.locations().iter().enumerate() {
        let comma = if number > 0 { "," } else { "" };
        write!(out, "{comma}{}:[", serde_json::Value::from(&**location))?;
        let first = vector;
        while vector < state.vector_count() && state.location_of(vector) == number as u32 {
            if vector > first {
                out.write_all(b",")?;
            }
            write_vector(state, vector, &names, out)?;
            vector += 1;
        }
        out.write_all(b"]")?;
    }
    out.write_all(b"},\"eta\":{")?;
    let mut first = true;
    for pid in state.pids() {
        if let Some(created) = state.eta(pid) {
            let comma = if first { "" } else { "," };
            first = false;
            write!(out, "{comma}\"{}\":{created}", names.of(pid))?;
        }
    }
    out.write_all(b"}}")
}

fn write_vector(
    state: &State,
    vector: usize,
    names: &PidNames,
    out: &mut impl Write,
) -> std::io::Result<()> {
    out.write_all(b"[")?;
    for (i, component) in state.vector(vector).iter().enumerate() {
        if i > 0 {
            out.write_all(b",")?;
        }
        match component.kind() {
            ComponentKind::Pid(pid) => write!(out, "\"@{}\"", names.of(pid))?,
            ComponentKind::Data(datum) => write_datum(&state.data()[datum as usize], out)?,
        }
    }
    out.write_all(b"]")
}

fn write_datum(datum: &Datum, out: &mut impl Write) -> std::io::Result<()> {
    match datum {
        Datum::Bool(value) => write!(out, "{value}"),
        Datum::Int(value) => write!(out, "{value}"),
        Datum::Str(text) if text.starts_with('@') => {
            write!(out, "{}", serde_json::Value::from(format!("@{text}")))
        }
        Datum::Str(text) => write!(out, "{}", serde_json::Value::from(&**text)),
    }
}

/// Printed pids; each name is made on demand so that deep chains cost no quadratic memory.
struct PidNames<'s>(&'s State);

impl<'s> PidNames<'s> {
    fn new(state: &'s State) -> PidNames<'s> {
        PidNames(state)
    }

    fn of(&self, pid: u32) -> String {
        self.0.forest().pid(pid).to_string()
    }
}

/// The JSON text of a state.
pub fn state_to_string(state: &State) -> String {
    let mut bytes = Vec::new();
    write_state(state, &mut bytes).expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

impl From<BuildError> for serde_json::Error {
    fn from(error: BuildError) -> serde_json::Error {
        serde_json::Error::custom(error)
    }
}

impl serde::Serialize for State {
    fn serialize<S: serde::Serializer>(&self, ser: S) -> Result<S::Ok, S::Error> {
        let value: serde_json::Value =
            serde_json::from_str(&state_to_string(self)).map_err(serde::ser::Error::custom)?;
        value.serialize(ser)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_keeps_everything() {
        let text = r#"{"format":"pidlab-state/1","sigma":{"H":[["@1.1","addr",2009,true,"@@x"]],"L":[["@1"],["@2"]]},"eta":{"1":1,"1.1":0,"2":0}}"#;
        assert_eq!(state_to_string(&parse_state(text).unwrap()), text);
    }

    #[test]
    fn errors_name_field_and_place() {
        let cases = [
            ("", "EOF"),
            ("{\"sigma\":{},\"eta\":{},\"x\":1}", "unknown field `x`"),
            ("{\"sigma\":{}}", "no field `eta`"),
            ("{\"sigma\":{\"A\":[[\"@1.0\"]]},\"eta\":{}}", "part that is 0"),
            ("{\"sigma\":{\"A\":[[\"@01\"]]},\"eta\":{}}", "leading zero"),
            ("{\"sigma\":{\"A\":[[\"@18446744073709551616\"]]},\"eta\":{}}", "2^64"),
            ("{\"sigma\":{\"A\":[[\"@x\"]]},\"eta\":{}}", "@@"),
            ("{\"sigma\":{\"A\":[],\"A\":[]},\"eta\":{}}", "`A` occurs twice"),
            ("{\"sigma\":{},\"sigma\":{},\"eta\":{}}", "`sigma` occurs twice"),
            ("{\"sigma\":{\"A\":[[\"@1\"]]},\"eta\":{\"1\":0,\"1\":0}}", "twice"),
            ("{\"sigma\":{\"A\":[[1.5]]},\"eta\":{}}", "not an integer"),
            ("{\"sigma\":{\"A\":[[NaN]]},\"eta\":{}}", "line 1"),
            ("{\"sigma\":{\"A\":[[[[[\"@1\"]]]]]},\"eta\":{}}", "expected a pid"),
            ("{\"format\":\"pidlab-state/2\",\"sigma\":{},\"eta\":{}}", "pidlab-state/1"),
        ];
        for (text, expected) in cases {
            let message = parse_state(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
