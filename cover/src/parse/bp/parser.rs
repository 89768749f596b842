//! Recursive-descent parser of `.bp` files; nesting is bounded, so is the recursion.

use super::ast::{Block, BoolProgram, Expr, Kind, Place, Procedure, Statement};
use super::flow::MAX_VARIABLES;
use pidlab_syntax::{Cursor, Diagnostic, Language, Parsed, Source, Token, quoted};
use std::collections::BTreeMap;

const LANGUAGE: Language = Language {
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

/// Keywords that start a statement without a block.
const STATEMENTS: [&str; 6] = ["skip", "lock", "unlock", "assert", "assume", "return"];

pub fn parse(source: &Source) -> Parsed<BoolProgram> {
    Parser { cursor: Cursor::new(source, &LANGUAGE) }.program()
}

struct Parser<'a> {
    cursor: Cursor<'a>,
}

impl Parser<'_> {
    fn program(&mut self) -> Parsed<BoolProgram> {
        let mut program = BoolProgram {
            shared: Vec::new(),
            procedures: BTreeMap::new(),
            thread: Block::default(),
            errors: Vec::new(),
        };
        let mut has_thread = false;
        while self.cursor.peek() != Token::End {
            let place = self.place();
            if self.cursor.accept("shared") {
                self.shared(&mut program)?;
            } else if self.cursor.accept("proc") {
                self.procedure(&mut program)?;
            } else if self.cursor.accept("error") {
                program.errors.push((self.expression()?, place));
                self.cursor.expect(";")?;
            } else if self.cursor.accept("thread") {
                if has_thread {
                    return Err(self.wrong(place, "a second `thread` block"));
                }
                has_thread = true;
                program.thread = self.block()?;
            } else {
                return Err(self.cursor.expected("`shared`, `proc`, `thread` or `error`"));
            }
        }
        if !has_thread {
            return Err(self.cursor.expected("a `thread { … }` block: what every thread runs"));
        }
        Ok(program)
    }

    fn shared(&mut self, program: &mut BoolProgram) -> Parsed<()> {
        loop {
            let place = self.place();
            let name = self.name("a variable name")?;
            let value = self.cursor.accept("=") && self.constant()?;
            if program.shared.len() == MAX_VARIABLES {
                let message = format!("more than {MAX_VARIABLES} shared variables");
                return Err(self.wrong(place, message));
            }
            if program.shared.iter().any(|(other, _)| *other == name) {
                return Err(self.wrong(place, format!("{} is declared twice", quoted(&name))));
            }
            program.shared.push((name, value));
            if !self.cursor.accept(",") {
                return self.cursor.expect(";");
            }
        }
    }

    fn constant(&mut self) -> Parsed<bool> {
        let value = match self.cursor.peek() {
            Token::Key("true") | Token::Number(1) => true,
            Token::Key("false") | Token::Number(0) => false,
            _ => return Err(self.cursor.expected("`true` or `false`")),
        };
        self.cursor.advance();
        Ok(value)
    }

    fn procedure(&mut self, program: &mut BoolProgram) -> Parsed<()> {
        let place = self.place();
        let name = self.name("a procedure name")?;
        self.cursor.expect("(")?;
        let mut parameters = Vec::new();
        while !self.cursor.accept(")") {
            parameters.push(self.name("a parameter name")?);
            self.cursor.accept(",");
        }
        let body = self.block()?;
        match program.procedures.insert(name.clone(), Procedure { parameters, body }) {
            None => Ok(()),
            Some(_) => Err(self.wrong(place, format!("{} is declared twice", quoted(&name)))),
        }
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        self.cursor.name(what).map(str::to_string)
    }

    /// Where the next token stands.
    fn place(&mut self) -> Place {
        Place { line: self.cursor.line(), span: self.cursor.span() }
    }

    fn wrong(&self, place: Place, message: impl Into<String>) -> Diagnostic {
        self.cursor.error(place.span, message)
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.cursor.enter()?;
        let result = parse(self);
        self.cursor.leave();
        result
    }

    fn block(&mut self) -> Parsed<Block> {
        self.cursor.expect("{")?;
        let mut block = Block::default();
        while self.cursor.accept("local") {
            loop {
                let place = self.place();
                block.locals.push((self.name("a variable name")?, place));
                if !self.cursor.accept(",") {
                    break;
                }
            }
            self.cursor.expect(";")?;
        }
        while !self.cursor.accept("}") {
            if self.cursor.peek() == Token::End {
                return Err(self.cursor.expected("`}`"));
            }
            let statement = self.deeper(Self::statement)?;
            block.statements.push(statement);
        }
        Ok(block)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let place = self.place();
        let word = match self.cursor.peek() {
            Token::Name(word) | Token::Key(word) => word,
            _ => return Err(self.cursor.expected("a statement")),
        };
        let kind = match word {
            "if" | "while" | "choose" | "atomic" => self.compound(word)?,
            _ => {
                let kind = self.simple(word)?;
                self.cursor.expect(";")?;
                kind
            }
        };
        Ok(Statement { place, kind })
    }

    fn compound(&mut self, word: &str) -> Parsed<Kind> {
        self.cursor.advance();
        Ok(match word {
            "if" => {
                let condition = self.parenthesised()?;
                let then = self.block()?;
                let otherwise = self.otherwise()?;
                Kind::If { condition, then, otherwise }
            }
            "while" => Kind::While { condition: self.parenthesised()?, body: self.block()? },
            "choose" => {
                let mut branches = vec![self.block()?];
                while self.cursor.accept("or") {
                    branches.push(self.block()?);
                }
                Kind::Choose(branches)
            }
            _ => Kind::Atomic(self.block()?),
        })
    }

    fn otherwise(&mut self) -> Parsed<Block> {
        if !self.cursor.accept("else") {
            return Ok(Block::default());
        }
        if self.cursor.at("if") {
            let statement = self.deeper(Self::statement)?;
            return Ok(Block { locals: Vec::new(), statements: vec![statement] });
        }
        self.block()
    }

    fn simple(&mut self, word: &str) -> Parsed<Kind> {
        if let Token::Name(_) = self.cursor.peek() {
            return self.assignment_or_call();
        }
        if !STATEMENTS.contains(&word) {
            return Err(self.cursor.expected("a statement"));
        }
        self.cursor.advance();
        Ok(match word {
            "skip" => Kind::Skip,
            "lock" | "unlock" => {
                self.cursor.expect("(")?;
                let variable = self.name("a shared variable")?;
                self.cursor.expect(")")?;
                if word == "lock" { Kind::Lock(variable) } else { Kind::Unlock(variable) }
            }
            "assert" => Kind::Assert(self.parenthesised()?),
            "assume" => Kind::Assume(self.parenthesised()?),
            _ if self.cursor.at(";") => Kind::Return(Vec::new()),
            _ => Kind::Return(self.expressions()?),
        })
    }

    fn assignment_or_call(&mut self) -> Parsed<Kind> {
        let place = self.place();
        let mut names = vec![self.name("a variable or procedure name")?];
        if self.cursor.accept("(") {
            let arguments = self.arguments()?;
            return Ok(Kind::Call { results: Vec::new(), procedure: names.remove(0), arguments });
        }
        while self.cursor.accept(",") {
            names.push(self.name("a variable name")?);
        }
        self.cursor.expect(":=")?;
        let calls = matches!(self.cursor.peek(), Token::Name(_));
        if calls && self.cursor.peek_after(1) == Token::Sign("(") {
            let procedure = self.name("a procedure name")?;
            self.cursor.expect("(")?;
            let arguments = self.arguments()?;
            return Ok(Kind::Call { results: names, procedure, arguments });
        }
        let values = self.expressions()?;
        if values.len() != names.len() {
            let message = format!("{} variables are assigned {} values", names.len(), values.len());
            return Err(self.wrong(place, message));
        }
        Ok(Kind::Assign(names.into_iter().zip(values).collect()))
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        if self.cursor.accept(")") {
            return Ok(Vec::new());
        }
        let arguments = self.expressions()?;
        self.cursor.expect(")")?;
        Ok(arguments)
    }

    fn expressions(&mut self) -> Parsed<Vec<Expr>> {
        let mut list = vec![self.expression()?];
        while self.cursor.accept(",") {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        self.cursor.expect("(")?;
        let expression = self.expression()?;
        self.cursor.expect(")")?;
        Ok(expression)
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|p| p.chain("||", |p| p.chain("&&", Self::comparison)))
    }

    /// Operands joined by one operator; long chains become balanced trees, not deep ones.
    fn chain(&mut self, sign: &str, operand: impl Fn(&mut Self) -> Parsed<Expr>) -> Parsed<Expr> {
        let mut operands = vec![operand(self)?];
        while self.cursor.accept(sign) {
            operands.push(operand(self)?);
        }
        let join = |a: Expr, b: Expr| match sign {
            "||" => Expr::Or(Box::new(a), Box::new(b)),
            _ => Expr::And(Box::new(a), Box::new(b)),
        };
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

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.unary()?;
        let equal = self.cursor.accept("==");
        if !equal && !self.cursor.accept("!=") {
            return Ok(left);
        }
        let same = Expr::Equal(Box::new(left), Box::new(self.unary()?));
        Ok(if equal { same } else { same.negated() })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        if self.cursor.accept("!") {
            return self.deeper(Self::unary).map(Expr::negated);
        }
        if self.cursor.accept("*") {
            return Ok(Expr::Any);
        }
        if self.cursor.at("(") {
            return self.parenthesised();
        }
        match self.cursor.peek() {
            Token::Number(0 | 1) | Token::Key("true" | "false") => {
                self.constant().map(Expr::Constant)
            }
            _ => self.name("an expression").map(Expr::Variable),
        }
    }
}
