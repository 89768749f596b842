//! Inlining: every call gets its own copy of the procedure's body.
//!
//! Variables of a procedure take the numbers after those of its caller, and give them back at the end
//! of the call, so that a thread has as many as the deepest chain of calls needs. Recursion is an error
//! that names the cycle; so is a program that grows too large. What is left to do is kept on a stack of
//! our own, so calls may nest as deep as a program says. [`statements`] has that stack and what each
//! statement adds to the graph, [`calls`] what calls add and what names mean in them, [`graph`] the graph
//! that grows. Cost: the size of the inlined program.

mod calls;
mod graph;
mod statements;

use super::ast::{BoolProgram, Place};
use super::expr::Expr;
use super::flow::{Entry, Flow, Frame, Var};
use calls::Scope;
use graph::Label;
use pidlab_syntax::{Diagnostic, Parsed, Source};
use rustc_hash::{FxHashMap, FxHashSet};
use statements::Task;
use std::collections::BTreeMap;
use std::rc::Rc;

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

    fn wrong(&self, place: Place, message: String) -> Diagnostic {
        self.source.error(place.span, message)
    }
}
