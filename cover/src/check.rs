//! The independent checker of answers.
//!
//! It shares the parsed model and the document types with the algorithms and nothing else: firing,
//! predecessors, comparison and look-up are written again here, on plain maps, in the most direct
//! way. A trace is replayed; a forward certificate must contain the start, be closed under every
//! step and exclude the targets; a backward certificate is checked in [`crate::check_backward`].

use crate::answer::{Certificate, Counter, Document, Trace, Verdict};
use crate::budget::Budget;
use crate::check_fuse::fused;
use crate::error::Stop;
use crate::net::Net;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Tokens per place; `None` is ω.
pub(crate) type Marking = BTreeMap<u32, Option<u64>>;

/// Why a document does not prove what it says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("the document is malformed: {0}")]
    Malformed(String),
    #[error("the trace fails at step {step}: {why}")]
    Trace { step: usize, why: String },
    #[error("the trace ends in a marking that covers no target")]
    TargetMissed,
    #[error("the certificate fails: {0}")]
    Certificate(String),
    /// Neither accepted nor refused: a limit was reached.
    #[error(transparent)]
    Stopped(#[from] Stop),
}

/// A net in the checker's own terms: `[pre, post]` per transition.
pub(crate) struct Model<'a> {
    pub budget: &'a Budget,
    pub places: Vec<String>,
    pub ids: FxHashMap<String, u32>,
    pub steps: Vec<StepArcs>,
    pub initial: Marking,
    pub targets: Vec<BTreeMap<u32, u64>>,
}

pub(crate) struct StepArcs {
    pub pre: BTreeMap<u32, u64>,
    pub post: BTreeMap<u32, u64>,
    pub moves: BTreeMap<u32, u32>,
}

/// Checks the trace or certificate of a whole answer; `Ok(false)` if it claims nothing.
pub fn check_document(net: &Net, document: &Document) -> Result<bool, Rejection> {
    check_within(net, document, &Budget::unlimited())
}

/// The same within a budget; [`Rejection::Stopped`] says nothing about the document.
pub fn check_within(net: &Net, document: &Document, budget: &Budget) -> Result<bool, Rejection> {
    match (document.verdict, &document.trace, &document.certificate) {
        (Verdict::Unsafe, Some(trace), _) => check_trace(net, trace, budget).map(|()| true),
        (Verdict::Safe, _, Some(certificate)) => {
            check_certificate(net, certificate, budget).map(|()| true)
        }
        (Verdict::Unknown, None, None) => Ok(false),
        _ => Err(Rejection::Malformed("verdict without the trace or certificate it needs".into())),
    }
}

/// Replays a trace: a permitted start, every step enabled, a target covered at the end.
fn check_trace(net: &Net, trace: &Trace, budget: &Budget) -> Result<(), Rejection> {
    let model = Model::new(net, budget)?;
    let mut marking = model.start_of(net, trace)?;
    for (number, step) in trace.steps.iter().enumerate() {
        budget.work(1 + 4 * marking.len())?;
        let fail = |why: &str| Rejection::Trace { step: number, why: why.into() };
        let arcs = model
            .steps
            .get(step.transition as usize)
            .ok_or_else(|| fail("there is no such transition"))?;
        marking = fire(&marking, arcs).ok_or_else(|| fail("the transition is not enabled"))?;
    }
    let reached = model.targets.iter().any(|target| below_counts(target, &marking));
    if reached { Ok(()) } else { Err(Rejection::TargetMissed) }
}

/// Checks either kind of certificate.
fn check_certificate(
    net: &Net,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<(), Rejection> {
    let model = Model::new(net, budget)?;
    match certificate {
        Certificate::Forward { configurations, merge, fuse } => {
            let model = fused(model.merged(merge.as_ref())?, fuse.as_ref())?;
            check_forward(&model, configurations)
        }
        Certificate::Backward { basis, inequalities, pairs, merge, fuse } => {
            let model = fused(model.merged(merge.as_ref())?, fuse.as_ref())?;
            crate::check_backward::check(&model, basis, inequalities, pairs.as_ref())
        }
    }
}

impl<'a> Model<'a> {
    fn new(net: &Net, budget: &'a Budget) -> Result<Model<'a>, Rejection> {
        budget.reserve::<[u64; 16]>(net.places.len())?;
        let counts =
            |entries: &[(u32, u32)]| entries.iter().map(|e| (e.0, u64::from(e.1))).collect();
        let omega = |n: u32| (n != crate::config::OMEGA).then_some(u64::from(n));
        let mut steps = Vec::new();
        for t in &net.transitions {
            budget.work(1 + t.pre.len() + t.post.len() + t.transfers.len())?;
            steps.push(StepArcs {
                pre: counts(&t.pre),
                post: counts(&t.post),
                moves: t.transfers.iter().copied().collect(),
            });
        }
        Ok(Model {
            budget,
            places: net.places.clone(),
            ids: net.places.iter().cloned().zip(0..).collect(),
            steps,
            initial: net.initial.entries().iter().map(|e| (e.0, omega(e.1))).collect(),
            targets: net.targets.iter().map(|t| counts(t.entries())).collect(),
        })
    }

    pub fn place(&self, name: &str) -> Result<u32, Rejection> {
        let unknown = || Rejection::Malformed(format!("there is no place `{name}`"));
        self.ids.get(name).copied().ok_or_else(unknown)
    }

    /// The image under a map of places: whatever the net can do, its image can do, so a proof about
    /// the image is a proof about the net. A place mapped to null is forgotten.
    fn merged(
        self,
        merge: Option<&BTreeMap<String, Option<String>>>,
    ) -> Result<Model<'a>, Rejection> {
        let Some(merge) = merge else {
            return Ok(self);
        };
        if self.steps.iter().any(|s| !s.moves.is_empty()) {
            return Err(Rejection::Malformed("merged places in a net with broadcasts".into()));
        }
        let mut image = vec![None; self.places.len()];
        for (place, name) in self.places.iter().enumerate() {
            image[place] = match merge.get(name) {
                None => Some(place as u32),
                Some(None) => None,
                Some(Some(class)) => Some(self.place(class)?),
            };
        }
        let counts = |entries: &BTreeMap<u32, u64>| add_up(entries, &image);
        let mut steps = Vec::new();
        for s in &self.steps {
            self.budget.work(1 + s.pre.len() + s.post.len())?;
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
        Ok(Model { steps, initial, targets, ..self })
    }

    /// The initial marking of a trace, if the model permits it.
    fn start_of(&self, net: &Net, trace: &Trace) -> Result<Marking, Rejection> {
        let fail = |why: String| Rejection::Trace { step: 0, why };
        let mut start = Marking::new();
        for (name, &count) in &trace.initial {
            start.insert(self.place(name)?, Some(u64::from(count)));
        }
        let bounds = net.lower_bounds();
        for place in 0..self.places.len() as u32 {
            self.budget.work(1)?;
            let given = start.get(&place).copied().flatten().unwrap_or(0);
            let bound = bounds.get(&place).map_or(0, |&least| u64::from(least));
            let fits = match self.initial.get(&place) {
                Some(None) => given >= bound,
                Some(Some(count)) => given == *count,
                None => given == 0,
            };
            if !fits {
                let name = &self.places[place as usize];
                return Err(fail(format!("{given} is no initial count of `{name}`")));
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

/// `counts ≤ marking`.
pub(crate) fn below_counts(counts: &BTreeMap<u32, u64>, marking: &Marking) -> bool {
    counts.iter().all(|(place, &count)| match marking.get(place) {
        None => count == 0,
        Some(None) => true,
        Some(Some(have)) => count <= *have,
    })
}

/// `a ≤ b` with ω on top.
fn below(a: &Marking, b: &Marking) -> bool {
    a.iter().all(|(place, count)| match (count, b.get(place)) {
        (_, Some(None)) => true,
        (Some(n), Some(Some(m))) => n <= m,
        (Some(n), None) => *n == 0,
        (None, _) => false,
    })
}

/// The successor, or `None` if the step is not enabled.
fn fire(marking: &Marking, step: &StepArcs) -> Option<Marking> {
    if !below_counts(&step.pre, marking) {
        return None;
    }
    let mut rest = marking.clone();
    for (place, count) in &step.pre {
        if let Some(Some(have)) = rest.get_mut(place) {
            *have -= count;
        }
    }
    let mut after = Marking::new();
    for (place, count) in rest {
        add(&mut after, step.moves.get(&place).copied().unwrap_or(place), count);
    }
    for (&place, &count) in &step.post {
        add(&mut after, place, Some(count));
    }
    Some(after)
}

fn add(marking: &mut Marking, place: u32, count: Option<u64>) {
    let sum = marking.entry(place).or_insert(Some(0));
    *sum = sum.zip(count).map(|(a, b)| a.saturating_add(b));
}

fn check_forward(
    model: &Model,
    configurations: &[BTreeMap<String, Counter>],
) -> Result<(), Rejection> {
    let fail = |why: String| Err(Rejection::Certificate(why));
    let set = ClosedSet::new(model, configurations)?;
    if !set.contains(&model.initial)? {
        return fail("the initial configuration is outside the set".into());
    }
    for (number, config) in set.configs.iter().enumerate() {
        model.budget.work(model.targets.len())?;
        if model.targets.iter().any(|target| below_counts(target, config)) {
            return fail(format!("configuration {number} covers a target"));
        }
        for step in set.candidates(config) {
            model.budget.work(1 + 4 * config.len())?;
            let Some(after) = fire(config, &model.steps[step]) else {
                continue;
            };
            if !below(&after, config) && !set.contains(&after)? {
                return fail(format!("transition {step} leads from configuration {number} out"));
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
        model: &Model<'a>,
        configurations: &[BTreeMap<String, Counter>],
    ) -> Result<ClosedSet<'a>, Rejection> {
        model.budget.reserve::<[Vec<u32>; 2]>(model.places.len())?;
        let mut set = ClosedSet {
            budget: model.budget,
            configs: Vec::new(),
            by_place: vec![Vec::new(); model.places.len()],
            steps_by_place: vec![Vec::new(); model.places.len()],
            free_steps: Vec::new(),
        };
        for configuration in configurations {
            set.budget.work(1 + 4 * configuration.len())?;
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

    fn contains(&self, marking: &Marking) -> Result<bool, Stop> {
        let marked = marking.iter().filter(|(_, count)| **count != Some(0)).map(|(p, _)| *p);
        let Some(place) = marked.min_by_key(|&p| self.by_place[p as usize].len()) else {
            return Ok(!self.configs.is_empty());
        };
        for &number in &self.by_place[place as usize] {
            self.budget.work(1 + marking.len())?;
            if below(marking, &self.configs[number as usize]) {
                return Ok(true);
            }
        }
        Ok(false)
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
