//! Type checking and code of expressions, places and built-in functions.

use super::program::{ObjectShape, Op, Type};
use super::{Compiler, temporary_place};
use crate::heap::language::ast::{Binary, Expr, ExprKind, Link, LinkKind, Name};
use crate::source::Span;
use pidlab_syntax::Parsed;

impl Compiler<'_> {
    /// Code that leaves a value fit for a variable of type `wanted`.
    pub fn typed(&mut self, expr: &Expr, wanted: Type) -> Parsed<()> {
        let found = self.value(expr)?;
        self.check(found, wanted, expr.span)?;
        self.narrow(found, wanted, expr.span)
    }

    pub fn check(&self, found: Type, wanted: Type, span: Span) -> Parsed<()> {
        if self.types.fits(found, wanted) {
            return Ok(());
        }
        let (wanted, found) = (self.types.type_name(wanted), self.types.type_name(found));
        Err(self.error(span, format!("expected a value of type {wanted}, found {found}")))
    }

    /// Adds a range check unless the value is known to lie inside.
    pub fn narrow(&mut self, found: Type, wanted: Type, span: Span) -> Parsed<()> {
        let (Type::Int { low, high }, Type::Int { low: least, high: most }) = (wanted, found)
        else {
            return Ok(());
        };
        if least < low || most > high {
            self.emit(Op::Range { low, high }, span);
        }
        Ok(())
    }

    pub fn value(&mut self, expr: &Expr) -> Parsed<Type> {
        let span = expr.span;
        self.count_step(span)?;
        let alone = std::mem::take(&mut self.alone);
        match &expr.kind {
            ExprKind::Number(value) => self.number(*value as i32, span),
            ExprKind::Boolean(value) => self.push(i32::from(*value), Type::Boolean, span),
            ExprKind::Null => self.push(0, Type::Null, span),
            ExprKind::Name(name) => self.variable(name, span),
            ExprKind::Not(inner) => {
                self.typed(inner, Type::Boolean)?;
                self.emit(Op::Not, span);
                Ok(Type::Boolean)
            }
            ExprKind::Negate(inner) => {
                self.typed(inner, Type::INT)?;
                self.emit(Op::Negate, span);
                Ok(Type::INT)
            }
            ExprKind::Chain(first, links) => self.chain(first, links, alone),
            ExprKind::New(of) => self.creation(of, span),
            ExprKind::NewArray(element, lengths, open) => {
                self.array_creation(element, lengths, *open, span)
            }
            ExprKind::Choose(low, high) => self.choice(low, high, span),
            ExprKind::Call(name, arguments) => self.call(name, arguments, span),
        }
    }

    fn push(&mut self, value: i32, of: Type, span: Span) -> Parsed<Type> {
        self.emit(Op::Push(value), span);
        Ok(of)
    }

    fn number(&mut self, value: i32, span: Span) -> Parsed<Type> {
        self.push(value, Type::Int { low: value, high: value }, span)
    }

    /// Temporaries hide local variables, those hide globals, those hide constants.
    fn variable(&mut self, name: &str, span: Span) -> Parsed<Type> {
        if let Some((index, of)) = self.temporaries.find(name) {
            self.emit(Op::LoadTemp(temporary_place(index, of)), span);
            return Ok(of);
        }
        if let Some((this, of)) = self.this() {
            return self.own_value((this, of), name, span);
        }
        if let Some((index, of)) = self.locals[self.current].find(name) {
            self.emit(Op::LoadLocal(index), span);
            return Ok(of);
        }
        self.shared_value(name, span)
    }

    /// A global variable or a constant.
    pub fn shared_value(&mut self, name: &str, span: Span) -> Parsed<Type> {
        if let Some((index, of)) = self.globals.find(name) {
            self.emit(Op::LoadGlobal(index), span);
            return Ok(of);
        }
        match self.types.constant(name) {
            Some(value) => self.number(value, span),
            None => Err(self.error(span, format!("there is no variable or constant `{name}`"))),
        }
    }

    /// Code for a first operand and what is done with it, one operation after another.
    /// With `alone` nothing else is on the stack.
    pub fn chain(&mut self, first: &Expr, links: &[Link], alone: bool) -> Parsed<Type> {
        self.alone = alone;
        let mut of = self.value(first)?;
        let mut left = first.span;
        for link in links {
            self.count_step(link.span)?;
            let span = link.span;
            of = match &link.kind {
                LinkKind::Field(field) => self.field(of, field, span)?,
                LinkKind::Operation(name, arguments) => {
                    match self.operation_call(of, name, arguments, alone, span)? {
                        Some(result) => result,
                        None => {
                            let message = format!("{} returns nothing", name.text);
                            return Err(self.error(name.span, message));
                        }
                    }
                }
                LinkKind::Index(index) => {
                    let element = self.array(of, left)?;
                    self.typed(index, Type::INT)?;
                    self.emit(Op::LoadElement, span);
                    element
                }
                LinkKind::InstanceOf(record) => {
                    let id = self.record_test(of, left, record)?;
                    self.emit(Op::InstanceOf(id), span);
                    Type::Boolean
                }
                LinkKind::Cast(record) => {
                    let id = self.record_test(of, left, record)?;
                    self.emit(Op::Cast(id), span);
                    Type::Object(id)
                }
                LinkKind::Binary(operator, right) => {
                    self.binary(*operator, (of, left), right, span)?
                }
            };
            left = span;
        }
        Ok(of)
    }

    fn field(&mut self, object: Type, field: &Name, span: Span) -> Parsed<Type> {
        let (index, of) = self.field_of(object, field)?;
        if of == Type::Lock {
            let message = "a lock is not a value; use lock, unlock, held, available, wait, notify";
            return Err(self.error(span, message));
        }
        let fused = match self.code.last() {
            Some(&Op::LoadLocal(local)) => u16::try_from(local).ok().zip(u16::try_from(index).ok()),
            _ => None,
        };
        match fused {
            Some((local, field)) => {
                self.retract(1);
                self.emit(Op::LoadLocalField { local, field }, span);
            }
            None => self.emit(Op::LoadField(index), span),
        }
        Ok(of)
    }

    /// The number and type of a field.
    fn field_of(&self, of: Type, field: &Name) -> Parsed<(u32, Type)> {
        if let Type::Object(id) = of
            && let Some(found) = find(self.types.fields(id), &field.text)
        {
            return self.check_representation(id, field).map(|()| found);
        }
        let message = format!("{} has no field {}", self.types.type_name(of), field.text);
        Err(self.error(field.span, message))
    }

    /// The element type of an array.
    fn array(&self, of: Type, span: Span) -> Parsed<Type> {
        match self.shape(of) {
            Some(&ObjectShape::Array(element)) => Ok(element),
            _ => {
                let found = self.types.type_name(of);
                Err(self.error(span, format!("expected an array, found {found}")))
            }
        }
    }

    fn shape(&self, of: Type) -> Option<&ObjectShape> {
        match of {
            Type::Object(id) => Some(&self.types.objects[id as usize].shape),
            _ => None,
        }
    }

    /// Code for everything an assignment needs but the value; the operation that stores it.
    pub fn place(&mut self, place: &Expr) -> Parsed<(Op, Type)> {
        if let ExprKind::Name(name) = &place.kind {
            return self.variable_place(name, place.span);
        }
        match last_link(place) {
            Some((first, before, LinkKind::Field(field))) => {
                let object = self.chain(first, before, false)?;
                let (index, of) = self.field_of(object, field)?;
                if of == Type::Lock {
                    let message = "a lock is changed by lock and unlock only";
                    return Err(self.error(place.span, message));
                }
                Ok((Op::StoreField(index), of))
            }
            Some((first, before, LinkKind::Index(index))) => {
                let array = self.chain(first, before, false)?;
                let of = self.array(array, before.last().map_or(first.span, |link| link.span))?;
                self.typed(index, Type::INT)?;
                Ok((Op::StoreElement, of))
            }
            _ => Err(self.error(place.span, "this cannot be assigned to")),
        }
    }

    fn variable_place(&mut self, name: &str, span: Span) -> Parsed<(Op, Type)> {
        if let Some((index, of)) = self.temporaries.find(name) {
            return Ok((Op::StoreTemp(temporary_place(index, of)), of));
        }
        if let Some((this, of)) = self.this()
            && let Some((field, of)) = self.own_field(of, name)
        {
            self.emit(Op::LoadTemp(this), span);
            return Ok((Op::StoreField(field), of));
        }
        if self.this().is_none()
            && let Some((index, of)) = self.locals[self.current].find(name)
        {
            return Ok((Op::StoreLocal(index), of));
        }
        if let Some((index, of)) = self.globals.find(name) {
            return Ok((Op::StoreGlobal(index), of));
        }
        let message = match self.types.constant(name) {
            Some(_) => format!("{name} is a constant"),
            None => format!("there is no variable `{name}`"),
        };
        Err(self.error(span, message))
    }

    /// Code for the object that a lock is a field of, and the field.
    pub fn lock_place(&mut self, lock: &Expr) -> Parsed<u32> {
        if let Some((first, before, LinkKind::Field(field))) = last_link(lock) {
            let object = self.chain(first, before, false)?;
            if let (index, Type::Lock) = self.field_of(object, field)? {
                return Ok(index);
            }
        }
        Err(self.error(lock.span, "expected a field of type lock"))
    }

    /// Code for an operator and its right side; the left side, of a known type, is done.
    fn binary(
        &mut self,
        operator: Binary,
        (left, left_span): (Type, Span),
        right: &Expr,
        span: Span,
    ) -> Parsed<Type> {
        use Binary::*;
        match operator {
            And | Or => {
                self.check(left, Type::Boolean, left_span)?;
                self.short_circuit(operator, right, span)
            }
            Equal | Differ => self.equality(operator, left, right, span),
            // a > b is b < a: operands are evaluated in order, the machine compares the other way
            Less | LessEqual | Greater | GreaterEqual => {
                self.check(left, Type::INT, left_span)?;
                self.typed(right, Type::INT)?;
                match operator {
                    Less => self.emit(Op::Less, span),
                    LessEqual => self.emit(Op::LessEqual, span),
                    Greater => self.negated(Op::LessEqual, span),
                    _ => self.negated(Op::Less, span),
                }
                Ok(Type::Boolean)
            }
            _ => {
                self.check(left, Type::INT, left_span)?;
                self.typed(right, Type::INT)?;
                self.emit(arithmetic(operator), span);
                Ok(Type::INT)
            }
        }
    }

    fn negated(&mut self, op: Op, span: Span) {
        self.emit(op, span);
        self.emit(Op::Not, span);
    }

    fn short_circuit(&mut self, operator: Binary, right: &Expr, span: Span) -> Parsed<Type> {
        let op = if operator == Binary::And { Op::AndThen(0) } else { Op::OrElse(0) };
        let jump = self.emit_jump(op, span);
        self.typed(right, Type::Boolean)?;
        self.land(jump);
        Ok(Type::Boolean)
    }

    fn equality(&mut self, operator: Binary, left: Type, right: &Expr, span: Span) -> Parsed<Type> {
        let right = self.value(right)?;
        if !self.types.fits(left, right) && !self.types.fits(right, left) {
            let (a, b) = (self.types.type_name(left), self.types.type_name(right));
            return Err(self.error(span, format!("{a} and {b} are never equal")));
        }
        self.emit(if operator == Binary::Equal { Op::Equal } else { Op::Differ }, span);
        Ok(Type::Boolean)
    }

    fn record_test(&self, of: Type, span: Span, record: &Name) -> Parsed<u32> {
        let id = self.types.record(record)?;
        let related =
            self.types.fits(of, Type::Object(id)) || self.types.fits(Type::Object(id), of);
        if related {
            return Ok(id);
        }
        let found = self.types.type_name(of);
        Err(self.error(span, format!("a value of type {found} is never a {}", record.text)))
    }

    /// Refuses what a guard cannot contain.
    pub fn effect(&self, what: &str, span: Span) -> Parsed<()> {
        if self.in_guard {
            return Err(
                self.error(span, format!("a guard cannot contain {what}; move it into `do`"))
            );
        }
        Ok(())
    }

    fn creation(&mut self, of: &crate::heap::language::ast::TypeName, span: Span) -> Parsed<Type> {
        self.effect("`new`", span)?;
        match self.types.resolve(of)? {
            made @ Type::Object(id) => {
                self.emit(Op::New(id), span);
                if self.types.is_extension(id) {
                    self.fill(id, span);
                }
                Ok(made)
            }
            other => {
                let found = self.types.type_name(other);
                Err(self.error(of.span, format!("{found} is not made with `new`")))
            }
        }
    }

    /// `new T[n][m][]`: arrays inside arrays as far as lengths are given.
    fn array_creation(
        &mut self,
        element: &crate::heap::language::ast::TypeName,
        lengths: &[Expr],
        open: u32,
        span: Span,
    ) -> Parsed<Type> {
        self.effect("`new`", span)?;
        let of = self.types.array_of(element, lengths.len() as u32 + open)?;
        for length in lengths {
            self.typed(length, Type::INT)?;
        }
        if let Type::Object(id) = of {
            self.emit(Op::NewArray { of: id, levels: lengths.len() as u32 }, span);
        }
        Ok(of)
    }

    fn choice(&mut self, low: &Expr, high: &Expr, span: Span) -> Parsed<Type> {
        self.effect("`choose`", span)?;
        self.typed(low, Type::INT)?;
        self.typed(high, Type::INT)?;
        self.emit(Op::Choose, span);
        match (self.types.known(low), self.types.known(high)) {
            (Some(low), Some(high)) if low <= high => Ok(Type::Int { low, high }),
            _ => Ok(Type::INT),
        }
    }

    fn call(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Parsed<Type> {
        match name.text.as_str() {
            "count" if self.in_property => self.count(name, arguments, span),
            "held" | "available" => {
                let [lock] = self.exactly(name, arguments)?;
                let field = self.lock_place(lock)?;
                let held = name.text == "held";
                self.emit(if held { Op::Held(field) } else { Op::Available(field) }, span);
                Ok(Type::Boolean)
            }
            "size" | "length" => {
                let [collection] = self.exactly(name, arguments)?;
                let of = self.value(collection)?;
                if !matches!(
                    self.shape(of),
                    Some(ObjectShape::Array(_) | ObjectShape::Set(_) | ObjectShape::Table(..))
                ) {
                    return Err(self.not_a_collection(of, collection));
                }
                self.emit(Op::Length, span);
                Ok(Type::Int { low: 0, high: i32::MAX })
            }
            "contains" => self.contains(name, arguments, span),
            "pick" => {
                self.effect("`pick`", span)?;
                let [set] = self.exactly(name, arguments)?;
                let of = self.value(set)?;
                let Some(&ObjectShape::Set(element)) = self.shape(of) else {
                    return Err(self.not_a_collection(of, set));
                };
                self.emit(Op::Pick, span);
                Ok(element)
            }
            "get" => {
                let [table, key] = self.exactly(name, arguments)?;
                let of = self.value(table)?;
                let Some(&ObjectShape::Table(of_key, of_value)) = self.shape(of) else {
                    return Err(self.not_a_collection(of, table));
                };
                self.typed(key, of_key)?;
                self.emit(Op::Get, span);
                Ok(of_value)
            }
            other => {
                let known = "held, available, size, length, contains, pick, get";
                let message = format!("there is no function {other}; known: {known}");
                Err(self.error(name.span, message))
            }
        }
    }

    fn contains(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Parsed<Type> {
        let [collection, key] = self.exactly(name, arguments)?;
        let of = self.value(collection)?;
        let of_key = match self.shape(of) {
            Some(&ObjectShape::Set(element)) => element,
            Some(&ObjectShape::Table(key, _)) => key,
            _ => return Err(self.not_a_collection(of, collection)),
        };
        self.typed(key, of_key)?;
        self.emit(Op::Contains, span);
        Ok(Type::Boolean)
    }

    /// `add(s, x)`, `remove(s, x)`, `remove(t, k)`, `put(t, k, v)`.
    pub fn collection_statement(
        &mut self,
        name: &Name,
        arguments: &[Expr],
        span: Span,
    ) -> Parsed<()> {
        let op = match name.text.as_str() {
            "add" => Op::AddElement,
            "remove" => Op::RemoveElement,
            "put" => Op::Put,
            other => {
                let known = "lock, unlock, wait, notify, notifyAll, add, remove, put";
                let message = format!("there is no statement {other}; known: {known}");
                return Err(self.error(name.span, message));
            }
        };
        let Some((collection, values)) = arguments.split_first() else {
            return Err(self.error(name.span, format!("{} needs arguments", name.text)));
        };
        let of = self.value(collection)?;
        let wanted = match (self.shape(of), op) {
            (Some(&ObjectShape::Set(element)), Op::AddElement | Op::RemoveElement) => vec![element],
            (Some(&ObjectShape::Table(key, _)), Op::RemoveElement) => vec![key],
            (Some(&ObjectShape::Table(key, value)), Op::Put) => vec![key, value],
            _ => return Err(self.not_a_collection(of, collection)),
        };
        if wanted.len() != values.len() {
            let (wanted, given) = (wanted.len() + 1, arguments.len());
            let message = format!("{} takes {wanted} arguments here, not {given}", name.text);
            return Err(self.error(span, message));
        }
        for (value, of) in values.iter().zip(wanted) {
            self.typed(value, of)?;
        }
        self.emit(op, span);
        self.emit(Op::Touch, span);
        Ok(())
    }

    fn not_a_collection(&self, of: Type, expr: &Expr) -> crate::source::Diagnostic {
        let found = self.types.type_name(of);
        self.error(expr.span, format!("this cannot be done with a value of type {found}"))
    }
}

/// A chain without its last operation, and that operation.
fn last_link(expr: &Expr) -> Option<(&Expr, &[Link], &LinkKind)> {
    let ExprKind::Chain(first, links) = &expr.kind else { return None };
    let (last, before) = links.split_last()?;
    Some((first, before, &last.kind))
}

pub fn find(slots: &[super::program::Slot], name: &str) -> Option<(u32, Type)> {
    let at = slots.iter().rposition(|slot| slot.name == name)?;
    Some((at as u32, slots[at].of))
}

fn arithmetic(operator: Binary) -> Op {
    match operator {
        Binary::Add => Op::Add,
        Binary::Subtract => Op::Subtract,
        Binary::Multiply => Op::Multiply,
        Binary::Divide => Op::Divide,
        _ => Op::Remainder,
    }
}
