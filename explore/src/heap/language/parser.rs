//! Tokens to syntax tree: declarations, locations and statements. Expressions are in
//! [`super::expressions`]. Recursive descent with a bound on nesting, so that no text can exhaust the
//! stack.

use super::ast::*;
use pidlab_syntax::{Cursor, Language, Parsed, Source, Span, Token};

/// Recursive descent.
pub struct Parser<'s> {
    pub cursor: Cursor<'s>,
}

/// Parses a whole program.
pub fn parse(source: &Source) -> Parsed<System> {
    let mut parser = Parser { cursor: Cursor::new(source, &LANGUAGE) };
    let system = parser.system()?;
    match parser.cursor.peek() {
        Token::End => Ok(system),
        _ => Err(parser.cursor.expected("the end of the text after the system's `}`")),
    }
}

/// Parses a property given by itself.
pub fn parse_property(source: &Source) -> Parsed<Property> {
    let mut parser = Parser { cursor: Cursor::new(source, &LANGUAGE) };
    let property = parser.property()?;
    parser.cursor.expect_end()?;
    Ok(property)
}

impl Parser<'_> {
    pub fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.cursor.span();
        Ok(Name { text: self.cursor.name(what)?.to_string(), span })
    }

    /// Runs `inner` one level deeper.
    pub fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.cursor.enter()?;
        let result = inner(self);
        self.cursor.leave();
        result
    }

    fn system(&mut self) -> Parsed<System> {
        self.cursor.expect("system")?;
        let name = self.name("the system's name")?;
        self.cursor.expect("{")?;
        let mut system = System {
            name,
            constants: Vec::new(),
            records: Vec::new(),
            globals: Vec::new(),
            threads: Vec::new(),
            functions: Vec::new(),
            virtuals: Vec::new(),
            extensions: Vec::new(),
            properties: Vec::new(),
        };
        while !self.cursor.accept("}") {
            self.item(&mut system)?;
        }
        Ok(system)
    }

    fn item(&mut self, system: &mut System) -> Parsed<()> {
        match self.cursor.peek() {
            Token::Key("const") => system.constants.push(self.constant()?),
            Token::Key("top" | "record") => system.records.push(self.record()?),
            Token::Key("main" | "thread") => system.threads.push(self.thread()?),
            Token::Key("function") => system.functions.push(self.function()?),
            Token::Key("virtual") => system.virtuals.push(self.virtual_table()?),
            _ if self.at_property() => {
                self.cursor.advance();
                system.properties.push(self.property()?);
                self.cursor.expect(";")?;
            }
            _ if self.at_extension() => system.extensions.push(self.extension()?),
            _ if self.at_type() => {
                let global = self.variable()?;
                self.cursor.expect(";")?;
                system.globals.push(global);
            }
            _ => {
                let wanted = "`const`, `record`, `thread`, `function`, `virtual`, `extension`, `property`, a global variable or `}`";
                return Err(self.cursor.expected(wanted));
            }
        }
        Ok(())
    }

    fn constant(&mut self) -> Parsed<Constant> {
        self.cursor.expect("const")?;
        let name = self.name("the constant's name")?;
        let given = self.cursor.accept("=") || self.cursor.accept(":=");
        let value = given.then(|| self.expr()).transpose()?;
        self.cursor.expect(";")?;
        Ok(Constant { name, value })
    }

    fn record(&mut self) -> Parsed<Record> {
        let top = self.cursor.accept("top");
        self.cursor.expect("record")?;
        let name = self.name("the record's name")?;
        let extends = match self.cursor.accept("extends") {
            true => Some(self.name("the name of the record to extend")?),
            false => None,
        };
        self.cursor.expect("{")?;
        let mut fields = Vec::new();
        while !self.cursor.accept("}") {
            fields.push(self.plain_variable()?);
            self.cursor.expect(";")?;
        }
        Ok(Record { name, top, extends, fields })
    }

    /// `property x =`; the word is a name everywhere else.
    fn at_property(&mut self) -> bool {
        self.cursor.peek() == Token::Name("property")
            && self.cursor.peek_after(2) == Token::Sign("=")
    }

    fn property(&mut self) -> Parsed<Property> {
        let name = match (self.cursor.peek(), self.cursor.peek_after(1)) {
            (Token::Name(_), Token::Sign("=")) => {
                let name = self.name("the property's name")?;
                self.cursor.advance();
                Some(name)
            }
            _ => None,
        };
        let kind = match self.cursor.peek() {
            Token::Name("never") => PropertyKind::Never,
            Token::Name("always") => PropertyKind::Always,
            Token::Name("reach") => PropertyKind::Reach,
            _ => return Err(self.cursor.expected("`never`, `always` or `reach`")),
        };
        self.cursor.advance();
        Ok(Property { name, kind, condition: self.expr()? })
    }

    /// `extension X {`; the word is a name everywhere else.
    fn at_extension(&mut self) -> bool {
        self.cursor.peek() == Token::Name("extension")
            && self.cursor.peek_after(2) == Token::Sign("{")
    }

    fn extension(&mut self) -> Parsed<Extension> {
        self.cursor.advance();
        let name = self.name("the extension's name")?;
        self.cursor.expect("{")?;
        let (mut fields, mut operations) = (Vec::new(), Vec::new());
        while !self.cursor.accept("}") {
            let is_operation = self.cursor.peek() == Token::Name("operation")
                && self.cursor.peek_after(2) == Token::Sign("(");
            if is_operation {
                operations.push(self.operation()?);
            } else {
                fields.push(self.plain_variable()?);
                self.cursor.expect(";")?;
            }
        }
        Ok(Extension { name, fields, operations })
    }

    fn operation(&mut self) -> Parsed<Operation> {
        self.cursor.advance();
        let name = self.name("the operation's name")?;
        let parameters = self.parameters()?;
        let result = self.result_type()?;
        Ok(Operation { name, parameters, result, body: self.block()? })
    }

    fn result_type(&mut self) -> Parsed<Option<TypeName>> {
        self.cursor.accept("returns").then(|| self.type_name()).transpose()
    }

    /// Whether a type followed by a name starts here, rather than an expression.
    fn at_type(&mut self) -> bool {
        match self.cursor.peek() {
            Token::Key("boolean" | "int" | "lock" | "set" | "table") => {
                // `lock(m);` is a statement, `lock m;` a declaration.
                !self.cursor.at("lock") || self.cursor.peek_after(1) != Token::Sign("(")
            }
            Token::Name(_) => match self.cursor.peek_after(1) {
                Token::Name(_) => true,
                Token::Sign("[") => self.cursor.peek_after(2) == Token::Sign("]"),
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
        if self.cursor.accept(":=") {
            variable.value = Some(self.expr()?);
        }
        Ok(variable)
    }

    pub fn type_name(&mut self) -> Parsed<TypeName> {
        let of = self.nested(Self::element_type)?;
        let mut arrays = 0;
        while self.cursor.at("[") && self.cursor.peek_after(1) == Token::Sign("]") {
            if arrays == LANGUAGE.depth {
                return self.cursor.fail(format!("nested more than {arrays} levels deep"));
            }
            self.cursor.advance();
            self.cursor.advance();
            arrays += 1;
        }
        if arrays == 0 {
            return Ok(of);
        }
        let span = of.span.to(self.cursor.last_span());
        Ok(TypeName { kind: TypeKind::Array(Box::new(of), arrays), span })
    }

    /// A type without `[]` behind it.
    pub fn element_type(&mut self) -> Parsed<TypeName> {
        let start = self.cursor.span();
        let kind = match self.cursor.peek() {
            Token::Name(text) => {
                self.cursor.advance();
                TypeKind::Record(text.to_string())
            }
            Token::Key("boolean") => self.simple(TypeKind::Boolean),
            Token::Key("lock") => self.simple(TypeKind::Lock),
            Token::Key("int") => self.int_type()?,
            Token::Key("set") => {
                self.cursor.advance();
                self.cursor.expect("<")?;
                let element = self.type_name()?;
                self.cursor.expect(">")?;
                TypeKind::Set(Box::new(element))
            }
            Token::Key("table") => self.table_type()?,
            _ => return Err(self.cursor.expected("a type")),
        };
        Ok(TypeName { kind, span: start.to(self.cursor.last_span()) })
    }

    fn simple(&mut self, kind: TypeKind) -> TypeKind {
        self.cursor.advance();
        kind
    }

    fn int_type(&mut self) -> Parsed<TypeKind> {
        self.cursor.advance();
        if !self.cursor.accept("(") {
            return Ok(TypeKind::Int(None));
        }
        let low = self.expr()?;
        self.cursor.expect("..")?;
        let high = self.expr()?;
        self.cursor.expect(")")?;
        Ok(TypeKind::Int(Some(Box::new((low, high)))))
    }

    fn table_type(&mut self) -> Parsed<TypeKind> {
        self.cursor.advance();
        self.cursor.expect("<")?;
        let key = self.type_name()?;
        self.cursor.expect(",")?;
        let value = self.type_name()?;
        self.cursor.expect(">")?;
        Ok(TypeKind::Table(Box::new(key), Box::new(value)))
    }

    fn thread(&mut self) -> Parsed<Body> {
        let main = self.cursor.accept("main");
        self.cursor.expect("thread")?;
        let name = self.name("the thread's name")?;
        let parameters = self.parameters()?;
        self.body(Body { main, ..Body::new(name, parameters) })
    }

    fn function(&mut self) -> Parsed<Body> {
        self.cursor.expect("function")?;
        let name = self.name("the function's name")?;
        let parameters = self.parameters()?;
        let result = self.result_type()?;
        self.body(Body { result, ..Body::new(name, parameters) })
    }

    /// Local variables, locations and handlers of a thread or function.
    fn body(&mut self, mut body: Body) -> Parsed<Body> {
        self.cursor.expect("{")?;
        while self.at_type() {
            body.locals.push(self.variable()?);
            self.cursor.expect(";")?;
        }
        while !self.cursor.at("}") && !self.cursor.at("catch") {
            self.location_or_atomic(&mut body.locations)?;
        }
        while !self.cursor.accept("}") {
            body.handlers.push(self.handler()?);
        }
        Ok(body)
    }

    fn handler(&mut self) -> Parsed<Handler> {
        if !self.cursor.accept("catch") {
            return Err(self.cursor.expected("`catch` or `}`; handlers come behind all locations"));
        }
        let record = self.name("the name of a record")?;
        let variable = self.name("the name of a local variable")?;
        let at = match self.cursor.peek() {
            // a name everywhere else
            Token::Name("at") => {
                self.cursor.advance();
                Some(self.names("the name of a location")?)
            }
            _ => None,
        };
        if !self.cursor.accept("goto") {
            return Err(self.cursor.expected("`goto`, or `at` and locations before it"));
        }
        let target = self.name("the name of a location")?;
        self.cursor.expect(";")?;
        Ok(Handler { record, variable, at, target })
    }

    /// One or more names with commas between them.
    fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.cursor.accept(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    fn virtual_table(&mut self) -> Parsed<Virtual> {
        self.cursor.expect("virtual")?;
        let name = self.name("the name of the virtual function")?;
        self.cursor.expect("{")?;
        let mut entries = Vec::new();
        while !self.cursor.accept("}") {
            if !entries.is_empty() {
                self.cursor.expect(",")?;
            }
            let record = self.name("the name of a record")?;
            self.cursor.expect("->")?;
            entries.push((record, self.name("the name of a function")?));
        }
        Ok(Virtual { name, entries })
    }

    fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        self.cursor.expect("(")?;
        let mut parameters = Vec::new();
        while !self.cursor.accept(")") {
            if !parameters.is_empty() {
                self.cursor.expect(",")?;
            }
            parameters.push(self.plain_variable()?);
        }
        Ok(parameters)
    }

    fn location_or_atomic(&mut self, locations: &mut Vec<Location>) -> Parsed<()> {
        if !self.cursor.accept("atomic") {
            locations.push(self.location(false)?);
            return Ok(());
        }
        self.cursor.expect("{")?;
        while !self.cursor.accept("}") {
            locations.push(self.location(true)?);
        }
        Ok(())
    }

    fn location(&mut self, atomic: bool) -> Parsed<Location> {
        if !self.cursor.accept("loc") {
            return Err(self.cursor.expected(
                "`loc`, `when`, `do`, `goto`, `return`, `invoke`, `throw`, `catch` or `}`",
            ));
        }
        let name = self.name("the location's name")?;
        self.cursor.expect(":")?;
        let mut transformations = Vec::new();
        while self.at_transformation() {
            transformations.push(self.transformation()?);
        }
        if transformations.is_empty() {
            let wanted = "`when`, `do`, `goto`, `return`, `invoke` or `throw`";
            return Err(self.cursor.expected(wanted));
        }
        Ok(Location { name, atomic, transformations })
    }

    fn at_transformation(&mut self) -> bool {
        match self.cursor.peek() {
            Token::Key("when" | "do" | "goto" | "return" | "invoke" | "throw") => true,
            // `x := invoke f()`
            Token::Name(_) => self.cursor.peek_after(1) == Token::Sign(":="),
            _ => false,
        }
    }

    fn transformation(&mut self) -> Parsed<Transformation> {
        let start = self.cursor.span();
        let guard = self.cursor.accept("when").then(|| self.expr()).transpose()?;
        let has_body = self.cursor.accept("do");
        let body = if has_body { self.block()? } else { Vec::new() };
        let exit = self.exit()?;
        self.cursor.expect(";")?;
        Ok(Transformation { guard, body, exit, span: start.to(self.cursor.last_span()) })
    }

    fn exit(&mut self) -> Parsed<Exit> {
        match self.cursor.peek() {
            Token::Key("goto") => {
                self.cursor.advance();
                Ok(Exit::Goto(self.name("the name of a location")?))
            }
            Token::Key("return") => {
                self.cursor.advance();
                let nothing = self.cursor.at(";");
                Ok(Exit::Return((!nothing).then(|| self.expr()).transpose()?))
            }
            Token::Key("throw") => {
                self.cursor.advance();
                Ok(Exit::Throw(self.expr()?))
            }
            Token::Key("invoke") => self.invocation(None),
            Token::Name(_) if self.cursor.peek_after(1) == Token::Sign(":=") => {
                let result = self.name("the name of a local variable")?;
                self.cursor.advance();
                self.invocation(Some(result))
            }
            _ => Err(self.cursor.expected("`goto`, `return`, `invoke` or `throw`")),
        }
    }

    fn invocation(&mut self, result: Option<Name>) -> Parsed<Exit> {
        let start = self.cursor.span();
        if !self.cursor.accept("invoke") {
            return Err(self
                .cursor
                .expected("`invoke`; other values are assigned inside `do { }`"));
        }
        let is_virtual = self.cursor.accept("virtual");
        let function = self.name("the name of a function")?;
        let arguments = self.arguments()?;
        let span = start.to(self.cursor.last_span());
        self.cursor.expect("goto")?;
        let target = self.name("the name of a location")?;
        Ok(Exit::Invoke(Invocation { result, is_virtual, function, arguments, target, span }))
    }

    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.cursor.expect("{")?;
        let mut statements = Vec::new();
        while !self.cursor.accept("}") {
            statements.push(self.nested(Self::statement)?);
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.cursor.span();
        let kind = match self.cursor.peek() {
            Token::Key("if") => return self.if_statement(start),
            Token::Key("while") => {
                self.cursor.advance();
                let condition = self.expr()?;
                let head = start.to(self.cursor.last_span());
                let kind = StatementKind::While(condition, self.block()?);
                return Ok(Statement { kind, span: head });
            }
            Token::Key("start") => {
                self.cursor.advance();
                let name = self.name("the name of a thread")?;
                StatementKind::Start(name, self.arguments()?)
            }
            Token::Key("assert") => {
                self.cursor.advance();
                StatementKind::Assert(self.expr()?)
            }
            Token::Key("assume") => {
                self.cursor.advance();
                StatementKind::Assume(self.expr()?)
            }
            Token::Key("throw") => {
                self.cursor.advance();
                StatementKind::Throw(self.expr()?)
            }
            Token::Key("return") => {
                self.cursor.advance();
                let nothing = self.cursor.at(";");
                StatementKind::Return((!nothing).then(|| self.expr()).transpose()?)
            }
            _ if self.at_type() => StatementKind::Declare(self.variable()?),
            _ => self.call_or_assignment()?,
        };
        let span = start.to(self.cursor.last_span());
        self.cursor.expect(";")?;
        Ok(Statement { kind, span })
    }

    fn if_statement(&mut self, start: Span) -> Parsed<Statement> {
        self.cursor.advance();
        let condition = self.expr()?;
        let span = start.to(self.cursor.last_span());
        let then = self.block()?;
        let otherwise = match self.cursor.accept("else") {
            true if self.cursor.at("if") => vec![self.nested(Self::statement)?],
            true => self.block()?,
            false => Vec::new(),
        };
        Ok(Statement { kind: StatementKind::If(condition, then, otherwise), span })
    }

    fn call_or_assignment(&mut self) -> Parsed<StatementKind> {
        let called = matches!(self.cursor.peek(), Token::Name(_) | Token::Key("lock"));
        if called && self.cursor.peek_after(1) == Token::Sign("(") {
            let span = self.cursor.span();
            let text = self.cursor.word("the name of a procedure")?.to_string();
            return Ok(StatementKind::Call(Name { text, span }, self.arguments()?));
        }
        let place = self.expr()?;
        if self.cursor.at(";") && place.is_operation() {
            return Ok(StatementKind::Operation(place));
        }
        self.cursor.expect(":=")?;
        Ok(StatementKind::Assign(place, self.expr()?))
    }

    pub fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.cursor.expect("(")?;
        let mut arguments = Vec::new();
        while !self.cursor.accept(")") {
            if !arguments.is_empty() {
                self.cursor.expect(",")?;
            }
            arguments.push(self.expr()?);
        }
        Ok(arguments)
    }
}

/// `//` and `/* */` are comments.
pub const LANGUAGE: Language = Language {
    comments: &["//"],
    block_comments: Some(("/*", "*/")),
    signs: &["->", ":=", "==", "!=", "<=", ">=", "&&", "||", ".."],
    keywords: &[
        "system",
        "const",
        "top",
        "record",
        "extends",
        "thread",
        "main",
        "loc",
        "when",
        "do",
        "goto",
        "return",
        "atomic",
        "boolean",
        "int",
        "lock",
        "set",
        "table",
        "new",
        "null",
        "true",
        "false",
        "start",
        "assert",
        "assume",
        "function",
        "returns",
        "invoke",
        "virtual",
        "throw",
        "catch",
        "if",
        "else",
        "while",
        "instanceof",
        "as",
        "choose",
    ],
    largest: i32::MAX as u64,
    depth: 128,
    ..Language::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_syntax::Diagnostic;

    fn error(text: &str) -> Diagnostic {
        parse(&Source::new("t.bir", text)).unwrap_err()
    }

    #[test]
    fn says_what_was_expected_and_where() {
        let found = error("system s {\n  record A extends {}\n}");
        assert_eq!((found.line, found.column), (2, 20));
        assert!(found.message.contains("the name of the record to extend"), "{found}");
        assert!(error("system s { thread T() { loc a: } }").message.contains("`when`"));
        assert!(error("system s {").message.contains("the end of the text"));
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
