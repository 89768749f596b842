//! Expressions: names to slots, types checked, relations noted.

use super::constants::Value;
use super::{Compiled, Compiler};
use crate::net::compiled::Use;
use crate::net::expr::{Arg, Count, Expr, Pattern, Slot};
use crate::net::syntax::Span;
use crate::net::syntax::tree::{self, ExprKind, Operator, TokenTree, Type};

/// Variables in scope.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    names: Vec<Variable>,
    slots: usize,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    kind: Type,
    slot: Slot,
    /// Which input binds it; [`CREATED`] for children, [`COUNTED`] within an expression that counts.
    level: usize,
    /// Of a family `children[n]`: how many there are.
    family: Option<usize>,
}

/// Most tokens that one transition binds, or one expression counts, at a time: they are chosen one
/// inside another.
pub const MOST_TOKENS: usize = 1_000;

/// Level of pids that the transition creates.
pub const CREATED: usize = usize::MAX;
/// Level of variables that are bound within the expression that counts them: nothing waits for them.
const COUNTED: usize = usize::MAX - 1;

impl Scope {
    pub fn slots(&self) -> usize {
        self.slots
    }

    pub fn bind(&mut self, name: &str, kind: Type, level: usize) -> Slot {
        self.bind_family(name, kind, level, None)
    }

    pub fn bind_family(
        &mut self,
        name: &str,
        kind: Type,
        level: usize,
        family: Option<usize>,
    ) -> Slot {
        let slot = self.slots;
        self.slots += family.unwrap_or(1);
        self.names.push(Variable { name: name.to_string(), kind, slot, level, family });
        slot
    }

    fn find(&self, name: &str) -> Option<&Variable> {
        self.names.iter().rev().find(|v| v.name == name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The slot and level of a pid variable that is not a family.
    pub fn pid(&self, name: &str) -> Option<(Slot, usize)> {
        let found = self.find(name)?;
        (found.kind == Type::Pid && found.family.is_none()).then_some((found.slot, found.level))
    }

    /// Names of all slots, for messages and traces.
    pub fn slot_names(&self) -> Vec<String> {
        let mut names = vec![String::new(); self.slots];
        for v in &self.names {
            for i in 0..v.family.unwrap_or(1) {
                let index = v.family.map(|_| format!("[{}]", i + 1)).unwrap_or_default();
                names[v.slot + i] = format!("{}{index}", v.name);
            }
        }
        names
    }

    pub fn slot_types(&self) -> Vec<Type> {
        let mut types = vec![Type::Pid; self.slots];
        for v in &self.names {
            types[v.slot..v.slot + v.family.unwrap_or(1)].fill(v.kind);
        }
        types
    }

    /// The latest level among the variables of an expression; `None` if it has none.
    pub fn level_of(&self, expr: &Expr) -> Option<usize> {
        let mut level = None;
        expr.walk(&mut |e| {
            if let Expr::Slot(slot) = e {
                let of_slot =
                    |v: &&Variable| (v.slot..v.slot + v.family.unwrap_or(1)).contains(slot);
                let waits_for = self.names.iter().find(of_slot).map(|v| v.level);
                level = level.max(waits_for.filter(|level| *level != COUNTED));
            }
        });
        level
    }
}

impl Compiler<'_> {
    /// An expression of a given type.
    pub fn expect(&mut self, expr: &tree::Expr, kind: Type, scope: &mut Scope) -> Compiled<Expr> {
        let (compiled, found) = self.typed(expr, scope)?;
        self.check(found, kind, expr.span)?;
        Ok(compiled)
    }

    fn check(&self, found: Type, wanted: Type, span: Span) -> Compiled<()> {
        if found == wanted {
            return Ok(());
        }
        let message = format!("expected {}, found {}", wanted.name(), found.name());
        Err(self.source.error(span, message))
    }

    pub fn typed(&mut self, expr: &tree::Expr, scope: &mut Scope) -> Compiled<(Expr, Type)> {
        let span = expr.span;
        self.count_step(span)?;
        match &expr.kind {
            ExprKind::Int(v) => Ok((Expr::Value(*v), Type::Int)),
            ExprKind::Bool(b) => Ok((Expr::Value(i64::from(*b)), Type::Bool)),
            ExprKind::Text(t) => Ok((Expr::Value(self.text_number(t)), Type::Text)),
            ExprKind::Name(name) => self.variable(name, span, scope),
            ExprKind::Index(name, index) => self.member(name, index, scope),
            ExprKind::Not(inner) => {
                Ok((Expr::Not(Box::new(self.expect(inner, Type::Bool, scope)?)), Type::Bool))
            }
            ExprKind::Negate(inner) => {
                Ok((Expr::Negate(Box::new(self.expect(inner, Type::Int, scope)?), span), Type::Int))
            }
            ExprKind::Chain(first, links) => self.chain(first, links, scope),
            ExprKind::Related(relation, left, right) => {
                let left = Box::new(self.expect(left, Type::Pid, scope)?);
                let right = Box::new(self.expect(right, Type::Pid, scope)?);
                self.net.uses.push(Use { relation: *relation, by: self.by.clone(), span });
                Ok((Expr::Related(*relation, left, right), Type::Bool))
            }
            ExprKind::In(inner, list) => self.membership(inner, list, scope),
            ExprKind::If(condition, yes, no) => {
                let condition = Box::new(self.expect(condition, Type::Bool, scope)?);
                let (yes, kind) = self.typed(yes, scope)?;
                let no = Box::new(self.expect(no, kind, scope)?);
                Ok((Expr::If(condition, Box::new(yes), no), kind))
            }
            ExprKind::Count(patterns, condition) => {
                self.count(patterns, condition.as_deref(), scope)
            }
            ExprKind::IsActive(pid) => {
                Ok((Expr::IsActive(Box::new(self.expect(pid, Type::Pid, scope)?)), Type::Bool))
            }
            ExprKind::Root(_) => Err(self.source.error(
                span,
                "pid literals stand in the initial marking only (SACS'10, section 2: pids are black boxes)",
            )),
            ExprKind::Any => Err(self.source.error(span, "`_` stands in patterns only")),
            ExprKind::List(_) | ExprKind::Range(..) => {
                Err(self.source.error(span, "a list stands after `in` only"))
            }
        }
    }

    fn variable(&mut self, name: &str, span: Span, scope: &Scope) -> Compiled<(Expr, Type)> {
        if let Some(variable) = scope.find(name) {
            if variable.family.is_some() {
                let message = format!("`{name}` is a family of pids; write {name}[i]");
                return Err(self.source.error(span, message));
            }
            return Ok((Expr::Slot(variable.slot), variable.kind));
        }
        let constant = self.constants.get(name).cloned();
        match constant {
            Some(Value::Int(v)) => Ok((Expr::Value(v), Type::Int)),
            Some(Value::Bool(b)) => Ok((Expr::Value(i64::from(b)), Type::Bool)),
            Some(Value::Text(t)) => Ok((Expr::Value(self.text_number(&t)), Type::Text)),
            Some(Value::List(_)) => {
                Err(self.source.error(span, format!("`{name}` is a list; use it after `in`")))
            }
            None => {
                let message = format!(
                    "`{name}` is not known here; variables are bound by take, read, active or create"
                );
                Err(self.source.error(span, message))
            }
        }
    }

    fn member(
        &mut self,
        name: &tree::Name,
        index: &tree::Expr,
        scope: &Scope,
    ) -> Compiled<(Expr, Type)> {
        let number = self.constants.int(self.source, index)?;
        let Some(variable) = scope.find(&name.text) else {
            return self.variable(&name.text, name.span, scope);
        };
        let size = variable.family.unwrap_or(0) as i64;
        if !(1..=size).contains(&number) {
            let message = format!("`{}` has members 1 to {size}, not {number}", name.text);
            return Err(self.source.error(index.span, message));
        }
        Ok((Expr::Slot(variable.slot + number as usize - 1), Type::Pid))
    }

    fn chain(
        &mut self,
        first: &tree::Expr,
        links: &[tree::Link],
        scope: &mut Scope,
    ) -> Compiled<(Expr, Type)> {
        let (mut left, mut kind) = self.typed(first, scope)?;
        let mut span = first.span;
        for link in links {
            let (operand, result) = signature(link.operator);
            let operand = operand.unwrap_or(kind);
            self.check(kind, operand, span)?;
            let right = self.expect(&link.right, operand, scope)?;
            left = left.then(link.operator, right, link.span);
            (kind, span) = (result, link.span);
        }
        Ok((left, kind))
    }

    fn membership(
        &mut self,
        inner: &tree::Expr,
        list: &tree::Expr,
        scope: &mut Scope,
    ) -> Compiled<(Expr, Type)> {
        let (inner_expr, kind) = self.typed(inner, scope)?;
        if kind == Type::Pid {
            return Err(self.source.error(inner.span, "pids are in no list; compare them with =="));
        }
        let mut values = Vec::new();
        for value in self.constants.range(self.source, list)? {
            values.push(super::super::expr::value_of(self.data_word(value, kind, list.span)?));
        }
        values.sort_unstable();
        Ok((Expr::In(Box::new(inner_expr), values), Type::Bool))
    }

    fn count(
        &mut self,
        patterns: &[TokenTree],
        condition: Option<&tree::Expr>,
        scope: &mut Scope,
    ) -> Compiled<(Expr, Type)> {
        let outside = scope.names.len();
        if let Some(beyond) = patterns.get(MOST_TOKENS) {
            let message = format!("one expression counts more than {MOST_TOKENS} tokens at a time");
            return Err(self.source.error(beyond.span, message));
        }
        let mut compiled = Vec::new();
        for pattern in patterns {
            compiled.push(self.pattern(pattern, COUNTED, scope)?);
        }
        let condition = condition.map(|c| self.expect(c, Type::Bool, scope)).transpose()?;
        // the names are gone, their slots stay
        for variable in &mut scope.names[outside..] {
            variable.name.clear();
        }
        let count = Count { patterns: compiled, condition, enough: i64::MAX };
        Ok((Expr::Count(Box::new(count)), Type::Int))
    }

    /// A token pattern; names not yet known are bound.
    pub fn pattern(
        &mut self,
        token: &TokenTree,
        level: usize,
        scope: &mut Scope,
    ) -> Compiled<Pattern> {
        let place = self.place_of(&token.place)?;
        self.check_arity(place, token)?;
        let mut args = Vec::new();
        let types = self.net.places[place].types.clone();
        for (component, (arg, kind)) in token.args.iter().zip(types).enumerate() {
            let compiled = self.pattern_arg(arg, kind, level, scope)?;
            if let Arg::Match(expr) = &compiled {
                self.check_constant((place, component), expr, arg.span)?;
            }
            args.push(compiled);
        }
        Ok(Pattern { place, width: self.net.places[place].width, args })
    }

    fn pattern_arg(
        &mut self,
        arg: &tree::Expr,
        kind: Type,
        level: usize,
        scope: &mut Scope,
    ) -> Compiled<Arg> {
        match &arg.kind {
            ExprKind::Any => Ok(Arg::Any),
            ExprKind::Name(name) if !scope.has(name) && self.constants.get(name).is_none() => {
                Ok(Arg::Bind(scope.bind(name, kind, level)))
            }
            ExprKind::Name(name) if scope.find(name).is_some_and(|v| v.level == CREATED) => {
                let message = format!(
                    "`{name}` is created by this transition, so no token holds it; use another name"
                );
                Err(self.source.error(arg.span, message))
            }
            _ => Ok(Arg::Match(self.expect(arg, kind, scope)?)),
        }
    }
}

/// The type of an operator's operands, where it is one and the same, and of its result.
fn signature(operator: Operator) -> (Option<Type>, Type) {
    use Operator::{Add, And, Divide, Equal, Multiply, NotEqual, Or, Remainder, Subtract};
    match operator {
        And | Or => (Some(Type::Bool), Type::Bool),
        Add | Subtract | Multiply | Divide | Remainder => (Some(Type::Int), Type::Int),
        Equal | NotEqual => (None, Type::Bool),
        _ => (Some(Type::Int), Type::Bool),
    }
}
