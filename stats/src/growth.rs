//! One fit of a growth law with overhead: log t = log(a + b·g(p)·p^ε), a ≥ 0, b > 0.
//!
//! The measured overhead a is part of the model, not subtracted beforehand: at small p it dominates
//! and would otherwise pull every exponent down. ε is the surplus exponent over the law g; with g = p
//! the exponent itself is 1 + ε. Least squares in log t by Levenberg–Marquardt over (log b, log(a/b),
//! ε), compared with the closed solution for a = 0. Cost: O(n) an iteration, some ten iterations.
//! Known weakness: with sizes in less than a decade a and ε are hardly told apart; the interval of the
//! bootstrap then says so.

use crate::{Law, Observation, descent};

/// A fitted curve.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Fit {
    /// g, the law that was fitted.
    pub law: Law,
    /// Overhead in seconds.
    pub a: f64,
    /// Factor of g(p)·p^ε.
    pub b: f64,
    /// Surplus exponent; 0 where only the law itself was fitted.
    pub epsilon: f64,
    /// Root mean square residual of log t.
    pub rms: f64,
}

impl Fit {
    /// The time that the curve gives for a size.
    pub fn at(&self, p: f64) -> f64 {
        self.a + self.b * self.law.at(p) * p.powf(self.epsilon)
    }
}

/// Sizes and times as logarithms, ready for fitting.
pub struct Points {
    law: Law,
    log_size: Vec<f64>,
    log_law: Vec<f64>,
    log_time: Vec<f64>,
}

impl Points {
    /// Observations with positive sizes and times, for one law.
    pub fn new(law: Law, observations: &[Observation]) -> Points {
        let column = |f: &dyn Fn(&Observation) -> f64| observations.iter().map(f).collect();
        Points {
            law,
            log_size: column(&|o| o.size.ln()),
            log_law: column(&|o| law.at(o.size).ln()),
            log_time: column(&|o| o.time.ln()),
        }
    }

    /// The points of the given numbers, with repetition.
    pub fn select(&self, numbers: &[usize]) -> Points {
        let pick = |column: &[f64]| numbers.iter().map(|&i| column[i]).collect();
        Points {
            law: self.law,
            log_size: pick(&self.log_size),
            log_law: pick(&self.log_law),
            log_time: pick(&self.log_time),
        }
    }

    /// The law that is fitted.
    pub fn law(&self) -> Law {
        self.law
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.log_time.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.log_time.is_empty()
    }

    /// The law as it stands: a and b only.
    pub fn fit_law(&self) -> Fit {
        self.best(false, None)
    }

    /// The law times a free power of p.
    pub fn fit_free(&self) -> Fit {
        self.best(true, None)
    }

    /// As [`fit_free`](Points::fit_free), started from a fit of similar data.
    pub fn refit_free(&self, near: &Fit) -> Fit {
        self.best(true, Some(near))
    }

    /// The surplus exponent of the law without overhead.
    pub fn slope(&self) -> f64 {
        self.without_overhead(true).epsilon
    }

    /// Whether the overhead of a fit of these points is below a hundredth of every time.
    pub fn has_no_overhead(&self, fit: &Fit) -> bool {
        fit.a < 0.01 * fit.b * self.smallest_law(fit.epsilon).exp()
    }

    fn best(&self, free: bool, near: Option<&Fit>) -> Fit {
        let plain = self.without_overhead(free);
        let mut best = (self.squares(&plain), plain);
        let rounds = if near.is_some() { 25 } else { 60 };
        for start in self.starts(plain, free, near) {
            let candidate = self.descend(start, free, rounds);
            if candidate.0 < best.0 {
                best = candidate;
            }
        }
        self.finish(best.1, best.0)
    }

    /// Where to descend from: a fit of similar data itself, or the line without overhead with an overhead about as
    /// large as the smallest time. A start whose overhead belongs to another exponent would be stuck where the law has
    /// no influence.
    fn starts(&self, plain: Theta, free: bool, near: Option<&Fit>) -> Vec<Theta> {
        let with_overhead = |more: f64| {
            let log_ratio = self.smallest_law(plain.epsilon) + more;
            Theta { log_ratio, ..plain }
        };
        let Some(fit) = near else { return vec![with_overhead(-1.0), with_overhead(1.0)] };
        let epsilon = if free { fit.epsilon } else { 0.0 };
        let log_ratio = (fit.a / fit.b).ln();
        let found = Theta { log_b: fit.b.ln(), log_ratio, epsilon };
        match log_ratio.is_finite() && found.log_b.is_finite() {
            true => vec![found],
            false => vec![with_overhead(-1.0)],
        }
    }

    /// The least g(p)·p^ε.
    fn smallest_law(&self, epsilon: f64) -> f64 {
        let laws = self.log_law.iter().zip(&self.log_size).map(|(law, size)| law + epsilon * size);
        laws.fold(f64::INFINITY, f64::min)
    }

    fn finish(&self, theta: Theta, squares: f64) -> Fit {
        let b = theta.log_b.exp();
        Fit {
            law: self.law,
            a: b * theta.log_ratio.exp(),
            b,
            epsilon: theta.epsilon,
            rms: (squares / self.len().max(1) as f64).sqrt(),
        }
    }

    /// Closed solution for a = 0: a straight line in log p.
    fn without_overhead(&self, free: bool) -> Theta {
        let n = self.len() as f64;
        let excess = |i: usize| self.log_time[i] - self.log_law[i];
        let mean_y = (0..self.len()).map(excess).sum::<f64>() / n;
        let mean_x = self.log_size.iter().sum::<f64>() / n;
        let (mut sxy, mut sxx) = (0.0, 0.0);
        for i in 0..self.len() {
            let x = self.log_size[i] - mean_x;
            sxy += x * (excess(i) - mean_y);
            sxx += x * x;
        }
        let epsilon = if free && sxx > 1e-12 { sxy / sxx } else { 0.0 };
        Theta { log_b: mean_y - epsilon * mean_x, log_ratio: f64::NEG_INFINITY, epsilon }
    }

    fn squares(&self, theta: &Theta) -> f64 {
        (0..self.len()).map(|i| (self.log_time[i] - self.model(theta, i).0).powi(2)).sum()
    }

    /// log of the model at point i, and the share of the law (not the overhead) in it.
    fn model(&self, theta: &Theta, i: usize) -> (f64, f64) {
        let law = self.log_law[i] + theta.epsilon * self.log_size[i];
        let (high, low) =
            if law > theta.log_ratio { (law, theta.log_ratio) } else { (theta.log_ratio, law) };
        let sum = high + (low - high).exp().ln_1p();
        (theta.log_b + sum, (law - sum).exp())
    }

    fn descend(&self, start: Theta, free: bool, rounds: usize) -> (f64, Theta) {
        let step = |theta: &Theta, damping| {
            let (normal, gradient) = self.normal_equations(theta, free);
            Some(theta.moved(solve(normal, gradient, damping)?))
        };
        descent::descend(start, rounds, |theta| self.squares(theta), step)
    }

    fn normal_equations(&self, theta: &Theta, free: bool) -> ([[f64; 3]; 3], [f64; 3]) {
        let (mut normal, mut gradient) = ([[0.0; 3]; 3], [0.0; 3]);
        for i in 0..self.len() {
            let (value, share) = self.model(theta, i);
            let slope = if free { share * self.log_size[i] } else { 0.0 };
            let row = [1.0, 1.0 - share, slope];
            let residual = self.log_time[i] - value;
            for j in 0..3 {
                gradient[j] += row[j] * residual;
                for k in 0..3 {
                    normal[j][k] += row[j] * row[k];
                }
            }
        }
        (normal, gradient)
    }
}

#[derive(Clone, Copy)]
struct Theta {
    log_b: f64,
    /// log(a / b); minus infinity for a = 0.
    log_ratio: f64,
    epsilon: f64,
}

impl Theta {
    fn moved(self, step: [f64; 3]) -> Theta {
        Theta {
            log_b: self.log_b + step[0],
            log_ratio: self.log_ratio + step[1].clamp(-3.0, 3.0),
            epsilon: self.epsilon + step[2].clamp(-0.5, 0.5),
        }
    }
}

/// Solves the damped 3×3 system by elimination; a parameter without influence stays.
fn solve(mut m: [[f64; 3]; 3], mut rhs: [f64; 3], damping: f64) -> Option<[f64; 3]> {
    for (i, row) in m.iter_mut().enumerate() {
        row[i] += damping * row[i].max(1e-9);
    }
    for i in 0..3 {
        if m[i][i].abs() < 1e-300 || !m[i][i].is_finite() {
            return None;
        }
        for j in i + 1..3 {
            let factor = m[j][i] / m[i][i];
            let pivot = m[i];
            for (entry, above) in m[j].iter_mut().zip(pivot).skip(i) {
                *entry -= factor * above;
            }
            rhs[j] -= factor * rhs[i];
        }
    }
    for i in (0..3).rev() {
        for k in i + 1..3 {
            rhs[i] -= m[i][k] * rhs[k];
        }
        rhs[i] /= m[i][i];
    }
    rhs.iter().all(|x| x.is_finite()).then_some(rhs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(law: Law, a: f64, b: f64) -> Vec<Observation> {
        (1..200)
            .map(|i| f64::from(i) * 10.0)
            .map(|size| Observation { size, time: a + b * law.at(size) })
            .collect()
    }

    #[test]
    fn noiseless_laws_come_back_with_their_overhead() {
        for law in Law::PAPERS {
            let fit = Points::new(law, &exact(law, 3e-5, 2e-7)).fit_free();
            assert!(fit.epsilon.abs() < 1e-3, "{law}: {fit:?}");
            assert!((fit.a / 3e-5 - 1.0).abs() < 0.02, "{law}: {fit:?}");
            assert!((fit.b / 2e-7 - 1.0).abs() < 0.02, "{law}: {fit:?}");
        }
    }

    #[test]
    fn without_overhead_a_is_nil() {
        let fit = Points::new(Law::LINEAR, &exact(Law::THREE_HALVES, 0.0, 1e-6)).fit_free();
        assert!((fit.epsilon - 0.5).abs() < 1e-6 && fit.a < 1e-9, "{fit:?}");
    }

    #[test]
    fn degenerate_input_does_not_fail() {
        let same = vec![Observation { size: 10.0, time: 1.0 }; 5];
        assert!(Points::new(Law::LINEAR, &same).fit_free().rms < 1e-6);
    }
}
