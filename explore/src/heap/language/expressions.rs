//! Expressions: precedence climbing over the operators of Java, with `instanceof` and `as`.

use super::ast::*;
use super::parser::{LANGUAGE, Parser};
use pidlab_syntax::{Parsed, Span, Token};

/// Operators by precedence, loosest first.
const LEVELS: &[&[Binary]] = &[
    &[Binary::Or],
    &[Binary::And],
    &[Binary::Equal, Binary::Differ],
    &[Binary::LessEqual, Binary::GreaterEqual, Binary::Less, Binary::Greater],
    &[Binary::Add, Binary::Subtract],
    &[Binary::Multiply, Binary::Divide, Binary::Remainder],
];

/// Level of comparisons, where `instanceof` stands too.
const COMPARISONS: usize = 3;

impl Parser<'_> {
    pub fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.level(0))
    }

    fn level(&mut self, level: usize) -> Parsed<Expr> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        loop {
            let here = self.cursor.peek();
            if level == COMPARISONS && here == Token::Key("instanceof") {
                left = self.instance_of(left)?;
                continue;
            }
            let Some(&operator) = operators.iter().find(|o| here == Token::Sign(o.text())) else {
                return Ok(left);
            };
            self.cursor.advance();
            let right = self.level(level + 1)?;
            let end = right.span;
            left = left.then(LinkKind::Binary(operator, right), end);
        }
    }

    fn instance_of(&mut self, value: Expr) -> Parsed<Expr> {
        self.cursor.advance();
        let record = self.name("the name of a record")?;
        let end = record.span;
        Ok(value.then(LinkKind::InstanceOf(record), end))
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.cursor.span();
        let make: fn(Box<Expr>) -> ExprKind = match self.cursor.peek() {
            Token::Sign("!") => ExprKind::Not,
            Token::Sign("-") => ExprKind::Negate,
            _ => return self.postfix(),
        };
        self.cursor.advance();
        let inner = self.nested(Self::unary)?;
        let span = start.to(inner.span);
        Ok(Expr { kind: make(Box::new(inner)), span })
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let mut value = self.primary()?;
        loop {
            self.cursor.step()?;
            let kind = if self.cursor.accept(".") {
                let name = self.name("the name of a field or operation")?;
                match self.cursor.at("(") {
                    true => LinkKind::Operation(name, self.arguments()?),
                    false => LinkKind::Field(name),
                }
            } else if self.cursor.accept("[") {
                let index = self.expr()?;
                self.cursor.expect("]")?;
                LinkKind::Index(index)
            } else if self.cursor.accept("as") {
                LinkKind::Cast(self.name("the name of a record")?)
            } else {
                return Ok(value);
            };
            value = value.then(kind, self.cursor.last_span());
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.cursor.span();
        let kind = match self.cursor.peek() {
            // the language has no larger numbers
            Token::Number(value) => self.constant_expr(ExprKind::Number(value as i64)),
            Token::Key("true") => self.constant_expr(ExprKind::Boolean(true)),
            Token::Key("false") => self.constant_expr(ExprKind::Boolean(false)),
            Token::Key("null") => self.constant_expr(ExprKind::Null),
            Token::Key("new") => self.creation()?,
            Token::Key("choose") => self.choice()?,
            Token::Sign("(") => {
                self.cursor.advance();
                let inner = self.expr()?;
                self.cursor.expect(")")?;
                return Ok(inner);
            }
            Token::Name(text) => self.name_or_call(text, start)?,
            _ => return Err(self.cursor.expected("an expression")),
        };
        Ok(Expr { kind, span: start.to(self.cursor.last_span()) })
    }

    fn constant_expr(&mut self, kind: ExprKind) -> ExprKind {
        self.cursor.advance();
        kind
    }

    fn name_or_call(&mut self, text: &str, span: Span) -> Parsed<ExprKind> {
        self.cursor.advance();
        if self.cursor.at("(") {
            let name = Name { text: text.to_string(), span };
            return Ok(ExprKind::Call(name, self.arguments()?));
        }
        Ok(ExprKind::Name(text.to_string()))
    }

    fn creation(&mut self) -> Parsed<ExprKind> {
        self.cursor.advance();
        let element = self.nested(Self::element_type)?;
        if !self.cursor.accept("[") {
            return Ok(ExprKind::New(element));
        }
        let mut lengths = vec![self.expr()?];
        self.cursor.expect("]")?;
        let mut open = 0;
        while self.cursor.at("[") {
            if lengths.len() + open as usize >= LANGUAGE.depth as usize {
                return self
                    .cursor
                    .fail(format!("nested more than {} levels deep", LANGUAGE.depth));
            }
            self.cursor.advance();
            if self.cursor.accept("]") {
                open += 1;
            } else if open > 0 {
                return Err(self.cursor.expected("`]`: lengths come before `[]`"));
            } else {
                lengths.push(self.expr()?);
                self.cursor.expect("]")?;
            }
        }
        Ok(ExprKind::NewArray(element, lengths, open))
    }

    fn choice(&mut self) -> Parsed<ExprKind> {
        self.cursor.advance();
        self.cursor.expect("(")?;
        let low = self.expr()?;
        self.cursor.expect("..")?;
        let high = self.expr()?;
        self.cursor.expect(")")?;
        Ok(ExprKind::Choose(Box::new(low), Box::new(high)))
    }
}
