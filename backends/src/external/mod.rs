//! `external:<command>`: any program, in any language, as a backend.
//!
//! The program is started once and asked over JSON Lines on its standard input and output; the protocol
//! is documented in docs/external-backends.md. It is killed when the time is over and started anew for
//! the next question, and never outlives us ([`lifeline`]). What it says is checked as far as it can be: an isomorphism or witness it gives
//! must be one, an "equivalent" without either is completed by our own exact backend, and whatever is
//! malformed is a failure that shows the program's last words on standard error.

mod answer;
mod cpu;
pub mod lifeline;
mod lines;
mod process;
pub mod python;
mod request;

pub use lifeline::end_with_parent;
pub use python::ADAPTERS;

use crate::backend::{
    Backend, DecidedBy, Decision, Exactness, Info, Place, Problem, Undecided, Verdict,
};
use crate::budget::{Budget, Exhausted};
use pidlab_core::printable::printable;
use process::{Process, ProcessFailure};
use request::ExternalQuestion;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A program that speaks the protocol.
pub struct External {
    name: String,
    source: String,
    command: Vec<String>,
    running: Mutex<Option<Process>>,
}

/// Where no time limit is given, a program may think this long over its greeting.
const GREETING_TIME: Duration = Duration::from_secs(60);
/// A name is not worth more.
const NAME_TIME: Duration = Duration::from_secs(10);

impl External {
    /// The backend `external:<command>`; the command is split at blanks, quotes keep blanks together.
    pub fn new(command: &str) -> Result<External, String> {
        let words = split_command(command)?;
        Ok(External {
            name: format!("external:{command}"),
            source: format!("the program `{}`", words[0]),
            command: words,
            running: Mutex::new(None),
        })
    }

    /// What the program calls itself in its greeting; nothing if it does not, or does not start.
    pub fn own_name(&self) -> Option<String> {
        let process = Process::start(&self.command, NAME_TIME, &Budget::unlimited()).ok()?;
        process.name().map(String::from)
    }

    /// The verdict; what is known of the times is left in `exchange`, whatever comes of it.
    fn ask(
        &self,
        question: &ExternalQuestion<'_>,
        exchange: &mut Exchange,
        budget: &Budget,
    ) -> Result<Verdict, ProcessFailure> {
        let mut slot = self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // taken out: after a failure the process is dropped, and with that killed
        let mut process = match slot.take() {
            Some(process) => process,
            None => {
                let time = budget.remaining().unwrap_or(GREETING_TIME);
                Process::start(&self.command, time, budget)?
            }
        };
        let number = process.next_number();
        let verdict = match question.to_json(number, process.wants(), budget) {
            Err(verdict) => verdict,
            Ok(request) => {
                exchange.decided_by = DecidedBy::Solver;
                let longest = longest_answer(&request, budget);
                let clocks = Clocks::start(&process);
                let answer = process.exchange(request, longest, budget);
                clocks.stop(&process, exchange);
                answer::judge(&answer?, number, question, exchange, budget)
                    .map_err(ProcessFailure::Malformed)?
            }
        };
        *slot = Some(process);
        Ok(verdict)
    }
}

impl Backend for External {
    fn info(&self) -> Info {
        Info {
            name: self.name.clone(),
            exactness: Exactness::Exact,
            source: self.source.clone(),
            unavailable: process::missing(&self.command[0]),
        }
    }

    fn ready(&self) {
        let mut slot = self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if slot.is_none() {
            // why it does not start is said when it is asked
            *slot = Process::start(&self.command, GREETING_TIME, &Budget::unlimited()).ok();
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let start = Instant::now();
        let question = ExternalQuestion::new(problem);
        let mut exchange = Exchange::none();
        let verdict = match self.ask(&question, &mut exchange, budget) {
            Ok(verdict) => verdict,
            Err(ProcessFailure::Time) => Exhausted::Time.into(),
            Err(ProcessFailure::Interrupted) => Exhausted::Interrupted.into(),
            Err(failure) => {
                let text = format!("{}: {failure}", self.name);
                Verdict::Undecided(Undecided::Failed(printable(&text).into_owned()))
            }
        };
        let (vertices, arcs) = question.size();
        if exchange.decided_by == DecidedBy::Encoder {
            return Decision::unbuilt(verdict, start.elapsed()).sized(vertices, arcs);
        }
        let Exchange { build, decide, decided_by, place } = exchange;
        Decision { verdict, build, decide, vertices, arcs, decided_by, place }
    }
}

/// Times of one question: of the program alone, without what making the request and checking the answer takes.
struct Exchange {
    build: Duration,
    decide: Duration,
    /// The encoder as long as the program has not been asked.
    decided_by: DecidedBy,
    place: Place,
}

impl Exchange {
    fn none() -> Exchange {
        let (build, decide) = (Duration::ZERO, Duration::ZERO);
        Exchange { build, decide, decided_by: DecidedBy::Encoder, place: Place::Here }
    }
}

/// Both clocks of a program when it is asked.
struct Clocks {
    cpu: Option<Duration>,
    wall: Instant,
}

impl Clocks {
    fn start(process: &Process) -> Clocks {
        let cpu = process.cpu();
        Clocks { cpu, wall: Instant::now() }
    }

    fn stop(self, process: &Process, exchange: &mut Exchange) {
        exchange.decide = self.wall.elapsed();
        exchange.place = match (self.cpu, process.cpu()) {
            (Some(before), Some(after)) => Place::Counted(after.saturating_sub(before)),
            _ => Place::Unknown,
        };
    }
}

/// What an answer can need: it names vertices or pids that the request names, on either side once, and
/// no number takes eight times the room that the shortest one takes there.
fn longest_answer(request: &str, budget: &Budget) -> usize {
    let needed = (1 << 20) + request.len().saturating_mul(8);
    let allowed = budget.memory_limit().and_then(|bytes| usize::try_from(bytes).ok());
    allowed.map_or(needed, |allowed| allowed.min(needed))
}

/// Words of a command line; '…' and "…" keep blanks.
fn split_command(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match (quote, words.is_empty()) {
        (Some(q), _) => Err(format!("the command `{command}` has an open quote {q}")),
        (None, true) => Err("external: needs a command, such as external:./my-program".to_string()),
        (None, false) => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::split_command;

    #[test]
    fn commands_are_split_at_blanks_outside_quotes() {
        assert_eq!(split_command("a  b 'c d' \"\"").unwrap(), ["a", "b", "c d", ""]);
        assert!(split_command("a 'b").is_err() && split_command("  ").is_err());
    }
}
