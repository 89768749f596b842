//! Random `.spec` files, and what their rules mean taken literally: lower bounds and simultaneous
//! assignments on vectors of numbers, searched forwards and backwards in the simplest way.

use super::{Known, draw, product};
use crate::shrink::fewest;
use pidlab_random::Rng;
use std::collections::BTreeSet;
use std::fmt::Write;

/// `x' = Σ sum + constant`.
#[derive(Clone, Debug)]
struct Assignment {
    place: usize,
    sum: Vec<usize>,
    constant: i64,
}

#[derive(Clone, Debug)]
struct Rule {
    guard: Vec<(usize, i64)>,
    assignments: Vec<Assignment>,
}

#[derive(Clone, Copy, Debug)]
enum Start {
    Fixed(i64),
    AtLeast(i64),
    Between(i64, i64),
}

/// A Petri net with transfers and resets, and targets.
#[derive(Clone, Debug)]
pub struct Spec {
    places: usize,
    rules: Vec<Rule>,
    start: Vec<Start>,
    targets: Vec<Vec<i64>>,
}

type Vector = Vec<i64>;

impl Rule {
    /// Tokens stay, go to another place or are lost; constants come on top.
    fn random(random: &mut Rng, places: usize) -> Rule {
        let bound = places as u32;
        let mut destination: Vec<Option<usize>> = (0..places).map(Some).collect();
        for _ in 0..draw(random, 3).saturating_sub(1) + draw(random, 2) {
            let from = draw(random, bound) as usize;
            destination[from] = (draw(random, 4) > 0).then(|| draw(random, bound) as usize);
        }
        let mut assignments = Vec::new();
        for place in 0..places {
            let sum: Vec<usize> = (0..places).filter(|q| destination[*q] == Some(place)).collect();
            let mut constant = i64::from(draw(random, 5)) - 2;
            if draw(random, 2) == 0 {
                constant = 0;
            }
            if sum.is_empty() {
                constant = constant.max(0);
            }
            if sum != [place] || constant != 0 {
                assignments.push(Assignment { place, sum, constant });
            }
        }
        let guard = (0..draw(random, 3))
            .map(|_| (draw(random, bound) as usize, i64::from(draw(random, 3))))
            .collect();
        Rule { guard, assignments }
    }

    fn text(&self) -> String {
        let guard: Vec<String> = self.guard.iter().map(|(p, n)| format!("x{p} >= {n}")).collect();
        let guard = if guard.is_empty() { "true".into() } else { guard.join(", ") };
        let assignments: Vec<String> = self.assignments.iter().map(Assignment::text).collect();
        format!("{guard} -> {};", assignments.join(", "))
    }

    fn fire(&self, marking: &Vector) -> Option<Vector> {
        let mut after = marking.clone();
        for a in &self.assignments {
            after[a.place] = a.sum.iter().map(|&q| marking[q]).sum::<i64>() + a.constant;
        }
        let enabled = self.guard.iter().all(|&(p, n)| marking[p] >= n);
        (enabled && after.iter().all(|n| *n >= 0)).then_some(after)
    }

    /// The least markings from which the rule leads above `need`.
    fn predecessors(&self, need: &Vector) -> Vec<Vector> {
        let mut base = vec![0; need.len()];
        let mut missing: Vec<BTreeSet<u32>> = Vec::new();
        for (place, &count) in need.iter().enumerate() {
            match self.assignments.iter().find(|a| a.place == place) {
                None => base[place] = count,
                Some(a) if a.sum.is_empty() && a.constant < count => return Vec::new(),
                Some(a) => {
                    let sources: BTreeSet<u32> = a.sum.iter().map(|&q| q as u32).collect();
                    let tokens = (count - a.constant).max(0) as usize;
                    if !sources.is_empty() {
                        missing.extend(vec![sources; tokens]);
                    }
                }
            }
        }
        let with_guard = |more: Vec<u32>| -> Vector {
            let bound = |p: usize| self.guard.iter().filter(|g| g.0 == p).map(|g| g.1).max();
            let least = |p: usize| (base[p] + i64::from(more[p])).max(bound(p).unwrap_or(0));
            (0..need.len()).map(least).collect()
        };
        product(need.len(), missing).into_iter().map(with_guard).collect()
    }
}

impl Assignment {
    fn text(&self) -> String {
        let terms: Vec<String> = self.sum.iter().map(|q| format!("x{q}")).collect();
        match (terms.is_empty(), self.constant) {
            (true, n) => format!("x{}' = {n}", self.place),
            (false, 0) => format!("x{}' = {}", self.place, terms.join(" + ")),
            (false, n) if n < 0 => format!("x{}' = {} - {}", self.place, terms.join("+"), -n),
            (false, n) => format!("x{}' = {n} + {}", self.place, terms.join(" + ")),
        }
    }
}

impl Spec {
    /// Few places, so that rules meet.
    pub fn random(random: &mut Rng) -> Spec {
        let places = 2 + draw(random, 3) as usize;
        let rules = (0..1 + draw(random, 4)).map(|_| Rule::random(random, places)).collect();
        let start = (0..places).map(|_| {
            let low = i64::from(draw(random, 3));
            match draw(random, 4) {
                0 => Start::AtLeast(low),
                1 => Start::Between(low, low + i64::from(draw(random, 2))),
                _ => Start::Fixed(low),
            }
        });
        let start = start.collect();
        let targets = (0..1 + draw(random, 2))
            .map(|_| (0..places).map(|_| i64::from(draw(random, 4))).collect())
            .collect();
        Spec { places, rules, start, targets }
    }

    /// The file, with comments that are not text.
    pub fn text(&self) -> Vec<u8> {
        let mut text = String::from("vars");
        (0..self.places).for_each(|p| text.push_str(&format!(" x{p}")));
        text.push_str("\nrules\n");
        self.rules.iter().for_each(|rule| text.push_str(&(rule.text() + "\n")));
        text.push_str("init\n");
        for (place, start) in self.start.iter().enumerate() {
            let _ = match start {
                Start::Fixed(n) => writeln!(text, "x{place} = {n}"),
                Start::AtLeast(n) => writeln!(text, "x{place} >= {n},"),
                Start::Between(m, n) => writeln!(text, "x{place} in [{m}, {n}]"),
            };
        }
        text.push_str("target\n");
        for target in &self.targets {
            let bounds = target.iter().enumerate().map(|(p, n)| format!("x{p} >= {n}"));
            let _ = writeln!(text, "{}", bounds.collect::<Vec<_>>().join(", "));
        }
        [b"// \xff >= 1\n".as_slice(), text.as_bytes(), b"# \xc3\x28\n"].concat()
    }

    /// The answer, as far as a small search finds it; `None` if the two directions disagree.
    pub fn known(&self) -> Option<Known> {
        let reached = |tokens: i64| (0..=tokens).any(|n| self.forward(n));
        match self.backward() {
            Known::Open if reached(3) => Some(Known::Unsafe),
            Known::Safe => (!reached(2)).then_some(Known::Safe),
            known => Some(known),
        }
    }

    /// Without the rules that `still_wrong` does not need.
    pub(crate) fn shrink(&self, still_wrong: &mut dyn FnMut(Spec) -> bool) -> Spec {
        let with = |kept: &[usize]| {
            let rules = kept.iter().map(|&rule| self.rules[rule].clone()).collect();
            Spec { rules, ..self.clone() }
        };
        with(&fewest(self.rules.len(), |kept| still_wrong(with(kept))))
    }

    /// Whether a target is met by a small search with `more` tokens than necessary.
    fn forward(&self, more: i64) -> bool {
        let first = self.start.iter().map(|start| match *start {
            Start::Fixed(n) => n,
            Start::AtLeast(n) => n + more,
            Start::Between(m, n) => (m + more).min(n),
        });
        let first: Vector = first.collect();
        let mut seen = BTreeSet::from([first.clone()]);
        let mut open = vec![first];
        while let Some(marking) = open.pop() {
            if self.targets.iter().any(|target| leq(target, &marking)) {
                return true;
            }
            for next in self.rules.iter().filter_map(|rule| rule.fire(&marking)) {
                let small = next.iter().all(|n| *n <= 12) && seen.len() < 2000;
                if small && seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        false
    }

    fn backward(&self) -> Known {
        let mut basis = self.targets.clone();
        let mut next = 0;
        while next < basis.len() {
            let element = basis[next].clone();
            if self.is_initial(&element) {
                return Known::Unsafe;
            }
            for before in self.rules.iter().flat_map(|rule| rule.predecessors(&element)) {
                if !basis.iter().any(|b| leq(b, &before)) {
                    basis.push(before);
                }
            }
            next += 1;
            if basis.len() > 3000 {
                return Known::Open;
            }
        }
        Known::Safe
    }

    fn is_initial(&self, need: &Vector) -> bool {
        let fits = |(start, &need): (&Start, &i64)| match *start {
            Start::AtLeast(_) => true,
            Start::Fixed(n) | Start::Between(_, n) => need <= n,
        };
        self.start.iter().zip(need).all(fits)
    }
}

fn leq(a: &Vector, b: &Vector) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b)
}
