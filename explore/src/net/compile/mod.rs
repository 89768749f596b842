//! Tree to [`Net`]: constants, loops, names, types, classes.

mod classes;
mod constants;
pub(super) mod domains;
mod expressions;
mod transitions;

use super::compiled::{Condition, Faulty, Initial, Net, Place, Property, PropertyRule};
use super::syntax::tree::{self, InitialTree, NetTree, PropertyKind, TokenTree, Type};
use super::syntax::{Diagnostic, Source, Span, parse_net, parse_property};
use constants::{Constants, Value};
use expressions::Scope;
use std::collections::HashSet;

/// A constant given from outside: name and text of the value.
pub type Setting = (String, String);

/// Compiles a net with constants replaced by the settings and further properties.
pub fn compile(source: Source, settings: &[Setting], properties: &[String]) -> Result<Net, Faulty> {
    let tree = parse_net(&source)?;
    let constants = Constants::new(&source, &tree, settings)?;
    let mut compiler = Compiler::new(&source, &tree, constants)?;
    compiler.all(&tree)?;
    for text in properties {
        compiler.extra_property(text)?;
    }
    let mut net = compiler.net;
    net.source = source;
    let violations = classes::check(&net, &tree);
    if violations.is_empty() { Ok(net) } else { Err(Faulty(violations)) }
}

pub(super) struct Compiler<'s> {
    source: &'s Source,
    constants: Constants,
    net: Net,
    /// Who is being compiled, for the list of uses.
    by: String,
    /// Expressions compiled and loops run so far.
    steps: usize,
}

pub(super) type Compiled<T> = Result<T, Diagnostic>;

impl<'s> Compiler<'s> {
    fn new(source: &'s Source, tree: &NetTree, constants: Constants) -> Compiled<Compiler<'s>> {
        let net = Net {
            name: tree.name.text.clone(),
            source: Source::new("", ""),
            constants: constants.listing(tree),
            places: Vec::new(),
            labels: Vec::new(),
            transitions: Vec::new(),
            texts: Vec::new(),
            initial: Initial::default(),
            properties: Vec::new(),
            finals: None,
            uses: Vec::new(),
        };
        Ok(Compiler { source, constants, net, by: String::new(), steps: 0 })
    }

    fn all(&mut self, tree: &NetTree) -> Compiled<()> {
        self.places(tree)?;
        self.by = "the initial marking".into();
        self.initial(tree)?;
        for transition in &tree.transitions {
            self.by = format!("transition `{}`", transition.name.text);
            self.transition(transition)?;
        }
        for property in &tree.properties {
            self.property(property)?;
        }
        self.finals(tree)
    }

    fn places(&mut self, tree: &NetTree) -> Compiled<()> {
        let mut names = HashSet::new();
        for place in &tree.places {
            if !names.insert(&place.name.text) {
                let message = format!("place `{}` is declared twice", place.name.text);
                return Err(self.source.error(place.name.span, message));
            }
            let (name, types) = (place.name.text.clone(), place.types.clone());
            let mut domains = Vec::new();
            for (&kind, domain) in types.iter().zip(&place.domains) {
                let domain = domain.as_ref().map(|domain| self.domain(kind, domain));
                domains.push(domain.transpose()?);
            }
            let place = Place::new(name, place.kind, types, place.name.span).within(domains);
            self.net.places.push(place);
        }
        Ok(())
    }

    fn place_of(&self, name: &tree::Name) -> Compiled<usize> {
        self.net.place(&name.text).ok_or_else(|| {
            let message =
                format!("there is no place `{}`; declare it with place, flow or data", name.text);
            self.source.error(name.span, message)
        })
    }

    fn check_arity(&self, place: usize, token: &TokenTree) -> Compiled<()> {
        let expected = self.net.places[place].types.len();
        if token.args.len() == expected {
            return Ok(());
        }
        let name = &token.place.text;
        let found = token.args.len();
        let message = format!("a token of `{name}` has {expected} components, found {found}");
        Err(self.source.error(token.span, message))
    }

    fn text_number(&mut self, text: &str) -> i64 {
        let known = self.net.texts.iter().position(|known| known == text);
        known.unwrap_or_else(|| {
            self.net.texts.push(text.to_string());
            self.net.texts.len() - 1
        }) as i64
    }

    fn initial(&mut self, tree: &NetTree) -> Compiled<()> {
        let mut tokens = Vec::new();
        let mut roots = Vec::new();
        for item in &tree.initial {
            match item {
                InitialTree::Token(token) => self.initial_tokens(token, &mut tokens, &mut roots)?,
                InitialTree::Active(root, loops, _) => {
                    self.unrolled(loops, 0, &mut |c| {
                        let number = c.root(root)?;
                        roots.push(number);
                        Ok(())
                    })?;
                }
            }
        }
        if roots.is_empty() {
            // SACS'10, section 6, item 3: the generator alone holds a token
            roots.push(1);
        }
        roots.sort_unstable();
        roots.dedup();
        self.net.initial.tokens = tokens
            .into_iter()
            .map(|(place, fields)| (place, fields.iter().map(|f| f.word(&roots)).collect()))
            .collect();
        self.net.initial.roots = roots;
        Ok(())
    }

    fn initial_tokens(
        &mut self,
        token: &TokenTree,
        tokens: &mut Vec<(usize, Vec<Field>)>,
        roots: &mut Vec<u64>,
    ) -> Compiled<()> {
        let place = self.place_of(&token.place)?;
        self.check_arity(place, token)?;
        self.unrolled(&token.loops, 0, &mut |c| {
            let mut fields = Vec::new();
            let types = c.net.places[place].types.clone();
            for (component, (arg, kind)) in token.args.iter().zip(types).enumerate() {
                let field = c.initial_field(arg, kind, roots)?;
                if let Field::Word(word) = field {
                    c.check_in_domain((place, component), super::expr::value_of(word), arg.span)?;
                }
                fields.push(field);
            }
            if fields.is_empty() {
                fields.push(Field::Word(0));
            }
            tokens.push((place, fields));
            Ok(())
        })
    }

    fn initial_field(
        &mut self,
        arg: &tree::Expr,
        kind: Type,
        roots: &mut Vec<u64>,
    ) -> Compiled<Field> {
        if kind == Type::Pid {
            let number = self.root(arg)?;
            roots.push(number);
            return Ok(Field::Root(number));
        }
        let value = self.constants.value(self.source, arg)?;
        self.data_word(value, kind, arg.span).map(Field::Word)
    }

    /// `@i` with i positive.
    fn root(&mut self, expr: &tree::Expr) -> Compiled<u64> {
        let tree::ExprKind::Root(inner) = &expr.kind else {
            let message = "a pid of the initial marking is a root pid, such as @1";
            return Err(self.source.error(expr.span, message));
        };
        match self.constants.value(self.source, inner)? {
            Value::Int(number @ 1..) => Ok(number as u64),
            _ => Err(self.source.error(expr.span, "root pids are @1, @2, …")),
        }
    }

    /// A constant as a word of a token.
    fn data_word(&mut self, value: Value, kind: Type, span: Span) -> Compiled<u32> {
        let (word, found) = match value {
            Value::Int(v) => (super::expr::word_of(v), Type::Int),
            Value::Bool(v) => (Some(u32::from(v)), Type::Bool),
            Value::Text(t) => (super::expr::word_of(self.text_number(&t)), Type::Text),
            Value::List(_) => return Err(self.source.error(span, "a list is not a component")),
        };
        if found != kind {
            let message = format!("expected {}, found {}", kind.name(), found.name());
            return Err(self.source.error(span, message));
        }
        word.ok_or_else(|| self.source.error(span, "data are 32-bit integers; this is larger"))
    }

    /// Counts a step; an error if a limit is reached.
    fn count_step(&mut self, span: Span) -> Compiled<()> {
        self.steps += 1;
        self.source.poll(self.steps, span)
    }

    /// Runs `body` for every choice of the loop variables.
    fn unrolled(
        &mut self,
        loops: &[tree::Loop],
        depth: usize,
        body: &mut dyn FnMut(&mut Self) -> Compiled<()>,
    ) -> Compiled<()> {
        let Some(first) = loops.get(depth) else { return body(self) };
        for value in self.constants.range(self.source, &first.over)? {
            self.count_step(first.over.span)?;
            self.constants.push(&first.name.text, value);
            let result = self.unrolled(loops, depth + 1, body);
            self.constants.pop();
            result?;
        }
        Ok(())
    }

    fn condition(&mut self, expr: &tree::Expr, scope: &mut Scope) -> Compiled<Condition> {
        let expr = self.expect(expr, Type::Bool, scope)?;
        Ok(Condition { expr, slots: scope.slots() })
    }

    fn finals(&mut self, tree: &NetTree) -> Compiled<()> {
        self.by = "final".into();
        for expr in &tree.finals {
            let mut condition = self.condition(expr, &mut Scope::default())?;
            if let Some(other) = self.net.finals.take() {
                condition = condition.or(other, expr.span);
            }
            self.net.finals = Some(condition);
        }
        Ok(())
    }

    fn property(&mut self, tree: &tree::PropertyTree) -> Compiled<()> {
        self.by = format!("property `{}`", tree.name.text);
        let closed = |c: &mut Self, e| c.condition(e, &mut Scope::default());
        let rule = match &tree.kind {
            PropertyKind::Never(expr) => PropertyRule::Never(closed(self, expr)?),
            PropertyKind::Always(expr) => PropertyRule::Always(closed(self, expr)?),
            PropertyKind::Reach(expr) => PropertyRule::Reach(closed(self, expr)?),
            PropertyKind::Thread { name, after, never, until } => {
                let mut about = |expr| {
                    let mut scope = Scope::default();
                    scope.bind(&name.text, Type::Pid, 0);
                    self.condition(expr, &mut scope)
                };
                let (after, never) = (about(after)?, about(never)?);
                PropertyRule::Thread { after, never, until: until.as_ref().map(about).transpose()? }
            }
        };
        if self.net.properties.len() >= 60 {
            return Err(self.source.error(tree.name.span, "more than 60 properties in one run"));
        }
        self.net.properties.push(Property { name: tree.name.text.clone(), rule });
        Ok(())
    }

    /// A property given on the command line; its errors show its own text.
    fn extra_property(&mut self, text: &str) -> Compiled<()> {
        let source = Source::new("property", text);
        let tree = parse_property(&source)?;
        let mut inner = Compiler {
            source: &source,
            constants: self.constants.clone(),
            net: self.net.clone(),
            by: String::new(),
            steps: 0,
        };
        inner.property(&tree)?;
        self.net = inner.net;
        Ok(())
    }
}

/// A component of an initial token before the roots are numbered.
enum Field {
    Root(u64),
    Word(u32),
}

impl Field {
    fn word(&self, roots: &[u64]) -> u32 {
        match self {
            Field::Word(word) => *word,
            Field::Root(number) => roots.binary_search(number).unwrap_or(0) as u32,
        }
    }
}

impl Condition {
    fn or(self, other: Condition, span: Span) -> Condition {
        let slots = self.slots.max(other.slots);
        Condition { expr: other.expr.then(tree::Operator::Or, self.expr, span), slots }
    }
}
