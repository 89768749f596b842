//! Tokens to tree, by recursive descent; nesting is bounded.

use super::lexer::{Token, tokens};
use super::source::{Diagnostic, Source, Span};
use super::tree::*;
use pidlab_core::Relation;

/// Deepest nesting of an expression.
const DEPTH: u32 = 100;

pub fn parse_net(source: &Source) -> Result<NetTree, Diagnostic> {
    let mut parser = Parser::new(source)?;
    let net = parser.net()?;
    parser.expect_end()?;
    Ok(net)
}

/// A property from the command line: `never EXPR`, `name = always EXPR`, …
pub fn parse_property(source: &Source) -> Result<PropertyTree, Diagnostic> {
    let mut parser = Parser::new(source)?;
    let named = matches!(parser.tokens.get(1), Some((Token::Sign("="), _)));
    let property = if named {
        parser.property()?
    } else {
        let name = Name { text: source.text.trim().to_string(), span: parser.span() };
        PropertyTree { name, kind: parser.property_kind()? }
    };
    parser.expect_end()?;
    Ok(property)
}

/// A constant from the command line.
pub fn parse_expr(source: &Source) -> Result<Expr, Diagnostic> {
    let mut parser = Parser::new(source)?;
    let expr = parser.list_without_brackets()?;
    parser.expect_end()?;
    Ok(expr)
}

struct Parser<'s> {
    source: &'s Source,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: u32,
}

type Parsed<T> = Result<T, Diagnostic>;

impl<'s> Parser<'s> {
    fn new(source: &'s Source) -> Parsed<Parser<'s>> {
        Ok(Parser { source, tokens: tokens(source)?, at: 0, depth: 0 })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The span of the token before this one.
    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(self.source.error(self.span(), message))
    }

    fn found(&self) -> String {
        match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Int(value) => format!("`{value}`"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the text".into(),
        }
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    fn accept(&mut self, sign: &str) -> bool {
        let here = self.is_sign(sign);
        self.at += usize::from(here);
        here
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let here = self.is_word(word);
        self.at += usize::from(here);
        here
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.accept(sign) {
            return Ok(());
        }
        self.fail(format!("expected `{sign}`, found {}", self.found()))
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word) {
            return Ok(());
        }
        self.fail(format!("expected `{word}`, found {}", self.found()))
    }

    fn expect_end(&mut self) -> Parsed<()> {
        match self.peek() {
            Token::End => Ok(()),
            _ => self.fail(format!("expected the end of the text, found {}", self.found())),
        }
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.span();
        match self.peek() {
            Token::Word(word) if KEYWORDS.contains(&word.as_str()) => {
                self.fail(format!("`{word}` is a keyword and cannot be {what}"))
            }
            Token::Word(_) => {
                let Token::Word(text) = self.next() else { return self.fail("expected a name") };
                Ok(Name { text, span })
            }
            _ => self.fail(format!("expected {what}, found {}", self.found())),
        }
    }

    /// A name that may be a keyword elsewhere.
    fn any_word(&mut self, what: &str) -> Parsed<Name> {
        let span = self.span();
        match self.next() {
            Token::Word(text) => Ok(Name { text, span }),
            _ => {
                self.at = self.at.saturating_sub(1);
                self.fail(format!("expected {what}, found {}", self.found()))
            }
        }
    }

    fn net(&mut self) -> Parsed<NetTree> {
        self.expect_word("net")?;
        let mut net = NetTree {
            name: self.name("the name of the net")?,
            class: None,
            constants: Vec::new(),
            places: Vec::new(),
            initial: Vec::new(),
            transitions: Vec::new(),
            properties: Vec::new(),
            finals: Vec::new(),
        };
        while *self.peek() != Token::End {
            self.item(&mut net)?;
        }
        Ok(net)
    }

    fn item(&mut self, net: &mut NetTree) -> Parsed<()> {
        let span = self.span();
        let Token::Word(word) = self.peek().clone() else {
            return self.fail(format!("expected {ITEMS}, found {}", self.found()));
        };
        self.next();
        match word.as_str() {
            "class" => net.class = Some(self.class()?),
            "const" => {
                let name = self.name("the name of a constant")?;
                self.expect("=")?;
                net.constants.push((name, self.list_without_brackets()?));
            }
            "place" => net.places.push(self.place(PlaceKind::Plain)?),
            "flow" => net.places.push(self.place(PlaceKind::Flow)?),
            "data" => net.places.push(self.place(PlaceKind::Data)?),
            "init" => self.initial(&mut net.initial)?,
            "transition" => net.transitions.push(self.transition()?),
            "property" => net.properties.push(self.property()?),
            "final" => net.finals.push(self.expr()?),
            other => {
                return Err(self.source.error(span, format!("expected {ITEMS}, found `{other}`")));
            }
        }
        Ok(())
    }

    fn class(&mut self) -> Parsed<(Class, Span)> {
        let span = self.span();
        let class = match self.peek() {
            Token::Word(word) if word == "t-net" => Class::TNet,
            Token::Word(word) if word == "sacs" => Class::Sacs,
            _ => {
                return self.fail(format!(
                    "expected `t-net` (ICTAC'08) or `sacs` (SACS'10), found {}",
                    self.found()
                ));
            }
        };
        self.next();
        Ok((class, span))
    }

    fn place(&mut self, kind: PlaceKind) -> Parsed<PlaceTree> {
        let name = self.name("the name of a place")?;
        self.expect("(")?;
        let mut types = Vec::new();
        while !self.accept(")") {
            types.push(self.type_name()?);
            if !self.is_sign(")") {
                self.expect(",")?;
            }
        }
        Ok(PlaceTree { kind, name, types })
    }

    fn type_name(&mut self) -> Parsed<Type> {
        let all = [Type::Pid, Type::Int, Type::Text, Type::Bool];
        match all.into_iter().find(|t| self.is_word(t.name())) {
            Some(found) => {
                self.next();
                Ok(found)
            }
            None => self.fail(format!("expected pid, int, string or bool, found {}", self.found())),
        }
    }

    fn initial(&mut self, initial: &mut Vec<InitialTree>) -> Parsed<()> {
        loop {
            let span = self.span();
            if self.accept_word("active") {
                let root = self.primary()?;
                let loops = self.loops()?;
                initial.push(InitialTree::Active(root, loops, span.to(self.last())));
            } else {
                initial.push(InitialTree::Token(self.token()?));
            }
            if !self.accept(",") {
                return Ok(());
            }
        }
    }

    fn tokens_of(&mut self) -> Parsed<Vec<TokenTree>> {
        let mut all = vec![self.token()?];
        while self.accept(",") {
            all.push(self.token()?);
        }
        Ok(all)
    }

    fn token(&mut self) -> Parsed<TokenTree> {
        let place = self.name("a place")?;
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.accept(")") {
            args.push(self.expr()?);
            if !self.is_sign(")") {
                self.expect(",")?;
            }
        }
        let loops = self.loops()?;
        let span = place.span.to(self.last());
        Ok(TokenTree { place, args, loops, span })
    }

    fn loops(&mut self) -> Parsed<Vec<Loop>> {
        let mut loops = Vec::new();
        while self.accept_word("for") {
            let name = self.name("a loop variable")?;
            self.expect_word("in")?;
            loops.push(Loop { name, over: self.range()? });
        }
        Ok(loops)
    }

    fn range(&mut self) -> Parsed<Expr> {
        let from = self.sum()?;
        if !self.accept("..") {
            return Ok(from);
        }
        let to = self.sum()?;
        let span = from.span.to(to.span);
        Ok(Expr { kind: ExprKind::Range(Box::new(from), Box::new(to)), span })
    }

    fn transition(&mut self) -> Parsed<TransitionTree> {
        let name = self.any_word("the name of a transition")?;
        let loops = self.loops()?;
        self.expect("{")?;
        let mut clauses = Vec::new();
        while !self.accept("}") {
            self.clause(&mut clauses)?;
            self.accept(";");
        }
        Ok(TransitionTree { name, loops, clauses })
    }

    fn clause(&mut self, clauses: &mut Vec<Clause>) -> Parsed<()> {
        if self.accept_word("take") {
            clauses.extend(self.tokens_of()?.into_iter().map(Clause::Take));
        } else if self.accept_word("read") {
            clauses.extend(self.tokens_of()?.into_iter().map(Clause::Read));
        } else if self.accept_word("put") {
            clauses.extend(self.tokens_of()?.into_iter().map(Clause::Put));
        } else if self.accept_word("active") {
            clauses.push(Clause::Active(self.name("a pid variable")?));
        } else if self.accept_word("create") {
            clauses.push(self.create()?);
        } else if self.accept_word("end") {
            clauses.push(Clause::End(self.name("a pid variable")?));
        } else if self.accept_word("guard") {
            clauses.push(Clause::Guard(self.expr()?));
        } else {
            return self.fail(format!(
                "expected take, read, put, active, create, end, guard or `}}`, found {}",
                self.found()
            ));
        }
        Ok(())
    }

    fn create(&mut self) -> Parsed<Clause> {
        let child = self.name("a name for the child")?;
        let mut number = None;
        if self.accept("[") {
            number = Some(self.expr()?);
            self.expect("]")?;
        }
        self.expect_word("of")?;
        Ok(Clause::Create { child, number, parent: self.name("the creating pid")? })
    }

    fn property(&mut self) -> Parsed<PropertyTree> {
        let name = self.name("the name of a property")?;
        self.expect("=")?;
        Ok(PropertyTree { name, kind: self.property_kind()? })
    }

    fn property_kind(&mut self) -> Parsed<PropertyKind> {
        if self.accept_word("never") {
            return Ok(PropertyKind::Never(self.expr()?));
        }
        if self.accept_word("always") {
            return Ok(PropertyKind::Always(self.expr()?));
        }
        if self.accept_word("reach") {
            return Ok(PropertyKind::Reach(self.expr()?));
        }
        if !self.accept_word("thread") {
            let found = self.found();
            return self.fail(format!("expected never, always, reach or thread, found {found}"));
        }
        let name = self.name("a pid variable")?;
        self.expect(":")?;
        self.expect_word("after")?;
        let after = self.expr()?;
        self.expect_word("never")?;
        let never = self.expr()?;
        let until = if self.accept_word("until") { Some(self.expr()?) } else { None };
        Ok(PropertyKind::Thread { name, after, never, until })
    }

    /// `a, b, c` as a list, `a` as itself.
    fn list_without_brackets(&mut self) -> Parsed<Expr> {
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

    fn expr(&mut self) -> Parsed<Expr> {
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
            left = binary(Operator::Or, left, right);
        }
        Ok(left)
    }

    fn both(&mut self) -> Parsed<Expr> {
        let mut left = self.negation()?;
        while self.accept_word("and") {
            let right = self.negation()?;
            left = binary(Operator::And, left, right);
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
            return Ok(binary(operator, left, right));
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

    fn sum(&mut self) -> Parsed<Expr> {
        let mut left = self.product()?;
        while let Some(operator) = self.accept_operator(&SUMS) {
            let right = self.product()?;
            left = binary(operator, left, right);
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Expr> {
        let mut left = self.primary()?;
        while let Some(operator) = self.accept_operator(&PRODUCTS) {
            let right = self.primary()?;
            left = binary(operator, left, right);
        }
        Ok(left)
    }

    fn primary(&mut self) -> Parsed<Expr> {
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
        Ok(binary(operator, Expr { kind: count, span }, zero).kind)
    }
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span }
}

const ITEMS: &str = "class, const, place, flow, data, init, transition, property or final";

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

const KEYWORDS: [&str; 38] = [
    "net",
    "class",
    "const",
    "place",
    "flow",
    "data",
    "init",
    "transition",
    "property",
    "final",
    "take",
    "read",
    "put",
    "active",
    "create",
    "of",
    "end",
    "guard",
    "never",
    "always",
    "reach",
    "thread",
    "after",
    "until",
    "for",
    "in",
    "and",
    "or",
    "not",
    "if",
    "then",
    "else",
    "count",
    "exists",
    "no",
    "where",
    "true",
    "false",
];
