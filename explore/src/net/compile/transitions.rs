//! Transitions: one compiled transition for every choice of the loop variables.

use super::constants::Value;
use super::expressions::{CREATED, MOST_TOKENS, Scope};
use super::{Compiled, Compiler};
use crate::net::compiled::{Create, Input, Origin, Output, Transition};
use crate::net::expr::{Expr, Link, Slot};
use crate::net::syntax::Span;
use crate::net::syntax::tree::{self, Clause, Operator, TokenTree, TransitionTree, Type};

/// Most children that one clause creates.
const MOST_CHILDREN: i64 = 10_000;

impl Compiler<'_> {
    pub fn transition(&mut self, tree: &TransitionTree) -> Compiled<()> {
        let name = &tree.name.text;
        if self.net.labels.contains(name) {
            let message = format!("transition `{name}` is declared twice");
            return Err(self.source.error(tree.name.span, message));
        }
        let label = self.net.labels.len() as u32;
        self.net.labels.push(name.clone());
        self.unrolled(&tree.loops, 0, &mut |compiler| {
            let transition = compiler.instance(tree, label)?;
            compiler.net.transitions.push(transition);
            Ok(())
        })
    }

    fn instance(&mut self, tree: &TransitionTree, label: u32) -> Compiled<Transition> {
        let mut transition = Transition {
            label,
            span: tree.name.span,
            slots: 0,
            slot_names: Vec::new(),
            slot_types: Vec::new(),
            guards: Vec::new(),
            inputs: Vec::new(),
            before: Vec::new(),
            active: Vec::new(),
            creates: Vec::new(),
            ends: Vec::new(),
            after: Vec::new(),
            outputs: Vec::new(),
        };
        let mut scope = Scope::default();
        // inputs first, wherever they stand: they bind what the other clauses use
        for clause in &tree.clauses {
            self.input(clause, &mut transition, &mut scope)?;
        }
        for clause in &tree.clauses {
            self.threads(clause, &mut transition, &mut scope)?;
        }
        for clause in &tree.clauses {
            match clause {
                Clause::Put(token) => self.outputs(token, &mut transition, &mut scope)?,
                Clause::Guard(expr) => self.guard(expr, &mut transition, &mut scope)?,
                _ => {}
            }
        }
        transition.slots = scope.slots();
        transition.slot_names = scope.slot_names();
        transition.slot_types = scope.slot_types();
        Ok(transition)
    }

    fn input(
        &mut self,
        clause: &Clause,
        transition: &mut Transition,
        scope: &mut Scope,
    ) -> Compiled<()> {
        match clause {
            Clause::Take(token) => self.input_tokens(token, true, transition, scope),
            Clause::Read(token) => self.input_tokens(token, false, transition, scope),
            Clause::Active(name) => {
                if scope.has(&name.text) {
                    let (slot, _) = self.pid_variable(name, scope)?;
                    transition.active.push(slot);
                    return Ok(());
                }
                let slot = scope.bind(&name.text, Type::Pid, transition.inputs.len());
                self.add_input(transition, Origin::Active(slot), name.span)
            }
            _ => Ok(()),
        }
    }

    fn input_tokens(
        &mut self,
        token: &TokenTree,
        consume: bool,
        transition: &mut Transition,
        scope: &mut Scope,
    ) -> Compiled<()> {
        self.unrolled(&token.loops, 0, &mut |compiler| {
            let pattern = compiler.pattern(token, transition.inputs.len(), scope)?;
            let from = Origin::Token { pattern, consume, span: token.span };
            compiler.add_input(transition, from, token.span)
        })
    }

    fn add_input(&self, transition: &mut Transition, from: Origin, span: Span) -> Compiled<()> {
        if transition.inputs.len() == MOST_TOKENS {
            let message = format!("a transition takes and reads at most {MOST_TOKENS} tokens");
            return Err(self.source.error(span, message));
        }
        transition.inputs.push(Input { from, conditions: Vec::new() });
        Ok(())
    }

    fn threads(
        &mut self,
        clause: &Clause,
        transition: &mut Transition,
        scope: &mut Scope,
    ) -> Compiled<()> {
        match clause {
            Clause::Create { child, number, parent } => {
                let (slot, level) = self.pid_variable(parent, scope)?;
                if level == CREATED {
                    let message = format!(
                        "`{}` is created here and creates nothing yet (SACS'10, section 6, item 4)",
                        parent.text
                    );
                    return Err(self.source.error(parent.span, message));
                }
                if scope.has(&child.text) {
                    let message =
                        format!("`{}` is bound already; a child needs a new name", child.text);
                    return Err(self.source.error(child.span, message));
                }
                let family = number.as_ref().map(|n| self.family_size(n)).transpose()?;
                let first = scope.bind_family(&child.text, Type::Pid, CREATED, family);
                transition.active.push(slot);
                let number = family.unwrap_or(1);
                transition.creates.push(Create { parent: slot, first, number });
                Ok(())
            }
            Clause::End(name) => {
                let (slot, level) = self.pid_variable(name, scope)?;
                if level == CREATED {
                    let message = format!("`{}` is created here and cannot end here", name.text);
                    return Err(self.source.error(name.span, message));
                }
                transition.active.push(slot);
                transition.ends.push(slot);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn family_size(&mut self, number: &tree::Expr) -> Compiled<usize> {
        match self.constants.value(self.source, number)? {
            Value::Int(size @ 0..=MOST_CHILDREN) => Ok(size as usize),
            other => {
                let message = format!("expected 0 to {MOST_CHILDREN} children, found {other}");
                Err(self.source.error(number.span, message))
            }
        }
    }

    fn pid_variable(&self, name: &tree::Name, scope: &Scope) -> Compiled<(Slot, usize)> {
        scope.pid(&name.text).ok_or_else(|| {
            let message = format!("`{}` is not a pid variable of this transition", name.text);
            self.source.error(name.span, message)
        })
    }

    fn outputs(
        &mut self,
        token: &TokenTree,
        transition: &mut Transition,
        scope: &mut Scope,
    ) -> Compiled<()> {
        let place = self.place_of(&token.place)?;
        self.check_arity(place, token)?;
        self.unrolled(&token.loops, 0, &mut |compiler| {
            let (mut args, mut checks) = (Vec::new(), Vec::new());
            let types = compiler.net.places[place].types.clone();
            for (component, (arg, kind)) in token.args.iter().zip(types).enumerate() {
                let compiled = compiler.expect(arg, kind, scope)?;
                let (inputs, at) = (&transition.inputs, (place, component));
                checks.extend(compiler.put_check(inputs, at, &compiled, arg.span)?);
                args.push(compiled);
            }
            if args.is_empty() {
                args.push(Expr::Value(0));
            }
            transition.outputs.push(Output { place, args, span: token.span, checks });
            Ok(())
        })
    }

    /// Splits a guard at its `and`s; each part is checked as soon as its variables are bound.
    fn guard(
        &mut self,
        expr: &tree::Expr,
        transition: &mut Transition,
        scope: &mut Scope,
    ) -> Compiled<()> {
        let condition = self.expect(expr, Type::Bool, scope)?;
        transition.guards.push((condition.clone(), expr.span));
        let mut parts = Vec::new();
        split(condition, &mut parts);
        let last = transition.inputs.len().checked_sub(1);
        let mut hoist = true;
        for part in parts {
            hoist &= !part.may_fail();
            let level = scope.level_of(&part);
            match (level, last) {
                (Some(CREATED), _) => transition.after.push(part),
                (Some(level), _) if hoist => transition.inputs[level].conditions.push(part),
                (None, _) if hoist => transition.before.push(part),
                (_, Some(last)) => transition.inputs[last].conditions.push(part),
                (_, None) => transition.before.push(part),
            }
        }
        Ok(())
    }
}

/// The parts of a condition that must all hold, in order.
fn split(expr: Expr, parts: &mut Vec<Expr>) {
    let Expr::Chain(first, mut links) = expr else { return parts.push(expr) };
    let is_and = |link: &Link| link.operator == Operator::And;
    let ands = links.iter().rev().take_while(|link| is_and(link)).count();
    let rest = links.split_off(links.len() - ands);
    match links.is_empty() {
        true => split(*first, parts),
        false => parts.push(Expr::Chain(first, links)),
    }
    rest.into_iter().for_each(|link| split(link.right, parts));
}
