//! Where pairs of states come from: a set of states and what is done to them, or files and programs of the user.
//!
//! A [`PairSource`] makes the pairs of one block. Base state and variants come from streams of the seed that
//! only the row's number decides, so a pair is the same on every run, whatever the number of workers
//! and whatever ran before it.

use super::generated::Generators;
use crate::clock::process_cpu;
use crate::experiment::explored::Explored;
use crate::inputs::{Loaded, Material};
use crate::plan::{Place, Plan};
use crate::store::record::RowAnswer;
use anyhow::Context;
use pidlab_core::{Relation, Relations, State};
use pidlab_generators::hard::{self, Family, Variant};
use pidlab_generators::transform::TransformKind;
use pidlab_generators::{Draft, Expected, Guarantee, Rng, Transformation, apply, random_state};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::time::Duration;

/// Two states, what is known of them, and the same in other orders.
pub struct Pair {
    pub q: State,
    pub r: State,
    pub guarantee: Guarantee,
    pub hash: u64,
    /// The states differ in a count, which no comparison of graphs is needed for.
    pub obvious: bool,
    shuffled: Vec<(State, State)>,
}

impl Pair {
    fn new(q: State, r: State, guarantee: Guarantee) -> Pair {
        let mut hasher = FxHasher::default();
        hash_state(&q, &mut hasher);
        hash_state(&r, &mut hasher);
        let obvious = counts(&q) != counts(&r);
        Pair { q, r, guarantee, hash: hasher.finish(), obvious, shuffled: Vec::new() }
    }

    /// Order 0 is as generated; others list vectors in a seeded random order.
    pub fn ordered(&self, order: u32) -> (&State, &State) {
        match order.checked_sub(1).and_then(|i| self.shuffled.get(i as usize)) {
            Some((q, r)) => (q, r),
            None => (&self.q, &self.r),
        }
    }

    pub fn expected(&self, relations: Relations) -> RowAnswer {
        match self.guarantee.expected(relations) {
            Expected::Equivalent => RowAnswer::Yes,
            Expected::NotEquivalent => RowAnswer::No,
            Expected::Unknown => RowAnswer::Unknown,
        }
    }
}

/// What a file or a program says of a pair.
fn given(equivalent: bool, relations: Relations) -> Guarantee {
    match equivalent {
        true => Guarantee { equivalent: Some(relations), different: Vec::new() },
        false => Guarantee { equivalent: None, different: vec![relations] },
    }
}

/// A state and the same under other names.
fn shuffled(state: State, rng: &mut Rng) -> anyhow::Result<Pair> {
    let rename = Transformation { kind: TransformKind::Rename, strength: 1.0 };
    let generated = apply(&[rename], &state, rng)?;
    Ok(Pair::new(state, generated.state, generated.guarantee))
}

/// CPU time that making a pair took.
#[derive(Clone, Copy, Debug, Default)]
pub struct GeneratingTime {
    /// Of this process.
    pub worker: Duration,
    /// Of the user's program.
    pub program: Duration,
}

/// The user's program has no pair for a row.
#[derive(Debug, thiserror::Error)]
#[error("the generator makes no such pair")]
pub struct NoSuchPair;

/// Whether an error says that one pair cannot be made, and not that the experiment is wrong.
pub fn is_impossible(error: &anyhow::Error) -> bool {
    use pidlab_generators::ParamError;
    use pidlab_generators::hard::HardError;
    use pidlab_generators::transform::TransformError;
    matches!(
        error.downcast_ref(),
        Some(TransformError::Impossible { .. } | TransformError::Redrawn { .. })
    ) || matches!(error.downcast_ref(), Some(HardError::NoTwin { .. } | HardError::NotFound { .. }))
        || matches!(error.downcast_ref(), Some(ParamError::NoRoom { .. }))
        || error.is::<NoSuchPair>()
}

/// Makes the pairs of one block, each once.
pub struct PairSource<'p> {
    plan: &'p Plan,
    block: u64,
    base: Option<State>,
    loaded: Option<Loaded>,
    current: Option<((usize, u64), Pair)>,
}

impl<'p> PairSource<'p> {
    pub fn new(plan: &'p Plan, block: u64) -> PairSource<'p> {
        PairSource { plan, block, base: None, loaded: None, current: None }
    }

    /// The pair of a row, the CPU time it took to make it (nothing if it was there already), and
    /// the CPU clock now. Reading that clock costs most of a microsecond: each reading ends one
    /// thing and begins the next.
    pub fn pair(
        &mut self,
        place: &Place,
        generators: &mut Generators,
    ) -> anyhow::Result<(&Pair, GeneratingTime, Duration)> {
        let key = place.pair();
        let mut time = GeneratingTime::default();
        let mut now = process_cpu();
        if self.current.as_ref().is_none_or(|(current, _)| *current != key) {
            self.current = None;
            self.current = Some((key, self.make(place, generators, &mut time.program)?));
            let before = std::mem::replace(&mut now, process_cpu());
            time.worker = now.saturating_sub(before);
        }
        match &self.current {
            Some((_, pair)) => Ok((pair, time, now)),
            None => anyhow::bail!("no pair was made"),
        }
    }

    fn make(
        &mut self,
        place: &Place,
        generators: &mut Generators,
        program: &mut Duration,
    ) -> anyhow::Result<Pair> {
        let stream = self.plan.stream(self.block, place.transformation, place.variant);
        let mut rng = Rng::new(self.plan.seed, stream);
        let set = &self.plan.experiment.states[place.set];
        let mut pair = match (&set.family, &set.explored) {
            (Some(family), _) => self.instance(*family, place)?,
            (_, Some(explored)) => self.met(explored, place, &mut rng)?,
            _ if set.is_listed() => self.listed(place, &mut rng)?,
            _ if set.generator.is_some() => self.generated(place, &mut rng, generators, program)?,
            _ => self.vary(place, &mut rng)?,
        };
        for _ in 1..self.plan.experiment.orders {
            let shuffled = (reordered(&pair.q, &mut rng)?, reordered(&pair.r, &mut rng)?);
            pair.shuffled.push(shuffled);
        }
        Ok(pair)
    }

    fn vary(&mut self, place: &Place, rng: &mut Rng) -> anyhow::Result<Pair> {
        let base = self.base(place)?.clone();
        self.varied(base, place, rng)
    }

    /// A state and what the transformation of the row makes of it.
    fn varied(&self, base: State, place: &Place, rng: &mut Rng) -> anyhow::Result<Pair> {
        let steps = &self.plan.experiment.transformations[place.transformation].steps;
        let generated = apply(steps, &base, rng)?;
        Ok(Pair::new(base, generated.state, generated.guarantee))
    }

    /// A pair from a file, or what is made of a state from a file.
    fn listed(&mut self, place: &Place, rng: &mut Rng) -> anyhow::Result<Pair> {
        let inputs = self.plan.experiment.inputs.as_ref().context("there are no inputs")?;
        let item = self.plan.item_of(self.block);
        let Loaded { q, r } = match self.loaded.take() {
            Some(loaded) => loaded,
            None => inputs.load(place.set, item)?,
        };
        let pair = self.pair_of((&q, r.as_ref()), place, rng);
        self.loaded = Some(Loaded { q, r });
        pair
    }

    fn pair_of(
        &self,
        (q, r): (&Material, Option<&Material>),
        place: &Place,
        rng: &mut Rng,
    ) -> anyhow::Result<Pair> {
        let inputs = self.plan.experiment.inputs.as_ref().context("there are no inputs")?;
        let item = self.plan.item_of(self.block);
        let known = inputs.set(place.set).and_then(|set| set.items[item].known);
        match (q, r) {
            (_, Some(r)) => {
                let guarantee = known.map(|known| given(known.equivalent, known.relations));
                Ok(Pair::new(q.to_state()?, r.to_state()?, guarantee.unwrap_or_default()))
            }
            (_, None) if !self.plan.is_shuffled(place.set) => {
                self.varied(q.to_state()?, place, rng)
            }
            (Material::State(state), None) => shuffled((**state).clone(), rng),
            (Material::Graph(graph), None) => {
                let other = Material::shuffled(graph, rng).to_state()?;
                // roots are siblings: a sibling relation would order the vertices
                let blind = Relations::NONE.with(Relation::Parent).with(Relation::Ancestor);
                Ok(Pair::new(graph.to_state()?, other, given(true, blind)))
            }
        }
    }

    /// A pair that the user's program makes.
    fn generated(
        &self,
        place: &Place,
        rng: &mut Rng,
        generators: &mut Generators,
        program: &mut Duration,
    ) -> anyhow::Result<Pair> {
        let seed = rng.next_u64();
        let Some(made) = generators.make(self.plan, place, seed)? else {
            return Err(NoSuchPair.into());
        };
        *program = made.cpu;
        let guarantee = made.known.map(|(equivalent, relations)| given(equivalent, relations));
        match made.r {
            Some(r) => Ok(Pair::new(made.q, r, guarantee.unwrap_or_default())),
            None if self.plan.experiment.transformations.is_empty() => shuffled(made.q, rng),
            None => self.varied(made.q, place, rng),
        }
    }

    /// The base state of a hard family and its equivalent or its twin.
    fn instance(&self, family: Family, place: &Place) -> anyhow::Result<Pair> {
        let variation = self.plan.experiment.transformations.get(place.transformation);
        let variant = variation.and_then(|v| v.variant).unwrap_or(Variant::Equivalent);
        let size = place.size as usize;
        let seed = Rng::new(self.plan.seed, self.plan.base_stream(self.block)).next_u64();
        let base = hard::instance(family, size, Variant::Base, seed)?;
        let other = hard::instance(family, size, variant, seed)?;
        Ok(Pair::new(base.state, other.state, other.guarantee))
    }

    /// One of the comparisons of an exploration under the first set of relations.
    fn met(&self, explored: &Explored, place: &Place, rng: &mut Rng) -> anyhow::Result<Pair> {
        let relations = self.plan.experiment.relations[0];
        let all = explored.comparisons(place.size, relations, self.plan.seed)?;
        anyhow::ensure!(!all.is_empty(), "an exploration with {} made no comparison", place.size);
        let met = all[rng.index(all.len())].clone();
        Ok(Pair::new(met.q, met.r, met.guarantee))
    }

    fn base(&mut self, place: &Place) -> anyhow::Result<&State> {
        if self.base.is_none() {
            let set = &self.plan.experiment.states[place.set];
            let params = set.params(place.size).unwrap_or_default();
            let mut rng = Rng::new(self.plan.seed, self.plan.base_stream(self.block));
            self.base = Some(random_state(&params, &mut rng)?);
        }
        match &self.base {
            Some(base) => Ok(base),
            None => anyhow::bail!("no base state was made"),
        }
    }
}

/// The same state with its vectors listed in another order.
fn reordered(state: &State, rng: &mut Rng) -> anyhow::Result<State> {
    let mut draft = Draft::of(state);
    draft.reorder(&rng.permutation(state.vector_count()));
    Ok(draft.to_state()?)
}

/// Pids, active pids, and vectors of each location.
fn counts(state: &State) -> (usize, usize, Vec<(&str, usize)>) {
    let active = state.pids().filter(|&pid| state.is_active(pid)).count();
    let mut vectors: Vec<(&str, usize)> =
        state.locations().iter().map(|name| (&**name, 0)).collect();
    for vector in 0..state.vector_count() {
        vectors[state.location_of(vector) as usize].1 += 1;
    }
    (state.pid_count(), active, vectors)
}

/// Everything that distinguishes two states as generated.
fn hash_state(state: &State, hasher: &mut FxHasher) {
    for pid in state.pids() {
        state.forest().ancestor(pid).hash(hasher);
        state.forest().steps_of(pid).hash(hasher);
    }
    state.eta_array().hash(hasher);
    for vector in 0..state.vector_count() {
        state.location_of(vector).hash(hasher);
        state.vector(vector).hash(hasher);
    }
    state.locations().hash(hasher);
    state.data().hash(hasher);
}
