//! A program that gives initial states and successors on demand (docs/lts.md has the protocol).
//!
//! It is asked over JSON Lines, many states at a time, and while a batch of answers is worked through it
//! has the next one already. Of every class one more state than the search needs is asked for, so that
//! Assumption 3 is tested on pairs of states. The program is killed on every way out.

use super::check::{Checker, Expanded};
use super::keys::Keys;
use super::label::Labels;
use super::quotient::Representatives;
use super::read::{FORMAT, Reader};
use super::schema::Schema;
use super::state::LtsState;
use super::text::{Read, Seen, Text};
use super::write::write_state;
use crate::search::{
    ArenaStore, Canonizer, Failure, Id, Label, Model, Store, Successors, key_hash,
};
use pidlab_backends::external::{self, GREETING_TIME, ProgramFailure};
use pidlab_budget::{Budget, Exhausted};
use pidlab_core::Relations;
use pidlab_core::printable::printable;
use pidlab_syntax::Source;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most states of a request, and the bytes after which it takes no more.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 1 << 18;
/// Longest answer where no limit of memory says less.
const LONGEST_ANSWER: usize = 1 << 28;

/// A state as bytes.
type Packed = Vec<u8>;
/// The transitions of a state.
type Answer = Vec<(Label, Packed)>;

/// A running program.
pub struct Program {
    name: String,
    relations: Relations,
    budget: Budget,
    inner: Mutex<Inner>,
}

struct Inner {
    process: external::Program,
    schema: Schema,
    labels: Labels,
    reader: Reader,
    checker: Checker,
    /// Answers to what was announced.
    answers: VecDeque<Answer>,
    /// Number and states of the request under way.
    under_way: Option<(u64, usize)>,
    /// The first state of every class, in the order in which they were expanded.
    first: Vec<Packed>,
    members: Members,
    expanded: Expanded,
    state: LtsState,
    /// States received.
    received: u64,
    transitions: u64,
}

/// Second states of classes.
#[derive(Default)]
struct Members {
    /// By hash of the key: hash of the first state, and how many others there are. Where hashes collide a
    /// state is found not to be a member when it is looked up.
    known: FxHashMap<u64, (u64, usize)>,
    most: usize,
    others: Vec<Packed>,
}

impl Members {
    fn note(&mut self, key: &[u8], packed: &[u8]) {
        let state = key_hash(packed);
        let entry = self.known.entry(key_hash(key)).or_insert((state, 0));
        if entry.0 != state && entry.1 < self.most {
            entry.1 += 1;
            self.others.push(packed.to_vec());
        }
    }
}

/// What is left of a program that was explored.
pub struct Explored {
    pub schema: Schema,
    pub labels: Labels,
    pub first: Vec<Packed>,
    pub received: u64,
    pub transitions: u64,
    pub checker: Checker,
}

impl Program {
    /// Starts a program; of every class `members` more states are asked for than the search needs.
    pub fn start(
        command: &[String],
        relations: Relations,
        members: usize,
        budget: &Budget,
    ) -> Result<Program, Failure> {
        let name = command.first().cloned().unwrap_or_default();
        let time = budget.remaining().unwrap_or(GREETING_TIME);
        let (process, greeting) = external::Program::start(command, None, time, budget)
            .map_err(|failure| failed(&name, failure))?;
        let inner = Inner {
            process,
            schema: Schema::default(),
            labels: Labels::default(),
            reader: Reader::default(),
            checker: Checker::new(relations, budget),
            answers: VecDeque::new(),
            under_way: None,
            first: Vec::new(),
            members: Members { most: members, ..Members::default() },
            expanded: Expanded::default(),
            state: LtsState::default(),
            received: 0,
            transitions: 0,
        };
        let budget = budget.clone();
        let program = Program { name, relations, budget, inner: Mutex::new(inner) };
        program.greet(&greeting)?;
        Ok(program)
    }

    fn greet(&self, line: &str) -> Result<(), Failure> {
        let greeted = serde_json::from_str::<serde_json::Value>(line).ok();
        let format = greeted.as_ref().and_then(|greeting| greeting["format"].as_str());
        match format == Some(FORMAT) {
            true => Ok(()),
            false => {
                let text = format!("its first line must be {{\"format\": \"{FORMAT}\"}}");
                Err(failed(&self.name, ProgramFailure::Malformed(text)))
            }
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn longest(&self) -> usize {
        let allowed = self.budget.memory_limit().and_then(|bytes| usize::try_from(bytes).ok());
        allowed.map_or(LONGEST_ANSWER, |allowed| allowed.min(LONGEST_ANSWER))
    }

    /// Asks for the successors of states; how many fit into the request.
    fn send<'s>(
        &self,
        inner: &mut Inner,
        states: impl Iterator<Item = &'s Packed>,
    ) -> Result<usize, Failure> {
        let number = inner.process.next_number();
        let mut request = format!("{{\"id\":{number},\"successors\":[").into_bytes();
        let mut count = 0;
        for packed in states.take(BATCH) {
            if count > 0 {
                request.push(b',');
            }
            inner.state.unpack(packed, inner.schema.places.len());
            write_state(&inner.schema, &inner.state, &mut request);
            count += 1;
            if request.len() > BATCH_BYTES {
                break;
            }
        }
        if count == 0 {
            return Ok(0);
        }
        request.extend_from_slice(b"]}");
        let request = String::from_utf8_lossy(&request).into_owned();
        let sent = inner.process.send(request, self.longest());
        sent.map_err(|failure| failed(&self.name, failure))?;
        inner.under_way = Some((number, count));
        Ok(count)
    }

    /// Takes the answer to the request under way; how many states it was about.
    fn receive(&self, inner: &mut Inner) -> Result<usize, Failure> {
        let Some((number, count)) = inner.under_way.take() else { return Ok(0) };
        let received = inner.process.receive(&self.budget);
        let line = received.map_err(|failure| failed(&self.name, failure))?;
        let mut answers = Vec::new();
        let Inner { reader, schema, labels, state, checker, .. } = inner;
        let read = read_answer(&line, number, "successors", |text| {
            let mut answer = Answer::new();
            text.list("the list of successors of a state", |text| {
                reader.successor(text, schema, state)?;
                checker.state(schema, state);
                let action = reader.label.action;
                let label = labels.number(reader.label.finish(), action);
                let mut packed = Packed::new();
                state.pack(&mut packed);
                answer.push((label, packed));
                Ok(())
            })?;
            answers.push(answer);
            Ok(())
        });
        read.map_err(|wrong| self.malformed(&line, number, &wrong))?;
        if answers.len() != count {
            let given = answers.len();
            let text =
                format!("request {number} had {count} states, and the answer is about {given}");
            return Err(failed(&self.name, ProgramFailure::Malformed(text)));
        }
        inner.received += answers.iter().map(|answer| answer.len() as u64).sum::<u64>();
        inner.answers.extend(answers);
        Ok(count)
    }

    fn malformed(&self, line: &str, number: u64, wrong: &super::text::Wrong) -> Failure {
        let source = Source::new(format!("{}, answer {number}", self.name), line);
        let text = source.error(wrong.span, wrong.message.as_str()).to_string();
        Failure::Model(printable(&text).into_owned())
    }

    /// The transitions of a state, tested.
    fn load(&self, inner: &mut Inner, packed: &[u8], answer: &Answer) -> Result<Expanded, Failure> {
        let places = inner.schema.places.len();
        let mut expanded = std::mem::take(&mut inner.expanded);
        expanded.clear();
        expanded.state.unpack(packed, places);
        for (label, to) in answer {
            let target = expanded.push();
            inner.labels.read(*label, &mut target.label);
            target.state.unpack(to, places);
        }
        let Inner { checker, schema, .. } = inner;
        checker.expanded(schema, &mut expanded)?;
        Ok(expanded)
    }

    /// Assumption 3 on second states of classes, once the search is done.
    pub fn compare_members(&self, store: &ArenaStore) -> Result<(), Failure> {
        let mut inner = self.inner();
        self.receive(&mut inner)?;
        inner.answers.clear();
        let mut keys = Keys::within(&self.budget);
        let (mut key, mut pairs) = (Vec::new(), Vec::new());
        for packed in std::mem::take(&mut inner.members.others) {
            let Inner { state, schema, first, .. } = &mut *inner;
            state.unpack(&packed, schema.places.len());
            keys.key(&schema.places, self.relations, state, &mut key)?;
            let class = store.find(&key, key_hash(&key)).and_then(|id| first.get(id as usize));
            if let Some(first) = class.filter(|first| **first != packed) {
                pairs.push((first.clone(), packed));
            }
        }
        for batch in pairs.chunks(BATCH / 2) {
            self.compare_batch(&mut inner, batch)?;
        }
        Ok(())
    }

    fn compare_batch(&self, inner: &mut Inner, pairs: &[(Packed, Packed)]) -> Result<(), Failure> {
        let all: Vec<&Packed> = pairs.iter().flat_map(|(first, other)| [first, other]).collect();
        let mut sent = 0;
        while sent < all.len() {
            sent += self.send(inner, all[sent..].iter().copied())?;
            self.receive(inner)?;
        }
        for (first, other) in pairs {
            let answers = (inner.answers.pop_front(), inner.answers.pop_front());
            let (Some(of_first), Some(of_other)) = answers else { return Ok(()) };
            // the first state was tested during the search
            let before = inner.checker.assumptions.clone().map(|assumption| assumption.tests);
            let one = self.load(inner, first, &of_first)?;
            for (assumption, tests) in inner.checker.assumptions.iter_mut().zip(before) {
                assumption.tests = tests;
            }
            let two = self.load(inner, other, &of_other)?;
            let Inner { checker, schema, .. } = &mut *inner;
            checker.equivalent(schema, &one, &two);
            inner.expanded = one;
        }
        Ok(())
    }

    /// Ends the program.
    pub fn finish(self) -> Explored {
        let inner = self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Inner { schema, labels, first, received, transitions, checker, .. } = inner;
        Explored { schema, labels, first, received, transitions, checker }
    }
}

/// Reads `{"id": n, FIELD: [ … ]}`.
fn read_answer(
    line: &str,
    number: u64,
    field: &str,
    mut item: impl FnMut(&mut Text<'_>) -> Read<()>,
) -> Read<()> {
    let names = ["id", field];
    let (mut text, mut seen) = (Text::new(line), Seen::default());
    text.object("an answer", |text, name, span| match seen.field(text, &names, name, span)? {
        0 => {
            text.peek();
            let start = text.at();
            match text.integer("the number of the request")? == i128::from(number) {
                true => Ok(()),
                false => Err(text.wrong(
                    start,
                    text.at(),
                    format!("expected the number of the request, {number}"),
                )),
            }
        }
        _ => text.list("a list", &mut item),
    })?;
    seen.require(&text, &names, 0, 0)?;
    seen.require(&text, &names, 1, 0)?;
    text.end()
}

fn failed(name: &str, failure: ProgramFailure) -> Failure {
    match failure {
        ProgramFailure::Time => Failure::Limit(Exhausted::Time),
        ProgramFailure::Interrupted => Failure::Limit(Exhausted::Interrupted),
        other => {
            let text = format!("the program `{name}`: {other}");
            Failure::Model(printable(&text).into_owned())
        }
    }
}

impl Model for Program {
    type State = Packed;
    type Worker = ();

    fn worker(&self) {}

    fn initial(&self, _: &mut (), out: &mut Successors<Packed>) -> Result<(), Failure> {
        let inner = &mut *self.inner();
        let number = inner.process.next_number();
        let request = format!("{{\"id\":{number},\"initial\":true}}");
        let received = inner.process.exchange(request, self.longest(), &self.budget);
        let line = received.map_err(|failure| failed(&self.name, failure))?;
        let Inner { reader, schema, state, checker, received, .. } = inner;
        let read = read_answer(&line, number, "states", |text| {
            reader.state(text, schema, state)?;
            checker.state(schema, state);
            *received += 1;
            let packed = out.push(0);
            packed.clear();
            state.pack(packed);
            Ok(())
        });
        read.map_err(|wrong| self.malformed(&line, number, &wrong))?;
        match out.is_empty() {
            true => {
                let text = "it gave no initial state".to_string();
                Err(failed(&self.name, ProgramFailure::Malformed(text)))
            }
            false => Ok(()),
        }
    }

    fn announce(&self, _: &mut (), next: &VecDeque<Packed>) -> Result<usize, Failure> {
        let inner = &mut *self.inner();
        if inner.under_way.is_none() {
            self.send(inner, next.iter())?;
        }
        let count = self.receive(inner)?;
        // what comes after is asked for while this is worked through
        self.send(inner, next.iter().skip(count))?;
        Ok(count)
    }

    fn successors(
        &self,
        _: &mut (),
        state: &Packed,
        out: &mut Successors<Packed>,
    ) -> Result<(), Failure> {
        let inner = &mut *self.inner();
        let lost = || Failure::Model("a state was not announced; this is a bug".into());
        let answer = inner.answers.pop_front().ok_or_else(lost)?;
        inner.transitions += answer.len() as u64;
        inner.expanded = self.load(inner, state, &answer)?;
        inner.first.push(state.clone());
        for (label, mut packed) in answer {
            std::mem::swap(out.push(label), &mut packed);
        }
        Ok(())
    }
}

impl Canonizer<Packed> for Program {
    type Worker = (Keys, LtsState);

    fn worker(&self) -> (Keys, LtsState) {
        (Keys::within(&self.budget), LtsState::default())
    }

    fn key(
        &self,
        (keys, state): &mut (Keys, LtsState),
        packed: &Packed,
        key: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let inner = &mut *self.inner();
        state.unpack(packed, inner.schema.places.len());
        keys.key(&inner.schema.places, self.relations, state, key)?;
        inner.members.note(key, packed);
        Ok(())
    }

    fn decode(&self, _: &mut (Keys, LtsState), _: &[u8], _: &mut Packed) {}
}

impl Representatives for Explored {
    fn read(&self, _: &ArenaStore, id: Id, state: &mut LtsState) -> bool {
        let Some(packed) = self.first.get(id as usize) else { return false };
        state.unpack(packed, self.schema.places.len());
        true
    }
}
