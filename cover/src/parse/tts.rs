//! `.tts` with `.prop`: thread transition systems of the BFC tool.
//!
//! First line `S L`, the numbers of shared and local states; then one transition per line:
//! `s l -> s' l'` one thread moves, `s l +> s' l'` the thread stays in l and a new one starts in l',
//! `s l ~> s' l'` all threads in l move to l' (at least one). A line may end with passive moves
//! `l1 ~> l2 …`, taken by all other threads in l1. Any number of threads starts in shared state 0,
//! local state 0. The property `s|l,l,…` asks for that shared state with these threads; several lines
//! are alternatives.

use super::{counter, machine, sizes, unlimited};
use crate::budget::Budget;
use crate::config::{Config, Entry};
use crate::error::{ParseError, ReadError};
use crate::net::{Net, Transition, collect_entries};

/// Parses a `.tts` file and its property.
pub fn parse(text: &str, property: &str) -> Result<Net, ParseError> {
    let mut net = unlimited(|budget| read_system(text, budget))?;
    net.targets = unlimited(|budget| read_property(property, &net, budget))?;
    Ok(net)
}

/// Reads a `.tts` file alone; the targets are left empty.
pub fn read_system(text: &str, budget: &Budget) -> Result<Net, ReadError> {
    let mut lines = numbered(text);
    let Some((line, head)) = lines.next() else {
        let message = "empty file: expected `S L`, the numbers of states";
        return Err(ParseError::new(1, message).into());
    };
    let (shared, local) = header(head, line)?;
    let mut net = machine(shared, local, (0, 0), budget)?;
    for (line, text) in lines {
        budget.reserve::<[u64; 2]>(text.len())?;
        net.transitions.push(transition(text, line, (shared, local))?);
    }
    Ok(net)
}

/// How many of the places of a parsed system are shared states.
fn shared_count(net: &Net) -> u32 {
    net.places.iter().take_while(|name| name.starts_with('s')).count() as u32
}

/// Reads a property `s|l,l…`, one alternative per line, for a system that was read.
pub fn read_property(text: &str, net: &Net, budget: &Budget) -> Result<Vec<Config>, ReadError> {
    let shared = shared_count(net);
    let sizes = (shared, net.places.len() as u32 - shared);
    let mut targets = Vec::new();
    for (line, text) in numbered(text) {
        budget.reserve::<[u64; 2]>(text.len())?;
        targets.push(target(text, line, sizes)?);
    }
    if targets.is_empty() {
        let message = "empty target: expected `s|l,l…`, for instance `3|0`";
        return Err(ParseError::new(1, message).into());
    }
    Ok(targets)
}

/// Lines with content, comments removed.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.lines().enumerate().filter_map(|(i, line)| {
        let content = line.split('#').next().unwrap_or_default().trim();
        (!content.is_empty()).then(|| (u32::try_from(i + 1).unwrap_or(u32::MAX), content))
    })
}

fn header(text: &str, line: u32) -> Result<(u32, u32), ParseError> {
    let numbers: Vec<&str> = text.split_whitespace().collect();
    let [shared, local] = numbers[..] else {
        let message = format!("expected `S L`, the numbers of states, found `{text}`");
        return Err(ParseError::new(line, message));
    };
    sizes(counter(shared, line)?, counter(local, line)?, line)
}

pub(super) fn in_range(text: &str, size: u32, kind: &str, line: u32) -> Result<u32, ParseError> {
    let state = counter(text, line)?;
    if state < size {
        return Ok(state);
    }
    let message = format!("{kind} state {state} out of range: {size} declared, 0 to {}", size - 1);
    Err(ParseError::new(line, message))
}

pub(super) fn transition(
    text: &str,
    line: u32,
    (shared, local): (u32, u32),
) -> Result<Transition, ParseError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let arrow = words.get(2).copied().unwrap_or_default();
    if words.len() < 5 || !matches!(arrow, "->" | "+>" | "~>") {
        let message = format!("expected `s l -> s' l'` (or `+>`, `~>`), found `{text}`");
        return Err(ParseError::new(line, message));
    }
    let from = in_range(words[0], shared, "shared", line)?;
    let local_place = |word: &str| in_range(word, local, "local", line).map(|l| shared + l);
    let taken = local_place(words[1])?;
    let to = in_range(words[3], shared, "shared", line)?;
    let put = local_place(words[4])?;
    let mut transfers = passive_moves(&words[5..], local_place, line)?;
    let mut post = vec![(to, 1), (put, 1)];
    match arrow {
        "+>" => post.push((taken, 1)),
        "~>" if taken != put => transfers.push((taken, put)),
        _ => {}
    }
    transfers.sort_unstable();
    if transfers.windows(2).any(|w| w[0].0 == w[1].0) {
        return Err(ParseError::new(line, "one local state has two passive moves"));
    }
    let sum = |entries: Vec<Entry>| collect_entries(entries).unwrap_or_default();
    Ok(Transition { pre: sum(vec![(from, 1), (taken, 1)]), post: sum(post), transfers, line })
}

fn passive_moves(
    words: &[&str],
    local_place: impl Fn(&str) -> Result<u32, ParseError>,
    line: u32,
) -> Result<Vec<(u32, u32)>, ParseError> {
    let mut moves = Vec::new();
    for chunk in words.chunks(3) {
        let [from, "~>", to] = chunk else {
            let message = format!("expected `l ~> l'` after the transition, found `{chunk:?}`");
            return Err(ParseError::new(line, message));
        };
        let arc = (local_place(from)?, local_place(to)?);
        if arc.0 != arc.1 {
            moves.push(arc);
        }
    }
    Ok(moves)
}

/// `s|l,l,…`, `s|` or `s`.
pub(super) fn target(
    text: &str,
    line: u32,
    (shared, local): (u32, u32),
) -> Result<Config, ParseError> {
    let (state, threads) = text.split_once('|').unwrap_or((text, ""));
    let mut entries = vec![(in_range(state.trim(), shared, "shared", line)?, 1)];
    let locals = threads.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty());
    for word in locals {
        entries.push((shared + in_range(word, local, "local", line)?, 1));
    }
    let sum = collect_entries(entries);
    sum.map(Config::from_sorted).ok_or_else(|| ParseError::new(line, "target too large"))
}
