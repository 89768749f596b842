//! The independent checker of answers.
//!
//! It shares the document types with the algorithms and nothing else: firing, predecessors,
//! comparison and look-up are written again here, on plain maps, in the most direct way. Files in
//! `.tts` and `.spec` it reads itself (`tts`, `spec`), so that what the parsers get wrong does not go
//! unnoticed; other models are taken over from the parsed net. A trace is replayed; a forward
//! certificate must contain the start, be closed under every step and exclude the targets; a backward
//! certificate is checked in `backward`.

mod backward;
mod fire;
mod fuse;
mod set;
mod spec;
mod tts;

use crate::answer::{Certificate, Counter, CoverVerdict, Document, FusedControl, Step, Trace};
use crate::budget::{Budget, Exhausted};
use crate::names::{NameTable, Names};
use crate::net::{Net, Transition};
use fire::{Marking, StepArcs, below, below_counts, fire_chosen, successors};
use fuse::fused;
pub use set::check_set;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Why a document does not prove what it says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The document is not about this model, or contradicts itself.
    #[error("the document is malformed: {0}")]
    Malformed(String),
    /// A step of the trace cannot be fired.
    #[error("the trace fails at step {step}: {why}")]
    Trace {
        /// Number of the step, from 0; a start that is not permitted counts as step 0.
        step: usize,
        /// What is missing.
        why: String,
    },
    /// Every step of the trace fires, and no target is covered at the end.
    #[error("the trace ends in a marking that covers no target")]
    TargetMissed,
    /// The set of the certificate is not inductive, or does not separate start and targets.
    #[error("the certificate fails: {0}")]
    Certificate(String),
    /// Neither accepted nor refused: a limit was reached.
    #[error(transparent)]
    Stopped(#[from] Exhausted),
}

/// Why the checker's own readers give no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The text is not of the language.
    #[error("line {line}: {message}")]
    Malformed {
        /// Counted from 1.
        line: usize,
        /// What was expected.
        message: String,
    },
    /// A limit was reached, which says nothing about the file.
    #[error(transparent)]
    Stopped(#[from] Exhausted),
}

/// A coverability question in the checker's own terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub(crate) places: Arc<NameTable>,
    pub(crate) steps: Vec<StepArcs>,
    pub(crate) initial: Marking,
    /// Lower bounds of the places that may start with any number.
    pub(crate) at_least: BTreeMap<u32, u64>,
    pub(crate) targets: Vec<BTreeMap<u32, u64>>,
}

/// Checks the trace or certificate of a whole answer about a parsed net.
pub fn check_document(net: &Net, document: &Document) -> Result<bool, Rejection> {
    check_within(net, document, &Budget::unlimited())
}

/// The same within a budget; [`Rejection::Stopped`] says nothing about the document.
pub fn check_within(net: &Net, document: &Document, budget: &Budget) -> Result<bool, Rejection> {
    if claims_nothing(document) {
        return Ok(false);
    }
    check_answer(&Model::of_net(net, budget)?, document, budget)
}

/// Checks the trace or certificate of a whole answer; `Ok(false)` if it claims nothing.
pub fn check_answer(
    model: &Model,
    document: &Document,
    budget: &Budget,
) -> Result<bool, Rejection> {
    match (document.verdict, &document.trace, &document.certificate) {
        (CoverVerdict::Unsafe, Some(trace), _) => check_trace(model, trace, budget).map(|()| true),
        (CoverVerdict::Safe, _, Some(certificate)) => {
            check_certificate(model, certificate, budget).map(|()| true)
        }
        _ if claims_nothing(document) => Ok(false),
        _ => Err(Rejection::Malformed("verdict without the trace or certificate it needs".into())),
    }
}

fn claims_nothing(document: &Document) -> bool {
    let nothing = document.trace.is_none() && document.certificate.is_none();
    document.verdict == CoverVerdict::Unknown && nothing
}

/// Replays a trace: a permitted start, every step enabled, a target covered at the end.
fn check_trace(model: &Model, trace: &Trace, budget: &Budget) -> Result<(), Rejection> {
    let mut marking = model.start_of(trace, budget)?;
    for (number, step) in trace.steps.iter().enumerate() {
        budget.steps(1 + 4 * marking.len())?;
        let fail = |why: String| Rejection::Trace { step: number, why };
        let arcs = model
            .steps
            .get(step.transition as usize)
            .ok_or_else(|| fail("there is no such transition".into()))?;
        let moves = model.moves_of(step, budget)?;
        marking = fire_chosen(&marking, arcs, &moves).map_err(fail)?;
    }
    let reached = model.targets.iter().any(|target| below_counts(target, &marking));
    if reached { Ok(()) } else { Err(Rejection::TargetMissed) }
}

/// Checks either kind of certificate.
fn check_certificate(
    model: &Model,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<(), Rejection> {
    match certificate {
        Certificate::Forward { configurations, merge, fuse, forget } => {
            let model = model.reduced(merge.as_ref(), fuse.as_ref(), forget.as_ref(), budget)?;
            check_forward(&model, configurations, budget)
        }
        Certificate::Backward { basis, inequalities, pairs, merge, fuse, forget } => {
            let model = model.reduced(merge.as_ref(), fuse.as_ref(), forget.as_ref(), budget)?;
            backward::check(&model, basis, inequalities, pairs.as_ref(), budget)
        }
    }
}

impl Model {
    /// A question without steps, start and targets.
    pub(crate) fn new(places: Names, budget: &Budget) -> Result<Model, Exhausted> {
        Ok(Model::about(Arc::new(NameTable::new(places, budget)?)))
    }

    fn about(places: Arc<NameTable>) -> Model {
        Model {
            places,
            steps: Vec::new(),
            initial: Marking::new(),
            at_least: BTreeMap::new(),
            targets: Vec::new(),
        }
    }

    /// Takes over a parsed net.
    pub fn of_net(net: &Net, budget: &Budget) -> Result<Model, Exhausted> {
        budget.reserve::<[u64; 8]>(net.places.len())?;
        let counts = |entries: &[(u32, u32)]| -> BTreeMap<u32, u64> {
            entries.iter().map(|e| (e.0, u64::from(e.1))).collect()
        };
        let omega = |n: u32| (n != crate::config::OMEGA).then_some(u64::from(n));
        let step = |t: &Transition| {
            budget.steps(1 + t.pre.len() + t.post.len() + t.transfers.len())?;
            let mut moves: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            for &(from, to) in &t.transfers {
                moves.entry(from).or_default().insert(to);
            }
            Ok(StepArcs { pre: counts(&t.pre), post: counts(&t.post), moves })
        };
        Ok(Model {
            steps: net.transitions.iter().map(step).collect::<Result<_, Exhausted>>()?,
            initial: net.initial.entries().iter().map(|e| (e.0, omega(e.1))).collect(),
            at_least: counts(&net.at_least),
            targets: net.targets.iter().map(|t| counts(t.entries())).collect(),
            ..Model::new(net.places.clone(), budget)?
        })
    }

    /// Reads a `.tts` file with its property and, if it is not the usual one, its start.
    pub fn read_tts(
        system: &[u8],
        property: &[u8],
        start: Option<&str>,
        budget: &Budget,
    ) -> Result<Model, Unreadable> {
        tts::read(system, property, start, budget)
    }

    /// Reads a `.spec` file.
    pub fn read_spec(text: &[u8], budget: &Budget) -> Result<Model, Unreadable> {
        spec::read(text, budget)
    }

    /// What the tokens of each place chose, in numbers of places.
    fn moves_of(
        &self,
        step: &Step,
        budget: &Budget,
    ) -> Result<BTreeMap<u32, BTreeMap<u32, u64>>, Rejection> {
        let mut moves: BTreeMap<u32, BTreeMap<u32, u64>> = BTreeMap::new();
        for (from, counts) in &step.moves {
            budget.steps(1 + 4 * counts.len())?;
            let to = moves.entry(self.place(from)?).or_default();
            for (name, &count) in counts {
                to.insert(self.place(name)?, u64::from(count));
            }
        }
        Ok(moves)
    }

    fn place(&self, name: &str) -> Result<u32, Rejection> {
        let unknown = || Rejection::Malformed(format!("there is no place `{name}`"));
        self.places.number(name).ok_or_else(unknown)
    }

    /// The net that a proof is about: an image, states passed over, places forgotten, in this order.
    fn reduced(
        &self,
        merge: Option<&BTreeMap<String, Option<String>>>,
        fuse: Option<&FusedControl>,
        forget: Option<&Vec<String>>,
        budget: &Budget,
    ) -> Result<Cow<'_, Model>, Rejection> {
        let model = fused(self.merged(merge, budget)?, fuse, budget)?;
        let Some(forget) = forget else {
            return Ok(model);
        };
        let nothing = forget.iter().map(|name| (name.clone(), None)).collect();
        Ok(Cow::Owned(model.merged(Some(&nothing), budget)?.into_owned()))
    }

    /// The image under a map of places: whatever the net can do, its image can do, so a proof about
    /// the image is a proof about the net. A place mapped to null is forgotten.
    fn merged(
        &self,
        merge: Option<&BTreeMap<String, Option<String>>>,
        budget: &Budget,
    ) -> Result<Cow<'_, Model>, Rejection> {
        let Some(merge) = merge else {
            return Ok(Cow::Borrowed(self));
        };
        if self.steps.iter().any(|s| !s.moves.is_empty()) {
            return Err(Rejection::Malformed("merged places in a net with broadcasts".into()));
        }
        let mut image = vec![None; self.places.len()];
        for (place, name) in self.places.names().iter().enumerate() {
            budget.steps(4)?;
            image[place] = match merge.get(name) {
                None => Some(place as u32),
                Some(None) => None,
                Some(Some(class)) => Some(self.place(class)?),
            };
        }
        let counts = |entries: &BTreeMap<u32, u64>| add_up(entries, &image);
        let mut steps = Vec::new();
        for s in &self.steps {
            budget.steps(1 + s.pre.len() + s.post.len())?;
            let (pre, post) = (counts(&s.pre), counts(&s.post));
            steps.push(StepArcs { pre, post, moves: BTreeMap::new() });
        }
        let mut initial = Marking::new();
        for (place, count) in &self.initial {
            if let Some(to) = image[*place as usize] {
                let sum = initial.entry(to).or_insert(Some(0));
                *sum = sum.zip(*count).map(|(a, b)| a + b);
            }
        }
        let targets = self.targets.iter().map(counts).collect();
        Ok(Cow::Owned(Model { steps, initial, targets, ..self.same_places() }))
    }

    /// The same places, with nothing asked about them yet.
    fn same_places(&self) -> Model {
        Model { at_least: self.at_least.clone(), ..Model::about(self.places.clone()) }
    }

    pub(crate) fn copied(&self, budget: &Budget) -> Result<Model, Exhausted> {
        let copy = |step: &StepArcs| {
            budget.steps(1 + step.pre.len() + step.post.len() + step.moves.len())?;
            Ok(step.clone())
        };
        let steps = self.steps.iter().map(copy).collect::<Result<_, Exhausted>>()?;
        let (initial, targets) = (self.initial.clone(), self.targets.clone());
        Ok(Model { steps, initial, targets, ..self.same_places() })
    }

    /// The initial marking of a trace, if the model permits it.
    fn start_of(&self, trace: &Trace, budget: &Budget) -> Result<Marking, Rejection> {
        let fail = |why: String| Rejection::Trace { step: 0, why };
        let mut start = Marking::new();
        for (name, &count) in &trace.initial {
            start.insert(self.place(name)?, Some(u64::from(count)));
        }
        for place in 0..self.places.len() as u32 {
            budget.steps(1)?;
            let given = start.get(&place).copied().flatten().unwrap_or(0);
            let bound = self.at_least.get(&place).copied().unwrap_or(0);
            let fits = match self.initial.get(&place) {
                Some(None) => given >= bound,
                Some(Some(count)) => given == *count,
                None => given == 0,
            };
            if !fits {
                let name = &self.places.names()[place as usize];
                return Err(fail(format!("{given} is not an initial count of `{name}`")));
            }
        }
        Ok(start)
    }
}

fn add_up(entries: &BTreeMap<u32, u64>, image: &[Option<u32>]) -> BTreeMap<u32, u64> {
    let mut sums = BTreeMap::new();
    for (&place, &count) in entries {
        if let Some(to) = image[place as usize] {
            *sums.entry(to).or_insert(0) += count;
        }
    }
    sums
}

fn check_forward(
    model: &Model,
    configurations: &[BTreeMap<String, Counter>],
    budget: &Budget,
) -> Result<(), Rejection> {
    let set = ClosedSet::new(model, configurations, budget)?;
    for (number, config) in set.configs.iter().enumerate() {
        budget.steps(model.targets.len())?;
        if model.targets.iter().any(|target| below_counts(target, config)) {
            let what = format!("configuration {number} covers a target");
            return Err(Rejection::Certificate(what));
        }
    }
    check_closed(model, &set, budget)
}

/// The start is below the set, and so is whatever a step leads to from below it.
fn check_closed(model: &Model, set: &ClosedSet, budget: &Budget) -> Result<(), Rejection> {
    let fail = |why: String| Err(Rejection::Certificate(why));
    if !set.contains(&model.initial)? {
        return fail("the initial configuration is outside the set".into());
    }
    for (number, config) in set.configs.iter().enumerate() {
        for step in set.candidates(config) {
            for after in successors(config, &model.steps[step], budget)? {
                let after = after?;
                if !below(&after, config) && !set.contains(&after)? {
                    let what = format!("transition {step} leads from configuration {number} out");
                    return fail(what);
                }
            }
        }
    }
    Ok(())
}

/// The configurations of a forward certificate, listed by place.
struct ClosedSet<'a> {
    budget: &'a Budget,
    configs: Vec<Marking>,
    by_place: Vec<Vec<u32>>,
    steps_by_place: Vec<Vec<u32>>,
    free_steps: Vec<u32>,
}

impl<'a> ClosedSet<'a> {
    fn new(
        model: &Model,
        configurations: &[BTreeMap<String, Counter>],
        budget: &'a Budget,
    ) -> Result<ClosedSet<'a>, Rejection> {
        budget.reserve::<[Vec<u32>; 2]>(model.places.len())?;
        let mut set = ClosedSet {
            budget,
            configs: Vec::new(),
            by_place: vec![Vec::new(); model.places.len()],
            steps_by_place: vec![Vec::new(); model.places.len()],
            free_steps: Vec::new(),
        };
        for configuration in configurations {
            budget.steps(1 + 4 * configuration.len())?;
            let mut config = Marking::new();
            for (name, counter) in configuration {
                config.insert(model.place(name)?, read(counter)?);
            }
            let number = set.configs.len() as u32;
            config.keys().for_each(|&p| set.by_place[p as usize].push(number));
            set.configs.push(config);
        }
        for (number, step) in model.steps.iter().enumerate() {
            match step.pre.keys().next_back() {
                Some(&place) => set.steps_by_place[place as usize].push(number as u32),
                None => set.free_steps.push(number as u32),
            }
        }
        Ok(set)
    }

    /// Every transition that can be enabled in `config`: those whose last input place it marks.
    fn candidates<'c>(&'c self, config: &'c Marking) -> impl Iterator<Item = usize> + 'c {
        let listed = config.keys().flat_map(|&p| &self.steps_by_place[p as usize]);
        listed.chain(&self.free_steps).map(|&step| step as usize)
    }

    fn contains(&self, marking: &Marking) -> Result<bool, Exhausted> {
        Ok(self.above(marking, usize::MAX)?.is_some())
    }

    /// A configuration above `marking` that is not number `own`.
    fn above(&self, marking: &Marking, own: usize) -> Result<Option<usize>, Exhausted> {
        let marked = marking.iter().filter(|(_, count)| **count != Some(0)).map(|(p, _)| *p);
        let Some(place) = marked.min_by_key(|&p| self.by_place[p as usize].len()) else {
            return Ok((0..self.configs.len()).find(|&number| number != own));
        };
        for &number in &self.by_place[place as usize] {
            self.budget.steps(1 + marking.len())?;
            let number = number as usize;
            if number != own && below(marking, &self.configs[number]) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }
}

fn read(counter: &Counter) -> Result<Option<u64>, Rejection> {
    match counter {
        Counter::Number(n) => Ok(Some(u64::from(*n))),
        Counter::Omega(text) if text == "ω" => Ok(None),
        Counter::Omega(text) => {
            Err(Rejection::Malformed(format!("a counter is a number or \"ω\", not \"{text}\"")))
        }
    }
}
