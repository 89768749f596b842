//! Programs as Bebop, SatAbs, Boppo and Boom write them: `decl`, `begin … end`, labels and `goto`.
//!
//! One thread runs `main`, unless `thread NAME[COUNT];` says otherwise; others are started by
//! `start_thread`, or by a call whose label starts with `ASYNC_`. Variables without initial values have
//! either. Where tools disagree about what a text means it is refused. Statements whose labels are all
//! numbers follow each other by number, as in Boom's relatives.

use super::ast::{
    Block, BoolProgram, Kind, Place, Procedure, Statement, ThreadCount, ThreadType, Variable,
};
use super::expr::Expr;
use super::parser::Parser;
use pidlab_syntax::{Parsed, Token, quoted};

/// The label that is an error by itself, as in SLAM.
const ERROR_LABEL: &str = "SLIC_ERROR";
/// A call with such a label runs in a thread of its own.
const ASYNCHRONOUS: &str = "ASYNC_";
const STATEMENTS: &str = "a statement or a label";

impl Parser<'_> {
    pub fn bebop_program(mut self) -> Parsed<BoolProgram> {
        let error_labels = vec![ERROR_LABEL.to_string()];
        let mut program = BoolProgram { error_labels, ..BoolProgram::default() };
        while self.cursor.peek() != Token::End {
            let place = self.place();
            match self.cursor.peek() {
                Token::Key("decl") => self.global(&mut program)?,
                Token::Key("void" | "bool" | "dfs") => self.bebop_procedure(&mut program)?,
                Token::Name("thread") => self.bebop_thread(&mut program, place)?,
                Token::Name("error") => {
                    self.cursor.advance();
                    self.error_condition(&mut program, place)?;
                }
                _ => {
                    let what = "`decl`, `void`, `bool`, `thread` or `error`";
                    return Err(self.cursor.expected(what));
                }
            }
        }
        if program.threads.is_empty() {
            let Some(main) = program.procedures.get("main") else {
                return Err(self.cursor.expected("a procedure `main`: what the first thread runs"));
            };
            let (procedure, count) = ("main".to_string(), ThreadCount::Exactly(1));
            program.threads.push(ThreadType { procedure, count, place: main.place });
        }
        self.check_threads(&program)?;
        program.labels = self.labels;
        Ok(program)
    }

    /// `thread NAME[COUNT];`
    fn bebop_thread(&mut self, program: &mut BoolProgram, place: Place) -> Parsed<()> {
        self.cursor.advance();
        let procedure = self.name("the procedure in which threads start")?;
        let count = self.thread_count()?;
        program.threads.push(ThreadType { procedure, count, place });
        self.cursor.expect(";")
    }

    fn global(&mut self, program: &mut BoolProgram) -> Parsed<()> {
        let place = self.place();
        self.cursor.advance();
        let of_thread = self.cursor.accept("thread_local");
        for variable in self.declared()? {
            let (variables, others) = match of_thread {
                true => (&mut program.thread_local, &program.shared),
                false => (&mut program.shared, &program.thread_local),
            };
            if others.iter().any(|other| other.name == variable.name) {
                let message = format!("{} is declared twice", quoted(&variable.name));
                return Err(self.wrong(place, message));
            }
            self.declare(variables, variable)?;
        }
        self.cursor.expect(";")
    }

    /// `x, y := 1, z := *`
    fn declared(&mut self) -> Parsed<Vec<Variable>> {
        let mut variables = Vec::new();
        loop {
            let place = self.place();
            let name = self.name("a variable name")?;
            let initial = match self.cursor.accept(":=") {
                true if !self.cursor.accept("*") => Expr::Constant(self.constant()?),
                _ => Expr::Any,
            };
            self.declare(&mut variables, Variable { name, place, initial })?;
            if !self.cursor.accept(",") {
                return Ok(variables);
            }
        }
    }

    fn bebop_procedure(&mut self, program: &mut BoolProgram) -> Parsed<()> {
        self.cursor.accept("dfs");
        let results = self.result_type()?;
        let place = self.place();
        let name = self.name("a procedure name")?;
        self.cursor.expect("(")?;
        let mut parameters = Vec::new();
        while !self.cursor.accept(")") {
            self.parameter(&mut parameters)?;
            if !self.cursor.at(")") {
                self.cursor.expect(",")?;
            }
        }
        self.cursor.expect("begin")?;
        let mut enforced = None;
        let mut body = Block::default();
        while self.cursor.at("decl") || self.cursor.at("enforce") {
            body.statements.push(self.head(&mut enforced)?);
            self.cursor.expect(";")?;
        }
        self.statements(&mut body, &["end"])?;
        self.cursor.expect("end")?;
        by_number(&mut body);
        let results = Some(results);
        let default = Expr::Any;
        let procedure = Procedure { parameters, results, default, enforced, body, place };
        self.add_procedure(program, name, procedure)
    }

    /// How many values a procedure returns: `void`, `bool` or `bool<n>`.
    fn result_type(&mut self) -> Parsed<usize> {
        if self.cursor.accept("void") {
            return Ok(0);
        }
        if !self.cursor.accept("bool") {
            return Err(self.cursor.expected("`void` or `bool`"));
        }
        if !self.cursor.accept("<") {
            return Ok(1);
        }
        let count = self.cursor.number("how many values the procedure returns")?;
        self.cursor.expect(">")?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// A declaration, or what holds throughout the procedure, which is assumed at its start.
    fn head(&mut self, enforced: &mut Option<(Expr, Place)>) -> Parsed<Statement> {
        let place = self.place();
        let kind = match self.cursor.accept("decl") {
            true => Kind::Declare(self.declared()?),
            false => {
                self.cursor.expect("enforce")?;
                let condition = self.expression()?;
                if enforced.replace((condition.clone(), place)).is_some() {
                    return Err(self.wrong(place, "a second `enforce` in this procedure"));
                }
                Kind::Assume(condition)
            }
        };
        Ok(Statement { labels: Vec::new(), place, kind })
    }

    /// Statements up to a word that ends the block; `;` stands between them and may end them.
    fn statements(&mut self, block: &mut Block, ends: &[&str]) -> Parsed<()> {
        let at_end = |p: &Self| ends.iter().any(|end| p.cursor.at(end));
        while !at_end(self) {
            let statement = self.deeper(Self::bebop_statement)?;
            block.statements.push(statement);
            if !self.cursor.accept(";") && !at_end(self) {
                return Err(self.cursor.expected("`;`"));
            }
        }
        Ok(())
    }

    fn bebop_statement(&mut self) -> Parsed<Statement> {
        let mut labels = Vec::new();
        while self.cursor.peek_after(1) == Token::Sign(":") {
            self.cursor.step()?;
            let label = self.label()?;
            self.labels.insert(label.clone());
            labels.push(label);
            self.cursor.expect(":")?;
        }
        let place = self.place();
        let mut kind = self.bebop_kind()?;
        if matches!(kind, Kind::Call { .. }) && labels.iter().any(|l| l.starts_with(ASYNCHRONOUS)) {
            let call = Statement { labels: Vec::new(), place, kind };
            kind = Kind::Start(Block { statements: vec![call] });
        }
        Ok(Statement { labels, place, kind })
    }

    fn label(&mut self) -> Parsed<String> {
        match self.cursor.peek() {
            Token::Number(number) => {
                self.cursor.advance();
                Ok(number.to_string())
            }
            _ => self.name("a label"),
        }
    }

    fn bebop_kind(&mut self) -> Parsed<Kind> {
        let word = match self.cursor.peek() {
            Token::Name(_) => return self.assignment_or_call(),
            Token::Key(word) => word,
            _ => return Err(self.cursor.expected(STATEMENTS)),
        };
        let place = self.place();
        if word == "enforce" {
            let message = "`enforce` stands at the start of a procedure, after its declarations";
            return Err(self.wrong(place, message));
        }
        if !BEBOP_STATEMENTS.contains(&word) {
            return Err(self.cursor.expected(STATEMENTS));
        }
        self.cursor.advance();
        Ok(match word {
            "skip" => Kind::Skip,
            "decl" => Kind::Declare(self.declared()?),
            "assert" => Kind::Assert(self.parenthesised()?),
            "assume" => Kind::Assume(self.parenthesised()?),
            // a run that is aborted reaches nothing that a thread could not reach by waiting
            "abortif" => Kind::Assume(self.expression()?.negated()),
            "dead" => self.dead()?,
            "goto" => self.goto()?,
            "if" => self.conditional()?,
            "while" => self.repetition()?,
            "start_thread" => {
                Kind::Start(Block { statements: vec![self.deeper(Self::bebop_statement)?] })
            }
            "end_thread" => Kind::EndThread,
            "atomic_begin" => Kind::AtomicBegin,
            "atomic_end" => Kind::AtomicEnd,
            "sync" => Kind::Sync(self.name("the name of an event")?),
            _ => match self.cursor.peek() {
                Token::Sign(";") | Token::Key("end" | "fi" | "else" | "elsif" | "od") => {
                    Kind::Return(Vec::new())
                }
                _ => Kind::Return(self.expressions()?),
            },
        })
    }

    /// The values of dead variables do not matter from here on.
    fn dead(&mut self) -> Parsed<Kind> {
        let mut pairs = vec![(self.name("a variable name")?, Expr::Any)];
        while self.cursor.accept(",") {
            pairs.push((self.name("a variable name")?, Expr::Any));
        }
        Ok(Kind::Assign { pairs, constrain: None })
    }

    fn goto(&mut self) -> Parsed<Kind> {
        let mut targets = Vec::new();
        loop {
            let place = self.place();
            targets.push((self.label()?, place));
            if !self.cursor.accept(",") {
                return Ok(Kind::Goto(targets));
            }
        }
    }

    /// After `if` or `elsif`.
    fn conditional(&mut self) -> Parsed<Kind> {
        let condition = self.expression()?;
        self.cursor.expect("then")?;
        let (mut then, mut otherwise) = (Block::default(), Block::default());
        self.statements(&mut then, &["else", "elsif", "fi"])?;
        let place = self.place();
        if self.cursor.accept("elsif") {
            let kind = self.deeper(Self::conditional)?;
            otherwise.statements.push(Statement { labels: Vec::new(), place, kind });
            return Ok(Kind::If { condition, then, otherwise });
        }
        if self.cursor.accept("else") {
            self.statements(&mut otherwise, &["fi"])?;
        }
        self.cursor.expect("fi")?;
        Ok(Kind::If { condition, then, otherwise })
    }

    fn repetition(&mut self) -> Parsed<Kind> {
        let condition = self.expression()?;
        self.cursor.expect("do")?;
        let mut body = Block::default();
        self.statements(&mut body, &["od"])?;
        self.cursor.expect("od")?;
        Ok(Kind::While { condition, body })
    }
}

/// Keywords that start a statement.
const BEBOP_STATEMENTS: [&str; 16] = [
    "abortif",
    "assert",
    "assume",
    "atomic_begin",
    "atomic_end",
    "dead",
    "decl",
    "end_thread",
    "goto",
    "if",
    "return",
    "skip",
    "start_thread",
    "sync",
    "while",
    "enforce",
];

/// Numbered statements in the order of their numbers: n is followed by n + 1, and where there is none the
/// thread ends.
fn by_number(body: &mut Block) {
    let number = |s: &Statement| s.labels.first().and_then(|l| l.parse::<u64>().ok());
    let Some(start) = body.statements.iter().position(|s| !s.labels.is_empty()) else {
        return;
    };
    let numbered = &body.statements[start..];
    if numbered.iter().any(|s| s.labels.len() != 1 || number(s).is_none()) {
        return;
    }
    let mut rest = body.statements.split_off(start);
    rest.sort_by_key(|s| number(s));
    let mut last = None;
    for statement in rest {
        let here = number(&statement);
        if last.is_some_and(|n: u64| n.checked_add(1) != here) {
            let place = statement.place;
            body.statements.push(Statement { labels: Vec::new(), place, kind: Kind::EndThread });
        }
        last = here;
        body.statements.push(statement);
    }
}
