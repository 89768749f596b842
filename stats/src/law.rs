//! Growth laws that times are compared with: g(x) = x^e or x^e log x.
//!
//! The papers write p for the size. What the size is (pids, vectors, arcs times vertices) is known to the
//! caller, so a law is written for a variable that is handed to [`Law::of`].

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::str::FromStr;

/// A function g of a size: a power, or a power times a logarithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Law {
    /// The exponent, in hundredths, so that laws can be compared and ordered.
    hundredths: u16,
    /// Whether a factor log x is part of it.
    log: bool,
}

impl Law {
    /// g(p) = p.
    pub const LINEAR: Law = Law { hundredths: 100, log: false };
    /// g(p) = p log p.
    pub const LINEAR_LOG: Law = Law { hundredths: 100, log: true };
    /// g(p) = p^1.5.
    pub const THREE_HALVES: Law = Law { hundredths: 150, log: false };
    /// g(p) = p².
    pub const SQUARE: Law = Law { hundredths: 200, log: false };
    /// The laws of the papers, slowest growth first.
    pub const PAPERS: [Law; 4] = [Law::LINEAR, Law::LINEAR_LOG, Law::THREE_HALVES, Law::SQUARE];

    /// The law at one size; logarithms are taken of x + 1 so that x = 1 does not give 0.
    pub fn at(self, x: f64) -> f64 {
        let power = match self.hundredths {
            100 => x,
            150 => x * x.sqrt(),
            200 => x * x,
            other => x.powf(f64::from(other) / 100.0),
        };
        if self.log { power * (x + 1.0).ln() } else { power }
    }

    /// The name in files: `p`, `p log p`, `p^1.5`.
    pub fn name(self) -> String {
        let power = match self.hundredths {
            100 => "p".into(),
            other => format!("p^{}", f64::from(other) / 100.0),
        };
        if self.log { format!("{power} log p") } else { power }
    }

    /// The law as readers see it, for a variable such as `p` or `a·v`.
    pub fn of(self, variable: &str) -> String {
        let single = variable.chars().count() == 1;
        let base = match variable.contains(['·', ' ']) {
            true => format!("({variable})"),
            false => variable.to_string(),
        };
        let power = match self.hundredths {
            100 => variable.to_string(),
            200 => format!("{base}²"),
            300 => format!("{base}³"),
            other => format!("{base}^{}", f64::from(other) / 100.0),
        };
        match (self.log, single) {
            (false, _) => power,
            (true, true) => format!("{power} log {variable}"),
            (true, false) => format!("{power}·log({variable})"),
        }
    }
}

/// For the papers' variable p.
impl std::fmt::Display for Law {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.of("p"))
    }
}

impl FromStr for Law {
    type Err = String;

    fn from_str(text: &str) -> Result<Law, String> {
        let wrong = || {
            format!(
                "`{text}` is not a growth law; write p, p^E or p^E log p with an exponent E of at most two decimals \
                 between 0.1 and 9, such as p^1.5 log p"
            )
        };
        let (power, log) = match text.strip_suffix(" log p") {
            Some(power) => (power, true),
            None => (text, false),
        };
        let exponent: f64 = match power {
            "p" => 1.0,
            other => other.strip_prefix("p^").and_then(|e| e.parse().ok()).ok_or_else(wrong)?,
        };
        let hundredths = (100.0 * exponent).round();
        let exact = (100.0 * exponent - hundredths).abs() < 1e-6;
        match exact && (10.0..=900.0).contains(&hundredths) {
            true => Ok(Law { hundredths: hundredths as u16, log }),
            false => Err(wrong()),
        }
    }
}

impl Serialize for Law {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Law {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<Law, D::Error> {
        String::deserialize(de)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_wrong_ones_are_refused() {
        for name in ["p", "p log p", "p^1.5", "p^2", "p^0.5", "p^2.25 log p"] {
            assert_eq!(name.parse::<Law>().unwrap().name(), name);
        }
        assert_eq!("p^2".parse(), Ok(Law::SQUARE));
        for wrong in ["", "q", "p^", "p^0", "p^-1", "p^nan", "p^1.555", "p^10", "log p", "p  log p"]
        {
            let error = wrong.parse::<Law>().unwrap_err();
            assert!(error.contains("growth law"), "{error}");
        }
    }

    #[test]
    fn laws_are_written_for_what_they_are_of() {
        let written = |variable: &str| Law::PAPERS.map(|law| law.of(variable));
        assert_eq!(written("p"), ["p", "p log p", "p^1.5", "p²"]);
        assert_eq!(written("a·v"), ["a·v", "a·v·log(a·v)", "(a·v)^1.5", "(a·v)²"]);
        assert_eq!(Law::LINEAR_LOG.of("vectors"), "vectors·log(vectors)");
    }

    #[test]
    fn laws_are_ordered_by_growth() {
        assert!(Law::PAPERS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(Law::PAPERS.windows(2).all(|pair| pair[0].at(1e6) < pair[1].at(1e6)));
    }
}
