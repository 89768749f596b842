//! The checker's own reader of `.tts` and `.prop`; it shares no code with [`crate::parse`].
//!
//! It works on bytes, word by word, and follows the description in `docs/formats-cover.md`: the
//! numbers of shared and local states; one step for each pair of thread states joined by `->`, in
//! force as its last line says; one step for each pair of shared states joined by `~>`, with the
//! moves of all its lines; one step for each `+>` line. Steps are numbered by their first lines.

use super::fire::StepArcs;
use super::{Model, Unreadable};
use crate::budget::{Budget, Exhausted};
use std::collections::{BTreeMap, BTreeSet};

/// Shared and local states together; beyond it the numbers are a mistake.
const MOST_STATES: u64 = 1 << 22;

pub(crate) fn read(
    system: &[u8],
    property: &[u8],
    start: Option<&str>,
    budget: &Budget,
) -> Result<Model, Unreadable> {
    let mut lines = content(system, budget);
    let (line, head) = lines.next().ok_or_else(|| unreadable(1, "no numbers of states"))??;
    let &[shared, local] = &numbers(&words(head, budget)?, line)?[..] else {
        return Err(unreadable(line, "not two numbers of states"));
    };
    if u64::from(shared) + u64::from(local) > MOST_STATES {
        return Err(unreadable(line, format!("more than {MOST_STATES} states")));
    }
    let names = (0..shared).map(|s| format!("s{s}")).chain((0..local).map(|l| format!("l{l}")));
    let names =
        names.map(|name| budget.steps(1).map(|()| name)).collect::<Result<_, Exhausted>>()?;
    let mut reader = Reader { budget, shared, local, model: Model::new(names, budget)? };
    reader.steps(lines)?;
    match start {
        None => {
            reader.model.initial = BTreeMap::from([(0, Some(1)), (shared, None)]);
            reader.model.at_least = BTreeMap::from([(shared, 1)]);
        }
        Some(text) => reader.start(text)?,
    }
    for found in content(property, budget) {
        let (line, text) = found?;
        let target = reader.thread_states(text, line)?;
        reader.model.targets.push(target);
    }
    Ok(reader.model)
}

fn unreadable(line: usize, message: impl Into<String>) -> Unreadable {
    Unreadable::Malformed { line, message: message.into() }
}

/// Numbered lines without their comments, empty ones left out.
fn content<'a>(
    bytes: &'a [u8],
    budget: &'a Budget,
) -> impl Iterator<Item = Result<(usize, &'a [u8]), Exhausted>> {
    let lines = bytes.split(|&byte| byte == b'\n').enumerate();
    let cut = move |(i, line): (usize, &'a [u8])| {
        budget.steps(1 + line.len() / 16)?;
        let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
        Ok((i + 1, line[..end].trim_ascii()))
    };
    lines.map(cut).filter(|line| !matches!(line, Ok((_, b""))))
}

fn words<'a>(line: &'a [u8], budget: &Budget) -> Result<Vec<&'a [u8]>, Exhausted> {
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.map(|word| budget.steps(1).map(|()| word)).collect()
}

fn number(word: &[u8], line: usize) -> Result<u32, Unreadable> {
    let digit = |value: u32, &byte: &u8| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    };
    let value = if word.is_empty() { None } else { word.iter().try_fold(0, digit) };
    let shown = String::from_utf8_lossy(word);
    value.ok_or_else(|| unreadable(line, format!("`{shown}` is not a number of a state")))
}

fn numbers(words: &[&[u8]], line: usize) -> Result<Vec<u32>, Unreadable> {
    words.iter().map(|word| number(word, line)).collect()
}

struct Reader<'a> {
    budget: &'a Budget,
    shared: u32,
    local: u32,
    model: Model,
}

impl<'a> Reader<'a> {
    fn steps(
        &mut self,
        lines: impl Iterator<Item = Result<(usize, &'a [u8]), Exhausted>>,
    ) -> Result<(), Unreadable> {
        let mut known: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        for found in lines {
            let (line, text) = found?;
            let words = words(text, self.budget)?;
            let [s, l, arrow, s2, l2, passive @ ..] = &words[..] else {
                return Err(unreadable(line, "a line of fewer than five words"));
            };
            let (s, s2) = (self.shared_state(s, line)?, self.shared_state(s2, line)?);
            let (l, l2) = (self.local_state(l, line)?, self.local_state(l2, line)?);
            let passive = self.passive(passive, line)?;
            let fresh = self.model.steps.len();
            match *arrow {
                b"->" => {
                    let number = *known.entry(vec![s, l, s2, l2]).or_insert(fresh);
                    self.put(number, step(&[s, l], &[s2, l2], passive));
                }
                b"+>" if passive.is_empty() => {
                    self.put(fresh, step(&[s, l], &[s2, l2, l], passive));
                }
                b"~>" if passive.is_empty() => {
                    let number = *known.entry(vec![s, s2]).or_insert(fresh);
                    if number == fresh {
                        self.put(fresh, step(&[s], &[s2], passive));
                    }
                    self.model.steps[number].moves.entry(l).or_default().insert(l2);
                }
                _ => return Err(unreadable(line, "an unknown kind of move")),
            }
        }
        for step in &mut self.model.steps {
            self.budget.steps(1 + step.moves.len())?;
            step.moves.retain(|from, to| to.len() > 1 || !to.contains(from));
        }
        Ok(())
    }

    fn put(&mut self, number: usize, step: StepArcs) {
        if number == self.model.steps.len() {
            self.model.steps.push(step);
        } else {
            self.model.steps[number] = step;
        }
    }

    fn passive(
        &self,
        words: &[&[u8]],
        line: usize,
    ) -> Result<BTreeMap<u32, BTreeSet<u32>>, Unreadable> {
        let mut moves: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for triple in words.chunks(3) {
            self.budget.steps(1)?;
            let [from, b"~>", to] = triple else {
                return Err(unreadable(line, "a passive move is not `l ~> l'`"));
            };
            let (from, to) = (self.local_state(from, line)?, self.local_state(to, line)?);
            moves.entry(from).or_default().insert(to);
        }
        Ok(moves)
    }

    fn shared_state(&self, word: &[u8], line: usize) -> Result<u32, Unreadable> {
        let state = number(word, line)?;
        let too_large = || unreadable(line, format!("there is no shared state {state}"));
        (state < self.shared).then_some(state).ok_or_else(too_large)
    }

    fn local_state(&self, word: &[u8], line: usize) -> Result<u32, Unreadable> {
        let state = number(word, line)?;
        let too_large = || unreadable(line, format!("there is no local state {state}"));
        (state < self.local).then(|| self.shared + state).ok_or_else(too_large)
    }

    /// `s|l,l,…`: one token for the shared state and one for each local state.
    fn thread_states(&self, text: &[u8], line: usize) -> Result<BTreeMap<u32, u64>, Unreadable> {
        let spaced: Vec<u8> = text.iter().map(|&b| if b == b',' { b' ' } else { b }).collect();
        let mut halves = spaced.splitn(2, |&byte| byte == b'|');
        let head = words(halves.next().unwrap_or_default(), self.budget)?;
        let &[shared] = &head[..] else {
            return Err(unreadable(line, "not one shared state before the `|`"));
        };
        let mut counts = BTreeMap::from([(self.shared_state(shared, line)?, 1)]);
        for word in words(halves.next().unwrap_or_default(), self.budget)? {
            self.budget.steps(1)?;
            *counts.entry(self.local_state(word, line)?).or_insert(0) += 1;
        }
        Ok(counts)
    }

    /// `s|l,l,…/l,l,…`: the second list has any number of threads in each state.
    fn start(&mut self, text: &str) -> Result<(), Unreadable> {
        let plain = text.replace('B', "|").replace('U', "/");
        let (counted, any) = plain.split_once('/').unwrap_or((&plain, ""));
        let counted = self.thread_states(counted.as_bytes(), 1)?;
        self.model.initial = counted.into_iter().map(|(p, n)| (p, Some(n))).collect();
        for word in words(any.replace(',', " ").as_bytes(), self.budget)? {
            self.model.initial.insert(self.local_state(word, 1)?, None);
        }
        Ok(())
    }
}

fn step(takes: &[u32], puts: &[u32], moves: BTreeMap<u32, BTreeSet<u32>>) -> StepArcs {
    let tokens = |places: &[u32]| {
        let mut counts = BTreeMap::new();
        places.iter().for_each(|&place| *counts.entry(place).or_insert(0) += 1);
        counts
    };
    StepArcs { pre: tokens(takes), post: tokens(puts), moves }
}
