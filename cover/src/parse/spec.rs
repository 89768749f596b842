//! `.spec`: Petri nets of the MIST suite.
//!
//! `vars` names the places, `rules` lists `guard -> effect;`, `init` gives `x = n`, `x >= n` (any
//! number from n on) or `x in [m, n]`, and zero for places it leaves out. `target` is a list of
//! alternatives, each a conjunction of `x >= n` joined by commas; `invariants` are hints that we do
//! not rely on. What an effect means is in `rule`. MIST also reads guards and targets with
//! upper bounds (`x = 0`), for which no complete method exists: they are refused.

use super::rule::{self, Rule, Sum};
use crate::config::{Config, Entry, MAX_COUNT, OMEGA};
use crate::net::{MAX_PLACES, Net};
use pidlab_syntax::{Cursor, Language, Parsed, Source, Token, quoted};
use rustc_hash::FxHashMap;

const LANGUAGE: Language = Language {
    comments: &["#", "//"],
    signs: &[">=", "->", "<=", "==", "!="],
    largest: MAX_COUNT as u64,
    ..Language::PLAIN
};

const SECTIONS: [&str; 5] = ["vars", "rules", "init", "target", "invariants"];

/// Parses a MIST `.spec` file.
pub fn parse(text: &str) -> Parsed<Net> {
    read(&Source::new(".spec", text))
}

/// The same within the budget of the source.
pub fn read(source: &Source) -> Parsed<Net> {
    let cursor = Cursor::new(source, &LANGUAGE);
    let mut parser = Parser { cursor, net: Net::default(), ids: FxHashMap::default() };
    parser.vars()?;
    parser.rules()?;
    parser.init()?;
    parser.targets()?;
    parser.finish()
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    net: Net,
    ids: FxHashMap<&'a str, u32>,
}

impl<'a> Parser<'a> {
    fn vars(&mut self) -> Parsed<()> {
        self.cursor.expect("vars")?;
        while !self.cursor.at("rules") {
            let span = self.cursor.span();
            let name = self.cursor.name("a place name or `rules`")?;
            let id = self.net.places.len();
            if id == MAX_PLACES {
                return Err(self.cursor.error(span, format!("more than {MAX_PLACES} places")));
            }
            if self.ids.insert(name, id as u32).is_some() {
                let message = format!("place {} is declared twice", quoted(name));
                return Err(self.cursor.error(span, message));
            }
            self.net.places.push(name);
        }
        Ok(())
    }

    fn rules(&mut self) -> Parsed<()> {
        self.cursor.expect("rules")?;
        while !self.cursor.at("init") {
            let rule = self.rule()?;
            rule::add(&mut self.net, rule, self.cursor.source())?;
        }
        Ok(())
    }

    fn rule(&mut self) -> Parsed<Rule> {
        let (line, start) = (self.cursor.line(), self.cursor.span());
        let mut guard = FxHashMap::default();
        while !self.cursor.accept("->") {
            if !self.takes_true() {
                let (place, count) = self.at_least_condition()?;
                let bound: &mut u32 = guard.entry(place).or_default();
                *bound = count.max(*bound);
            }
            if !self.cursor.accept(",") && !self.cursor.at("->") {
                return Err(self.cursor.expected("`,` or `->` after a guard"));
            }
        }
        let mut effects = Vec::new();
        while !self.cursor.accept(";") {
            effects.push(self.effect()?);
            if !self.cursor.accept(",") && !self.cursor.at(";") {
                return Err(self.cursor.expected("`,` or `;` after an effect"));
            }
        }
        Ok(Rule { guard, effects, line, span: start.to(self.cursor.last_span()) })
    }

    /// MIST's guard that always holds, unless a place has that name.
    fn takes_true(&mut self) -> bool {
        !self.ids.contains_key("true") && self.cursor.accept("true")
    }

    /// `x >= n`.
    fn at_least_condition(&mut self) -> Parsed<Entry> {
        let place = self.place()?;
        if !self.cursor.accept(">=") {
            return Err(self
                .cursor
                .expected("`>=` (only lower bounds keep the question decidable)"));
        }
        Ok((place, self.number()?))
    }

    fn effect(&mut self) -> Parsed<(u32, Sum)> {
        let place = self.place()?;
        self.cursor.expect("'")?;
        self.cursor.expect("=")?;
        let mut sum = Sum { places: Vec::new(), constant: 0 };
        let mut sign = if self.cursor.accept("-") { -1 } else { 1 };
        loop {
            self.term(sign, &mut sum)?;
            sign = match self.cursor.peek() {
                Token::Sign("+") => 1,
                Token::Sign("-") => -1,
                _ => return Ok((place, sum)),
            };
            self.cursor.advance();
        }
    }

    fn term(&mut self, sign: i64, sum: &mut Sum) -> Parsed<()> {
        if let Token::Number(_) = self.cursor.peek() {
            sum.constant += sign * i64::from(self.number()?);
            return Ok(());
        }
        if sign < 0 {
            return Err(self.cursor.expected("a number after `-`"));
        }
        let place = self.place()?;
        sum.places.push(place);
        Ok(())
    }

    fn place(&mut self) -> Parsed<u32> {
        let name = self.cursor.name("a place name")?;
        self.ids.get(name).copied().ok_or_else(|| {
            let message = format!("place {} is not declared under `vars`", quoted(name));
            self.cursor.error(self.cursor.last_span(), message)
        })
    }

    /// The language has no numbers that do not fit.
    fn number(&mut self) -> Parsed<u32> {
        self.cursor.number("a number").map(|value| value as u32)
    }

    fn init(&mut self) -> Parsed<()> {
        self.cursor.expect("init")?;
        let mut initial = FxHashMap::default();
        while !self.cursor.at("target") {
            let span = self.cursor.span();
            let place = self.place()?;
            let count = self.initial_count(place)?;
            if initial.insert(place, count).is_some() {
                let name = quoted(&self.net.places[place as usize]);
                return Err(self.cursor.error(span, format!("{name} is initialised twice")));
            }
            self.cursor.accept(",");
        }
        self.net.initial = Config::new(initial.into_iter().collect());
        Ok(())
    }

    /// The most tokens a place may start with: more of them never disable a step, so what can be
    /// covered from any allowed number can be covered from the largest.
    fn initial_count(&mut self, place: u32) -> Parsed<u32> {
        if self.cursor.accept(">=") {
            let least = self.number()?;
            self.net.at_least.push((place, least));
            return Ok(OMEGA);
        }
        if self.cursor.accept("in") {
            return self.interval();
        }
        if !self.cursor.accept("=") {
            return Err(self.cursor.expected("`=`, `>=` or `in [m, n]`"));
        }
        self.number()
    }

    /// `[m, n]`: the upper end.
    fn interval(&mut self) -> Parsed<u32> {
        self.cursor.expect("[")?;
        let start = self.cursor.span();
        let low = self.number()?;
        self.cursor.expect(",")?;
        let high = self.number()?;
        self.cursor.expect("]")?;
        if low > high {
            let span = start.to(self.cursor.last_span());
            return Err(self.cursor.error(span, format!("[{low}, {high}] is empty")));
        }
        Ok(high)
    }

    /// A comma joins conditions; without one the next alternative begins.
    fn targets(&mut self) -> Parsed<()> {
        let start = self.cursor.span();
        self.cursor.expect("target")?;
        let mut current = Vec::new();
        while self.cursor.peek() != Token::End && !self.cursor.at("invariants") {
            current.push(self.at_least_condition()?);
            if !self.cursor.accept(",") {
                self.push_target(&mut current);
            }
        }
        self.push_target(&mut current);
        if self.net.targets.is_empty() {
            let message = "empty target: expected lines such as `x >= 1`";
            return Err(self.cursor.error(start, message));
        }
        Ok(())
    }

    fn push_target(&mut self, current: &mut Vec<Entry>) {
        let conditions = std::mem::take(current);
        if conditions.is_empty() {
            return;
        }
        let mut bounds = FxHashMap::default();
        for (place, count) in conditions {
            let bound: &mut u32 = bounds.entry(place).or_default();
            *bound = count.max(*bound);
        }
        self.net.targets.push(Config::new(bounds.into_iter().collect()));
    }

    /// Checks that `invariants` is well formed and that nothing follows.
    fn finish(mut self) -> Parsed<Net> {
        if self.cursor.accept("invariants") {
            while self.cursor.peek() != Token::End {
                if SECTIONS.iter().any(|section| self.cursor.at(section)) {
                    return Err(self.cursor.expected("an invariant"));
                }
                self.place()?;
                self.cursor.expect("=")?;
                self.number()?;
                self.cursor.accept(",");
            }
        }
        Ok(self.net)
    }
}
