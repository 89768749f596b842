//! Inlining: a program becomes one control-flow graph whose edges are single operations.
//!
//! Every call gets its own copy of the procedure's variables and body. Recursion is an error that
//! names the procedure; so is a program that grows too large.

use super::ast::{Block, Expr, Kind, Program, Statement};
use crate::error::ParseError;
use std::collections::BTreeMap;

/// A variable after inlining: number of a shared or of a thread's variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    Shared(u32),
    Local(u32),
}

#[derive(Clone, Debug)]
pub enum Op {
    Skip,
    Assume(Expr<Var>),
    Assert(Expr<Var>),
    Assign(Vec<(Var, Expr<Var>)>),
    /// Waits until the variable is false and sets it.
    Lock(Var),
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    pub op: Op,
    pub line: u32,
    pub text: String,
}

/// A thread's program: nodes `0..nodes`, entry 0.
#[derive(Debug, Default)]
pub struct Flow {
    pub nodes: u32,
    pub edges: Vec<Edge>,
    pub locals: Vec<String>,
    /// Nodes inside an atomic block: no other thread moves there.
    pub atomic: Vec<bool>,
}

const MAX_EDGES: usize = 100_000;
/// Variables are kept in the bits of one word.
pub const MAX_VARIABLES: usize = 128;

pub fn inline(program: &Program) -> Result<Flow, ParseError> {
    if program.shared.len() > MAX_VARIABLES {
        let message = format!("more than {MAX_VARIABLES} shared variables");
        return Err(ParseError::new(1, message));
    }
    let shared: BTreeMap<String, Var> = program
        .shared
        .iter()
        .enumerate()
        .map(|(i, (name, _))| (name.clone(), Var::Shared(i as u32)))
        .collect();
    let mut inliner = Inliner { program, flow: Flow::default(), stack: Vec::new(), atomic: 0 };
    let (entry, last) = (inliner.node(), inliner.node());
    // A return in the thread's own block ends the thread.
    let scope = Scope { names: shared, results: Vec::new(), exit: last };
    let end = inliner.block(&program.thread, entry, &scope)?;
    inliner.edge(end, last, Op::Skip, 0, "end".into())?;
    Ok(inliner.flow)
}

/// Names in force, and what `return` does.
#[derive(Clone)]
struct Scope {
    names: BTreeMap<String, Var>,
    results: Vec<Var>,
    exit: u32,
}

struct Inliner<'a> {
    program: &'a Program,
    flow: Flow,
    /// Procedures being inlined, for the recursion test.
    stack: Vec<String>,
    atomic: u32,
}

impl Inliner<'_> {
    fn node(&mut self) -> u32 {
        self.flow.nodes += 1;
        self.flow.atomic.push(self.atomic > 0);
        self.flow.nodes - 1
    }

    fn edge(
        &mut self,
        from: u32,
        to: u32,
        op: Op,
        line: u32,
        text: String,
    ) -> Result<(), ParseError> {
        if self.flow.edges.len() == MAX_EDGES {
            let message = format!("the inlined program exceeds {MAX_EDGES} operations");
            return Err(ParseError::new(line, message));
        }
        self.flow.edges.push(Edge { from, to, op, line, text });
        Ok(())
    }

    fn local(&mut self, name: &str, line: u32) -> Result<Var, ParseError> {
        if self.flow.locals.len() == MAX_VARIABLES {
            let message = format!("more than {MAX_VARIABLES} local variables after inlining");
            return Err(ParseError::new(line, message));
        }
        self.flow.locals.push(name.to_string());
        Ok(Var::Local(self.flow.locals.len() as u32 - 1))
    }

    /// Inlines a block from node `at`; returns the node where it ends.
    fn block(&mut self, block: &Block, at: u32, scope: &Scope) -> Result<u32, ParseError> {
        let mut scope = scope.clone();
        let mut fresh = Vec::new();
        for (name, line) in &block.locals {
            let variable = self.local(name, *line)?;
            scope.names.insert(name.clone(), variable);
            fresh.push((variable, Expr::Constant(false)));
        }
        let mut at = at;
        // Locals start false each time the block is entered.
        if !fresh.is_empty() {
            let next = self.node();
            self.edge(at, next, Op::Assign(fresh), block.locals[0].1, "local".into())?;
            at = next;
        }
        for statement in &block.statements {
            at = self.statement(statement, at, &scope)?;
        }
        Ok(at)
    }

    fn statement(&mut self, s: &Statement, at: u32, scope: &Scope) -> Result<u32, ParseError> {
        let line = s.line;
        match &s.kind {
            Kind::Skip => Ok(at),
            Kind::Atomic(block) => self.atomic_block(block, at, scope, line),
            Kind::Call { results, procedure, arguments } => {
                self.call(results, procedure, arguments, at, scope, line)
            }
            Kind::If { condition, then, otherwise } => {
                self.branch(condition, then, otherwise, at, scope, line)
            }
            Kind::While { condition, body } => {
                let (inside, after) = (self.node(), self.node());
                self.guard(at, inside, condition, scope, line)?;
                let end = self.block(body, inside, scope)?;
                self.edge(end, at, Op::Skip, line, "loop".into())?;
                self.guard(at, after, &condition.clone().negated(), scope, line)?;
                Ok(after)
            }
            Kind::Choose(branches) => {
                let after = self.node();
                for branch in branches {
                    let start = self.node();
                    self.edge(at, start, Op::Skip, line, "choose".into())?;
                    let end = self.block(branch, start, scope)?;
                    self.edge(end, after, Op::Skip, line, "choose".into())?;
                }
                Ok(after)
            }
            Kind::Return(values) => self.give_back(values, at, scope, line),
            simple => {
                let (op, text) = self.operation(simple, scope, line)?;
                let next = self.node();
                self.edge(at, next, op, line, text)?;
                Ok(next)
            }
        }
    }

    fn operation(&self, kind: &Kind, scope: &Scope, line: u32) -> Result<(Op, String), ParseError> {
        Ok(match kind {
            Kind::Assign(pairs) => {
                let text: Vec<String> = pairs.iter().map(|(v, e)| format!("{v} := {e}")).collect();
                let assign = |(name, value): &(String, Expr)| {
                    Ok((resolve(name, scope, line)?, expression(value, scope, line)?))
                };
                (Op::Assign(pairs.iter().map(assign).collect::<Result<_, _>>()?), text.join(", "))
            }
            Kind::Lock(name) => (Op::Lock(shared(name, scope, line)?), format!("lock({name})")),
            Kind::Unlock(name) => {
                let free = vec![(shared(name, scope, line)?, Expr::Constant(false))];
                (Op::Assign(free), format!("unlock({name})"))
            }
            Kind::Assert(e) => (Op::Assert(expression(e, scope, line)?), format!("assert({e})")),
            Kind::Assume(e) => (Op::Assume(expression(e, scope, line)?), format!("assume({e})")),
            _ => (Op::Skip, "skip".into()),
        })
    }

    fn guard(
        &mut self,
        from: u32,
        to: u32,
        condition: &Expr,
        scope: &Scope,
        line: u32,
    ) -> Result<(), ParseError> {
        let op = Op::Assume(expression(condition, scope, line)?);
        self.edge(from, to, op, line, format!("[{condition}]"))
    }

    fn branch(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: &Block,
        at: u32,
        scope: &Scope,
        line: u32,
    ) -> Result<u32, ParseError> {
        let (yes, no, after) = (self.node(), self.node(), self.node());
        self.guard(at, yes, condition, scope, line)?;
        self.guard(at, no, &condition.clone().negated(), scope, line)?;
        for (block, start) in [(then, yes), (otherwise, no)] {
            let end = self.block(block, start, scope)?;
            self.edge(end, after, Op::Skip, line, "if".into())?;
        }
        Ok(after)
    }

    fn atomic_block(
        &mut self,
        block: &Block,
        at: u32,
        scope: &Scope,
        line: u32,
    ) -> Result<u32, ParseError> {
        self.atomic += 1;
        let inside = self.node();
        self.edge(at, inside, Op::Skip, line, "atomic".into())?;
        let end = self.block(block, inside, scope);
        self.atomic -= 1;
        let after = self.node();
        self.edge(end?, after, Op::Skip, line, "atomic".into())?;
        Ok(after)
    }

    fn call(
        &mut self,
        results: &[String],
        name: &str,
        arguments: &[Expr],
        at: u32,
        scope: &Scope,
        line: u32,
    ) -> Result<u32, ParseError> {
        let unknown = || ParseError::new(line, format!("there is no procedure `{name}`"));
        let procedure = self.program.procedures.get(name).ok_or_else(unknown)?;
        if self.stack.iter().any(|open| open == name) {
            return Err(ParseError::new(
                line,
                format!("`{name}` is recursive; it cannot be inlined"),
            ));
        }
        if procedure.parameters.len() != arguments.len() {
            let wanted = procedure.parameters.len();
            let message = format!("`{name}` takes {wanted} arguments, not {}", arguments.len());
            return Err(ParseError::new(line, message));
        }
        let mut inner: BTreeMap<String, Var> = scope.names.clone();
        inner.retain(|_, variable| matches!(variable, Var::Shared(_)));
        let mut passed = Vec::new();
        for (parameter, argument) in procedure.parameters.iter().zip(arguments) {
            let variable = self.local(parameter, line)?;
            passed.push((variable, expression(argument, scope, line)?));
            inner.insert(parameter.clone(), variable);
        }
        let targets = results.iter().map(|r| resolve(r, scope, line));
        let targets: Vec<Var> = targets.collect::<Result<_, _>>()?;
        let (start, exit) = (self.node(), self.node());
        self.edge(at, start, Op::Assign(passed), line, format!("call {name}"))?;
        self.stack.push(name.to_string());
        let scope = Scope { names: inner, results: targets, exit };
        let end = self.block(&procedure.body, start, &scope);
        self.stack.pop();
        // Falling off the end returns false.
        let none = scope.results.iter().map(|&r| (r, Expr::Constant(false))).collect();
        self.edge(end?, exit, Op::Assign(none), line, "return".into())?;
        Ok(exit)
    }

    fn give_back(
        &mut self,
        values: &[Expr],
        at: u32,
        scope: &Scope,
        line: u32,
    ) -> Result<u32, ParseError> {
        if !scope.results.is_empty() && values.len() != scope.results.len() {
            let wanted = scope.results.len();
            let message = format!("returns {} values where {wanted} are expected", values.len());
            return Err(ParseError::new(line, message));
        }
        let assign = |(r, e): (&Var, &Expr)| Ok((*r, expression(e, scope, line)?));
        let pairs = scope.results.iter().zip(values).map(assign).collect::<Result<_, _>>()?;
        self.edge(at, scope.exit, Op::Assign(pairs), line, "return".into())?;
        // What follows in the block is unreachable but must still be well formed.
        Ok(self.node())
    }
}

fn resolve(name: &str, scope: &Scope, line: u32) -> Result<Var, ParseError> {
    let unknown = || ParseError::new(line, format!("variable `{name}` is not declared"));
    scope.names.get(name).copied().ok_or_else(unknown)
}

fn shared(name: &str, scope: &Scope, line: u32) -> Result<Var, ParseError> {
    match resolve(name, scope, line)? {
        variable @ Var::Shared(_) => Ok(variable),
        Var::Local(_) => {
            Err(ParseError::new(line, format!("`{name}` is local; a lock must be shared")))
        }
    }
}

fn expression(e: &Expr, scope: &Scope, line: u32) -> Result<Expr<Var>, ParseError> {
    e.try_map(&mut |name: &String| resolve(name, scope, line))
}
