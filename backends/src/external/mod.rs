//! `external:<command>`: any program, in any language, as a backend.
//!
//! The program is started once and asked over JSON Lines on its standard input and output; the protocol
//! is documented in docs/external-backends.md. It is killed when the time is over and started anew for
//! the next question, and never outlives us ([`lifeline`]). What it says is checked as far as it can be: an isomorphism or witness it gives
//! must be one, an "equivalent" without either is completed by our own exact backend, and whatever is
//! malformed is a failure that shows the program's last words on standard error.

mod answer;
mod cpu;
mod greeting;
pub mod lifeline;
mod lines;
pub mod program;
pub mod python;
mod request;

pub use lifeline::end_with_parent;
pub use lines::{LineRead, LineReader};
pub use program::{Program, ProgramFailure};
pub use python::ADAPTERS;

use crate::backend::{
    Backend, DecidedBy, Decision, Exactness, Info, Place, Problem, Undecided, Verdict,
};
use crate::budget::{Budget, Exhausted};
use greeting::Wants;
use pidlab_core::printable::printable;
use request::ExternalQuestion;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// A program that speaks the protocol.
pub struct External {
    name: String,
    source: String,
    command: Vec<String>,
    running: Mutex<Option<Running>>,
    /// Why it is not asked again: it said nothing, or greets as something else.
    given_up: OnceLock<String>,
}

/// The program, and what it wants to be sent.
struct Running {
    program: Program,
    wants: Wants,
}

/// Where no time limit is given, a program may think this long over its greeting.
pub const GREETING_TIME: Duration = Duration::from_secs(60);
/// A name is not worth more.
const NAME_TIME: Duration = Duration::from_secs(10);

impl External {
    /// The backend `external:<command>`; the command is split at blanks, quotes keep blanks together.
    pub fn new(command: &str) -> Result<External, String> {
        let words = split_command(command)?;
        let source = format!("the program `{}`", words[0]);
        Ok(External::of_words(format!("external:{command}"), source, words))
    }

    fn of_words(name: String, source: String, command: Vec<String>) -> External {
        let (running, given_up) = (Mutex::new(None), OnceLock::new());
        External { name, source, command, running, given_up }
    }

    /// What the program calls itself in its greeting; nothing if it does not, or does not start.
    pub fn own_name(&self) -> Option<String> {
        let started = Program::start(&self.command, None, NAME_TIME, &Budget::unlimited());
        greeting::read(&started.ok()?.1).ok()?.1
    }

    /// The verdict; what is known of the times is left in `exchange`, whatever comes of it.
    fn ask(
        &self,
        question: &ExternalQuestion<'_>,
        exchange: &mut Exchange,
        budget: &Budget,
    ) -> Result<Verdict, ProgramFailure> {
        let mut slot = self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // taken out: after a failure the process is dropped, and with that killed
        let mut running = match (slot.take(), self.given_up.get()) {
            (Some(running), _) => running,
            (None, Some(why)) => return Err(ProgramFailure::Malformed(why.clone())),
            (None, None) => self.start(budget.remaining().unwrap_or(GREETING_TIME), budget)?,
        };
        let program = &mut running.program;
        let number = program.next_number();
        let verdict = match question.to_json(number, running.wants, budget) {
            Err(verdict) => verdict,
            Ok(request) => {
                exchange.decided_by = DecidedBy::Solver;
                let longest = longest_answer(&request, budget);
                let clocks = Clocks::start(program);
                let answer = program.exchange(request, longest, budget);
                clocks.stop(program, exchange);
                answer::judge(&answer?, number, question, exchange, budget)
                    .map_err(ProgramFailure::Malformed)?
            }
        };
        *slot = Some(running);
        Ok(verdict)
    }

    /// A program whose greeting is wrong is not started again.
    fn start(&self, time: Duration, budget: &Budget) -> Result<Running, ProgramFailure> {
        let (program, greeting) = Program::start(&self.command, None, time, budget)?;
        match greeting::read(&greeting) {
            Ok((wants, _)) => Ok(Running { wants, program }),
            Err(failure) => {
                self.given_up.set(failure.to_string()).ok();
                Err(failure)
            }
        }
    }
}

impl Backend for External {
    fn info(&self) -> Info {
        Info {
            name: self.name.clone(),
            exactness: Exactness::Exact,
            source: self.source.clone(),
            unavailable: program::missing(&self.command[0]),
        }
    }

    /// The program answers one question after the other.
    fn is_parallel(&self) -> bool {
        false
    }

    fn ready(&self, patience: Duration) {
        let mut slot = self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if slot.is_none() && self.given_up.get().is_none() {
            let patience = patience.min(GREETING_TIME);
            // why it does not start is said when it is asked
            match self.start(patience, &Budget::unlimited()) {
                Ok(running) => *slot = Some(running),
                Err(ProgramFailure::Time) => drop(self.given_up.set(silence(patience))),
                Err(_) => (),
            }
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let start = Instant::now();
        let question = ExternalQuestion::new(problem);
        let mut exchange = Exchange::none();
        let verdict = match self.ask(&question, &mut exchange, budget) {
            Ok(verdict) => verdict,
            Err(ProgramFailure::Time) => Exhausted::Time.into(),
            Err(ProgramFailure::Interrupted) => Exhausted::Interrupted.into(),
            Err(failure) => {
                let text = format!("{}: {failure}", self.name);
                Verdict::Undecided(Undecided::Failed(printable(&text).into_owned()))
            }
        };
        let (vertices, arcs) = exchange.size.unwrap_or_else(|| question.size());
        if exchange.decided_by == DecidedBy::Encoder {
            return Decision::unbuilt(verdict, start.elapsed()).sized(vertices, arcs);
        }
        let Exchange { build, decide, decided_by, place, .. } = exchange;
        Decision { verdict, build, decide, vertices, arcs, decided_by, place }
    }
}

/// Of a program that has been given its time and has not said what it is: no question of limits of a row.
fn silence(waited: Duration) -> String {
    format!("it has said nothing for {} s; {}", waited.as_secs_f64(), greeting::expected())
}

/// What a conversation comes to, without a program: a greeting, request number 1 about `problem`, and the answer to
/// it. The readers alone, for tests of what programs may say.
pub fn read_conversation(
    greeting: &str,
    answer: &str,
    problem: Problem<'_>,
    budget: &Budget,
) -> Result<Verdict, String> {
    let (wants, _) = greeting::read(greeting).map_err(|failure| failure.to_string())?;
    let question = ExternalQuestion::new(problem);
    match question.to_json(1, wants, budget) {
        Err(verdict) => Ok(verdict),
        Ok(_) => answer::judge(answer, 1, &question, &mut Exchange::none(), budget),
    }
}

/// Times of one question: of the program alone, without what making the request and checking the answer takes.
struct Exchange {
    build: Duration,
    decide: Duration,
    /// The encoder as long as the program has not been asked.
    decided_by: DecidedBy,
    place: Place,
    /// Vertices and arcs of the program's own graph of one side, where it tells.
    size: Option<(usize, usize)>,
}

impl Exchange {
    fn none() -> Exchange {
        let (build, decide) = (Duration::ZERO, Duration::ZERO);
        let (decided_by, place) = (DecidedBy::Encoder, Place::Here);
        Exchange { build, decide, decided_by, place, size: None }
    }
}

/// Both clocks of a program when it is asked.
struct Clocks {
    cpu: Option<Duration>,
    wall: Instant,
}

impl Clocks {
    fn start(program: &Program) -> Clocks {
        let cpu = program.cpu();
        Clocks { cpu, wall: Instant::now() }
    }

    fn stop(self, program: &Program, exchange: &mut Exchange) {
        exchange.decide = self.wall.elapsed();
        exchange.place = match (self.cpu, program.cpu()) {
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
pub fn split_command(command: &str) -> Result<Vec<String>, String> {
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
        (None, true) => Err("a program needs a command, such as ./my-program".to_string()),
        (None, false) => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::{External, read_conversation, split_command};
    use crate::backend::{Backend, GraphKind, Problem, Undecided, Verdict};
    use crate::budget::Budget;
    use pidlab_core::{Relations, text::parse_state};
    use std::time::Duration;

    #[test]
    fn times_whose_sum_cannot_be_held_are_refused() {
        let state = parse_state("L : <1:0> <2:0>").unwrap();
        let (relations, graph) = (Relations::default(), GraphKind::Corrected);
        let problem = Problem { q: &state, r: &state, relations, graph };
        let greeting = r#"{"format":"pidlab-external/2","wants":["states"]}"#;
        let answer =
            r#"{"id":1,"equivalent":false,"build_seconds":1.8e19,"decide_seconds":1.8e19}"#;
        let read = read_conversation(greeting, answer, problem, &Budget::unlimited());
        let problem = read.unwrap_err();
        assert!(problem.contains("it says that building and deciding took"), "{problem}");
    }

    #[test]
    fn a_program_that_never_greets_fails() {
        let state = parse_state("L : <1:0>").unwrap();
        let (relations, graph) = (Relations::default(), GraphKind::Corrected);
        let problem = Problem { q: &state, r: &state, relations, graph };
        let program = External::new("sleep 100").unwrap();
        program.ready(Duration::from_millis(100));
        match program.decide(problem, &Budget::unlimited()).verdict {
            Verdict::Undecided(Undecided::Failed(text)) => {
                assert!(text.contains("nothing for 0.1 s; its first line must be"), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn commands_are_split_at_blanks_outside_quotes() {
        assert_eq!(split_command("a  b 'c d' \"\"").unwrap(), ["a", "b", "c d", ""]);
        assert!(split_command("a 'b").is_err() && split_command("  ").is_err());
    }
}
