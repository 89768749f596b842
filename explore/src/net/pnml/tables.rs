//! Expressions as tables: symmetric nets have no arithmetic, but all their sorts are finite, so that what an
//! expression means can be written out as a disjunction, one conjunction of equations for each row.

use crate::net::expr::{Expr, Slot, Variables};
use crate::net::marking::Marking;

/// Most rows that are tried for one expression.
const MOST_ROWS: usize = 10_000;

/// A value for each of some variables.
pub type Row = Vec<i64>;

/// The variables of an expression, ascending.
pub fn slots_of(expr: &Expr) -> Vec<Slot> {
    let mut slots = Vec::new();
    expr.walk(&mut |part| {
        if let Expr::Slot(slot) = part {
            slots.push(*slot);
        }
    });
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// Values of variables, and what an expression is for them.
pub type Rows = Vec<(Row, i64)>;

/// Every choice of values for variables, with what the expression then is; those where it has no value are left
/// out. `None` if there are too many.
pub fn rows(expr: &Expr, slots: &[Slot], values: &[Vec<i64>]) -> Option<Rows> {
    let count = values.iter().try_fold(1_usize, |all, of| all.checked_mul(of.len()))?;
    if count > MOST_ROWS {
        return None;
    }
    let mut variables = Variables::default();
    variables.reset(slots.last().map_or(0, |last| last + 1));
    let row = |mut number: usize| {
        let mut row = Row::with_capacity(slots.len());
        for (&slot, of) in slots.iter().zip(values) {
            row.push(of[number % of.len()]);
            variables.values[slot] = of[number % of.len()];
            number /= of.len();
        }
        Some((row, expr.eval(&mut variables, &Marking::default()).ok()?))
    };
    Some((0..count).filter_map(row).collect())
}
