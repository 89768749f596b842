//! Reads the papers' notation; one pass, no recursion, every error with line and column.

use super::{continues_bare, starts_bare};
use crate::datum::Datum;
use crate::forest::TrieNode;
use crate::pid::{PidError, excerpt, parse_segments};
use crate::state::{BuildError, LocationKey, NewComponent, State, StateBuilder};
use pidlab_budget::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct TextError {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// What is wrong there.
    pub problem: TextProblem,
}

/// What can be wrong in a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextProblem {
    /// Another token than the grammar allows.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What may stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A location with two lists of vectors.
    #[error("location `{0}` occurs twice; write all its vectors after one name")]
    LocationTwice(String),
    /// A pid that is not one.
    #[error(transparent)]
    Pid(#[from] PidError),
    /// A number that could be a pid or an integer.
    #[error("`{0}` could be a pid or a number; write @{0} for a pid, {0}:COUNT for an active pid")]
    Ambiguous(String),
    /// An integer that does not fit.
    #[error("{0} does not fit in 64 bits; write larger numbers as strings")]
    TooLarge(String),
    /// A pid annotated with two different counts of children.
    #[error(
        "pid {pid} has count {second} here and count {first} in line {line}; one pid has one count"
    )]
    Conflict {
        /// The pid.
        pid: String,
        /// The count given first.
        first: u64,
        /// The count given now.
        second: u64,
        /// Where the first one stands.
        line: usize,
    },
    /// A string with a wrong escape sequence.
    #[error("the string is broken: {0}")]
    String(String),
    /// What a [`StateBuilder`] refuses.
    #[error(transparent)]
    Build(#[from] BuildError),
}

fn no_count(number: &Datum) -> TextProblem {
    let expected = "an active pid with its count, such as 5:0";
    TextProblem::Unexpected { expected, found: format!("`{number}`") }
}

/// Reads one state.
pub fn parse_state(text: &str) -> Result<State, TextError> {
    parse_state_within(text, &Budget::unlimited())
}

/// The same within limits: one that is reached is a [`BuildError::Limit`].
pub fn parse_state_within(text: &str, budget: &Budget) -> Result<State, TextError> {
    let mut reader = Reader::new(text, budget);
    reader.state()?;
    reader.builder.finish().map_err(|error| TextError {
        line: 1,
        column: 1,
        problem: TextProblem::Build(error),
    })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    builder: StateBuilder,
    seen: FxHashSet<String>,
    /// Count of each active pid, and where it was given first.
    counts: FxHashMap<TrieNode, (u64, usize)>,
    segments: Vec<u64>,
}

type Step<T> = Result<T, (usize, TextProblem)>;

impl<'t> Reader<'t> {
    fn new(text: &'t str, budget: &Budget) -> Reader<'t> {
        Reader {
            text,
            at: 0,
            builder: StateBuilder::within(budget),
            seen: FxHashSet::default(),
            counts: FxHashMap::default(),
            segments: Vec::new(),
        }
    }

    fn state(&mut self) -> Result<(), TextError> {
        let mut location = None;
        loop {
            match self.item(&mut location) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err((at, problem)) => return Err(self.locate(at, problem)),
            }
        }
    }

    fn locate(&self, at: usize, problem: TextProblem) -> TextError {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = 1 + before.matches('\n').count();
        TextError { line, column: 1 + before[line_start..].chars().count(), problem }
    }

    /// One vector, or the head of the next location; `false` at the end of the text.
    fn item(&mut self, location: &mut Option<LocationKey>) -> Step<bool> {
        self.blanks();
        match (self.peek(), *location) {
            (None, _) => Ok(false),
            (Some('<' | '⟨'), Some(key)) => self.vector(key).map(|()| true),
            (Some('@'), _) => self.outside_sigma(location).map(|()| true),
            (Some(c), _) if c == '"' || starts_bare(c) => {
                *location = Some(self.head()?);
                Ok(true)
            }
            (Some(_), None) => self.unexpected("a location name"),
            (Some(_), Some(_)) => self.unexpected("a vector <…> or a location name"),
        }
    }

    fn head(&mut self) -> Step<LocationKey> {
        let start = self.at;
        let name = self.name()?;
        self.blanks();
        self.expect(':', "`:` after the location name")?;
        if !self.seen.insert(name.clone()) {
            return Err((start, TextProblem::LocationTwice(excerpt(&name))));
        }
        Ok(self.builder.location(&name))
    }

    fn name(&mut self) -> Step<String> {
        if self.peek() == Some('"') {
            return self.string();
        }
        Ok(self.take_while(continues_bare).to_string())
    }

    /// `@eta : 5:0 4.1:2`, active pids that do not occur in σ.
    fn outside_sigma(&mut self, location: &mut Option<LocationKey>) -> Step<()> {
        if !self.rest().starts_with("@eta") {
            return self.unexpected("a vector <…>, a location name or @eta");
        }
        self.at += "@eta".len();
        self.blanks();
        self.expect(':', "`:` after @eta")?;
        *location = None;
        loop {
            self.blanks();
            self.accept(',');
            self.blanks();
            let start = self.at;
            match self.peek() {
                Some(c) if c.is_ascii_digit() => match self.number()? {
                    NewComponent::Pid(_) => {}
                    NewComponent::Data(number) => return Err((start, no_count(&number))),
                },
                _ => return Ok(()),
            }
        }
    }

    fn vector(&mut self, location: LocationKey) -> Step<()> {
        self.bump();
        let mut entries = Vec::new();
        self.blanks();
        while !self.accept('>') && !self.accept('⟩') {
            if !entries.is_empty() {
                self.expect(',', "`,` or `>`")?;
                self.blanks();
            }
            entries.push(self.component()?);
            self.blanks();
        }
        self.builder.vector(location, entries);
        self.builder.poll().map_err(|limit| (self.at, BuildError::Limit(limit).into()))
    }

    fn component(&mut self) -> Step<NewComponent> {
        match self.peek() {
            Some('@') => self.marked_pid(),
            Some('"') => Ok(NewComponent::Data(Datum::Str(self.string()?.into()))),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some('-') => self.negative(),
            Some(c) if starts_bare(c) => {
                Ok(NewComponent::Data(match self.take_while(continues_bare) {
                    "true" => Datum::Bool(true),
                    "false" => Datum::Bool(false),
                    word => Datum::Str(word.into()),
                }))
            }
            _ => self.unexpected("a pid, string, integer or boolean"),
        }
    }

    /// `@2.1`, with or without a count.
    fn marked_pid(&mut self) -> Step<NewComponent> {
        let start = self.at;
        self.bump();
        let digits = self.take_while(|c| c.is_ascii_digit() || c == '.');
        let entry = self.pid(start, digits)?;
        self.count(start, &entry)?;
        Ok(entry)
    }

    /// `2.1:0` is a pid, `2` is data, `2.1` alone is refused.
    fn number(&mut self) -> Step<NewComponent> {
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit() || c == '.');
        if self.peek() == Some(':') {
            let entry = self.pid(start, digits)?;
            self.count(start, &entry)?;
            return Ok(entry);
        }
        if digits.contains('.') {
            return Err((start, TextProblem::Ambiguous(excerpt(digits))));
        }
        self.integer(start, digits.parse::<u64>().map(i128::from))
    }

    fn negative(&mut self) -> Step<NewComponent> {
        let start = self.at;
        self.bump();
        self.take_while(|c| c.is_ascii_digit());
        if self.at == start + 1 {
            return self.unexpected("a digit after `-`");
        }
        self.integer(start, self.text[start..self.at].parse::<i64>().map(i128::from))
    }

    fn integer<E>(&self, start: usize, value: Result<i128, E>) -> Step<NewComponent> {
        let too_large = || (start, TextProblem::TooLarge(excerpt(&self.text[start..self.at])));
        value.map(|value| NewComponent::Data(Datum::Int(value))).map_err(|_| too_large())
    }

    fn pid(&mut self, start: usize, digits: &str) -> Step<NewComponent> {
        parse_segments(digits, &mut self.segments).map_err(|e| (start, e.into()))?;
        Ok(self.builder.pid(&self.segments))
    }

    /// The count after a pid, if there is one.
    fn count(&mut self, start: usize, entry: &NewComponent) -> Step<()> {
        if !self.accept(':') {
            return Ok(());
        }
        let digits = self.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return self.unexpected("the number of children created, after `:`");
        }
        let too_large = |_| (start, TextProblem::TooLarge(excerpt(digits)));
        let created = digits.parse::<u64>().map_err(too_large)?;
        let NewComponent::Pid(node) = entry else { return Ok(()) };
        self.record(start, *node, created)
    }

    fn record(&mut self, start: usize, node: TrieNode, created: u64) -> Step<()> {
        match self.counts.get(&node) {
            None => {
                self.counts.insert(node, (created, start));
                self.builder.active(&self.segments, created).map_err(|e| (start, e.into()))
            }
            Some(&(first, _)) if first == created => Ok(()),
            Some(&(first, at)) => {
                let pid = excerpt(self.text[start..self.at].trim_start_matches('@'));
                let pid = pid.split(':').next().unwrap_or_default().to_string();
                let line = 1 + self.text[..at].matches('\n').count();
                Err((start, TextProblem::Conflict { pid, first, second: created, line }))
            }
        }
    }

    /// A string in JSON's quotes and escapes.
    fn string(&mut self) -> Step<String> {
        let start = self.at;
        let mut strings = serde_json::Deserializer::from_str(self.rest()).into_iter::<String>();
        match strings.next() {
            Some(Ok(text)) => {
                self.at = start + strings.byte_offset();
                Ok(text)
            }
            Some(Err(error)) => Err((start, TextProblem::String(error.to_string()))),
            None => self.unexpected("a string"),
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, wanted: char, expected: &'static str) -> Step<()> {
        if self.accept(wanted) { Ok(()) } else { self.unexpected(expected) }
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Skips white space and comments.
    fn blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if self.peek() != Some('#') {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn unexpected<T>(&self, expected: &'static str) -> Step<T> {
        let found = match self.peek() {
            None => "the end of the text".to_string(),
            Some(c) => format!("`{c}`"),
        };
        Err((self.at, TextProblem::Unexpected { expected, found }))
    }
}
