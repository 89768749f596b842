//! A small dense simplex for `max c·w, A w ≤ b, w ≥ 0` with `b ≥ 0`.
//!
//! The origin is feasible, so the slack basis starts the search and no first phase is needed. The
//! right-hand sides of the problems here are almost all zero, which makes every vertex degenerate;
//! a tiny distinct offset per row keeps the method from cycling. Results are floating point and only
//! ever used as a suggestion: the caller rounds them and checks the outcome exactly.

use crate::budget::Budget;
use crate::error::Stop;

const TOLERANCE: f64 = 1e-9;
const OFFSET: f64 = 1e-8;

/// The best value and the vector that attains it.
pub struct Optimum {
    pub value: f64,
    pub weights: Vec<f64>,
    /// Multiplications spent, for the caller's accounting.
    pub work: u64,
}

/// Solves the problem given by dense rows; `None` if it is unbounded or the pivots run out.
pub fn maximize(
    objective: &[f64],
    rows: &[(Vec<f64>, f64)],
    budget: &Budget,
) -> Result<Option<Optimum>, Stop> {
    budget.reserve::<f64>((rows.len() + 1) * (objective.len() + 1))?;
    let mut tableau = Tableau::new(objective, rows);
    let limit = 50 + 20 * (rows.len() + objective.len());
    for _ in 0..limit {
        budget.poll()?;
        let Some(column) = tableau.entering() else {
            return Ok(Some(tableau.optimum()));
        };
        let Some(row) = tableau.leaving(column) else {
            return Ok(None);
        };
        tableau.pivot(row, column, budget)?;
    }
    Ok(None)
}

struct Tableau {
    width: usize,
    /// Rows of `width` coefficients and the right-hand side; the last row is the objective.
    cells: Vec<f64>,
    /// Variable in each row; variables `0..width` are weights, the others slacks.
    basic: Vec<usize>,
    /// Variable in each column.
    free: Vec<usize>,
    work: u64,
}

impl Tableau {
    fn new(objective: &[f64], rows: &[(Vec<f64>, f64)]) -> Tableau {
        let width = objective.len();
        let mut cells = Vec::with_capacity((rows.len() + 1) * (width + 1));
        for (i, (row, bound)) in rows.iter().enumerate() {
            cells.extend_from_slice(row);
            cells.push(bound + OFFSET * (1.0 + (i * 7919 % 1009) as f64 / 1009.0));
        }
        cells.extend(objective.iter().map(|c| -c));
        cells.push(0.0);
        Tableau {
            width,
            cells,
            basic: (width..width + rows.len()).collect(),
            free: (0..width).collect(),
            work: 0,
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * (self.width + 1)..][..self.width + 1]
    }

    /// The column with the steepest ascent.
    fn entering(&self) -> Option<usize> {
        let last = &self.row(self.basic.len())[..self.width];
        let (column, value) = last.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1))?;
        (*value < -TOLERANCE).then_some(column)
    }

    /// The row that first blocks an increase along `column`.
    fn leaving(&self, column: usize) -> Option<usize> {
        let ratio = |row: usize| {
            let cells = self.row(row);
            (cells[column] > TOLERANCE).then(|| cells[self.width] / cells[column])
        };
        let candidates = (0..self.basic.len()).filter_map(|r| ratio(r).map(|q| (r, q)));
        candidates.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row)
    }

    fn pivot(&mut self, row: usize, column: usize, budget: &Budget) -> Result<(), Stop> {
        let stride = self.width + 1;
        let inverse = 1.0 / self.cells[row * stride + column];
        let mut pivot_row: Vec<f64> = self.row(row).iter().map(|c| c * inverse).collect();
        pivot_row[column] = inverse;
        for r in (0..=self.basic.len()).filter(|&r| r != row) {
            budget.steps(stride)?;
            let cells = &mut self.cells[r * stride..][..stride];
            let factor = cells[column];
            if factor.abs() <= TOLERANCE {
                continue;
            }
            cells[column] = 0.0;
            cells.iter_mut().zip(&pivot_row).for_each(|(c, p)| *c -= factor * p);
            self.work += stride as u64;
        }
        self.cells[row * stride..][..stride].copy_from_slice(&pivot_row);
        std::mem::swap(&mut self.basic[row], &mut self.free[column]);
        Ok(())
    }

    fn optimum(&self) -> Optimum {
        let mut weights = vec![0.0; self.width];
        for (row, &variable) in self.basic.iter().enumerate().filter(|(_, v)| **v < self.width) {
            weights[variable] = self.row(row)[self.width];
        }
        Optimum { value: self.row(self.basic.len())[self.width], weights, work: self.work }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_corner_of_a_small_polytope() {
        let rows = vec![(vec![1.0, 2.0], 4.0), (vec![3.0, 1.0], 6.0)];
        let best = maximize(&[1.0, 1.0], &rows, &Budget::unlimited()).unwrap().unwrap();
        assert!((best.value - 2.8).abs() < 1e-5, "{}", best.value);
        assert!((best.weights[0] - 1.6).abs() < 1e-5);
        assert!(maximize(&[1.0], &[], &Budget::unlimited()).unwrap().is_none());
    }
}
