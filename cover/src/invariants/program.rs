//! A linear program `max c·w, a·w ≤ b for each row, w ≥ 0`, with `b ≥ 0`, that is asked again and again.
//!
//! Rows are added when the best weights break them, and then the dual simplex method repairs the basis;
//! another objective starts from the basis of the last one. Both take few pivots, each of which costs rows
//! times columns. Floating point: results are suggestions. [`super::simplex`] solves a single program.

use crate::budget::Budget;
use crate::error::Stop;

const TOLERANCE: f64 = 1e-7;

/// Pivots per question until it is given up.
const MAX_PIVOTS: usize = 2_000;

/// A tableau between questions.
pub struct Program {
    width: usize,
    /// Coefficients of the free variables and the right-hand side of each row.
    rows: Vec<Vec<f64>>,
    objective: Vec<f64>,
    /// Variable in each row; variables below `width` are weights, the others slacks.
    basic: Vec<usize>,
    /// Variable in each column.
    free: Vec<usize>,
    /// Per weight its row, or its column.
    place: Vec<Place>,
}

#[derive(Clone, Copy)]
enum Place {
    Row(usize),
    Column(usize),
}

impl Program {
    pub fn new(width: usize) -> Program {
        Program {
            width,
            rows: Vec::new(),
            objective: vec![0.0; width + 1],
            basic: Vec::new(),
            free: (0..width).collect(),
            place: (0..width).map(Place::Column).collect(),
        }
    }

    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Adds `a·w ≤ bound`; the best weights are found again by [`Program::repair`].
    pub fn add_row(&mut self, row: &[(u32, f64)], bound: f64, budget: &Budget) -> Result<(), Stop> {
        budget.reserve::<f64>(self.width + 1)?;
        let mut cells = vec![0.0; self.width + 1];
        cells[self.width] = bound;
        for &(weight, a) in row {
            match self.place[weight as usize] {
                Place::Column(column) => cells[column] += a,
                Place::Row(row) => {
                    budget.steps(self.width / 16)?;
                    cells.iter_mut().zip(&self.rows[row]).for_each(|(c, r)| *c -= a * r);
                }
            }
        }
        self.basic.push(self.width + self.rows.len());
        self.rows.push(cells);
        Ok(())
    }

    /// The best value for another objective; `None` if the pivots run out or nothing bounds it.
    pub fn maximize(&mut self, objective: &[f64], budget: &Budget) -> Result<Option<f64>, Stop> {
        self.objective.fill(0.0);
        for (weight, &c) in objective.iter().enumerate().filter(|(_, c)| **c != 0.0) {
            match self.place[weight] {
                Place::Column(column) => self.objective[column] -= c,
                Place::Row(row) => {
                    budget.steps(self.width / 16)?;
                    let cells = self.objective.iter_mut().zip(&self.rows[row]);
                    cells.for_each(|(z, r)| *z += c * r);
                }
            }
        }
        self.ascend(budget)
    }

    fn ascend(&mut self, budget: &Budget) -> Result<Option<f64>, Stop> {
        for _ in 0..MAX_PIVOTS {
            budget.poll()?;
            let costs = self.objective[..self.width].iter().enumerate();
            let Some((column, &value)) = costs.min_by(|a, b| a.1.total_cmp(b.1)) else {
                return Ok(Some(0.0));
            };
            if value >= -TOLERANCE {
                return Ok(Some(self.objective[self.width]));
            }
            let ratio = |(row, cells): (usize, &Vec<f64>)| {
                let fits = cells[column] > TOLERANCE;
                fits.then(|| (row, cells[self.width].max(0.0) / cells[column]))
            };
            let rows = self.rows.iter().enumerate().filter_map(ratio);
            let Some((row, _)) = rows.min_by(|a, b| a.1.total_cmp(&b.1)) else {
                return Ok(None);
            };
            self.pivot(row, column, budget)?;
        }
        Ok(None)
    }

    /// The best value after rows were added.
    pub fn repair(&mut self, budget: &Budget) -> Result<Option<f64>, Stop> {
        for _ in 0..MAX_PIVOTS {
            budget.poll()?;
            let bounds = self.rows.iter().map(|row| row[self.width]).enumerate();
            let Some((row, bound)) = bounds.min_by(|a, b| a.1.total_cmp(&b.1)) else {
                return Ok(None);
            };
            if bound >= -TOLERANCE {
                return self.ascend(budget);
            }
            let cells = &self.rows[row];
            let ratio = |column: usize| {
                let fits = cells[column] < -TOLERANCE;
                fits.then(|| (column, self.objective[column].max(0.0) / -cells[column]))
            };
            let columns = (0..self.width).filter_map(ratio);
            let Some((column, _)) = columns.min_by(|a, b| a.1.total_cmp(&b.1)) else {
                return Ok(None);
            };
            self.pivot(row, column, budget)?;
        }
        Ok(None)
    }

    fn pivot(&mut self, row: usize, column: usize, budget: &Budget) -> Result<(), Stop> {
        let inverse = 1.0 / self.rows[row][column];
        let mut pivot_row: Vec<f64> = self.rows[row].iter().map(|c| c * inverse).collect();
        pivot_row[column] = inverse;
        let eliminate = |cells: &mut Vec<f64>| {
            let factor = cells[column];
            if factor != 0.0 {
                cells[column] = 0.0;
                cells.iter_mut().zip(&pivot_row).for_each(|(c, p)| *c -= factor * p);
            }
        };
        for number in (0..self.rows.len()).filter(|&number| number != row) {
            budget.steps(1 + self.width / 64)?;
            eliminate(&mut self.rows[number]);
        }
        eliminate(&mut self.objective);
        self.rows[row] = pivot_row;
        std::mem::swap(&mut self.basic[row], &mut self.free[column]);
        if self.basic[row] < self.width {
            self.place[self.basic[row]] = Place::Row(row);
        }
        if self.free[column] < self.width {
            self.place[self.free[column]] = Place::Column(column);
        }
        Ok(())
    }

    /// The weights of the basis.
    pub fn weights(&self) -> Vec<f64> {
        let weight = |place: &Place| match place {
            Place::Row(row) => self.rows[*row][self.width].max(0.0),
            Place::Column(_) => 0.0,
        };
        self.place.iter().map(weight).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::simplex;
    use super::*;
    use pidlab_random::split_mix;

    /// Rows and objectives one after the other, against the single program of all rows so far.
    #[test]
    fn growing_agrees_with_solving_anew() {
        let budget = Budget::unlimited();
        let mut seed = 5;
        let mut random = |bound: u64| {
            seed = split_mix(seed, 1);
            (seed % bound) as f64
        };
        for _ in 0..50 {
            let mut program = Program::new(4);
            let mut rows: Vec<(Vec<f64>, f64)> = vec![(vec![1.0; 4], 9.0)];
            program.add_row(&[(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0)], 9.0, &budget).unwrap();
            for _ in 0..6 {
                let objective: Vec<f64> = (0..4).map(|_| random(7) - 2.0).collect();
                let asked = program.maximize(&objective, &budget).unwrap().unwrap();
                let known = simplex::maximize(&objective, &rows, &budget).unwrap().unwrap();
                assert!((asked - known.value).abs() < 1e-4, "{asked} {}", known.value);
                let row: Vec<f64> = (0..4).map(|_| random(7) - 3.0).collect();
                let bound = random(5);
                let sparse: Vec<(u32, f64)> =
                    row.iter().enumerate().map(|(i, &a)| (i as u32, a)).collect();
                program.add_row(&sparse, bound, &budget).unwrap();
                rows.push((row, bound));
                let repaired = program.repair(&budget).unwrap().unwrap();
                let known = simplex::maximize(&objective, &rows, &budget).unwrap().unwrap();
                assert!((repaired - known.value).abs() < 1e-4, "{repaired} {}", known.value);
                let weights = program.weights();
                let value: f64 = weights.iter().zip(&objective).map(|(w, c)| w * c).sum();
                assert!((value - repaired).abs() < 1e-4);
            }
        }
    }
}
