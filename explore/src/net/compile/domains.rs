//! Domains of places: what they are, and whether tokens are in them.

use super::{Compiled, Compiler};
use crate::net::compiled::{DomainCheck, Input, Origin, Place};
use crate::net::domain::Domain;
use crate::net::expr::{Arg, Expr, Slot, Variables, value_of};
use crate::net::marking::Marking;
use crate::net::syntax::Span;
use crate::net::syntax::tree::{self, ExprKind, Type};

impl Compiler<'_> {
    /// What stands behind the `in` of a component.
    pub fn domain(&mut self, kind: Type, expr: &tree::Expr) -> Compiled<Domain> {
        if kind == Type::Pid {
            let message = "pids are black boxes: which of them a place holds cannot be said";
            return Err(self.source.error(expr.span, message));
        }
        if let (Type::Int, ExprKind::Range(first, last)) = (kind, &expr.kind) {
            let bound = |expr| self.constants.int(self.source, expr);
            return Ok(Domain::Range(bound(first)?, bound(last)?));
        }
        let mut values = Vec::new();
        for value in self.constants.range(self.source, expr)? {
            values.push(value_of(self.data_word(value, kind, expr.span)?));
        }
        Ok(Domain::of(values))
    }

    /// A value that is known now must be in the domain of its component.
    pub fn check_in_domain(&self, at: (usize, usize), value: i64, span: Span) -> Compiled<()> {
        match self.net.outside(at, value) {
            Some(message) => Err(self.source.error(span, message)),
            None => Ok(()),
        }
    }

    /// The same for an expression, if it is constant.
    pub fn check_constant(&self, at: (usize, usize), expr: &Expr, span: Span) -> Compiled<()> {
        match constant(expr) {
            Some(value) => self.check_in_domain(at, value, span),
            None => Ok(()),
        }
    }

    /// What must be looked at when a component is put, if it cannot be decided now.
    pub fn put_check(
        &self,
        inputs: &[Input],
        (place, component): (usize, usize),
        expr: &Expr,
        span: Span,
    ) -> Compiled<Option<DomainCheck>> {
        let domains = &self.net.places[place].domains;
        let Some(domain) = domains.get(component).and_then(Option::as_ref) else { return Ok(None) };
        self.check_constant((place, component), expr, span)?;
        let fits = match expr {
            Expr::Slot(slot) => {
                let known = bound_at(inputs, *slot)
                    .and_then(|(place, at)| self.net.places[place].domains.get(at)?.as_ref());
                known.is_some_and(|known| known.is_within(domain))
            }
            other => constant(other).is_some(),
        };
        Ok((!fits).then_some(DomainCheck { component, span }))
    }
}

/// Place and component that bind a variable of a transition.
pub fn bound_at(inputs: &[Input], slot: Slot) -> Option<(usize, usize)> {
    inputs.iter().find_map(|input| {
        let Origin::Token { pattern, .. } = &input.from else { return None };
        let binds = |arg: &Arg| matches!(arg, Arg::Bind(bound) if *bound == slot);
        Some((pattern.place, pattern.args.iter().position(binds)?))
    })
}

/// The value of an expression that depends on nothing.
fn constant(expr: &Expr) -> Option<i64> {
    let mut depends = false;
    expr.walk(&mut |part| {
        depends |=
            matches!(part, Expr::Slot(_) | Expr::Count(_) | Expr::IsActive(_) | Expr::Related(..));
    });
    if depends {
        return None;
    }
    expr.eval(&mut Variables::default(), &Marking::default()).ok()
}

impl Place {
    /// The same with domains of its components.
    pub fn within(self, domains: Vec<Option<Domain>>) -> Place {
        Place { domains, ..self }
    }
}
