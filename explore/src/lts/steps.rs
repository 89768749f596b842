//! Transitions seen from the canonical order of the state they leave: SACS'10, Assumptions 1 and 3.
//!
//! A step q –t→ r is written down with the threads of q by canonical place and new threads by creator
//! and number. If Assumption 1 holds, every pid of r has such a name, so a bijection h between q and q'
//! leaves nothing to choose about r: the steps of q and q' correspond (Assumption 3, for this h) exactly
//! when both lists of written steps hold the same. Assumption 3 for *all* bijections of a class follows
//! from one bijection to every state and from generators of the automorphisms of one, because steps that
//! correspond under h and under k correspond under k ∘ h.
//!
//! Several children of a thread in one step (the nets of section 6 create k at once) count as created
//! one after the other. Cost: linear in the state and its successors but for sorting.

use super::label::{LabelView, Part};
use super::name::first_segment;
use super::schema::Schema;
use super::state::LtsState;
use crate::net::canon::bytes::put;
use crate::net::canon::general::General;
use crate::net::marking::{Element, NONE};
use pidlab_core::Relations;

/// Where a thread comes from, seen from the state before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A thread of the state before.
    Old(Element),
    /// The n-th new child of an active thread of the state before.
    New(Element, u64),
    /// Neither.
    Foreign,
}

/// Where a pid comes from that is known by name.
pub fn origin(q: &LtsState, name: &[u8]) -> Origin {
    if let Some(thread) = q.find(name) {
        return Origin::Old(thread);
    }
    let (mut at, mut last) = (0, 0);
    while at < name.len() {
        last = at;
        at += first_segment(&name[at..]).1;
    }
    new_child(q, &name[..last], first_segment(&name[last..]).0)
}

fn new_child(q: &LtsState, creator: &[u8], index: u64) -> Origin {
    let Some(thread) = q.find(creator).filter(|&thread| q.is_active(thread)) else {
        return Origin::Foreign;
    };
    match index.checked_sub(q.threads[thread as usize].created) {
        Some(number @ 1..) => Origin::New(thread, number),
        _ => Origin::Foreign,
    }
}

/// Where every thread of r comes from, written over `origins`.
pub fn origins(q: &LtsState, r: &LtsState, origins: &mut Vec<Origin>) {
    origins.clear();
    let mut next = 0;
    for thread in 0..r.threads.len() as Element {
        let name = r.name(thread);
        // both are in order
        while (next as usize) < q.threads.len() && q.name(next) < name {
            next += 1;
        }
        let is_old = (next as usize) < q.threads.len() && q.name(next) == name;
        origins.push(match is_old {
            true => Origin::Old(next),
            false => new_child(q, r.creator(thread), r.index(thread)),
        });
    }
}

/// A thread that breaks Assumption 1, and how.
pub fn first_fault(q: &LtsState, r: &LtsState, from: &[Origin]) -> Option<(Element, &'static str)> {
    (0..).zip(from).find_map(|(thread, origin)| match origin {
        Origin::Foreign => Some((
            thread,
            "is neither a pid of the state before nor a child that one of its active threads creates next",
        )),
        Origin::Old(before) if r.is_active(thread) && !q.is_active(*before) => {
            Some((thread, "is active but was not active before"))
        }
        _ => None,
    })
}

/// The steps of a state, written down.
#[derive(Clone, Debug, Default)]
pub struct StepSet {
    bytes: Vec<u8>,
    /// Where each step lies in `bytes`, and its number; sorted by contents.
    steps: Vec<(u32, u32, u32)>,
}

impl StepSet {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.steps.clear();
    }

    fn of(&self, step: &(u32, u32, u32)) -> &[u8] {
        &self.bytes[step.0 as usize..step.1 as usize]
    }

    fn sort(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        self.steps.sort_unstable_by(|a, b| {
            bytes[a.0 as usize..a.1 as usize].cmp(&bytes[b.0 as usize..b.1 as usize])
        });
        self.bytes = bytes;
    }

    /// The number of a step that the other set lacks.
    pub fn missing_in(&self, other: &StepSet) -> Option<u32> {
        let mut theirs = other.steps.iter().peekable();
        for step in &self.steps {
            let mine = self.of(step);
            while theirs.next_if(|their| other.of(their) < mine).is_some() {}
            if theirs.peek().is_none_or(|their| other.of(their) != mine) {
                return Some(step.2);
            }
        }
        None
    }
}

/// Writes steps; keeps its memory.
#[derive(Default)]
pub struct Stepper {
    general: General,
    keyed: Vec<((u64, u64), Element)>,
    order: Vec<Element>,
}

/// A step to be written.
pub struct Step<'s> {
    pub label: &'s LabelView<'s>,
    pub label_origins: &'s [Origin],
    pub to: &'s LtsState,
    pub origins: &'s [Origin],
}

impl Stepper {
    /// Writes all steps of q with its threads in the places `place`; they must not break Assumption 1.
    pub fn write<'s>(
        &mut self,
        schema: &Schema,
        relations: Relations,
        q: &LtsState,
        place: &[Element],
        steps: impl Iterator<Item = Step<'s>>,
        out: &mut StepSet,
    ) {
        out.clear();
        for (number, step) in (0..).zip(steps) {
            let start = out.bytes.len() as u32;
            write_label(place, &step, &mut out.bytes);
            self.write_target(schema, relations, q, place, &step, &mut out.bytes);
            out.steps.push((start, out.bytes.len() as u32, number));
        }
        out.sort();
    }

    fn write_target(
        &mut self,
        schema: &Schema,
        relations: Relations,
        q: &LtsState,
        place: &[Element],
        step: &Step<'_>,
        out: &mut Vec<u8>,
    ) {
        self.keyed.clear();
        let keyed = step.origins.iter().map(|&origin| rank(place, origin)).zip(0..);
        self.keyed.extend(keyed);
        self.keyed.sort_unstable();
        self.order.clear();
        self.order.extend(self.keyed.iter().map(|&(_, thread)| thread));
        put(out, self.order.len() as u64);
        for &((of, number), thread) in &self.keyed {
            put(out, of);
            put(out, number);
            put(out, next_name(q, step, place, thread));
        }
        self.general.write_in_order(&schema.places, relations, &step.to.marking, &self.order, out);
    }
}

/// A name that does not depend on pids: place of the thread or of its creator, and which child.
fn rank(place: &[Element], origin: Origin) -> (u64, u64) {
    let at = |thread: Element| u64::from(place[thread as usize]);
    match origin {
        Origin::Old(thread) => (at(thread), 0),
        Origin::New(creator, number) => (at(creator), number),
        Origin::Foreign => (u64::from(NONE), 0),
    }
}

/// What the next-pid of a thread of r is called in q: bijections agree where their domains meet.
fn next_name(q: &LtsState, step: &Step<'_>, place: &[Element], thread: Element) -> u64 {
    const NOT_THERE: u64 = 0;
    const NEXT_PID: u64 = 1;
    const PIDS: u64 = 2;
    let Origin::Old(before) = step.origins[thread as usize] else { return NOT_THERE };
    let (now, then) =
        (step.to.threads[thread as usize].created, q.threads[before as usize].created);
    if !step.to.is_active(thread) {
        return NOT_THERE;
    }
    if now == then {
        return NEXT_PID;
    }
    if now > then {
        return NOT_THERE;
    }
    let mut name = q.name(before).to_vec();
    super::name::push_segment(&mut name, now + 1);
    q.find(&name).map_or(NOT_THERE, |thread| PIDS + u64::from(place[thread as usize]))
}

fn write_label(place: &[Element], step: &Step<'_>, out: &mut Vec<u8>) {
    let label = step.label;
    put(out, label.action.into());
    put(out, u64::from(label.pid.is_some()) << 1 | u64::from(label.named));
    let mut origins = step.label_origins.iter();
    let mut pid = |out: &mut Vec<u8>| {
        let (of, number) = origins.next().map_or((0, 0), |&origin| rank(place, origin));
        put(out, of);
        put(out, number);
    };
    if label.pid.is_some() {
        pid(out);
    }
    put(out, label.parameters.len() as u64);
    for &(name, part) in &label.parameters {
        put(out, name.into());
        match part {
            Part::Pid(_) => {
                put(out, 1);
                pid(out);
            }
            Part::Data(datum) => {
                put(out, 0);
                put(out, datum.into());
            }
        }
    }
}
