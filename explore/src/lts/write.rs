//! States and labels as JSON, fast enough for programs that are asked for every state.

use super::name::{push_decimal, write_dotted};
use super::schema::Schema;
use super::state::LtsState;
use crate::net::marking::Element;
use crate::net::syntax::tree::Type;
use pidlab_core::datum::Datum;

/// Appends a string of JSON.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    if text.bytes().all(|byte| !matches!(byte, 0..0x20 | b'"' | b'\\')) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(serde_json::Value::from(text).to_string().as_bytes());
    }
}

fn write_datum(datum: &Datum, out: &mut Vec<u8>) {
    match datum {
        Datum::Int(value) if (0..i128::from(u64::MAX)).contains(value) => {
            push_decimal(out, *value as u64);
        }
        Datum::Str(text) if !text.starts_with('@') => write_string(text, out),
        other => out.extend_from_slice(super::label::datum_value(other).to_string().as_bytes()),
    }
}

/// Appends a state (`pidlab-state/1`, without the field `format`).
pub fn write_state(schema: &Schema, state: &LtsState, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"sigma\":{");
    let starts = &state.marking.starts;
    let mut order: Vec<usize> =
        (0..starts.len() - 1).filter(|&place| starts[place] < starts[place + 1]).collect();
    order.sort_by_key(|&place| &schema.places[place].name);
    let mut open: Option<&str> = None;
    for &place in &order {
        let info = &schema.places[place];
        match open == Some(&info.name) {
            true => out.push(b','),
            false => {
                out.extend_from_slice(if open.is_some() { b"]," } else { b"" });
                write_string(&info.name, out);
                out.extend_from_slice(b":[");
            }
        }
        open = Some(&info.name);
        for (number, token) in state.marking.place(place).chunks_exact(info.width).enumerate() {
            out.extend_from_slice(if number > 0 { b",[" } else { b"[" });
            write_vector(schema, state, &info.types, token, out);
            out.push(b']');
        }
    }
    out.extend_from_slice(if open.is_some() { b"]},\"eta\":{" } else { b"},\"eta\":{" });
    let mut first = true;
    for (number, thread) in state.threads.iter().enumerate() {
        if state.is_active(number as Element) {
            out.extend_from_slice(if first { b"\"" } else { b",\"" });
            first = false;
            write_dotted(state.name(number as Element), out);
            out.extend_from_slice(b"\":");
            push_decimal(out, thread.created);
        }
    }
    out.extend_from_slice(b"}}");
}

fn write_vector(
    schema: &Schema,
    state: &LtsState,
    types: &[Type],
    token: &[u32],
    out: &mut Vec<u8>,
) {
    for (i, (kind, &word)) in types.iter().zip(token).enumerate() {
        if i > 0 {
            out.push(b',');
        }
        match kind {
            Type::Pid => {
                out.extend_from_slice(b"\"@");
                write_dotted(state.name(word), out);
                out.push(b'"');
            }
            _ => write_datum(schema.datum(word), out),
        }
    }
}

/// A state as a value, for documents.
pub fn state_value(schema: &Schema, state: &LtsState) -> serde_json::Value {
    let mut out = Vec::new();
    write_state(schema, state, &mut out);
    let mut value: serde_json::Value = serde_json::from_slice(&out).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("format".into(), pidlab_core::json::STATE_FORMAT.into());
    }
    value
}
