//! Tokens to tree, by recursive descent; nesting is bounded.

use super::lexer::{Token, tokens};
use super::tree::*;
use crate::source::{Diagnostic, Source, Span};

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

pub(super) struct Parser<'s> {
    source: &'s Source,
    tokens: Vec<(Token, Span)>,
    at: usize,
    pub(super) depth: u32,
    /// Operands read so far.
    operands: usize,
}

pub(super) type Parsed<T> = Result<T, Diagnostic>;

impl<'s> Parser<'s> {
    fn new(source: &'s Source) -> Parsed<Parser<'s>> {
        Ok(Parser { source, tokens: tokens(source)?, at: 0, depth: 0, operands: 0 })
    }

    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The span of the token before this one.
    pub(super) fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Counts an operand; an error if a limit is reached.
    pub(super) fn count_operand(&mut self) -> Parsed<()> {
        self.operands += 1;
        self.source.poll(self.operands, self.span())
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(self.source.error(self.span(), message))
    }

    pub(super) fn found(&self) -> String {
        match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Int(value) => format!("`{value}`"),
            Token::Text(text) => format!("\"{text}\""),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the text".into(),
        }
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    pub(super) fn accept(&mut self, sign: &str) -> bool {
        let here = self.is_sign(sign);
        self.at += usize::from(here);
        here
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let here = self.is_word(word);
        self.at += usize::from(here);
        here
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.accept(sign) {
            return Ok(());
        }
        self.fail(format!("expected `{sign}`, found {}", self.found()))
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
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

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
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

    pub(super) fn tokens_of(&mut self) -> Parsed<Vec<TokenTree>> {
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
            if loops.len() == MOST_LOOPS {
                return self.fail(format!("more than {MOST_LOOPS} loops in one another"));
            }
            let name = self.name("a loop variable")?;
            self.expect_word("in")?;
            loops.push(Loop { name, over: self.range()? });
        }
        Ok(loops)
    }

    pub(super) fn range(&mut self) -> Parsed<Expr> {
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
}

/// Most loops of one token or transition: each is inside those before it.
const MOST_LOOPS: usize = 100;

const ITEMS: &str = "class, const, place, flow, data, init, transition, property or final";

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
