//! A net as PNML: a place/transition net where tokens have no components, otherwise a symmetric net, whose sorts
//! are the domains of the places.
//!
//! A transition becomes one for each choice of its loop variables. What is read is taken and put back. A value that
//! is more than a variable or a constant is a variable of its own, and the condition says by a table
//! ([`super::tables`]) what it is. What has no counterpart is an error that points into the net: threads, integers
//! without a domain, counting. Cost: the tables, each bounded.

use super::tables::{Row, Rows, rows, slots_of};
use crate::net::compile::domains::bound_at;
use crate::net::compiled::{Net, Origin, Output, Place, Transition};
use crate::net::domain::Domain;
use crate::net::expr::{Arg, Expr, Link, Slot, value_of};
use crate::net::syntax::tree::{Operator, Type};
use crate::unique::{identifier, unique};
use pidlab_pnml::{
    Arc, Comparison, Direction, Kind, NamedSort, Parsed, PnmlNet, Span, Term, TermKind, Values,
    Variable,
};
use std::collections::{BTreeMap, HashSet};

/// Most values of a sort that are written one by one.
const MOST_VALUES: i64 = 10_000;

/// The net as PNML, or where and why it has none.
pub fn pnml_of(net: &Net) -> Parsed<PnmlNet> {
    let mut writer = Writer::new(net);
    for place in &net.places {
        writer.place(place)?;
    }
    writer.initial();
    for transition in &net.transitions {
        writer.transition(transition)?;
    }
    Ok(writer.out)
}

struct Writer<'n> {
    net: &'n Net,
    out: PnmlNet,
    /// Identifiers that are taken.
    used: HashSet<String>,
    /// Numbers of simple sorts, by type and domain.
    simple: Vec<(Type, Domain, usize)>,
    /// By place: the simple sorts of its components.
    components: Vec<Vec<usize>>,
    /// Variables by name and sort.
    variables: BTreeMap<(String, usize), usize>,
}

/// What a transition is made of, while it is translated.
struct Under<'n> {
    transition: &'n Transition,
    /// What must hold, guards and tables.
    conditions: Vec<Term>,
    /// Variables of its own so far.
    fresh: usize,
    /// Tokens taken and put, by place.
    takes: BTreeMap<usize, Vec<Term>>,
    puts: BTreeMap<usize, Vec<Term>>,
}

impl<'n> Writer<'n> {
    fn new(net: &'n Net) -> Writer<'n> {
        let typed = net.places.iter().any(|place| !place.types.is_empty());
        let kind = if typed { Kind::Symmetric } else { Kind::PlaceTransition };
        let (id, name) = (net.name.clone(), net.name.clone());
        Writer {
            net,
            used: ["page".into(), "dot".into(), id.clone()].into(),
            out: PnmlNet { id, name, kind, ..PnmlNet::default() },
            simple: Vec::new(),
            components: Vec::new(),
            variables: BTreeMap::new(),
        }
    }

    fn refuse<T>(&self, span: Span, why: impl Into<String>) -> Parsed<T> {
        Err(self.net.source.error(span, why))
    }

    fn unique(&mut self, name: &str) -> String {
        unique(name, &mut self.used)
    }

    fn place(&mut self, place: &Place) -> Parsed<()> {
        let mut components = Vec::new();
        for (component, &kind) in place.types.iter().enumerate() {
            let domain = place.domains.get(component).cloned().flatten();
            components.push(self.simple_sort(place, kind, domain)?);
        }
        let sort = match (self.out.kind, &components[..]) {
            (Kind::PlaceTransition, _) => None,
            (_, []) => Some(self.sort("dot", Values::Dot)),
            (_, [one]) => Some(*one),
            (_, several) => {
                let name = format!("tokens of {}", place.name);
                Some(self.sort(&name, Values::Product(several.to_vec())))
            }
        };
        self.components.push(components);
        let id = self.unique(&place.name);
        let (name, span) = (place.name.clone(), place.span);
        self.out.places.push(pidlab_pnml::Place { id, name, span, sort, ..Default::default() });
        Ok(())
    }

    /// The sort of one component.
    fn simple_sort(&mut self, place: &Place, kind: Type, domain: Option<Domain>) -> Parsed<usize> {
        let name = &place.name;
        let domain = match (kind, domain) {
            (Type::Pid, _) => {
                let why = format!(
                    "place `{name}` holds pids: threads that are created and renamed have no counterpart in PNML, whose sorts are finite"
                );
                return self.refuse(place.span, why);
            }
            (_, Some(domain)) => domain,
            (Type::Bool, None) => Domain::Range(0, 1),
            (Type::Text, None) => Domain::Range(0, self.net.texts.len() as i64 - 1),
            (Type::Int, None) => {
                let why = format!(
                    "place `{name}` holds any integer, and sorts of PNML are finite; give it a domain, as in `int in 0..9`"
                );
                return self.refuse(place.span, why);
            }
        };
        let known = self.simple.iter().find(|(of, known, _)| (*of, known) == (kind, &domain));
        if let Some(&(_, _, sort)) = known {
            return Ok(sort);
        }
        let values = self.values_of(place, &domain)?;
        let sort = match (kind, &domain) {
            (Type::Int, &Domain::Range(first, last)) => {
                self.sort(&format!("integers {first} to {last}"), Values::Range(first, last))
            }
            _ => {
                let texts: Vec<String> =
                    values.iter().map(|&value| self.constant_name(kind, value)).collect();
                let id = |text: &String| identifier(&format!("c_{text}"), &mut self.used);
                let constants = texts.iter().map(id).zip(texts.iter().cloned()).collect();
                let name = format!("{} {}", kind.name(), texts.join(" "));
                self.sort(&name, Values::Enumeration { cyclic: false, constants })
            }
        };
        self.simple.push((kind, domain, sort));
        Ok(sort)
    }

    /// All values of a domain.
    fn values_of(&self, place: &Place, domain: &Domain) -> Parsed<Vec<i64>> {
        let (first, last) = match domain {
            Domain::Values(values) if !values.is_empty() => return Ok(values.clone()),
            Domain::Range(first, last) if first <= last => (*first, *last),
            _ => {
                let why =
                    format!("place `{}` can hold nothing, and PNML has no empty sort", place.name);
                return self.refuse(place.span, why);
            }
        };
        match last.saturating_sub(first) < MOST_VALUES {
            true => Ok((first..=last).collect()),
            false => {
                let why =
                    format!("a component of `{}` has more than {MOST_VALUES} values", place.name);
                self.refuse(place.span, why)
            }
        }
    }

    fn constant_name(&self, kind: Type, value: i64) -> String {
        match kind {
            Type::Text => self.net.texts.get(value as usize).cloned().unwrap_or_default(),
            _ => self.net.value_text(kind, value),
        }
    }

    fn sort(&mut self, name: &str, values: Values) -> usize {
        if let Some(known) = self.out.sorts.iter().position(|sort| sort.values == values) {
            return known;
        }
        let id = match values {
            Values::Dot => "dot".to_string(),
            _ => self.unique("sort"),
        };
        self.out.sorts.push(NamedSort { id, name: name.into(), values });
        self.out.sorts.len() - 1
    }

    /// The values of a simple sort, in its order.
    fn domain_of(&self, sort: usize) -> Vec<i64> {
        let found = self.simple.iter().find(|(_, _, number)| *number == sort);
        match found.map(|(_, domain, _)| domain) {
            Some(Domain::Range(first, last)) => (*first..=*last).collect(),
            Some(Domain::Values(values)) => values.clone(),
            None => Vec::new(),
        }
    }

    fn initial(&mut self) {
        let mut tokens: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
        for (place, words) in &self.net.initial.tokens {
            let sorts = self.components[*place].clone();
            let parts =
                sorts.iter().zip(words).map(|(&sort, &word)| self.constant(sort, value_of(word)));
            tokens.entry(*place).or_default().push(tuple(parts.collect()));
        }
        for (place, all) in tokens {
            match self.out.kind {
                Kind::PlaceTransition => self.out.places[place].tokens = all.len() as u64,
                Kind::Symmetric => self.out.places[place].initial = Some(sum(all)),
            }
        }
    }

    fn transition(&mut self, transition: &'n Transition) -> Parsed<()> {
        let name = &self.net.labels[transition.label as usize];
        if !transition.creates.is_empty() || !transition.active.is_empty() {
            let why =
                format!("transition `{name}` is about threads, which have no counterpart in PNML");
            return self.refuse(transition.span, why);
        }
        let (takes, puts) = (BTreeMap::new(), BTreeMap::new());
        let mut under = Under { transition, conditions: Vec::new(), fresh: 0, takes, puts };
        for input in &transition.inputs {
            let Origin::Token { pattern, consume, span } = &input.from else {
                let why = format!("transition `{name}` binds any active thread, which PNML cannot");
                return self.refuse(transition.span, why);
            };
            let sorts = self.components[pattern.place].clone();
            let mut parts = Vec::new();
            for (arg, sort) in pattern.args.iter().zip(sorts) {
                parts.push(match arg {
                    Arg::Bind(slot) => self.variable_of(transition, *slot),
                    Arg::Any => self.fresh_variable(&mut under, sort),
                    Arg::Match(expr) => self.value(&mut under, expr, sort, *span)?,
                });
            }
            let token = tuple(parts);
            if !consume {
                under.puts.entry(pattern.place).or_default().push(token.clone());
            }
            under.takes.entry(pattern.place).or_default().push(token);
        }
        for output in &transition.outputs {
            self.output(&mut under, output)?;
        }
        for (guard, span) in &transition.guards {
            let condition = self.condition(transition, guard, *span)?;
            under.conditions.push(condition);
        }
        self.finish(name, under);
        Ok(())
    }

    fn output(&mut self, under: &mut Under<'n>, output: &'n Output) -> Parsed<()> {
        let sorts = self.components[output.place].clone();
        let mut parts = Vec::new();
        for (expr, sort) in output.args.iter().zip(sorts) {
            parts.push(self.value(under, expr, sort, output.span)?);
        }
        under.puts.entry(output.place).or_default().push(tuple(parts));
        Ok(())
    }

    /// Adds a translated transition with its arcs.
    fn finish(&mut self, name: &str, under: Under<'n>) {
        let number = self.out.transitions.len();
        let id = self.unique(name);
        let condition = (!under.conditions.is_empty()).then(|| all(under.conditions));
        let (name, span) = (name.to_string(), under.transition.span);
        self.out.transitions.push(pidlab_pnml::Transition { id, name, span, condition });
        for (place, tokens) in under.takes {
            self.arc(Direction::Take { place, transition: number }, tokens);
        }
        for (place, tokens) in under.puts {
            self.arc(Direction::Put { transition: number, place }, tokens);
        }
    }

    fn arc(&mut self, direction: Direction, tokens: Vec<Term>) {
        let id = self.unique("arc");
        let (weight, term) = match self.out.kind {
            Kind::PlaceTransition => (tokens.len() as u64, None),
            Kind::Symmetric => (1, Some(sum(tokens))),
        };
        self.out.arcs.push(Arc { id, span: Span::default(), direction, weight, term });
    }

    /// The sort of a variable: that of the component that binds it.
    fn sort_of(&self, transition: &Transition, slot: Slot) -> usize {
        bound_at(&transition.inputs, slot).map_or(0, |(place, at)| self.components[place][at])
    }

    fn variable_of(&mut self, transition: &Transition, slot: Slot) -> Term {
        let sort = self.sort_of(transition, slot);
        self.declared(&transition.slot_names[slot].clone(), sort)
    }

    fn fresh_variable(&mut self, under: &mut Under<'n>, sort: usize) -> Term {
        under.fresh += 1;
        // a blank keeps it apart from the names of the net
        self.declared(&format!("value {}", under.fresh), sort)
    }

    fn declared(&mut self, name: &str, sort: usize) -> Term {
        let key = (name.to_string(), sort);
        let number = match self.variables.get(&key) {
            Some(&known) => known,
            None => {
                let id = self.unique(&name.replace(' ', "_"));
                let number = self.out.variables.len();
                self.out.variables.push(Variable { name: id.clone(), id, sort });
                self.variables.insert(key, number);
                number
            }
        };
        at_nowhere(TermKind::Variable(number))
    }

    fn constant(&self, sort: usize, value: i64) -> Term {
        at_nowhere(match self.out.sorts[sort].values {
            Values::Range(first, last) => TermKind::Integer(value, Some((first, last))),
            _ => {
                let position = self.domain_of(sort).iter().position(|&known| known == value);
                TermKind::Constant(sort, position.unwrap_or(0))
            }
        })
    }

    /// An expression as a value of a sort.
    fn value(
        &mut self,
        under: &mut Under<'n>,
        expr: &Expr,
        sort: usize,
        span: Span,
    ) -> Parsed<Term> {
        if let Some(term) = self.simple_value(under.transition, expr, sort) {
            return Ok(term);
        }
        let known = self.domain_of(sort);
        let (slots, table) = self.table(under.transition, expr, span)?;
        let result = self.fresh_variable(under, sort);
        let mut alternatives = Vec::new();
        for (row, value) in table.into_iter().filter(|(_, value)| known.contains(value)) {
            let mut equations = self.equations(under.transition, &slots, &row);
            equations.push(equation(result.clone(), self.constant(sort, value)));
            alternatives.push(all(equations));
        }
        under.conditions.push(any(alternatives));
        Ok(result)
    }

    /// A variable or constant of a sort, if an expression is no more than that.
    fn simple_value(&mut self, transition: &Transition, expr: &Expr, sort: usize) -> Option<Term> {
        match expr {
            Expr::Slot(slot) if self.sort_of(transition, *slot) == sort => {
                Some(self.variable_of(transition, *slot))
            }
            Expr::Value(value) if self.domain_of(sort).contains(value) => {
                Some(self.constant(sort, *value))
            }
            _ => None,
        }
    }

    /// What an expression is for all values of its variables.
    fn table(&self, transition: &Transition, expr: &Expr, span: Span) -> Parsed<(Vec<Slot>, Rows)> {
        let mut counts = false;
        expr.walk(&mut |part| counts |= matches!(part, Expr::Count(_)));
        if counts {
            return self.refuse(span, "this counts tokens, which has no counterpart in PNML");
        }
        let slots = slots_of(expr);
        let values: Vec<Vec<i64>> =
            slots.iter().map(|&slot| self.domain_of(self.sort_of(transition, slot))).collect();
        match rows(expr, &slots, &values) {
            Some(rows) => {
                self.net.source.budget().steps(1 + rows.len())?;
                Ok((slots, rows))
            }
            None => self.refuse(span, "this depends on too many values to be written as a table"),
        }
    }

    fn equations(&mut self, transition: &Transition, slots: &[Slot], row: &Row) -> Vec<Term> {
        let one = |(&slot, &value): (&Slot, &i64)| {
            let sort = self.sort_of(transition, slot);
            equation(self.variable_of(transition, slot), self.constant(sort, value))
        };
        slots.iter().zip(row).map(one).collect()
    }

    fn condition(&mut self, transition: &Transition, expr: &Expr, span: Span) -> Parsed<Term> {
        match expr {
            Expr::Value(value) => Ok(at_nowhere(TermKind::Truth(*value != 0))),
            Expr::Not(inner) => {
                let inner = self.condition(transition, inner, span)?;
                Ok(at_nowhere(TermKind::Not(Box::new(inner))))
            }
            Expr::Chain(first, links) => self.chain(transition, first, links, span),
            _ => self.tabulated(transition, expr, span),
        }
    }

    /// A chain is split at its last `and` or `or`; what is left without one is a comparison.
    fn chain(
        &mut self,
        transition: &Transition,
        first: &Expr,
        links: &[Link],
        span: Span,
    ) -> Parsed<Term> {
        let whole = || Expr::Chain(Box::new(first.clone()), links.to_vec());
        let Some((last, before)) = links.split_last() else {
            return self.condition(transition, first, span);
        };
        if !matches!(last.operator, Operator::And | Operator::Or) {
            let compared = self.comparison(transition, first, links);
            return compared.map_or_else(|| self.tabulated(transition, &whole(), span), Ok);
        }
        // operators of one kind in a row are one list, so that long chains are not deep
        let same = before.iter().rev().take_while(|link| link.operator == last.operator).count();
        let (head, tail) = links.split_at(links.len() - 1 - same);
        let mut parts = vec![self.chain(transition, first, head, span)?];
        for link in tail {
            parts.push(self.condition(transition, &link.right, span)?);
        }
        Ok(if last.operator == Operator::And { all(parts) } else { any(parts) })
    }

    /// A comparison of a variable with another of its sort or with a constant.
    fn comparison(&mut self, transition: &Transition, left: &Expr, links: &[Link]) -> Option<Term> {
        let [Link { operator, right, .. }] = links else { return None };
        let slot = match (left, right) {
            (Expr::Slot(slot), _) | (_, Expr::Slot(slot)) => *slot,
            _ => return None,
        };
        let sort = self.sort_of(transition, slot);
        let comparison = comparison_of(*operator)?;
        let is_order = !matches!(comparison, Comparison::Equal | Comparison::Different);
        if is_order && !matches!(self.out.sorts[sort].values, Values::Range(..)) {
            return None;
        }
        let left = self.simple_value(transition, left, sort)?;
        let right = self.simple_value(transition, right, sort)?;
        Some(at_nowhere(TermKind::Compare(comparison, Box::new((left, right)))))
    }

    /// A condition as the list of the values for which it holds.
    fn tabulated(&mut self, transition: &Transition, expr: &Expr, span: Span) -> Parsed<Term> {
        let (slots, table) = self.table(transition, expr, span)?;
        let holds = table.iter().filter(|(_, value)| *value != 0);
        Ok(any(holds.map(|(row, _)| all(self.equations(transition, &slots, row))).collect()))
    }
}

fn comparison_of(operator: Operator) -> Option<Comparison> {
    match operator {
        Operator::Equal => Some(Comparison::Equal),
        Operator::NotEqual => Some(Comparison::Different),
        Operator::Less => Some(Comparison::Less),
        Operator::LessEqual => Some(Comparison::AtMost),
        Operator::Greater => Some(Comparison::Greater),
        Operator::GreaterEqual => Some(Comparison::AtLeast),
        _ => None,
    }
}

/// All of them hold.
fn all(mut parts: Vec<Term>) -> Term {
    match parts.len() {
        0 => at_nowhere(TermKind::Truth(true)),
        1 => parts.swap_remove(0),
        _ => at_nowhere(TermKind::And(parts)),
    }
}

/// One of them holds.
fn any(mut parts: Vec<Term>) -> Term {
    match parts.len() {
        0 => at_nowhere(TermKind::Truth(false)),
        1 => parts.swap_remove(0),
        _ => at_nowhere(TermKind::Or(parts)),
    }
}

fn equation(left: Term, right: Term) -> Term {
    at_nowhere(TermKind::Compare(Comparison::Equal, Box::new((left, right))))
}

/// A token of its components.
fn tuple(mut parts: Vec<Term>) -> Term {
    match parts.len() {
        0 => at_nowhere(TermKind::Dot),
        1 => parts.swap_remove(0),
        _ => at_nowhere(TermKind::Tuple(parts)),
    }
}

/// A multiset of tokens; equal ones are counted.
fn sum(tokens: Vec<Term>) -> Term {
    let mut counted: Vec<(u64, Term)> = Vec::new();
    for token in tokens {
        match counted.iter_mut().find(|(_, known)| *known == token) {
            Some((count, _)) => *count += 1,
            None => counted.push((1, token)),
        }
    }
    let part = |(count, token)| at_nowhere(TermKind::NumberOf(count, Box::new(token)));
    let mut parts: Vec<Term> = counted.into_iter().map(part).collect();
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => at_nowhere(TermKind::Add(parts)),
    }
}

/// A term that stands in no text.
fn at_nowhere(kind: TermKind) -> Term {
    Term { kind, span: Span::default() }
}
