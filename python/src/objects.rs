//! States from Python objects, and back.
//!
//! σ is a mapping from locations to iterables of vectors, a vector an iterable of components: a pid
//! (`"@1.2"` or the tuple `(1, 2)`), any other string (`"@@x"` for a string that starts with `@`), an
//! integer or a boolean. η is a mapping from pids to numbers. Cost: one pass; dictionaries, lists and tuples
//! are read without iterators of Python's.

use crate::args::{mistyped, wrong};
use pidlab_core::{ComponentKind, Datum, NewComponent, State, StateBuilder, parse_segments};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};

/// Calls `take` with every item of a list, tuple or other iterable.
pub fn each<'py>(
    items: &Bound<'py, PyAny>,
    expected: impl FnOnce() -> PyErr,
    mut take: impl FnMut(Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(list) = items.cast_exact::<PyList>() {
        return list.iter().try_for_each(take);
    }
    if let Ok(tuple) = items.cast_exact::<PyTuple>() {
        return tuple.iter().try_for_each(take);
    }
    // the letters of a string are never meant
    if items.is_instance_of::<PyString>() {
        return Err(expected());
    }
    items.try_iter().map_err(|_| expected())?.try_for_each(|item| take(item?))
}

/// Calls `take` with every key and value of a mapping.
fn each_entry<'py>(
    mapping: &Bound<'py, PyAny>,
    expected: impl FnOnce() -> PyErr,
    mut take: impl FnMut(Bound<'py, PyAny>, Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(dict) = mapping.cast_exact::<PyDict>() {
        // a copy of the entries: what a value does when it is read may change the dictionary
        return dict.items().iter().try_for_each(|entry| {
            let entry = entry.cast_into::<PyTuple>()?;
            take(entry.get_item(0)?, entry.get_item(1)?)
        });
    }
    let Ok(items) = mapping.call_method0("items") else { return Err(expected()) };
    items.try_iter()?.try_for_each(|entry| {
        let (key, value) = entry?.extract()?;
        take(key, value)
    })
}

/// Reads a state from its two mappings.
pub fn read(sigma: &Bound<'_, PyAny>, eta: &Bound<'_, PyAny>) -> PyResult<State> {
    let mut reader = Reader::default();
    reader.sigma(sigma)?;
    reader.eta(eta)?;
    reader.builder.finish().map_err(|error| wrong("eta", error))
}

#[derive(Default)]
struct Reader {
    builder: StateBuilder,
    segments: Vec<u64>,
    entries: Vec<NewComponent>,
}

impl Reader {
    fn sigma(&mut self, sigma: &Bound<'_, PyAny>) -> PyResult<()> {
        const EXPECTED: &str = "a mapping from locations to lists of vectors";
        each_entry(
            sigma,
            || mistyped("sigma", EXPECTED, sigma),
            |name, vectors| {
                let location = name
                    .cast::<PyString>()
                    .map_err(|_| mistyped("sigma", "locations that are strings", &name))?
                    .to_str()?;
                let key = self.builder.location(location);
                let expected = || mistyped(&at(location), "a list of vectors", &vectors);
                each(&vectors, expected, |vector| {
                    self.vector(&vector, location)?;
                    self.builder.vector(key, self.entries.drain(..));
                    Ok(())
                })
            },
        )
    }

    fn vector(&mut self, vector: &Bound<'_, PyAny>, location: &str) -> PyResult<()> {
        self.entries.clear();
        let expected = || mistyped(&at(location), "vectors that are lists of components", vector);
        each(vector, expected, |component| {
            let entry = self.component(&component, location)?;
            self.entries.push(entry);
            Ok(())
        })
    }

    fn component(
        &mut self,
        component: &Bound<'_, PyAny>,
        location: &str,
    ) -> PyResult<NewComponent> {
        const EXPECTED: &str = "components that are pids ('@1.2'), strings, integers or booleans";
        if let Ok(text) = component.cast::<PyString>() {
            let text = text.to_str()?;
            return match text.strip_prefix('@') {
                None => Ok(NewComponent::Data(text.into())),
                Some(rest) if rest.starts_with('@') => Ok(NewComponent::Data(rest.into())),
                Some(pid) => {
                    parse_segments(pid, &mut self.segments)
                        .map_err(|error| wrong(&at(location), error))?;
                    Ok(self.builder.pid(&self.segments))
                }
            };
        }
        if let Ok(value) = component.cast::<PyBool>() {
            return Ok(NewComponent::Data(value.is_true().into()));
        }
        if let Ok(pid) = component.cast::<PyTuple>() {
            read_segments(pid, &mut self.segments)
                .ok_or_else(|| wrong(&at(location), NOT_A_PID))?;
            return Ok(self.builder.pid(&self.segments));
        }
        match component.extract::<i128>() {
            Ok(value) if i64::try_from(value).is_ok() || u64::try_from(value).is_ok() => {
                Ok(NewComponent::Data(Datum::Int(value)))
            }
            Ok(_) => Err(wrong(&at(location), BEYOND)),
            Err(error)
                if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(component.py()) =>
            {
                Err(wrong(&at(location), BEYOND))
            }
            // a boolean of NumPy is neither one of Python nor a number
            Err(_) => match component.extract::<bool>() {
                Ok(value) => Ok(NewComponent::Data(value.into())),
                Err(_) => Err(mistyped(&at(location), EXPECTED, component)),
            },
        }
    }

    fn eta(&mut self, eta: &Bound<'_, PyAny>) -> PyResult<()> {
        const EXPECTED: &str = "a mapping from active pids to numbers of children";
        each_entry(
            eta,
            || mistyped("eta", EXPECTED, eta),
            |pid, created| {
                self.pid(&pid)?;
                let created = crate::args::natural("eta", &created)?;
                self.builder.active(&self.segments, created).map_err(|error| wrong("eta", error))
            },
        )
    }

    /// A key of η: `"1.2"`, `"@1.2"` or `(1, 2)`.
    fn pid(&mut self, pid: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(text) = pid.cast::<PyString>() {
            let text = text.to_str()?;
            let text = text.strip_prefix('@').unwrap_or(text);
            return parse_segments(text, &mut self.segments).map_err(|error| wrong("eta", error));
        }
        match pid.cast::<PyTuple>() {
            Ok(tuple) => {
                read_segments(tuple, &mut self.segments).ok_or_else(|| wrong("eta", NOT_A_PID))
            }
            Err(_) => Err(mistyped("eta", "pids such as '1.2' or (1, 2) as keys", pid)),
        }
    }
}

const NOT_A_PID: &str = "a tuple is a pid: one or more positive integers, such as (1, 2)";
const BEYOND: &str = "integers have 64 bits at most; write others as strings";

fn at(location: &str) -> String {
    format!("sigma['{}']", pidlab_core::excerpt(location))
}

fn read_segments(pid: &Bound<'_, PyTuple>, segments: &mut Vec<u64>) -> Option<()> {
    segments.clear();
    for part in pid.iter() {
        segments.push(part.extract::<u64>().ok().filter(|&part| part > 0)?);
    }
    (!segments.is_empty()).then_some(())
}

/// σ as a dictionary of lists of lists, pids as `"@1.2"`.
pub fn sigma<'py>(py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyDict>> {
    let names: Vec<Bound<'py, PyString>> = state
        .pids()
        .map(|pid| PyString::new(py, &format!("@{}", state.forest().pid(pid))))
        .collect();
    let data = state.data().iter().map(|datum| datum_object(py, datum));
    let data = data.collect::<PyResult<Vec<_>>>()?;
    let sigma = PyDict::new(py);
    for location in state.locations() {
        sigma.set_item(&**location, PyList::empty(py))?;
    }
    let lists = sigma.values();
    for vector in 0..state.vector_count() {
        let components = PyList::empty(py);
        for component in state.vector(vector) {
            match component.kind() {
                ComponentKind::Pid(pid) => components.append(&names[pid as usize])?,
                ComponentKind::Data(datum) => components.append(&data[datum as usize])?,
            }
        }
        let list = lists.get_item(state.location_of(vector) as usize)?;
        list.cast::<PyList>()?.append(components)?;
    }
    Ok(sigma)
}

fn datum_object<'py>(py: Python<'py>, datum: &Datum) -> PyResult<Bound<'py, PyAny>> {
    Ok(match datum {
        Datum::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Datum::Int(value) => value.into_pyobject(py)?.into_any(),
        Datum::Str(text) if text.starts_with('@') => {
            PyString::new(py, &format!("@{text}")).into_any()
        }
        Datum::Str(text) => PyString::new(py, text).into_any(),
    })
}

/// η as a dictionary.
pub fn eta<'py>(py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyDict>> {
    let eta = PyDict::new(py);
    for pid in state.pids() {
        if let Some(created) = state.eta(pid) {
            eta.set_item(state.forest().pid(pid).to_string(), created)?;
        }
    }
    Ok(eta)
}
