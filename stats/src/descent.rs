//! Least squares by Levenberg–Marquardt (Marquardt, SIAM Journal on Applied Mathematics 11, 1963), whatever the model.
//!
//! The caller gives the sum of squares at a point and the damped step from it; steps that do not gain are taken again
//! with more damping. Cost: one step and one sum a round. Known weakness: it ends in the valley where it starts.

/// Descends for so many rounds at most; the sum of squares and where it is reached.
pub fn descend<T>(
    start: T,
    rounds: usize,
    squares_at: impl Fn(&T) -> f64,
    step: impl Fn(&T, f64) -> Option<T>,
) -> (f64, T) {
    let (mut squares, mut point) = (squares_at(&start), start);
    let mut damping = 1e-3;
    for _ in 0..rounds {
        let Some(next) = step(&point, damping) else { break };
        let after = squares_at(&next);
        if after.is_finite() && after < squares {
            let gain = squares - after;
            (point, squares) = (next, after);
            damping = (damping * 0.3).max(1e-12);
            if gain <= 1e-7 * squares {
                break;
            }
        } else {
            damping *= 10.0;
            if damping > 1e8 {
                break;
            }
        }
    }
    (squares, point)
}
