//! Inlining: a program becomes one control-flow graph whose edges are single operations.
//!
//! Every call gets its own copy of the procedure's variables and body. Recursion is an error that
//! names the procedure; so is a program that grows too large. What is left to do is kept on a stack of
//! our own, so calls may nest as deep as a program says. Cost: the size of the inlined program.

use super::ast::{Block, BoolProgram, Expr, Kind, Statement};
use crate::budget::Budget;
use crate::error::{ParseError, ReadError};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A variable after inlining: number of a shared or of a thread's variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    Shared(u32),
    Local(u32),
}

#[derive(Clone, Debug)]
pub enum FlowOp {
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
    pub op: FlowOp,
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

pub fn inline(program: &BoolProgram, budget: &Budget) -> Result<Flow, ReadError> {
    let mut inliner = Inliner::new(program);
    let (entry, last) = (inliner.node(), inliner.node());
    // A return in the thread's own block ends the thread.
    let scope = Rc::new(Scope { locals: BTreeMap::new(), results: Vec::new(), exit: last });
    inliner.open(&program.thread, entry, &scope);
    inliner.run(budget)?;
    inliner.edge(inliner.at, last, FlowOp::Skip, 0, "end".into())?;
    Ok(inliner.flow)
}

/// Local names in force, and what `return` does.
#[derive(Clone)]
struct Scope<'a> {
    locals: BTreeMap<&'a str, Var>,
    results: Vec<Var>,
    exit: u32,
}

/// What is left to do, last first.
enum Task<'a> {
    /// Inline a block from node `at`.
    Open {
        block: &'a Block,
        at: u32,
        scope: Rc<Scope<'a>>,
    },
    /// Inline these statements one after the other.
    Statements {
        left: std::slice::Iter<'a, Statement>,
        scope: Rc<Scope<'a>>,
    },
    /// A branch of a choice at `from`, which then goes on to `after`.
    Branch {
        block: &'a Block,
        from: u32,
        after: u32,
        line: u32,
        scope: Rc<Scope<'a>>,
    },
    /// Lead from where we are to a node.
    Join {
        to: u32,
        line: u32,
        text: &'static str,
    },
    /// Go on at a node.
    At(u32),
    EndLoop {
        head: u32,
        after: u32,
        condition: &'a Expr,
        line: u32,
        scope: Rc<Scope<'a>>,
    },
    EndAtomic {
        line: u32,
    },
    EndCall {
        procedure: &'a str,
        line: u32,
        scope: Rc<Scope<'a>>,
    },
}

struct Inliner<'a> {
    program: &'a BoolProgram,
    shared: BTreeMap<&'a str, Var>,
    flow: Flow,
    tasks: Vec<Task<'a>>,
    /// The node where the next statement starts.
    at: u32,
    /// Procedures being inlined, for the recursion test.
    calls: FxHashSet<&'a str>,
    atomic: u32,
}

impl<'a> Inliner<'a> {
    fn new(program: &'a BoolProgram) -> Inliner<'a> {
        let names = program.shared.iter().enumerate();
        Inliner {
            program,
            shared: names.map(|(i, (name, _))| (name.as_str(), Var::Shared(i as u32))).collect(),
            flow: Flow::default(),
            tasks: Vec::new(),
            at: 0,
            calls: FxHashSet::default(),
            atomic: 0,
        }
    }

    fn run(&mut self, budget: &Budget) -> Result<(), ReadError> {
        while let Some(task) = self.tasks.pop() {
            budget.poll()?;
            match task {
                Task::Open { block, at, scope } => self.begin(block, at, &scope)?,
                Task::Statements { mut left, scope } => {
                    if let Some(statement) = left.next() {
                        self.tasks.push(Task::Statements { left, scope: scope.clone() });
                        self.statement(statement, &scope)?;
                    }
                }
                Task::At(node) => self.at = node,
                Task::Join { to, line, text } => {
                    self.edge(self.at, to, FlowOp::Skip, line, text.into())?;
                }
                Task::Branch { block, from, after, line, scope } => {
                    let start = self.node();
                    self.edge(from, start, FlowOp::Skip, line, "choose".into())?;
                    self.tasks.push(Task::Join { to: after, line, text: "choose" });
                    self.open(block, start, &scope);
                }
                Task::EndLoop { head, after, condition, line, scope } => {
                    self.edge(self.at, head, FlowOp::Skip, line, "loop".into())?;
                    self.guard(head, after, &condition.clone().negated(), &scope, line)?;
                    self.at = after;
                }
                Task::EndAtomic { line } => {
                    self.atomic -= 1;
                    let after = self.node();
                    self.edge(self.at, after, FlowOp::Skip, line, "atomic".into())?;
                    self.at = after;
                }
                Task::EndCall { procedure, line, scope } => {
                    self.calls.remove(procedure);
                    // Falling off the end returns false.
                    let none = scope.results.iter().map(|&r| (r, Expr::Constant(false))).collect();
                    self.edge(self.at, scope.exit, FlowOp::Assign(none), line, "return".into())?;
                    self.at = scope.exit;
                }
            }
        }
        Ok(())
    }

    fn node(&mut self) -> u32 {
        self.flow.nodes += 1;
        self.flow.atomic.push(self.atomic > 0);
        self.flow.nodes - 1
    }

    fn edge(
        &mut self,
        from: u32,
        to: u32,
        op: FlowOp,
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

    fn open(&mut self, block: &'a Block, at: u32, scope: &Rc<Scope<'a>>) {
        self.tasks.push(Task::Open { block, at, scope: scope.clone() });
    }

    /// Starts a block at a node: its locals, then its statements.
    fn begin(
        &mut self,
        block: &'a Block,
        at: u32,
        scope: &Rc<Scope<'a>>,
    ) -> Result<(), ParseError> {
        self.at = at;
        let mut scope = scope.clone();
        if let Some((_, line)) = block.locals.first() {
            let mut fresh = Vec::new();
            for (name, line) in &block.locals {
                let variable = self.local(name, *line)?;
                Rc::make_mut(&mut scope).locals.insert(name, variable);
                fresh.push((variable, Expr::Constant(false)));
            }
            // Locals start false each time the block is entered.
            let next = self.node();
            self.edge(at, next, FlowOp::Assign(fresh), *line, "local".into())?;
            self.at = next;
        }
        self.tasks.push(Task::Statements { left: block.statements.iter(), scope });
        Ok(())
    }

    fn statement(&mut self, s: &'a Statement, scope: &Rc<Scope<'a>>) -> Result<(), ParseError> {
        let line = s.line;
        match &s.kind {
            Kind::Skip => Ok(()),
            Kind::Atomic(block) => {
                self.atomic += 1;
                let inside = self.node();
                self.edge(self.at, inside, FlowOp::Skip, line, "atomic".into())?;
                self.tasks.push(Task::EndAtomic { line });
                self.open(block, inside, scope);
                Ok(())
            }
            Kind::Call { results, procedure, arguments } => {
                self.call(results, procedure, arguments, scope, line)
            }
            Kind::If { condition, then, otherwise } => {
                self.branch(condition, [then, otherwise], scope, line)
            }
            Kind::While { condition, body } => {
                let (inside, after, head) = (self.node(), self.node(), self.at);
                self.guard(head, inside, condition, scope, line)?;
                let outer = scope.clone();
                self.tasks.push(Task::EndLoop { head, after, condition, line, scope: outer });
                self.open(body, inside, scope);
                Ok(())
            }
            Kind::Choose(branches) => {
                let (after, from) = (self.node(), self.at);
                self.tasks.push(Task::At(after));
                for block in branches.iter().rev() {
                    let scope = scope.clone();
                    self.tasks.push(Task::Branch { block, from, after, line, scope });
                }
                Ok(())
            }
            Kind::Return(values) => self.give_back(values, scope, line),
            simple => {
                let (op, text) = self.operation(simple, scope, line)?;
                let next = self.node();
                self.edge(self.at, next, op, line, text)?;
                self.at = next;
                Ok(())
            }
        }
    }

    fn operation(
        &self,
        kind: &Kind,
        scope: &Scope,
        line: u32,
    ) -> Result<(FlowOp, String), ParseError> {
        Ok(match kind {
            Kind::Assign(pairs) => {
                let text: Vec<String> = pairs.iter().map(|(v, e)| format!("{v} := {e}")).collect();
                let assign = |(name, value): &(String, Expr)| {
                    Ok((self.resolve(name, scope, line)?, self.expression(value, scope, line)?))
                };
                (
                    FlowOp::Assign(pairs.iter().map(assign).collect::<Result<_, _>>()?),
                    text.join(", "),
                )
            }
            Kind::Lock(name) => {
                (FlowOp::Lock(self.shared(name, scope, line)?), format!("lock({name})"))
            }
            Kind::Unlock(name) => {
                let free = vec![(self.shared(name, scope, line)?, Expr::Constant(false))];
                (FlowOp::Assign(free), format!("unlock({name})"))
            }
            Kind::Assert(e) => {
                (FlowOp::Assert(self.expression(e, scope, line)?), format!("assert({e})"))
            }
            Kind::Assume(e) => {
                (FlowOp::Assume(self.expression(e, scope, line)?), format!("assume({e})"))
            }
            _ => (FlowOp::Skip, "skip".into()),
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
        let op = FlowOp::Assume(self.expression(condition, scope, line)?);
        self.edge(from, to, op, line, format!("[{condition}]"))
    }

    fn branch(
        &mut self,
        condition: &Expr,
        blocks: [&'a Block; 2],
        scope: &Rc<Scope<'a>>,
        line: u32,
    ) -> Result<(), ParseError> {
        let (yes, no, after) = (self.node(), self.node(), self.node());
        self.guard(self.at, yes, condition, scope, line)?;
        self.guard(self.at, no, &condition.clone().negated(), scope, line)?;
        self.tasks.push(Task::At(after));
        for (block, start) in blocks.into_iter().zip([yes, no]).rev() {
            self.tasks.push(Task::Join { to: after, line, text: "if" });
            self.open(block, start, scope);
        }
        Ok(())
    }

    fn call(
        &mut self,
        results: &[String],
        name: &'a str,
        arguments: &[Expr],
        scope: &Rc<Scope<'a>>,
        line: u32,
    ) -> Result<(), ParseError> {
        let unknown = || ParseError::new(line, format!("there is no procedure `{name}`"));
        let procedure = self.program.procedures.get(name).ok_or_else(unknown)?;
        if procedure.parameters.len() != arguments.len() {
            let wanted = procedure.parameters.len();
            let message = format!("`{name}` takes {wanted} arguments, not {}", arguments.len());
            return Err(ParseError::new(line, message));
        }
        if !self.calls.insert(name) {
            let message = format!("`{name}` is recursive; it cannot be inlined");
            return Err(ParseError::new(line, message));
        }
        let mut locals = BTreeMap::new();
        let mut passed = Vec::new();
        for (parameter, argument) in procedure.parameters.iter().zip(arguments) {
            let variable = self.local(parameter, line)?;
            passed.push((variable, self.expression(argument, scope, line)?));
            locals.insert(parameter.as_str(), variable);
        }
        let targets = results.iter().map(|r| self.resolve(r, scope, line));
        let results: Vec<Var> = targets.collect::<Result<_, _>>()?;
        let (start, exit) = (self.node(), self.node());
        self.edge(self.at, start, FlowOp::Assign(passed), line, format!("call {name}"))?;
        let scope = Rc::new(Scope { locals, results, exit });
        self.tasks.push(Task::EndCall { procedure: name, line, scope: scope.clone() });
        self.open(&procedure.body, start, &scope);
        Ok(())
    }

    fn give_back(&mut self, values: &[Expr], scope: &Scope, line: u32) -> Result<(), ParseError> {
        if !scope.results.is_empty() && values.len() != scope.results.len() {
            let wanted = scope.results.len();
            let message = format!("returns {} values where {wanted} are expected", values.len());
            return Err(ParseError::new(line, message));
        }
        let assign = |(r, e): (&Var, &Expr)| Ok((*r, self.expression(e, scope, line)?));
        let pairs = scope.results.iter().zip(values).map(assign).collect::<Result<_, _>>()?;
        self.edge(self.at, scope.exit, FlowOp::Assign(pairs), line, "return".into())?;
        // What follows in the block is unreachable but must still be well formed.
        self.at = self.node();
        Ok(())
    }

    fn resolve(&self, name: &str, scope: &Scope, line: u32) -> Result<Var, ParseError> {
        let unknown = || ParseError::new(line, format!("variable `{name}` is not declared"));
        scope.locals.get(name).or(self.shared.get(name)).copied().ok_or_else(unknown)
    }

    fn shared(&self, name: &str, scope: &Scope, line: u32) -> Result<Var, ParseError> {
        match self.resolve(name, scope, line)? {
            variable @ Var::Shared(_) => Ok(variable),
            Var::Local(_) => {
                Err(ParseError::new(line, format!("`{name}` is local; a lock must be shared")))
            }
        }
    }

    fn expression(&self, e: &Expr, scope: &Scope, line: u32) -> Result<Expr<Var>, ParseError> {
        e.try_map(&mut |name: &String| self.resolve(name, scope, line))
    }
}
