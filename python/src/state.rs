//! `pidlab.State`: immutable; equal and hashed by class under the default relations.

use crate::args::{self, Limits, mistyped, wrong};
use crate::signals;
use crate::{drawing, objects};
use pidlab_backends::{Backend, CanonicalForm, GraphKind, Problem, Verdict, canon::Canon};
use pidlab_core::{Relations, State, json, text};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::{Arc, OnceLock};

/// A state of a system whose threads have pids: vectors at locations, and how many children each active
/// pid has created.
///
/// Parameters
/// ----------
/// source : str, mapping or State, optional
///     JSON text, text in the papers' notation (``.pst``), or a mapping with ``sigma`` and ``eta``.
/// sigma : mapping, optional
///     From locations to lists of vectors, instead of ``source``. A component is a pid (``"@1.2"`` or
///     ``(1, 2)``), any other string (``"@@x"`` for one that starts with ``@``), an integer or a boolean.
/// eta : mapping, optional
///     From active pids (``"1.2"`` or ``(1, 2)``) to the number of children each has created.
/// allow_inconsistent : bool
///     Accept what is not a consistent thread configuration (SACS'10, Assumption 2). Such a state can
///     be compared; it has no canonical form and no hash.
///
/// Examples
/// --------
/// >>> import pidlab
/// >>> q = pidlab.State(sigma={"L": [["@1"], ["@2"]], "H": [["@1.1", 7]]}, eta={"1": 1, "2": 0, "1.1": 0})
/// >>> q
/// State(pids=3, vectors=3)
/// >>> print(q)
/// H : <1.1:0, 7>
/// L : <1:1> <2:0>
/// >>> r = pidlab.State("H : <2.1:0, 7>  L : <1:0> <2:1>")
/// >>> q == r, hash(q) == hash(r)
/// (True, True)
#[pyclass(name = "State", module = "pidlab", frozen, weakref)]
pub struct PyState {
    pub state: Arc<State>,
    /// Of the canonical form under the default relations.
    class: OnceLock<u128>,
}

/// Work on larger states may not look at its budget for long.
const LARGE: usize = 100_000;

impl PyState {
    pub fn new(state: State) -> PyState {
        PyState { state: Arc::new(state), class: OnceLock::new() }
    }

    fn default_class(&self, py: Python<'_>) -> PyResult<u128> {
        if let Some(&class) = self.class.get() {
            return Ok(class);
        }
        let form = canonical(py, &self.state, Relations::default(), Limits::default())?;
        Ok(*self.class.get_or_init(|| form.hash))
    }
}

pub fn is_large(state: &State) -> bool {
    state.components().len() + state.pid_count() > LARGE
}

/// The canonical form of a state.
pub fn canonical(
    py: Python<'_>,
    state: &Arc<State>,
    relations: Relations,
    limits: Limits,
) -> PyResult<CanonicalForm> {
    let form = move |state: &State| {
        pidlab_backends::canonical_form(state, relations, &signals::budget(limits))
    };
    let form = match is_large(state) {
        false => signals::here(py, || form(state))?,
        true => {
            let state = state.clone();
            signals::on_thread(py, move |_| form(&state))?
        }
    };
    form.map_err(|error| form_error(&error))
}

pub fn form_error(error: &pidlab_backends::canon::FormError) -> PyErr {
    use pidlab_backends::canon::FormError;
    match error {
        FormError::Exhausted(what) => crate::Undecided::new_err(what.to_string()),
        FormError::Inconsistent(_) => PyValueError::new_err(error.to_string()),
    }
}

/// Whether two states are equivalent, for sure.
pub fn same_class(
    py: Python<'_>,
    q: &Arc<State>,
    r: &Arc<State>,
    relations: Relations,
) -> PyResult<bool> {
    let decide = move |q: &State, r: &State| {
        let problem = Problem { q, r, relations, graph: GraphKind::Corrected };
        Canon.decide(problem, &signals::budget(Limits::default())).verdict
    };
    let verdict = match is_large(q) {
        false => signals::here(py, || decide(q, r))?,
        true => {
            let (q, r) = (q.clone(), r.clone());
            signals::on_thread(py, move |_| decide(&q, &r))?
        }
    };
    match verdict {
        Verdict::Equivalent(_) => Ok(true),
        Verdict::NotEquivalent => Ok(false),
        Verdict::Undecided(_) => Err(PyRuntimeError::new_err("the comparison was cut short")),
    }
}

/// A state from whatever stands for one.
pub fn of_any(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Py<PyState>> {
    match value.cast::<PyState>() {
        Ok(state) => Ok(state.clone().unbind()),
        Err(_) => Py::new(value.py(), PyState::new(read(name, value, false)?)),
    }
}

fn read(name: &str, source: &Bound<'_, PyAny>, inconsistent: bool) -> PyResult<State> {
    let state = if let Ok(text) = source.cast::<PyString>() {
        let text = text.to_str()?;
        match text.trim_start().starts_with('{') {
            true => read_json(source.py(), name, text)?,
            false => read_text(source.py(), name, text)?,
        }
    } else if let Ok(other) = source.cast::<PyState>() {
        State::clone(&other.get().state)
    } else {
        read_mapping(name, source)?
    };
    consistent(name, state, inconsistent)
}

fn consistent(name: &str, state: State, allow_inconsistent: bool) -> PyResult<State> {
    if !allow_inconsistent {
        state.check_consistent().map_err(|error| wrong(name, error))?;
    }
    Ok(state)
}

fn read_json(py: Python<'_>, name: &str, text: &str) -> PyResult<State> {
    py.detach(|| json::parse_state(text)).map_err(|error| wrong(name, error))
}

fn read_text(py: Python<'_>, name: &str, text: &str) -> PyResult<State> {
    py.detach(|| text::parse_state(text)).map_err(|error| wrong(name, error))
}

fn read_mapping(name: &str, source: &Bound<'_, PyAny>) -> PyResult<State> {
    const EXPECTED: &str = "a State, text, or a mapping with `sigma` and `eta`";
    let Ok(fields) = source.call_method0("keys") else {
        return Err(mistyped(name, EXPECTED, source));
    };
    for field in fields.try_iter()? {
        let field = field?;
        let known = |text: &str| matches!(text, "format" | "sigma" | "eta");
        if !field.extract::<String>().is_ok_and(|text| known(&text)) {
            let shown = field.str().map_or("?".to_string(), |text| text.to_string());
            let shown = pidlab_core::pid::excerpt(&shown);
            return Err(wrong(
                name,
                format!("unknown field `{shown}`; the fields are format, sigma, eta"),
            ));
        }
    }
    let get = |field: &str| {
        source.get_item(field).map_err(|_| wrong(name, format!("the state has no field `{field}`")))
    };
    if let Ok(format) = source.get_item("format")
        && !format.extract::<String>().is_ok_and(|format| format == json::STATE_FORMAT)
    {
        return Err(wrong(name, format!("format must be `{}`", json::STATE_FORMAT)));
    }
    objects::read(&get("sigma")?, &get("eta")?)
}

#[pymethods]
impl PyState {
    #[new]
    #[pyo3(signature = (source=None, *, sigma=None, eta=None, allow_inconsistent=false))]
    fn init(
        py: Python<'_>,
        source: Option<&Bound<'_, PyAny>>,
        sigma: Option<&Bound<'_, PyAny>>,
        eta: Option<&Bound<'_, PyAny>>,
        allow_inconsistent: bool,
    ) -> PyResult<PyState> {
        let state = match (source, sigma) {
            (Some(source), None) if eta.is_none() => read("source", source, allow_inconsistent)?,
            (None, Some(sigma)) => {
                let none = PyDict::new(py).into_any();
                let state = objects::read(sigma, eta.unwrap_or(&none))?;
                consistent("sigma", state, allow_inconsistent)?
            }
            (None, None) => return Err(wrong("source", "give a state, or sigma and eta")),
            _ => return Err(wrong("source", "give either source or sigma and eta, not both")),
        };
        Ok(PyState::new(state))
    }

    /// The state as JSON text (``pidlab-state/1``).
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| json::state_to_string(&self.state))
    }

    /// The state in the papers' notation (``.pst``); the same as ``str(state)``.
    fn to_pst(&self, py: Python<'_>) -> String {
        py.detach(|| text::state_to_string(&self.state))
    }

    /// The state as a dictionary with ``format``, ``sigma`` and ``eta``.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("format", json::STATE_FORMAT)?;
        dict.set_item("sigma", self.sigma(py)?)?;
        dict.set_item("eta", self.eta(py)?)?;
        Ok(dict)
    }

    /// The vectors at each location, as a new dictionary of lists.
    #[getter]
    fn sigma<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        objects::sigma(py, &self.state)
    }

    /// For each active pid the number of children it has created, as a new dictionary.
    #[getter]
    fn eta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        objects::eta(py, &self.state)
    }

    /// The pids of the state in lexicographic order, such as ``"@1.2"``.
    #[getter]
    fn pids(&self) -> Vec<String> {
        self.state.pids().map(|pid| format!("@{}", self.state.forest().pid(pid))).collect()
    }

    /// Number of pids.
    #[getter]
    fn pid_count(&self) -> usize {
        self.state.pid_count()
    }

    /// Number of vectors.
    #[getter]
    fn vector_count(&self) -> usize {
        self.state.vector_count()
    }

    /// Whether the state is a consistent thread configuration (SACS'10, Assumption 2).
    #[getter]
    fn is_consistent(&self) -> bool {
        self.state.is_consistent()
    }

    /// The canonical form: one state chosen from the class, the same for all states of the class.
    ///
    /// Parameters
    /// ----------
    /// relations : str or iterable of str
    ///     The pid relations that must be preserved.
    /// timeout : float, optional
    ///     Seconds; ``Undecided`` is raised when they are over.
    ///
    /// Examples
    /// --------
    /// >>> import pidlab
    /// >>> print(pidlab.State("L : <7:3> <9:0>").canonical())
    /// L : <1.1:0> <2.1:0>
    #[pyo3(signature = (relations=None, *, timeout=None))]
    fn canonical(
        &self,
        py: Python<'_>,
        relations: Option<&Bound<'_, PyAny>>,
        timeout: Option<f64>,
    ) -> PyResult<PyState> {
        let relations = relations.map(args::relations).transpose()?.unwrap_or_default();
        let form = canonical(py, &self.state, relations, Limits::new(timeout, None)?)?;
        let state = PyState::new(form.state);
        if relations == Relations::default() {
            let _ = state.class.set(form.hash);
            let _ = self.class.set(form.hash);
        }
        Ok(state)
    }

    /// A hash of the class, 32 hexadecimal digits: that of the canonical form, as ``pidlab canon`` prints it.
    #[pyo3(signature = (relations=None))]
    fn class_hash(&self, py: Python<'_>, relations: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let relations = relations.map(args::relations).transpose()?.unwrap_or_default();
        let hash = match relations == Relations::default() {
            true => self.default_class(py)?,
            false => canonical(py, &self.state, relations, Limits::default())?.hash,
        };
        Ok(format!("{hash:032x}"))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.default_class(py)? as u64)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<PyState>() else { return Ok(py.NotImplemented()) };
        let other = other.get();
        let same = Arc::ptr_eq(&self.state, &other.state)
            || (!self.differs_in_class(other)
                && same_class(py, &self.state, &other.state, Relations::default())?);
        Ok(same.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __repr__(&self) -> String {
        let note = if self.state.is_consistent() { "" } else { ", inconsistent" };
        format!(
            "State(pids={}, vectors={}{note})",
            self.state.pid_count(),
            self.state.vector_count()
        )
    }

    fn __str__(&self, py: Python<'_>) -> String {
        self.to_pst(py).trim_end().to_string()
    }

    /// For notebooks: the layered graph of a small state.
    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| drawing::of_state(&self.state))
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((String,), Bound<'py, PyDict>)> {
        let options = PyDict::new(py);
        options.set_item("allow_inconsistent", true)?;
        Ok(((self.to_json(py),), options))
    }
}

impl PyState {
    /// Whether known hashes show that the classes differ; nothing rests on their being equal.
    fn differs_in_class(&self, other: &PyState) -> bool {
        match (self.class.get(), other.class.get()) {
            (Some(q), Some(r)) => q != r,
            _ => false,
        }
    }
}

/// A state together with relations: hashed and equal by class under them.
#[pyclass(name = "ClassKey", module = "pidlab", frozen)]
pub struct ClassKey {
    state: Arc<State>,
    relations: Relations,
    hash: u128,
}

#[pymethods]
impl ClassKey {
    #[new]
    fn new(
        py: Python<'_>,
        state: &Bound<'_, PyAny>,
        relations: &Bound<'_, PyAny>,
    ) -> PyResult<ClassKey> {
        let (state, relations) = (of_any("state", state)?, args::relations(relations)?);
        let own = state.get();
        let hash = match relations == Relations::default() {
            true => own.default_class(py)?,
            false => canonical(py, &own.state, relations, Limits::default())?.hash,
        };
        Ok(ClassKey { state: own.state.clone(), relations, hash })
    }

    fn __hash__(&self) -> u64 {
        self.hash as u64
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<ClassKey>() else { return Ok(false) };
        let other = other.get();
        Ok(self.hash == other.hash
            && self.relations == other.relations
            && (Arc::ptr_eq(&self.state, &other.state)
                || same_class(py, &self.state, &other.state, self.relations)?))
    }
}
