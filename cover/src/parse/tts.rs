//! `.tts` with `.prop`: thread transition systems, as the BFC tool reads them.
//!
//! First line `S L`, the numbers of shared and local states; then one line per move, which
//! `steps` turns into steps of the net. The property `s|l,l,…` asks for that shared state
//! with these threads; several lines are alternatives. Any number of threads starts in shared state
//! 0, local state 0, unless a start `s|l,l,…/l,l,…` says otherwise: one thread for each local state
//! before the slash, any number in each after it. The language is described in
//! `docs/formats-cover.md`.

use super::steps::Steps;
use super::{counter, machine, sizes, unlimited};
use crate::budget::{Budget, Exhausted};
use crate::config::{Config, Entry, OMEGA};
use crate::error::{ParseError, ReadError};
use crate::net::{Net, collect_entries};

/// Parses a `.tts` file and its property.
pub fn parse(text: &str, property: &str) -> Result<Net, ParseError> {
    let mut net = unlimited(|budget| read_system(text, budget))?;
    net.targets = unlimited(|budget| read_property(property, &net, budget))?;
    Ok(net)
}

/// Reads a `.tts` file alone; the targets are left empty.
pub fn read_system(text: &str, budget: &Budget) -> Result<Net, ReadError> {
    let mut lines = numbered(text, budget);
    let Some((line, head)) = lines.next().transpose()? else {
        let message = "empty file: expected `S L`, the numbers of states";
        return Err(ParseError::new(1, message).into());
    };
    let sizes = header(head, line)?;
    let mut net = machine(sizes.0, sizes.1, (0, 0), budget)?;
    let mut steps = Steps::new(sizes, budget);
    for found in lines {
        let (line, text) = found?;
        budget.reserve::<[u64; 2]>(text.len())?;
        steps.add(text, line)?;
    }
    net.transitions = steps.finish()?;
    Ok(net)
}

/// Numbers of shared and local states of a parsed system.
fn sizes_of(net: &Net) -> (u32, u32) {
    let shared = net.places.iter().take_while(|name| name.starts_with('s')).count() as u32;
    (shared, net.places.len() as u32 - shared)
}

/// Reads a property `s|l,l…`, one alternative per line, for a system that was read.
pub fn read_property(text: &str, net: &Net, budget: &Budget) -> Result<Vec<Config>, ReadError> {
    let sizes = sizes_of(net);
    let mut targets = Vec::new();
    for found in numbered(text, budget) {
        let (line, text) = found?;
        budget.reserve::<[u64; 2]>(text.len())?;
        targets.push(target(text, line, sizes, budget)?);
    }
    if targets.is_empty() {
        let message = "empty target: expected `s|l,l…`, for instance `3|0`";
        return Err(ParseError::new(1, message).into());
    }
    Ok(targets)
}

/// Gives a parsed system another start: `s|l,l,…/l,l,…`, where either list may be missing. As in
/// BFC, `B` may stand for `|` and `U` for `/`.
pub fn set_start(net: &mut Net, start: &str) -> Result<(), ParseError> {
    let (shared, local) = sizes_of(net);
    let fail = |why: String| ParseError::new(1, format!("start `{start}`: {why}"));
    let state = |word: &str, size: u32, kind: &str| {
        in_range(word.trim_ascii(), size, kind, 1).map_err(|error| fail(error.message))
    };
    let (head, any) = start.split_once(['/', 'U']).unwrap_or((start, ""));
    let (head, single) = head.split_once(['|', 'B']).unwrap_or((head, ""));
    if head.len() == start.len() {
        return Err(fail("expected `s|l,l…/l,l…`, for instance `0|1/2`".into()));
    }
    let places = |list: &str| -> Result<Vec<u32>, ParseError> {
        let words = list.split(',').filter(|_| !list.trim_ascii().is_empty());
        words.map(|word| Ok(shared + state(word, local, "local")?)).collect()
    };
    let (single, mut any) = (places(single)?, places(any)?);
    any.sort_unstable();
    any.dedup();
    if let Some(both) = single.iter().find(|place| any.binary_search(place).is_ok()) {
        return Err(fail(format!("local state {} is on both sides of the `/`", both - shared)));
    }
    let counted = [state(head, shared, "shared")?].into_iter().chain(single).map(|p| (p, 1));
    let mut entries: Vec<Entry> =
        collect_entries(counted).ok_or_else(|| fail("too many threads".into()))?;
    entries.extend(any.into_iter().map(|place| (place, OMEGA)));
    net.initial = Config::new(entries);
    net.at_least.clear();
    Ok(())
}

/// Lines with content, comments removed.
pub(super) fn numbered<'a>(
    text: &'a str,
    budget: &'a Budget,
) -> impl Iterator<Item = Result<(u32, &'a str), Exhausted>> {
    let content = move |(i, line): (usize, &'a str)| {
        budget.steps(1 + line.len() / 16)?;
        let content = line.split('#').next().unwrap_or_default().trim_ascii();
        Ok((u32::try_from(i + 1).unwrap_or(u32::MAX), content))
    };
    text.lines().enumerate().map(content).filter(|line| !matches!(line, Ok((_, ""))))
}

fn header(text: &str, line: u32) -> Result<(u32, u32), ParseError> {
    let numbers: Vec<&str> = text.split_ascii_whitespace().collect();
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

/// `s|l,l,…`, `s|` or `s`.
pub(super) fn target(
    text: &str,
    line: u32,
    (shared, local): (u32, u32),
    budget: &Budget,
) -> Result<Config, ReadError> {
    let (state, threads) = text.split_once('|').unwrap_or((text, ""));
    let mut entries = vec![(in_range(state.trim_ascii(), shared, "shared", line)?, 1)];
    let locals = threads.split([',', ' ']).map(str::trim_ascii).filter(|word| !word.is_empty());
    for word in locals {
        budget.steps(1)?;
        entries.push((shared + in_range(word, local, "local", line)?, 1));
    }
    let sum = collect_entries(entries);
    let too_large = || ParseError::new(line, "target too large");
    Ok(sum.map(Config::from_sorted).ok_or_else(too_large)?)
}
