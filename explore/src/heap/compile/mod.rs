//! Type checking and code generation: the whole program and statements. Threads, functions and their
//! locations are in [`bodies`], calls and exceptions in [`calls`], expressions in [`expressions`].
//!
//! Code is laid out flat; a transformation knows where its guard and its body begin. Temporaries
//! declared inside a `do` block live in the machine, not in the state.

mod bodies;
mod calls;
mod expressions;
mod operations;
pub(super) mod program;
mod properties;
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
    compile_with(source, settings, &[])
}

/// The same with properties besides those of the text.
pub fn compile_with(
    source: &Source,
    settings: &Settings,
    properties: &[String],
) -> Parsed<HeapProgram> {
    let system = parse(source)?;
    let given = properties::parse_given(properties)?;
    let types = Types::declare(source, &system, settings)?;
    let mut compiler = Compiler::new(types, &system)?;
    compiler.check_operations()?;
    for (number, body) in system.threads.iter().chain(&system.functions).enumerate() {
        compiler.body(number, body)?;
    }
    compiler.declare_properties(&system.properties, &given)?;
    compiler.finish(&system)
}

pub struct Compiler<'s> {
    pub types: Types<'s>,
    pub globals: Scope,
    global_values: Vec<u32>,
    /// Threads, then functions.
    pub bodies: Vec<Body>,
    /// Parameters and local variables of each body.
    pub locals: Vec<Scope>,
    pub virtuals: Vec<calls::Virtual>,
    pub operations: operations::Operations<'s>,
    properties: Vec<Property>,
    main: usize,
    locations: Vec<Location>,
    /// Locations by body and name.
    location_names: FxHashMap<(usize, String), Pc>,
    transformations: Vec<Transformation>,
    pub code: Vec<Op>,
    spans: Vec<Span>,
    uses_wait: bool,
    /// The body being compiled.
    pub current: usize,
    pub temporaries: Scope,
    /// Guards neither change the state nor choose.
    pub in_guard: bool,
    /// Conditions of properties may count.
    pub in_property: bool,
    /// Nothing is on the machine's stack where the next value is computed.
    pub alone: bool,
    /// Statements and operations compiled so far.
    steps: usize,
}

impl<'s> Compiler<'s> {
    fn new(types: Types<'s>, system: &'s ast::System) -> Parsed<Compiler<'s>> {
        let mut compiler = Compiler {
            types,
            globals: Scope::default(),
            global_values: Vec::new(),
            bodies: Vec::new(),
            virtuals: Vec::new(),
            operations: operations::Operations::default(),
            properties: Vec::new(),
            in_property: false,
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
            alone: false,
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
            compiler.declare_body(thread, BodyKind::Thread)?;
        }
        for function in &system.functions {
            let result = function.result.as_ref().map(|of| compiler.types.plain(of)).transpose()?;
            compiler.declare_body(function, BodyKind::Function(result))?;
        }
        for table in &system.virtuals {
            compiler.declare_virtual(table)?;
        }
        for extension in &system.extensions {
            compiler.declare_operations(extension)?;
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
        self.alone = true;
        match &statement.kind {
            StatementKind::Assign(place, value) => self.assign(place, value, span),
            StatementKind::Declare(variable) => self.declare_temporary(variable, span),
            StatementKind::Start(name, arguments) => self.start(name, arguments, span),
            StatementKind::Assert(condition) => {
                self.typed(condition, Type::Boolean)?;
                self.emit(Op::Assert, span);
                Ok(())
            }
            StatementKind::Assume(condition) => {
                self.typed(condition, Type::Boolean)?;
                self.emit(Op::Assume, span);
                Ok(())
            }
            StatementKind::Return(value) => self.operation_result(value.as_ref(), span),
            StatementKind::Operation(call) => self.operation_statement(call),
            StatementKind::Throw(exception) => {
                self.effect("`throw`", span)?;
                self.exception(exception)?;
                self.emit(Op::Throw, span);
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
        let (store, of) = match value.is_operation() {
            true => self.place_behind(place, value)?,
            false => {
                let (store, of) = self.place(place)?;
                self.alone = matches!(place.kind, ast::ExprKind::Name(_));
                self.typed(value, of)?;
                (store, of)
            }
        };
        self.emit(store, span);
        let in_state = !matches!(store, Op::StoreTemp(_));
        if in_state {
            self.effect("an assignment to what is not its own", span)?;
        }
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
        self.effect("`start`", span)?;
        let is_meant = |body: &Body| !body.is_function() && body.name == name.text;
        let Some(number) = self.bodies.iter().position(is_meant) else {
            return Err(self.error(name.span, format!("there is no thread {}", name.text)));
        };
        let wanted = self.parameters(number);
        self.passed("thread", name, &wanted, arguments, span)?;
        self.emit(Op::Start(number as u32), span);
        Ok(())
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
        self.effect(&format!("`{}`", name.text), span)?;
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
        let widest = self.bodies.iter().map(|body| body.slots.len()).max().unwrap_or(0);
        if widest > MOST_SLOTS {
            let message = format!("a thread or function has more than {MOST_SLOTS} variables");
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
            bodies: self.bodies,
            virtuals: self.virtuals.into_iter().map(calls::Virtual::table).collect(),
            properties: self.properties,
            main: self.main,
            locations: self.locations,
            transformations: self.transformations,
            code: self.code,
            spans: self.spans,
            frame_head: if self.uses_wait { 3 } else { 1 },
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
