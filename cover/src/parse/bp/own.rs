//! Programs in our own dialect: braces, `shared`, `proc`, `thread`, `error`.

use super::ast::{
    Block, BoolProgram, Kind, Place, Procedure, Statement, ThreadCount, ThreadType, Variable,
};
use super::expr::Expr;
use super::parser::Parser;
use pidlab_syntax::{Parsed, Token};

/// Keywords that start a statement without a block.
const STATEMENTS: [&str; 6] = ["skip", "lock", "unlock", "assert", "assume", "return"];
/// The procedure of a `thread` block without a name; no `proc` can have it.
const NAMELESS: &str = "thread";

impl Parser<'_> {
    pub fn own_program(mut self) -> Parsed<BoolProgram> {
        let mut program = BoolProgram { must_assert: true, ..BoolProgram::default() };
        while self.cursor.peek() != Token::End {
            let place = self.place();
            if self.cursor.accept("shared") {
                self.shared(&mut program)?;
            } else if self.cursor.accept("proc") {
                self.procedure(&mut program)?;
            } else if self.cursor.accept("error") {
                self.error_condition(&mut program, place)?;
            } else if self.cursor.accept("thread") {
                self.thread(&mut program, place)?;
            } else {
                return Err(self.cursor.expected("`shared`, `proc`, `thread` or `error`"));
            }
        }
        if program.threads.is_empty() {
            return Err(self.cursor.expected("a `thread { … }` block: what every thread runs"));
        }
        self.check_threads(&program)?;
        Ok(program)
    }

    fn shared(&mut self, program: &mut BoolProgram) -> Parsed<()> {
        loop {
            let place = self.place();
            let name = self.name("a variable name")?;
            let value = self.cursor.accept("=") && self.constant()?;
            let initial = Expr::Constant(value);
            self.declare(&mut program.shared, Variable { name, place, initial })?;
            if !self.cursor.accept(",") {
                return self.cursor.expect(";");
            }
        }
    }

    fn procedure(&mut self, program: &mut BoolProgram) -> Parsed<()> {
        let place = self.place();
        let name = self.name("a procedure name")?;
        self.cursor.expect("(")?;
        let mut parameters = Vec::new();
        while !self.cursor.accept(")") {
            self.parameter(&mut parameters)?;
            self.cursor.accept(",");
        }
        let body = self.block()?;
        self.add_procedure(program, name, own_procedure(parameters, body, place))
    }

    /// `thread { … }`, `thread NAME[COUNT] { … }` or `thread PROCEDURE[COUNT];`.
    fn thread(&mut self, program: &mut BoolProgram, place: Place) -> Parsed<()> {
        let (name, count) = match self.cursor.at("{") {
            true => (NAMELESS.to_string(), ThreadCount::Any(1)),
            false => (self.name("`{` or the name of a thread")?, self.thread_count()?),
        };
        if name == NAMELESS && program.procedures.contains_key(NAMELESS) {
            return Err(self.wrong(place, "a second `thread` block without a name"));
        }
        if name == NAMELESS || !self.cursor.accept(";") {
            let body = self.block()?;
            self.add_procedure(program, name.clone(), own_procedure(Vec::new(), body, place))?;
        }
        program.threads.push(ThreadType { procedure: name, count, place });
        Ok(())
    }

    fn block(&mut self) -> Parsed<Block> {
        self.cursor.expect("{")?;
        let mut block = Block::default();
        let mut locals = Vec::new();
        let start = self.place();
        while self.cursor.accept("local") {
            loop {
                let place = self.place();
                let name = self.name("a variable name")?;
                // locals start false each time the block is entered
                let initial = Expr::Constant(false);
                self.declare(&mut locals, Variable { name, place, initial })?;
                if !self.cursor.accept(",") {
                    break;
                }
            }
            self.cursor.expect(";")?;
        }
        if let Some(first) = locals.first() {
            let place = Place { line: start.line, span: first.place.span };
            let kind = Kind::Declare(locals);
            block.statements.push(Statement { labels: Vec::new(), place, kind });
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
        Ok(Statement { labels: Vec::new(), place, kind })
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
            return Ok(Block { statements: vec![self.deeper(Self::statement)?] });
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

    /// What starts with a name, in either dialect.
    pub fn assignment_or_call(&mut self) -> Parsed<Kind> {
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
            let kept = |name: String| (name != "_").then_some(name);
            let results = names.into_iter().map(kept).collect();
            return Ok(Kind::Call { results, procedure, arguments });
        }
        let values = self.expressions()?;
        if values.len() != names.len() {
            let message = format!("{} variables are assigned {} values", names.len(), values.len());
            return Err(self.wrong(place, message));
        }
        let pairs = names.into_iter().zip(values).collect();
        let constrain = match self.cursor.accept("constrain") {
            true => Some(self.expression()?),
            false => None,
        };
        Ok(Kind::Assign { pairs, constrain })
    }
}

fn own_procedure(parameters: Vec<Variable>, body: Block, place: Place) -> Procedure {
    // falling off the end returns false
    let default = Expr::Constant(false);
    Procedure { parameters, results: None, default, enforced: None, body, place }
}
