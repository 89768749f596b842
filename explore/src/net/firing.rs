//! The firing rule: bindings of a transition at a marking, and the marking after.
//!
//! Inputs are bound one after another by backtracking; a part of a guard is checked as soon as its
//! variables are bound. Equal tokens of a place give the same binding, which is tried once. A
//! binding stands for itself and, where orbits are given, for all that symmetry makes of it.

use super::compiled::{Net, Origin, Transition};
use super::expr::{Pattern, Trouble, Variables, value_of, word_of};
use super::marking::{ACTIVE, Element, Marking, NONE, PlaceTokens};
use super::syntax::Span;
use crate::search::Failure;
use pidlab_budget::Budget;
use pidlab_core::Relations;

/// Memory of the firing rule, reused.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The variables of the transition under way.
    pub variables: Variables,
    /// Tokens bound so far: place, and where the token begins.
    used: Vec<Bound>,
    /// Threads that vanished when the last binding fired, ascending.
    pub vanished: Vec<Element>,
    renumber: Vec<Element>,
    consumed: Vec<Bound>,
    room: Vec<u32>,
}

impl Scratch {
    pub fn within(budget: &Budget) -> Scratch {
        let mut scratch = Scratch::default();
        scratch.variables.budget = budget.clone();
        scratch
    }
}

#[derive(Clone, Copy, Debug)]
struct Bound {
    place: u32,
    start: u32,
    consume: bool,
}

/// The firing rule of a net whose markings keep some relations.
#[derive(Clone, Copy)]
pub struct FiringRule<'n> {
    pub net: &'n Net,
    pub kept: Relations,
}

impl<'n> FiringRule<'n> {
    /// Calls `visit` with every transition and binding that may fire, its weight, and a function
    /// that gives the marking after.
    pub fn each<F>(
        &self,
        marking: &Marking,
        orbits: Option<&[u32]>,
        scratch: &mut Scratch,
        mut visit: F,
    ) -> Result<(), Failure>
    where
        F: FnMut(&'n Transition, u32, &mut Scratch) -> Result<(), Failure>,
    {
        for transition in &self.net.transitions {
            scratch.variables.reset(transition.slots);
            scratch.used.clear();
            let mut search =
                BindingSearch { rule: self, marking, transition, orbits, visit: &mut visit };
            if search.all_hold(&transition.before, scratch)? {
                search.bind(0, 0, scratch)?;
            }
        }
        Ok(())
    }

    /// The marking after the binding in `scratch` fires; `false` if a guard on created pids fails.
    pub fn fire(
        &self,
        marking: &Marking,
        transition: &Transition,
        scratch: &mut Scratch,
        out: &mut Marking,
    ) -> Result<bool, Failure> {
        let copied = marking.threads.len() + marking.words.len();
        scratch.variables.budget.spend(copied as u64)?;
        out.threads.clone_from(&marking.threads);
        out.origin = marking.origin;
        out.orbits.clear();
        for create in &transition.creates {
            out.touch(scratch.variables.values[create.parent] as Element);
            for i in 0..create.number {
                let child =
                    out.create(scratch.variables.values[create.parent] as Element, self.kept);
                scratch.variables.values[create.first + i] = i64::from(child);
            }
        }
        out.starts.clone_from(&marking.starts);
        out.words.clone_from(&marking.words);
        if !transition.after.is_empty() {
            for condition in &transition.after {
                if !condition.holds(&mut scratch.variables, out).map_err(|t| self.failed(t))? {
                    return Ok(false);
                }
            }
        }
        for &slot in &transition.ends {
            out.touch(scratch.variables.values[slot] as Element);
            out.end(scratch.variables.values[slot] as Element);
        }
        self.move_tokens(marking, transition, scratch, out)?;
        self.drop_vanished(marking, transition, scratch, out);
        Ok(true)
    }

    fn failed(&self, trouble: Trouble) -> Failure {
        failure_of(self.net, trouble)
    }

    fn move_tokens(
        &self,
        marking: &Marking,
        transition: &Transition,
        scratch: &mut Scratch,
        out: &mut Marking,
    ) -> Result<(), Failure> {
        let Scratch { variables, used, consumed, room, .. } = scratch;
        consumed.clear();
        consumed.extend(used.iter().filter(|bound| bound.consume));
        // from the back, so that the starts noted stay right
        consumed.sort_unstable_by_key(|bound| std::cmp::Reverse(bound.start));
        for bound in consumed.iter() {
            let place = bound.place as usize;
            out.remove(place, bound.start as usize, self.net.places[place].width);
        }
        for output in &transition.outputs {
            room.clear();
            for arg in &output.args {
                let value = arg.eval(variables, marking).map_err(|t| self.failed(t))?;
                room.push(word_of(value).ok_or_else(|| failure(self.net, output.span, TOO_LARGE))?);
            }
            for check in &output.checks {
                let value = value_of(room[check.component]);
                if let Some(message) = self.net.outside((output.place, check.component), value) {
                    return Err(failure(self.net, check.span, &message));
                }
            }
            let info = &self.net.places[output.place];
            info.pids.iter().for_each(|&pid| out.touch(room[pid]));
            out.make_room(output.place, info.width).copy_from_slice(room);
        }
        Ok(())
    }

    /// Threads that are not active and that no token holds any more are gone.
    fn drop_vanished(
        &self,
        marking: &Marking,
        transition: &Transition,
        scratch: &mut Scratch,
        out: &mut Marking,
    ) {
        scratch.vanished.clear();
        for bound in scratch.used.iter().filter(|bound| bound.consume) {
            for &pid in &self.net.places[bound.place as usize].pids {
                let thread = marking.words[bound.start as usize + pid];
                out.touch(thread);
                let active = out.threads[thread as usize].flags & ACTIVE != 0;
                if !active && !scratch.vanished.contains(&thread) && !self.holds(out, thread) {
                    scratch.vanished.push(thread);
                }
            }
        }
        self.drop_ended(transition, scratch, out);
        if scratch.vanished.is_empty() {
            return;
        }
        scratch.vanished.sort_unstable();
        for &gone in &scratch.vanished {
            out.unlink(gone, self.kept);
        }
        self.compact(scratch, out);
    }

    /// Threads bound by `active` alone have no token whose loss would show that they are gone.
    fn drop_ended(&self, transition: &Transition, scratch: &mut Scratch, out: &Marking) {
        for &slot in &transition.ends {
            let thread = scratch.variables.values[slot] as Element;
            if !scratch.vanished.contains(&thread) && !self.holds(out, thread) {
                scratch.vanished.push(thread);
            }
        }
    }

    /// Whether a token holds a thread.
    fn holds(&self, marking: &Marking, thread: Element) -> bool {
        self.net.places.iter().enumerate().any(|(place, info)| {
            !info.pids.is_empty()
                && PlaceTokens::new(marking.place(place), info.width)
                    .any(|token| info.pids.iter().any(|&pid| token[pid] == thread))
        })
    }

    fn compact(&self, scratch: &mut Scratch, out: &mut Marking) {
        let Scratch { vanished, renumber, .. } = scratch;
        renumber.clear();
        let mut next = 0;
        for thread in 0..out.threads.len() as Element {
            let gone = vanished.contains(&thread);
            renumber.push(if gone { NONE } else { next });
            if !gone {
                out.threads[next as usize] = out.threads[thread as usize];
                next += 1;
            }
        }
        out.threads.truncate(next as usize);
        let new = |old: Element| if old == NONE { NONE } else { renumber[old as usize] };
        for thread in &mut out.threads {
            thread.up = new(thread.up);
            thread.elder = new(thread.elder);
            thread.youngest = new(thread.youngest);
        }
        for (place, info) in self.net.places.iter().enumerate() {
            let range = out.starts[place] as usize..out.starts[place + 1] as usize;
            for token in out.words[range].chunks_exact_mut(info.width) {
                for &pid in &info.pids {
                    token[pid] = new(token[pid]);
                }
            }
        }
    }
}

/// What trouble with an expression means for a search.
pub fn failure_of(net: &Net, trouble: Trouble) -> Failure {
    match trouble {
        Trouble::Undefined { what, span } => failure(net, span, what),
        Trouble::Limit(what) => Failure::Limit(what),
    }
}

/// A fault of the model at run time, with its place in the text.
pub fn failure(net: &Net, span: Span, what: &str) -> Failure {
    Failure::Model(net.source.error(span, what).to_string())
}

const TOO_LARGE: &str = "this token's data leave the range of 32-bit integers";

/// The bindings of one transition.
struct BindingSearch<'s, 'n, F> {
    rule: &'s FiringRule<'n>,
    marking: &'s Marking,
    transition: &'n Transition,
    orbits: Option<&'s [u32]>,
    visit: &'s mut F,
}

impl<'n, F> BindingSearch<'_, 'n, F>
where
    F: FnMut(&'n Transition, u32, &mut Scratch) -> Result<(), Failure>,
{
    fn all_hold(
        &self,
        conditions: &[super::expr::Expr],
        scratch: &mut Scratch,
    ) -> Result<bool, Failure> {
        for condition in conditions {
            let holds = condition.holds(&mut scratch.variables, self.marking);
            if !holds.map_err(|t| self.rule.failed(t))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Binds the inputs from `level` on; `weight` is 0 until a pid is bound.
    fn bind(&mut self, level: usize, weight: u32, scratch: &mut Scratch) -> Result<(), Failure> {
        let Some(input) = self.transition.inputs.get(level) else {
            let threads = &self.marking.threads;
            let active =
                |&slot: &usize| threads[scratch.variables.values[slot] as usize].is_active();
            if self.transition.active.iter().all(active) {
                (self.visit)(self.transition, weight.max(1), scratch)?;
            }
            return Ok(());
        };
        match &input.from {
            Origin::Token { pattern, consume, .. } => {
                self.bind_token(level, pattern, *consume, weight, scratch)
            }
            Origin::Active(slot) => self.bind_active(level, *slot, weight, scratch),
        }
    }

    fn bind_token(
        &mut self,
        level: usize,
        pattern: &Pattern,
        consume: bool,
        weight: u32,
        scratch: &mut Scratch,
    ) -> Result<(), Failure> {
        let marking = self.marking;
        let place = pattern.place as u32;
        let start = marking.starts[pattern.place];
        let words = marking.place(pattern.place);
        let mut next = start;
        for token in PlaceTokens::new(words, pattern.width) {
            scratch.variables.budget.spend(1)?;
            let at = next;
            next += pattern.width as u32;
            let is_used = |at: u32| scratch.used.iter().any(|b| b.place == place && b.start == at);
            if is_used(at)
                || is_repeated(words, (at - start) as usize, token)
                    && !is_used(at - pattern.width as u32)
            {
                continue;
            }
            let Some(weight) = self.weigh_token(pattern, token, weight) else { continue };
            let matches = pattern.matches(token, &mut scratch.variables, marking);
            if !matches.map_err(|t| self.rule.failed(t))?
                || !self.all_hold(&self.transition.inputs[level].conditions, scratch)?
            {
                continue;
            }
            scratch.used.push(Bound { place, start: at, consume });
            self.bind(level + 1, weight, scratch)?;
            scratch.used.pop();
        }
        Ok(())
    }

    /// The weight once a token is bound; `None` if a copy stands for it.
    fn weigh_token(&self, pattern: &Pattern, token: &[u32], weight: u32) -> Option<u32> {
        match (self.rule.net.places[pattern.place].pids.first(), weight) {
            (Some(&pid), 0) => self.weigh(token[pid]),
            _ => Some(weight),
        }
    }

    fn weigh(&self, thread: Element) -> Option<u32> {
        match self.orbits {
            None => Some(1),
            Some(orbits) => Some(orbits[thread as usize]).filter(|&orbit| orbit > 0),
        }
    }

    fn bind_active(
        &mut self,
        level: usize,
        slot: usize,
        weight: u32,
        scratch: &mut Scratch,
    ) -> Result<(), Failure> {
        for thread in 0..self.marking.threads.len() as Element {
            scratch.variables.budget.spend(1)?;
            if !self.marking.threads[thread as usize].is_active() {
                continue;
            }
            let weight = if weight == 0 { self.weigh(thread) } else { Some(weight) };
            let Some(weight) = weight else { continue };
            scratch.variables.values[slot] = i64::from(thread);
            if self.all_hold(&self.transition.inputs[level].conditions, scratch)? {
                self.bind(level + 1, weight, scratch)?;
            }
        }
        Ok(())
    }
}

/// Whether a token equals the one before it in its place.
#[inline]
fn is_repeated(words: &[u32], start: usize, token: &[u32]) -> bool {
    start >= token.len()
        && words[start - token.len()] == token[0]
        && words[start - token.len()..start] == *token
}
