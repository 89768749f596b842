//! Properties: `never`, `always` or `reach`, and a condition about a whole state.
//!
//! A condition is a guard that belongs to no thread: it sees constants, globals and what they refer to,
//! and counts threads, functions under way and objects. It cannot tell threads or objects of one kind
//! apart, so that it has one value in all states that a symmetry takes for one.

use super::Compiler;
use super::program::*;
use super::scope::Scope;
use crate::heap::language::ast::{self, Expr, ExprKind, LinkKind, Name};
use crate::heap::language::parser::parse_property;
use crate::source::{Parsed, Source, Span};

/// Properties of one program: the search has a bit for each.
const MOST_PROPERTIES: usize = 60;

/// A property that does not stand in the program.
pub struct Given {
    source: Source,
    property: ast::Property,
}

/// Parses properties given besides the program.
pub fn parse_given(texts: &[String]) -> Parsed<Vec<Given>> {
    let parse = |text: &String| {
        let source = Source::new("property", text.as_str());
        let property = parse_property(&source)?;
        Ok(Given { source, property })
    };
    texts.iter().map(parse).collect()
}

impl<'s> Compiler<'s> {
    pub fn declare_properties(
        &mut self,
        own: &'s [ast::Property],
        given: &'s [Given],
    ) -> Parsed<()> {
        // no variables but globals
        self.locals.push(Scope::default());
        self.current = self.locals.len() - 1;
        (self.in_guard, self.in_property) = (true, true);
        own.iter().try_for_each(|property| self.property(property))?;
        let program = self.types.source;
        for Given { source, property } in given {
            self.types.source = source;
            self.property(property)?;
        }
        self.types.source = program;
        Ok(())
    }

    fn property(&mut self, property: &ast::Property) -> Parsed<()> {
        let span = property.condition.span;
        if self.properties.len() == MOST_PROPERTIES {
            return Err(self.error(span, format!("more than {MOST_PROPERTIES} properties")));
        }
        let text = self.types.source.text.get(span.start..span.end).unwrap_or("");
        let name = match &property.name {
            Some(name) if self.properties.iter().any(|known| known.name == name.text) => {
                return Err(self.types.twice("property", name));
            }
            Some(name) => name.text.clone(),
            None => {
                let text: Vec<&str> = text.split_whitespace().collect();
                format!("{} {}", property.kind.name(), text.join(" "))
            }
        };
        self.temporaries.clear();
        let condition = self.here();
        self.alone = true;
        self.typed(&property.condition, Type::Boolean)?;
        self.emit(Op::End, span);
        self.properties.push(Property { name, kind: property.kind, condition });
        Ok(())
    }

    /// `count(T)` and `count(T.l)`.
    pub fn count(&mut self, name: &Name, arguments: &[Expr], span: Span) -> Parsed<Type> {
        let [what] = self.exactly(name, arguments)?;
        let op = match &what.kind {
            ExprKind::Name(text) => self.countable(text, what.span)?,
            ExprKind::Chain(first, links) => match (&first.kind, &links[..]) {
                (ExprKind::Name(body), [ast::Link { kind: LinkKind::Field(location), .. }]) => {
                    self.location_count(body, first.span, location)?
                }
                _ => return Err(self.not_countable(what.span)),
            },
            _ => return Err(self.not_countable(what.span)),
        };
        self.emit(op, span);
        Ok(Type::Int { low: 0, high: i32::MAX })
    }

    fn not_countable(&self, span: Span) -> crate::source::Diagnostic {
        let wanted = "a thread, function or record, or a location such as Worker.idle";
        self.error(span, format!("expected {wanted}"))
    }

    fn countable(&self, text: &str, span: Span) -> Parsed<Op> {
        if let Some(body) = self.bodies.iter().position(|body| body.name == text) {
            return Ok(Op::CountFrames(body as u32));
        }
        let name = Name { text: text.to_string(), span };
        let of = self.types.record(&name).map_err(|_| {
            self.error(span, format!("there is no thread, function or record {text}"))
        })?;
        Ok(Op::CountObjects(of))
    }

    fn location_count(&self, body: &str, span: Span, location: &Name) -> Parsed<Op> {
        let Some(number) = self.bodies.iter().position(|known| known.name == body) else {
            return Err(self.error(span, format!("there is no thread or function {body}")));
        };
        match self.location_names.get(&(number, location.text.clone())) {
            Some(&pc) => Ok(Op::CountAt(pc)),
            None => {
                let message = format!("{body} has no location {}", location.text);
                Err(self.error(location.span, message))
            }
        }
    }
}
