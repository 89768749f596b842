//! Inlining: every call gets its own copy of the procedure's body.
//!
//! Variables of a procedure take the numbers after those of its caller, and give them back at the end
//! of the call, so that a thread has as many as the deepest chain of calls needs. Recursion is an error
//! that names the cycle; so is a program that grows too large. What is left to do is kept on a stack of
//! our own, so calls may nest as deep as a program says. Cost: the size of the inlined program.

use super::ast::{Block, BoolProgram, Kind, Place, Statement, Variable};
use super::expr::Expr;
use super::flow::{Edge, Entry, Flow, FlowOp, Frame, MAX_VARIABLES, Var};
use pidlab_syntax::{Diagnostic, Parsed, Source};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

const MAX_EDGES: usize = 100_000;
/// Procedures of a cycle that a message names.
const MAX_NAMED: usize = 20;

/// The control-flow graph of all threads of a program.
pub fn inline(program: &BoolProgram, source: &Source) -> Parsed<Flow> {
    let mut inliner = Inliner::new(program, source);
    let ended = inliner.node();
    for thread in &program.threads {
        let entry = inliner.node();
        inliner.flow.entries.push(Entry { node: entry, count: thread.count });
        inliner.thread(&thread.procedure, Vec::new(), [entry, ended], thread.place)?;
    }
    check_uncalled(program, source, std::mem::take(&mut inliner.entered))?;
    let Inliner { mut flow, frames, frame_of, .. } = inliner;
    (flow.frames, flow.frame_of) = (Rc::new(frames), Rc::new(frame_of));
    flow.find_sections(source)?;
    Ok(flow)
}

/// What no thread calls must be right all the same: where a call is misspelt or left out, a mistake behind it would be
/// taken for a program that is safe. Such a procedure may be called with anything, and be as large as it likes.
fn check_uncalled<'a>(
    program: &'a BoolProgram,
    source: &'a Source,
    mut entered: FxHashSet<&'a str>,
) -> Parsed<()> {
    for (name, procedure) in &program.procedures {
        if entered.contains(name.as_str()) {
            continue;
        }
        let mut inliner = Inliner::new(program, source);
        let ends = [inliner.node(), inliner.node()];
        let values = vec![Expr::Any; procedure.parameters.len()];
        match inliner.thread(name, values, ends, procedure.place) {
            Err(_) if inliner.is_too_large => {}
            checked => checked?,
        }
        entered.extend(inliner.entered);
    }
    Ok(())
}

/// Names in force, and what `return` does.
#[derive(Clone)]
struct Scope<'a> {
    locals: BTreeMap<&'a str, Var>,
    results: Vec<Option<Var>>,
    /// How many values `return` has, where the procedure says so.
    declared: Option<usize>,
    /// What the caller enforces of its variables when it gets the results.
    result_constraint: Option<Expr<Var>>,
    enforced: Option<&'a Expr>,
    exit: u32,
    /// Atomic blocks around the call.
    sections: i32,
    /// Which copy of which procedure it is; labels are told apart by it.
    copy: u32,
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
        default: &'a Expr,
        place: Place,
        scope: Rc<Scope<'a>>,
        /// What the caller had: number of variables and frame.
        locals: u32,
        frame: u32,
    },
}

struct Inliner<'a> {
    program: &'a BoolProgram,
    source: &'a Source,
    shared: BTreeMap<&'a str, Var>,
    flow: Flow,
    frames: Vec<Frame>,
    frame_of: Vec<u32>,
    tasks: Vec<Task<'a>>,
    /// The node where the next statement starts.
    at: u32,
    /// Procedures being inlined, in order, and the same as a set for the recursion test.
    calls: Vec<&'a str>,
    active: FxHashSet<&'a str>,
    /// Procedures that were inlined at all.
    entered: FxHashSet<&'a str>,
    /// Whether a limit was met.
    is_too_large: bool,
    /// Local variables in use.
    locals: u32,
    frame: u32,
    /// Atomic blocks around the next statement.
    sections: i32,
    labels: FxHashMap<(u32, &'a str), Label>,
    copies: u32,
    events: BTreeMap<&'a str, u32>,
}

/// A node that `goto` leads to.
struct Label {
    node: u32,
    /// Whether its statement has been seen.
    placed: bool,
    /// Where it is first mentioned.
    place: Place,
}

impl<'a> Inliner<'a> {
    fn new(program: &'a BoolProgram, source: &'a Source) -> Inliner<'a> {
        let names = program.shared.iter().enumerate();
        Inliner {
            program,
            source,
            shared: names.map(|(i, v)| (v.name.as_str(), Var::Shared(i as u32))).collect(),
            flow: Flow::default(),
            frames: vec![Frame::default()],
            frame_of: Vec::new(),
            tasks: Vec::new(),
            at: 0,
            calls: Vec::new(),
            active: FxHashSet::default(),
            entered: FxHashSet::default(),
            is_too_large: false,
            locals: 0,
            frame: 0,
            sections: 0,
            labels: FxHashMap::default(),
            copies: 0,
            events: BTreeMap::new(),
        }
    }

    /// The code of a type of threads, from `entry` to `ended`; parameters have these values.
    fn thread(
        &mut self,
        procedure: &'a str,
        values: Vec<Expr<Var>>,
        [entry, ended]: [u32; 2],
        place: Place,
    ) -> Parsed<()> {
        (self.at, self.locals, self.frame) = (entry, 0, self.frames.len() as u32);
        self.frames.push(Frame { procedure: procedure.to_string(), locals: Vec::new() });
        self.frame_of[entry as usize] = self.frame;
        let mut scope = Scope {
            locals: BTreeMap::new(),
            results: Vec::new(),
            declared: None,
            result_constraint: None,
            enforced: None,
            exit: ended,
            sections: 0,
            copy: 0,
        };
        if !self.program.thread_local.is_empty() {
            scope = self.declare(&self.program.thread_local, scope, place)?;
        }
        self.enter(procedure, values, scope, place)?;
        self.run()?;
        if let Some(label) = self.labels.values().find(|label| !label.placed) {
            return Err(self.wrong(label.place, "there is no such label in this procedure".into()));
        }
        Ok(())
    }

    fn run(&mut self) -> Parsed<()> {
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
                    self.calls.pop().map(|name| self.active.remove(name));
                    let results = scope.results.iter().flatten();
                    let open: Vec<_> = results.map(|&r| (r, default)).collect();
                    let pairs = open.into_iter().map(|(r, e)| match e {
                        Expr::Any => (r, Expr::Any),
                        _ => (r, Expr::Constant(false)),
                    });
                    self.leave_call(pairs.collect(), &scope, place)?;
                    (self.at, self.locals, self.frame) = (scope.exit, locals, frame);
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
        self.frame_of.push(self.frame);
        self.flow.nodes - 1
    }

    fn edge(
        &mut self,
        from: u32,
        to: u32,
        op: FlowOp,
        place: Place,
        text: impl Into<String>,
    ) -> Parsed<()> {
        if self.flow.edges.len() == MAX_EDGES {
            self.is_too_large = true;
            let message = format!("the inlined program exceeds {MAX_EDGES} operations");
            return Err(self.wrong(place, message));
        }
        self.flow.edges.push(Edge { from, to, op, place, text: text.into(), sections: 0 });
        Ok(())
    }

    /// An edge from where we are to a new node, where we go on.
    fn advance(&mut self, op: FlowOp, place: Place, text: impl Into<String>) -> Parsed<()> {
        let next = self.node();
        self.edge(self.at, next, op, place, text)?;
        self.at = next;
        Ok(())
    }

    /// Into an atomic section or out of it.
    fn cross(&mut self, sections: i32, place: Place) -> Parsed<()> {
        self.sections += sections;
        self.advance(FlowOp::Skip, place, "atomic")?;
        self.last_edge_crosses(sections);
        Ok(())
    }

    fn last_edge_crosses(&mut self, sections: i32) {
        if let Some(last) = self.flow.edges.last_mut() {
            last.sections = sections;
        }
    }

    fn local(&mut self, name: &str, place: Place) -> Parsed<Var> {
        if self.locals as usize == MAX_VARIABLES {
            self.is_too_large = true;
            let message = format!("more than {MAX_VARIABLES} local variables at once");
            return Err(self.wrong(place, message));
        }
        let number = self.locals;
        self.locals += 1;
        self.flow.locals = self.flow.locals.max(self.locals);
        let old = &self.frames[self.frame as usize];
        let mut frame = Frame { procedure: old.procedure.clone(), locals: old.locals.clone() };
        frame.locals.push((number, name.to_string()));
        self.frame = self.frames.len() as u32;
        self.frames.push(frame);
        Ok(Var::Local(number))
    }

    fn open(&mut self, block: &'a Block, at: u32, scope: &Rc<Scope<'a>>) {
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
    fn declare(
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

    fn label(&mut self, name: &'a str, copy: u32, place: Place) -> u32 {
        if let Some(label) = self.labels.get(&(copy, name)) {
            return label.node;
        }
        let node = self.node();
        self.labels.insert((copy, name), Label { node, placed: false, place });
        node
    }

    fn place_label(
        &mut self,
        name: &'a str,
        scope: &Scope<'a>,
        place: Place,
        repeated: bool,
    ) -> Parsed<()> {
        let node = self.label(name, scope.copy, place);
        let known = self.labels.get_mut(&(scope.copy, name));
        let twice = known.is_some_and(|label| std::mem::replace(&mut label.placed, true));
        if repeated {
            return Ok(());
        }
        if twice {
            return Err(self.wrong(place, format!("label `{name}` is there twice")));
        }
        self.frame_of[node as usize] = self.frame;
        self.edge(self.at, node, FlowOp::Skip, place, "skip")?;
        self.at = node;
        if self.program.error_labels.iter().any(|label| label == name) {
            let text = format!("label {name}");
            self.advance(FlowOp::Assert(Expr::Constant(false)), place, text)?;
        }
        Ok(())
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

    /// `atomic_begin` and `atomic_end`, which need not match in the text.
    fn bracket(&mut self, sections: i32, place: Place) -> Parsed<()> {
        let text = if sections > 0 { "atomic_begin" } else { "atomic_end" };
        self.advance(FlowOp::Skip, place, text)?;
        self.last_edge_crosses(sections);
        Ok(())
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
        let mut assigned = FxHashSet::default();
        if let Some(at) = pairs.iter().position(|(variable, _)| !assigned.insert(*variable)) {
            let (name, _) = &told[at];
            return Err(self.wrong(place, format!("`{name}` is assigned twice at the same time")));
        }
        let given = constrain
            .as_ref()
            .map(|e| e.try_map(&mut |name: &String| self.resolve(name, scope, place)));
        let constrain = both(given.transpose()?, self.enforced(scope, place)?);
        Ok((FlowOp::Assign { pairs, constrain }, text))
    }

    /// What the procedure enforces of the values after an assignment.
    fn enforced(&self, scope: &Scope, place: Place) -> Parsed<Option<Expr<Var>>> {
        let resolved = scope.enforced.map(|e| self.expression(e, scope, place)).transpose()?;
        Ok(resolved.filter(|e| e.constant_values().is_none()).map(|e| e.primed()))
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

    fn goto(&mut self, targets: &'a [(String, Place)], scope: &Scope<'a>) -> Parsed<()> {
        for (name, place) in targets {
            let node = self.label(name, scope.copy, *place);
            self.edge(self.at, node, FlowOp::Skip, *place, format!("goto {name}"))?;
        }
        self.at = self.node();
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

    fn call(
        &mut self,
        results: &'a [Option<String>],
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
        if let Some(given) = procedure.results
            && !results.is_empty()
            && results.len() != given
        {
            let message = format!("`{name}` returns {given} values, not {}", results.len());
            return Err(self.wrong(place, message));
        }
        let values = arguments.iter().map(|e| self.expression(e, scope, place));
        let values: Vec<Expr<Var>> = values.collect::<Parsed<_>>()?;
        let target = |r: &Option<String>| -> Parsed<Option<Var>> {
            r.as_ref().map(|name| self.resolve(name, scope, place)).transpose()
        };
        let results = results.iter().map(target).collect::<Parsed<_>>()?;
        let result_constraint = self.enforced(scope, place)?;
        let thread_local = self.program.thread_local.iter().map(|v| v.name.as_str());
        let kept = thread_local.filter_map(|name| Some((name, *scope.locals.get(name)?)));
        let (locals, exit) = (kept.collect(), self.node());
        let (enforced, declared, copy) = (None, None, 0);
        let sections = self.sections;
        let inner =
            Scope { locals, results, declared, result_constraint, enforced, exit, sections, copy };
        self.enter(name, values, inner, place)
    }

    /// Starts the body of a procedure where we are.
    fn enter(
        &mut self,
        name: &'a str,
        values: Vec<Expr<Var>>,
        mut scope: Scope<'a>,
        place: Place,
    ) -> Parsed<()> {
        let Some(procedure) = self.program.procedures.get(name) else {
            return Err(self.wrong(place, format!("there is no procedure `{name}`")));
        };
        if !self.active.insert(name) {
            return Err(self.recursion(name, place));
        }
        self.entered.insert(name);
        let (locals, frame) = (self.locals, self.frame);
        self.calls.push(name);
        self.copies += 1;
        (scope.copy, scope.enforced) = (self.copies, procedure.enforced.as_ref().map(|e| &e.0));
        scope.declared = procedure.results;
        let callers = self.frames[frame as usize].locals.clone();
        self.frame = self.frames.len() as u32;
        self.frames.push(Frame { procedure: name.to_string(), locals: callers });
        let mut pairs = Vec::new();
        for (parameter, value) in procedure.parameters.iter().zip(values) {
            let variable = self.local(parameter, place)?;
            pairs.push((variable, value));
            scope.locals.insert(parameter.as_str(), variable);
        }
        if self.calls.len() > 1 {
            self.advance(FlowOp::Assign { pairs, constrain: None }, place, format!("call {name}"))?;
        }
        let scope = Rc::new(scope);
        let default = &procedure.default;
        self.tasks.push(Task::EndCall { default, place, scope: scope.clone(), locals, frame });
        self.open(&procedure.body, self.at, &scope);
        Ok(())
    }

    fn recursion(&self, name: &str, place: Place) -> Diagnostic {
        let first = self.calls.iter().position(|&other| other == name).unwrap_or_default();
        let cycle = &self.calls[first..];
        let mut names = cycle.iter().take(MAX_NAMED).copied().collect::<Vec<_>>();
        names.extend((cycle.len() > MAX_NAMED).then_some("…"));
        names.push(name);
        let cycle = names.join(" → ");
        let message =
            format!("`{name}` is recursive ({cycle}): calls are inlined, recursion cannot be");
        self.wrong(place, message)
    }

    fn give_back(&mut self, values: &[Expr], scope: &Scope, place: Place) -> Parsed<()> {
        // without values the results are the default's, as at the end of the body
        let stated = scope.declared.filter(|_| !values.is_empty());
        let wanted = if scope.results.is_empty() { stated } else { Some(scope.results.len()) };
        if let Some(wanted) = wanted
            && values.len() != wanted
        {
            let message = format!("returns {} values where {wanted} are expected", values.len());
            return Err(self.wrong(place, message));
        }
        let mut pairs = Vec::new();
        for (result, value) in scope.results.iter().zip(values) {
            let value = self.expression(value, scope, place)?;
            pairs.extend(result.map(|r| (r, value)));
        }
        self.leave_call(pairs, scope, place)?;
        // What follows in the block is unreachable but must still be well formed.
        self.at = self.node();
        Ok(())
    }

    /// From where we are to the end of the call, out of the atomic blocks in between.
    fn leave_call(
        &mut self,
        pairs: Vec<(Var, Expr<Var>)>,
        scope: &Scope,
        place: Place,
    ) -> Parsed<()> {
        let constrain = scope.result_constraint.clone().filter(|_| !pairs.is_empty());
        let sections = scope.sections - self.sections;
        self.edge(self.at, scope.exit, FlowOp::Assign { pairs, constrain }, place, "return")?;
        self.last_edge_crosses(sections);
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

    /// An expression that speaks of the values before a step.
    fn expression(&self, e: &Expr, scope: &Scope, place: Place) -> Parsed<Expr<Var>> {
        let mut speaks_of_next = false;
        e.each(&mut |_, next| speaks_of_next |= next);
        if speaks_of_next {
            let message = format!("`{e}`: values after an assignment stand in constraints only");
            return Err(self.wrong(place, message));
        }
        e.try_map(&mut |name: &String| self.resolve(name, scope, place))
    }
}

/// The conjunction of what is there.
fn both(a: Option<Expr<Var>>, b: Option<Expr<Var>>) -> Option<Expr<Var>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.and(b)),
        (a, b) => a.or(b),
    }
}
