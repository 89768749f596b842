//! Threads and functions: variables, locations, transformations, handlers.
//!
//! Both are bodies: what runs has a frame with its variables, and stands at a location.

use super::Compiler;
use super::program::*;
use super::scope::Scope;
use crate::heap::language::ast;
use crate::source::{Parsed, Span};

impl Compiler<'_> {
    pub fn declare_body(&mut self, body: &ast::Body, kind: BodyKind) -> Parsed<()> {
        let what = if kind == BodyKind::Thread { "thread" } else { "function" };
        let is_same = |known: &&Body| known.name == body.name.text;
        if let Some(known) = self.bodies.iter().find(is_same) {
            if known.is_function() == (kind != BodyKind::Thread) {
                return Err(self.types.twice(what, &body.name));
            }
            let message = format!("{} is the name of a thread already", body.name.text);
            return Err(self.error(body.name.span, message));
        }
        if body.locations.is_empty() {
            let message = format!("{what} {} has no location", body.name.text);
            return Err(self.error(body.name.span, message));
        }
        let (mut locals, mut initial) = (Scope::default(), Vec::new());
        for variable in body.parameters.iter().chain(&body.locals) {
            self.count_step(variable.name.span)?;
            let of = self.types.plain(&variable.of)?;
            initial.push(self.initial_value(variable, of)?);
            if !locals.add(&variable.name.text, of) {
                return Err(self.types.twice("variable", &variable.name));
            }
        }
        initial.drain(..body.parameters.len());
        let entry = self.locations.len() as Pc;
        for location in &body.locations {
            self.declare_location(location)?;
        }
        let (name, parameters) = (body.name.text.clone(), body.parameters.len());
        let slots = locals.slots().to_vec();
        let handlers = Vec::new();
        self.bodies.push(Body { name, kind, parameters, slots, initial, entry, handlers });
        self.locals.push(locals);
        Ok(())
    }

    fn declare_location(&mut self, location: &ast::Location) -> Parsed<()> {
        let (name, body) = (location.name.text.clone(), self.bodies.len());
        let pc = self.locations.len() as Pc;
        if self.location_names.insert((body, name.clone()), pc).is_some() {
            return Err(self.types.twice("location", &location.name));
        }
        let atomic = location.atomic;
        self.locations.push(Location { name, body, atomic, first: 0, end: 0, call: None });
        Ok(())
    }

    /// Compiles a body that was declared.
    pub fn body(&mut self, number: usize, body: &ast::Body) -> Parsed<()> {
        self.current = number;
        let entry = self.bodies[number].entry;
        for (offset, location) in body.locations.iter().enumerate() {
            let pc = entry + offset as Pc;
            let first = self.transformations.len() as u32;
            for transformation in &location.transformations {
                let compiled = self.transformation(pc, transformation)?;
                self.transformations.push(compiled);
            }
            self.locations[pc as usize].first = first;
            self.locations[pc as usize].end = self.transformations.len() as u32;
        }
        for handler in &body.handlers {
            let compiled = self.handler(handler, body.locations.len())?;
            self.bodies[number].handlers.push(compiled);
        }
        Ok(())
    }

    fn transformation(&mut self, from: Pc, syntax: &ast::Transformation) -> Parsed<Transformation> {
        self.temporaries.clear();
        let guard = match &syntax.guard {
            Some(guard) => {
                let start = self.here();
                (self.in_guard, self.alone) = (true, true);
                self.typed(guard, Type::Boolean)?;
                self.in_guard = false;
                self.emit(Op::End, guard.span);
                Some(start)
            }
            None => None,
        };
        let body = self.here();
        // a call or a result is evaluated behind the block
        let last = matches!(syntax.exit, ast::Exit::Goto(_) | ast::Exit::Return(None));
        self.block(&syntax.body, last)?;
        let exit = self.exit(from, &syntax.exit, syntax.span)?;
        self.emit(Op::End, syntax.span);
        Ok(Transformation { from, guard, body, exit, span: syntax.span })
    }

    /// Code behind a body, which leaves on the stack what the exit needs.
    fn exit(&mut self, from: Pc, exit: &ast::Exit, span: Span) -> Parsed<Exit> {
        self.alone = true;
        match exit {
            ast::Exit::Goto(target) => Ok(Exit::Goto(self.location(target)?)),
            ast::Exit::Return(value) => self.result(value.as_ref(), span),
            ast::Exit::Invoke(call) => self.invocation(from, call),
            ast::Exit::Throw(exception) => {
                self.exception(exception)?;
                self.emit(Op::Throw, span);
                Ok(Exit::Throw)
            }
        }
    }

    /// The location with a name in the body being compiled.
    pub fn location(&self, name: &ast::Name) -> Parsed<Pc> {
        match self.location_names.get(&(self.current, name.text.clone())) {
            Some(&pc) => Ok(pc),
            None => {
                let body = &self.bodies[self.current];
                let what = if body.is_function() { "function" } else { "thread" };
                let message = format!("{what} {} has no location {}", body.name, name.text);
                Err(self.error(name.span, message))
            }
        }
    }

    /// `catch`: a record, a local variable that can hold it, and locations.
    fn handler(&mut self, handler: &ast::Handler, locations: usize) -> Parsed<Handler> {
        let of = self.types.record(&handler.record)?;
        let variable = self.local(&handler.variable)?;
        let wanted = self.locals[self.current].slots()[variable as usize].of;
        if !self.types.fits(Type::Object(of), wanted) {
            let (wanted, name) = (self.types.type_name(wanted), &handler.variable.text);
            let message =
                format!("{name} is of type {wanted}, which no {} is", handler.record.text);
            return Err(self.error(handler.variable.span, message));
        }
        let entry = self.bodies[self.current].entry;
        let mut at: Vec<Pc> = match &handler.at {
            Some(names) => names.iter().map(|name| self.location(name)).collect::<Parsed<_>>()?,
            None => (entry..entry + locations as Pc).collect(),
        };
        at.sort_unstable();
        let target = self.location(&handler.target)?;
        Ok(Handler { of, variable, at, target })
    }

    /// A parameter or local variable of the body being compiled.
    pub fn local(&self, name: &ast::Name) -> Parsed<u32> {
        match self.locals[self.current].find(&name.text) {
            Some((index, _)) => Ok(index),
            None => {
                let body = &self.bodies[self.current].name;
                let message = format!("{body} has no local variable {}", name.text);
                Err(self.error(name.span, message))
            }
        }
    }
}
