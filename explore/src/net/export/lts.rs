//! A net as a labelled transition system (`pidlab-lts/1`): one marking of every class with all its steps.
//!
//! The marking after a step is listed as it is. Where it is not the marking of its class it is marked as not
//! expanded, because the system itself may be infinite: its steps are those of an equivalent marking that is
//! listed. The classes must come in the order of a search, in which each is reached from an earlier one.

use super::super::canon::NetCanonizer;
use super::super::compiled::Net;
use super::super::explore::NetExploration;
use super::super::named::Named;
use super::super::plain::PlainCanonizer;
use super::super::syntax::tree::Type;
use super::super::trace::{ByName, Canonical, KeyOf, each_step, values};
use crate::search::{Failure, Id};
use pidlab_budget::Budget;
use pidlab_core::pid::write_segments;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The location of active threads that no token holds; the generator place of the papers lists them.
const ACTIVE: &str = "(active)";

/// Writes an explored net.
pub fn write_lts(net: &Net, found: &NetExploration, out: &mut impl Write) -> io::Result<()> {
    if found.canon {
        let canonizer = NetCanonizer::new(net, found.relations);
        write_by(net, found, Canonical::new(&canonizer, &found.budget), out)
    } else {
        write_by(net, found, ByName(PlainCanonizer(net)), out)
    }
}

fn write_by(
    net: &Net,
    found: &NetExploration,
    mut keys: impl KeyOf,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "{}", json!({"format": "pidlab-lts/1", "name": net.name}))?;
    let counters = &found.report.counters;
    let (classes, expanded) = (counters.states as usize, counters.expanded as usize);
    // with its key by name: the same marking may have its tokens and threads in another order
    let mut first: Vec<Option<(Named, Vec<u8>)>> = vec![None; classes];
    let mut names = ByName(PlainCanonizer(net));
    let mut next_id = classes as u64;
    let start = Named::initial(net);
    let mut line = Vec::new();
    write_state(net, &start, 0, true, expanded > 0, &mut line);
    out.write_all(&line)?;
    let (mut key, mut name, mut written) = (Vec::new(), Vec::new(), Ok(()));
    names.key_of(&start, &mut name).map_err(io_error)?;
    if let Some(slot) = first.first_mut() {
        *slot = Some((start, name.clone()));
    }
    for class in 0..expanded {
        // it was reached from an earlier one
        let Some((before, own_name)) = first[class].take() else { continue };
        let listed = each_step(net, &before, &found.budget, |transition, scratch, after| {
            keys.key_of(after, &mut key)?;
            names.key_of(after, &mut name)?;
            line.clear();
            // a limit may have ended the search before this one was stored
            let to = found.classes.find(net, &key).unwrap_or(Id::MAX);
            let known = first.get(to as usize);
            let is_listed = to as usize == class && name == own_name
                || known.is_some_and(|known| known.as_ref().is_some_and(|(_, own)| *own == name));
            let is_new = known.is_some_and(Option::is_none) && to as usize > class;
            let id = match (is_listed, is_new) {
                (true, _) => u64::from(to),
                (false, true) => {
                    let is_expanded = (to as usize) < expanded;
                    write_state(net, after, to.into(), false, is_expanded, &mut line);
                    first[to as usize] = Some((after.clone(), name.clone()));
                    u64::from(to)
                }
                (false, false) => {
                    next_id += 1;
                    write_state(net, after, next_id - 1, false, false, &mut line);
                    next_id - 1
                }
            };
            let binding = values(net, transition, scratch, &before);
            write_transition(net, class as Id, transition.label, binding, id, &mut line);
            if written.is_ok() {
                written = out.write_all(&line);
            }
            Ok(())
        });
        listed.map_err(io_error)?;
        std::mem::replace(&mut written, Ok(()))?;
    }
    Ok(())
}

fn io_error(failure: Failure) -> io::Error {
    match failure {
        Failure::Limit(what) => io::Error::other(what),
        other => io::Error::other(other.to_string()),
    }
}

fn write_transition(
    net: &Net,
    from: Id,
    label: u32,
    binding: Vec<(String, Value)>,
    to: u64,
    line: &mut Vec<u8>,
) {
    write_label(net, label, binding, line);
    let _ = writeln!(line, ",\"from\":{from},\"to\":{to}}}");
}

/// Appends the start of an object, with the fields of a label.
fn write_label(net: &Net, label: u32, binding: Vec<(String, Value)>, line: &mut Vec<u8>) {
    line.extend_from_slice(b"{\"action\":");
    crate::lts::write_string(&net.labels[label as usize], line);
    if let Some(pid) = super::acting_thread(&binding) {
        let _ = write!(line, ",\"pid\":{pid}");
    }
    if !binding.is_empty() {
        let binding: Map<String, Value> = binding.into_iter().collect();
        let _ = write!(line, ",\"parameters\":{}", Value::Object(binding));
    }
}

/// One line.
fn write_state(
    net: &Net,
    named: &Named,
    id: u64,
    initial: bool,
    expanded: bool,
    line: &mut Vec<u8>,
) {
    let _ = write!(line, "{{\"id\":{id},");
    if initial {
        line.extend_from_slice(b"\"initial\":true,");
    }
    if !expanded {
        line.extend_from_slice(b"\"expanded\":false,");
    }
    line.extend_from_slice(b"\"state\":");
    write_named(net, named, line);
    line.extend_from_slice(b"}\n");
}

/// Appends the successors of a marking as a program of the protocol gives them.
pub fn write_successors(
    net: &Net,
    before: &Named,
    budget: &Budget,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    out.push(b'[');
    let start = out.len();
    each_step(net, before, budget, |transition, scratch, after| {
        if out.len() > start {
            out.push(b',');
        }
        let binding = values(net, transition, scratch, before);
        write_label(net, transition.label, binding, out);
        out.extend_from_slice(b",\"state\":");
        write_named(net, after, out);
        out.push(b'}');
        Ok(())
    })?;
    out.push(b']');
    Ok(())
}

/// Appends a marking as a state.
pub fn write_named(net: &Net, named: &Named, line: &mut Vec<u8>) {
    line.extend_from_slice(b"{\"sigma\":{");
    let mut held = vec![false; named.pids.len()];
    let mut comma = false;
    for (place, info) in net.places.iter().enumerate() {
        let tokens = named.marking.place(place);
        if tokens.is_empty() {
            continue;
        }
        open(&info.name, &mut comma, line);
        for (number, token) in tokens.chunks_exact(info.width).enumerate() {
            line.extend_from_slice(if number > 0 { b",[" } else { b"[" });
            for (i, (&kind, &word)) in info.types.iter().zip(token).enumerate() {
                if i > 0 {
                    line.push(b',');
                }
                if kind == Type::Pid {
                    held[word as usize] = true;
                }
                write_word(net, named, kind, word, line);
            }
            line.push(b']');
        }
        line.push(b']');
    }
    write_unheld(named, &held, &mut comma, line);
    line.extend_from_slice(b"},\"eta\":{");
    let mut comma = false;
    for (thread, pid) in named.pids.iter().enumerate() {
        if named.marking.threads[thread].is_active() {
            line.extend_from_slice(if comma { b",\"" } else { b"\"" });
            comma = true;
            write_pid(pid, line);
            let _ = write!(line, "\":{}", named.created[thread]);
        }
    }
    line.extend_from_slice(b"}}");
}

/// Active threads that no token holds are pids of the state all the same.
fn write_unheld(named: &Named, held: &[bool], comma: &mut bool, line: &mut Vec<u8>) {
    let threads = named.marking.threads.iter().zip(held).zip(&named.pids);
    let unheld: Vec<&Vec<u64>> = threads
        .filter(|((thread, held), _)| thread.is_active() && !**held)
        .map(|(_, pid)| pid)
        .collect();
    if unheld.is_empty() {
        return;
    }
    open(ACTIVE, comma, line);
    for (number, pid) in unheld.into_iter().enumerate() {
        line.extend_from_slice(if number > 0 { b",[\"@" } else { b"[\"@" });
        write_pid(pid, line);
        line.extend_from_slice(b"\"]");
    }
    line.push(b']');
}

fn open(location: &str, comma: &mut bool, line: &mut Vec<u8>) {
    if std::mem::replace(comma, true) {
        line.push(b',');
    }
    crate::lts::write_string(location, line);
    line.extend_from_slice(b":[");
}

fn write_word(net: &Net, named: &Named, kind: Type, word: u32, line: &mut Vec<u8>) {
    match kind {
        Type::Pid => {
            line.extend_from_slice(b"\"@");
            write_pid(&named.pids[word as usize], line);
            line.push(b'"');
        }
        Type::Int => {
            let _ = write!(line, "{}", word as i32);
        }
        Type::Bool => {
            let _ = write!(line, "{}", word != 0);
        }
        Type::Text => {
            let text = &net.texts[word as usize];
            let text = if text.starts_with('@') { &format!("@{text}") } else { text };
            crate::lts::write_string(text, line);
        }
    }
}

fn write_pid(pid: &[u64], line: &mut Vec<u8>) {
    let mut text = String::new();
    let _ = write_segments(pid, &mut text);
    line.extend_from_slice(text.as_bytes());
}
