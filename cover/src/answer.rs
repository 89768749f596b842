//! What an algorithm comes back with, and the documents that let others check it.

use crate::budget::Budget;
use crate::choice::Moved;
use crate::config::{Config, CountText, OMEGA};
use crate::error::Stop;
use crate::net::Net;
use crate::story::tell;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Safe, unsafe, or neither within what was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CoverVerdict {
    /// No target is coverable, whatever the number of threads; a certificate says why.
    Safe,
    /// Some number of threads covers a target; a trace shows how.
    Unsafe,
    /// Neither was found; the document gives the reason.
    Unknown,
}

/// The finding of one algorithm, still in terms of place numbers.
#[derive(Clone, Debug)]
pub enum Finding {
    /// No target is coverable.
    Safe(Proof),
    /// This run covers a target.
    Unsafe(Run),
}

/// A concrete run: an initial marking without ω and the transitions fired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it starts: an instance of the initial configuration.
    pub initial: Config,
    /// Numbers of the transitions, in order.
    pub steps: Vec<u32>,
    /// What tokens chose, by the number of the step; steps without choices are left out.
    pub choices: BTreeMap<usize, Vec<Moved>>,
}

/// Why no target is coverable.
#[derive(Clone, Debug)]
pub enum Proof {
    /// An inductive downward-closed set: everything below one of these configurations.
    Forward(Vec<Config>),
    /// An upward-closed set around the targets that no step enters from inside the invariants.
    Backward(BackwardProof),
}

/// The basis of a backward search and the invariants that let it discard predecessors.
#[derive(Clone, Debug, Default)]
pub struct BackwardProof {
    /// The minimal elements of the set, targets that are excluded left out.
    pub basis: Vec<Config>,
    /// `Σ weight · place ≤ bound`, inductive and true at the start.
    pub linear: Vec<Linear>,
    /// Places that may be marked and their rows of the may-coexist matrix.
    pub pairs: Option<(Vec<u32>, Vec<String>)>,
}

/// An inductive inequality with non-negative weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// Places with a weight above zero.
    pub weights: Vec<(u32, u64)>,
    /// The sum at the start; no step increases it.
    pub bound: u64,
}

/// How much work was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Configurations computed, those dropped as covered included.
    pub explored: u64,
    /// Configurations held at the end.
    pub kept: u64,
}

/// A certificate document. Counters are numbers or `"ω"`; places go by name.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum Certificate {
    /// Every reachable marking is below one of `configurations`.
    Forward {
        /// The maximal elements of a downward-closed set.
        configurations: Vec<BTreeMap<String, Counter>>,
        /// Where each place of the net went before the search (`null`: it was forgotten); the proof is about the
        /// image.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        merge: Option<BTreeMap<String, Option<String>>>,
        /// Control states passed over before the search; the proof is about the fused net.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fuse: Option<FusedControl>,
        /// Places forgotten after that; the proof is about the others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forget: Option<Vec<String>>,
    },
    /// No marking that meets the invariants and is not above `basis` has a step to one above it.
    Backward {
        /// The minimal elements of an upward-closed set that holds the targets.
        basis: Vec<BTreeMap<String, u32>>,
        /// Inductive under the pair table.
        inequalities: Vec<Inequality>,
        /// Inductive by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pairs: Option<PairTable>,
        /// As in a forward certificate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        merge: Option<BTreeMap<String, Option<String>>>,
        /// As in a forward certificate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fuse: Option<FusedControl>,
        /// As in a forward certificate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        forget: Option<Vec<String>>,
    },
}

/// What was done to the net before the search, in this order; `None` where nothing was.
#[derive(Clone, Debug, Default)]
pub struct Reductions {
    /// Where each place went; `None` inside: it was forgotten.
    pub merge: Option<BTreeMap<String, Option<String>>>,
    /// Control states passed over.
    pub fuse: Option<FusedControl>,
    /// Places forgotten then.
    pub forget: Option<Vec<String>>,
}

/// Control places of which exactly one is marked, and those passed over, in order.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct FusedControl {
    /// The whole control set.
    pub control: Vec<String>,
    /// Those of them that are passed over.
    pub eliminate: Vec<String>,
}

/// `Σ weight · tokens ≤ bound`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Inequality {
    /// By name of the place; places left out have weight 0.
    pub weights: BTreeMap<String, u64>,
    /// What the sum never exceeds.
    pub bound: u64,
}

/// Which places may be marked at all, and which together: row p (in the order of `places`) has one
/// bit per listed place, 16 hexadecimal digits for each 64. Places not listed are never marked.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct PairTable {
    /// The places that may be marked.
    pub places: Vec<String>,
    /// One row for each, as hexadecimal digits.
    pub rows: Vec<String>,
}

/// A counter in a document.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Counter {
    /// Exactly so many.
    Number(u32),
    /// Any number: the text is `ω`.
    Omega(String),
}

/// A trace document.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Threads at the start; of a plain net tokens on the places that may start with any number.
    pub threads: u64,
    /// Tokens at the start; places left out have none.
    pub initial: BTreeMap<String, u32>,
    /// What is fired, in order.
    pub steps: Vec<Step>,
}

/// One step of a trace: the number of the transition in the file's order, and its text.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its number, from 0, in the order of the file.
    pub transition: u32,
    /// Line of the file, 0 if none.
    pub line: u32,
    /// Its text, for readers; the checker goes by the number.
    pub rule: String,
    /// Which threads take it, and from where to where; left out for nets without threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadMove>,
    /// Which threads a broadcast takes to another local state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<ThreadMove>,
    /// The shared state after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
    /// Of a net without threads: what is marked after it; left out of runs of more than 1,000 steps.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub marking: BTreeMap<String, u32>,
    /// For each marked place with several moves: how many of its tokens went where.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub moves: BTreeMap<String, BTreeMap<String, u32>>,
}

/// What one thread does in a step. Threads are anonymous: the numbers say who could have been who.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ThreadMove {
    /// Number of the thread, from 1.
    pub thread: u64,
    /// Its local state before, if it was there.
    pub from: Option<String>,
    /// Its local state after, if it is still there.
    pub to: Option<String>,
}

/// The JSON document of `pidlab cover`.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// [`FORMAT`].
    #[serde(default = "format_name")]
    pub format: String,
    /// The answer.
    pub verdict: CoverVerdict,
    /// The algorithm that answered, or the one asked for.
    pub algorithm: String,
    /// With [`CoverVerdict::Unsafe`].
    pub trace: Option<Trace>,
    /// With [`CoverVerdict::Safe`].
    pub certificate: Option<Certificate>,
    /// Configurations computed by the algorithm that answered.
    pub explored: u64,
    /// Why the verdict is unknown, else null.
    #[serde(default)]
    pub reason: Option<String>,
    /// Wall-clock time of all that was done: reading, reductions, searches, the check.
    #[serde(default)]
    pub seconds: f64,
    /// Configurations held at the end.
    #[serde(default)]
    pub kept: u64,
    /// Places of the net as it was read.
    #[serde(default)]
    pub places: u64,
    /// Transitions of the net as it was read.
    #[serde(default)]
    pub transitions: u64,
    /// What each algorithm that took part came to.
    #[serde(default)]
    pub runs: Vec<RunReport>,
    /// Whether trace or certificate are about a program without what its property does not see.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sliced: bool,
}

/// One algorithm's part in an answer.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RunReport {
    /// Its name.
    pub algorithm: String,
    /// Its verdict, or why it has none.
    pub outcome: String,
    /// Configurations that it computed.
    pub explored: u64,
}

/// Name and version of the document format, described in `docs/formats-cover.md`.
pub const FORMAT: &str = "pidlab-cover/1";

fn format_name() -> String {
    FORMAT.into()
}

impl Document {
    /// The answer "unknown" and why, before anything else is known.
    pub fn unknown(algorithm: &str, reason: String) -> Document {
        Document {
            format: FORMAT.into(),
            verdict: CoverVerdict::Unknown,
            algorithm: algorithm.into(),
            trace: None,
            certificate: None,
            explored: 0,
            reason: Some(reason),
            seconds: 0.0,
            kept: 0,
            places: 0,
            transitions: 0,
            runs: Vec::new(),
            sliced: false,
        }
    }
}

impl Run {
    /// No step yet.
    pub fn new(initial: Config) -> Run {
        Run { initial, steps: Vec::new(), choices: BTreeMap::new() }
    }

    pub fn push(&mut self, transition: u32, choice: Vec<Moved>) {
        if !choice.is_empty() {
            self.choices.insert(self.steps.len(), choice);
        }
        self.steps.push(transition);
    }

    pub fn to_trace(&self, net: &Net, budget: &Budget) -> Result<Trace, Stop> {
        let start = self.initial.entries();
        let story = tell(net, self, budget)?;
        let name = |p: u32| net.places[p as usize].to_string();
        let mut steps = Vec::new();
        for (number, &t) in self.steps.iter().enumerate() {
            let transition = &net.transitions[t as usize];
            budget.steps(8 + transition.pre.len() + transition.post.len())?;
            let told = story.as_ref().map(|story| story[number].clone()).unwrap_or_default();
            let moved = |(thread, from, to): (u64, Option<u32>, Option<u32>)| {
                let (from, to) = (from.map(name), to.map(name));
                ThreadMove { thread, from, to }
            };
            steps.push(Step {
                transition: t,
                line: transition.line,
                rule: net.describe(t as usize),
                threads: told.threads.into_iter().map(moved).collect(),
                carried: told.carried.into_iter().map(moved).collect(),
                shared: told.shared.map(name),
                marking: told.marking.into_iter().map(|(p, count)| (name(p), count)).collect(),
                moves: self.moves_at(number, net, budget)?,
            });
        }
        Ok(Trace {
            threads: self.threads(net),
            initial: start.iter().map(|e| (net.places[e.0 as usize].to_string(), e.1)).collect(),
            steps,
        })
    }

    /// How many threads there are at the start. The machines of a sliced program are about the same ones.
    fn threads(&self, net: &Net) -> u64 {
        let tokens = |counts: &dyn Fn(u32) -> bool| {
            let entries = self.initial.entries().iter().filter(|e| counts(e.0));
            entries.map(|e| u64::from(e.1)).sum::<u64>()
        };
        let of_machines = net.systems.iter().map(|s| tokens(&|place| s.local.contains(&place)));
        of_machines.max().unwrap_or_else(|| tokens(&|place| net.initial.get(place) == OMEGA))
    }

    fn moves_at(
        &self,
        step: usize,
        net: &Net,
        budget: &Budget,
    ) -> Result<BTreeMap<String, BTreeMap<String, u32>>, Stop> {
        let name = |p: u32| net.places[p as usize].to_string();
        let mut moves: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
        for moved in self.choices.get(&step).into_iter().flatten().filter(|m| m.count > 0) {
            budget.steps(4)?;
            moves.entry(name(moved.from)).or_default().insert(name(moved.to), moved.count);
        }
        Ok(moves)
    }
}

impl Proof {
    /// The document, in the names of `net`, whose places are those the proof speaks of; `reductions`
    /// tell how the input became that net.
    pub fn to_certificate(
        &self,
        net: &Net,
        reductions: Reductions,
        budget: &Budget,
    ) -> Result<Certificate, Stop> {
        let Reductions { merge, fuse, forget } = reductions;
        let name = |p: u32| net.places[p as usize].to_string();
        Ok(match self {
            Proof::Forward(configs) => {
                let configurations = named_configurations(configs, net, budget)?;
                Certificate::Forward { configurations, merge, fuse, forget }
            }
            Proof::Backward(proof) => Certificate::Backward {
                basis: named(&proof.basis, net, |n| n, budget)?,
                inequalities: proof
                    .linear
                    .iter()
                    .map(|l| {
                        budget.steps(1 + l.weights.len())?;
                        let weights = l.weights.iter().map(|w| (name(w.0), w.1)).collect();
                        Ok(Inequality { weights, bound: l.bound })
                    })
                    .collect::<Result<_, Stop>>()?,
                pairs: proof.pairs.as_ref().map(|(places, rows)| PairTable {
                    places: places.iter().map(|&p| name(p)).collect(),
                    rows: rows.clone(),
                }),
                merge,
                fuse,
                forget,
            },
        })
    }
}

/// Configurations with the names of their places and ω as text.
pub fn named_configurations(
    configs: &[Config],
    net: &Net,
    budget: &Budget,
) -> Result<Vec<BTreeMap<String, Counter>>, Stop> {
    let counter = |n: u32| match n {
        OMEGA => Counter::Omega(CountText(n).to_string()),
        n => Counter::Number(n),
    };
    named(configs, net, counter, budget)
}

/// Configurations with the names of their places.
fn named<T>(
    configs: &[Config],
    net: &Net,
    counter: impl Fn(u32) -> T,
    budget: &Budget,
) -> Result<Vec<BTreeMap<String, T>>, Stop> {
    let named = |config: &Config| {
        budget.steps(1 + 4 * config.entries().len())?;
        let entries = config.entries().iter();
        Ok(entries.map(|e| (net.places[e.0 as usize].to_string(), counter(e.1))).collect())
    };
    configs.iter().map(named).collect()
}
