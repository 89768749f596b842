//! How far a marking is from a target by the state equation.
//!
//! A run from m to something above b fires each transition some number of times x ≥ 0 with
//! m + C x ≥ b. The least sum of such rational x is at most the length of every run (Blondin, Haase,
//! Offtermatt 2021, from which the use as a distance is). By duality it is the largest w·(b − m) over
//! weights w ≥ 0 with w·effect ≤ 1 for every transition, and any such w bounds the distance of every
//! other marking from below by a single product. The rows of this program are generated when they are
//! broken, and the next marking starts from the basis of the last.

use crate::budget::Budget;
use crate::config::{Config, Entry};
use crate::error::Stop;
use crate::invariants::program::Program;
use crate::net::Net;
use std::collections::BTreeMap;

/// A sum of steps above this is taken as "there is none".
const FAR: f64 = 20_000.0;

/// Rows added per round, and rounds until a question is given up.
const ROWS_PER_ROUND: usize = 24;
const MAX_ROUNDS: usize = 200;

/// Cells that the program may have: memory, and time per pivot.
const MAX_CELLS: usize = 8_000_000;

/// The program for one target.
pub struct Equation {
    target: Config,
    program: Program,
    /// Distinct effects of the transitions, and which of them are rows.
    effects: Vec<Vec<(u32, i64)>>,
    is_row: Vec<bool>,
    /// The objective of the last question, to be cleared.
    objective: Vec<f64>,
}

/// What the equation says of a marking.
pub enum Distance {
    /// At least so many steps, and the weights that show it.
    Steps(f64, Vec<f64>),
    /// No run leads to the target.
    Unreachable,
    /// The program was given up.
    Unknown,
}

/// The change of each place.
pub fn effect_of(pre: &[Entry], post: &[Entry]) -> Vec<(u32, i64)> {
    let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
    post.iter().for_each(|e| *sums.entry(e.0).or_default() += i64::from(e.1));
    pre.iter().for_each(|e| *sums.entry(e.0).or_default() -= i64::from(e.1));
    sums.into_iter().filter(|e| e.1 != 0).collect()
}

impl Equation {
    pub fn new(
        net: &Net,
        target: &Config,
        keep: impl Fn(usize) -> bool,
        budget: &Budget,
    ) -> Result<Equation, Stop> {
        budget.reserve::<[f64; 4]>(net.places.len())?;
        let mut effects = Vec::new();
        for (_, t) in net.transitions.iter().enumerate().filter(|(i, _)| keep(*i)) {
            budget.steps(1 + t.pre.len() + t.post.len())?;
            let effect = effect_of(&t.pre, &t.post);
            if effect.iter().any(|e| e.1 > 0) {
                effects.push(effect);
            }
        }
        effects.sort_unstable();
        effects.dedup();
        let mut program = Program::new(net.places.len());
        let wanted: Vec<(u32, f64)> =
            target.entries().iter().map(|e| (e.0, f64::from(e.1))).collect();
        program.add_row(&wanted, FAR, budget)?;
        Ok(Equation {
            target: target.clone(),
            program,
            is_row: vec![false; effects.len()],
            effects,
            objective: vec![0.0; net.places.len()],
        })
    }

    /// The distance of a marking.
    pub fn distance(&mut self, config: &Config, budget: &Budget) -> Result<Distance, Stop> {
        self.target.entries().iter().for_each(|e| self.objective[e.0 as usize] += f64::from(e.1));
        config.entries().iter().for_each(|e| self.objective[e.0 as usize] -= f64::from(e.1));
        let result = self.solve(budget);
        let asked = config.entries().iter().chain(self.target.entries());
        asked.for_each(|e| self.objective[e.0 as usize] = 0.0);
        result
    }

    fn solve(&mut self, budget: &Budget) -> Result<Distance, Stop> {
        let mut value = self.program.maximize(&self.objective, budget)?;
        for _ in 0..MAX_ROUNDS {
            let Some(steps) = value else {
                return Ok(Distance::Unknown);
            };
            let weights = self.program.weights();
            let broken = self.broken(&weights, budget)?;
            if broken.is_empty() {
                let far = steps > FAR / 4.0;
                return Ok(if far {
                    Distance::Unreachable
                } else {
                    Distance::Steps(steps, weights)
                });
            }
            for row in broken {
                if self.program.rows() * self.objective.len() > MAX_CELLS {
                    return Ok(Distance::Unknown);
                }
                self.is_row[row] = true;
                let cells: Vec<(u32, f64)> =
                    self.effects[row].iter().map(|e| (e.0, e.1 as f64)).collect();
                self.program.add_row(&cells, 1.0, budget)?;
            }
            value = self.program.repair(budget)?;
        }
        Ok(Distance::Unknown)
    }

    /// The effects that exceed one step most and are not rows yet.
    fn broken(&self, weights: &[f64], budget: &Budget) -> Result<Vec<usize>, Stop> {
        budget.steps(self.effects.len())?;
        let mut worst: Vec<(f64, usize)> = (0..self.effects.len())
            .filter(|&row| !self.is_row[row])
            .map(|row| (gain(weights, &self.effects[row]), row))
            .filter(|v| v.0 > 1.0 + 1e-5)
            .collect();
        worst.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Ok(worst.into_iter().take(ROWS_PER_ROUND).map(|v| v.1).collect())
    }
}

/// By how much an effect brings the target nearer.
pub fn gain(weights: &[f64], effect: &[(u32, i64)]) -> f64 {
    effect.iter().map(|&(place, change)| weights[place as usize] * change as f64).sum()
}
