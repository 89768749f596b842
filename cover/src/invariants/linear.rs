//! Inductive inequalities from the state equation.
//!
//! A marking above b is out of reach if weights w ≥ 0 exist that no transition increases
//! (w·effect ≤ 0) and w·b > w·start: by Farkas' lemma they exist exactly when the state inequation
//! `start + C x ≥ b` has no rational solution (used for pruning by Blondin, Finkel, Haase, Haddad
//! 2016 and Geffroy, Leroux, Sutre 2016). The weights come from a linear program whose rows are
//! generated when violated; they are rounded to integers and checked exactly, and each one found
//! goes on to exclude other markings by a single product.

use super::pairs::PairInvariant;
use super::simplex;
use crate::answer::Linear;
use crate::budget::Budget;
use crate::config::{Config, OMEGA};
use crate::error::Stop;
use crate::net::Net;
use std::collections::BTreeSet;

/// Multiplications the programs may cost before and per marking asked about; success is free.
const CREDIT_START: i64 = 200_000_000;
const CREDIT_PER_QUERY: i64 = 4_000;
/// Rows added per round, and rounds until a program is given up.
const ROWS_PER_ROUND: usize = 12;
const MAX_ROUNDS: usize = 80;

/// Finds and remembers inequalities.
pub struct LinearPruner<'a> {
    net: &'a Net,
    /// Distinct effects of live transitions that raise something, over the columns.
    effects: Vec<Vec<(u32, i64)>>,
    /// Place of each column, and column of each place.
    columns: Vec<u32>,
    column_of: Vec<u32>,
    /// Effects that were tight before; the next program starts with them.
    rows: Vec<usize>,
    row_used: Vec<bool>,
    found: Vec<(Linear, u64)>,
    credit: i64,
}

const NO_COLUMN: u32 = u32::MAX;

impl<'a> LinearPruner<'a> {
    pub fn new(
        net: &'a Net,
        pairs: &PairInvariant,
        budget: &Budget,
    ) -> Result<LinearPruner<'a>, Stop> {
        let mut pruner = LinearPruner {
            net,
            effects: Vec::new(),
            columns: Vec::new(),
            column_of: vec![NO_COLUMN; net.places.len()],
            rows: Vec::new(),
            row_used: Vec::new(),
            found: Vec::new(),
            credit: CREDIT_START,
        };
        for place in 0..net.places.len() as u32 {
            // Weight on an ω place would make the bound infinite.
            if net.initial.get(place) != OMEGA {
                pruner.column_of[place as usize] = pruner.columns.len() as u32;
                pruner.columns.push(place);
            }
        }
        pruner.collect_effects(pairs, budget)?;
        Ok(pruner)
    }

    fn collect_effects(&mut self, pairs: &PairInvariant, budget: &Budget) -> Result<(), Stop> {
        let mut effects = BTreeSet::new();
        let mut add = |effect: Vec<(u32, i64)>| {
            if effect.iter().any(|e| e.1 > 0) {
                effects.insert(effect);
            }
        };
        for (_, t) in self.net.transitions.iter().enumerate().filter(|(i, _)| pairs.is_live(*i)) {
            budget.steps(1 + t.pre.len() + t.post.len() + t.transfers.len())?;
            let gains = t.post.iter().map(|e| (e.0, i64::from(e.1)));
            let losses = t.pre.iter().map(|e| (e.0, -i64::from(e.1)));
            add(self.to_columns(gains.chain(losses)));
            // A transferred token may only move to a place of no greater weight.
            for &(from, to) in &t.transfers {
                add(self.to_columns([(to, 1), (from, -1)].into_iter()));
            }
        }
        self.row_used = vec![false; effects.len()];
        self.effects = effects.into_iter().collect();
        Ok(())
    }

    /// Sums changes by column. A raised ω place has no column and needs none: its weight is zero.
    fn to_columns(&self, changes: impl Iterator<Item = (u32, i64)>) -> Vec<(u32, i64)> {
        let mut sums = std::collections::BTreeMap::new();
        for (place, change) in changes {
            let column = self.column_of[place as usize];
            if column != NO_COLUMN {
                *sums.entry(column).or_insert(0) += change;
            }
        }
        sums.into_iter().filter(|e| e.1 != 0).collect()
    }

    /// Whether no reachable marking is above `config`, as far as inequalities tell.
    pub fn excludes(&mut self, config: &Config, budget: &Budget) -> Result<bool, Stop> {
        budget.steps(self.found.len())?;
        if let Some(hit) = self.found.iter().position(|(l, _)| exceeds(l, config)) {
            self.found[hit].1 += 1;
            if hit > 0 && self.found[hit].1 > self.found[hit - 1].1 {
                self.found.swap(hit, hit - 1);
            }
            return Ok(true);
        }
        self.credit = self.credit.saturating_add(CREDIT_PER_QUERY).min(CREDIT_START);
        if self.credit <= 0 {
            return Ok(false);
        }
        let before = self.credit;
        let Some(linear) = self.solve(config, budget)? else {
            return Ok(false);
        };
        self.credit = before;
        self.found.push((linear, 1));
        Ok(true)
    }

    /// The inequalities that excluded something.
    pub fn used(&self) -> Vec<Linear> {
        self.found.iter().map(|(l, _)| l.clone()).collect()
    }

    fn solve(&mut self, config: &Config, budget: &Budget) -> Result<Option<Linear>, Stop> {
        let objective = self.objective(config);
        let norm = self.norm(config);
        for _ in 0..MAX_ROUNDS {
            budget.reserve::<f64>((self.rows.len() + 1) * norm.len())?;
            let rows: Vec<(Vec<f64>, f64)> = std::iter::once((norm.clone(), 1.0))
                .chain(self.rows.iter().map(|&r| (self.dense(r), 0.0)))
                .collect();
            self.credit -= (rows.len() * norm.len()) as i64;
            let Some(best) = simplex::maximize(&objective, &rows, budget)? else {
                return Ok(None);
            };
            self.credit -= best.work as i64;
            if best.value < 1e-4 {
                return Ok(None);
            }
            budget.poll()?;
            let violated = self.violated(&best.weights);
            if violated.is_empty() {
                return self.round(&best.weights, config, budget);
            }
            if self.credit <= 0 {
                return Ok(None);
            }
            for row in violated {
                self.rows.push(row);
                self.row_used[row] = true;
            }
        }
        Ok(None)
    }

    /// config − start, on the columns.
    fn objective(&self, config: &Config) -> Vec<f64> {
        let gap = |&p: &u32| f64::from(config.get(p)) - f64::from(self.net.initial.get(p));
        self.columns.iter().map(gap).collect()
    }

    fn norm(&self, config: &Config) -> Vec<f64> {
        self.columns.iter().map(|&p| f64::from(config.get(p))).collect()
    }

    fn dense(&self, row: usize) -> Vec<f64> {
        let mut cells = vec![0.0; self.columns.len()];
        for &(column, change) in &self.effects[row] {
            cells[column as usize] = change as f64;
        }
        cells
    }

    /// The most violated effects that are not rows yet.
    fn violated(&self, weights: &[f64]) -> Vec<usize> {
        let value = |effect: &[(u32, i64)]| -> f64 {
            effect.iter().map(|&(c, change)| weights[c as usize] * change as f64).sum()
        };
        let mut worst: Vec<(f64, usize)> = self
            .effects
            .iter()
            .enumerate()
            .filter(|(row, _)| !self.row_used[*row])
            .map(|(row, effect)| (value(effect), row))
            .filter(|v| v.0 > 1e-6)
            .collect();
        worst.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        worst.into_iter().take(ROWS_PER_ROUND).map(|v| v.1).collect()
    }

    /// Integer weights near the given ones that pass the exact test, if the scale is small.
    fn round(
        &self,
        weights: &[f64],
        config: &Config,
        budget: &Budget,
    ) -> Result<Option<Linear>, Stop> {
        let least = weights.iter().copied().filter(|w| *w > 1e-5).fold(f64::INFINITY, f64::min);
        for scale in 1..=120 {
            budget.poll()?;
            let scaled = |w: f64| w / least * f64::from(scale);
            let near = |w: f64| (scaled(w) - scaled(w).round()).abs() < 2e-2;
            if !weights.iter().all(|&w| w <= 1e-5 || near(w)) {
                continue;
            }
            let integers = |w: &f64| if *w <= 1e-5 { 0 } else { scaled(*w).round() as u64 };
            let found = self.exact(weights.iter().map(integers).collect(), config);
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The inequality of these weights if it is inductive and excludes `config`.
    fn exact(&self, weights: Vec<u64>, config: &Config) -> Option<Linear> {
        let inductive = self.effects.iter().all(|effect| {
            let sum = |total: i128, &(c, change): &(u32, i64)| {
                total + i128::from(weights[c as usize]) * i128::from(change)
            };
            effect.iter().fold(0, sum) <= 0
        });
        let bound: u128 = self
            .columns
            .iter()
            .zip(&weights)
            .map(|(&p, &w)| u128::from(w) * u128::from(self.net.initial.get(p)))
            .sum();
        let linear = Linear {
            weights: self.columns.iter().copied().zip(weights).filter(|w| w.1 != 0).collect(),
            bound: u64::try_from(bound).ok()?,
        };
        (inductive && exceeds(&linear, config)).then_some(linear)
    }
}

/// Whether every marking above `config` breaks the inequality.
fn exceeds(linear: &Linear, config: &Config) -> bool {
    let weight = |p: u32| {
        linear.weights.binary_search_by_key(&p, |w| w.0).map_or(0, |i| linear.weights[i].1)
    };
    let sum: u128 =
        config.entries().iter().map(|e| u128::from(weight(e.0)) * u128::from(e.1)).sum();
    sum > u128::from(linear.bound)
}
