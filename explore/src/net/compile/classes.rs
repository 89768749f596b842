//! The papers' classes of nets, rule by rule.
//!
//! `class t-net` is ICTAC'08, Assumptions 1 to 3; `class sacs` is SACS'10, section 6, items 1 to 6.
//! What the language cannot express needs no rule here: the generator place is implicit, pids are
//! compared by the four relations and equality only, and a variable has one type.

use crate::net::compiled::{Net, Origin, Transition};
use crate::net::expr::{Arg, Expr, Link, Pattern, Slot};
use crate::net::syntax::tree::{Class, InitialTree, NetTree, Operator, PlaceKind, Type};
use crate::net::syntax::{Diagnostic, Span};

/// All rules of the declared class that the net breaks.
pub fn check(net: &Net, tree: &NetTree) -> Vec<Diagnostic> {
    let Some((class, span)) = tree.class else { return Vec::new() };
    let mut rules = Rules { net, tree, class_span: span, found: Vec::new() };
    match class {
        Class::TNet => rules.t_net(),
        Class::Sacs => rules.sacs(),
    }
    rules.found
}

struct Rules<'n> {
    net: &'n Net,
    tree: &'n NetTree,
    class_span: Span,
    found: Vec<Diagnostic>,
}

impl Rules<'_> {
    fn broken(&mut self, span: Span, rule: &str, what: impl AsRef<str>) {
        let diagnostic = self.net.source.error(span, format!("{rule}: {}", what.as_ref()));
        if !self.found.contains(&diagnostic) {
            self.found.push(diagnostic);
        }
    }

    fn t_net(&mut self) {
        self.t_net_places();
        self.t_net_start();
        for transition in &self.net.transitions {
            self.t_net_threads(transition);
            self.t_net_generator(transition);
            self.plain_guards(transition, "class t-net, ICTAC'08 Assumption 3.6");
        }
    }

    fn t_net_places(&mut self) {
        for place in &self.net.places {
            if place.kind == PlaceKind::Plain {
                let what =
                    format!("place `{}` is neither flow nor data; declare it as one", place.name);
                self.broken(place.span, "class t-net, ICTAC'08 Assumption 1", what);
            }
            let pids_first = place.types.is_sorted_by_key(|&t| t != Type::Pid);
            if place.types.first() != Some(&Type::Pid) || !pids_first {
                let what = format!(
                    "place `{}` must have the type pid, pids, data: an owner, then pids, then data",
                    place.name
                );
                self.broken(place.span, "class t-net, ICTAC'08 Assumption 1.2", what);
            }
        }
        if !self.net.places.iter().any(|p| p.kind == PlaceKind::Flow) {
            let what = "there is no control-flow place; declare one with flow";
            self.broken(self.class_span, "class t-net, ICTAC'08 Assumption 1", what);
        }
    }

    fn t_net_start(&mut self) {
        let initial = &self.net.initial;
        let span = self.start_span();
        if initial.roots != [1] {
            let what = "the generator place must hold exactly one token, for pid 1";
            self.broken(span, "class t-net, ICTAC'08 Assumption 2.2", what);
        }
        for &(place, _) in &initial.tokens {
            if self.net.places[place].kind == PlaceKind::Data {
                let what = format!(
                    "data place `{}` must be empty at the start",
                    self.net.places[place].name
                );
                self.broken(span, "class t-net, ICTAC'08 Assumption 2.1", what);
            }
        }
        let single = matches!(&initial.tokens[..], [(place, _)]
            if self.net.places[*place].types == [Type::Pid]);
        if !single {
            let what =
                "exactly one control-flow place, of type pid, must hold exactly one token ⟨1⟩";
            self.broken(span, "class t-net, ICTAC'08 Assumption 2.3", what);
        }
    }

    fn start_span(&self) -> Span {
        match self.tree.initial.first() {
            Some(InitialTree::Token(token)) => token.span,
            Some(InitialTree::Active(_, _, span)) => *span,
            None => self.class_span,
        }
    }

    fn is_flow(&self, place: usize) -> bool {
        self.net.places[place].kind == PlaceKind::Flow
    }

    /// Owners of tokens taken from and put into control-flow places.
    fn rendezvous(&mut self, transition: &Transition) -> (Vec<Slot>, Vec<Slot>) {
        let mut entering = Vec::new();
        let mut leaving = Vec::new();
        for input in &transition.inputs {
            let Origin::Token { pattern, consume, span } = &input.from else { continue };
            if !self.is_flow(pattern.place) {
                continue;
            }
            match owner_taken(pattern) {
                Some(owner) => {
                    entering.push(owner);
                    leaving.extend((!consume).then_some(owner));
                }
                None => {
                    let what = "the owner of a control-flow token must be a variable";
                    self.broken(*span, "class t-net, ICTAC'08 Assumption 3.1", what);
                }
            }
        }
        for output in transition.outputs.iter().filter(|o| self.is_flow(o.place)) {
            if let Some(Expr::Slot(owner)) = output.args.first() {
                leaving.push(*owner);
            }
        }
        (entering, leaving)
    }

    fn t_net_threads(&mut self, transition: &Transition) {
        let (entering, leaving) = self.rendezvous(transition);
        let (span, name) = (transition.span, &self.net.labels[transition.label as usize]);
        if entering.is_empty() || leaving.is_empty() {
            let what =
                format!("transition `{name}` must take from and put into a control-flow place");
            self.broken(span, "class t-net, ICTAC'08 Assumption 3.1", what);
        }
        let once = |slots: &[Slot], slot| slots.iter().filter(|&&s| s == slot).count() == 1;
        let slot_name = |slot: Slot| &transition.slot_names[slot];
        for &slot in &entering {
            if !once(&entering, slot) {
                let what =
                    format!("`{}` enters transition `{name}` more than once", slot_name(slot));
                self.broken(span, "class t-net, ICTAC'08 Assumption 3.2", what);
            }
        }
        let created: Vec<Slot> =
            transition.creates.iter().flat_map(|c| c.first..c.first + c.number).collect();
        for &slot in &leaving {
            if !entering.contains(&slot) && !created.contains(&slot) {
                let what = format!(
                    "`{}` leaves transition `{name}` but neither entered nor was created",
                    slot_name(slot)
                );
                self.broken(span, "class t-net, ICTAC'08 Assumption 3.1", what);
            }
        }
        for &slot in created.iter().chain(&leaving) {
            if !once(&leaving, slot) {
                let what = format!(
                    "`{}` must go into exactly one control-flow place in transition `{name}`",
                    slot_name(slot)
                );
                self.broken(span, "class t-net, ICTAC'08 Assumption 3.2", what);
            }
        }
    }

    fn t_net_generator(&mut self, transition: &Transition) {
        let (entering, leaving) = self.rendezvous(transition);
        let (span, name) = (transition.span, &self.net.labels[transition.label as usize]);
        let rule = "class t-net, ICTAC'08 Assumption 3.3";
        for &slot in &entering {
            let thread = &transition.slot_names[slot];
            match (leaving.contains(&slot), transition.ends.contains(&slot)) {
                (false, false) => {
                    let what = format!("`{thread}` does not leave transition `{name}`; end it");
                    self.broken(span, rule, what);
                }
                (true, true) => {
                    let what =
                        format!("`{thread}` leaves transition `{name}` and cannot end there");
                    self.broken(span, rule, what);
                }
                _ => {}
            }
        }
        let touched =
            transition.active.iter().copied().chain(transition.inputs.iter().filter_map(|input| {
                match input.from {
                    Origin::Active(slot) => Some(slot),
                    Origin::Token { .. } => None,
                }
            }));
        for slot in touched {
            if !entering.contains(&slot) {
                let what = format!(
                    "`{}` is connected to the generator but does not enter transition `{name}`",
                    transition.slot_names[slot]
                );
                self.broken(span, rule, what);
            }
        }
    }

    /// Guards over the variables of the arcs only.
    fn plain_guards(&mut self, transition: &Transition, rule: &str) {
        for (guard, span) in &transition.guards {
            let mut plain = true;
            guard.walk(&mut |e| plain &= !matches!(e, Expr::Count(_) | Expr::IsActive(_)));
            if !plain {
                let what = "a guard compares variables of the arcs; count, exists, no and active are beyond it";
                self.broken(*span, rule, what);
            }
        }
    }

    fn sacs(&mut self) {
        for place in self.net.places.iter().filter(|p| p.types.is_empty()) {
            let what = format!("place `{}` must have one component or more", place.name);
            self.broken(place.span, "class sacs, SACS'10 section 6, item 1", what);
        }
        if self.net.initial.roots.len() != 1 || !self.net.initial.tokens.is_empty() {
            let what = "at the start the generator place holds one token and all others are empty";
            self.broken(self.start_span(), "class sacs, SACS'10 section 6, item 3", what);
        }
        for transition in &self.net.transitions {
            self.sacs_arcs(transition);
            self.plain_guards(transition, "class sacs, SACS'10 section 6, item 6");
            self.sacs_guards(transition);
        }
    }

    fn sacs_arcs(&mut self, transition: &Transition) {
        let rule = "class sacs, SACS'10 section 6, item 5";
        for input in &transition.inputs {
            let Origin::Token { pattern, span, .. } = &input.from else { continue };
            let simple = |arg: &Arg| !matches!(arg, Arg::Match(e) if !is_simple(e));
            if !pattern.args.iter().all(simple) {
                self.broken(
                    *span,
                    rule,
                    "an arc to a transition holds variables and data values only",
                );
            }
        }
        for output in &transition.outputs {
            for arg in &output.args {
                let Expr::Slot(slot) = arg else { continue };
                if is_pid(transition, *slot) && !stays_active(transition, *slot) {
                    let what = format!(
                        "`{}` may go into a place only if it was created here or stays in the generator place; say active {0}",
                        transition.slot_names[*slot]
                    );
                    self.broken(output.span, rule, what);
                }
            }
        }
    }

    fn sacs_guards(&mut self, transition: &Transition) {
        for (guard, span) in &transition.guards {
            let mut compared = Vec::new();
            guard.walk(&mut |e| {
                compared.extend(compared_in(e).into_iter().flatten().filter_map(|e| match *e {
                    Expr::Slot(slot) if is_pid(transition, slot) => Some(slot),
                    _ => None,
                }));
            });
            for slot in compared {
                if !in_generator(transition, slot) {
                    let what = format!(
                        "`{}` is compared but is neither created here nor taken from the generator place; say active {0}",
                        transition.slot_names[slot]
                    );
                    self.broken(*span, "class sacs, SACS'10 section 6, item 6", what);
                }
            }
        }
    }
}

fn owner_taken(pattern: &Pattern) -> Option<Slot> {
    match pattern.args.first() {
        Some(Arg::Bind(slot)) | Some(Arg::Match(Expr::Slot(slot))) => Some(*slot),
        _ => None,
    }
}

/// The two sides of a comparison that can be one of pids: the first of a chain.
fn compared_in(expr: &Expr) -> Option<[&Expr; 2]> {
    match expr {
        Expr::Related(_, a, b) => Some([a, b]),
        Expr::Chain(a, links) => match &links[..] {
            [Link { operator: Operator::Equal | Operator::NotEqual, right, .. }, ..] => {
                Some([a, right])
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_simple(expr: &Expr) -> bool {
    matches!(expr, Expr::Slot(_) | Expr::Value(_))
}

fn is_pid(transition: &Transition, slot: Slot) -> bool {
    transition.slot_types[slot] == Type::Pid
}

fn is_created(transition: &Transition, slot: Slot) -> bool {
    transition.creates.iter().any(|c| (c.first..c.first + c.number).contains(&slot))
}

/// Whether the pid is on an arc from or to the generator place.
fn in_generator(transition: &Transition, slot: Slot) -> bool {
    let bound = |from: &Origin| matches!(from, Origin::Active(s) if *s == slot);
    is_created(transition, slot)
        || transition.active.contains(&slot)
        || transition.inputs.iter().any(|input| bound(&input.from))
}

fn stays_active(transition: &Transition, slot: Slot) -> bool {
    in_generator(transition, slot) && !transition.ends.contains(&slot)
}
