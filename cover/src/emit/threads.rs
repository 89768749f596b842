//! A net as a system of threads: `.lgfsm`, or `.tts` with its property.
//!
//! Steps of one thread are lines of their own. Anything else is a sequence: in a shared state of its own each
//! thread that is needed goes aside, then the broadcast happens, then threads that have not been born yet,
//! of which there is any number, take the places of those that are put. Nothing else can move in between,
//! and a sequence that cannot be finished reaches nothing. Places of a plain Petri net become local states of
//! a system with one shared state. Where a `.tts` file cannot say how threads start, unborn threads are
//! sent to their places first.

use super::{EmitError, EmitFormat, Emitted, refuse};
use crate::budget::Budget;
use crate::config::{Config, Entry, OMEGA};
use crate::net::{Net, System, Transition};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Threads that a start or a target may name one by one.
const MOST_NAMED: u32 = 100_000;

pub fn emit(net: &Net, format: EmitFormat, budget: &Budget) -> Result<Emitted, EmitError> {
    let mut writer = Writer::new(net, format, budget);
    for t in &net.transitions {
        budget.steps(1 + t.pre.len() + t.post.len() + t.transfers.len())?;
        writer.transition(t)?;
    }
    writer.finish()
}

struct Writer<'a> {
    net: &'a Net,
    format: EmitFormat,
    budget: &'a Budget,
    /// The system whose states are used as they are.
    system: Option<&'a System>,
    /// Numbers that shared states begin with: those for the start come first.
    first_shared: u32,
    shared: u32,
    local: u32,
    /// Local states for threads that are gone, and for those that are not there yet.
    gone: Option<u32>,
    unborn: Option<u32>,
    lines: String,
    boot: String,
    /// Lines that there may be only one of.
    taken: FxHashSet<[u32; 4]>,
    broadcasts: FxHashSet<[u32; 2]>,
}

impl<'a> Writer<'a> {
    fn new(net: &'a Net, format: EmitFormat, budget: &'a Budget) -> Writer<'a> {
        let system =
            net.systems.first().filter(|system| net.systems.len() == 1 && fits(net, system));
        let usual = system.is_some_and(|system| starts_usually(net, system));
        let needs_boot = format == EmitFormat::Tts && !usual;
        let first_shared = u32::from(needs_boot);
        let (shared, local) = match system {
            Some(system) => (system.shared.len() as u32, system.local.len() as u32),
            None => (1, net.places.len() as u32),
        };
        let unborn = needs_boot.then_some(0);
        Writer {
            net,
            format,
            budget,
            system,
            first_shared,
            shared: first_shared + shared,
            local: local + u32::from(needs_boot),
            gone: None,
            unborn,
            lines: String::new(),
            boot: String::new(),
            taken: FxHashSet::default(),
            broadcasts: FxHashSet::default(),
        }
    }

    /// The number of a shared or local place in the file. In a `.tts` file that starts as usual, the
    /// first states must be those that threads start in, so they change places with the states 0.
    fn shared_number(&self, place: u32) -> u32 {
        self.first_shared + self.swapped(place - self.system.map_or(0, |s| s.shared.start), true)
    }

    fn local_number(&self, place: u32) -> u32 {
        let offset = self.system.map_or(0, |s| s.local.start);
        self.first_shared + self.swapped(place - offset, false)
    }

    fn swapped(&self, number: u32, is_shared: bool) -> u32 {
        let Some(system) = self.system else { return number };
        if self.format != EmitFormat::Tts || self.first_shared > 0 {
            return number;
        }
        let range = if is_shared { &system.shared } else { &system.local };
        let entries = self.net.initial.entries().iter();
        let first = entries.map(|e| e.0).find(|p| range.contains(p)).map_or(0, |p| p - range.start);
        match number {
            0 => first,
            n if n == first => 0,
            n => n,
        }
    }

    fn is_shared(&self, place: u32) -> bool {
        self.system.is_some_and(|system| system.shared.contains(&place))
    }

    /// The shared state of one side, and the local states, each as often as there are tokens.
    fn side(&self, entries: &[Entry]) -> Result<(u32, Vec<u32>), EmitError> {
        let mut shared = self.first_shared;
        let mut locals = Vec::new();
        for &(place, count) in entries {
            if self.is_shared(place) {
                shared = self.shared_number(place);
                continue;
            }
            if count > MOST_NAMED || locals.len() as u32 + count > MOST_NAMED {
                return Err(refuse(self.format, format!("more than {MOST_NAMED} threads by name")));
            }
            self.budget.steps(count as usize)?;
            locals.extend(std::iter::repeat_n(self.local_number(place), count as usize));
        }
        Ok((shared, locals))
    }

    fn transition(&mut self, t: &Transition) -> Result<(), EmitError> {
        let side = |entries| self.side(entries).map_err(|error| error.at_line(t.line));
        let ((from, taken), (to, put)) = (side(&t.pre)?, side(&t.post)?);
        let number = |&(a, b): &(u32, u32)| (self.local_number(a), self.local_number(b));
        let moves: Vec<(u32, u32)> = t.transfers.iter().map(number).collect();
        match (&taken[..], &put[..]) {
            (&[l], &[l2]) if self.taken.insert([from, l, to, l2]) => {
                let _ = write!(self.lines, "{from} {l} -> {to} {l2}");
                for (a, b) in moves {
                    let _ = write!(self.lines, " {a} ~> {b}");
                }
                self.lines.push('\n');
            }
            (&[l], &[a, b]) if moves.is_empty() && (a == l || b == l) => {
                let new = if a == l { b } else { a };
                let _ = writeln!(self.lines, "{from} {l} +> {to} {new}");
            }
            ([], []) if self.broadcasts.insert([from, to]) => self.broadcast(from, to, &moves),
            _ => self.sequence(from, &taken, &moves, &put, to),
        }
        Ok(())
    }

    fn broadcast(&mut self, from: u32, to: u32, moves: &[(u32, u32)]) {
        for (a, b) in moves {
            let _ = writeln!(self.lines, "{from} {a} ~> {to} {b}");
        }
        if moves.is_empty() {
            let _ = writeln!(self.lines, "{from} 0 ~> {to} 0");
        }
    }

    fn sequence(&mut self, from: u32, taken: &[u32], moves: &[(u32, u32)], put: &[u32], to: u32) {
        let parts = taken.len() + usize::from(!moves.is_empty()) + put.len();
        let (mut at, mut left) = (from, parts.max(1));
        let mut next = |writer: &mut Self| {
            left -= 1;
            let state = if left == 0 { to } else { writer.fresh_shared() };
            (std::mem::replace(&mut at, state), state)
        };
        if parts == 0 {
            // a second step between the same shared states
            let between = self.fresh_shared();
            self.broadcast(from, between, &[]);
            return self.broadcast(between, to, &[]);
        }
        for l in taken {
            let (gone, (a, b)) = (self.gone(), next(self));
            let _ = writeln!(self.lines, "{a} {l} -> {b} {gone}");
        }
        if !moves.is_empty() {
            let (a, b) = next(self);
            // not to be taken together with another broadcast between the same states
            if parts == 1 {
                let between = self.fresh_shared();
                self.broadcast(a, between, moves);
                self.broadcast(between, b, &[]);
            } else {
                self.broadcast(a, b, moves);
            }
        }
        for l in put {
            let (unborn, (a, b)) = (self.unborn(), next(self));
            let _ = writeln!(self.lines, "{a} {unborn} -> {b} {l}");
        }
    }

    fn fresh_shared(&mut self) -> u32 {
        self.shared += 1;
        self.shared - 1
    }

    fn fresh_local(&mut self) -> u32 {
        self.local += 1;
        self.local - 1
    }

    fn gone(&mut self) -> u32 {
        if self.gone.is_none() {
            self.gone = Some(self.fresh_local());
        }
        self.gone.unwrap_or_default()
    }

    fn unborn(&mut self) -> u32 {
        if self.unborn.is_none() {
            self.unborn = Some(self.fresh_local());
        }
        self.unborn.unwrap_or_default()
    }

    /// `s|l,l,…`
    fn target(&self, target: &Config) -> Result<String, EmitError> {
        let (shared, locals) = self.side(target.entries())?;
        let locals = locals.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        Ok(format!("{shared}|{locals}"))
    }

    fn finish(mut self) -> Result<Emitted, EmitError> {
        let targets = self.net.targets.iter().map(|t| self.target(t));
        let targets: Vec<String> = targets.collect::<Result<_, _>>()?;
        if self.format == EmitFormat::Lgfsm {
            return self.finish_lgfsm(&targets);
        }
        if self.first_shared > 0 {
            self.boot()?;
        } else if self.unborn.is_some_and(|unborn| unborn != 0) {
            // unborn threads start where all others do, which may only happen before anything else
            return Writer { first_shared: 1, ..Writer::new(self.net, self.format, self.budget) }
                .again();
        }
        let model = format!("{} {}\n{}{}", self.shared, self.local, self.boot, self.lines);
        Ok(Emitted { model, property: Some(targets.join("\n") + "\n") })
    }

    /// Once more, with a start of its own.
    fn again(mut self) -> Result<Emitted, EmitError> {
        (self.shared, self.local, self.unborn) = (self.shared + 1, self.local + 1, Some(0));
        for t in &self.net.transitions {
            self.transition(t)?;
        }
        self.finish()
    }

    fn finish_lgfsm(mut self, targets: &[String]) -> Result<Emitted, EmitError> {
        let fixed: Vec<Entry> =
            self.net.initial.entries().iter().filter(|e| e.1 != OMEGA).copied().collect();
        let (shared, single) = self.side(&fixed)?;
        let mut any = self.any_number();
        any.extend(self.unborn);
        let list = |states: &[u32]| states.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let mut model = format!("lgfsm 1\nshared {}\nlocal {}\n", self.shared, self.local);
        let _ = writeln!(model, "init {shared}|{}/{}", list(&single), list(&any));
        model.push_str(&self.lines);
        for target in targets {
            let _ = writeln!(model, "error {}", target.trim_end_matches('|'));
        }
        self.lines.clear();
        Ok(Emitted { model, property: None })
    }

    fn any_number(&self) -> Vec<u32> {
        let any = self.net.initial.entries().iter().filter(|e| e.1 == OMEGA);
        any.map(|e| self.local_number(e.0)).collect()
    }

    /// Sends unborn threads, in local state 0, to where they start; shared state 0 is before that.
    fn boot(&mut self) -> Result<(), EmitError> {
        let fixed: Vec<Entry> =
            self.net.initial.entries().iter().filter(|e| e.1 != OMEGA).copied().collect();
        let (shared, single) = self.side(&fixed)?;
        for l in self.any_number() {
            let _ = writeln!(self.boot, "0 0 -> 0 {l}");
        }
        let mut at = 0;
        for (i, l) in single.iter().enumerate() {
            let next = if i + 1 == single.len() { shared } else { self.fresh_shared() };
            let _ = writeln!(self.boot, "{at} 0 -> {next} {l}");
            at = next;
        }
        if single.is_empty() {
            let _ = writeln!(self.boot, "0 0 ~> {shared} 0");
        }
        Ok(())
    }
}

/// Whether every step and every target has one shared state on each side.
fn fits(net: &Net, system: &System) -> bool {
    let one = |entries: &[Entry]| {
        let mut shared = entries.iter().filter(|e| system.shared.contains(&e.0));
        shared.next().is_some_and(|e| e.1 == 1) && shared.next().is_none()
    };
    let local = |t: &Transition| {
        t.transfers.iter().all(|arc| system.local.contains(&arc.0) && system.local.contains(&arc.1))
    };
    net.transitions.iter().all(|t| one(&t.pre) && one(&t.post) && local(t))
        && net.targets.iter().all(|target| one(target.entries()))
        && one(net.initial.entries())
}

/// Any number of threads in one local state, and nothing else.
fn starts_usually(net: &Net, system: &System) -> bool {
    let mut locals = net.initial.entries().iter().filter(|e| system.local.contains(&e.0));
    locals.next().is_some_and(|e| e.1 == OMEGA) && locals.next().is_none()
}
