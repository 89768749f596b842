//! The checker's own reader of `.spec`; it shares no code with [`crate::parse`].
//!
//! A rule is read as what it says about numbers: a lower bound for some places, and for each
//! assigned place the places whose numbers it is the sum of, and a constant. Steps in terms of tokens
//! follow from that: a token of a place goes to the place whose sum contains it, stays if the place
//! is not assigned, and is lost otherwise; a constant below zero asks for tokens of the places of its
//! sum, one step for each least way to have them, in ascending order.

use super::backward::spread;
use super::fire::StepArcs;
use super::{Model, Unreadable};
use crate::budget::{Budget, Exhausted};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The place on which lost tokens are counted.
const LOST: &str = "(discarded)";

pub(crate) fn read(text: &[u8], budget: &Budget) -> Result<Model, Unreadable> {
    let mut words = Words { list: split(text, budget)?, at: 0, budget };
    words.must_be("vars")?;
    let mut names = Vec::new();
    while words.peek() != "rules" {
        names.push(words.next()?);
    }
    let mut model = Model::new(names.into_iter().collect(), budget)?;
    words.must_be("rules")?;
    let mut rules = Vec::new();
    while words.peek() != "init" {
        rules.push(Rule::read(&mut words, &model)?);
    }
    words.must_be("init")?;
    while words.peek() != "target" {
        read_start(&mut words, &mut model)?;
    }
    words.must_be("target")?;
    read_targets(&mut words, &mut model)?;
    let lost = model.places.len() as u32;
    if rules.iter().any(|rule| !rule.lost.is_empty()) {
        Arc::make_mut(&mut model.places).push(LOST);
    }
    model.initial.retain(|_, count| *count != Some(0));
    model.targets.iter_mut().for_each(|target| target.retain(|_, bound| *bound > 0));
    for rule in &rules {
        rule.add_steps(&mut model.steps, lost, budget)?;
    }
    Ok(model)
}

/// Words, numbers and signs with their lines; comments left out.
fn split<'a>(text: &'a [u8], budget: &Budget) -> Result<Vec<Word<'a>>, Exhausted> {
    let mut list = Vec::new();
    for (i, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let mut rest = line;
        budget.steps(1)?;
        while let Some(&first) = rest.first() {
            budget.steps(1)?;
            if first == b'#' || rest.starts_with(b"//") {
                break;
            }
            let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            let length = match rest.iter().take_while(|&byte| word(byte)).count() {
                0 if rest.starts_with(b">=") || rest.starts_with(b"->") => 2,
                0 => 1,
                length => length,
            };
            if !first.is_ascii_whitespace() {
                list.push((String::from_utf8_lossy(&rest[..length]), i + 1));
            }
            rest = &rest[length..];
        }
    }
    Ok(list)
}

/// A word and its line.
type Word<'a> = (Cow<'a, str>, usize);

struct Words<'a> {
    list: Vec<Word<'a>>,
    at: usize,
    budget: &'a Budget,
}

impl<'a> Words<'a> {
    /// The next word, empty at the end.
    fn peek(&self) -> &str {
        self.list.get(self.at).map_or("", |word| &word.0)
    }

    fn next(&mut self) -> Result<Cow<'a, str>, Unreadable> {
        self.budget.steps(1)?;
        let word = self.list.get(self.at).map(|word| word.0.clone());
        self.at += 1;
        word.ok_or_else(|| self.unreadable("the file ends too early"))
    }

    fn unreadable(&self, message: impl Into<String>) -> Unreadable {
        let line = self.list.get(self.at.saturating_sub(1)).or(self.list.last());
        Unreadable::Malformed { line: line.map_or(1, |word| word.1), message: message.into() }
    }

    fn takes(&mut self, word: &str) -> bool {
        let hit = self.peek() == word;
        self.at += usize::from(hit);
        hit
    }

    fn must_be(&mut self, word: &str) -> Result<(), Unreadable> {
        let found = self.next()?;
        if found == word {
            Ok(())
        } else {
            Err(self.unreadable(format!("`{found}`, not `{word}`")))
        }
    }

    fn number(&mut self) -> Result<u64, Unreadable> {
        let word = self.next()?;
        word.parse().map_err(|_| self.unreadable(format!("`{word}` is not a number")))
    }

    fn place(&mut self, model: &Model) -> Result<u32, Unreadable> {
        let name = self.next()?;
        let place = model.places.number(&name);
        place.ok_or_else(|| self.unreadable(format!("`{name}` is not a place")))
    }

    fn lower_bound(&mut self, model: &Model) -> Result<(u32, u64), Unreadable> {
        let place = self.place(model)?;
        self.must_be(">=")?;
        Ok((place, self.number()?))
    }
}

fn read_start(words: &mut Words, model: &mut Model) -> Result<(), Unreadable> {
    let place = words.place(model)?;
    if words.takes(">=") {
        model.initial.insert(place, None);
        model.at_least.insert(place, words.number()?);
    } else if words.takes("in") {
        words.must_be("[")?;
        words.number()?;
        words.must_be(",")?;
        model.initial.insert(place, Some(words.number()?));
        words.must_be("]")?;
    } else {
        words.must_be("=")?;
        model.initial.insert(place, Some(words.number()?));
    }
    words.takes(",");
    Ok(())
}

/// Conditions joined by commas are one target.
fn read_targets(words: &mut Words, model: &mut Model) -> Result<(), Unreadable> {
    let mut target = BTreeMap::new();
    while !matches!(words.peek(), "" | "invariants") {
        let (place, bound) = words.lower_bound(model)?;
        raise(&mut target, place, bound);
        if !words.takes(",") {
            model.targets.push(std::mem::take(&mut target));
        }
    }
    if !target.is_empty() {
        model.targets.push(target);
    }
    Ok(())
}

/// Keeps the larger of two lower bounds.
fn raise(bounds: &mut BTreeMap<u32, u64>, place: u32, bound: u64) {
    let kept = bounds.entry(place).or_insert(0);
    *kept = bound.max(*kept);
}

#[derive(Default)]
struct Rule {
    guard: BTreeMap<u32, u64>,
    /// Places that become a sum of places and a constant.
    sums: BTreeMap<u32, (BTreeSet<u32>, i64)>,
    /// The place whose sum contains a place.
    summed: BTreeMap<u32, u32>,
    /// Assigned places that occur in no sum.
    lost: BTreeSet<u32>,
}

impl Rule {
    fn read(words: &mut Words, model: &Model) -> Result<Rule, Unreadable> {
        let mut rule = Rule::default();
        while !words.takes("->") {
            let always = words.peek() == "true" && model.places.number("true").is_none();
            if always {
                words.next()?;
            } else {
                let (place, bound) = words.lower_bound(model)?;
                raise(&mut rule.guard, place, bound);
            }
            words.takes(",");
        }
        while !words.takes(";") {
            let place = words.place(model)?;
            words.must_be("'")?;
            words.must_be("=")?;
            let sum = read_sum(words, model)?;
            rule.sums.insert(place, sum);
            words.takes(",");
        }
        for (&to, (places, _)) in &rule.sums {
            words.budget.steps(1 + places.len())?;
            rule.summed.extend(places.iter().map(|&place| (place, to)));
        }
        rule.lost = rule.sums.keys().copied().filter(|p| !rule.summed.contains_key(p)).collect();
        Ok(rule)
    }

    /// Where the tokens of a place are afterwards.
    fn goes_to(&self, place: u32, lost: u32) -> u32 {
        match self.summed.get(&place) {
            Some(&to) => to,
            None if self.lost.contains(&place) => lost,
            None => place,
        }
    }

    fn add_steps(
        &self,
        steps: &mut Vec<StepArcs>,
        lost: u32,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let moves: BTreeMap<u32, BTreeSet<u32>> = self
            .summed
            .keys()
            .chain(&self.lost)
            .map(|&place| (place, BTreeSet::from([self.goes_to(place, lost)])))
            .filter(|(place, to)| !to.contains(place))
            .collect();
        for pre in self.least_guards(budget)? {
            budget.steps(1 + pre.len() + self.sums.len() + moves.len())?;
            let post = self.put_by(&pre, lost);
            steps.push(StepArcs { pre, post, moves: moves.clone() });
        }
        Ok(())
    }

    /// The guard, with what constants below zero ask for in every least way.
    fn least_guards(&self, budget: &Budget) -> Result<BTreeSet<BTreeMap<u32, u64>>, Exhausted> {
        let mut guard = self.guard.clone();
        guard.retain(|_, bound| *bound > 0);
        let mut guards = vec![guard];
        for (places, constant) in self.sums.values().filter(|(_, constant)| *constant < 0) {
            let places: Vec<u32> = places.iter().copied().collect();
            let mut wider = Vec::new();
            for guard in guards {
                budget.steps(1 + places.len())?;
                let has: u64 = places.iter().filter_map(|place| guard.get(place)).sum();
                let missing = constant.unsigned_abs().saturating_sub(has);
                spread(&guard, &places, missing, &mut wider, budget)?;
            }
            guards = wider;
        }
        guards.into_iter().map(|guard| budget.steps(1 + guard.len()).map(|()| guard)).collect()
    }

    /// Where the tokens of the guard are afterwards, with the constants.
    fn put_by(&self, guard: &BTreeMap<u32, u64>, lost: u32) -> BTreeMap<u32, u64> {
        let mut counts: BTreeMap<u32, i64> = BTreeMap::new();
        for (&place, &count) in guard {
            let sum = counts.entry(self.goes_to(place, lost)).or_insert(0);
            *sum = sum.saturating_add_unsigned(count);
        }
        for (&place, (_, constant)) in &self.sums {
            *counts.entry(place).or_insert(0) += constant;
        }
        let positive = counts.into_iter().filter(|(_, count)| *count > 0);
        positive.map(|(place, count)| (place, count.unsigned_abs())).collect()
    }
}

/// `x + y - 2`, with an optional sign before the first term.
fn read_sum(words: &mut Words, model: &Model) -> Result<(BTreeSet<u32>, i64), Unreadable> {
    let (mut places, mut constant) = (BTreeSet::new(), 0i64);
    let mut negative = words.takes("-");
    loop {
        if words.peek().starts_with(|c: char| c.is_ascii_digit()) {
            let number = words.number()?;
            let term = i64::try_from(number).map_err(|_| words.unreadable("too large"))?;
            constant = constant.saturating_add(if negative { -term } else { term });
        } else if !places.insert(words.place(model)?) {
            return Err(words.unreadable("a place is added to itself"));
        }
        negative = words.peek() == "-";
        if !negative && words.peek() != "+" {
            return Ok((places, constant));
        }
        words.next()?;
    }
}
