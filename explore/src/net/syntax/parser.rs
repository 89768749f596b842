//! Tokens to tree, by recursive descent; nesting is bounded.

use super::tree::*;
use pidlab_syntax::{Cursor, Language, Parsed, Source, Span, Token};

pub fn parse_net(source: &Source) -> Parsed<NetTree> {
    let mut parser = Parser::new(source);
    let net = parser.net()?;
    parser.cursor.expect_end()?;
    Ok(net)
}

/// A property from the command line: `never EXPR`, `name = always EXPR`, …
pub fn parse_property(source: &Source) -> Parsed<PropertyTree> {
    let mut parser = Parser::new(source);
    let property = if parser.cursor.peek_after(1) == Token::Sign("=") {
        parser.property()?
    } else {
        let name = Name { text: source.text.trim().to_string(), span: parser.cursor.span() };
        PropertyTree { name, kind: parser.property_kind()? }
    };
    parser.cursor.expect_end()?;
    Ok(property)
}

/// A constant from the command line.
pub fn parse_expr(source: &Source) -> Parsed<Expr> {
    let mut parser = Parser::new(source);
    let expr = parser.list_without_brackets()?;
    parser.cursor.expect_end()?;
    Ok(expr)
}

/// Recursive descent.
pub(super) struct Parser<'s> {
    pub(super) cursor: Cursor<'s>,
}

impl<'s> Parser<'s> {
    fn new(source: &'s Source) -> Parser<'s> {
        Parser { cursor: Cursor::new(source, &LANGUAGE) }
    }

    /// Runs `inner` one level deeper.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.cursor.enter()?;
        let result = inner(self);
        self.cursor.leave();
        result
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let span = self.cursor.span();
        Ok(Name { text: self.cursor.name(what)?.to_string(), span })
    }

    /// A name that may be a keyword elsewhere.
    fn any_word(&mut self, what: &str) -> Parsed<Name> {
        let span = self.cursor.span();
        Ok(Name { text: self.cursor.word(what)?.to_string(), span })
    }

    fn net(&mut self) -> Parsed<NetTree> {
        self.cursor.expect("net")?;
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
        while self.cursor.peek() != Token::End {
            self.item(&mut net)?;
        }
        Ok(net)
    }

    fn item(&mut self, net: &mut NetTree) -> Parsed<()> {
        if self.cursor.accept("class") {
            net.class = Some(self.class()?);
        } else if self.cursor.accept("const") {
            let name = self.name("the name of a constant")?;
            self.cursor.expect("=")?;
            net.constants.push((name, self.list_without_brackets()?));
        } else if self.cursor.accept("place") {
            net.places.push(self.place(PlaceKind::Plain)?);
        } else if self.cursor.accept("flow") {
            net.places.push(self.place(PlaceKind::Flow)?);
        } else if self.cursor.accept("data") {
            net.places.push(self.place(PlaceKind::Data)?);
        } else if self.cursor.accept("init") {
            self.initial(&mut net.initial)?;
        } else if self.cursor.accept("transition") {
            net.transitions.push(self.transition()?);
        } else if self.cursor.accept("property") {
            net.properties.push(self.property()?);
        } else if self.cursor.accept("final") {
            net.finals.push(self.expr()?);
        } else {
            return Err(self.cursor.expected(ITEMS));
        }
        Ok(())
    }

    fn class(&mut self) -> Parsed<(Class, Span)> {
        let span = self.cursor.span();
        let class = match self.cursor.peek() {
            Token::Name("t-net") => Class::TNet,
            Token::Name("sacs") => Class::Sacs,
            _ => return Err(self.cursor.expected("`t-net` (ICTAC'08) or `sacs` (SACS'10)")),
        };
        self.cursor.advance();
        Ok((class, span))
    }

    fn place(&mut self, kind: PlaceKind) -> Parsed<PlaceTree> {
        let name = self.name("the name of a place")?;
        self.cursor.expect("(")?;
        let (mut types, mut domains) = (Vec::new(), Vec::new());
        while !self.cursor.accept(")") {
            types.push(self.type_name()?);
            domains.push(if self.cursor.accept("in") { Some(self.range()?) } else { None });
            if !self.cursor.at(")") {
                self.cursor.expect(",")?;
            }
        }
        Ok(PlaceTree { kind, name, types, domains })
    }

    fn type_name(&mut self) -> Parsed<Type> {
        let all = [Type::Pid, Type::Int, Type::Text, Type::Bool];
        match all.into_iter().find(|t| self.cursor.at(t.name())) {
            Some(found) => {
                self.cursor.advance();
                Ok(found)
            }
            None => Err(self.cursor.expected("pid, int, string or bool")),
        }
    }

    fn initial(&mut self, initial: &mut Vec<InitialTree>) -> Parsed<()> {
        loop {
            let span = self.cursor.span();
            if self.cursor.accept("active") {
                let root = self.primary()?;
                let loops = self.loops()?;
                initial.push(InitialTree::Active(root, loops, span.to(self.cursor.last_span())));
            } else {
                initial.push(InitialTree::Token(self.token()?));
            }
            if !self.cursor.accept(",") {
                return Ok(());
            }
        }
    }

    pub(super) fn tokens_of(&mut self) -> Parsed<Vec<TokenTree>> {
        let mut all = vec![self.token()?];
        while self.cursor.accept(",") {
            all.push(self.token()?);
        }
        Ok(all)
    }

    fn token(&mut self) -> Parsed<TokenTree> {
        let place = self.name("a place")?;
        self.cursor.expect("(")?;
        let mut args = Vec::new();
        while !self.cursor.accept(")") {
            args.push(self.expr()?);
            if !self.cursor.at(")") {
                self.cursor.expect(",")?;
            }
        }
        let loops = self.loops()?;
        let span = place.span.to(self.cursor.last_span());
        Ok(TokenTree { place, args, loops, span })
    }

    fn loops(&mut self) -> Parsed<Vec<Loop>> {
        let mut loops = Vec::new();
        while self.cursor.accept("for") {
            if loops.len() == MOST_LOOPS {
                return self.cursor.fail(format!("more than {MOST_LOOPS} loops in one another"));
            }
            let name = self.name("a loop variable")?;
            self.cursor.expect("in")?;
            loops.push(Loop { name, over: self.range()? });
        }
        Ok(loops)
    }

    pub(super) fn range(&mut self) -> Parsed<Expr> {
        let from = self.sum()?;
        if !self.cursor.accept("..") {
            return Ok(from);
        }
        let to = self.sum()?;
        let span = from.span.to(to.span);
        Ok(Expr { kind: ExprKind::Range(Box::new(from), Box::new(to)), span })
    }

    fn transition(&mut self) -> Parsed<TransitionTree> {
        let name = self.any_word("the name of a transition")?;
        let loops = self.loops()?;
        self.cursor.expect("{")?;
        let mut clauses = Vec::new();
        while !self.cursor.accept("}") {
            self.clause(&mut clauses)?;
            self.cursor.accept(";");
        }
        Ok(TransitionTree { name, loops, clauses })
    }

    fn clause(&mut self, clauses: &mut Vec<Clause>) -> Parsed<()> {
        if self.cursor.accept("take") {
            clauses.extend(self.tokens_of()?.into_iter().map(Clause::Take));
        } else if self.cursor.accept("read") {
            clauses.extend(self.tokens_of()?.into_iter().map(Clause::Read));
        } else if self.cursor.accept("put") {
            clauses.extend(self.tokens_of()?.into_iter().map(Clause::Put));
        } else if self.cursor.accept("active") {
            clauses.push(Clause::Active(self.name("a pid variable")?));
        } else if self.cursor.accept("create") {
            clauses.push(self.create()?);
        } else if self.cursor.accept("end") {
            clauses.push(Clause::End(self.name("a pid variable")?));
        } else if self.cursor.accept("guard") {
            clauses.push(Clause::Guard(self.expr()?));
        } else {
            return Err(self.cursor.expected("take, read, put, active, create, end, guard or `}`"));
        }
        Ok(())
    }

    fn create(&mut self) -> Parsed<Clause> {
        let child = self.name("a name for the child")?;
        let mut number = None;
        if self.cursor.accept("[") {
            number = Some(self.expr()?);
            self.cursor.expect("]")?;
        }
        self.cursor.expect("of")?;
        Ok(Clause::Create { child, number, parent: self.name("the creating pid")? })
    }

    fn property(&mut self) -> Parsed<PropertyTree> {
        let name = self.name("the name of a property")?;
        self.cursor.expect("=")?;
        Ok(PropertyTree { name, kind: self.property_kind()? })
    }

    fn property_kind(&mut self) -> Parsed<PropertyKind> {
        if self.cursor.accept("never") {
            return Ok(PropertyKind::Never(self.expr()?));
        }
        if self.cursor.accept("always") {
            return Ok(PropertyKind::Always(self.expr()?));
        }
        if self.cursor.accept("reach") {
            return Ok(PropertyKind::Reach(self.expr()?));
        }
        if !self.cursor.accept("thread") {
            return Err(self.cursor.expected("never, always, reach or thread"));
        }
        let name = self.name("a pid variable")?;
        self.cursor.expect(":")?;
        self.cursor.expect("after")?;
        let after = self.expr()?;
        self.cursor.expect("never")?;
        let never = self.expr()?;
        let until = if self.cursor.accept("until") { Some(self.expr()?) } else { None };
        Ok(PropertyKind::Thread { name, after, never, until })
    }
}

/// Most loops of one token or transition: each is inside those before it.
const MOST_LOOPS: usize = 100;

const ITEMS: &str = "class, const, place, flow, data, init, transition, property or final";

const LANGUAGE: Language = Language {
    comments: &["#"],
    signs: &["..", "==", "!=", "<=", ">="],
    keywords: &KEYWORDS,
    hyphenated: &["adjacent-sibling", "elder-sibling", "t-net"],
    unicode: true,
    texts: true,
    largest: i64::MAX as u64,
    depth: 100,
    ..Language::PLAIN
};

/// Words that are not names.
pub const KEYWORDS: [&str; 38] = [
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
