//! Histograms with a width that the data sets (Freedman and Diaconis 1981).

use crate::order::quantile_sorted;
use serde::{Deserialize, Serialize};

/// Counts of values in bins of equal width.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Histogram {
    /// Where the first bin starts.
    pub low: f64,
    /// Width of a bin.
    pub width: f64,
    /// Values in each bin.
    pub counts: Vec<usize>,
}

impl Histogram {
    /// Bins over [low, high]; values outside are left out.
    pub fn with_bins(values: &[f64], low: f64, high: f64, bins: usize) -> Histogram {
        let width = (high - low) / bins as f64;
        let mut counts = vec![0; bins];
        for &value in values {
            if value >= low && value <= high && width > 0.0 {
                counts[(((value - low) / width) as usize).min(bins - 1)] += 1;
            }
        }
        Histogram { low, width, counts }
    }

    /// Where a bin starts and ends.
    pub fn edges(&self, bin: usize) -> (f64, f64) {
        (self.low + bin as f64 * self.width, self.low + (bin + 1) as f64 * self.width)
    }
}

/// Number of bins by the rule of Freedman and Diaconis, between 8 and 60.
pub fn bin_count(values: &[f64], low: f64, high: f64) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let spread = quantile_sorted(&sorted, 0.75) - quantile_sorted(&sorted, 0.25);
    let width = 2.0 * spread / (values.len().max(1) as f64).cbrt();
    if width > 0.0 { (((high - low) / width) as usize).clamp(8, 60) } else { 8 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_inside_is_counted_once() {
        let h = Histogram::with_bins(&[0.0, 0.1, 0.5, 0.99, 1.0, 2.0], 0.0, 1.0, 4);
        assert_eq!(h.counts, [2, 0, 1, 2]);
        assert_eq!(h.edges(3), (0.75, 1.0));
    }
}
