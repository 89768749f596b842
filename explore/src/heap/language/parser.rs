//! Tokens to syntax tree: declarations, locations and statements. Expressions are in
//! [`super::expressions`]. Recursive descent with a bound on nesting, so that no text can exhaust the
//! stack.

use super::ast::*;
use super::lexer::{Token, tokens};
use crate::source::{Diagnostic, Source, Span};

pub type Parsed<T> = Result<T, Diagnostic>;

/// Deepest nesting of blocks, expressions and types.
const DEEPEST: u32 = 128;

pub struct Parser<'s> {
    source: &'s Source,
    tokens: Vec<(Token<'s>, Span)>,
    at: usize,
    depth: u32,
    /// Operands and statements read so far.
    steps: usize,
}

/// Parses a whole program.
pub fn parse(source: &Source) -> Parsed<System> {
    let mut parser = Parser { source, tokens: tokens(source)?, at: 0, depth: 0, steps: 0 };
    let system = parser.system()?;
    match parser.peek() {
        Token::End => Ok(system),
        _ => Err(parser.unexpected("the end of the file after the system's `}`")),
    }
}

impl<'s> Parser<'s> {
    pub fn peek(&self) -> Token<'s> {
        self.tokens[self.at].0
    }

    pub fn peek_after(&self, ahead: usize) -> Token<'s> {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].0
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    pub fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    pub fn advance(&mut self) -> Token<'s> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Takes the token if it is the one given.
    pub fn accept(&mut self, token: Token<'_>) -> bool {
        let same = self.peek() == token;
        if same {
            self.advance();
        }
        same
    }

    pub fn symbol(&mut self, text: &'static str) -> Parsed<()> {
        if self.accept(Token::Symbol(text)) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{text}`")))
    }

    fn keyword(&mut self, text: &'static str) -> Parsed<()> {
        if self.accept(Token::Key(text)) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{text}`")))
    }

    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.span();
        match self.peek() {
            Token::Name(text) => {
                self.advance();
                Ok(Name { text: text.to_string(), span })
            }
            _ => Err(self.unexpected(what)),
        }
    }

    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::Name(text) => format!("`{text}`"),
            Token::Number(value) => value.to_string(),
            Token::Key(text) => format!("the keyword `{text}`"),
            Token::Symbol(text) => format!("`{text}`"),
            Token::End => "the end of the file".to_string(),
        };
        self.source.error(self.span(), format!("expected {expected}, found {found}"))
    }

    /// Counts a step; an error if a limit is reached.
    pub fn count_step(&mut self) -> Parsed<()> {
        self.steps += 1;
        self.source.poll(self.steps, self.span())
    }

    fn too_deep(&self) -> Diagnostic {
        self.source.error(self.span(), format!("nested more than {DEEPEST} levels deep"))
    }

    /// Runs `inner` one level deeper.
    pub fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            return Err(self.too_deep());
        }
        self.count_step()?;
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn system(&mut self) -> Parsed<System> {
        self.keyword("system")?;
        let name = self.name("the system's name")?;
        self.symbol("{")?;
        let mut system = System {
            name,
            constants: Vec::new(),
            records: Vec::new(),
            globals: Vec::new(),
            threads: Vec::new(),
        };
        while !self.accept(Token::Symbol("}")) {
            self.item(&mut system)?;
        }
        Ok(system)
    }

    fn item(&mut self, system: &mut System) -> Parsed<()> {
        match self.peek() {
            Token::Key("const") => system.constants.push(self.constant()?),
            Token::Key("top" | "record") => system.records.push(self.record()?),
            Token::Key("main" | "thread") => system.threads.push(self.thread()?),
            _ if self.at_type() => {
                let global = self.variable()?;
                self.symbol(";")?;
                system.globals.push(global);
            }
            _ => {
                let wanted = "`const`, `record`, `thread`, a global variable or `}`";
                return Err(self.unexpected(wanted));
            }
        }
        Ok(())
    }

    fn constant(&mut self) -> Parsed<Constant> {
        self.keyword("const")?;
        let name = self.name("the constant's name")?;
        let given = self.accept(Token::Symbol("=")) || self.accept(Token::Symbol(":="));
        let value = given.then(|| self.expr()).transpose()?;
        self.symbol(";")?;
        Ok(Constant { name, value })
    }

    fn record(&mut self) -> Parsed<Record> {
        let top = self.accept(Token::Key("top"));
        self.keyword("record")?;
        let name = self.name("the record's name")?;
        let extends = match self.accept(Token::Key("extends")) {
            true => Some(self.name("the name of the record to extend")?),
            false => None,
        };
        self.symbol("{")?;
        let mut fields = Vec::new();
        while !self.accept(Token::Symbol("}")) {
            fields.push(self.plain_variable()?);
            self.symbol(";")?;
        }
        Ok(Record { name, top, extends, fields })
    }

    /// Whether a type followed by a name starts here, rather than an expression.
    fn at_type(&self) -> bool {
        match self.peek() {
            Token::Key("boolean" | "int" | "lock" | "set" | "table") => {
                // `lock(m);` is a statement, `lock m;` a declaration.
                self.peek() != Token::Key("lock") || self.peek_after(1) != Token::Symbol("(")
            }
            Token::Name(_) => match self.peek_after(1) {
                Token::Name(_) => true,
                Token::Symbol("[") => self.peek_after(2) == Token::Symbol("]"),
                _ => false,
            },
            _ => false,
        }
    }

    fn plain_variable(&mut self) -> Parsed<Variable> {
        let of = self.type_name()?;
        let name = self.name("a name")?;
        Ok(Variable { name, of, value: None })
    }

    fn variable(&mut self) -> Parsed<Variable> {
        let mut variable = self.plain_variable()?;
        if self.accept(Token::Symbol(":=")) {
            variable.value = Some(self.expr()?);
        }
        Ok(variable)
    }

    pub fn type_name(&mut self) -> Parsed<TypeName> {
        let of = self.nested(Self::element_type)?;
        let mut arrays = 0;
        while self.peek() == Token::Symbol("[") && self.peek_after(1) == Token::Symbol("]") {
            if arrays == DEEPEST {
                return Err(self.too_deep());
            }
            self.advance();
            self.advance();
            arrays += 1;
        }
        if arrays == 0 {
            return Ok(of);
        }
        let span = of.span.to(self.last_span());
        Ok(TypeName { kind: TypeKind::Array(Box::new(of), arrays), span })
    }

    /// A type without `[]` behind it.
    pub fn element_type(&mut self) -> Parsed<TypeName> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Name(text) => {
                self.advance();
                TypeKind::Record(text.to_string())
            }
            Token::Key("boolean") => self.simple(TypeKind::Boolean),
            Token::Key("lock") => self.simple(TypeKind::Lock),
            Token::Key("int") => self.int_type()?,
            Token::Key("set") => {
                self.advance();
                self.symbol("<")?;
                let element = self.type_name()?;
                self.symbol(">")?;
                TypeKind::Set(Box::new(element))
            }
            Token::Key("table") => self.table_type()?,
            _ => return Err(self.unexpected("a type")),
        };
        Ok(TypeName { kind, span: start.to(self.last_span()) })
    }

    fn simple(&mut self, kind: TypeKind) -> TypeKind {
        self.advance();
        kind
    }

    fn int_type(&mut self) -> Parsed<TypeKind> {
        self.advance();
        if !self.accept(Token::Symbol("(")) {
            return Ok(TypeKind::Int(None));
        }
        let low = self.expr()?;
        self.symbol("..")?;
        let high = self.expr()?;
        self.symbol(")")?;
        Ok(TypeKind::Int(Some(Box::new((low, high)))))
    }

    fn table_type(&mut self) -> Parsed<TypeKind> {
        self.advance();
        self.symbol("<")?;
        let key = self.type_name()?;
        self.symbol(",")?;
        let value = self.type_name()?;
        self.symbol(">")?;
        Ok(TypeKind::Table(Box::new(key), Box::new(value)))
    }

    fn thread(&mut self) -> Parsed<Thread> {
        let main = self.accept(Token::Key("main"));
        self.keyword("thread")?;
        let name = self.name("the thread's name")?;
        let parameters = self.parameters()?;
        self.symbol("{")?;
        let mut thread =
            Thread { name, main, parameters, locals: Vec::new(), locations: Vec::new() };
        while self.at_type() {
            thread.locals.push(self.variable()?);
            self.symbol(";")?;
        }
        while !self.accept(Token::Symbol("}")) {
            self.location_or_atomic(&mut thread.locations)?;
        }
        Ok(thread)
    }

    fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        self.symbol("(")?;
        let mut parameters = Vec::new();
        while !self.accept(Token::Symbol(")")) {
            if !parameters.is_empty() {
                self.symbol(",")?;
            }
            parameters.push(self.plain_variable()?);
        }
        Ok(parameters)
    }

    fn location_or_atomic(&mut self, locations: &mut Vec<Location>) -> Parsed<()> {
        if !self.accept(Token::Key("atomic")) {
            locations.push(self.location(false)?);
            return Ok(());
        }
        self.symbol("{")?;
        while !self.accept(Token::Symbol("}")) {
            locations.push(self.location(true)?);
        }
        Ok(())
    }

    fn location(&mut self, atomic: bool) -> Parsed<Location> {
        if !self.accept(Token::Key("loc")) {
            return Err(self.unexpected("`loc`, `when`, `do`, `goto`, `return` or `}`"));
        }
        let name = self.name("the location's name")?;
        self.symbol(":")?;
        let mut transformations = Vec::new();
        while matches!(self.peek(), Token::Key("when" | "do" | "goto" | "return")) {
            transformations.push(self.transformation()?);
        }
        if transformations.is_empty() {
            return Err(self.unexpected("`when`, `do`, `goto` or `return`"));
        }
        Ok(Location { name, atomic, transformations })
    }

    fn transformation(&mut self) -> Parsed<Transformation> {
        let start = self.span();
        let guard = self.accept(Token::Key("when")).then(|| self.expr()).transpose()?;
        let has_body = self.accept(Token::Key("do"));
        let body = if has_body { self.block()? } else { Vec::new() };
        let target = match self.peek() {
            Token::Key("goto") => {
                self.advance();
                Some(self.name("the name of a location")?)
            }
            Token::Key("return") => {
                self.advance();
                None
            }
            _ => return Err(self.unexpected("`goto` or `return`")),
        };
        self.symbol(";")?;
        Ok(Transformation { guard, body, target, span: start.to(self.last_span()) })
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.symbol("{")?;
        let mut statements = Vec::new();
        while !self.accept(Token::Symbol("}")) {
            statements.push(self.nested(Self::statement)?);
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Key("if") => return self.if_statement(start),
            Token::Key("while") => {
                self.advance();
                let condition = self.expr()?;
                let head = start.to(self.last_span());
                let kind = StatementKind::While(condition, self.block()?);
                return Ok(Statement { kind, span: head });
            }
            Token::Key("start") => {
                self.advance();
                let name = self.name("the name of a thread")?;
                StatementKind::Start(name, self.arguments()?)
            }
            Token::Key("assert") => {
                self.advance();
                StatementKind::Assert(self.expr()?)
            }
            _ if self.at_type() => StatementKind::Declare(self.variable()?),
            _ => self.call_or_assignment()?,
        };
        let span = start.to(self.last_span());
        self.symbol(";")?;
        Ok(Statement { kind, span })
    }

    fn if_statement(&mut self, start: Span) -> Parsed<Statement> {
        self.advance();
        let condition = self.expr()?;
        let span = start.to(self.last_span());
        let then = self.block()?;
        let otherwise = match self.accept(Token::Key("else")) {
            true if self.peek() == Token::Key("if") => vec![self.nested(Self::statement)?],
            true => self.block()?,
            false => Vec::new(),
        };
        Ok(Statement { kind: StatementKind::If(condition, then, otherwise), span })
    }

    fn call_or_assignment(&mut self) -> Parsed<StatementKind> {
        let called = matches!(self.peek(), Token::Name(_) | Token::Key("lock"));
        if called && self.peek_after(1) == Token::Symbol("(") {
            let span = self.span();
            let text = match self.advance() {
                Token::Name(text) => text.to_string(),
                _ => "lock".to_string(),
            };
            return Ok(StatementKind::Call(Name { text, span }, self.arguments()?));
        }
        let place = self.expr()?;
        self.symbol(":=")?;
        Ok(StatementKind::Assign(place, self.expr()?))
    }

    pub fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.symbol("(")?;
        let mut arguments = Vec::new();
        while !self.accept(Token::Symbol(")")) {
            if !arguments.is_empty() {
                self.symbol(",")?;
            }
            arguments.push(self.expr()?);
        }
        Ok(arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> Diagnostic {
        parse(&Source::new("t.bir", text)).unwrap_err()
    }

    #[test]
    fn says_what_was_expected_and_where() {
        let found = error("system s {\n  record A extends {}\n}");
        assert_eq!((found.line, found.column), (2, 20));
        assert!(found.message.contains("the name of the record to extend"), "{found}");
        assert!(error("system s { thread T() { loc a: } }").message.contains("`when`"));
        assert!(error("system s {").message.contains("the end of the file"));
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let deep = format!("system s {{ const a = {}1; }}", "(".repeat(100_000));
        assert!(error(&deep).message.contains("levels deep"));
        let ifs = "if true {".repeat(100_000);
        let deep = format!("system s {{ thread T() {{ loc a: do {{ {ifs}");
        assert!(error(&deep).message.contains("levels deep"));
    }
}
