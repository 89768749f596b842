//! Colours of vertices and edges: values of Python that can be ordered, so that canonical forms do not
//! depend on who met a colour first.
//!
//! Equal in the sense of Python: `1`, `1.0` and `True` are one colour.

use crate::args::{mistyped, wrong};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyString, PyTuple};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Color {
    None,
    Int(i128),
    /// The bits of a number that is not whole.
    Float(u64),
    Str(Box<str>),
    Bytes(Box<[u8]>),
    Tuple(Box<[Color]>),
}

/// Tuples in tuples.
const DEEPEST: usize = 32;
const EXPECTED: &str = "colours that are None, numbers, strings, bytes or tuples of them";

impl Color {
    fn read(name: &str, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Color> {
        if value.is_none() {
            return Ok(Color::None);
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Color::Str(text.to_str()?.into()));
        }
        if value.is_instance_of::<PyFloat>() {
            return Color::of_float(name, value.extract()?);
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Color::Bytes(bytes.as_bytes().into()));
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            if depth == DEEPEST {
                return Err(wrong(name, "colours are tuples nested too deeply"));
            }
            let parts = tuple.iter().map(|part| Color::read(name, &part, depth + 1));
            return Ok(Color::Tuple(parts.collect::<PyResult<_>>()?));
        }
        match value.extract::<i128>() {
            Ok(number) => Ok(Color::Int(number)),
            Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => {
                Err(mistyped(name, EXPECTED, value))
            }
            Err(_) => Err(wrong(name, "whole numbers that are colours have 128 bits at most")),
        }
    }

    fn of_float(name: &str, value: f64) -> PyResult<Color> {
        if value.is_nan() {
            return Err(wrong(name, "NaN is not equal to itself and cannot be a colour"));
        }
        let whole = value as i128;
        match whole as f64 == value && whole != i128::MAX {
            true => Ok(Color::Int(whole)),
            false => Ok(Color::Float(value.to_bits())),
        }
    }

    pub fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Color::None => py.None().into_bound(py),
            Color::Int(number) => number.into_pyobject(py)?.into_any(),
            Color::Float(bits) => PyFloat::new(py, f64::from_bits(*bits)).into_any(),
            Color::Str(text) => PyString::new(py, text).into_any(),
            Color::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
            Color::Tuple(parts) => {
                let parts: PyResult<Vec<_>> = parts.iter().map(|part| part.object(py)).collect();
                PyTuple::new(py, parts?)?.into_any()
            }
        })
    }
}

/// Numbers colours in the order in which they come, and then by value.
pub struct Palette<'py> {
    name: String,
    /// From objects to numbers: Python's own equality and hash, which also keep the look-up short.
    numbers: Bound<'py, PyDict>,
    colors: Vec<Color>,
}

impl<'py> Palette<'py> {
    /// `name` is the argument that says where colours come from.
    pub fn new(py: Python<'py>, name: impl Into<String>) -> Palette<'py> {
        Palette { name: name.into(), numbers: PyDict::new(py), colors: Vec::new() }
    }

    pub fn number(&mut self, color: &Bound<'py, PyAny>) -> PyResult<u32> {
        let known = self.numbers.get_item(color);
        if let Some(number) = known.map_err(|_| mistyped(&self.name, EXPECTED, color))? {
            return number.extract();
        }
        let number = self.colors.len() as u32;
        self.colors.push(Color::read(&self.name, color, 0)?);
        self.numbers.set_item(color, number)?;
        Ok(number)
    }

    /// The colours that are used in ascending order, and the rank of each number among them.
    pub fn finish(self, used: impl Iterator<Item = u32>) -> (Vec<Color>, Vec<u32>) {
        let mut is_used = vec![false; self.colors.len()];
        used.for_each(|number| is_used[number as usize] = true);
        let kept = self.colors.iter().zip(is_used).filter(|(_, is_used)| *is_used);
        let mut sorted: Vec<Color> = kept.map(|(color, _)| color.clone()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let rank = |color: &Color| sorted.partition_point(|other| other < color) as u32;
        let ranks = self.colors.iter().map(rank).collect();
        (sorted, ranks)
    }
}
