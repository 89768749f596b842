//! A net as a program of the protocol of `pidlab-lts/1` (docs/lts.md): it gives initial states and
//! successors on demand, so that another checker can explore a net, and this one's exploration can be
//! compared with it.

use super::compiled::Net;
use super::export::write_successors;
use super::marking::Marking;
use super::named::Named;
use super::syntax::tree::Type;
use crate::lts::{LtsState, Requests, Schema};
use crate::search::Failure;
use pidlab_backends::external::{LineRead, LineReader};
use pidlab_budget::Budget;
use pidlab_core::datum::Datum;
use pidlab_core::state::INACTIVE;
use std::io::{self, Read, Write};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// Longest request that is read, whatever memory there is.
const LONGEST_REQUEST: u64 = 1 << 28;
/// How often limits are looked at while there is no request.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Answers requests until there are no more.
pub fn serve(
    net: &Net,
    budget: &Budget,
    input: impl Read + Send + 'static,
    mut out: impl Write,
) -> Result<(), Failure> {
    let lost = |error: io::Error| Failure::Model(format!("cannot answer: {error}"));
    writeln!(out, "{{\"format\":\"pidlab-lts/1\"}}").and_then(|()| out.flush()).map_err(lost)?;
    // what is made of a request takes as much again, and the answer more
    let longest = budget.memory_limit().map_or(LONGEST_REQUEST, |bytes| bytes / 4);
    let lines = LineReader::start(input, longest.min(LONGEST_REQUEST) as usize);
    let (mut requests, mut answer) = (Requests::default(), Vec::new());
    while let Some(line) = next_request(&lines, budget)? {
        answer.clear();
        requests.read(&line).map_err(Failure::Model)?;
        answer.extend_from_slice(format!("{{\"id\":{},", requests.number).as_bytes());
        if requests.initial {
            answer.extend_from_slice(b"\"states\":[");
            super::export::write_named(net, &Named::initial(net), &mut answer);
        } else {
            answer.extend_from_slice(b"\"successors\":[");
            let (schema, states) = requests.states();
            for (number, state) in states.iter().enumerate() {
                answer.extend_from_slice(if number > 0 { b"," } else { b"" });
                let named = named(net, schema, state).map_err(Failure::Model)?;
                write_successors(net, &named, budget, &mut answer)?;
            }
        }
        answer.extend_from_slice(b"]}\n");
        out.write_all(&answer).and_then(|()| out.flush()).map_err(lost)?;
    }
    Ok(())
}

/// Waits for a request, no longer than the budget allows; `None` if there are no more.
fn next_request(requests: &LineReader, budget: &Budget) -> Result<Option<String>, Failure> {
    loop {
        let wait = budget.remaining().map_or(LOOK_EVERY, |left| left.min(LOOK_EVERY));
        match requests.lines.recv_timeout(wait) {
            Ok(LineRead::Whole(line)) => return Ok(Some(line)),
            Ok(LineRead::TooLong(limit)) => {
                let problem =
                    format!("a request has more than {limit} bytes; ask for fewer states at once");
                return Err(Failure::Model(problem));
            }
            Err(RecvTimeoutError::Timeout) => budget.poll()?,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// The marking of a state; an error says what the net does not have.
fn named(net: &Net, schema: &Schema, state: &LtsState) -> Result<Named, String> {
    let mut named = Named::default();
    for (number, thread) in (0..).zip(&state.threads) {
        named.pids.push(state.segments(number));
        named.created.push(if thread.created == INACTIVE { 0 } else { thread.created });
    }
    let marking = &mut named.marking;
    marking.threads.extend_from_slice(&state.marking.threads);
    for info in &net.places {
        marking.starts.push(marking.words.len() as u32);
        let same = schema.places.iter().enumerate().filter(|(_, place)| place.name == info.name);
        for (place, shape) in same {
            if shape.pids != info.pids || shape.types.len() != info.types.len() {
                if state.marking.place(place).is_empty() {
                    continue;
                }
                return Err(format!("a token of place `{}` has another type", info.name));
            }
            for token in state.marking.place(place).chunks_exact(info.width) {
                put_token(net, schema, &info.types, token, marking)?;
            }
        }
    }
    marking.starts.push(marking.words.len() as u32);
    Ok(named)
}

fn put_token(
    net: &Net,
    schema: &Schema,
    types: &[Type],
    token: &[u32],
    marking: &mut Marking,
) -> Result<(), String> {
    if types.is_empty() {
        marking.words.push(0);
    }
    for (kind, &word) in types.iter().zip(token) {
        let wrong = || "a value of a state does not fit the place that it is in".to_string();
        let word = match (kind, schema.datum_of(*kind == Type::Pid, word)) {
            (Type::Pid, _) => word,
            (Type::Int, Some(Datum::Int(value))) => {
                i32::try_from(*value).map_err(|_| wrong())? as u32
            }
            (Type::Bool, Some(Datum::Bool(value))) => u32::from(*value),
            (Type::Text, Some(Datum::Str(text))) => {
                let known = net.texts.iter().position(|known| **known == **text);
                known.ok_or_else(wrong)? as u32
            }
            _ => return Err(wrong()),
        };
        marking.words.push(word);
    }
    Ok(())
}
