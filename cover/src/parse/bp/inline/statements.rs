//! What each statement adds to the graph, and the stack of what is left to inline.
//!
//! A simple statement is one edge. One that holds blocks adds the nodes where they start and end, and pushes
//! what comes after them and then them: the next task is always the next piece of the text. Cost: a task for
//! each statement, block and branch of the inlined program.

use super::Inliner;
use super::calls::Scope;
use crate::parse::bp::ast::{Block, Kind, Place, Statement, Variable};
use crate::parse::bp::expr::Expr;
use crate::parse::bp::flow::{FlowOp, Var};
use pidlab_syntax::Parsed;
use std::rc::Rc;

/// What is left to do, last first.
pub(super) enum Task<'a> {
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
        default: &'a Expr,
        place: Place,
        scope: Rc<Scope<'a>>,
        /// What the caller had: number of variables and frame.
        locals: u32,
        frame: u32,
    },
}

impl<'a> Inliner<'a> {
    /// Works off the stack.
    pub(super) fn run(&mut self) -> Parsed<()> {
        while let Some(task) = self.tasks.pop() {
            self.source.budget().poll()?;
            match task {
                Task::Open { block, at, scope } => {
                    self.at = at;
                    self.tasks.push(Task::Statements { left: block.statements.iter(), scope });
                }
                Task::Statements { mut left, scope } => {
                    if let Some(statement) = left.next() {
                        self.next_statement(statement, left, scope)?;
                    }
                }
                Task::At(node) => self.at = node,
                Task::Join { to, place, text } => {
                    self.edge(self.at, to, FlowOp::Skip, place, text)?;
                }
                Task::Branch { block, from, after, place, scope } => {
                    let start = self.node();
                    self.edge(from, start, FlowOp::Skip, place, "choose")?;
                    self.tasks.push(Task::Join { to: after, place, text: "choose" });
                    self.open(block, start, &scope);
                }
                Task::EndLoop { head, after, condition, place, scope } => {
                    self.edge(self.at, head, FlowOp::Skip, place, "loop")?;
                    self.guard(head, after, &condition.clone().negated(), &scope, place)?;
                    self.at = after;
                }
                Task::EndAtomic { place } => self.cross(-1, place)?,
                Task::EndCall { default, place, scope, locals, frame } => {
                    self.end_call(default, &scope, place)?;
                    (self.at, self.locals, self.frame) = (scope.exit, locals, frame);
                }
            }
        }
        Ok(())
    }

    pub(super) fn open(&mut self, block: &'a Block, at: u32, scope: &Rc<Scope<'a>>) {
        self.tasks.push(Task::Open { block, at, scope: scope.clone() });
    }

    fn next_statement(
        &mut self,
        statement: &'a Statement,
        left: std::slice::Iter<'a, Statement>,
        mut scope: Rc<Scope<'a>>,
    ) -> Parsed<()> {
        for (i, label) in statement.labels.iter().enumerate() {
            let repeated = statement.labels[..i].contains(label);
            self.place_label(label, &scope, statement.place, repeated)?;
        }
        if let Kind::Declare(variables) = &statement.kind {
            let inner = self.declare(variables, Scope::clone(&scope), statement.place)?;
            scope = Rc::new(inner);
            self.tasks.push(Task::Statements { left, scope });
            return Ok(());
        }
        self.tasks.push(Task::Statements { left, scope: scope.clone() });
        self.statement(statement, &scope)
    }

    /// Variables that get their initial values here.
    pub(super) fn declare(
        &mut self,
        variables: &'a [Variable],
        mut scope: Scope<'a>,
        place: Place,
    ) -> Parsed<Scope<'a>> {
        let mut fresh = Vec::new();
        for variable in variables {
            let local = self.local(&variable.name, variable.place)?;
            scope.locals.insert(&variable.name, local);
            let initial = match variable.initial {
                Expr::Constant(value) => Expr::Constant(value),
                _ => Expr::Any,
            };
            fresh.push((local, initial));
        }
        self.advance(FlowOp::Assign { pairs: fresh, constrain: None }, place, "local")?;
        Ok(scope)
    }

    fn statement(&mut self, s: &'a Statement, scope: &Rc<Scope<'a>>) -> Parsed<()> {
        let place = s.place;
        match &s.kind {
            Kind::Skip | Kind::Declare(_) => Ok(()),
            Kind::Atomic(block) => {
                self.cross(1, place)?;
                self.tasks.push(Task::EndAtomic { place });
                self.open(block, self.at, scope);
                Ok(())
            }
            Kind::AtomicBegin => self.bracket(1, place),
            Kind::AtomicEnd => self.bracket(-1, place),
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
            Kind::Goto(targets) => self.goto(targets, scope),
            Kind::Start(block) => self.start(block, scope, place),
            Kind::EndThread => {
                self.advance(FlowOp::Skip, place, "end_thread")?;
                self.at = self.node();
                Ok(())
            }
            Kind::Sync(event) => {
                let fresh = self.events.len() as u32;
                let number = *self.events.entry(event).or_insert(fresh);
                self.advance(FlowOp::Sync(number), place, format!("sync {event}"))
            }
            simple => {
                let (op, text) = self.operation(simple, scope, place)?;
                self.advance(op, place, text)
            }
        }
    }

    fn operation(&self, kind: &Kind, scope: &Scope, place: Place) -> Parsed<(FlowOp, String)> {
        Ok(match kind {
            Kind::Assign { pairs, constrain } => self.assignment(pairs, constrain, scope, place)?,
            Kind::Lock(name) => {
                (FlowOp::Lock(self.shared(name, scope, place)?), format!("lock({name})"))
            }
            Kind::Unlock(name) => {
                let pairs = vec![(self.shared(name, scope, place)?, Expr::Constant(false))];
                (FlowOp::Assign { pairs, constrain: None }, format!("unlock({name})"))
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

    fn assignment(
        &self,
        told: &[(String, Expr)],
        constrain: &Option<Expr>,
        scope: &Scope,
        place: Place,
    ) -> Parsed<(FlowOp, String)> {
        let texts: Vec<String> = told.iter().map(|(v, e)| format!("{v} := {e}")).collect();
        let mut text = texts.join(", ");
        if let Some(constrain) = constrain {
            text.push_str(&format!(" constrain {constrain}"));
        }
        let assign = |(name, value): &(String, Expr)| -> Parsed<_> {
            Ok((self.resolve(name, scope, place)?, self.expression(value, scope, place)?))
        };
        let pairs = told.iter().map(assign).collect::<Parsed<Vec<_>>>()?;
        let named = pairs.iter().zip(told).map(|(pair, (name, _))| (pair.0, name.as_str()));
        self.assigned_once(named, place)?;
        let given = constrain
            .as_ref()
            .map(|e| e.try_map(&mut |name: &String| self.resolve(name, scope, place)));
        let constrain = both(given.transpose()?, self.enforced(scope, place)?);
        Ok((FlowOp::Assign { pairs, constrain }, text))
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

    /// A new thread runs the block and ends.
    fn start(&mut self, block: &'a Block, scope: &Rc<Scope<'a>>, place: Place) -> Parsed<()> {
        let (child, next) = (self.node(), self.node());
        self.edge(self.at, next, FlowOp::Spawn(child), place, "start_thread")?;
        let ended = self.node();
        // `return` ends a thread; the labels and variables are those of the procedure
        let mut inner = Scope::clone(scope);
        (inner.results, inner.declared, inner.exit, inner.sections) = (Vec::new(), None, ended, 0);
        self.tasks.push(Task::At(next));
        self.tasks.push(Task::Join { to: ended, place, text: "end" });
        self.open(block, child, &Rc::new(inner));
        Ok(())
    }
}

/// The conjunction of what is there.
fn both(a: Option<Expr<Var>>, b: Option<Expr<Var>>) -> Option<Expr<Var>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.and(b)),
        (a, b) => a.or(b),
    }
}
