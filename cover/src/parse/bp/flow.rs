//! Inlining: a program becomes one control-flow graph whose edges are single operations.
//!
//! Every call gets its own copy of the procedure's variables and body. Recursion is an error that
//! names the procedure; so is a program that grows too large. What is left to do is kept on a stack of
//! our own, so calls may nest as deep as a program says. Cost: the size of the inlined program.

use super::ast::{Block, BoolProgram, Expr, Kind, Place, Statement};
use pidlab_syntax::{Diagnostic, Parsed, Source};
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
    pub place: Place,
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

pub fn inline(program: &BoolProgram, source: &Source) -> Parsed<Flow> {
    let mut inliner = Inliner::new(program, source);
    let (entry, last) = (inliner.node(), inliner.node());
    // A return in the thread's own block ends the thread.
    let scope = Rc::new(Scope { locals: BTreeMap::new(), results: Vec::new(), exit: last });
    inliner.open(&program.thread, entry, &scope);
    inliner.run()?;
    inliner.edge(inliner.at, last, FlowOp::Skip, Place::default(), "end".into())?;
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
        place: Place,
        scope: Rc<Scope<'a>>,
    },
    /// Lead from where we are to a node.
    Join {
        to: u32,
        place: Place,
        text: &'static str,
    },
    /// Go on at a node.
    At(u32),
    EndLoop {
        head: u32,
        after: u32,
        condition: &'a Expr,
        place: Place,
        scope: Rc<Scope<'a>>,
    },
    EndAtomic {
        place: Place,
    },
    EndCall {
        procedure: &'a str,
        place: Place,
        scope: Rc<Scope<'a>>,
    },
}

struct Inliner<'a> {
    program: &'a BoolProgram,
    source: &'a Source,
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
    fn new(program: &'a BoolProgram, source: &'a Source) -> Inliner<'a> {
        let names = program.shared.iter().enumerate();
        Inliner {
            program,
            source,
            shared: names.map(|(i, (name, _))| (name.as_str(), Var::Shared(i as u32))).collect(),
            flow: Flow::default(),
            tasks: Vec::new(),
            at: 0,
            calls: FxHashSet::default(),
            atomic: 0,
        }
    }

    fn run(&mut self) -> Parsed<()> {
        while let Some(task) = self.tasks.pop() {
            self.source.budget().poll()?;
            match task {
                Task::Open { block, at, scope } => self.begin(block, at, &scope)?,
                Task::Statements { mut left, scope } => {
                    if let Some(statement) = left.next() {
                        self.tasks.push(Task::Statements { left, scope: scope.clone() });
                        self.statement(statement, &scope)?;
                    }
                }
                Task::At(node) => self.at = node,
                Task::Join { to, place, text } => {
                    self.edge(self.at, to, FlowOp::Skip, place, text.into())?;
                }
                Task::Branch { block, from, after, place, scope } => {
                    let start = self.node();
                    self.edge(from, start, FlowOp::Skip, place, "choose".into())?;
                    self.tasks.push(Task::Join { to: after, place, text: "choose" });
                    self.open(block, start, &scope);
                }
                Task::EndLoop { head, after, condition, place, scope } => {
                    self.edge(self.at, head, FlowOp::Skip, place, "loop".into())?;
                    self.guard(head, after, &condition.clone().negated(), &scope, place)?;
                    self.at = after;
                }
                Task::EndAtomic { place } => {
                    self.atomic -= 1;
                    let after = self.node();
                    self.edge(self.at, after, FlowOp::Skip, place, "atomic".into())?;
                    self.at = after;
                }
                Task::EndCall { procedure, place, scope } => {
                    self.calls.remove(procedure);
                    // Falling off the end returns false.
                    let none = scope.results.iter().map(|&r| (r, Expr::Constant(false))).collect();
                    self.edge(self.at, scope.exit, FlowOp::Assign(none), place, "return".into())?;
                    self.at = scope.exit;
                }
            }
        }
        Ok(())
    }

    fn wrong(&self, place: Place, message: String) -> Diagnostic {
        self.source.error(place.span, message)
    }

    fn node(&mut self) -> u32 {
        self.flow.nodes += 1;
        self.flow.atomic.push(self.atomic > 0);
        self.flow.nodes - 1
    }

    fn edge(&mut self, from: u32, to: u32, op: FlowOp, place: Place, text: String) -> Parsed<()> {
        if self.flow.edges.len() == MAX_EDGES {
            let message = format!("the inlined program exceeds {MAX_EDGES} operations");
            return Err(self.wrong(place, message));
        }
        self.flow.edges.push(Edge { from, to, op, place, text });
        Ok(())
    }

    fn local(&mut self, name: &str, place: Place) -> Parsed<Var> {
        if self.flow.locals.len() == MAX_VARIABLES {
            let message = format!("more than {MAX_VARIABLES} local variables after inlining");
            return Err(self.wrong(place, message));
        }
        self.flow.locals.push(name.to_string());
        Ok(Var::Local(self.flow.locals.len() as u32 - 1))
    }

    fn open(&mut self, block: &'a Block, at: u32, scope: &Rc<Scope<'a>>) {
        self.tasks.push(Task::Open { block, at, scope: scope.clone() });
    }

    /// Starts a block at a node: its locals, then its statements.
    fn begin(&mut self, block: &'a Block, at: u32, scope: &Rc<Scope<'a>>) -> Parsed<()> {
        self.at = at;
        let mut scope = scope.clone();
        if let Some((_, place)) = block.locals.first() {
            let mut fresh = Vec::new();
            for (name, place) in &block.locals {
                let variable = self.local(name, *place)?;
                Rc::make_mut(&mut scope).locals.insert(name, variable);
                fresh.push((variable, Expr::Constant(false)));
            }
            // Locals start false each time the block is entered.
            let next = self.node();
            self.edge(at, next, FlowOp::Assign(fresh), *place, "local".into())?;
            self.at = next;
        }
        self.tasks.push(Task::Statements { left: block.statements.iter(), scope });
        Ok(())
    }

    fn statement(&mut self, s: &'a Statement, scope: &Rc<Scope<'a>>) -> Parsed<()> {
        let place = s.place;
        match &s.kind {
            Kind::Skip => Ok(()),
            Kind::Atomic(block) => {
                self.atomic += 1;
                let inside = self.node();
                self.edge(self.at, inside, FlowOp::Skip, place, "atomic".into())?;
                self.tasks.push(Task::EndAtomic { place });
                self.open(block, inside, scope);
                Ok(())
            }
            Kind::Call { results, procedure, arguments } => {
                self.call(results, procedure, arguments, scope, place)
            }
            Kind::If { condition, then, otherwise } => {
                self.branch(condition, [then, otherwise], scope, place)
            }
            Kind::While { condition, body } => {
                let (inside, after, head) = (self.node(), self.node(), self.at);
                self.guard(head, inside, condition, scope, place)?;
                let outer = scope.clone();
                self.tasks.push(Task::EndLoop { head, after, condition, place, scope: outer });
                self.open(body, inside, scope);
                Ok(())
            }
            Kind::Choose(branches) => {
                let (after, from) = (self.node(), self.at);
                self.tasks.push(Task::At(after));
                for block in branches.iter().rev() {
                    let scope = scope.clone();
                    self.tasks.push(Task::Branch { block, from, after, place, scope });
                }
                Ok(())
            }
            Kind::Return(values) => self.give_back(values, scope, place),
            simple => {
                let (op, text) = self.operation(simple, scope, place)?;
                let next = self.node();
                self.edge(self.at, next, op, place, text)?;
                self.at = next;
                Ok(())
            }
        }
    }

    fn operation(&self, kind: &Kind, scope: &Scope, place: Place) -> Parsed<(FlowOp, String)> {
        Ok(match kind {
            Kind::Assign(pairs) => {
                let text: Vec<String> = pairs.iter().map(|(v, e)| format!("{v} := {e}")).collect();
                let assign = |(name, value): &(String, Expr)| -> Parsed<_> {
                    Ok((self.resolve(name, scope, place)?, self.expression(value, scope, place)?))
                };
                (FlowOp::Assign(pairs.iter().map(assign).collect::<Parsed<_>>()?), text.join(", "))
            }
            Kind::Lock(name) => {
                (FlowOp::Lock(self.shared(name, scope, place)?), format!("lock({name})"))
            }
            Kind::Unlock(name) => {
                let free = vec![(self.shared(name, scope, place)?, Expr::Constant(false))];
                (FlowOp::Assign(free), format!("unlock({name})"))
            }
            Kind::Assert(e) => {
                (FlowOp::Assert(self.expression(e, scope, place)?), format!("assert({e})"))
            }
            Kind::Assume(e) => {
                (FlowOp::Assume(self.expression(e, scope, place)?), format!("assume({e})"))
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
        place: Place,
    ) -> Parsed<()> {
        let op = FlowOp::Assume(self.expression(condition, scope, place)?);
        self.edge(from, to, op, place, format!("[{condition}]"))
    }

    fn branch(
        &mut self,
        condition: &Expr,
        blocks: [&'a Block; 2],
        scope: &Rc<Scope<'a>>,
        place: Place,
    ) -> Parsed<()> {
        let (yes, no, after) = (self.node(), self.node(), self.node());
        self.guard(self.at, yes, condition, scope, place)?;
        self.guard(self.at, no, &condition.clone().negated(), scope, place)?;
        self.tasks.push(Task::At(after));
        for (block, start) in blocks.into_iter().zip([yes, no]).rev() {
            self.tasks.push(Task::Join { to: after, place, text: "if" });
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
        place: Place,
    ) -> Parsed<()> {
        let unknown = || self.wrong(place, format!("there is no procedure `{name}`"));
        let procedure = self.program.procedures.get(name).ok_or_else(unknown)?;
        if procedure.parameters.len() != arguments.len() {
            let wanted = procedure.parameters.len();
            let message = format!("`{name}` takes {wanted} arguments, not {}", arguments.len());
            return Err(self.wrong(place, message));
        }
        if !self.calls.insert(name) {
            let message = format!("`{name}` is recursive; it cannot be inlined");
            return Err(self.wrong(place, message));
        }
        let mut locals = BTreeMap::new();
        let mut passed = Vec::new();
        for (parameter, argument) in procedure.parameters.iter().zip(arguments) {
            let variable = self.local(parameter, place)?;
            passed.push((variable, self.expression(argument, scope, place)?));
            locals.insert(parameter.as_str(), variable);
        }
        let targets = results.iter().map(|r| self.resolve(r, scope, place));
        let results: Vec<Var> = targets.collect::<Parsed<_>>()?;
        let (start, exit) = (self.node(), self.node());
        self.edge(self.at, start, FlowOp::Assign(passed), place, format!("call {name}"))?;
        let scope = Rc::new(Scope { locals, results, exit });
        self.tasks.push(Task::EndCall { procedure: name, place, scope: scope.clone() });
        self.open(&procedure.body, start, &scope);
        Ok(())
    }

    fn give_back(&mut self, values: &[Expr], scope: &Scope, place: Place) -> Parsed<()> {
        if !scope.results.is_empty() && values.len() != scope.results.len() {
            let wanted = scope.results.len();
            let message = format!("returns {} values where {wanted} are expected", values.len());
            return Err(self.wrong(place, message));
        }
        let assign =
            |(r, e): (&Var, &Expr)| -> Parsed<_> { Ok((*r, self.expression(e, scope, place)?)) };
        let pairs = scope.results.iter().zip(values).map(assign).collect::<Parsed<_>>()?;
        self.edge(self.at, scope.exit, FlowOp::Assign(pairs), place, "return".into())?;
        // What follows in the block is unreachable but must still be well formed.
        self.at = self.node();
        Ok(())
    }

    fn resolve(&self, name: &str, scope: &Scope, place: Place) -> Parsed<Var> {
        let unknown = || self.wrong(place, format!("variable `{name}` is not declared"));
        scope.locals.get(name).or(self.shared.get(name)).copied().ok_or_else(unknown)
    }

    fn shared(&self, name: &str, scope: &Scope, place: Place) -> Parsed<Var> {
        match self.resolve(name, scope, place)? {
            variable @ Var::Shared(_) => Ok(variable),
            Var::Local(_) => {
                Err(self.wrong(place, format!("`{name}` is local; a lock must be shared")))
            }
        }
    }

    fn expression(&self, e: &Expr, scope: &Scope, place: Place) -> Parsed<Expr<Var>> {
        e.try_map(&mut |name: &String| self.resolve(name, scope, place))
    }
}
