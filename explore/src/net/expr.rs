//! Compiled expressions: values are 64-bit words, variables are slots.
//!
//! An integer is itself, a boolean 0 or 1, a string its number in the net's table, a pid the number
//! of its thread; types were checked when the net was compiled.

use super::marking::{Element, Marking, PlaceTokens};
use super::syntax::Span;
use super::syntax::tree::Operator;
use pidlab_budget::{Budget, Exhausted};
use pidlab_core::Relation;

/// Number of a variable.
pub type Slot = usize;

#[derive(Clone, Debug)]
pub enum Expr {
    Value(i64),
    Slot(Slot),
    Not(Box<Expr>),
    Negate(Box<Expr>, Span),
    /// Operators applied to a first operand, from left to right: `a + b + c` is as deep as `a + b`.
    Chain(Box<Expr>, Vec<Link>),
    Related(Relation, Box<Expr>, Box<Expr>),
    /// Membership in a sorted list.
    In(Box<Expr>, Vec<i64>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Count(Box<Count>),
    IsActive(Box<Expr>),
}

/// One operator of a chain and what stands on its right.
#[derive(Clone, Debug)]
pub struct Link {
    pub operator: Operator,
    pub right: Expr,
    /// From the start of the chain to the end of `right`.
    pub span: Span,
}

/// Values of the variables, and what evaluation may use.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    pub values: Vec<i64>,
    pub budget: Budget,
}

impl Variables {
    pub fn reset(&mut self, count: usize) {
        self.values.clear();
        self.values.resize(count, 0);
    }
}

/// Ways to choose different tokens for the patterns such that the condition holds.
#[derive(Clone, Debug)]
pub struct Count {
    pub patterns: Vec<Pattern>,
    pub condition: Option<Expr>,
    /// So many ways are as good as more: one where it is only asked whether there is any.
    pub enough: i64,
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

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Undefined arithmetic, and where it stands.
    Undefined { what: &'static str, span: Span },
    /// There are too many ways to count.
    Limit(Exhausted),
}

impl From<Exhausted> for Trouble {
    fn from(what: Exhausted) -> Trouble {
        Trouble::Limit(what)
    }
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
    pub fn eval(&self, variables: &mut Variables, marking: &Marking) -> Result<i64, Trouble> {
        Ok(match self {
            Expr::Value(value) => *value,
            Expr::Slot(slot) => variables.values[*slot],
            Expr::Not(inner) => i64::from(inner.eval(variables, marking)? == 0),
            Expr::Negate(inner, span) => inner
                .eval(variables, marking)?
                .checked_neg()
                .ok_or(Trouble::Undefined { what: OVERFLOW, span: *span })?,
            Expr::Chain(first, links) => {
                let mut value = first.eval(variables, marking)?;
                for link in links {
                    value = link.apply(value, variables, marking)?;
                }
                value
            }
            Expr::Related(relation, left, right) => {
                let x = left.eval(variables, marking)? as Element;
                let y = right.eval(variables, marking)? as Element;
                i64::from(marking.related(*relation, x, y))
            }
            Expr::In(inner, list) => {
                i64::from(list.binary_search(&inner.eval(variables, marking)?).is_ok())
            }
            Expr::If(condition, yes, no) => {
                let chosen = if condition.eval(variables, marking)? != 0 { yes } else { no };
                return chosen.eval(variables, marking);
            }
            Expr::Count(count) => return count.eval(variables, marking),
            Expr::IsActive(pid) => {
                let thread = pid.eval(variables, marking)? as usize;
                i64::from(marking.threads[thread].is_active())
            }
        })
    }

    pub fn holds(&self, variables: &mut Variables, marking: &Marking) -> Result<bool, Trouble> {
        Ok(self.eval(variables, marking)? != 0)
    }

    /// The same with one more operator behind it.
    pub fn then(self, operator: Operator, right: Expr, span: Span) -> Expr {
        let asks_for_any = matches!(operator, Operator::Equal | Operator::Greater)
            && matches!(right, Expr::Value(0));
        let link = Link { operator, right, span };
        match self {
            Expr::Count(count) if asks_for_any => {
                let any = Expr::Count(Box::new(Count { enough: 1, ..*count }));
                Expr::Chain(Box::new(any), vec![link])
            }
            Expr::Chain(first, mut links) => {
                links.push(link);
                Expr::Chain(first, links)
            }
            first => Expr::Chain(Box::new(first), vec![link]),
        }
    }

    /// Calls `visit` with this expression and all below.
    pub fn walk(&self, visit: &mut impl FnMut(&Expr)) {
        visit(self);
        match self {
            Expr::Value(_) | Expr::Slot(_) => {}
            Expr::Not(a) | Expr::Negate(a, _) | Expr::In(a, _) | Expr::IsActive(a) => a.walk(visit),
            Expr::Chain(first, links) => {
                first.walk(visit);
                links.iter().for_each(|link| link.right.walk(visit));
            }
            Expr::Related(_, a, b) => {
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

    /// Calls `visit` with the parts that must all hold for a condition to hold, in order: each is a
    /// first operand and the operators behind it other than `and`.
    pub fn each_conjunct<'e>(&'e self, visit: &mut impl FnMut(&'e Expr, &'e [Link])) {
        let Expr::Chain(first, links) = self else { return visit(self, &[]) };
        let is_and = |link: &&Link| link.operator == Operator::And;
        let (head, ands) =
            links.split_at(links.len() - links.iter().rev().take_while(is_and).count());
        match head {
            [] => first.each_conjunct(visit),
            _ => visit(first, head),
        }
        ands.iter().for_each(|link| link.right.each_conjunct(visit));
    }

    /// Whether evaluation may be undefined: such a condition must wait for those before it.
    pub fn may_fail(&self) -> bool {
        let mut may = false;
        self.walk(&mut |e| may |= matches!(e, Expr::Negate(..)) || e.is_arithmetic());
        may
    }

    fn is_arithmetic(&self) -> bool {
        use Operator::{Divide, Multiply, Remainder};
        let fails = |link: &Link| matches!(link.operator, Multiply | Divide | Remainder);
        matches!(self, Expr::Chain(_, links) if links.iter().any(fails))
    }
}

impl Link {
    /// The value of the chain up to here, from the value before.
    #[inline]
    fn apply(&self, a: i64, variables: &mut Variables, marking: &Marking) -> Result<i64, Trouble> {
        match self.operator {
            Operator::And if a == 0 => return Ok(0),
            Operator::Or if a != 0 => return Ok(1),
            _ => {}
        }
        let b = self.right.eval(variables, marking)?;
        let checked = match self.operator {
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
                return Err(Trouble::Undefined { what: BY_ZERO, span: self.span });
            }
            Operator::Divide => a.checked_div_euclid(b),
            Operator::Remainder => a.checked_rem_euclid(b),
        };
        checked.ok_or(Trouble::Undefined { what: OVERFLOW, span: self.span })
    }
}

impl Pattern {
    /// Matches one token and binds variables.
    #[inline]
    pub fn matches(
        &self,
        token: &[u32],
        variables: &mut Variables,
        marking: &Marking,
    ) -> Result<bool, Trouble> {
        for (arg, &word) in self.args.iter().zip(token) {
            match arg {
                Arg::Bind(slot) => variables.values[*slot] = value_of(word),
                Arg::Any => {}
                Arg::Match(expr) => {
                    if expr.eval(variables, marking)? != value_of(word) {
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
    fn eval(&self, variables: &mut Variables, marking: &Marking) -> Result<i64, Trouble> {
        // most count one token, and need no list of those that are taken
        let mut used = Vec::new();
        self.choose(&mut used, variables, marking)
    }

    /// Whether the condition holds for the tokens that are bound.
    #[inline]
    fn is_chosen(&self, variables: &mut Variables, marking: &Marking) -> Result<bool, Trouble> {
        self.condition.as_ref().map_or(Ok(true), |condition| condition.holds(variables, marking))
    }

    fn choose(
        &self,
        used: &mut Vec<(usize, usize)>,
        variables: &mut Variables,
        marking: &Marking,
    ) -> Result<i64, Trouble> {
        let Some(pattern) = self.patterns.get(used.len()) else {
            return Ok(i64::from(self.is_chosen(variables, marking)?));
        };
        let mut ways = 0;
        let tokens = PlaceTokens::new(marking.place(pattern.place), pattern.width);
        for (index, token) in tokens.enumerate() {
            let choice = (pattern.place, index);
            variables.budget.spend(1)?;
            if used.contains(&choice) || !pattern.matches(token, variables, marking)? {
                continue;
            }
            ways += match used.len() + 1 == self.patterns.len() {
                true => i64::from(self.is_chosen(variables, marking)?),
                false => {
                    used.push(choice);
                    let below = self.choose(used, variables, marking)?;
                    used.pop();
                    below
                }
            };
            if ways >= self.enough {
                break;
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
