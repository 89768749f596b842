//! Random `.tts` and `.spec` files against searches written for the purpose: what every algorithm
//! says is right, both readers read the same, and every answer passes the checker's own reading.

mod common;

use common::rules::Spec;
use common::threads::Machine;
use common::{Known, Random, answer_about, model_of};
use pidlab_cover::check::Model;
use pidlab_cover::parse::{spec, tts};
use pidlab_cover::{Budget, CoverVerdict, Net, Source};

const OTHERS: [&str; 6] = ["backward", "mp", "beacon", "beacon:bfs", "karp-miller", "bounded:2"];

/// Runs everything on one question; returns the verdict of `auto`.
fn decide(net: &Net, model: &Model, known: Known, what: &str) -> CoverVerdict {
    assert_eq!(*model, model_of(net), "the readers differ: {what}");
    let expected = match known {
        Known::Safe => CoverVerdict::Safe,
        Known::Unsafe => CoverVerdict::Unsafe,
        Known::Open => CoverVerdict::Unknown,
    };
    let ask = |algorithm: &str, seconds: f64, reduce: bool| {
        let found = answer_about(net, model, algorithm, seconds, reduce).verdict;
        let open = found == CoverVerdict::Unknown || expected == CoverVerdict::Unknown;
        assert!(open || found == expected, "{algorithm}: {found:?}, known {known:?}: {what}");
        found
    };
    let verdict = ask("auto", 5.0, true);
    for algorithm in OTHERS {
        for reduce in [true, false] {
            let found = ask(algorithm, 0.05, reduce);
            let open = found == CoverVerdict::Unknown || verdict == CoverVerdict::Unknown;
            assert!(open || found == verdict, "{algorithm}: {found:?}, not {verdict:?}: {what}");
        }
    }
    verdict
}

/// Counts questions, and those of each answer; most must be decided by both sides.
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

fn threads(seed: u64, machines: u32) {
    let mut tally = Tally::default();
    for number in 0..machines {
        let machine = Machine::random(&mut Random(seed + u64::from(number)));
        let (text, property) = (machine.text(), machine.property());
        let start = machine.start();
        let lossy = String::from_utf8_lossy(&text);
        let what = format!("machine {number}\n{lossy}target {property}, start {start:?}");
        let mut net = tts::parse(&lossy, &property).unwrap_or_else(|e| panic!("{e}: {what}"));
        if let Some(start) = &start {
            tts::set_start(&mut net, &Source::new("start", start)).unwrap();
        }
        let model =
            Model::read_tts(&text, property.as_bytes(), start.as_deref(), &Budget::unlimited())
                .unwrap();
        let known = machine.known();
        tally.count(decide(&net, &model, known, &what), known);
    }
    tally.is_telling();
}

fn rules(seed: u64, files: u32) {
    let mut tally = Tally::default();
    for number in 0..files {
        let file = Spec::random(&mut Random(seed + u64::from(number)));
        let text = file.text();
        let lossy = String::from_utf8_lossy(&text);
        let what = format!("file {number}\n{lossy}");
        let net = spec::parse(&lossy).unwrap_or_else(|e| panic!("{e}: {what}"));
        let model =
            Model::read_spec(&text, &Budget::unlimited()).unwrap_or_else(|e| panic!("{e}: {what}"));
        let known = file.known();
        tally.count(decide(&net, &model, known, &what), known);
    }
    tally.is_telling();
}

#[test]
fn thread_transition_systems() {
    threads(700_000, 400);
}

#[test]
fn petri_nets_with_transfers_and_resets() {
    rules(800_000, 150);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p pidlab-cover -- --ignored"]
fn twenty_thousand_thread_transition_systems() {
    threads(1_000_000, 20_000);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p pidlab-cover -- --ignored"]
fn five_thousand_petri_nets() {
    rules(2_000_000, 5_000);
}
