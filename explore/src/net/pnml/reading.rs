//! PNML nets as `.tnet` text: place/transition nets, and symmetric nets, whose colours become integers.
//!
//! A place has a component for each simple sort of its tokens: constants of enumerations count from 0, integers of
//! ranges are themselves, and the sort with one value needs no component. A variable that no token binds is a
//! loop of the transition. What has no counterpart (differences of multisets) is an error that points into
//! the PNML. The text is compiled like any other net, so that everything that works on nets works on these.

use super::sorts;
use crate::net::syntax::parser::KEYWORDS;
use crate::unique::unique;
use pidlab_pnml::{
    Arc, Comparison, Direction, Parsed, PnmlNet, Source, Term, TermKind, Transition, Values,
};
use std::collections::HashSet;
use std::fmt::Write;

/// Most tokens at the start and on one arc: each of them is a token of the net.
const MOST_TOKENS: u64 = 100_000;

/// The text of a net.
pub fn tnet_of(source: &Source, net: &PnmlNet) -> Parsed<String> {
    Converter::new(source, net).text()
}

struct Converter<'n> {
    source: &'n Source,
    net: &'n PnmlNet,
    places: Vec<String>,
    variables: Vec<String>,
    out: String,
}

/// Tokens of an arc: so many copies of a token, or one for each value of loops.
struct Tokens {
    components: Vec<String>,
    copies: u64,
    loops: Vec<String>,
}

impl<'n> Converter<'n> {
    fn new(source: &'n Source, net: &'n PnmlNet) -> Converter<'n> {
        let mut used = HashSet::new();
        let places = net.places.iter().map(|place| identifier(&place.id, &mut used)).collect();
        let mut used = HashSet::new();
        let variables = net.variables.iter().map(|v| identifier(&v.name, &mut used)).collect();
        Converter { source, net, places, variables, out: String::new() }
    }

    fn text(mut self) -> Parsed<String> {
        let name = identifier(&self.net.name, &mut HashSet::new());
        self.line(format_args!("net {name}\n"));
        for (place, name) in self.net.places.iter().zip(self.places.clone()) {
            let sorts = place.sort.map_or_else(Vec::new, |sort| self.simple_sorts(sort));
            let domain = |&sort: &usize| {
                let (first, last) = self.range(sort);
                format!("int in {first}..{last}")
            };
            let domains: Vec<String> = sorts.iter().map(domain).collect();
            self.line(format_args!("place {name}({})", domains.join(", ")));
        }
        for (number, place) in self.net.places.iter().enumerate() {
            let tokens = match &place.initial {
                Some(term) => self.tokens_of(term, number)?,
                None => vec![Tokens::plain(place.tokens)],
            };
            for tokens in tokens.iter().filter(|tokens| tokens.copies > 0) {
                self.bounded(place.span, tokens.copies)?;
                let tokens = self.shown(number, tokens);
                self.line(format_args!("init {tokens}"));
            }
        }
        let mut used = HashSet::new();
        for (number, transition) in self.net.transitions.iter().enumerate() {
            let name = identifier(&transition.id, &mut used);
            self.transition(number, &name, transition)?;
        }
        Ok(self.out)
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // writing to a string does not fail
        let _ = writeln!(self.out, "{text}");
    }

    fn bounded(&self, span: pidlab_pnml::Span, copies: u64) -> Parsed<()> {
        match copies > MOST_TOKENS {
            true => Err(self.source.error(span, format!("{copies} tokens; nets here have at most {MOST_TOKENS} in a place at the start or on an arc"))),
            false => Ok(()),
        }
    }

    fn transition(&mut self, number: usize, name: &str, transition: &Transition) -> Parsed<()> {
        let arcs = self.net.arcs.iter();
        let (mut takes, mut puts) = (Vec::new(), Vec::new());
        for arc in arcs {
            match arc.direction {
                Direction::Take { place, transition } if transition == number => {
                    takes.push((place, self.arc(arc)?));
                }
                Direction::Put { place, transition } if transition == number => {
                    puts.push((place, self.arc(arc)?));
                }
                _ => {}
            }
        }
        // what binds variables comes before what compares with them
        let is_plain = |tokens: &Tokens| tokens.components.iter().all(|c| is_name(c));
        takes.sort_by_key(|(_, all)| !all.iter().all(is_plain));
        let bound: HashSet<String> = takes
            .iter()
            .flat_map(|(_, all)| all.iter().filter(|tokens| tokens.loops.is_empty()))
            .flat_map(|tokens| tokens.components.iter().filter(|c| is_name(c)).cloned())
            .collect();
        let guard = transition.condition.as_ref().map(|term| self.condition(term)).transpose()?;
        let texts = takes.iter().chain(&puts).flat_map(|(_, all)| all);
        let texts = texts.flat_map(|tokens| tokens.components.iter()).chain(&guard);
        let used: String = texts.map(|text| format!("{text} ")).collect();
        let mut loops = String::new();
        for (variable, of) in self.net.variables.iter().enumerate() {
            for (name, sort) in
                self.components(variable).into_iter().zip(self.simple_sorts(of.sort))
            {
                if !bound.contains(&name) && mentions(&used, &name) {
                    let (first, last) = self.range(sort);
                    let _ = write!(loops, " for {name} in {first}..{last}");
                }
            }
        }
        self.line(format_args!("transition {name}{loops} {{"));
        for (word, arcs) in [("take", &takes), ("put", &puts)] {
            for (place, all) in arcs {
                for tokens in all.iter().filter(|tokens| tokens.copies > 0) {
                    let tokens = self.shown(*place, tokens);
                    self.line(format_args!("  {word} {tokens}"));
                }
            }
        }
        if let Some(guard) = guard {
            self.line(format_args!("  guard {guard}"));
        }
        self.line(format_args!("}}"));
        Ok(())
    }

    fn arc(&self, arc: &Arc) -> Parsed<Vec<Tokens>> {
        let (Direction::Take { place, .. } | Direction::Put { place, .. }) = arc.direction;
        let tokens = match &arc.term {
            Some(term) => self.tokens_of(term, place)?,
            None => vec![Tokens::plain(arc.weight)],
        };
        for tokens in &tokens {
            self.bounded(arc.span, tokens.copies)?;
        }
        Ok(tokens)
    }

    fn shown(&self, place: usize, tokens: &Tokens) -> String {
        let mut text = format!("{}({})", self.places[place], tokens.components.join(", "));
        for each in &tokens.loops {
            let _ = write!(text, " for {each}");
        }
        if tokens.copies > 1 {
            let _ = write!(text, " for copy_ in 1..{}", tokens.copies);
        }
        text
    }

    /// The simple sorts that the values of a sort are made of; those with one value say nothing.
    fn simple_sorts(&self, sort: usize) -> Vec<usize> {
        match &self.net.sorts[sort].values {
            Values::Dot => Vec::new(),
            Values::Enumeration { .. } | Values::Range(..) => vec![sort],
            Values::Product(parts) => {
                parts.iter().flat_map(|&part| self.simple_sorts(part)).collect()
            }
        }
    }

    /// First and last value of a simple sort.
    fn range(&self, sort: usize) -> (i64, i64) {
        match &self.net.sorts[sort].values {
            Values::Enumeration { constants, .. } => (0, constants.len() as i64 - 1),
            Values::Range(first, last) => (*first, *last),
            Values::Dot | Values::Product(_) => (0, 0),
        }
    }

    /// The names that stand for a variable, one for each simple sort.
    fn components(&self, variable: usize) -> Vec<String> {
        let name = &self.variables[variable];
        match self.simple_sorts(self.net.variables[variable].sort).len() {
            1 => vec![name.clone()],
            several => (1..=several).map(|part| format!("{name}_{part}")).collect(),
        }
    }

    /// A multiset as tokens of a place.
    fn tokens_of(&self, term: &Term, place: usize) -> Parsed<Vec<Tokens>> {
        if let Some(sort) = self.net.places[place].sort {
            sorts::fits(self.source, self.net, term, sort)?;
        }
        self.tokens(term)
    }

    /// A multiset as tokens.
    fn tokens(&self, term: &Term) -> Parsed<Vec<Tokens>> {
        match &term.kind {
            TermKind::Empty => Ok(Vec::new()),
            TermKind::Add(parts) => {
                let parts: Parsed<Vec<_>> = parts.iter().map(|part| self.tokens(part)).collect();
                Ok(parts?.into_iter().flatten().collect())
            }
            TermKind::NumberOf(copies, part) => {
                let mut tokens = self.tokens(part)?;
                for tokens in &mut tokens {
                    tokens.copies = tokens.copies.saturating_mul(*copies);
                }
                Ok(tokens)
            }
            TermKind::All(sort) => {
                let sorts = self.simple_sorts(*sort);
                let components: Vec<String> =
                    (0..sorts.len()).map(|i| format!("all_{i}")).collect();
                let loops = components.iter().zip(sorts).map(|(name, sort)| {
                    let (first, last) = self.range(sort);
                    format!("{name} in {first}..{last}")
                });
                let loops = loops.collect();
                Ok(vec![Tokens { components, copies: 1, loops }])
            }
            TermKind::Tuple(parts)
                if parts.iter().any(|part| matches!(part.kind, TermKind::All(_))) =>
            {
                Err(self.source.error(
                    term.span,
                    "expected a tuple of values: <all> inside a tuple has no counterpart in .tnet",
                ))
            }
            TermKind::Subtract(_) => Err(self.source.error(
                term.span,
                "expected a sum of tokens: differences of multisets have no counterpart in .tnet",
            )),
            _ => Ok(vec![Tokens { components: self.value(term)?, copies: 1, loops: Vec::new() }]),
        }
    }

    /// A value as components.
    fn value(&self, term: &Term) -> Parsed<Vec<String>> {
        match &term.kind {
            TermKind::Variable(variable) => Ok(self.components(*variable)),
            TermKind::Constant(_, position) => Ok(vec![position.to_string()]),
            TermKind::Integer(value, _) => Ok(vec![value.to_string()]),
            TermKind::Dot => Ok(Vec::new()),
            TermKind::Tuple(parts) => {
                let parts: Parsed<Vec<_>> = parts.iter().map(|part| self.value(part)).collect();
                Ok(parts?.into_iter().flatten().collect())
            }
            TermKind::Successor(part) => self.neighbor(part, 1),
            TermKind::Predecessor(part) => self.neighbor(part, -1),
            _ => {
                Err(self.source.error(term.span, "expected a value: a variable, constant or tuple"))
            }
        }
    }

    /// The value after or before another, all round.
    fn neighbor(&self, term: &Term, step: i64) -> Parsed<Vec<String>> {
        let sort = sorts::of(self.net, term).filter(|&sort| self.simple_sorts(sort) == [sort]);
        let Some(sort) = sort else {
            let message = "expected a value of an enumeration or range, which has neighbours";
            return Err(self.source.error(term.span, message));
        };
        let (first, last) = self.range(sort);
        let count = last - first + 1;
        let shift = if step > 0 { 1 } else { count - 1 };
        let value = self.value(term)?.join("");
        Ok(vec![match first {
            0 => format!("({value} + {shift}) % {count}"),
            first => format!("({first} + ({value} - {first} + {shift}) % {count})"),
        }])
    }

    fn condition(&self, term: &Term) -> Parsed<String> {
        let joined = |parts: &[Term], word: &str, none: &str| {
            let parts: Parsed<Vec<String>> =
                parts.iter().map(|part| self.condition(part)).collect();
            let parts = parts?;
            Ok(if parts.is_empty() { none.into() } else { format!("({})", parts.join(word)) })
        };
        match &term.kind {
            TermKind::Truth(value) => Ok(value.to_string()),
            TermKind::And(parts) => joined(parts, " and ", "true"),
            TermKind::Or(parts) => joined(parts, " or ", "false"),
            TermKind::Not(part) => Ok(format!("(not {})", self.condition(part)?)),
            TermKind::Compare(comparison, both) => self.comparison(term, *comparison, both),
            _ => Err(self.source.error(term.span, "expected a condition")),
        }
    }

    fn comparison(
        &self,
        term: &Term,
        comparison: Comparison,
        (left, right): &(Term, Term),
    ) -> Parsed<String> {
        for (one, other) in [(left, right), (right, left)] {
            if let Some(sort) = sorts::of(self.net, one) {
                sorts::fits(self.source, self.net, other, sort)?;
            }
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        let (sign, word) = match comparison {
            Comparison::Equal => ("==", " and "),
            Comparison::Different => ("!=", " or "),
            Comparison::Less => ("<", ""),
            Comparison::AtMost => ("<=", ""),
            Comparison::Greater => (">", ""),
            Comparison::AtLeast => (">=", ""),
        };
        if left.len() != right.len() || left.is_empty() || word.is_empty() && left.len() > 1 {
            let message = "expected two values of one sort; only single values are ordered";
            return Err(self.source.error(term.span, message));
        }
        let pairs = left.iter().zip(&right).map(|(l, r)| format!("{l} {sign} {r}"));
        Ok(format!("({})", pairs.collect::<Vec<_>>().join(word)))
    }
}

impl Tokens {
    /// Tokens that are all alike.
    fn plain(copies: u64) -> Tokens {
        Tokens { components: Vec::new(), copies, loops: Vec::new() }
    }
}

/// A component that is a name and not an expression.
fn is_name(component: &str) -> bool {
    component.starts_with(|c: char| c == '_' || c.is_alphabetic())
        && component.chars().all(|c| c == '_' || c.is_alphanumeric())
}

/// Whether a name is a word of a text.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|word| word == name)
}

/// A name that the language has, close to the one given and not used before.
fn identifier(text: &str, used: &mut HashSet<String>) -> String {
    let mut name: String =
        text.chars().map(|c| if c == '_' || c.is_alphanumeric() { c } else { '_' }).collect();
    let starts = name.starts_with(|c: char| c == '_' || c.is_alphabetic());
    if !starts || name == "_" || KEYWORDS.contains(&name.as_str()) {
        name = format!("x_{name}");
    }
    unique(&name, used)
}
