//! Recursive-descent parser of `.bp` files; nesting is bounded, so is the recursion.

use super::ast::{Block, BoolProgram, Expr, Kind, Procedure, Statement};
use super::flow::MAX_VARIABLES;
use crate::budget::Budget;
use crate::error::{ParseError, ReadError};
use crate::parse::lexer::{Token, Tokens};
use std::collections::BTreeMap;

const MAX_DEPTH: u32 = 100;
const KEYWORDS: [&str; 22] = [
    "shared", "local", "proc", "thread", "error", "if", "else", "while", "choose", "or", "atomic",
    "lock", "unlock", "assert", "assume", "return", "skip", "true", "false", "bool", "void",
    "init",
];

pub fn parse(text: &str, budget: &Budget) -> Result<BoolProgram, ReadError> {
    let mut parser = Parser { tokens: Tokens::new(text, budget)?, depth: 0, budget };
    parser.program()
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    depth: u32,
    budget: &'a Budget,
}

impl Parser<'_> {
    fn program(&mut self) -> Result<BoolProgram, ReadError> {
        let mut program = BoolProgram {
            shared: Vec::new(),
            procedures: BTreeMap::new(),
            thread: Block::default(),
            errors: Vec::new(),
        };
        let mut has_thread = false;
        while self.tokens.peek().is_some() {
            let line = self.tokens.line();
            if self.tokens.take_word("shared") {
                self.shared(&mut program)?;
            } else if self.tokens.take_word("proc") {
                self.procedure(&mut program)?;
            } else if self.tokens.take_word("error") {
                program.errors.push((self.expression()?, line));
                self.tokens.expect_sign(";")?;
            } else if self.tokens.take_word("thread") {
                if has_thread {
                    return Err(ParseError::new(line, "a second `thread` block").into());
                }
                has_thread = true;
                program.thread = self.block()?;
            } else {
                return Err(self.tokens.expected("`shared`, `proc`, `thread` or `error`").into());
            }
        }
        if !has_thread {
            return Err(self
                .tokens
                .expected("a `thread { … }` block: what every thread runs")
                .into());
        }
        Ok(program)
    }

    fn shared(&mut self, program: &mut BoolProgram) -> Result<(), ReadError> {
        loop {
            let line = self.tokens.line();
            let name = self.name("a variable name")?;
            let value = self.tokens.take_sign("=") && self.constant()?;
            if program.shared.len() == MAX_VARIABLES {
                let message = format!("more than {MAX_VARIABLES} shared variables");
                return Err(ParseError::new(line, message).into());
            }
            if program.shared.iter().any(|(other, _)| *other == name) {
                return Err(ParseError::new(line, format!("`{name}` is declared twice")).into());
            }
            program.shared.push((name, value));
            if !self.tokens.take_sign(",") {
                return Ok(self.tokens.expect_sign(";")?);
            }
        }
    }

    fn constant(&mut self) -> Result<bool, ReadError> {
        match self.tokens.take() {
            Some(Token::Name("true") | Token::Number("1")) => Ok(true),
            Some(Token::Name("false") | Token::Number("0")) => Ok(false),
            _ => Err(self.tokens.expected("`true` or `false` before this").into()),
        }
    }

    fn procedure(&mut self, program: &mut BoolProgram) -> Result<(), ReadError> {
        let line = self.tokens.line();
        let name = self.name("a procedure name")?;
        self.tokens.expect_sign("(")?;
        let mut parameters = Vec::new();
        while !self.tokens.take_sign(")") {
            self.budget.steps(1)?;
            parameters.push(self.name("a parameter name")?);
            self.tokens.take_sign(",");
        }
        let body = self.block()?;
        match program.procedures.insert(name.clone(), Procedure { parameters, body }) {
            None => Ok(()),
            Some(_) => Err(ParseError::new(line, format!("`{name}` is declared twice")).into()),
        }
    }

    fn name(&mut self, what: &str) -> Result<String, ReadError> {
        if let Some(Token::Name(word)) = self.tokens.peek()
            && KEYWORDS.contains(word)
        {
            return Err(self.tokens.expected(what).into());
        }
        Ok(self.tokens.expect_name(what)?.to_string())
    }

    fn deeper<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        self.budget.steps(1)?;
        if self.depth == MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(ParseError::new(self.tokens.line(), message).into());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn block(&mut self) -> Result<Block, ReadError> {
        self.tokens.expect_sign("{")?;
        let mut block = Block::default();
        while self.tokens.take_word("local") {
            loop {
                let line = self.tokens.line();
                self.budget.steps(1)?;
                block.locals.push((self.name("a variable name")?, line));
                if !self.tokens.take_sign(",") {
                    break;
                }
            }
            self.tokens.expect_sign(";")?;
        }
        while !self.tokens.take_sign("}") {
            if self.tokens.peek().is_none() {
                return Err(self.tokens.expected("`}`").into());
            }
            let statement = self.deeper(Self::statement)?;
            block.statements.push(statement);
        }
        Ok(block)
    }

    fn statement(&mut self) -> Result<Statement, ReadError> {
        let line = self.tokens.line();
        let word = match self.tokens.peek() {
            Some(&Token::Name(word)) => word,
            _ => return Err(self.tokens.expected("a statement").into()),
        };
        let kind = match word {
            "if" | "while" | "choose" | "atomic" => self.compound(word)?,
            _ => {
                let kind = self.simple(word)?;
                self.tokens.expect_sign(";")?;
                kind
            }
        };
        Ok(Statement { line, kind })
    }

    fn compound(&mut self, word: &str) -> Result<Kind, ReadError> {
        self.tokens.take();
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
                while self.tokens.take_word("or") {
                    branches.push(self.block()?);
                }
                Kind::Choose(branches)
            }
            _ => Kind::Atomic(self.block()?),
        })
    }

    fn otherwise(&mut self) -> Result<Block, ReadError> {
        if !self.tokens.take_word("else") {
            return Ok(Block::default());
        }
        if self.tokens.at_word("if") {
            let statement = self.deeper(Self::statement)?;
            return Ok(Block { locals: Vec::new(), statements: vec![statement] });
        }
        self.block()
    }

    fn simple(&mut self, word: &str) -> Result<Kind, ReadError> {
        let keyword = KEYWORDS.contains(&word);
        if !keyword {
            return self.assignment_or_call();
        }
        self.tokens.take();
        Ok(match word {
            "skip" => Kind::Skip,
            "lock" | "unlock" => {
                self.tokens.expect_sign("(")?;
                let variable = self.name("a shared variable")?;
                self.tokens.expect_sign(")")?;
                if word == "lock" { Kind::Lock(variable) } else { Kind::Unlock(variable) }
            }
            "assert" => Kind::Assert(self.parenthesised()?),
            "assume" => Kind::Assume(self.parenthesised()?),
            "return" if matches!(self.tokens.peek(), Some(Token::Sign(";"))) => {
                Kind::Return(Vec::new())
            }
            "return" => Kind::Return(self.expressions()?),
            _ => return Err(self.tokens.expected("a statement before this").into()),
        })
    }

    fn assignment_or_call(&mut self) -> Result<Kind, ReadError> {
        let line = self.tokens.line();
        let mut names = vec![self.name("a variable or procedure name")?];
        if self.tokens.take_sign("(") {
            let arguments = self.arguments()?;
            return Ok(Kind::Call { results: Vec::new(), procedure: names.remove(0), arguments });
        }
        while self.tokens.take_sign(",") {
            self.budget.steps(1)?;
            names.push(self.name("a variable name")?);
        }
        self.tokens.expect_sign(":=")?;
        let calls = matches!(self.tokens.peek(), Some(Token::Name(_)))
            && matches!(self.tokens.peek_second(), Some(Token::Sign("(")));
        if calls {
            let procedure = self.name("a procedure name")?;
            self.tokens.expect_sign("(")?;
            let arguments = self.arguments()?;
            return Ok(Kind::Call { results: names, procedure, arguments });
        }
        let values = self.expressions()?;
        if values.len() != names.len() {
            let message = format!("{} variables are assigned {} values", names.len(), values.len());
            return Err(ParseError::new(line, message).into());
        }
        Ok(Kind::Assign(names.into_iter().zip(values).collect()))
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, ReadError> {
        if self.tokens.take_sign(")") {
            return Ok(Vec::new());
        }
        let arguments = self.expressions()?;
        self.tokens.expect_sign(")")?;
        Ok(arguments)
    }

    fn expressions(&mut self) -> Result<Vec<Expr>, ReadError> {
        let mut list = vec![self.expression()?];
        while self.tokens.take_sign(",") {
            list.push(self.expression()?);
        }
        Ok(list)
    }

    fn parenthesised(&mut self) -> Result<Expr, ReadError> {
        self.tokens.expect_sign("(")?;
        let expression = self.expression()?;
        self.tokens.expect_sign(")")?;
        Ok(expression)
    }

    fn expression(&mut self) -> Result<Expr, ReadError> {
        self.deeper(|p| p.chain("||", |p| p.chain("&&", Self::comparison)))
    }

    /// Operands joined by one operator; long chains become balanced trees, not deep ones.
    fn chain(
        &mut self,
        sign: &str,
        operand: impl Fn(&mut Self) -> Result<Expr, ReadError>,
    ) -> Result<Expr, ReadError> {
        let mut operands = vec![operand(self)?];
        while self.tokens.take_sign(sign) {
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
        operands.pop().ok_or_else(|| self.tokens.expected("an expression").into())
    }

    fn comparison(&mut self) -> Result<Expr, ReadError> {
        let left = self.unary()?;
        let equal = self.tokens.take_sign("==");
        if !equal && !self.tokens.take_sign("!=") {
            return Ok(left);
        }
        let same = Expr::Equal(Box::new(left), Box::new(self.unary()?));
        Ok(if equal { same } else { same.negated() })
    }

    fn unary(&mut self) -> Result<Expr, ReadError> {
        self.budget.steps(1)?;
        if self.tokens.take_sign("!") {
            return self.deeper(Self::unary).map(Expr::negated);
        }
        if self.tokens.take_sign("*") {
            return Ok(Expr::Any);
        }
        if matches!(self.tokens.peek(), Some(Token::Sign("("))) {
            return self.parenthesised();
        }
        match self.tokens.peek() {
            Some(Token::Number("0" | "1") | Token::Name("true" | "false")) => {
                self.constant().map(Expr::Constant)
            }
            _ => self.name("an expression").map(Expr::Variable),
        }
    }
}
