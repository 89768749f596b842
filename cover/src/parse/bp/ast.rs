//! Abstract syntax of boolean programs, the same for both dialects.

use super::expr::Expr;
use pidlab_syntax::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Where something stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    pub line: u32,
    pub span: Span,
}

/// A whole program.
#[derive(Debug, Default)]
pub struct BoolProgram {
    pub shared: Vec<Variable>,
    /// One of each for every thread, seen by all procedures.
    pub thread_local: Vec<Variable>,
    pub procedures: BTreeMap<String, Procedure>,
    pub threads: Vec<ThreadType>,
    /// Conditions on shared variables under which a state is bad.
    pub errors: Vec<(Expr, Place)>,
    /// Labels that no thread may reach.
    pub error_labels: Vec<String>,
    /// All labels.
    pub labels: BTreeSet<String>,
    /// Whether a program without assertions is a mistake.
    pub must_assert: bool,
}

/// Threads that start in the same procedure.
#[derive(Debug)]
pub struct ThreadType {
    pub procedure: String,
    pub count: ThreadCount,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadCount {
    Exactly(u32),
    /// Any number, at least so many.
    Any(u32),
}

#[derive(Debug)]
pub struct Variable {
    pub name: String,
    pub place: Place,
    /// `*` is either value.
    pub initial: Expr,
}

#[derive(Debug)]
pub struct Procedure {
    /// Their values come from the call.
    pub parameters: Vec<Variable>,
    /// How many values it returns, where the program says so.
    pub results: Option<usize>,
    /// What it returns if it ends without `return`.
    pub default: Expr,
    /// Holds at the start and after every assignment of the procedure.
    pub enforced: Option<(Expr, Place)>,
    pub body: Block,
    pub place: Place,
}

#[derive(Debug, Default)]
pub struct Block {
    pub statements: Vec<Statement>,
}

#[derive(Debug)]
pub struct Statement {
    pub labels: Vec<String>,
    pub place: Place,
    pub kind: Kind,
}

#[derive(Debug)]
pub enum Kind {
    Skip,
    /// Variables that get their initial values here, up to the end of the block.
    Declare(Vec<Variable>),
    /// Simultaneous: the right-hand sides see the old values. It happens only if the constraint
    /// holds of the old values and the new ones.
    Assign {
        pairs: Vec<(String, Expr)>,
        constrain: Option<Expr>,
    },
    /// `None` is a result that is thrown away.
    Call {
        results: Vec<Option<String>>,
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
    AtomicBegin,
    AtomicEnd,
    Lock(String),
    Unlock(String),
    Assert(Expr),
    Assume(Expr),
    Return(Vec<Expr>),
    Goto(Vec<(String, Place)>),
    /// A new thread with a copy of the local variables runs the block and ends.
    Start(Block),
    EndThread,
    /// Two threads go on together.
    Sync(String),
}
