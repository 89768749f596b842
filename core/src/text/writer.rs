//! States written in the papers' notation.

use super::is_bare;
use crate::datum::Datum;
use crate::state::{ComponentKind, State};
use std::io::Write;

const LINE_WIDTH: usize = 100;

/// Writes a state: locations and vectors in the state's own order, long lines broken between
/// vectors, active pids outside σ in a last line `@eta`, which also stands where there is nothing else.
pub fn write_state(state: &State, out: &mut impl Write) -> std::io::Result<()> {
    let mut vector = 0;
    for (number, location) in state.locations().iter().enumerate() {
        let mut line = Line::new(format!("{} :", name(location)), out)?;
        while vector < state.vector_count() && state.location_of(vector) == number as u32 {
            line.push(&show_vector(state, vector), out)?;
            vector += 1;
        }
        writeln!(out)?;
    }
    write_active_outside_sigma(state, out)
}

fn write_active_outside_sigma(state: &State, out: &mut impl Write) -> std::io::Result<()> {
    let mut outside = state.pids().filter(|&pid| !state.is_in_sigma(pid)).peekable();
    if outside.peek().is_none() && !state.locations().is_empty() {
        return Ok(());
    }
    let mut line = Line::new("@eta :".to_string(), out)?;
    for pid in outside {
        line.push(&show_pid(state, pid), out)?;
    }
    writeln!(out)
}

/// A line that breaks before what would make it too long.
struct Line {
    width: usize,
}

impl Line {
    fn new(head: String, out: &mut impl Write) -> std::io::Result<Line> {
        out.write_all(head.as_bytes())?;
        Ok(Line { width: head.chars().count() })
    }

    fn push(&mut self, word: &str, out: &mut impl Write) -> std::io::Result<()> {
        let length = word.chars().count() + 1;
        if self.width + length > LINE_WIDTH && self.width > 2 {
            out.write_all(b"\n ")?;
            self.width = 1;
        }
        self.width += length;
        write!(out, " {word}")
    }
}

fn show_vector(state: &State, vector: usize) -> String {
    let parts = state.vector(vector).iter().map(|component| match component.kind() {
        ComponentKind::Pid(pid) => show_pid(state, pid),
        ComponentKind::Data(datum) => show_datum(&state.data()[datum as usize]),
    });
    format!("<{}>", parts.collect::<Vec<_>>().join(", "))
}

fn show_pid(state: &State, pid: u32) -> String {
    let name = state.forest().pid(pid);
    match state.eta(pid) {
        Some(created) => format!("{name}:{created}"),
        None => format!("@{name}"),
    }
}

fn show_datum(datum: &Datum) -> String {
    match datum {
        Datum::Str(text) => name(text),
        other => other.to_string(),
    }
}

/// A string, quoted as in JSON unless it reads as a bare name.
fn name(text: &str) -> String {
    let keyword = matches!(text, "true" | "false");
    if is_bare(text) && !keyword {
        text.to_string()
    } else {
        serde_json::Value::from(text).to_string()
    }
}

/// The text of a state.
pub fn state_to_string(state: &State) -> String {
    let mut bytes = Vec::new();
    write_state(state, &mut bytes).expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("names and numbers are UTF-8")
}
