//! Calls: what names mean in a procedure, entering its body, returning values, leaving.
//!
//! Arguments are values of the caller and results go straight to its variables, so a call is an edge in, the
//! body, and an edge out. A name is a local variable if there is one, else a shared one. A procedure that is
//! being inlined already is recursive, which is refused. Cost: the arguments and results of a call, its
//! caller's frame, which is copied, and a look into a sorted map for each name.

use super::Inliner;
use super::statements::Task;
use crate::parse::bp::ast::Place;
use crate::parse::bp::expr::Expr;
use crate::parse::bp::flow::{FlowOp, Frame, Var};
use pidlab_syntax::{Diagnostic, Parsed};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Procedures of a cycle that a message names.
const MAX_NAMED: usize = 20;

/// Names in force, and what `return` does.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    pub(super) locals: BTreeMap<&'a str, Var>,
    pub(super) results: Vec<Option<Var>>,
    /// How many values `return` has, where the procedure says so.
    pub(super) declared: Option<usize>,
    /// What the caller enforces of its variables when it gets the results.
    pub(super) result_constraint: Option<Expr<Var>>,
    pub(super) enforced: Option<&'a Expr>,
    pub(super) exit: u32,
    /// Atomic blocks around the call.
    pub(super) sections: i32,
    /// Which copy of which procedure it is; labels are told apart by it.
    pub(super) copy: u32,
}

impl<'a> Inliner<'a> {
    pub(super) fn call(
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
        let targets = results.iter().map(target).collect::<Parsed<Vec<_>>>()?;
        let named = targets.iter().zip(results);
        self.assigned_once(named.filter_map(|(t, r)| Some((*t.as_ref()?, r.as_deref()?))), place)?;
        let result_constraint = self.enforced(scope, place)?;
        let thread_local = self.program.thread_local.iter().map(|v| v.name.as_str());
        let kept = thread_local.filter_map(|name| Some((name, *scope.locals.get(name)?)));
        let (locals, exit) = (kept.collect(), self.node());
        let (enforced, declared, copy) = (None, None, 0);
        let sections = self.sections;
        let inner = Scope {
            locals,
            results: targets,
            declared,
            result_constraint,
            enforced,
            exit,
            sections,
            copy,
        };
        self.enter(name, values, inner, place)
    }

    /// Starts the body of a procedure where we are.
    pub(super) fn enter(
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
            let variable = self.local(&parameter.name, place)?;
            pairs.push((variable, value));
            scope.locals.insert(&parameter.name, variable);
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

    pub(super) fn give_back(&mut self, values: &[Expr], scope: &Scope, place: Place) -> Parsed<()> {
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

    /// The end of a body: what no `return` gave is the procedure's default.
    pub(super) fn end_call(&mut self, default: &Expr, scope: &Scope, place: Place) -> Parsed<()> {
        self.calls.pop().map(|name| self.active.remove(name));
        let value = match default {
            Expr::Any => Expr::Any,
            _ => Expr::Constant(false),
        };
        let results = scope.results.iter().flatten();
        let pairs = results.map(|&result| (result, value.clone())).collect();
        self.leave_call(pairs, scope, place)
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

    pub(super) fn resolve(&self, name: &str, scope: &Scope, place: Place) -> Parsed<Var> {
        let unknown = || self.wrong(place, format!("variable `{name}` is not declared"));
        scope.locals.get(name).or(self.shared.get(name)).copied().ok_or_else(unknown)
    }

    /// Variables that get values at the same time, and their names.
    pub(super) fn assigned_once<'n>(
        &self,
        variables: impl Iterator<Item = (Var, &'n str)>,
        place: Place,
    ) -> Parsed<()> {
        let mut assigned = FxHashSet::default();
        for (variable, name) in variables {
            if !assigned.insert(variable) {
                let message = format!("`{name}` is assigned twice at the same time");
                return Err(self.wrong(place, message));
            }
        }
        Ok(())
    }

    pub(super) fn shared(&self, name: &str, scope: &Scope, place: Place) -> Parsed<Var> {
        match self.resolve(name, scope, place)? {
            variable @ Var::Shared(_) => Ok(variable),
            Var::Local(_) => {
                Err(self.wrong(place, format!("`{name}` is local; a lock must be shared")))
            }
        }
    }

    /// An expression that speaks of the values before a step.
    pub(super) fn expression(&self, e: &Expr, scope: &Scope, place: Place) -> Parsed<Expr<Var>> {
        let mut speaks_of_next = false;
        e.each(&mut |_, next| speaks_of_next |= next);
        if speaks_of_next {
            let message = format!("`{e}`: values after an assignment stand in constraints only");
            return Err(self.wrong(place, message));
        }
        e.try_map(&mut |name: &String| self.resolve(name, scope, place))
    }

    /// What the procedure enforces of the values after an assignment.
    pub(super) fn enforced(&self, scope: &Scope, place: Place) -> Parsed<Option<Expr<Var>>> {
        let resolved = scope.enforced.map(|e| self.expression(e, scope, place)).transpose()?;
        Ok(resolved.filter(|e| e.constant_values().is_none()).map(|e| e.primed()))
    }
}
