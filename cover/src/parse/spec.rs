//! `.spec`: Petri nets of the MIST suite.
//!
//! `vars` names the places, `rules` lists `guard -> effect;`, `init` gives `x = n`, `x >= n` (any
//! number from n on) or `x in [m, n]`, and zero for places it leaves out. `target` is a list of
//! alternatives, each a conjunction of `x >= n` joined by commas; `invariants` are hints that we do
//! not rely on. What an effect means is in `rule`. MIST also reads guards and targets with
//! upper bounds (`x = 0`), for which no complete method exists: they are refused.

use super::lexer::{Token, Tokens};
use super::rule::{self, Rule, Sum};
use super::unlimited;
use crate::budget::Budget;
use crate::config::{Config, Entry, OMEGA};
use crate::error::{ParseError, ReadError};
use crate::net::{MAX_PLACES, Net};
use rustc_hash::FxHashMap;

const SECTIONS: [&str; 5] = ["vars", "rules", "init", "target", "invariants"];

/// Parses a MIST `.spec` file.
pub fn parse(text: &str) -> Result<Net, ParseError> {
    unlimited(|budget| read(text, budget))
}

/// The same within a budget.
pub fn read(text: &str, budget: &Budget) -> Result<Net, ReadError> {
    let tokens = Tokens::new(text, budget)?;
    let mut parser = Parser { tokens, net: Net::default(), ids: FxHashMap::default(), budget };
    parser.vars()?;
    parser.rules()?;
    parser.init()?;
    parser.targets()?;
    parser.finish()
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    net: Net,
    ids: FxHashMap<&'a str, u32>,
    budget: &'a Budget,
}

impl<'a> Parser<'a> {
    fn vars(&mut self) -> Result<(), ReadError> {
        self.tokens.expect_word("vars")?;
        while !self.tokens.at_word("rules") {
            self.budget.steps(1)?;
            let line = self.tokens.line();
            let name = self.tokens.expect_name("a place name or `rules`")?;
            let id = self.net.places.len();
            if id == MAX_PLACES {
                return Err(ParseError::new(line, format!("more than {MAX_PLACES} places")).into());
            }
            if self.ids.insert(name, id as u32).is_some() {
                let message = format!("place `{name}` is declared twice");
                return Err(ParseError::new(line, message).into());
            }
            self.net.places.push(name.to_string());
        }
        Ok(())
    }

    fn rules(&mut self) -> Result<(), ReadError> {
        self.tokens.expect_word("rules")?;
        while !self.tokens.at_word("init") {
            let line = self.tokens.line();
            let rule = self.rule(line)?;
            rule::add(&mut self.net, rule, self.budget)?;
        }
        Ok(())
    }

    fn rule(&mut self, line: u32) -> Result<Rule, ReadError> {
        let mut guard = FxHashMap::default();
        while !self.tokens.take_sign("->") {
            self.budget.steps(1)?;
            if !self.takes_true() {
                let (place, count) = self.at_least_condition()?;
                let bound: &mut u32 = guard.entry(place).or_default();
                *bound = count.max(*bound);
            }
            if !self.tokens.take_sign(",") && !matches!(self.tokens.peek(), Some(Token::Sign("->")))
            {
                return Err(self.tokens.expected("`,` or `->` after a guard").into());
            }
        }
        let mut effects = Vec::new();
        while !self.tokens.take_sign(";") {
            self.budget.steps(1)?;
            effects.push(self.effect()?);
            let end = matches!(self.tokens.peek(), Some(Token::Sign(";")));
            if !self.tokens.take_sign(",") && !end {
                return Err(self.tokens.expected("`,` or `;` after an effect").into());
            }
        }
        Ok(Rule { guard, effects, line })
    }

    /// MIST's guard that always holds, unless a place has that name.
    fn takes_true(&mut self) -> bool {
        !self.ids.contains_key("true") && self.tokens.take_word("true")
    }

    /// `x >= n`.
    fn at_least_condition(&mut self) -> Result<Entry, ParseError> {
        let place = self.place()?;
        if !self.tokens.take_sign(">=") {
            return Err(self
                .tokens
                .expected("`>=` (only lower bounds keep the question decidable)"));
        }
        Ok((place, self.tokens.expect_number()?))
    }

    fn effect(&mut self) -> Result<(u32, Sum), ParseError> {
        let place = self.place()?;
        self.tokens.expect_sign("'")?;
        self.tokens.expect_sign("=")?;
        let mut sum = Sum { places: Vec::new(), constant: 0 };
        let mut sign = if self.tokens.take_sign("-") { -1 } else { 1 };
        loop {
            self.term(sign, &mut sum)?;
            sign = match self.tokens.peek() {
                Some(Token::Sign("+")) => 1,
                Some(Token::Sign("-")) => -1,
                _ => return Ok((place, sum)),
            };
            self.tokens.take();
        }
    }

    fn term(&mut self, sign: i64, sum: &mut Sum) -> Result<(), ParseError> {
        if let Some(Token::Number(_)) = self.tokens.peek() {
            sum.constant += sign * i64::from(self.tokens.expect_number()?);
            return Ok(());
        }
        if sign < 0 {
            return Err(self.tokens.expected("a number after `-`"));
        }
        let place = self.place()?;
        sum.places.push(place);
        Ok(())
    }

    fn place(&mut self) -> Result<u32, ParseError> {
        let line = self.tokens.line();
        let name = self.tokens.expect_name("a place name")?;
        self.ids.get(name).copied().ok_or_else(|| {
            ParseError::new(line, format!("place `{name}` is not declared under `vars`"))
        })
    }

    fn init(&mut self) -> Result<(), ReadError> {
        self.tokens.expect_word("init")?;
        let mut initial = FxHashMap::default();
        while !self.tokens.at_word("target") {
            self.budget.steps(1)?;
            let line = self.tokens.line();
            let place = self.place()?;
            let count = self.initial_count(place)?;
            if initial.insert(place, count).is_some() {
                let name = &self.net.places[place as usize];
                return Err(ParseError::new(line, format!("`{name}` is initialised twice")).into());
            }
            self.tokens.take_sign(",");
        }
        self.net.initial = Config::new(initial.into_iter().collect());
        Ok(())
    }

    /// The most tokens a place may start with: more of them never disable a step, so what can be
    /// covered from any allowed number can be covered from the largest.
    fn initial_count(&mut self, place: u32) -> Result<u32, ParseError> {
        if self.tokens.take_sign(">=") {
            let least = self.tokens.expect_number()?;
            self.net.at_least.push((place, least));
            return Ok(OMEGA);
        }
        if self.tokens.take_word("in") {
            return self.interval();
        }
        if !self.tokens.take_sign("=") {
            return Err(self.tokens.expected("`=`, `>=` or `in [m, n]`"));
        }
        self.tokens.expect_number()
    }

    /// `[m, n]`: the upper end.
    fn interval(&mut self) -> Result<u32, ParseError> {
        self.tokens.expect_sign("[")?;
        let line = self.tokens.line();
        let low = self.tokens.expect_number()?;
        self.tokens.expect_sign(",")?;
        let high = self.tokens.expect_number()?;
        self.tokens.expect_sign("]")?;
        if low > high {
            return Err(ParseError::new(line, format!("[{low}, {high}] is empty")));
        }
        Ok(high)
    }

    /// A comma joins conditions; without one the next alternative begins.
    fn targets(&mut self) -> Result<(), ReadError> {
        let start = self.tokens.line();
        self.tokens.expect_word("target")?;
        let mut current = Vec::new();
        while self.tokens.peek().is_some() && !self.tokens.at_word("invariants") {
            self.budget.steps(1)?;
            current.push(self.at_least_condition()?);
            if !self.tokens.take_sign(",") {
                self.push_target(&mut current);
            }
        }
        self.push_target(&mut current);
        if self.net.targets.is_empty() {
            let message = "empty target: expected lines such as `x >= 1`";
            return Err(ParseError::new(start, message).into());
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
    fn finish(mut self) -> Result<Net, ReadError> {
        if self.tokens.take_word("invariants") {
            while self.tokens.peek().is_some() {
                self.budget.steps(1)?;
                if let Some(Token::Name(name)) = self.tokens.peek()
                    && SECTIONS.contains(name)
                {
                    return Err(self.tokens.expected("an invariant").into());
                }
                self.place()?;
                self.tokens.expect_sign("=")?;
                self.tokens.expect_number()?;
                self.tokens.take_sign(",");
            }
        }
        Ok(self.net)
    }
}
