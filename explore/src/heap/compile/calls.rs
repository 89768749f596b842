//! Calls of functions, directly and by the type of a record; results and exceptions.
//!
//! A call ends its transformation: the callee runs step by step, and other threads may move between
//! its steps. While it runs, the caller stands at a location that is not in the text and remembers
//! where the call stands (for handlers), the variable for the result and the location to go on at.

use super::Compiler;
use super::program::*;
use crate::heap::language::ast::{self, Expr, Name};
use crate::source::{Parsed, Span};

/// A virtual function while the program is being compiled.
pub struct Virtual {
    name: String,
    /// Parameters behind the first one, and the result: the same for all functions.
    parameters: Vec<Type>,
    result: Option<Type>,
    /// Functions by record; records of the text have the lowest numbers.
    functions: Vec<Option<u32>>,
}

impl Virtual {
    pub fn table(self) -> VirtualTable {
        VirtualTable { parameters: 1 + self.parameters.len(), functions: self.functions }
    }
}

impl Compiler<'_> {
    /// Types of the parameters of a thread or function.
    pub fn parameters(&self, body: usize) -> Vec<Type> {
        let body = &self.bodies[body];
        body.slots[..body.parameters].iter().map(|slot| slot.of).collect()
    }

    /// Code for arguments that fit the parameters.
    pub fn passed(
        &mut self,
        what: &str,
        name: &Name,
        wanted: &[Type],
        arguments: &[Expr],
        span: Span,
    ) -> Parsed<()> {
        if wanted.len() != arguments.len() {
            let (wanted, given) = (wanted.len(), arguments.len());
            let message = format!("{what} {} takes {wanted} arguments, not {given}", name.text);
            return Err(self.error(span, message));
        }
        for (argument, &of) in arguments.iter().zip(wanted) {
            self.typed(argument, of)?;
        }
        Ok(())
    }

    fn function(&self, name: &Name) -> Parsed<usize> {
        let is_meant = |body: &Body| body.is_function() && body.name == name.text;
        self.bodies.iter().position(is_meant).ok_or_else(|| {
            let hint = match self.virtual_number(name) {
                Some(_) => format!("; `invoke virtual {}` calls the virtual one", name.text),
                None => String::new(),
            };
            self.error(name.span, format!("there is no function {}{hint}", name.text))
        })
    }

    fn virtual_number(&self, name: &Name) -> Option<usize> {
        self.virtuals.iter().position(|known| known.name == name.text)
    }

    fn result_of(&self, function: usize) -> Option<Type> {
        match self.bodies[function].kind {
            BodyKind::Function(result) => result,
            BodyKind::Thread => None,
        }
    }

    /// Checks a table of functions by record and fills in what subtypes inherit.
    pub fn declare_virtual(&mut self, table: &ast::Virtual) -> Parsed<()> {
        if self.virtual_number(&table.name).is_some() {
            return Err(self.types.twice("virtual function", &table.name));
        }
        let Some((_, first)) = table.entries.first() else {
            let message = format!("virtual function {} needs a function", table.name.text);
            return Err(self.error(table.name.span, message));
        };
        let first = self.function(first)?;
        let mut functions: Vec<Option<u32>> = vec![None; self.types.objects.len()];
        for (record, function) in &table.entries {
            let of = self.types.record(record)?;
            let number = self.function(function)?;
            self.check_entry((first, number), (of, record), function)?;
            if functions[of as usize].replace(number as u32).is_some() {
                let message = format!("{} has two functions here", record.text);
                return Err(self.error(record.span, message));
            }
        }
        let parameters = self.parameters(first).split_off(1);
        let inherited = (0..functions.len() as ObjectId).map(|of| self.inherited(&functions, of));
        let functions = inherited.collect();
        let (name, result) = (table.name.text.clone(), self.result_of(first));
        self.virtuals.push(Virtual { name, parameters, result, functions });
        Ok(())
    }

    /// The function takes the record first, and everything else like the table's first one.
    fn check_entry(
        &self,
        (first, function): (usize, usize),
        (of, record): (ObjectId, &Name),
        name: &Name,
    ) -> Parsed<()> {
        let parameters = self.parameters(function);
        if !parameters.first().is_some_and(|&to| self.types.fits(Type::Object(of), to)) {
            let message =
                format!("the first parameter of {} must take a {}", name.text, record.text);
            return Err(self.error(name.span, message));
        }
        let rest = |parameters: &[Type]| parameters.get(1..).unwrap_or_default().to_vec();
        let same = rest(&parameters) == rest(&self.parameters(first))
            && self.result_of(function) == self.result_of(first);
        match same {
            true => Ok(()),
            false => {
                let first = &self.bodies[first].name;
                let message = format!(
                    "{} and {first} must have the same result and the same parameters behind the first",
                    name.text
                );
                Err(self.error(name.span, message))
            }
        }
    }

    /// The function of the nearest record at or above a type.
    fn inherited(&self, functions: &[Option<u32>], mut of: ObjectId) -> Option<u32> {
        loop {
            if let Some(function) = functions[of as usize] {
                return Some(function);
            }
            match self.types.objects[of as usize].shape {
                ObjectShape::Record { parent: Some(parent), .. } => of = parent,
                _ => return None,
            }
        }
    }

    /// Code for the arguments of a call, and the location that its caller stands at meanwhile.
    pub fn invocation(&mut self, from: Pc, call: &ast::Invocation) -> Parsed<Exit> {
        let name = &call.function;
        let (callee, result) = match call.is_virtual {
            true => self.virtual_callee(call)?,
            false => {
                let function = self.function(name)?;
                let wanted = self.parameters(function);
                self.passed("function", name, &wanted, &call.arguments, call.span)?;
                (Callee::Function(function as u32), self.result_of(function))
            }
        };
        let variable = self.destination(call, result)?;
        let target = self.location(&call.target)?;
        let back = self.locations.len() as Pc;
        let Location { name, body, atomic, .. } = self.locations[from as usize].clone();
        let call = Some(Call { from, result: variable, target });
        self.locations.push(Location { name, body, atomic, first: 0, end: 0, call });
        Ok(Exit::Invoke { callee, back })
    }

    fn virtual_callee(&mut self, call: &ast::Invocation) -> Parsed<(Callee, Option<Type>)> {
        let name = &call.function;
        let Some(number) = self.virtual_number(name) else {
            let message = format!("there is no virtual function {}", name.text);
            return Err(self.error(name.span, message));
        };
        let Some((receiver, rest)) = call.arguments.split_first() else {
            let message = format!("{} needs the object whose type decides", name.text);
            return Err(self.error(call.span, message));
        };
        let of = self.value(receiver)?;
        let table = &self.virtuals[number].functions;
        let known = match of {
            Type::Object(id) => table.get(id as usize).copied().flatten(),
            _ => None,
        };
        if known.is_none() {
            let of = self.types.type_name(of);
            let message = format!("{} has no function for values of type {of}", name.text);
            return Err(self.error(receiver.span, message));
        }
        let wanted = self.virtuals[number].parameters.clone();
        if wanted.len() != rest.len() {
            let (wanted, given) = (wanted.len() + 1, call.arguments.len());
            let message = format!("function {} takes {wanted} arguments, not {given}", name.text);
            return Err(self.error(call.span, message));
        }
        self.passed("function", name, &wanted, rest, call.span)?;
        Ok((Callee::Virtual(number as u32), self.virtuals[number].result))
    }

    /// The variable for a call's result; its range must hold every value of the result's type.
    fn destination(&self, call: &ast::Invocation, result: Option<Type>) -> Parsed<Option<u32>> {
        let Some(name) = &call.result else { return Ok(None) };
        let Some(result) = result else {
            let message = format!("{} returns nothing", call.function.text);
            return Err(self.error(call.function.span, message));
        };
        let variable = self.local(name)?;
        let wanted = self.locals[self.current].slots()[variable as usize].of;
        let inside = match (wanted, result) {
            (Type::Int { low, high }, Type::Int { low: least, high: most }) => {
                low <= least && most <= high
            }
            _ => self.types.fits(result, wanted),
        };
        if inside {
            return Ok(Some(variable));
        }
        let (wanted, found) = (self.types.type_name(wanted), self.types.type_name(result));
        let message = format!("{} is of type {wanted}, the result of type {found}", name.text);
        Err(self.error(name.span, message))
    }

    /// Code for the value behind `return`, as the body wants it.
    pub fn result(&mut self, value: Option<&Expr>, span: Span) -> Parsed<Exit> {
        let body = &self.bodies[self.current];
        match (body.kind, value) {
            (BodyKind::Function(Some(of)), Some(value)) => self.typed(value, of)?,
            (BodyKind::Function(Some(of)), None) => {
                let (name, of) = (&body.name, self.types.type_name(of));
                let message = format!("{name} returns a value of type {of}: `return` needs one");
                return Err(self.error(span, message));
            }
            (BodyKind::Function(None), Some(value)) => {
                let message = format!("{} returns nothing; say `returns` and a type", body.name);
                return Err(self.error(value.span, message));
            }
            (BodyKind::Thread, Some(value)) => {
                return Err(self.error(value.span, "a thread returns nothing"));
            }
            (_, None) => {}
        }
        Ok(Exit::Return)
    }

    /// Code for an exception: an object of a record type.
    pub fn exception(&mut self, exception: &Expr) -> Parsed<()> {
        let of = self.value(exception)?;
        let is_record = match of {
            Type::Object(id) => {
                matches!(self.types.objects[id as usize].shape, ObjectShape::Record { .. })
            }
            _ => false,
        };
        if is_record {
            return Ok(());
        }
        let found = self.types.type_name(of);
        Err(self.error(exception.span, format!("expected a record to throw, found {found}")))
    }
}
