//! The front end of both dialects: which one a text is in, and what they have in common.
//!
//! The first word decides: `decl`, `void`, `bool` and `dfs` start a program as Bebop, SatAbs and Boom
//! write it (`bebop`), anything else one of our own (`own`). Both become the same tree, and both use the
//! expressions here. Nesting is bounded, so is the recursion.

use super::ast::{BoolProgram, Place, Procedure, ThreadCount, ThreadType, Variable};
use super::expr::Expr;
use super::flow::MAX_VARIABLES;
use pidlab_syntax::{Cursor, Diagnostic, Language, Parsed, Source, Span, Token, quoted};
use std::collections::BTreeSet;

const OWN: Language = Language {
    comments: &["#", "//"],
    signs: &[":=", "==", "!=", "&&", "||"],
    keywords: &[
        "shared", "local", "proc", "thread", "error", "if", "else", "while", "choose", "or",
        "atomic", "lock", "unlock", "assert", "assume", "return", "skip", "true", "false", "bool",
        "void", "init",
    ],
    depth: 100,
    ..Language::PLAIN
};

const BEBOP: Language = Language {
    comments: &["#", "//"],
    block_comments: Some(("/*", "*/")),
    signs: &[":=", "<=>", "=>", "!=", "&&", "||"],
    keywords: &[
        "abortif",
        "assert",
        "assume",
        "atomic_begin",
        "atomic_end",
        "begin",
        "bool",
        "constrain",
        "dead",
        "decl",
        "dfs",
        "do",
        "else",
        "elsif",
        "end",
        "end_thread",
        "enforce",
        "F",
        "fi",
        "goto",
        "if",
        "od",
        "return",
        "schoose",
        "skip",
        "start_thread",
        "sync",
        "T",
        "then",
        "thread_local",
        "void",
        "while",
    ],
    dollars: true,
    depth: 100,
    ..Language::PLAIN
};

/// What Bebop's own programs start with.
const BEBOP_STARTS: [&str; 4] = ["decl", "void", "bool", "dfs"];

/// Parses a program of either dialect.
pub fn parse(source: &Source) -> Parsed<BoolProgram> {
    let first = Cursor::new(source, &BEBOP);
    if BEBOP_STARTS.iter().any(|word| first.at(word)) {
        return Parser::new(first, Dialect::Bebop).bebop_program();
    }
    let cursor = Cursor::new(source, &OWN);
    Parser::new(cursor, Dialect::Own).own_program()
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Own,
    Bebop,
}

pub(super) struct Parser<'a> {
    pub cursor: Cursor<'a>,
    pub dialect: Dialect,
    /// Where the expression just read has an `=` that no parentheses enclose.
    loose: Option<Span>,
    /// Labels of statements so far.
    pub labels: BTreeSet<String>,
}

impl<'a> Parser<'a> {
    fn new(cursor: Cursor<'a>, dialect: Dialect) -> Parser<'a> {
        Parser { cursor, dialect, loose: None, labels: BTreeSet::new() }
    }

    pub fn name(&mut self, what: &str) -> Parsed<String> {
        let span = self.cursor.span();
        let name = self.cursor.name(what)?;
        if name.ends_with('$') {
            let message = format!(
                "{} would be a variable of all other threads, which is not supported",
                quoted(name)
            );
            return Err(self.cursor.error(span, message));
        }
        Ok(name.to_string())
    }

    /// Where the next token stands.
    pub fn place(&mut self) -> Place {
        Place { line: self.cursor.line(), span: self.cursor.span() }
    }

    pub fn wrong(&self, place: Place, message: impl Into<String>) -> Diagnostic {
        self.cursor.error(place.span, message)
    }

    pub fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.cursor.enter()?;
        let result = parse(self);
        self.cursor.leave();
        result
    }

    /// Adds a variable to those that are declared beside it.
    pub fn declare(&mut self, variables: &mut Vec<Variable>, new: Variable) -> Parsed<()> {
        if variables.len() == MAX_VARIABLES {
            let message = format!("more than {MAX_VARIABLES} variables");
            return Err(self.wrong(new.place, message));
        }
        if variables.iter().any(|other| other.name == new.name) {
            let message = format!("{} is declared twice", quoted(&new.name));
            return Err(self.wrong(new.place, message));
        }
        variables.push(new);
        Ok(())
    }

    pub fn parameter(&mut self, parameters: &mut Vec<Variable>) -> Parsed<()> {
        let place = self.place();
        let name = self.name("a parameter name")?;
        self.declare(parameters, Variable { name, place, initial: Expr::Any })
    }

    pub fn add_procedure(
        &mut self,
        program: &mut BoolProgram,
        name: String,
        procedure: Procedure,
    ) -> Parsed<()> {
        let place = procedure.place;
        match program.procedures.insert(name.clone(), procedure) {
            None => Ok(()),
            Some(_) => Err(self.wrong(place, format!("{} is declared twice", quoted(&name)))),
        }
    }

    /// `[3]` or `[*]` after the name of a thread; any number, at least one, if there is neither.
    pub fn thread_count(&mut self) -> Parsed<ThreadCount> {
        if !self.cursor.accept("[") {
            return Ok(ThreadCount::Any(1));
        }
        let count = match self.cursor.peek() {
            Token::Number(count) => match u32::try_from(count) {
                Ok(count @ 1..=MAX_THREADS) => ThreadCount::Exactly(count),
                _ => {
                    let message = format!("expected between 1 and {MAX_THREADS} threads, or `*`");
                    return self.cursor.fail(message);
                }
            },
            Token::Sign("*") => ThreadCount::Any(0),
            _ => return Err(self.cursor.expected("a number of threads, or `*` for any")),
        };
        self.cursor.advance();
        self.cursor.expect("]")?;
        Ok(count)
    }

    /// Every type of threads starts in a procedure that is there and takes nothing.
    pub fn check_threads(&self, program: &BoolProgram) -> Parsed<()> {
        for ThreadType { procedure: name, place, .. } in &program.threads {
            let Some(procedure) = program.procedures.get(name) else {
                let message = format!("there is no procedure {}", quoted(name));
                return Err(self.wrong(*place, message));
            };
            if !procedure.parameters.is_empty() {
                let message =
                    format!("threads start in {}, which must not have parameters", quoted(name));
                return Err(self.wrong(procedure.place, message));
            }
        }
        Ok(())
    }

    pub fn error_condition(&mut self, program: &mut BoolProgram, place: Place) -> Parsed<()> {
        program.errors.push((self.expression()?, place));
        self.cursor.expect(";")
    }

    pub fn constant(&mut self) -> Parsed<bool> {
        let value = match self.cursor.peek() {
            Token::Key("true" | "T") | Token::Name("true") | Token::Number(1) => true,
            Token::Key("false" | "F") | Token::Name("false") | Token::Number(0) => false,
            _ => return Err(self.cursor.expected("`true` or `false`")),
        };
        self.cursor.advance();
        Ok(value)
    }

    pub fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        if self.cursor.accept(")") {
            return Ok(Vec::new());
        }
        let arguments = self.expressions()?;
        self.cursor.expect(")")?;
        Ok(arguments)
    }

    pub fn expressions(&mut self) -> Parsed<Vec<Expr>> {
        let mut list = vec![self.expression()?];
        while self.cursor.accept(",") {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    pub fn parenthesised(&mut self) -> Parsed<Expr> {
        self.cursor.expect("(")?;
        let expression = self.expression()?;
        self.cursor.expect(")")?;
        Ok(expression)
    }

    pub fn expression(&mut self) -> Parsed<Expr> {
        let outer = self.loose.take();
        let expression = self.deeper(|p| match p.dialect {
            Dialect::Own => p.disjunction(),
            Dialect::Bebop => p.implication(),
        });
        self.loose = outer;
        expression
    }

    /// Bebop: `a ? b : c`, and `a => b`, which is read from the right.
    fn implication(&mut self) -> Parsed<Expr> {
        let left = self.disjunction()?;
        if self.cursor.accept("?") {
            let then = self.expression()?;
            self.cursor.expect(":")?;
            return Ok(Expr::If(Box::new([left, then, self.expression()?])));
        }
        if !self.cursor.at("=>") {
            return Ok(left);
        }
        self.refuse_loose()?;
        self.cursor.advance();
        let right = self.deeper(Self::implication)?;
        self.refuse_loose()?;
        Ok(left.negated().or(right))
    }

    fn disjunction(&mut self) -> Parsed<Expr> {
        let first = self.conjunction()?;
        let exclusive = self.cursor.at("^");
        let signs: &[&str] = match (self.dialect, exclusive) {
            (Dialect::Own, _) => &["||"],
            (_, true) => &["^"],
            (_, false) => &["||", "|"],
        };
        let joined = self.chain(first, signs, Self::conjunction, |a, b| match exclusive {
            true => a.equal(b).negated(),
            false => a.or(b),
        })?;
        if self.dialect == Dialect::Bebop && ["^", "|", "||"].iter().any(|s| self.cursor.at(s)) {
            let message = "expected parentheses: tools disagree about `|` next to `^`";
            return self.cursor.fail(message);
        }
        Ok(joined)
    }

    fn conjunction(&mut self) -> Parsed<Expr> {
        let first = self.comparison()?;
        let signs: &[&str] = match self.dialect {
            Dialect::Own => &["&&"],
            Dialect::Bebop => &["&&", "&"],
        };
        self.chain(first, signs, Self::comparison, Expr::and)
    }

    /// Operands joined by one operator; long chains become balanced trees, not deep ones.
    fn chain(
        &mut self,
        first: Expr,
        signs: &[&str],
        operand: fn(&mut Self) -> Parsed<Expr>,
        join: impl Fn(Expr, Expr) -> Expr,
    ) -> Parsed<Expr> {
        let mut operands = vec![first];
        while signs.iter().any(|sign| self.cursor.at(sign)) {
            self.refuse_loose()?;
            self.cursor.advance();
            operands.push(operand(self)?);
            self.refuse_loose()?;
        }
        while operands.len() > 1 {
            let mut halves = Vec::with_capacity(operands.len().div_ceil(2));
            let mut rest = operands.into_iter();
            while let Some(a) = rest.next() {
                halves.push(match rest.next() {
                    Some(b) => join(a, b),
                    None => a,
                });
            }
            operands = halves;
        }
        operands.pop().ok_or_else(|| self.cursor.expected("an expression"))
    }

    /// SatAbs lets `&` bind tighter than `=`, Boom's relatives the other way round.
    fn refuse_loose(&self) -> Parsed<()> {
        match self.loose {
            Some(span) if self.dialect == Dialect::Bebop => {
                let message = "expected parentheses: tools disagree about `=` next to `&` and `|`";
                Err(self.cursor.error(span, message))
            }
            _ => Ok(()),
        }
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        self.loose = None;
        let mut left = self.unary()?;
        let equals: &[&str] = match self.dialect {
            Dialect::Own => &["=="],
            Dialect::Bebop => &["=", "<=>"],
        };
        // comparisons are associative: both ways of reading a chain mean the same
        loop {
            let span = self.cursor.span();
            let equal = equals.iter().any(|sign| self.cursor.accept(sign));
            if !equal && !self.cursor.accept("!=") {
                return Ok(left);
            }
            self.cursor.step()?;
            let same = left.equal(self.deeper(Self::unary)?);
            left = if equal { same } else { same.negated() };
            self.loose = Some(span);
            if self.dialect == Dialect::Own {
                return Ok(left);
            }
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        if self.cursor.accept("!") || self.dialect == Dialect::Bebop && self.cursor.accept("~") {
            return self.deeper(Self::unary).map(Expr::negated);
        }
        if self.cursor.accept("*") {
            return Ok(Expr::Any);
        }
        if self.cursor.at("(") {
            return self.parenthesised();
        }
        if self.dialect == Dialect::Bebop {
            if self.cursor.accept("'") {
                return self.name("a variable name").map(Expr::Next);
            }
            if self.cursor.accept("schoose") {
                return self.schoose();
            }
        }
        match self.cursor.peek() {
            Token::Number(0 | 1) | Token::Key("true" | "false" | "T" | "F") => {
                self.constant().map(Expr::Constant)
            }
            _ => self.name("an expression").map(Expr::Variable),
        }
    }

    fn schoose(&mut self) -> Parsed<Expr> {
        self.cursor.expect("[")?;
        let yes = self.expression()?;
        self.cursor.expect(",")?;
        let no = self.expression()?;
        self.cursor.expect("]")?;
        Ok(Expr::Choose(Box::new([yes, no])))
    }
}

/// The most threads that a program may start with by number.
const MAX_THREADS: u32 = 1_000_000;
