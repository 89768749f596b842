//! Constants and loop variables: values known before the net runs.

use super::{Compiled, Setting};
use crate::net::syntax::tree::{Expr, ExprKind, NetTree, Operator};
use crate::net::syntax::{Diagnostic, Source, parse_expr};

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Int(i64),
    Text(String),
    Bool(bool),
    List(Vec<Value>),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Int(v) => write!(f, "{v}"),
            Value::Text(t) => write!(f, "{t:?}"),
            Value::Bool(v) => write!(f, "{v}"),
            Value::List(all) => {
                let all: Vec<String> = all.iter().map(Value::to_string).collect();
                write!(f, "[{}]", all.join(", "))
            }
        }
    }
}

const NOT_CONSTANT: &str = "only constants can stand here";

/// Largest number of values a loop may run over.
const LONGEST: i64 = 1 << 16;

/// Names with values; later ones hide earlier ones.
#[derive(Clone, Debug, Default)]
pub struct Constants(Vec<(String, Value)>);

impl Constants {
    /// The constants of a net, those set from outside replaced.
    pub fn new(source: &Source, tree: &NetTree, settings: &[Setting]) -> Compiled<Constants> {
        let mut constants = Constants::default();
        for (name, text) in settings {
            if !tree.constants.iter().any(|(known, _)| known.text == *name) {
                return Err(unknown(name, text, tree));
            }
        }
        for (name, expr) in &tree.constants {
            let declared = constants.value(source, expr)?;
            let setting = settings.iter().rev().find(|(set, _)| *set == name.text);
            let value = match setting {
                Some((_, text)) => constants.setting(&name.text, text, &declared)?,
                None => declared,
            };
            constants.push(&name.text, value);
        }
        Ok(constants)
    }

    fn setting(&self, name: &str, text: &str, declared: &Value) -> Compiled<Value> {
        let source = Source::new(format!("setting {name}"), text);
        let expr = parse_expr(&source)?;
        let value = match (self.value(&source, &expr)?, declared) {
            (single, Value::List(_)) if !matches!(single, Value::List(_)) => {
                Value::List(vec![single])
            }
            (value, _) => value,
        };
        if std::mem::discriminant(&value) == std::mem::discriminant(declared) {
            return Ok(value);
        }
        let message =
            format!("constant `{name}` is {declared} in the model; {value} is of another kind");
        Err(source.error(expr.span, message))
    }

    pub fn push(&mut self, name: &str, value: Value) {
        self.0.push((name.to_string(), value));
    }

    pub fn pop(&mut self) {
        self.0.pop();
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Declared constants with their values, for reports.
    pub fn listing(&self, tree: &NetTree) -> Vec<(String, String)> {
        let value = |name: &str| self.get(name).map(Value::to_string).unwrap_or_default();
        tree.constants.iter().map(|(name, _)| (name.text.clone(), value(&name.text))).collect()
    }

    /// The value of an expression without variables.
    pub fn value(&self, source: &Source, expr: &Expr) -> Compiled<Value> {
        let not_constant = || source.error(expr.span, NOT_CONSTANT);
        match &expr.kind {
            ExprKind::Int(v) => Ok(Value::Int(*v)),
            ExprKind::Text(t) => Ok(Value::Text(t.clone())),
            ExprKind::Bool(b) => Ok(Value::Bool(*b)),
            ExprKind::Name(name) => {
                let value = self.get(name).ok_or_else(|| {
                    source.error(expr.span, format!("there is no constant `{name}`"))
                })?;
                if matches!(value, Value::List(_)) {
                    // lists of lists can be far longer than their text
                    source.poll(0, expr.span)?;
                }
                Ok(value.clone())
            }
            ExprKind::List(all) => Ok(Value::List(
                all.iter().map(|e| self.value(source, e)).collect::<Result<_, _>>()?,
            )),
            ExprKind::Range(..) => Ok(Value::List(self.range(source, expr)?)),
            ExprKind::Negate(inner) => match self.int(source, inner)?.checked_neg() {
                Some(value) => Ok(Value::Int(value)),
                None => Err(not_constant()),
            },
            ExprKind::Chain(first, links) => {
                let mut value = self.int(source, first)?;
                for link in links {
                    let right = self.int(source, &link.right)?;
                    value = arithmetic(link.operator, value, right)
                        .ok_or_else(|| source.error(link.span, NOT_CONSTANT))?;
                }
                Ok(Value::Int(value))
            }
            _ => Err(not_constant()),
        }
    }

    pub fn int(&self, source: &Source, expr: &Expr) -> Compiled<i64> {
        match self.value(source, expr)? {
            Value::Int(value) => Ok(value),
            other => Err(source.error(expr.span, format!("expected an integer, found {other}"))),
        }
    }

    /// The values a loop runs over: `a..b`, both included, or a list.
    pub fn range(&self, source: &Source, expr: &Expr) -> Compiled<Vec<Value>> {
        if let ExprKind::Range(from, to) = &expr.kind {
            let (from, to) = (self.int(source, from)?, self.int(source, to)?);
            if to.saturating_sub(from) >= LONGEST {
                return Err(
                    source.error(expr.span, format!("a range of more than {LONGEST} values"))
                );
            }
            return Ok((from..=to).map(Value::Int).collect());
        }
        match self.value(source, expr)? {
            Value::List(all) => Ok(all),
            other => {
                Err(source.error(expr.span, format!("expected a range or a list, found {other}")))
            }
        }
    }
}

fn arithmetic(operator: Operator, a: i64, b: i64) -> Option<i64> {
    match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Divide => a.checked_div_euclid(b),
        Operator::Remainder => a.checked_rem_euclid(b),
        _ => None,
    }
}

fn unknown(name: &str, text: &str, tree: &NetTree) -> Diagnostic {
    let known: Vec<&str> = tree.constants.iter().map(|(name, _)| name.text.as_str()).collect();
    let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
    let source = Source::new("setting", format!("{name}={text}"));
    let span = crate::net::syntax::Span { start: 0, end: name.len() };
    source.error(span, format!("the model has no constant `{name}`; it has: {known}"))
}
