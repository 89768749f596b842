//! Expressions, by precedence: or, and, not, comparison, sum, product, primary.

use super::parser::Parser;
use super::tree::{Expr, ExprKind, Operator};
use pidlab_core::Relation;
use pidlab_syntax::{Parsed, Token};

impl Parser<'_> {
    /// `a, b, c` as a list, `a` as itself.
    pub(super) fn list_without_brackets(&mut self) -> Parsed<Expr> {
        let first = self.expr()?;
        if !self.cursor.at(",") {
            return Ok(first);
        }
        let start = first.span;
        let mut all = vec![first];
        while self.cursor.accept(",") {
            all.push(self.expr()?);
        }
        Ok(Expr { kind: ExprKind::List(all), span: start.to(self.cursor.last_span()) })
    }

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(Self::either)
    }

    fn either(&mut self) -> Parsed<Expr> {
        let mut left = self.both()?;
        while self.cursor.accept("or") {
            let right = self.both()?;
            left = left.then(Operator::Or, right);
        }
        Ok(left)
    }

    fn both(&mut self) -> Parsed<Expr> {
        let mut left = self.negation()?;
        while self.cursor.accept("and") {
            let right = self.negation()?;
            left = left.then(Operator::And, right);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parsed<Expr> {
        let span = self.cursor.span();
        let mut negations = 0;
        while self.cursor.accept("not") {
            negations += 1;
        }
        let inner = self.comparison()?;
        if negations % 2 == 0 {
            return Ok(inner);
        }
        let span = span.to(inner.span);
        Ok(Expr { kind: ExprKind::Not(Box::new(inner)), span })
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.sum()?;
        if let Some(operator) = self.accept_operator(&COMPARISONS) {
            let right = self.sum()?;
            return Ok(left.then(operator, right));
        }
        if let Some(relation) = Relation::ALL.into_iter().find(|r| self.cursor.at(r.name())) {
            self.cursor.advance();
            let right = self.sum()?;
            let span = left.span.to(right.span);
            let kind = ExprKind::Related(relation, Box::new(left), Box::new(right));
            return Ok(Expr { kind, span });
        }
        if self.cursor.accept("in") {
            let right = self.range()?;
            let span = left.span.to(right.span);
            return Ok(Expr { kind: ExprKind::In(Box::new(left), Box::new(right)), span });
        }
        Ok(left)
    }

    fn accept_operator(&mut self, table: &[(&str, Operator)]) -> Option<Operator> {
        let &(_, operator) = table.iter().find(|(sign, _)| self.cursor.at(sign))?;
        self.cursor.advance();
        Some(operator)
    }

    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        let mut left = self.product()?;
        while let Some(operator) = self.accept_operator(&SUMS) {
            let right = self.product()?;
            left = left.then(operator, right);
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Expr> {
        let mut left = self.primary()?;
        while let Some(operator) = self.accept_operator(&PRODUCTS) {
            let right = self.primary()?;
            left = left.then(operator, right);
        }
        Ok(left)
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        self.cursor.step()?;
        let span = self.cursor.span();
        let kind = match self.cursor.peek() {
            // the language has no larger numbers
            Token::Number(value) => self.take(ExprKind::Int(value as i64)),
            Token::Text(text) => self.take(ExprKind::Text(text.to_string())),
            Token::Sign("(") => {
                self.cursor.advance();
                let inner = self.expr()?;
                self.cursor.expect(")")?;
                inner.kind
            }
            Token::Sign("-") => {
                self.cursor.advance();
                ExprKind::Negate(Box::new(self.nested(Self::primary)?))
            }
            Token::Sign("@") => {
                self.cursor.advance();
                ExprKind::Root(Box::new(self.nested(Self::primary)?))
            }
            Token::Sign("[") => self.list()?,
            Token::Name(word) | Token::Key(word) => self.word_expr(word)?,
            _ => return Err(self.cursor.expected("an expression")),
        };
        Ok(Expr { kind, span: span.to(self.cursor.last_span()) })
    }

    fn take(&mut self, kind: ExprKind) -> ExprKind {
        self.cursor.advance();
        kind
    }

    fn list(&mut self) -> Parsed<ExprKind> {
        self.cursor.expect("[")?;
        let mut all = Vec::new();
        while !self.cursor.accept("]") {
            all.push(self.expr()?);
            if !self.cursor.at("]") {
                self.cursor.expect(",")?;
            }
        }
        Ok(ExprKind::List(all))
    }

    fn word_expr(&mut self, word: &str) -> Parsed<ExprKind> {
        match word {
            "true" => Ok(self.take(ExprKind::Bool(true))),
            "false" => Ok(self.take(ExprKind::Bool(false))),
            "_" => Ok(self.take(ExprKind::Any)),
            "if" => self.conditional(),
            "count" | "exists" | "no" => self.quantifier(word),
            "active" => {
                self.cursor.advance();
                self.cursor.expect("(")?;
                let pid = self.expr()?;
                self.cursor.expect(")")?;
                Ok(ExprKind::IsActive(Box::new(pid)))
            }
            _ => {
                let name = self.name("an expression")?;
                if !self.cursor.accept("[") {
                    return Ok(ExprKind::Name(name.text));
                }
                let index = self.expr()?;
                self.cursor.expect("]")?;
                Ok(ExprKind::Index(name, Box::new(index)))
            }
        }
    }

    fn conditional(&mut self) -> Parsed<ExprKind> {
        self.cursor.expect("if")?;
        let condition = Box::new(self.expr()?);
        self.cursor.expect("then")?;
        let yes = Box::new(self.expr()?);
        self.cursor.expect("else")?;
        Ok(ExprKind::If(condition, yes, Box::new(self.expr()?)))
    }

    /// `count(P(x), Q(y) where …)`, `exists(…)`, `no(…)`.
    fn quantifier(&mut self, word: &str) -> Parsed<ExprKind> {
        let span = self.cursor.span();
        self.cursor.advance();
        self.cursor.expect("(")?;
        let patterns = self.tokens_of()?;
        let condition =
            if self.cursor.accept("where") { Some(Box::new(self.expr()?)) } else { None };
        self.cursor.expect(")")?;
        let span = span.to(self.cursor.last_span());
        let count = ExprKind::Count(patterns, condition);
        let operator = match word {
            "exists" => Operator::Greater,
            "no" => Operator::Equal,
            _ => return Ok(count),
        };
        let zero = Expr { kind: ExprKind::Int(0), span };
        Ok(Expr { kind: count, span }.then(operator, zero).kind)
    }
}

const COMPARISONS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessEqual),
    (">=", Operator::GreaterEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
];
const SUMS: [(&str, Operator); 2] = [("+", Operator::Add), ("-", Operator::Subtract)];
const PRODUCTS: [(&str, Operator); 3] =
    [("*", Operator::Multiply), ("/", Operator::Divide), ("%", Operator::Remainder)];
