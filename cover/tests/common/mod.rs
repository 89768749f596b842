//! Helpers shared by the tests.
#![allow(dead_code)]

pub mod programs;

use pidlab_cover::check::{Model, check_answer};
use pidlab_cover::{Budget, CoverVerdict, Document, Net, SolveOptions, solve_question};
use pidlab_random::split_mix;
use std::collections::BTreeSet;
use std::time::Duration;

macro_rules! model {
    ($name:literal, $expected:ident) => {
        ($name, CoverVerdict::$expected, include_str!(concat!("../../../models/", $name)))
    };
}

/// Name, verdict it must have, and source of every Rockall model.
pub const ROCKALL: [(&str, CoverVerdict, &str); 11] = [
    model!("rockall.bp", Safe),
    model!("rockall-strict.bp", Safe),
    model!("rockall-no-find-lock.bp", Safe),
    model!("rockall-no-newpage-lock.bp", Safe),
    model!("rockall-no-lock-B0_New.bp", Unsafe),
    model!("rockall-no-lock-B0_Delete.bp", Unsafe),
    model!("rockall-no-lock-FetchFromB1.bp", Unsafe),
    model!("rockall-no-lock-B1_New.bp", Unsafe),
    model!("rockall-no-lock-GiveToB1.bp", Unsafe),
    model!("rockall-no-lock-B1_Delete.bp", Unsafe),
    model!("rockall-no-subdivided-check.bp", Unsafe),
];

/// Tests replay from their seeds.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = split_mix(self.0, 1);
        (self.0 % u64::from(bound)) as u32
    }
}

/// A parsed net in the checker's terms.
pub fn model_of(net: &Net) -> Model {
    Model::of_net(net, &Budget::unlimited()).expect("there is no limit")
}

/// Runs an algorithm with a time limit and checks the answer once more, through its JSON form.
pub fn answer(net: &Net, algorithm: &str, seconds: f64, reduce: bool) -> Document {
    answer_about(net, &model_of(net), algorithm, seconds, reduce)
}

/// As [`answer`], checked against the given reading of the question.
pub fn answer_about(
    net: &Net,
    model: &Model,
    algorithm: &str,
    seconds: f64,
    reduce: bool,
) -> Document {
    let budget = Budget::new(Some(Duration::from_secs_f64(seconds)), Some(4 << 30));
    let options = SolveOptions { algorithm: algorithm.into(), budget, reduce };
    let document =
        solve_question(net, model, &options).unwrap_or_else(|e| panic!("{algorithm}: {e}"));
    let text = serde_json::to_string(&document).unwrap();
    let read: Document = serde_json::from_str(&text).unwrap();
    let claims = check_answer(model, &read, &Budget::unlimited())
        .unwrap_or_else(|e| panic!("{algorithm}: {e}"));
    assert_eq!(claims, document.verdict != CoverVerdict::Unknown);
    document
}

/// What a simple search found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Safe,
    Unsafe,
    /// Too large for it.
    Open,
}

/// All ways to choose one of the options of each, as numbers of those that chose each place.
pub fn product(
    places: usize,
    options: impl IntoIterator<Item = BTreeSet<u32>>,
) -> BTreeSet<Vec<u32>> {
    let mut ways = BTreeSet::from([vec![0; places]]);
    for options in options {
        let with = |way: &Vec<u32>, place: u32| {
            let mut way = way.clone();
            way[place as usize] += 1;
            way
        };
        ways = ways.iter().flat_map(|way| options.iter().map(|&p| with(way, p))).collect();
    }
    ways
}
