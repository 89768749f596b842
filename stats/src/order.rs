//! Order statistics: medians, quantiles, the half-sample mode.

/// The q-quantile, linear between neighbours (type 7 of Hyndman and Fan 1996); NaN if empty.
pub fn quantile(values: &mut [f64], q: f64) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    values.sort_unstable_by(f64::total_cmp);
    quantile_sorted(values, q)
}

/// As [`quantile`], of values that are sorted already.
pub fn quantile_sorted(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = q.clamp(0.0, 1.0) * last as f64;
    let (low, part) = (at.floor() as usize, at.fract());
    let upper = sorted[(low + 1).min(last)];
    if part == 0.0 { sorted[low] } else { sorted[low] + part * (upper - sorted[low]) }
}

/// The middle value, or the mean of the two in the middle; NaN if empty. Sorts the values.
pub fn median(values: &mut [f64]) -> f64 {
    quantile(values, 0.5)
}

/// As [`median`], of values that are not needed any more.
pub fn median_of(values: impl IntoIterator<Item = f64>) -> f64 {
    median(&mut values.into_iter().collect::<Vec<_>>())
}

/// The arithmetic mean; NaN if empty.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Where values are densest: the half-sample mode (Robertson and Cryer 1974). O(n log n).
///
/// Repeatedly keeps the half of the sorted sample that spans the least. Unlike the peak of a
/// histogram it needs no bin width.
pub fn half_sample_mode(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let mut window = &*values;
    while window.len() > 2 {
        let half = window.len().div_ceil(2);
        let span = |i: usize| window[i + half - 1] - window[i];
        let best = (0..=window.len() - half).min_by(|&i, &j| span(i).total_cmp(&span(j)));
        window = &window[best.unwrap_or(0)..][..half];
        if window[0] == window[window.len() - 1] {
            break;
        }
    }
    if window.is_empty() { f64::NAN } else { mean(window) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_random::Rng;

    #[test]
    fn quantiles_of_known_samples() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(quantile(&mut [0.0, 10.0], 0.25), 2.5);
        assert!(median(&mut []).is_nan());
        assert_eq!(median(&mut [1.0, f64::INFINITY, f64::INFINITY]), f64::INFINITY);
    }

    #[test]
    fn the_mode_of_a_mixture_is_the_denser_peak() {
        let mut draws = Rng::for_analysis(3, 0);
        let mut xs: Vec<f64> = (0..1000)
            .map(|i| if i % 100 < 78 { 1.0 + 0.1 * draws.normal() } else { 4.0 + draws.normal() })
            .collect();
        assert!((half_sample_mode(&mut xs) - 1.0).abs() < 0.2);
    }
}
