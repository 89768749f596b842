//! Random states, the papers' transformations and hard families, each from a seed.

use crate::args::{self, natural, size, wrong};
use crate::signals;
use crate::state::{PyState, of_any};
use pidlab_generators::hard::{self, Family, Variant};
use pidlab_generators::{Expected, Guarantee, RandomParams, Rng, Transformation, apply, transform};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A state that was made, and what is known of it beside the state it was made from.
#[pyclass(name = "Generated", module = "pidlab", frozen)]
pub struct Generated {
    #[pyo3(get)]
    state: Py<PyState>,
    guarantee: Guarantee,
}

#[pymethods]
impl Generated {
    /// Whether the state is equivalent to the one it was made from: True, False, or None if that is not
    /// known by construction.
    #[pyo3(signature = (relations=None))]
    fn expected(&self, relations: Option<&Bound<'_, PyAny>>) -> PyResult<Option<bool>> {
        let relations = relations.map(args::relations).transpose()?.unwrap_or_default();
        Ok(match self.guarantee.expected(relations) {
            Expected::Equivalent => Some(true),
            Expected::NotEquivalent => Some(false),
            Expected::Unknown => None,
        })
    }

    /// What is known, in words.
    #[getter]
    fn guarantee(&self) -> String {
        self.guarantee.to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let state = self.state.bind(py).repr()?;
        Ok(format!("<Generated {state}: {}>", self.guarantee))
    }
}

fn generated(py: Python<'_>, made: transform::Generated) -> PyResult<Generated> {
    Ok(Generated { state: Py::new(py, PyState::new(made.state))?, guarantee: made.guarantee })
}

#[pyfunction]
pub fn random_state(
    py: Python<'_>,
    seed: &Bound<'_, PyAny>,
    stream: &Bound<'_, PyAny>,
    params: &Bound<'_, PyDict>,
) -> PyResult<PyState> {
    let (seed, stream) = (natural("seed", seed)?, natural("stream", stream)?);
    let params = random_params(params)?;
    let made = signals::on_thread(py, move |_| {
        pidlab_generators::random_state(&params, &mut Rng::new(seed, stream))
    })?;
    Ok(PyState::new(
        made.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?,
    ))
}

fn random_params(given: &Bound<'_, PyDict>) -> PyResult<RandomParams> {
    let mut params = RandomParams::default();
    for (name, value) in given {
        let name: String = name.extract()?;
        let share = || {
            value
                .extract::<f64>()
                .map_err(|_| args::mistyped(&name, "a share between 0 and 1", &value))
        };
        match name.as_str() {
            "pids" => params.pids = size(&name, &value)?,
            "locations" => params.locations = size(&name, &value)?,
            "vectors" if value.is_none() => params.vectors = None,
            "vectors" => params.vectors = Some(size(&name, &value)?),
            "width" => params.width = width(&value)?,
            "pid_share" => params.pid_share = share()?,
            "distinct_data" => params.distinct_data = size(&name, &value)?,
            "roots" => params.roots = size(&name, &value)?,
            "depth" => params.depth = size(&name, &value)?,
            "fan_out" => params.fan_out = size(&name, &value)?,
            "inactive_share" => params.inactive_share = share()?,
            "gap_share" => params.gap_share = share()?,
            "vanished_share" => params.vanished_share = share()?,
            _ => return Err(wrong(&name, "there is no such parameter of random states")),
        }
    }
    Ok(params)
}

/// The least and the largest number of components, or one number for both.
fn width(value: &Bound<'_, PyAny>) -> PyResult<[usize; 2]> {
    match value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
        Ok((least, largest)) => Ok([size("width", &least)?, size("width", &largest)?]),
        Err(_) => size("width", value).map(|width| [width; 2]),
    }
}

#[pyfunction]
pub fn transform_state(
    py: Python<'_>,
    state: &Bound<'_, PyAny>,
    kinds: Vec<String>,
    strength: f64,
    seed: &Bound<'_, PyAny>,
    stream: &Bound<'_, PyAny>,
) -> PyResult<Generated> {
    let state = of_any("state", state)?.get().state.clone();
    let (seed, stream) = (natural("seed", seed)?, natural("stream", stream)?);
    let step = |kind: &String| match kind.contains(':') {
        true => kind.parse(),
        false => kind.parse().map(|kind| Transformation { kind, strength }),
    };
    let steps: Result<Vec<Transformation>, _> = kinds.iter().map(step).collect();
    let steps = steps.map_err(|error| wrong("kinds", error))?;
    let made = signals::on_thread(py, move |_| apply(&steps, &state, &mut Rng::new(seed, stream)))?;
    generated(py, made.map_err(|error| wrong("state", error))?)
}

#[pyfunction]
pub fn hard_instance(
    py: Python<'_>,
    family: &str,
    size: &Bound<'_, PyAny>,
    variant: &str,
    seed: &Bound<'_, PyAny>,
) -> PyResult<Generated> {
    let family: Family = family.parse().map_err(|error| wrong("family", error))?;
    let variant: Variant = variant.parse().map_err(|error| wrong("variant", error))?;
    let (size, seed) = (args::size("size", size)?, natural("seed", seed)?);
    let made = signals::on_thread(py, move |_| hard::instance(family, size, variant, seed))?;
    generated(py, made.map_err(|error| wrong("size", error))?)
}

/// The hard families: name, what the size counts, least and largest size, what it is, its twin.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn families()
-> Vec<(&'static str, &'static str, usize, usize, &'static str, Option<&'static str>)> {
    let row = |entry: &hard::FamilyInfo| {
        (entry.name, entry.size, entry.sizes.0, entry.sizes.1, entry.about, entry.twin)
    };
    hard::REGISTRY.iter().map(row).collect()
}

/// The transformations: name, what it changes, source, what it guarantees.
#[pyfunction]
pub fn transformations() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    let row =
        |entry: &transform::TransformInfo| (entry.name, entry.about, entry.source, entry.guarantee);
    transform::REGISTRY.iter().map(row).collect()
}

/// The parameters of random states that are used where none are given, as JSON.
#[pyfunction]
pub fn random_defaults() -> PyResult<String> {
    let text = serde_json::to_string(&RandomParams::default());
    text.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
}
