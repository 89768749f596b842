//! Operations of extensions, the abstract types of Bogor'03, section 3.5.
//!
//! An extension is an object whose fields only its operations see; sets and tables among them are made
//! with it, and since their order does not count, neither does the order in which operations were
//! called. An operation runs inside the step of its caller: its code is written out where it is called,
//! with parameters and result in temporaries, so that the machine knows nothing of operations.
//!
//! Cost: code grows with the number of calls; both that and the depth have a bound. An operation that
//! changes a set or table moves it in memory. References in variables follow, those on the machine's
//! stack do not: such an operation is refused where something is on the stack.

use super::expressions::find;
use super::program::*;
use super::{Compiler, temporary_place};
use crate::heap::language::ast::{self, Expr, ExprKind, LinkKind, Name, Statement, StatementKind};
use crate::source::{Parsed, Span};
use rustc_hash::FxHashMap;

/// Operations inside operations: each may nest expressions as deep as the language allows.
const MOST_LEVELS: usize = 8;
/// Calls written out, and operations of the machine they may make.
const MOST_CALLS: usize = 1 << 16;
const MOST_CODE: usize = 1 << 22;

/// What is known of all operations, and which of them are being written out.
#[derive(Default)]
pub struct Operations<'s> {
    known: Vec<Operation<'s>>,
    numbers: FxHashMap<(ObjectId, &'s str), usize>,
    /// The innermost last.
    open: Vec<Open>,
    calls: usize,
}

struct Operation<'s> {
    syntax: &'s ast::Operation,
    extension: ObjectId,
    parameters: Vec<Type>,
    result: Option<Type>,
}

/// An operation that is being written out.
struct Open {
    number: usize,
    /// The temporary with the extension's object.
    this: u32,
    result: Option<(u32, Type)>,
    /// Jumps to the end.
    ends: Vec<usize>,
}

impl<'s> Compiler<'s> {
    pub fn declare_operations(&mut self, extension: &'s ast::Extension) -> Parsed<()> {
        let of = self.types.record(&extension.name)?;
        for syntax in &extension.operations {
            self.count_step(syntax.name.span)?;
            let mut parameters = Vec::new();
            for (index, parameter) in syntax.parameters.iter().enumerate() {
                let same = |other: &ast::Variable| other.name.text == parameter.name.text;
                if syntax.parameters[..index].iter().any(same) {
                    return Err(self.types.twice("parameter", &parameter.name));
                }
                parameters.push(self.types.plain(&parameter.of)?);
            }
            let result = syntax.result.as_ref().map(|of| self.types.plain(of)).transpose()?;
            if result.is_some() && !always_returns(&syntax.body) {
                let message = format!("{} must end with `return` on every way", syntax.name.text);
                return Err(self.error(syntax.name.span, message));
            }
            let number = self.operations.known.len();
            if self.operations.numbers.insert((of, &syntax.name.text), number).is_some() {
                return Err(self.types.twice("operation", &syntax.name));
            }
            self.operations.known.push(Operation { syntax, extension: of, parameters, result });
        }
        Ok(())
    }

    /// Compiles every operation by itself, so that errors show where none is called.
    pub fn check_operations(&mut self) -> Parsed<()> {
        for number in 0..self.operations.known.len() {
            self.temporaries.clear();
            let this = self.temporary(Type::Object(self.operations.known[number].extension));
            let parameters = self.operations.known[number].parameters.clone();
            let given: Vec<u32> =
                parameters.iter().map(|&of| self.temporaries.add_unnamed(of)).collect();
            self.write_out(number, this, &given)?;
            self.retract(self.code.len());
        }
        self.operations.calls = 0;
        Ok(())
    }

    /// A new temporary without a name: its place.
    fn temporary(&mut self, of: Type) -> u32 {
        temporary_place(self.temporaries.add_unnamed(of), of)
    }

    /// The object whose operation is being written out: where it is, and its type.
    pub fn this(&self) -> Option<(u32, ObjectId)> {
        let open = self.operations.open.last()?;
        Some((open.this, self.operations.known[open.number].extension))
    }

    pub fn own_field(&self, extension: ObjectId, name: &str) -> Option<(u32, Type)> {
        find(self.types.fields(extension), name)
    }

    /// A name inside an operation that is not a variable of its own.
    pub fn own_value(&mut self, this: (u32, ObjectId), name: &str, span: Span) -> Parsed<Type> {
        let (this, extension) = this;
        if name == "this" {
            self.emit(Op::LoadTemp(this), span);
            return Ok(Type::Object(extension));
        }
        let Some((field, of)) = self.own_field(extension, name) else {
            return self.shared_value(name, span);
        };
        if of == Type::Lock {
            let message = format!("a lock is not a value; use lock(this.{name}) and so on");
            return Err(self.error(span, message));
        }
        self.emit(Op::LoadTemp(this), span);
        self.emit(Op::LoadField(field), span);
        Ok(of)
    }

    /// Fields of an extension are for its operations.
    pub fn check_representation(&self, id: ObjectId, field: &Name) -> Parsed<()> {
        if !self.types.is_extension(id) || self.this().is_some_and(|(_, own)| own == id) {
            return Ok(());
        }
        let of = &self.types.objects[id as usize].name;
        let known = self.operations.names(id);
        let message = format!("{of} keeps {} to itself; its operations: {known}", field.text);
        Err(self.error(field.span, message))
    }

    /// Makes the sets and tables of a new extension object, which is on the stack.
    pub fn fill(&mut self, id: ObjectId, span: Span) {
        let collections: Vec<(u32, ObjectId)> = (0..)
            .zip(self.types.fields(id))
            .filter_map(|(index, slot)| match slot.of {
                Type::Object(of) => Some((index, of)),
                _ => None,
            })
            .filter(|&(_, of)| {
                let shape = &self.types.objects[of as usize].shape;
                matches!(shape, ObjectShape::Set(_) | ObjectShape::Table(..))
            })
            .collect();
        let this = self.temporary(Type::Object(id));
        self.emit(Op::StoreTemp(this), span);
        for (field, of) in collections {
            self.emit(Op::LoadTemp(this), span);
            self.emit(Op::New(of), span);
            self.emit(Op::StoreField(field), span);
        }
        self.emit(Op::LoadTemp(this), span);
    }

    /// `x := q.take()`: the operation runs first, since it may move what the place is part of.
    pub fn place_behind(&mut self, place: &Expr, value: &Expr) -> Parsed<(Op, Type)> {
        self.alone = true;
        let found = self.value(value)?;
        let kept = self.temporary(found);
        self.emit(Op::StoreTemp(kept), value.span);
        let (store, of) = self.place(place)?;
        self.emit(Op::LoadTemp(kept), value.span);
        self.check(found, of, value.span)?;
        self.narrow(found, of, value.span)?;
        Ok((store, of))
    }

    /// `q.put(x);`
    pub fn operation_statement(&mut self, call: &Expr) -> Parsed<()> {
        let ExprKind::Chain(first, links) = &call.kind else { return Ok(()) };
        let Some((last, before)) = links.split_last() else { return Ok(()) };
        let LinkKind::Operation(name, arguments) = &last.kind else { return Ok(()) };
        let of = self.chain(first, before, true)?;
        if self.operation_call(of, name, arguments, true, last.span)?.is_some() {
            // the result is not wanted
            let unused = self.temporary(Type::Boolean);
            self.emit(Op::StoreTemp(unused), last.span);
        }
        Ok(())
    }

    /// Writes an operation out; the object is on the stack, and in the end the result. With `alone`
    /// nothing else is on the stack.
    pub fn operation_call(
        &mut self,
        of: Type,
        name: &Name,
        arguments: &[Expr],
        alone: bool,
        span: Span,
    ) -> Parsed<Option<Type>> {
        let number = self.operation_number(of, name)?;
        self.check_depth(number, name)?;
        let start = self.code.len();
        self.emit(Op::NotNull, span);
        let this = self.temporary(of);
        self.emit(Op::StoreTemp(this), span);
        let wanted = self.operations.known[number].parameters.clone();
        if wanted.len() != arguments.len() {
            let (wanted, given) = (wanted.len(), arguments.len());
            let message = format!("operation {} takes {wanted} arguments, not {given}", name.text);
            return Err(self.error(span, message));
        }
        let mut given = Vec::with_capacity(wanted.len());
        for (argument, of) in arguments.iter().zip(wanted) {
            self.alone = alone;
            self.typed(argument, of)?;
            let index = self.temporaries.add_unnamed(of);
            self.emit(Op::StoreTemp(temporary_place(index, of)), argument.span);
            given.push(index);
        }
        let result = self.write_out(number, this, &given)?;
        if !alone && self.code[start..].iter().any(|&op| moves_objects(op)) {
            let message = format!(
                "{} changes a set or table: put its result into a variable first",
                name.text
            );
            return Err(self.error(span, message));
        }
        if let Some((place, _)) = result {
            self.emit(Op::LoadTemp(place), span);
        }
        Ok(result.map(|(_, of)| of))
    }

    fn operation_number(&self, of: Type, name: &Name) -> Parsed<usize> {
        let Type::Object(id) = of else {
            let of = self.types.type_name(of);
            return Err(self.error(name.span, format!("values of type {of} have no operations")));
        };
        self.operations.numbers.get(&(id, name.text.as_str())).copied().ok_or_else(|| {
            let of = self.types.type_name(of);
            let message = match self.operations.names(id).as_str() {
                "" => format!("{of} has no operations; only extensions have"),
                known => format!("{of} has no operation {}; its operations: {known}", name.text),
            };
            self.error(name.span, message)
        })
    }

    fn check_depth(&mut self, number: usize, name: &Name) -> Parsed<()> {
        let operations = &mut self.operations;
        operations.calls += 1;
        let message = if operations.open.iter().any(|open| open.number == number) {
            format!("operation {} calls itself; recursion needs a function", name.text)
        } else if operations.open.len() == MOST_LEVELS {
            format!("operations call each other more than {MOST_LEVELS} levels deep")
        } else if operations.calls > MOST_CALLS || self.code.len() > MOST_CODE {
            format!("more than {MOST_CALLS} calls of operations, or too much code of theirs")
        } else {
            return Ok(());
        };
        Err(self.error(name.span, message))
    }

    /// The code of an operation; where its result is, if it has one.
    fn write_out(
        &mut self,
        number: usize,
        this: u32,
        given: &[u32],
    ) -> Parsed<Option<(u32, Type)>> {
        let result = self.operations.known[number].result;
        let result = result.map(|of| (self.temporary(of), of));
        let outside = self.temporaries.suspend();
        let first = self.temporaries.len();
        let syntax = self.operations.known[number].syntax;
        for (parameter, &index) in syntax.parameters.iter().zip(given) {
            self.temporaries.rename(index, &parameter.name.text);
        }
        self.operations.open.push(Open { number, this, result, ends: Vec::new() });
        self.block(&syntax.body, false)?;
        let ends = self.operations.open.pop().map(|open| open.ends).unwrap_or_default();
        ends.into_iter().for_each(|jump| self.land(jump));
        self.temporaries.hide_from(given.first().map_or(first, |&index| index as usize));
        self.temporaries.resume(outside);
        Ok(result)
    }

    /// `return` inside an operation.
    pub fn operation_result(&mut self, value: Option<&Expr>, span: Span) -> Parsed<()> {
        let Some(open) = self.operations.open.last() else {
            let message = "`return` stands behind the block here: `do { ... } return;`";
            return Err(self.error(span, message));
        };
        match (open.result, value) {
            (Some((place, of)), Some(value)) => {
                self.typed(value, of)?;
                self.emit(Op::StoreTemp(place), span);
            }
            (None, None) => {}
            (Some((_, of)), None) => {
                let of = self.types.type_name(of);
                let message = format!("expected a value of type {of} behind `return`");
                return Err(self.error(span, message));
            }
            (None, Some(value)) => {
                let message = "the operation returns nothing; say `returns` and a type";
                return Err(self.error(value.span, message));
            }
        }
        let jump = self.emit_jump(Op::Jump(0), span);
        if let Some(open) = self.operations.open.last_mut() {
            open.ends.push(jump);
        }
        Ok(())
    }
}

impl Operations<'_> {
    /// For messages.
    fn names(&self, extension: ObjectId) -> String {
        let own = self.known.iter().filter(|operation| operation.extension == extension);
        own.map(|operation| operation.syntax.name.text.as_str()).collect::<Vec<_>>().join(", ")
    }
}

fn always_returns(statements: &[Statement]) -> bool {
    match statements.last().map(|last| &last.kind) {
        Some(StatementKind::Return(_) | StatementKind::Throw(_)) => true,
        Some(StatementKind::If(_, then, otherwise)) => {
            always_returns(then) && always_returns(otherwise)
        }
        _ => false,
    }
}

fn moves_objects(op: Op) -> bool {
    matches!(op, Op::AddElement | Op::RemoveElement | Op::Put)
}
