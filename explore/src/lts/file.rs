//! A labelled transition system from a file, and its search.
//!
//! Lines are read one at a time; of a state its bytes and the number of its class are kept (see `classes`), of a
//! transition three numbers. Classes are tested by several threads. A state may be marked as not expanded: its transitions are not listed, and
//! those of an equivalent one stand for them, so that an infinite system has a finite file.

use super::check::{Checker, Expanded};
use super::classes::{Batch, Classes, Listed, NONE, Placed, Sorter};
use super::label::Labels;
use super::read::{LineKind, Reader, StateName};
use super::schema::Schema;
use super::state::LtsState;
use super::{LtsError, quotient::QuotientOptions, quotient::Representatives};
use crate::net::compiled::Place;
use crate::search::{ArenaStore, Canonizer, Failure, Id, Label, Model, Store, Successors};
use pidlab_budget::Budget;
use pidlab_syntax::{Source, Span};
use rustc_hash::FxHashMap;
use std::io::{BufRead, Read as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Longest line.
const LONGEST_LINE: usize = 1 << 28;
/// So much of a line is read before limits are looked at.
const PIECE: usize = 1 << 20;
/// Lines between two looks at memory.
const LOOK_EVERY: usize = 1 << 10;
/// Parts that the classes are tested in, for each thread: some take longer than others.
const PARTS: usize = 16;

/// A state of the file.
#[derive(Clone, Copy)]
struct StateEntry {
    /// Where its bytes begin and how many there are.
    start: u64,
    len: u32,
    class: u32,
    initial: bool,
    expanded: bool,
    /// Whether a transition leaves it.
    leaves: bool,
    /// The line that named it first; 0 once the state itself is there.
    missing: u32,
}

/// A whole file.
pub struct Lts {
    pub schema: Schema,
    pub labels: Labels,
    entries: Vec<StateEntry>,
    packed: Vec<u8>,
    /// Sorted by source; `starts` says where those of each state begin.
    transitions: Vec<(u32, Label, u32)>,
    starts: Vec<u32>,
    /// Of each class the first state whose transitions are listed.
    expanded: Vec<u32>,
    /// Of each class the first state.
    first: Vec<u32>,
}

/// Reads a file.
struct Reading<'r> {
    name: &'r str,
    budget: &'r Budget,
    lts: Lts,
    batch: Batch,
    /// The places that batches know.
    places: Arc<Vec<Place>>,
    /// Numbers of states whose names are small numbers, and of all others; most files number states from 0.
    small: Vec<u32>,
    numbers: FxHashMap<u64, u32>,
    names: FxHashMap<Box<str>, u32>,
    reader: Reader,
    line: usize,
}

impl Lts {
    /// Reads a file line by line; states are tested for Assumption 2.
    pub fn read(
        name: &str,
        mut input: impl BufRead,
        options: &QuotientOptions,
        checker: &mut Checker,
    ) -> Result<Lts, LtsError> {
        let budget = &options.limits.budget;
        let classes = Classes::new(options.relations, budget);
        thread::scope(|scope| {
            let mut sorter = Sorter::start(classes, options.threads, scope)
                .map_err(|error| LtsError::Missing(format!("no thread can be started: {error}")))?;
            let mut reading = Reading::new(name, budget);
            let mut bytes = Vec::new();
            while next_line(&mut input, &mut bytes, &reading)? {
                reading.line += 1;
                let line = match std::str::from_utf8(&bytes) {
                    Ok(line) => line.trim_end_matches(['\n', '\r']),
                    Err(error) => return Err(reading.not_text(&bytes, error.valid_up_to())),
                };
                if line.trim().is_empty() {
                    continue;
                }
                reading.take(line)?;
                if reading.batch.is_full() && !reading.hand_over(&mut sorter)? {
                    break;
                }
                if reading.line.is_multiple_of(LOOK_EVERY) {
                    reading.look()?;
                }
            }
            reading.hand_over(&mut sorter)?;
            let classes = sorter.finish()?;
            let (schema, states) = (&reading.lts.schema, classes.states.len() as u64);
            checker.states(schema, states, classes.inconsistent.as_ref());
            reading.finish(classes)
        })
    }

    /// Number of states listed.
    pub fn states(&self) -> usize {
        self.entries.len()
    }

    /// Number of transitions listed.
    pub fn transitions(&self) -> usize {
        self.transitions.len()
    }

    /// Number of states whose transitions are listed.
    pub fn expanded(&self) -> usize {
        self.entries.iter().filter(|entry| entry.expanded).count()
    }

    fn packed(&self, state: u32) -> &[u8] {
        let StateEntry { start, len, .. } = self.entries[state as usize];
        &self.packed[start as usize..start as usize + len as usize]
    }

    fn steps(&self, state: u32) -> &[(u32, Label, u32)] {
        let (start, end) = (self.starts[state as usize], self.starts[state as usize + 1]);
        &self.transitions[start as usize..end as usize]
    }

    /// Assumptions 1 and 3 on everything that is listed, class by class.
    pub fn check(&self, checker: &mut Checker, threads: usize) -> Result<(), Failure> {
        let class = |state: u32| self.entries[state as usize].class;
        let mut order: Vec<u32> = (0..self.entries.len() as u32)
            .filter(|&state| self.entries[state as usize].expanded)
            .collect();
        order.sort_by_key(|&state| class(state));
        let classes: Vec<&[u32]> = order.chunk_by(|&a, &b| class(a) == class(b)).collect();
        let threads = threads.clamp(1, classes.len().max(1));
        let parts: Vec<&[&[u32]]> =
            classes.chunks(classes.len().div_ceil(threads * PARTS).max(1)).collect();
        let (next, fresh) = (AtomicUsize::new(0), &*checker);
        let test = || {
            let mut tested = Vec::new();
            while let Some((at, part)) = take(&next, &parts) {
                let mut own = fresh.another();
                let done = self.check_classes(part, &mut own);
                tested.push((at, own, done));
            }
            tested
        };
        let mut tested = thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(test)).collect();
            let mut tested = test();
            for other in others {
                tested
                    .extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            tested
        });
        // what is found does not depend on who was first
        tested.sort_unstable_by_key(|(at, ..)| *at);
        tested.into_iter().try_for_each(|(_, own, done)| {
            checker.add(own);
            done
        })
    }

    fn check_classes(&self, classes: &[&[u32]], checker: &mut Checker) -> Result<(), Failure> {
        let (mut first, mut other) = (Expanded::default(), Expanded::default());
        for members in classes {
            self.load(members[0], &mut first);
            checker.expanded(&self.schema, &mut first)?;
            for &member in &members[1..] {
                self.load(member, &mut other);
                checker.expanded(&self.schema, &mut other)?;
                checker.equivalent(&self.schema, &first, &other);
            }
        }
        Ok(())
    }

    /// A state with its transitions.
    fn load(&self, state: u32, out: &mut Expanded) {
        let places = self.schema.places.len();
        out.clear();
        out.state.unpack(self.packed(state), places);
        for &(_, label, to) in self.steps(state) {
            let target = out.push();
            self.labels.read(label, &mut target.label);
            target.state.unpack(self.packed(to), places);
        }
    }
}

impl<'r> Reading<'r> {
    fn new(name: &'r str, budget: &'r Budget) -> Reading<'r> {
        let lts = Lts {
            schema: Schema::default(),
            labels: Labels::default(),
            entries: Vec::new(),
            packed: Vec::new(),
            transitions: Vec::new(),
            starts: Vec::new(),
            expanded: Vec::new(),
            first: Vec::new(),
        };
        Reading {
            name,
            budget,
            lts,
            batch: Batch::default(),
            places: Arc::default(),
            small: Vec::new(),
            numbers: FxHashMap::default(),
            names: FxHashMap::default(),
            reader: Reader::default(),
            line: 0,
        }
    }

    fn take(&mut self, line: &str) -> Result<(), LtsError> {
        let kind = self.reader.line(line, &mut self.lts.schema);
        let kind = kind.map_err(|wrong| self.wrong(line, wrong.span, &wrong.message))?;
        match kind {
            LineKind::Header if self.line > 1 => {
                let message = "expected a state or a transition: the header is the first line";
                Err(self.wrong(line, Span { start: 0, end: line.len() }, message))
            }
            LineKind::Header => Ok(()),
            LineKind::State { id, initial, expanded } => {
                let number = self.number(id);
                let missing = &mut self.lts.entries[number as usize].missing;
                if std::mem::take(missing) == 0 {
                    let span = Span { start: 0, end: line.len() };
                    return Err(self.wrong(line, span, "this state is there already: ids differ"));
                }
                self.lts.entries[number as usize].expanded = expanded;
                self.is_expanded(number, line)?;
                self.batch.keep(Listed { number, initial, expanded }, &mut self.reader.builder);
                Ok(())
            }
            LineKind::Transition { from, to } => {
                let (from, to) = (self.number(from), self.number(to));
                let action = self.reader.label.action;
                let label = self.lts.labels.number(self.reader.label.finish(), action);
                self.lts.transitions.push((from, label, to));
                self.lts.entries[from as usize].leaves = true;
                self.is_expanded(from, line)
            }
        }
    }

    /// A state that a transition leaves is expanded; known once both lines have been read.
    #[inline]
    fn is_expanded(&self, state: u32, line: &str) -> Result<(), LtsError> {
        let StateEntry { expanded, leaves, missing, .. } = self.lts.entries[state as usize];
        if expanded || !leaves || missing != 0 {
            return Ok(());
        }
        let id = self.id_of(state);
        let message =
            format!("the state {id} is marked as not expanded, but a transition leaves it");
        Err(self.wrong(line, Span { start: 0, end: line.len() }, &message))
    }

    /// The number of a state by its name.
    fn number(&mut self, name: StateName<'_>) -> u32 {
        let fresh = self.lts.entries.len() as u32;
        let number = match &name {
            &StateName::Number(name) => self.of_number(name, fresh),
            StateName::Text(name) => match self.names.get(&**name) {
                Some(&number) => number,
                None => *self.names.entry((**name).into()).or_insert(fresh),
            },
        };
        if number == fresh {
            let missing = u32::try_from(self.line).unwrap_or(u32::MAX);
            let (initial, expanded, leaves) = (false, false, false);
            let entry =
                StateEntry { start: 0, len: 0, class: NONE, initial, expanded, leaves, missing };
            self.lts.entries.push(entry);
        }
        number
    }

    /// As [`Reading::number`], for a name that is a number.
    #[inline]
    fn of_number(&mut self, name: u64, fresh: u32) -> u32 {
        // with room to spare, but none for a stray large number
        if name >= self.small.len() as u64 && name < 2 * u64::from(fresh) + 1024 {
            let room = (2 * name as usize).max(1024);
            self.small.resize(room, NONE);
            for (number, state) in self.numbers.extract_if(|number, _| *number < room as u64) {
                self.small[number as usize] = state;
            }
        }
        match self.small.get_mut(name as usize) {
            Some(state) => {
                if *state == NONE {
                    *state = fresh;
                }
                *state
            }
            None => *self.numbers.entry(name).or_insert(fresh),
        }
    }

    /// Hands over the states just read; `false` if that has failed, and [`Sorter::finish`] says why.
    fn hand_over(&mut self, sorter: &mut Sorter<'_>) -> Result<bool, LtsError> {
        self.batch.see(&self.lts.schema.places, &mut self.places);
        Ok(sorter.take(&mut self.batch)?)
    }

    fn look(&mut self) -> Result<(), LtsError> {
        let lts = &self.lts;
        let held = lts.entries.capacity() * size_of::<StateEntry>()
            + lts.transitions.capacity() * size_of::<(u32, Label, u32)>()
            + self.small.capacity() * size_of::<u32>()
            + (self.numbers.capacity() + self.names.capacity()) * 32;
        self.budget.hold(held as u64 + lts.labels.bytes());
        Ok(self.budget.poll().map_err(Failure::from)?)
    }

    fn finish(mut self, classes: Classes) -> Result<Lts, LtsError> {
        self.look()?;
        if let Some(number) = self.lts.entries.iter().position(|entry| entry.missing != 0) {
            let (at, id) = (self.lts.entries[number].missing, self.id_of(number as u32));
            let message = format!(
                "a transition names the state {id}, which no line describes; expected a line {{\"id\": {id}, \"state\": …}}"
            );
            return Err(LtsError::Dangling { name: self.name.into(), line: at as usize, message });
        }
        let lts = &mut self.lts;
        let Classes { packed, states, expanded, first, .. } = classes;
        (lts.packed, lts.expanded, lts.first) = (packed, expanded, first);
        for Placed { listed, start, len, class } in states {
            let Listed { number, initial, expanded } = listed;
            let entry = &mut lts.entries[number as usize];
            *entry = StateEntry { start, len, class, initial, expanded, ..*entry };
        }
        if !lts.entries.iter().any(|entry| entry.initial) {
            return Err(LtsError::Missing(format!(
                "{}: no state is initial; mark one with \"initial\": true",
                self.name
            )));
        }
        lts.transitions.sort_by_key(|&(from, _, _)| from);
        let mut at = 0;
        for state in 0..lts.entries.len() as u32 {
            lts.starts.push(at);
            while lts.transitions.get(at as usize).is_some_and(|&(from, _, _)| from == state) {
                at += 1;
            }
        }
        lts.starts.push(at);
        Ok(self.lts)
    }

    /// The id of a state as the file writes it; looked for where an error is shown.
    fn id_of(&self, state: u32) -> String {
        let small = self.small.iter().position(|found| *found == state).map(|name| name as u64);
        let number =
            || self.numbers.iter().find(|(_, found)| **found == state).map(|(name, _)| *name);
        let name = self.names.iter().find(|(_, found)| **found == state);
        match (small.or_else(number), name) {
            (Some(number), _) => number.to_string(),
            (_, Some((name, _))) => serde_json::Value::from(&**name).to_string(),
            _ => String::new(),
        }
    }

    fn unreadable(&self, error: std::io::Error) -> LtsError {
        LtsError::Missing(format!("{}:{}: cannot be read: {error}", self.name, self.line + 1))
    }

    fn wrong(&self, line: &str, span: Span, message: &str) -> LtsError {
        let source = Source::new(self.name, line).starting_at(self.line);
        LtsError::Wrong(source.error(span, message))
    }

    fn not_text(&self, bytes: &[u8], at: usize) -> LtsError {
        let line = String::from_utf8_lossy(bytes);
        self.wrong(&line, Span { start: at, end: at + 1 }, "expected UTF-8")
    }
}

/// The next part that nobody has taken.
fn take<'p, T>(next: &AtomicUsize, parts: &[&'p [T]]) -> Option<(usize, &'p [T])> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    parts.get(at).map(|part| (at, *part))
}

/// Reads the next line over `bytes`, with its end; `false` at the end of the file.
fn next_line(
    input: &mut impl BufRead,
    bytes: &mut Vec<u8>,
    reading: &Reading<'_>,
) -> Result<bool, LtsError> {
    bytes.clear();
    loop {
        let read = input.by_ref().take(PIECE as u64).read_until(b'\n', bytes);
        let read = read.map_err(|error| reading.unreadable(error))?;
        if read < PIECE || bytes.ends_with(b"\n") {
            return Ok(!bytes.is_empty());
        }
        if bytes.len() >= LONGEST_LINE {
            return Err(reading.unreadable(std::io::Error::other("a line is longer than 256 MiB")));
        }
        // the next piece may double what is held
        reading.budget.reserve_bytes(bytes.len() as u64).map_err(Failure::from)?;
    }
}

/// The system as a model of the search: a state is its number.
pub struct FileModel<'l>(pub &'l Lts);

impl Model for FileModel<'_> {
    type State = u32;
    type Worker = ();

    fn worker(&self) {}

    fn initial(&self, _: &mut (), out: &mut Successors<u32>) -> Result<(), Failure> {
        for (number, entry) in self.0.entries.iter().enumerate() {
            if entry.initial {
                *out.push(0) = number as u32;
            }
        }
        Ok(())
    }

    /// Those of the first state of the class whose transitions are listed.
    fn successors(
        &self,
        _: &mut (),
        state: &u32,
        out: &mut Successors<u32>,
    ) -> Result<(), Failure> {
        let class = self.0.entries[*state as usize].class;
        let representative = self.0.expanded[class as usize];
        if representative != NONE {
            for &(_, label, to) in self.0.steps(representative) {
                *out.push(label) = to;
            }
        }
        Ok(())
    }
}

impl Canonizer<u32> for FileModel<'_> {
    type Worker = ();

    fn worker(&self) {}

    /// Keys were made when the file was read; the number of a class is as good.
    fn key(&self, _: &mut (), state: &u32, key: &mut Vec<u8>) -> Result<(), Failure> {
        key.clear();
        key.extend_from_slice(&self.0.entries[*state as usize].class.to_le_bytes());
        Ok(())
    }

    fn decode(&self, _: &mut (), _: &[u8], _: &mut u32) {}
}

impl Representatives for FileModel<'_> {
    fn read(&self, store: &ArenaStore, id: Id, state: &mut LtsState) -> bool {
        let mut key = Vec::new();
        store.read(id, &mut key);
        let class = key.try_into().map_or(NONE, u32::from_le_bytes);
        let expanded = self.0.expanded.get(class as usize).copied().unwrap_or(NONE);
        let shown = if expanded == NONE { self.0.first[class as usize] } else { expanded };
        state.unpack(self.0.packed(shown), self.0.schema.places.len());
        expanded != NONE
    }
}
