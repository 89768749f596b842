//! Type checking and code generation: threads, locations, statements. Expressions are in
//! [`expressions`].
//!
//! Code is laid out flat; a transformation knows where its guard and its body begin. Temporaries
//! declared inside a `do` block live in the machine, not in the state.

mod expressions;
pub(super) mod program;
mod scope;
mod types;

use crate::heap::language::ast::{self, Expr, Name, Statement, StatementKind};
use crate::heap::language::parser::parse;
use crate::source::{Diagnostic, Parsed, Source, Span};
use program::*;
use rustc_hash::FxHashMap;
use scope::Scope;
use types::{Settings, Types};

/// Most words of one record, thread or block of temporaries: they are addressed with 16 bits.
const MOST_SLOTS: usize = u16::MAX as usize;

/// Parses, checks and compiles a program.
pub fn compile(source: &Source, settings: &Settings) -> Parsed<HeapProgram> {
    let system = parse(source)?;
    let types = Types::declare(source, &system, settings)?;
    let mut compiler = Compiler::new(types, &system)?;
    for (number, thread) in system.threads.iter().enumerate() {
        compiler.thread_body(number, thread)?;
    }
    compiler.finish(&system)
}

pub struct Compiler<'s> {
    pub types: Types<'s>,
    pub globals: Scope,
    global_values: Vec<u32>,
    pub threads: Vec<ThreadType>,
    /// Parameters and local variables of each thread.
    pub locals: Vec<Scope>,
    main: usize,
    locations: Vec<Location>,
    /// Locations by thread and name.
    location_names: FxHashMap<(usize, String), Pc>,
    transformations: Vec<Transformation>,
    pub code: Vec<Op>,
    spans: Vec<Span>,
    uses_wait: bool,
    /// The thread being compiled.
    pub current: usize,
    pub temporaries: Scope,
    /// Guards neither change the state nor choose.
    pub in_guard: bool,
    /// Statements and operations compiled so far.
    steps: usize,
}

impl<'s> Compiler<'s> {
    fn new(types: Types<'s>, system: &ast::System) -> Parsed<Compiler<'s>> {
        let mut compiler = Compiler {
            types,
            globals: Scope::default(),
            global_values: Vec::new(),
            threads: Vec::new(),
            locals: Vec::new(),
            main: 0,
            locations: Vec::new(),
            location_names: FxHashMap::default(),
            transformations: Vec::new(),
            code: Vec::new(),
            spans: Vec::new(),
            uses_wait: false,
            current: 0,
            temporaries: Scope::default(),
            in_guard: false,
            steps: 0,
        };
        for global in &system.globals {
            compiler.count_step(global.name.span)?;
            let of = compiler.types.plain(&global.of)?;
            let value = compiler.initial_value(global, of)?;
            if !compiler.globals.add(&global.name.text, of) {
                return Err(compiler.types.twice("variable", &global.name));
            }
            compiler.global_values.push(value);
        }
        compiler.main = compiler.find_main(system)?;
        for thread in &system.threads {
            compiler.declare_thread(thread)?;
        }
        Ok(compiler)
    }

    fn find_main(&self, system: &ast::System) -> Parsed<usize> {
        let mut mains = system.threads.iter().enumerate().filter(|(_, thread)| thread.main);
        let (main, thread) = mains.next().ok_or_else(|| {
            self.error(system.name.span, "the system needs a `main thread`, where it starts")
        })?;
        if let Some((_, second)) = mains.next() {
            return Err(self.error(second.name.span, "there is one main thread only"));
        }
        match thread.parameters.first() {
            Some(first) => Err(self.error(first.name.span, "the main thread has no parameters")),
            None => Ok(main),
        }
    }

    /// The word a variable outside code starts with; only constants can be evaluated there.
    fn initial_value(&self, variable: &ast::Variable, of: Type) -> Parsed<u32> {
        let Some(value) = &variable.value else { return Ok(of.default_word()) };
        match (&value.kind, of) {
            (ast::ExprKind::Boolean(value), Type::Boolean) => Ok(u32::from(*value)),
            (ast::ExprKind::Null, Type::Object(_)) => Ok(0),
            (_, Type::Int { low, high }) => {
                let constant = self.types.evaluate(value)?;
                if (low..=high).contains(&constant) {
                    return Ok(constant as u32);
                }
                let message = format!("{constant} is out of the range {low}..{high}");
                Err(self.error(value.span, message))
            }
            _ => {
                let wanted = self.types.type_name(of);
                let message = format!(
                    "expected a constant of type {wanted}; objects are made in the main thread"
                );
                Err(self.error(value.span, message))
            }
        }
    }

    fn declare_thread(&mut self, thread: &ast::Thread) -> Parsed<()> {
        if self.threads.iter().any(|known| known.name == thread.name.text) {
            return Err(self.types.twice("thread", &thread.name));
        }
        if thread.locations.is_empty() {
            let message = format!("thread {} has no location", thread.name.text);
            return Err(self.error(thread.name.span, message));
        }
        let (mut locals, mut initial) = (Scope::default(), Vec::new());
        for variable in thread.parameters.iter().chain(&thread.locals) {
            self.count_step(variable.name.span)?;
            let of = self.types.plain(&variable.of)?;
            initial.push(self.initial_value(variable, of)?);
            if !locals.add(&variable.name.text, of) {
                return Err(self.types.twice("variable", &variable.name));
            }
        }
        initial.drain(..thread.parameters.len());
        let entry = self.locations.len() as Pc;
        for location in &thread.locations {
            self.declare_location(location)?;
        }
        let (name, parameters) = (thread.name.text.clone(), thread.parameters.len());
        let slots = locals.slots().to_vec();
        self.threads.push(ThreadType { name, parameters, slots, initial, entry });
        self.locals.push(locals);
        Ok(())
    }

    fn declare_location(&mut self, location: &ast::Location) -> Parsed<()> {
        let (name, thread) = (location.name.text.clone(), self.threads.len());
        let pc = self.locations.len() as Pc;
        if self.location_names.insert((thread, name.clone()), pc).is_some() {
            return Err(self.types.twice("location", &location.name));
        }
        self.locations.push(Location { name, thread, atomic: location.atomic, first: 0, end: 0 });
        Ok(())
    }

    fn thread_body(&mut self, number: usize, thread: &ast::Thread) -> Parsed<()> {
        self.current = number;
        let entry = self.threads[number].entry;
        for (offset, location) in thread.locations.iter().enumerate() {
            let pc = entry + offset as Pc;
            let first = self.transformations.len() as u32;
            for transformation in &location.transformations {
                let compiled = self.transformation(pc, transformation)?;
                self.transformations.push(compiled);
            }
            self.locations[pc as usize].first = first;
            self.locations[pc as usize].end = self.transformations.len() as u32;
        }
        Ok(())
    }

    fn transformation(&mut self, from: Pc, syntax: &ast::Transformation) -> Parsed<Transformation> {
        self.temporaries.clear();
        let guard = match &syntax.guard {
            Some(guard) => {
                let start = self.here();
                self.in_guard = true;
                self.typed(guard, Type::Boolean)?;
                self.in_guard = false;
                self.emit(Op::End, guard.span);
                Some(start)
            }
            None => None,
        };
        let body = self.here();
        self.block(&syntax.body, true)?;
        self.emit(Op::End, syntax.span);
        let target = syntax.target.as_ref().map(|name| self.location(name)).transpose()?;
        Ok(Transformation { from, guard, body, target, span: syntax.span })
    }

    fn location(&self, name: &Name) -> Parsed<Pc> {
        match self.location_names.get(&(self.current, name.text.clone())) {
            Some(&pc) => Ok(pc),
            None => {
                let thread = &self.threads[self.current].name;
                let message = format!("thread {thread} has no location {}", name.text);
                Err(self.error(name.span, message))
            }
        }
    }

    /// `last` says that nothing comes behind the block in its transformation.
    fn block(&mut self, statements: &[Statement], last: bool) -> Parsed<()> {
        let outer = self.temporaries.len();
        for (index, statement) in statements.iter().enumerate() {
            self.statement(statement, last && index + 1 == statements.len())?;
        }
        // Names end with their block; their places are not reused, so that a jump back into a loop
        // finds them as they were.
        self.temporaries.hide_from(outer);
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, last: bool) -> Parsed<()> {
        let span = statement.span;
        self.count_step(span)?;
        match &statement.kind {
            StatementKind::Assign(place, value) => self.assign(place, value, span),
            StatementKind::Declare(variable) => self.declare_temporary(variable, span),
            StatementKind::Start(name, arguments) => self.start(name, arguments, span),
            StatementKind::Assert(condition) => {
                self.typed(condition, Type::Boolean)?;
                self.emit(Op::Assert, span);
                Ok(())
            }
            StatementKind::If(condition, then, otherwise) => {
                self.if_statement(condition, then, otherwise, last)
            }
            StatementKind::While(condition, body) => self.while_statement(condition, body),
            StatementKind::Call(name, arguments) => {
                self.call_statement(name, arguments, span, last)
            }
        }
    }

    fn assign(&mut self, place: &Expr, value: &Expr, span: Span) -> Parsed<()> {
        let (store, of) = self.place(place)?;
        self.typed(value, of)?;
        self.emit(store, span);
        let in_state = !matches!(store, Op::StoreTemp(_));
        if of.is_reference() && in_state {
            self.emit(Op::Touch, span);
        }
        self.fuse_store();
        Ok(())
    }

    fn declare_temporary(&mut self, variable: &ast::Variable, span: Span) -> Parsed<()> {
        let of = self.types.plain(&variable.of)?;
        match &variable.value {
            Some(value) => self.typed(value, of)?,
            None => self.emit(Op::Push(of.default_word() as i32), span),
        }
        self.emit(Op::StoreTemp(temporary_place(self.temporaries.len() as u32, of)), span);
        match self.temporaries.add(&variable.name.text, of) {
            true => Ok(()),
            false => Err(self.types.twice("variable", &variable.name)),
        }
    }

    fn start(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Parsed<()> {
        let Some(number) = self.threads.iter().position(|thread| thread.name == name.text) else {
            return Err(self.error(name.span, format!("there is no thread {}", name.text)));
        };
        let wanted: Vec<Type> = self.parameters(number);
        if wanted.len() != arguments.len() {
            let (wanted, given) = (wanted.len(), arguments.len());
            let message = format!("thread {} takes {wanted} arguments, not {given}", name.text);
            return Err(self.error(span, message));
        }
        for (argument, of) in arguments.iter().zip(wanted) {
            self.typed(argument, of)?;
        }
        self.emit(Op::Start(number as u32), span);
        Ok(())
    }

    fn parameters(&self, thread: usize) -> Vec<Type> {
        let thread = &self.threads[thread];
        thread.slots[..thread.parameters].iter().map(|slot| slot.of).collect()
    }

    fn if_statement(
        &mut self,
        condition: &Expr,
        then: &[Statement],
        otherwise: &[Statement],
        last: bool,
    ) -> Parsed<()> {
        self.typed(condition, Type::Boolean)?;
        let to_else = self.emit_jump(Op::JumpIfFalse(0), condition.span);
        self.block(then, last)?;
        let to_end = self.emit_jump(Op::Jump(0), condition.span);
        self.land(to_else);
        self.block(otherwise, last)?;
        self.land(to_end);
        Ok(())
    }

    fn while_statement(&mut self, condition: &Expr, body: &[Statement]) -> Parsed<()> {
        let start = self.here();
        self.typed(condition, Type::Boolean)?;
        let out = self.emit_jump(Op::JumpIfFalse(0), condition.span);
        self.block(body, false)?;
        self.emit(Op::Jump(start), condition.span);
        self.land(out);
        Ok(())
    }

    fn call_statement(
        &mut self,
        name: &Name,
        arguments: &[Expr],
        span: Span,
        last: bool,
    ) -> Parsed<()> {
        if let Some(make) = lock_operation(&name.text) {
            let [lock] = self.exactly(name, arguments)?;
            let field = self.lock_place(lock)?;
            if name.text == "wait" {
                self.uses_wait = true;
                if !last {
                    let message = "`wait` must be the last statement of its transformation: the \
                                   thread goes on at the next location when it is notified";
                    return Err(self.error(span, message));
                }
            }
            self.emit(make(field), span);
            return Ok(());
        }
        self.collection_statement(name, arguments, span)
    }

    /// Checks the number of arguments of a built-in.
    pub fn exactly<'e, const N: usize>(
        &self,
        name: &Name,
        arguments: &'e [Expr],
    ) -> Parsed<&'e [Expr; N]> {
        arguments.try_into().map_err(|_| {
            let message = format!("{} takes {N} arguments, not {}", name.text, arguments.len());
            self.error(name.span, message)
        })
    }

    /// Counts a step; an error if a limit is reached.
    pub fn count_step(&mut self, span: Span) -> Parsed<()> {
        self.steps += 1;
        self.types.source.poll(self.steps, span)
    }

    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.types.source.error(span, message)
    }

    pub fn emit(&mut self, op: Op, span: Span) {
        self.code.push(op);
        self.spans.push(span);
    }

    pub fn here(&self) -> u32 {
        self.code.len() as u32
    }

    pub fn emit_jump(&mut self, op: Op, span: Span) -> usize {
        self.emit(op, span);
        self.code.len() - 1
    }

    /// Makes a jump lead to the next operation.
    pub fn land(&mut self, jump: usize) {
        let here = self.here();
        if let Op::Jump(to) | Op::JumpIfFalse(to) | Op::AndThen(to) | Op::OrElse(to) =
            &mut self.code[jump]
        {
            *to = here;
        }
    }

    /// Takes back the last `count` operations.
    pub fn retract(&mut self, count: usize) {
        self.code.truncate(self.code.len() - count);
        self.spans.truncate(self.code.len());
    }

    /// `x.f := constant` in one operation, where x is a local variable.
    fn fuse_store(&mut self) {
        let [.., Op::LoadLocal(local), Op::Push(value), Op::StoreField(field)] = self.code[..]
        else {
            return;
        };
        let short = (u16::try_from(local), u16::try_from(field), u16::try_from(value));
        if let (Ok(local), Ok(field), Ok(value)) = short {
            let span = self.spans[self.spans.len() - 1];
            self.retract(3);
            self.emit(Op::SetLocalField { local, field, value }, span);
        }
    }

    fn finish(self, system: &ast::System) -> Parsed<HeapProgram> {
        let widest = self.threads.iter().map(|thread| thread.slots.len()).max().unwrap_or(0);
        if widest > MOST_SLOTS {
            let message = format!("a thread has more than {MOST_SLOTS} variables");
            return Err(self.error(system.name.span, message));
        }
        let has_atomic = self.locations.iter().any(|location| location.atomic);
        Ok(HeapProgram {
            name: system.name.text.clone(),
            source: self.types.source.clone(),
            constants: self.types.constants,
            objects: self.types.objects,
            globals: self.globals.into_slots(),
            global_values: self.global_values,
            threads: self.threads,
            main: self.main,
            locations: self.locations,
            transformations: self.transformations,
            code: self.code,
            spans: self.spans,
            thread_head: if self.uses_wait { 3 } else { 1 },
            has_atomic,
        })
    }
}

/// References at odd places, so that the machine can tell them from other values.
pub fn temporary_place(index: u32, of: Type) -> u32 {
    2 * index + u32::from(of.is_reference())
}

fn lock_operation(name: &str) -> Option<fn(u32) -> Op> {
    Some(match name {
        "lock" => Op::Lock,
        "unlock" => Op::Unlock,
        "wait" => Op::Wait,
        "notify" => Op::Notify,
        "notifyAll" => Op::NotifyAll,
        _ => return None,
    })
}
