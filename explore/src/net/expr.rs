//! Compiled expressions: values are 64-bit words, variables are slots.
//!
//! An integer is itself, a boolean 0 or 1, a string its number in the net's table, a pid the number
//! of its thread; types were checked when the net was compiled.

use super::marking::{Element, Marking, Tokens};
use super::syntax::Span;
use super::syntax::tree::Operator;
use pidlab_core::Relation;

/// Number of a variable.
pub type Slot = usize;

#[derive(Clone, Debug)]
pub enum Expr {
    Value(i64),
    Slot(Slot),
    Not(Box<Expr>),
    Negate(Box<Expr>, Span),
    Binary(Operator, Box<Expr>, Box<Expr>, Span),
    Related(Relation, Box<Expr>, Box<Expr>),
    /// Membership in a sorted list.
    In(Box<Expr>, Vec<i64>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Count(Box<Count>),
    IsActive(Box<Expr>),
}

/// Ways to choose different tokens for the patterns such that the condition holds.
#[derive(Clone, Debug)]
pub struct Count {
    pub patterns: Vec<Pattern>,
    pub condition: Option<Expr>,
}

/// What a token must look like.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub place: usize,
    /// Words per token of the place.
    pub width: usize,
    pub args: Vec<Arg>,
}

#[derive(Clone, Debug)]
pub enum Arg {
    /// The first occurrence of a variable.
    Bind(Slot),
    Match(Expr),
    Any,
}

/// Undefined arithmetic, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undefined {
    pub what: &'static str,
    pub span: Span,
}

const OVERFLOW: &str = "this integer overflows";
const BY_ZERO: &str = "this divides by zero";

/// A word of a token as a value: pids and booleans are not negative, integers are signed.
#[inline]
pub fn value_of(word: u32) -> i64 {
    i64::from(word as i32)
}

/// A value as a word of a token.
#[inline]
pub fn word_of(value: i64) -> Option<u32> {
    i32::try_from(value).ok().map(|v| v as u32)
}

impl Expr {
    pub fn eval(&self, slots: &mut [i64], marking: &Marking) -> Result<i64, Undefined> {
        Ok(match self {
            Expr::Value(value) => *value,
            Expr::Slot(slot) => slots[*slot],
            Expr::Not(inner) => i64::from(inner.eval(slots, marking)? == 0),
            Expr::Negate(inner, span) => inner
                .eval(slots, marking)?
                .checked_neg()
                .ok_or(Undefined { what: OVERFLOW, span: *span })?,
            Expr::Binary(operator, left, right, span) => {
                return binary(*operator, left, right, *span, slots, marking);
            }
            Expr::Related(relation, left, right) => {
                let x = left.eval(slots, marking)? as Element;
                let y = right.eval(slots, marking)? as Element;
                i64::from(marking.related(*relation, x, y))
            }
            Expr::In(inner, list) => {
                i64::from(list.binary_search(&inner.eval(slots, marking)?).is_ok())
            }
            Expr::If(condition, yes, no) => {
                let chosen = if condition.eval(slots, marking)? != 0 { yes } else { no };
                return chosen.eval(slots, marking);
            }
            Expr::Count(count) => return count.eval(slots, marking),
            Expr::IsActive(pid) => {
                let thread = pid.eval(slots, marking)? as usize;
                i64::from(marking.threads[thread].is_active())
            }
        })
    }

    pub fn holds(&self, slots: &mut [i64], marking: &Marking) -> Result<bool, Undefined> {
        Ok(self.eval(slots, marking)? != 0)
    }

    /// Calls `visit` with this expression and all below.
    pub fn walk(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Value(_) | Expr::Slot(_) => {}
            Expr::Not(a) | Expr::Negate(a, _) | Expr::In(a, _) | Expr::IsActive(a) => a.walk(visit),
            Expr::Binary(_, a, b, _) | Expr::Related(_, a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            Expr::If(a, b, c) => {
                a.walk(visit);
                b.walk(visit);
                c.walk(visit);
            }
            Expr::Count(count) => count.walk(visit),
        }
    }

    /// Whether evaluation may be undefined: such a condition must wait for those before it.
    pub fn may_fail(&self) -> bool {
        let mut may = false;
        self.walk(&mut |e| {
            may |= matches!(e, Expr::Negate(..) | Expr::Count(_)) || e.is_arithmetic()
        });
        may
    }

    fn is_arithmetic(&self) -> bool {
        use Operator::{Divide, Multiply, Remainder};
        matches!(self, Expr::Binary(Multiply | Divide | Remainder, ..))
    }
}

fn binary(
    operator: Operator,
    left: &Expr,
    right: &Expr,
    span: Span,
    slots: &mut [i64],
    marking: &Marking,
) -> Result<i64, Undefined> {
    let a = left.eval(slots, marking)?;
    match operator {
        Operator::And if a == 0 => return Ok(0),
        Operator::Or if a != 0 => return Ok(1),
        _ => {}
    }
    let b = right.eval(slots, marking)?;
    let checked = match operator {
        Operator::And | Operator::Or => Some(b),
        Operator::Equal => Some(i64::from(a == b)),
        Operator::NotEqual => Some(i64::from(a != b)),
        Operator::Less => Some(i64::from(a < b)),
        Operator::LessEqual => Some(i64::from(a <= b)),
        Operator::Greater => Some(i64::from(a > b)),
        Operator::GreaterEqual => Some(i64::from(a >= b)),
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Divide | Operator::Remainder if b == 0 => {
            return Err(Undefined { what: BY_ZERO, span });
        }
        Operator::Divide => a.checked_div_euclid(b),
        Operator::Remainder => a.checked_rem_euclid(b),
    };
    checked.ok_or(Undefined { what: OVERFLOW, span })
}

impl Pattern {
    /// Matches one token and binds variables.
    #[inline]
    pub fn matches(
        &self,
        token: &[u32],
        slots: &mut [i64],
        marking: &Marking,
    ) -> Result<bool, Undefined> {
        for (arg, &word) in self.args.iter().zip(token) {
            match arg {
                Arg::Bind(slot) => slots[*slot] = value_of(word),
                Arg::Any => {}
                Arg::Match(expr) => {
                    if expr.eval(slots, marking)? != value_of(word) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn walk(&self, visit: &mut impl FnMut(&Expr)) {
        for arg in &self.args {
            if let Arg::Match(expr) = arg {
                expr.walk(visit);
            }
        }
    }
}

impl Count {
    fn eval(&self, slots: &mut [i64], marking: &Marking) -> Result<i64, Undefined> {
        let mut used = Vec::with_capacity(self.patterns.len());
        self.choose(&mut used, slots, marking)
    }

    fn choose(
        &self,
        used: &mut Vec<(usize, usize)>,
        slots: &mut [i64],
        marking: &Marking,
    ) -> Result<i64, Undefined> {
        let Some(pattern) = self.patterns.get(used.len()) else {
            return match &self.condition {
                Some(condition) => Ok(i64::from(condition.holds(slots, marking)?)),
                None => Ok(1),
            };
        };
        let mut ways = 0;
        let tokens = Tokens::new(marking.place(pattern.place), pattern.width);
        for (index, token) in tokens.enumerate() {
            let choice = (pattern.place, index);
            if !used.contains(&choice) && pattern.matches(token, slots, marking)? {
                used.push(choice);
                ways += self.choose(used, slots, marking)?;
                used.pop();
            }
        }
        Ok(ways)
    }

    fn walk(&self, visit: &mut impl FnMut(&Expr)) {
        for pattern in &self.patterns {
            pattern.walk(visit);
        }
        if let Some(condition) = &self.condition {
            condition.walk(visit);
        }
    }
}
