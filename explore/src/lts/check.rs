//! SACS'10, Assumptions 1 to 3, tested on the states and transitions of a labelled transition system.
//!
//! Every state is tested for Assumption 2, every transition for Assumption 1. For Assumption 3 the steps of
//! a state are compared with those of the first state of its class, and with themselves under every
//! generator of its automorphisms (see `steps`). The first failure of each is kept with what it takes to
//! see it.

use super::keys::Keys;
use super::label::{LabelView, Part};
use super::name::dotted;
use super::schema::Schema;
use super::state::LtsState;
use super::steps::{Origin, Step, StepSet, Stepper, first_fault, origin, origins};
use super::write::state_value;
use crate::net::marking::Element;
use crate::search::Failure;
use pidlab_budget::Budget;
use pidlab_core::Relations;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// How often an assumption was tested, and the first failure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assumption {
    /// 1 to 3, as SACS'10 numbers them.
    pub id: u32,
    /// Whether no test failed.
    pub holds: bool,
    /// Transitions (1), states (2), pairs of a state with an equivalent one or with itself (3).
    pub tests: u64,
    /// The first failure: the states, the label, and why in words.
    pub counterexample: Option<Value>,
}

impl Assumption {
    fn new(id: u32) -> Assumption {
        Assumption { id, holds: true, tests: 0, counterexample: None }
    }

    fn fail(&mut self, counterexample: impl FnOnce() -> Value) {
        if self.holds {
            self.holds = false;
            self.counterexample = Some(counterexample());
        }
    }
}

/// A transition of the state being tested.
#[derive(Clone, Default)]
pub struct Target {
    pub label: Vec<u8>,
    pub state: LtsState,
    origins: Vec<Origin>,
    label_origins: Vec<Origin>,
    /// Whether Assumption 1 holds and the label names pids of the state.
    is_sound: bool,
}

/// A state with its transitions, its canonical order and its written steps.
#[derive(Default)]
pub struct Expanded {
    pub state: LtsState,
    targets: Vec<Target>,
    used: usize,
    order: Vec<Element>,
    steps: StepSet,
}

impl Expanded {
    /// Makes room for the transitions of another state.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Room for one more transition.
    pub fn push(&mut self) -> &mut Target {
        if self.used == self.targets.len() {
            self.targets.push(Target::default());
        }
        self.used += 1;
        &mut self.targets[self.used - 1]
    }

    fn targets(&self) -> &[Target] {
        &self.targets[..self.used]
    }
}

/// Tests states and transitions; keeps its memory.
pub struct Checker {
    relations: Relations,
    budget: Budget,
    keys: Keys,
    stepper: Stepper,
    renamed: StepSet,
    place: Vec<Element>,
    key: Vec<u8>,
    /// The failures so far.
    pub assumptions: [Assumption; 3],
    /// Whether some transition cannot be compared with others.
    has_unsound: bool,
    /// The first of them that Assumption 3 would have compared.
    left_out: Option<Value>,
}

impl Checker {
    pub fn new(relations: Relations, budget: &Budget) -> Checker {
        Checker {
            relations,
            budget: budget.clone(),
            keys: Keys::within(budget),
            stepper: Stepper::default(),
            renamed: StepSet::default(),
            place: Vec::new(),
            key: Vec::new(),
            assumptions: [1, 2, 3].map(Assumption::new),
            has_unsound: false,
            left_out: None,
        }
    }

    /// What was found. Assumption 3 is not said to hold where transitions were left out of its comparisons; a pair of states that
    /// breaks it says more and goes first.
    pub fn verdicts(&self) -> Vec<Assumption> {
        let mut verdicts = self.assumptions.to_vec();
        if let (Some(third), Some(left_out)) = (verdicts.last_mut(), &self.left_out) {
            third.fail(|| left_out.clone());
        }
        verdicts
    }

    /// One that has tested nothing, for another part of the same system.
    pub fn another(&self) -> Checker {
        Checker::new(self.relations, &self.budget)
    }

    /// Adds what another one has found; what was found here comes first.
    pub fn add(&mut self, other: Checker) {
        for (mine, other) in self.assumptions.iter_mut().zip(other.assumptions) {
            mine.tests += other.tests;
            if mine.holds {
                (mine.holds, mine.counterexample) = (other.holds, other.counterexample);
            }
        }
        self.left_out = self.left_out.take().or(other.left_out);
    }

    /// Assumption 2.
    #[inline]
    pub fn state(&mut self, schema: &Schema, state: &LtsState) {
        let second = &mut self.assumptions[1];
        second.tests += 1;
        if let Some(reason) = state.fault_text() {
            second.fail(|| json!({"state": state_value(schema, state), "reason": reason}));
        }
    }

    /// Assumption 2 for many states, of which the first that breaks it is given.
    pub fn states(&mut self, schema: &Schema, states: u64, inconsistent: Option<&LtsState>) {
        self.assumptions[1].tests += states - u64::from(inconsistent.is_some());
        if let Some(state) = inconsistent {
            self.state(schema, state);
        }
    }

    /// Assumption 1 for all transitions of a state, and Assumption 3 for the state and itself.
    pub fn expanded(&mut self, schema: &Schema, q: &mut Expanded) -> Result<(), Failure> {
        self.budget.step()?;
        let Expanded { state, targets, used, .. } = q;
        for target in &mut targets[..*used] {
            self.transition(schema, state, target);
        }
        self.keys.key(&schema.places, self.relations, &q.state, &mut self.key)?;
        q.order.clear();
        q.order.extend_from_slice(self.keys.order());
        let symmetries =
            self.keys.symmetries(&schema.places, self.relations, &q.state, &self.key)?;
        self.write(schema, q, None);
        q.steps.clone_from(&self.renamed);
        for image in symmetries {
            self.budget.step()?;
            self.assumptions[2].tests += 1;
            self.note_left_out(schema, q);
            self.write(schema, q, Some(&image));
            if let Some(step) = self.renamed.missing_in(&q.steps) {
                let label = |schema| label_fields(schema, q, step);
                self.assumptions[2].fail(|| {
                    let reason = "the automorphism `bijection` of q renames this transition to one that q does not have";
                    pair(schema, q, &q.state, |x| image[x as usize], label(schema), step, reason)
                });
            }
        }
        Ok(())
    }

    /// Assumption 3 for two equivalent states.
    pub fn equivalent(&mut self, schema: &Schema, q: &Expanded, r: &Expanded) {
        self.note_left_out(schema, q);
        self.note_left_out(schema, r);
        let third = &mut self.assumptions[2];
        third.tests += 1;
        for (one, other) in [(q, r), (r, q)] {
            let Some(step) = one.steps.missing_in(&other.steps) else { continue };
            let image = |x: Element| {
                let at = one.order.iter().position(|&thread| thread == x);
                at.map_or(x, |at| other.order[at])
            };
            third.fail(|| {
                let reason = "this transition of q, renamed by `bijection`, has no counterpart at the equivalent state r";
                let label = label_fields(schema, one, step);
                pair(schema, one, &other.state, image, label, step, reason)
            });
        }
    }

    /// Assumption 1, and whether the label can be renamed.
    fn transition(&mut self, schema: &Schema, q: &LtsState, target: &mut Target) {
        let first = &mut self.assumptions[0];
        first.tests += 1;
        let Target { label, state, origins: from, label_origins, is_sound } = target;
        origins(q, state, from);
        let fault = first_fault(q, state, from);
        if let Some((thread, reason)) = fault {
            first.fail(|| {
                let pid = dotted(state.name(thread));
                let mut fields = fields(schema, label);
                fields.insert("from".into(), state_value(schema, q));
                fields.insert("to".into(), state_value(schema, state));
                fields.insert("reason".into(), format!("pid {pid} {reason}").into());
                Value::Object(fields)
            });
        }
        let view = LabelView::of(label);
        label_origins.clear();
        let parameters = view.parameters.iter().filter_map(|&(_, part)| match part {
            Part::Pid(pid) => Some(pid),
            Part::Data(_) => None,
        });
        let pids = view.pid.into_iter().chain(parameters);
        label_origins.extend(pids.map(|pid| origin(q, pid)));
        let foreign = label_origins.contains(&Origin::Foreign);
        if foreign {
            self.assumptions[2].fail(|| {
                let mut fields = fields(schema, label);
                fields.insert("q".into(), state_value(schema, q));
                let reason = "the label names a pid that is neither one of the state nor created next, so that no bijection renames it";
                fields.insert("reason".into(), reason.into());
                Value::Object(fields)
            });
        }
        *is_sound = fault.is_none() && state.fault.is_none() && !foreign;
        self.has_unsound |= !*is_sound;
    }

    /// Notes a transition of a state that is compared with another, or with itself renamed, which no bijection renames.
    fn note_left_out(&mut self, schema: &Schema, q: &Expanded) {
        if !self.has_unsound || self.left_out.is_some() {
            return;
        }
        self.left_out = q.targets().iter().find_map(|Target { label, state, origins, .. }| {
            let broken = match (first_fault(&q.state, state, origins), &state.fault) {
                (Some(_), _) => "breaks Assumption 1",
                (None, Some(_)) => "leads to a state that breaks Assumption 2",
                // a label that cannot be renamed has been told
                (None, None) => return None,
            };
            Some(left_out(schema, &q.state, label, state, broken))
        });
    }

    /// Writes the steps of q, its threads renamed by an automorphism, to `renamed`.
    fn write(&mut self, schema: &Schema, q: &Expanded, image: Option<&[Element]>) {
        self.place.clear();
        self.place.resize(q.order.len(), 0);
        for (at, &thread) in q.order.iter().enumerate() {
            self.place[thread as usize] = at as Element;
        }
        if let Some(image) = image {
            let renamed = image.iter().map(|&y| self.place[y as usize]).collect();
            self.place = renamed;
        }
        let views: Vec<LabelView<'_>> =
            q.targets().iter().map(|target| LabelView::of(&target.label)).collect();
        let steps = q.targets().iter().zip(&views).filter(|(target, _)| target.is_sound);
        let steps = steps.map(|(target, label)| Step {
            label,
            label_origins: &target.label_origins,
            to: &target.state,
            origins: &target.origins,
        });
        let Checker { stepper, renamed, place, relations, .. } = self;
        stepper.write(schema, *relations, &q.state, place, steps, renamed);
    }
}

/// A transition that no bijection carries over to another state.
fn left_out(schema: &Schema, q: &LtsState, label: &[u8], to: &LtsState, broken: &str) -> Value {
    let mut fields = fields(schema, label);
    fields.insert("q".into(), state_value(schema, q));
    fields.insert("to".into(), state_value(schema, to));
    let reason = format!(
        "this transition of q {broken}, so that it could not be compared with those of equivalent states"
    );
    fields.insert("reason".into(), reason.into());
    Value::Object(fields)
}

fn fields(schema: &Schema, label: &[u8]) -> Map<String, Value> {
    let mut fields = Map::new();
    LabelView::of(label).write_fields(schema, &mut fields);
    fields
}

/// The transition that a written step stands for: those that are not sound are not written.
fn written(q: &Expanded, step: u32) -> Option<&Target> {
    q.targets().iter().filter(|target| target.is_sound).nth(step as usize)
}

fn label_fields(schema: &Schema, q: &Expanded, step: u32) -> Map<String, Value> {
    written(q, step).map(|target| fields(schema, &target.label)).unwrap_or_default()
}

/// The offending pair.
fn pair(
    schema: &Schema,
    q: &Expanded,
    r: &LtsState,
    image: impl Fn(Element) -> Element,
    mut fields: Map<String, Value>,
    step: u32,
    reason: &str,
) -> Value {
    let name = |state: &LtsState, thread| format!("@{}", dotted(state.name(thread)));
    let bijection = (0..q.state.threads.len() as Element)
        .map(|x| (name(&q.state, x), name(r, image(x)).into()))
        .collect();
    fields.insert("q".into(), state_value(schema, &q.state));
    fields.insert("r".into(), state_value(schema, r));
    fields.insert("bijection".into(), Value::Object(bijection));
    if let Some(target) = written(q, step) {
        fields.insert("to".into(), state_value(schema, &target.state));
    }
    fields.insert("reason".into(), reason.into());
    Value::Object(fields)
}
