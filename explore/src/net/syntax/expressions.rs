//! Expressions, by precedence: or, and, not, comparison, sum, product, primary.

use super::lexer::Token;
use super::parser::{Parsed, Parser};
use super::tree::{Expr, ExprKind, Operator};
use pidlab_core::Relation;

/// Deepest nesting of an expression.
const DEPTH: u32 = 100;

impl Parser<'_> {
    /// `a, b, c` as a list, `a` as itself.
    pub(super) fn list_without_brackets(&mut self) -> Parsed<Expr> {
        let first = self.expr()?;
        if !self.is_sign(",") {
            return Ok(first);
        }
        let start = first.span;
        let mut all = vec![first];
        while self.accept(",") {
            all.push(self.expr()?);
        }
        Ok(Expr { kind: ExprKind::List(all), span: start.to(self.last()) })
    }

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return self.fail(format!("this is nested more than {DEPTH} deep"));
        }
        let expr = self.either();
        self.depth -= 1;
        expr
    }

    fn either(&mut self) -> Parsed<Expr> {
        let mut left = self.both()?;
        while self.accept_word("or") {
            let right = self.both()?;
            left = left.then(Operator::Or, right);
        }
        Ok(left)
    }

    fn both(&mut self) -> Parsed<Expr> {
        let mut left = self.negation()?;
        while self.accept_word("and") {
            let right = self.negation()?;
            left = left.then(Operator::And, right);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let mut negations = 0;
        while self.accept_word("not") {
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
        if let Some(relation) = Relation::ALL.into_iter().find(|r| self.is_word(r.name())) {
            self.next();
            let right = self.sum()?;
            let span = left.span.to(right.span);
            let kind = ExprKind::Related(relation, Box::new(left), Box::new(right));
            return Ok(Expr { kind, span });
        }
        if self.accept_word("in") {
            let right = self.range()?;
            let span = left.span.to(right.span);
            return Ok(Expr { kind: ExprKind::In(Box::new(left), Box::new(right)), span });
        }
        Ok(left)
    }

    fn accept_operator(&mut self, table: &[(&str, Operator)]) -> Option<Operator> {
        let &(_, operator) = table.iter().find(|(sign, _)| self.is_sign(sign))?;
        self.next();
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
        self.count_operand()?;
        let span = self.span();
        let kind = match self.peek().clone() {
            Token::Int(value) => self.take(ExprKind::Int(value)),
            Token::Text(text) => self.take(ExprKind::Text(text)),
            Token::Sign("(") => {
                self.next();
                let inner = self.expr()?;
                self.expect(")")?;
                inner.kind
            }
            Token::Sign("-") => {
                self.next();
                ExprKind::Negate(Box::new(self.nested()?))
            }
            Token::Sign("@") => {
                self.next();
                ExprKind::Root(Box::new(self.nested()?))
            }
            Token::Sign("[") => self.list()?,
            Token::Word(word) => self.word(&word)?,
            _ => return self.fail(format!("expected an expression, found {}", self.found())),
        };
        Ok(Expr { kind, span: span.to(self.last()) })
    }

    fn take(&mut self, kind: ExprKind) -> ExprKind {
        self.next();
        kind
    }

    /// An operand of a prefix sign; counts as nesting.
    fn nested(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEPTH {
            return self.fail(format!("this is nested more than {DEPTH} deep"));
        }
        let inner = self.primary();
        self.depth -= 1;
        inner
    }

    fn list(&mut self) -> Parsed<ExprKind> {
        self.expect("[")?;
        let mut all = Vec::new();
        while !self.accept("]") {
            all.push(self.expr()?);
            if !self.is_sign("]") {
                self.expect(",")?;
            }
        }
        Ok(ExprKind::List(all))
    }

    fn word(&mut self, word: &str) -> Parsed<ExprKind> {
        match word {
            "true" => Ok(self.take(ExprKind::Bool(true))),
            "false" => Ok(self.take(ExprKind::Bool(false))),
            "_" => Ok(self.take(ExprKind::Any)),
            "if" => self.conditional(),
            "count" | "exists" | "no" => self.quantifier(word),
            "active" => {
                self.next();
                self.expect("(")?;
                let pid = self.expr()?;
                self.expect(")")?;
                Ok(ExprKind::IsActive(Box::new(pid)))
            }
            _ => {
                let name = self.name("an expression")?;
                if !self.accept("[") {
                    return Ok(ExprKind::Name(name.text));
                }
                let index = self.expr()?;
                self.expect("]")?;
                Ok(ExprKind::Index(name, Box::new(index)))
            }
        }
    }

    fn conditional(&mut self) -> Parsed<ExprKind> {
        self.expect_word("if")?;
        let condition = Box::new(self.expr()?);
        self.expect_word("then")?;
        let yes = Box::new(self.expr()?);
        self.expect_word("else")?;
        Ok(ExprKind::If(condition, yes, Box::new(self.expr()?)))
    }

    /// `count(P(x), Q(y) where …)`, `exists(…)`, `no(…)`.
    fn quantifier(&mut self, word: &str) -> Parsed<ExprKind> {
        let span = self.span();
        self.next();
        self.expect("(")?;
        let patterns = self.tokens_of()?;
        let condition = if self.accept_word("where") { Some(Box::new(self.expr()?)) } else { None };
        self.expect(")")?;
        let span = span.to(self.last());
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
