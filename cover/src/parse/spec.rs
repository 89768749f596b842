//! `.spec`: Petri nets of the MIST suite.
//!
//! `vars` names the places, `rules` lists `guard -> effect;`, `init` gives `x = n` or `x >= n` (any
//! number from n on) and zero for places it leaves out, each line of `target` is one conjunction of
//! `x >= n` and the lines are alternatives; `invariants` are hints that we do not rely on. An effect
//! is `x' = x + n` or `x' = x - n`; a sum with other places moves their tokens (`x' = x + y, y' = 0`,
//! a transfer). A rule that takes more than its guard asks for needs what it takes.

use super::lexer::{Token, Tokens};
use crate::config::{Config, Entry, OMEGA};
use crate::error::ParseError;
use crate::net::{MAX_PLACES, Net, Transition, collect_entries};
use rustc_hash::FxHashMap;

const SECTIONS: [&str; 5] = ["vars", "rules", "init", "target", "invariants"];

/// Parses a MIST `.spec` file.
pub fn parse(text: &str) -> Result<Net, ParseError> {
    let mut parser =
        Parser { tokens: Tokens::new(text)?, net: Net::default(), ids: FxHashMap::default() };
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
}

/// The right-hand side of `x' = …`: places summed and a constant.
struct Sum {
    places: Vec<u32>,
    constant: i64,
}

impl<'a> Parser<'a> {
    fn vars(&mut self) -> Result<(), ParseError> {
        self.tokens.expect_word("vars")?;
        while !self.tokens.at_word("rules") {
            let line = self.tokens.line();
            let name = self.tokens.expect_name("a place name or `rules`")?;
            let id = self.net.places.len();
            if id == MAX_PLACES {
                return Err(ParseError::new(line, format!("more than {MAX_PLACES} places")));
            }
            if self.ids.insert(name, id as u32).is_some() {
                return Err(ParseError::new(line, format!("place `{name}` is declared twice")));
            }
            self.net.places.push(name.to_string());
        }
        Ok(())
    }

    fn rules(&mut self) -> Result<(), ParseError> {
        self.tokens.expect_word("rules")?;
        while !self.tokens.at_word("init") {
            let line = self.tokens.line();
            let rule = self.rule(line)?;
            self.net.transitions.push(rule);
        }
        Ok(())
    }

    fn rule(&mut self, line: u32) -> Result<Transition, ParseError> {
        let mut guard = FxHashMap::default();
        while !self.tokens.take_sign("->") {
            let (place, count) = self.at_least_condition()?;
            let bound: &mut u32 = guard.entry(place).or_default();
            *bound = count.max(*bound);
            if !self.tokens.take_sign(",") && !matches!(self.tokens.peek(), Some(Token::Sign("->")))
            {
                return Err(self.tokens.expected("`,` or `->` after a guard"));
            }
        }
        let mut effects = Vec::new();
        while !self.tokens.take_sign(";") {
            effects.push(self.effect()?);
            let end = matches!(self.tokens.peek(), Some(Token::Sign(";")));
            if !self.tokens.take_sign(",") && !end {
                return Err(self.tokens.expected("`,` or `;` after an effect"));
            }
        }
        build_rule(guard, effects, line)
    }

    /// `x >= n`; a lone `true` or an empty guard is accepted by the caller.
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

    fn init(&mut self) -> Result<(), ParseError> {
        self.tokens.expect_word("init")?;
        let mut initial = FxHashMap::default();
        while !self.tokens.at_word("target") {
            let line = self.tokens.line();
            let place = self.place()?;
            let any = self.tokens.take_sign(">=");
            if !any {
                self.tokens.expect_sign("=")?;
            }
            let count = self.tokens.expect_number()?;
            if initial.insert(place, if any { OMEGA } else { count }).is_some() {
                let name = &self.net.places[place as usize];
                return Err(ParseError::new(line, format!("`{name}` is initialised twice")));
            }
            if any {
                self.net.at_least.push((place, count));
            }
            self.tokens.take_sign(",");
        }
        self.net.initial = Config::new(initial.into_iter().collect());
        Ok(())
    }

    /// One alternative per line: the line break is the only separator MIST has here.
    fn targets(&mut self) -> Result<(), ParseError> {
        let start = self.tokens.line();
        self.tokens.expect_word("target")?;
        let mut current: (u32, Vec<Entry>) = (0, Vec::new());
        let mut open = false;
        while self.tokens.peek().is_some() && !self.tokens.at_word("invariants") {
            let line = self.tokens.line();
            if line != current.0 && !open {
                self.push_target(&mut current);
            }
            current.0 = line;
            let condition = self.at_least_condition()?;
            current.1.push(condition);
            open = self.tokens.take_sign(",");
        }
        self.push_target(&mut current);
        if self.net.targets.is_empty() {
            return Err(ParseError::new(start, "empty target: expected lines such as `x >= 1`"));
        }
        Ok(())
    }

    fn push_target(&mut self, current: &mut (u32, Vec<Entry>)) {
        let conditions = std::mem::take(&mut current.1);
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
    fn finish(mut self) -> Result<Net, ParseError> {
        if self.tokens.take_word("invariants") {
            while self.tokens.peek().is_some() {
                if let Some(Token::Name(name)) = self.tokens.peek()
                    && SECTIONS.contains(name)
                {
                    return Err(self.tokens.expected("an invariant"));
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

fn build_rule(
    mut guard: FxHashMap<u32, u32>,
    effects: Vec<(u32, Sum)>,
    line: u32,
) -> Result<Transition, ParseError> {
    let overflow = || ParseError::new(line, "a counter of this rule exceeds the limit");
    let mut gains: Vec<(u32, i64)> = Vec::new();
    let mut kept: FxHashMap<u32, bool> = FxHashMap::default();
    let mut moves: FxHashMap<u32, u32> = FxHashMap::default();
    for (place, sum) in &effects {
        let own = sum.places.contains(place);
        if kept.insert(*place, own).is_some() {
            return Err(ParseError::new(line, "a place is assigned twice in this rule"));
        }
        if !own && sum.constant < 0 {
            return Err(ParseError::new(line, "a place would be set below zero"));
        }
        gains.push((*place, sum.constant));
        for &source in sum.places.iter().filter(|s| *s != place) {
            if moves.insert(source, *place).is_some() {
                return Err(ParseError::new(line, "the tokens of one place go to two others"));
            }
        }
    }
    check_moves(&kept, &moves, line)?;
    for &(place, gain) in gains.iter().filter(|g| g.1 < 0) {
        let need = u32::try_from(-gain).map_err(|_| overflow())?;
        let bound = guard.entry(place).or_default();
        *bound = need.max(*bound);
    }
    let destination = |place: u32| match moves.get(&place) {
        Some(&to) => Some(to),
        None => kept.get(&place).copied().unwrap_or(true).then_some(place),
    };
    let mut post: FxHashMap<u32, i64> = FxHashMap::default();
    for (&place, &count) in &guard {
        if let Some(to) = destination(place) {
            *post.entry(to).or_default() += i64::from(count);
        }
    }
    for (place, gain) in gains {
        *post.entry(place).or_default() += gain;
    }
    let positive = |(p, n): (u32, i64)| u32::try_from(n).map(|n| (p, n)).map_err(|_| overflow());
    let post: Vec<Entry> = post.into_iter().map(positive).collect::<Result<_, _>>()?;
    let mut transfers: Vec<(u32, u32)> = moves.into_iter().collect();
    transfers.sort_unstable();
    Ok(Transition {
        pre: collect_entries(guard).ok_or_else(overflow)?,
        post: collect_entries(post).ok_or_else(overflow)?,
        transfers,
        line,
    })
}

/// Moved places must be assigned (else their tokens would be doubled); emptied ones must be moved.
fn check_moves(
    kept: &FxHashMap<u32, bool>,
    moves: &FxHashMap<u32, u32>,
    line: u32,
) -> Result<(), ParseError> {
    if moves.keys().any(|source| kept.get(source).copied().unwrap_or(true)) {
        let message = "tokens would be copied: a place added to another must be set to a constant";
        return Err(ParseError::new(line, message));
    }
    if kept.iter().any(|(place, own)| !own && !moves.contains_key(place)) {
        let message =
            "a place is set to a constant: add it to another place (`y' = y + x, x' = 0`)";
        return Err(ParseError::new(line, message));
    }
    Ok(())
}
