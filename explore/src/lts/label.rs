//! Labels of transitions: an action, the thread that acts, and parameters (SACS'10, section 3).
//!
//! A label is written as bytes, equal bytes for equal labels, and has a number. Its pids stay names: what
//! they mean is a question of the state that the transition leaves.

use super::name;
use super::schema::Schema;
use crate::net::canon::bytes::{KeyReader, put};
use crate::search::{ArenaStore, Label, Store, key_hash};
use pidlab_core::datum::Datum;
use serde_json::{Map, Value};

const DATA: u64 = 0;
const PID: u64 = 1;
const NONE: u64 = 0;
const LIST: u64 = 1;
const NAMED: u64 = 2;

/// Stands for the thread of a label without one.
const NO_THREAD: &str = "-";

/// A component of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'l> {
    Pid(&'l [u8]),
    Data(u32),
}

/// A label on its way to a number.
#[derive(Default)]
pub struct LabelBuilder {
    pub action: u32,
    pid: Vec<u8>,
    bytes: Vec<u8>,
    /// Name of the parameter, and where it lies in `bytes`.
    parameters: Vec<(u32, u32, u32)>,
    kind: u64,
    written: Vec<u8>,
}

impl LabelBuilder {
    pub fn clear(&mut self) {
        self.action = 0;
        self.pid.clear();
        self.bytes.clear();
        self.parameters.clear();
        self.kind = NONE;
    }

    /// The thread that acts.
    pub fn pid(&mut self, dotted: &str) -> Result<(), String> {
        name::push_dotted(&mut self.pid, dotted)
    }

    /// What follows are parameters without names, or with.
    pub fn begin_parameters(&mut self, named: bool) {
        self.kind = if named { NAMED } else { LIST };
    }

    /// Adds a parameter that `write` writes; `false` if its name was given before.
    pub fn parameter(&mut self, name: u32, part: Part<'_>) -> bool {
        let start = self.bytes.len() as u32;
        match part {
            Part::Data(datum) => {
                put(&mut self.bytes, DATA);
                put(&mut self.bytes, datum.into());
            }
            Part::Pid(pid) => {
                put(&mut self.bytes, PID);
                put(&mut self.bytes, pid.len() as u64);
                self.bytes.extend_from_slice(pid);
            }
        }
        let fresh = self.kind != NAMED || self.parameters.iter().all(|known| known.0 != name);
        self.parameters.push((name, start, self.bytes.len() as u32));
        fresh
    }

    /// The label as bytes.
    pub fn finish(&mut self) -> &[u8] {
        let out = &mut self.written;
        out.clear();
        put(out, self.action.into());
        put(out, self.pid.len() as u64);
        out.extend_from_slice(&self.pid);
        put(out, self.kind);
        put(out, self.parameters.len() as u64);
        if self.kind == NAMED {
            self.parameters.sort_unstable();
        }
        for &(name, start, end) in &self.parameters {
            if self.kind == NAMED {
                put(out, name.into());
            }
            out.extend_from_slice(&self.bytes[start as usize..end as usize]);
        }
        out
    }
}

/// A label taken apart.
#[derive(Debug)]
pub struct LabelView<'l> {
    pub action: u32,
    pub pid: Option<&'l [u8]>,
    pub named: bool,
    pub has_parameters: bool,
    /// Names of parameters, 0 where they have none, and their values.
    pub parameters: Vec<(u32, Part<'l>)>,
}

/// A part of the bytes of a reader.
fn take<'l>(reader: &mut KeyReader<'l>) -> &'l [u8] {
    let len = reader.get() as usize;
    let (part, rest) = reader.0.split_at(len);
    reader.0 = rest;
    part
}

impl<'l> LabelView<'l> {
    pub fn of(bytes: &'l [u8]) -> LabelView<'l> {
        let mut reader = KeyReader(bytes);
        let action = reader.get() as u32;
        let pid = Some(take(&mut reader)).filter(|pid| !pid.is_empty());
        let kind = reader.get();
        let count = reader.get();
        let parameters = (0..count).map(|_| {
            let name = if kind == NAMED { reader.get() as u32 } else { 0 };
            let part = match reader.get() {
                PID => Part::Pid(take(&mut reader)),
                _ => Part::Data(reader.get() as u32),
            };
            (name, part)
        });
        let parameters = parameters.collect();
        LabelView { action, pid, named: kind == NAMED, has_parameters: kind != NONE, parameters }
    }

    /// In one line, `spawn(@1, handler = @1.1, c = 0)`. A pid, a number and a string that look alike are told
    /// apart, and so are the thread and a first parameter.
    pub fn text(&self, schema: &Schema) -> String {
        let mut parts: Vec<String> = self.pid.iter().map(|pid| pid_text(pid)).collect();
        let first = self.parameters.first().filter(|_| self.pid.is_none() && !self.named);
        if let Some((_, Part::Pid(_))) = first {
            parts.push(NO_THREAD.into());
        }
        parts.extend(self.parameters.iter().map(|&(name, part)| {
            let value = match part {
                Part::Pid(pid) => pid_text(pid),
                Part::Data(datum) => datum_text(schema.datum(datum)),
            };
            match self.named {
                true => format!("{} = {value}", schema.word_name(name)),
                false => value,
            }
        }));
        let action = schema.word_name(self.action);
        if parts.is_empty() { action.into() } else { format!("{action}({})", parts.join(", ")) }
    }

    /// The fields `action`, `pid` and `parameters`.
    pub fn write_fields(&self, schema: &Schema, fields: &mut Map<String, Value>) {
        fields.insert("action".into(), schema.word_name(self.action).into());
        if let Some(pid) = self.pid {
            fields.insert("pid".into(), pid_text(pid).into());
        }
        let value = |part: Part<'_>| match part {
            Part::Pid(pid) => pid_text(pid).into(),
            Part::Data(datum) => datum_value(schema.datum(datum)),
        };
        let parameters = self.parameters.iter();
        if self.named {
            let named =
                parameters.map(|&(name, part)| (schema.word_name(name).into(), value(part)));
            fields.insert("parameters".into(), Value::Object(named.collect()));
        } else if self.has_parameters {
            let list = parameters.map(|&(_, part)| value(part)).collect();
            fields.insert("parameters".into(), Value::Array(list));
        }
    }
}

/// A pid as files write it.
pub fn pid_text(pid: &[u8]) -> String {
    format!("@{}", name::dotted(pid))
}

/// Data in a line of text: bare where nothing else reads so, otherwise as JSON has it.
pub fn datum_text(datum: &Datum) -> String {
    let value = datum_value(datum);
    let plain = |text: &&str| {
        let first = text.chars().next();
        first.is_some_and(|first| first.is_alphabetic() || first == '_')
            && !text.contains(|c: char| c.is_control() || "\"'\\,=()".contains(c))
            && !matches!(*text, "true" | "false")
    };
    match value.as_str().filter(plain) {
        Some(text) => text.into(),
        None => value.to_string(),
    }
}

/// Data as JSON has it.
pub fn datum_value(datum: &Datum) -> Value {
    match datum {
        Datum::Bool(value) => (*value).into(),
        // integers of files have 64 bits
        Datum::Int(value) => match (i64::try_from(*value), u64::try_from(*value)) {
            (Ok(value), _) => value.into(),
            (_, Ok(value)) => value.into(),
            _ => value.to_string().into(),
        },
        Datum::Str(text) if text.starts_with('@') => format!("@{text}").into(),
        Datum::Str(text) => (**text).into(),
    }
}

/// All labels by number.
#[derive(Default)]
pub struct Labels {
    store: ArenaStore,
    actions: Vec<u32>,
}

impl Labels {
    /// The number of a label.
    pub fn number(&mut self, bytes: &[u8], action: u32) -> Label {
        let (number, fresh) = self.store.insert(bytes, key_hash(bytes));
        if fresh {
            self.actions.push(action);
        }
        number
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// The action of a label.
    pub fn action(&self, label: Label) -> u32 {
        self.actions[label as usize]
    }

    /// The bytes of a label.
    pub fn read(&self, label: Label, bytes: &mut Vec<u8>) {
        self.store.read(label, bytes);
    }

    pub fn bytes(&self) -> u64 {
        self.store.key_bytes() + self.store.index_bytes()
    }
}
