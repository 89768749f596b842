//! Random `.tts` and `.spec` files against searches written for the purpose; most must be decided by both sides.

use pidlab_budget::Budget;
use pidlab_cover::CoverVerdict;
use pidlab_differential::{Coverability, Known, Machine, Question, Spec, Subject};
use pidlab_random::Rng;
use std::time::Duration;

/// Counts questions, and those of each answer.
#[derive(Default, Debug)]
struct Tally {
    asked: u32,
    safe: u32,
    unsafe_: u32,
    unknown: u32,
    oracle_open: u32,
}

impl Tally {
    fn count(&mut self, verdict: CoverVerdict, known: Known) {
        self.asked += 1;
        self.oracle_open += u32::from(known == Known::Open);
        match verdict {
            CoverVerdict::Safe => self.safe += 1,
            CoverVerdict::Unsafe => self.unsafe_ += 1,
            CoverVerdict::Unknown => self.unknown += 1,
        }
    }

    fn is_telling(&self) {
        println!("{self:?}");
        assert!(self.safe > self.asked / 10 && self.unsafe_ > self.asked / 10, "{self:?}");
        assert!(self.unknown + self.oracle_open < self.asked / 50, "{self:?}");
    }
}

fn ask(seed: u64, questions: u64, draw: impl Fn(&mut Rng) -> Question) {
    let mut tally = Tally::default();
    for number in 0..questions {
        let question = draw(&mut Rng::new(seed, number));
        let text = || {
            let files = Coverability.files(&question).into_iter();
            files.map(|(name, text)| format!("{name}: {}\n", String::from_utf8_lossy(&text)))
        };
        let what = |wrong| panic!("{wrong:?} in question {number}\n{}", text().collect::<String>());
        let budget = Budget::new(Some(Duration::from_secs(5)), Some(4 << 30));
        let verdict = question.decided(&budget).unwrap_or_else(what);
        tally.count(verdict, question.known().unwrap_or(Known::Open));
    }
    tally.is_telling();
}

fn threads(seed: u64, machines: u64) {
    ask(seed, machines, |rng| Question::Threads(Machine::random(rng)));
}

fn rules(seed: u64, files: u64) {
    ask(seed, files, |rng| Question::Rules(Spec::random(rng)));
}

#[test]
fn thread_transition_systems() {
    threads(7, 400);
}

#[test]
fn petri_nets_with_transfers_and_resets() {
    rules(8, 150);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p pidlab-differential -- --ignored"]
fn twenty_thousand_thread_transition_systems() {
    threads(10, 20_000);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p pidlab-differential -- --ignored"]
fn five_thousand_petri_nets() {
    rules(20, 5_000);
}
