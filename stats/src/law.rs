//! The growth laws that the papers compare times with.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// A function g of the number of pids p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Law {
    /// g(p) = p.
    #[serde(rename = "p")]
    Linear,
    /// g(p) = p log p.
    #[serde(rename = "p log p")]
    LinearLog,
    /// g(p) = p^1.5.
    #[serde(rename = "p^1.5")]
    ThreeHalves,
    /// g(p) = p².
    #[serde(rename = "p^2")]
    Square,
}

impl Law {
    /// All laws, slowest growth first.
    pub const ALL: [Law; 4] = [Law::Linear, Law::LinearLog, Law::ThreeHalves, Law::Square];

    /// The law at one size; logarithms are taken of p + 1 so that p = 1 does not give 0.
    pub fn at(self, p: f64) -> f64 {
        match self {
            Law::Linear => p,
            Law::LinearLog => p * (p + 1.0).ln(),
            Law::ThreeHalves => p * p.sqrt(),
            Law::Square => p * p,
        }
    }

    /// The name in files, which is also how the law is written.
    pub fn name(self) -> &'static str {
        match self {
            Law::Linear => "p",
            Law::LinearLog => "p log p",
            Law::ThreeHalves => "p^1.5",
            Law::Square => "p^2",
        }
    }
}

impl std::fmt::Display for Law {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Law {
    type Err = String;
    fn from_str(text: &str) -> Result<Law, String> {
        Law::ALL
            .into_iter()
            .find(|law| law.name() == text)
            .ok_or_else(|| format!("`{text}` is not a growth law; use p, p log p, p^1.5 or p^2"))
    }
}
