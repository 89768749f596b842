//! Abstract syntax of boolean programs.

use pidlab_syntax::Span;
use std::collections::BTreeMap;

/// Where something stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    pub line: u32,
    pub span: Span,
}

/// A whole program.
#[derive(Debug)]
pub struct BoolProgram {
    /// Name and initial value.
    pub shared: Vec<(String, bool)>,
    pub procedures: BTreeMap<String, Procedure>,
    pub thread: Block,
    /// Conditions on shared variables under which a state is bad.
    pub errors: Vec<(Expr, Place)>,
}

#[derive(Debug)]
pub struct Procedure {
    pub parameters: Vec<String>,
    pub body: Block,
}

#[derive(Debug, Default)]
pub struct Block {
    pub locals: Vec<(String, Place)>,
    pub statements: Vec<Statement>,
}

#[derive(Debug)]
pub struct Statement {
    pub place: Place,
    pub kind: Kind,
}

#[derive(Debug)]
pub enum Kind {
    Skip,
    /// Simultaneous: the right-hand sides see the old values.
    Assign(Vec<(String, Expr)>),
    Call {
        results: Vec<String>,
        procedure: String,
        arguments: Vec<Expr>,
    },
    If {
        condition: Expr,
        then: Block,
        otherwise: Block,
    },
    While {
        condition: Expr,
        body: Block,
    },
    Choose(Vec<Block>),
    Atomic(Block),
    Lock(String),
    Unlock(String),
    Assert(Expr),
    Assume(Expr),
    Return(Vec<Expr>),
}

/// A boolean expression; `Any` is either value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr<V = String> {
    Constant(bool),
    Any,
    Variable(V),
    Not(Box<Expr<V>>),
    And(Box<Expr<V>>, Box<Expr<V>>),
    Or(Box<Expr<V>>, Box<Expr<V>>),
    Equal(Box<Expr<V>>, Box<Expr<V>>),
}

impl<V> Expr<V> {
    pub fn negated(self) -> Expr<V> {
        Expr::Not(Box::new(self))
    }

    /// The same expression over other variables; the depth is bounded by the parser.
    pub fn try_map<W, E>(&self, f: &mut impl FnMut(&V) -> Result<W, E>) -> Result<Expr<W>, E> {
        Ok(match self {
            Expr::Constant(value) => Expr::Constant(*value),
            Expr::Any => Expr::Any,
            Expr::Variable(v) => Expr::Variable(f(v)?),
            Expr::Not(e) => Expr::Not(Box::new(e.try_map(f)?)),
            Expr::And(a, b) => Expr::And(Box::new(a.try_map(f)?), Box::new(b.try_map(f)?)),
            Expr::Or(a, b) => Expr::Or(Box::new(a.try_map(f)?), Box::new(b.try_map(f)?)),
            Expr::Equal(a, b) => Expr::Equal(Box::new(a.try_map(f)?), Box::new(b.try_map(f)?)),
        })
    }

    /// The values it can take, `(can be false, can be true)`, given those of the variables.
    pub fn values(&self, get: &impl Fn(&V) -> bool) -> (bool, bool) {
        match self {
            Expr::Constant(value) => (!value, *value),
            Expr::Any => (true, true),
            Expr::Variable(v) => (!get(v), get(v)),
            Expr::Not(e) => {
                let (no, yes) = e.values(get);
                (yes, no)
            }
            Expr::And(a, b) => {
                let ((an, ay), (bn, by)) = (a.values(get), b.values(get));
                (an || bn, ay && by)
            }
            Expr::Or(a, b) => {
                let ((an, ay), (bn, by)) = (a.values(get), b.values(get));
                (an && bn, ay || by)
            }
            Expr::Equal(a, b) => {
                let ((an, ay), (bn, by)) = (a.values(get), b.values(get));
                ((an && by) || (ay && bn), (an && bn) || (ay && by))
            }
        }
    }

    /// Calls `f` on every variable.
    pub fn each_variable(&self, f: &mut impl FnMut(&V)) {
        match self {
            Expr::Constant(_) | Expr::Any => {}
            Expr::Variable(v) => f(v),
            Expr::Not(e) => e.each_variable(f),
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Equal(a, b) => {
                a.each_variable(f);
                b.each_variable(f);
            }
        }
    }
}

impl std::fmt::Display for Expr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expr::Constant(value) => write!(f, "{value}"),
            Expr::Any => f.write_str("*"),
            Expr::Variable(v) => f.write_str(v),
            Expr::Not(e) => write!(f, "!{e}"),
            Expr::And(a, b) => write!(f, "({a} && {b})"),
            Expr::Or(a, b) => write!(f, "({a} || {b})"),
            Expr::Equal(a, b) => write!(f, "({a} == {b})"),
        }
    }
}
