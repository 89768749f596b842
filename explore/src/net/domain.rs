//! What a component of a place may hold, where that is less than its type: `int in 0..3`, `string in ["a", "b"]`.
//!
//! Tokens of the start and constants in tokens are checked when a net is compiled, and what a transition puts when
//! it fires, unless it is known before to fit.

use super::compiled::Net;
use super::syntax::tree::Type;

/// Values are as in expressions: a string is its number in the table of the net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// From the first to the last.
    Range(i64, i64),
    /// In ascending order, distinct.
    Values(Vec<i64>),
}

impl Domain {
    /// The domain of a list in any order.
    pub fn of(mut values: Vec<i64>) -> Domain {
        values.sort_unstable();
        values.dedup();
        Domain::Values(values)
    }

    #[inline]
    pub fn contains(&self, value: i64) -> bool {
        match self {
            Domain::Range(first, last) => (*first..=*last).contains(&value),
            Domain::Values(values) => values.binary_search(&value).is_ok(),
        }
    }

    /// Whether every value is in another domain as well.
    pub fn is_within(&self, other: &Domain) -> bool {
        match (self, other) {
            (Domain::Range(a, b), Domain::Range(first, last)) => a > b || first <= a && b <= last,
            (Domain::Range(a, b), Domain::Values(values)) => {
                b.saturating_sub(*a) < values.len() as i64 && (*a..=*b).all(|v| other.contains(v))
            }
            (Domain::Values(values), _) => values.iter().all(|&value| other.contains(value)),
        }
    }

    /// As a net has it behind `in`.
    pub fn text(&self, net: &Net, kind: Type) -> String {
        match self {
            Domain::Range(first, last) => format!("{first}..{last}"),
            Domain::Values(values) => {
                let texts: Vec<String> =
                    values.iter().map(|&value| net.value_text(kind, value)).collect();
                format!("[{}]", texts.join(", "))
            }
        }
    }
}
