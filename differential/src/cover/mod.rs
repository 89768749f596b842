//! Coverability questions as `.tts` and `.spec` files: every algorithm, with reductions and without, against
//! searches that take the files literally; both readers read the same, and every answer passes the checker.

mod rules;
mod threads;

pub use rules::Spec;
pub use threads::Machine;

use crate::{Agreement, Contradiction, File, Subject};
use pidlab_budget::Budget;
use pidlab_cover::check::{Model, check_answer};
use pidlab_cover::parse::{spec, tts};
use pidlab_cover::{CoverVerdict, Document, Net, SolveOptions, Source, solve_question};
use pidlab_random::Rng;
use std::collections::BTreeSet;
use std::time::Duration;

const OTHERS: [&str; 7] =
    ["backward", "mp", "directed", "beacon", "beacon:bfs", "karp-miller", "bounded:2"];
/// For all but `auto`: most answers take less than a millisecond, and some algorithms never end.
const PATIENCE: Duration = Duration::from_millis(50);

/// What a simple search found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The target cannot be covered.
    Safe,
    /// It can.
    Unsafe,
    /// Too large for it.
    Open,
}

/// Coverability questions.
pub struct Coverability;

/// A question in one of two formats.
#[derive(Clone, Debug)]
pub enum Question {
    /// A `.tts` with its `.prop`.
    Threads(Machine),
    /// A `.spec`.
    Rules(Spec),
}

impl Subject for Coverability {
    type Case = Question;

    fn draw(&self, rng: &mut Rng) -> Option<Question> {
        Some(match rng.index(4) {
            0 => Question::Rules(Spec::random(rng)),
            _ => Question::Threads(Machine::random(rng)),
        })
    }

    fn hold_against_each_other(&self, case: &Question, budget: &Budget) -> Agreement {
        let (net, model) = case.read()?;
        let same = Model::of_net(&net, budget).map_or(true, |own| own == model);
        if !same {
            return Err(Contradiction::new("readers", "the two readers read different questions"));
        }
        decide(&net, &model, case.known()?, budget).map(|(_, comparisons)| comparisons)
    }

    fn shrink(&self, case: &Question, still_wrong: &mut dyn FnMut(&Question) -> bool) -> Question {
        match case {
            Question::Threads(machine) => Question::Threads(
                machine.shrink(&mut |machine| still_wrong(&Question::Threads(machine))),
            ),
            Question::Rules(file) => {
                Question::Rules(file.shrink(&mut |file| still_wrong(&Question::Rules(file))))
            }
        }
    }

    fn files(&self, case: &Question) -> Vec<File> {
        match case {
            Question::Rules(file) => vec![("question.spec".into(), file.text())],
            Question::Threads(machine) => {
                let mut files = vec![
                    ("question.tts".into(), machine.text()),
                    ("question.prop".into(), machine.property().into_bytes()),
                ];
                let start = machine.start().map(String::into_bytes);
                files.extend(start.map(|start| ("init.txt".to_string(), start)));
                files
            }
        }
    }
}

impl Question {
    /// The net, and the question as the checker's own reader understands it.
    fn read(&self) -> Result<(Net, Model), Contradiction> {
        let wrong = |message: String| Contradiction::new("unreadable", message);
        let unlimited = Budget::unlimited();
        match self {
            Question::Threads(machine) => {
                let (text, property, start) = (machine.text(), machine.property(), machine.start());
                let lossy = String::from_utf8_lossy(&text);
                let mut net = tts::parse(&lossy, &property).map_err(|e| wrong(e.to_string()))?;
                if let Some(start) = &start {
                    tts::set_start(&mut net, &Source::new("start", start))
                        .map_err(|e| wrong(e.to_string()))?;
                }
                let start = start.as_deref();
                let model = Model::read_tts(&text, property.as_bytes(), start, &unlimited)
                    .map_err(|e| wrong(e.to_string()))?;
                Ok((net, model))
            }
            Question::Rules(file) => {
                let text = file.text();
                let net = spec::parse(&String::from_utf8_lossy(&text))
                    .map_err(|e| wrong(e.to_string()))?;
                let model =
                    Model::read_spec(&text, &unlimited).map_err(|e| wrong(e.to_string()))?;
                Ok((net, model))
            }
        }
    }

    /// The answer, as far as small searches find it.
    pub fn known(&self) -> Result<Known, Contradiction> {
        let known = match self {
            Question::Threads(machine) => machine.known(),
            Question::Rules(file) => file.known(),
        };
        known.ok_or_else(|| Contradiction::new("oracles", "the two plain searches disagree"))
    }

    /// What `auto` says, after everything agreed with it; for those who count answers.
    pub fn decided(&self, budget: &Budget) -> Result<CoverVerdict, Contradiction> {
        let (net, model) = self.read()?;
        decide(&net, &model, self.known()?, budget).map(|(verdict, _)| verdict)
    }
}

/// Runs everything on one question: the verdict of `auto`, and how many answers agree.
fn decide(
    net: &Net,
    model: &Model,
    known: Known,
    budget: &Budget,
) -> Result<(CoverVerdict, u64), Contradiction> {
    let known = match known {
        Known::Safe => CoverVerdict::Safe,
        Known::Unsafe => CoverVerdict::Unsafe,
        Known::Open => CoverVerdict::Unknown,
    };
    let mut answers = vec![("a plain search", known)];
    answers.push(("auto", answer(net, model, "auto", budget.detached(), true)?));
    for algorithm in OTHERS {
        for reduce in [true, false] {
            let found = answer(net, model, algorithm, budget.slice(PATIENCE), reduce)?;
            answers.push((algorithm, found));
        }
    }
    let verdict = answers[1].1;
    answers.retain(|&(_, verdict)| verdict != CoverVerdict::Unknown);
    let first = answers.first().copied().unwrap_or(("nobody", verdict));
    match answers.iter().find(|&&(_, verdict)| verdict != first.1) {
        Some(other) => {
            let message = format!("{} says {:?}, {} says {:?}", first.0, first.1, other.0, other.1);
            Err(Contradiction::new("algorithms", message))
        }
        None => Ok((verdict, answers.len() as u64)),
    }
}

/// An answer that was checked once more, through its JSON form.
fn answer(
    net: &Net,
    model: &Model,
    algorithm: &str,
    budget: Budget,
    reduce: bool,
) -> Result<CoverVerdict, Contradiction> {
    let wrong = |message: String| {
        Contradiction::new("rejected", format!("{algorithm}, reductions {reduce}: {message}"))
    };
    let options = SolveOptions { algorithm: algorithm.into(), budget, reduce };
    let document = solve_question(net, model, &options).map_err(|e| wrong(e.to_string()))?;
    let text = serde_json::to_string(&document).map_err(|e| wrong(e.to_string()))?;
    let read: Document = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
    let accepted = check_answer(model, &read, &Budget::unlimited());
    match accepted.map_err(|e| wrong(e.to_string()))? == (document.verdict != CoverVerdict::Unknown)
    {
        true => Ok(document.verdict),
        false => Err(wrong("the checker does not know whether there is an answer".into())),
    }
}

fn draw(rng: &mut Rng, bound: u32) -> u32 {
    rng.below(u64::from(bound)) as u32
}

/// All ways to choose one of the options of each, as numbers of those that chose each place.
fn product(places: usize, options: impl IntoIterator<Item = BTreeSet<u32>>) -> BTreeSet<Vec<u32>> {
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
