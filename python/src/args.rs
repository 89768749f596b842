//! Arguments from Python: every error names the argument, says what was expected and what came instead.

use pidlab_core::{Relation, Relations};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use std::time::Duration;

/// A `ValueError` about an argument.
pub fn wrong(name: &str, what: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {what}"))
}

/// A `TypeError` about an argument.
pub fn mistyped(name: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    // with the module: there is more than one type called `bool`
    let kind = found.get_type().fully_qualified_name();
    let kind = kind.map_or("?".to_string(), |kind| kind.to_string());
    PyTypeError::new_err(format!("{name}: expected {expected}, not {kind}"))
}

/// Ω*: `"parent,ancestor"`, `"none"`, `"all"`, or an iterable of names.
pub fn relations(value: &Bound<'_, PyAny>) -> PyResult<Relations> {
    const NAME: &str = "relations";
    const EXPECTED: &str = "a string such as 'parent' or an iterable of names of relations";
    if let Ok(text) = value.cast::<PyString>() {
        return text.to_str()?.parse().map_err(|error| wrong(NAME, error));
    }
    let names = value.try_iter().map_err(|_| mistyped(NAME, EXPECTED, value))?;
    let mut set = Relations::NONE;
    for name in names {
        let name = name?;
        let text = name.cast::<PyString>().map_err(|_| mistyped(NAME, EXPECTED, &name))?;
        let relation: Relation = text.to_str()?.parse().map_err(|error| wrong(NAME, error))?;
        set = set.with(relation);
    }
    Ok(set)
}

/// Ω* in the one way to write it that answers show.
#[pyfunction]
pub fn relations_text(relations: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(self::relations(relations)?.to_string())
}

/// A natural number; `bool` is not one.
pub fn natural(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    if value.is_instance_of::<PyBool>() {
        return Err(mistyped(name, "a whole number", value));
    }
    let number = value.extract::<i128>();
    match number.map(u64::try_from) {
        Ok(Ok(number)) => Ok(number),
        Ok(Err(_)) => Err(wrong(name, "expected a number from 0 to 2^64-1")),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(value.py()) => {
            Err(wrong(name, "expected a number from 0 to 2^64-1"))
        }
        Err(_) => Err(mistyped(name, "a whole number", value)),
    }
}

/// As [`natural`], for sizes.
pub fn size(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    usize::try_from(natural(name, value)?).map_err(|_| wrong(name, "too large"))
}

/// A time in seconds, not negative; infinity means no limit.
pub fn seconds(name: &str, value: f64) -> PyResult<Option<Duration>> {
    if value == f64::INFINITY {
        return Ok(None);
    }
    let time = Duration::try_from_secs_f64(value);
    time.map(Some).map_err(|_| wrong(name, "expected a time in seconds, 0 or more"))
}

/// What a decision may use.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    pub time: Option<Duration>,
    pub memory: Option<u64>,
}

impl Limits {
    /// From the arguments `timeout` and `memory_limit`.
    pub fn new(timeout: Option<f64>, memory: Option<u64>) -> PyResult<Limits> {
        let time = timeout.map(|time| seconds("timeout", time)).transpose()?.flatten();
        Ok(Limits { time, memory })
    }
}

/// A number of vertices that fits in memory.
pub fn vertex_count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    const MOST: usize = 1 << 30;
    let count = size(name, value)?;
    if count > MOST {
        return Err(wrong(name, format!("a graph has at most {MOST} vertices")));
    }
    Ok(count)
}
