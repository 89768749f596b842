//! Data values: what a vector holds besides pids. Two values are equal or not; nothing else matters.

use std::fmt;

/// A JSON string, integer or boolean. `1`, `"1"` and `true` are three different values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Datum {
    /// `true` or `false`.
    Bool(bool),
    /// An integer; formats that have no larger ones hold 64 bits.
    Int(i128),
    /// A text, without the `@` that stands for a pid in files.
    Str(Box<str>),
}

impl From<&str> for Datum {
    fn from(text: &str) -> Datum {
        Datum::Str(text.into())
    }
}

impl From<i64> for Datum {
    fn from(value: i64) -> Datum {
        Datum::Int(value.into())
    }
}

impl From<bool> for Datum {
    fn from(value: bool) -> Datum {
        Datum::Bool(value)
    }
}

/// Written as in JSON, strings quoted.
impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Bool(value) => write!(f, "{value}"),
            Datum::Int(value) => write!(f, "{value}"),
            Datum::Str(text) => write!(f, "{text:?}"),
        }
    }
}
