//! `.tts` with `.prop`: thread transition systems, as the BFC tool reads them.
//!
//! First line `S L`, the numbers of shared and local states; then one line per move, which
//! `steps` turns into steps of the net. The property `s|l,l,…` asks for that shared state
//! with these threads; several lines are alternatives. Any number of threads starts in shared state
//! 0, local state 0, unless a start `s|l,l,…/l,l,…` says otherwise: one thread for each local state
//! before the slash, any number in each after it. The language is described in
//! `docs/formats-cover.md`.

use super::steps::Steps;
use super::{counter, machine, sizes};
use crate::config::{Config, Entry, OMEGA};
use crate::net::{Net, collect_entries};
use pidlab_syntax::{Parsed, Source};
use std::ops::Range;

/// Parses a `.tts` file and its property.
pub fn parse(text: &str, property: &str) -> Parsed<Net> {
    let mut net = read_system(&Source::new(".tts", text))?;
    net.targets = read_property(&Source::new(".prop", property), &net)?;
    Ok(net)
}

/// Reads a `.tts` file alone; the targets are left empty.
pub fn read_system(source: &Source) -> Parsed<Net> {
    let mut lines = source.lines(COMMENT);
    let head = lines.next().transpose()?.map_or("", |line| line.text);
    let sizes = header(head, source)?;
    let mut net = machine(sizes.0, sizes.1, (0, 0), source.budget())?;
    let mut steps = Steps::new(sizes, source);
    for line in lines {
        let line = line?;
        source.budget().reserve::<[u64; 2]>(line.text.len())?;
        steps.add(line)?;
    }
    net.transitions = steps.finish()?;
    Ok(net)
}

/// What starts a comment.
pub(super) const COMMENT: char = '#';

/// Numbers of shared and local states of a parsed system.
fn sizes_of(net: &Net) -> (u32, u32) {
    let size = |states: &Range<u32>| states.end - states.start;
    net.systems.first().map_or((0, 0), |system| (size(&system.shared), size(&system.local)))
}

/// Reads a property `s|l,l…`, one alternative per line, for a system that was read.
pub fn read_property(source: &Source, net: &Net) -> Parsed<Vec<Config>> {
    let sizes = sizes_of(net);
    let mut targets = Vec::new();
    for line in source.lines(COMMENT) {
        let text = line?.text;
        source.budget().reserve::<[u64; 2]>(text.len())?;
        targets.push(target(text, sizes, source)?);
    }
    if targets.is_empty() {
        return Err(source.expected("a target `s|l,l…`, for instance `3|0`", ""));
    }
    Ok(targets)
}

/// Gives a parsed system another start: `s|l,l,…/l,l,…`, where either list may be missing. As in
/// BFC, `B` may stand for `|` and `U` for `/`.
pub fn set_start(net: &mut Net, source: &Source) -> Parsed<()> {
    net.initial = start_of(source.text.as_str(), sizes_of(net), source)?;
    net.at_least.clear();
    Ok(())
}

/// The configuration that a part of the source describes as `s|l,l,…/l,l,…`.
pub(super) fn start_of(
    start: &str,
    (shared, local): (u32, u32),
    source: &Source,
) -> Parsed<Config> {
    let state = |word: &str, size, kind| in_range(word.trim_ascii(), size, kind, source);
    let (head, any) = start.split_once(['/', 'U']).unwrap_or((start, ""));
    let (head, single) = head.split_once(['|', 'B']).unwrap_or((head, ""));
    if head.len() == start.len() {
        return Err(source.expected("`s|l,l…/l,l…`, for instance `0|1/2`", start));
    }
    let places = |list: &str| -> Parsed<Vec<u32>> {
        let words = list.split(',').filter(|_| !list.trim_ascii().is_empty());
        words.map(|word| Ok(shared + state(word, local, "local")?)).collect()
    };
    let (single, mut any) = (places(single)?, places(any)?);
    any.sort_unstable();
    any.dedup();
    let fail = |message: String| source.error(source.span_of(start), message);
    if let Some(both) = single.iter().find(|place| any.binary_search(place).is_ok()) {
        return Err(fail(format!("local state {} is on both sides of the `/`", both - shared)));
    }
    let counted = [state(head, shared, "shared")?].into_iter().chain(single).map(|p| (p, 1));
    let mut entries: Vec<Entry> =
        collect_entries(counted).ok_or_else(|| fail("too many threads".into()))?;
    entries.extend(any.into_iter().map(|place| (place, OMEGA)));
    Ok(Config::new(entries))
}

fn header(text: &str, source: &Source) -> Parsed<(u32, u32)> {
    let numbers: Vec<&str> = text.split_ascii_whitespace().collect();
    let [shared, local] = numbers[..] else {
        return Err(source.expected("`S L`, the numbers of states", text));
    };
    sizes(counter(shared, source)?, counter(local, source)?, text, source)
}

pub(super) fn in_range(word: &str, size: u32, kind: &str, source: &Source) -> Parsed<u32> {
    let state = counter(word, source)?;
    if state < size {
        return Ok(state);
    }
    let message = format!("{kind} state {state} out of range: {size} declared, 0 to {}", size - 1);
    Err(source.error(source.span_of(word), message))
}

/// `s|l,l,…`, `s|` or `s`.
pub(super) fn target(text: &str, (shared, local): (u32, u32), source: &Source) -> Parsed<Config> {
    let (state, threads) = text.split_once('|').unwrap_or((text, ""));
    let mut entries = vec![(in_range(state.trim_ascii(), shared, "shared", source)?, 1)];
    let locals = threads.split([',', ' ']).map(str::trim_ascii).filter(|word| !word.is_empty());
    for word in locals {
        source.budget().steps(1)?;
        entries.push((shared + in_range(word, local, "local", source)?, 1));
    }
    let sum = collect_entries(entries);
    let too_large = || source.error(source.span_of(text), "this target is too large");
    sum.map(Config::from_sorted).ok_or_else(too_large)
}
