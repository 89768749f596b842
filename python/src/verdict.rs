//! `pidlab.equivalent`, its result, and the independent check of a witness.

use crate::args::{self, Limits, mistyped, wrong};
use crate::state::{PyState, is_large, of_any};
use crate::{Undecided, batch, signals};
use pidlab_backends::backend::Undecided as Why;
use pidlab_backends::canon::Canon;
use pidlab_backends::external::GREETING_TIME;
use pidlab_backends::{
    Backend, Budget, Decision, GraphKind, Problem, Reason, Verdict, WitnessMap, difference,
    registry,
};
use pidlab_core::{Relations, State};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::fmt::Write;
use std::sync::{Arc, OnceLock};

/// What ``equivalent`` found: true or false like the answer, with what proves or explains it.
#[pyclass(name = "Equivalence", module = "pidlab", frozen)]
pub struct Equivalence {
    q: Arc<State>,
    r: Arc<State>,
    relations: Relations,
    decision: Decision,
    /// Name of the backend.
    #[pyo3(get)]
    backend: String,
    reason: OnceLock<Reason>,
}

/// The backend of a name; the default needs no look-up.
fn find(name: &str) -> PyResult<Box<dyn Backend>> {
    if name == registry::DEFAULT {
        return Ok(Box::new(Canon));
    }
    registry::find(name).map_err(|error| wrong("backend", error))
}

fn decide(
    backend: &dyn Backend,
    (q, r): (&State, &State),
    relations: Relations,
    budget: &Budget,
) -> Decision {
    backend.decide(Problem { q, r, relations, graph: GraphKind::Corrected }, budget)
}

/// Backends that look at their budget often enough to run in the thread of the caller.
const PROMPT: [&str; 2] = ["canon", "refine"];

#[pyfunction]
#[pyo3(signature = (q, r, relations, backend, timeout=None, memory_limit=None))]
pub fn equivalent(
    py: Python<'_>,
    q: &Bound<'_, PyAny>,
    r: &Bound<'_, PyAny>,
    relations: &Bound<'_, PyAny>,
    backend: &str,
    timeout: Option<f64>,
    memory_limit: Option<u64>,
) -> PyResult<Equivalence> {
    let (q, r) = (of_any("q", q)?, of_any("r", r)?);
    let (q, r) = (q.get().state.clone(), r.get().state.clone());
    let relations = args::relations(relations)?;
    let limits = Limits::new(timeout, memory_limit)?;
    let algorithm = find(backend)?;
    let decision = if PROMPT.contains(&backend) && !is_large(&q) {
        signals::here(py, || decide(&*algorithm, (&q, &r), relations, &signals::budget(limits)))?
    } else {
        let (q, r) = (q.clone(), r.clone());
        signals::on_thread(py, move |_| {
            algorithm.ready(GREETING_TIME);
            decide(&*algorithm, (&q, &r), relations, &signals::budget(limits))
        })?
    };
    let (backend, reason) = (backend.to_string(), OnceLock::new());
    Ok(Equivalence { q, r, relations, decision, backend, reason })
}

/// Reads pairs of states; the error says which pair is wrong.
fn read_pairs(pairs: &Bound<'_, PyAny>) -> PyResult<Vec<(Arc<State>, Arc<State>)>> {
    let mut states = Vec::new();
    crate::objects::each(
        pairs,
        || mistyped("pairs", "an iterable of pairs of states", pairs),
        |pair| {
            let name = format!("pairs[{}]", states.len());
            let read = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>();
            let (q, r) = read.map_err(|_| mistyped(&name, "a pair of states", &pair))?;
            let (q, r) = (of_any(&name, &q)?, of_any(&name, &r)?);
            states.push((q.get().state.clone(), r.get().state.clone()));
            Ok(())
        },
    )?;
    Ok(states)
}

#[pyfunction]
#[pyo3(signature = (pairs, relations, backend, threads=None, timeout=None, memory_limit=None))]
pub fn equivalent_many(
    py: Python<'_>,
    pairs: &Bound<'_, PyAny>,
    relations: &Bound<'_, PyAny>,
    backend: &str,
    threads: Option<usize>,
    timeout: Option<f64>,
    memory_limit: Option<u64>,
) -> PyResult<Vec<Equivalence>> {
    let relations = args::relations(relations)?;
    let limits = Limits::new(timeout, memory_limit)?;
    let (pairs, algorithm) = (read_pairs(pairs)?, find(backend)?);
    let states = pairs.clone();
    let decisions = batch::map(py, pairs, threads, move |(q, r)| {
        decide(&*algorithm, (q, r), relations, &signals::budget_of_one(limits))
    })?;
    let result = |((q, r), decision)| {
        let (backend, reason) = (backend.to_string(), OnceLock::new());
        Equivalence { q, r, relations, decision, backend, reason }
    };
    Ok(states.into_iter().zip(decisions).map(result).collect())
}

fn read_states(states: &Bound<'_, PyAny>) -> PyResult<Vec<Arc<State>>> {
    let mut read = Vec::new();
    let expected = || mistyped("states", "an iterable of states", states);
    crate::objects::each(states, expected, |state| {
        let state = of_any(&format!("states[{}]", read.len()), &state)?;
        read.push(state.get().state.clone());
        Ok(())
    })?;
    Ok(read)
}

#[pyfunction]
#[pyo3(signature = (states, relations, threads=None, timeout=None))]
pub fn canonical_many(
    py: Python<'_>,
    states: &Bound<'_, PyAny>,
    relations: &Bound<'_, PyAny>,
    threads: Option<usize>,
    timeout: Option<f64>,
) -> PyResult<Vec<PyState>> {
    let (relations, limits) = (args::relations(relations)?, Limits::new(timeout, None)?);
    let forms = batch::map(py, read_states(states)?, threads, move |state| {
        pidlab_backends::canonical_form(state, relations, &signals::budget_of_one(limits))
    })?;
    let form = |form: Result<pidlab_backends::CanonicalForm, _>| match form {
        Ok(form) => Ok(PyState::new(form.state)),
        Err(error) => Err(crate::state::form_error(&error)),
    };
    forms.into_iter().map(form).collect()
}

#[pyfunction]
pub fn check_witness(
    py: Python<'_>,
    q: &Bound<'_, PyAny>,
    r: &Bound<'_, PyAny>,
    witness: &Bound<'_, PyAny>,
    relations: &Bound<'_, PyAny>,
) -> PyResult<Option<String>> {
    const EXPECTED: &str = "a mapping from pids to pids, such as {'@1': '@2'}";
    let (q, r) = (of_any("q", q)?, of_any("r", r)?);
    let relations = args::relations(relations)?;
    let items =
        witness.call_method0("items").map_err(|_| mistyped("witness", EXPECTED, witness))?;
    let mut pairs: Vec<(String, String)> = Vec::new();
    for entry in items.try_iter()? {
        let entry = entry?.extract();
        pairs.push(entry.map_err(|_| mistyped("witness", EXPECTED, witness))?);
    }
    let (q, r) = (q.get().state.clone(), r.get().state.clone());
    let checked =
        signals::on_thread(py, move |_| pidlab_check::verify_named(&q, &r, relations, &pairs))?;
    Ok(checked.err().map(|violation| violation.to_string()))
}

impl Equivalence {
    fn reason_of(&self, py: Python<'_>) -> PyResult<Option<&Reason>> {
        if self.decision.verdict != Verdict::NotEquivalent {
            return Ok(None);
        }
        if let Some(reason) = self.reason.get() {
            return Ok(Some(reason));
        }
        let (q, r, relations) = (self.q.clone(), self.r.clone(), self.relations);
        let found = signals::on_thread(py, move |_| {
            let problem = Problem { q: &q, r: &r, relations, graph: GraphKind::Corrected };
            difference::explain(problem, &Canon, &signals::budget(Limits::default()))
        })?;
        Ok(Some(self.reason.get_or_init(|| found)))
    }

    fn answer(&self) -> &'static str {
        match self.decision.verdict {
            Verdict::Equivalent(_) => "equivalent",
            Verdict::NotEquivalent => "not equivalent",
            Verdict::Undecided(_) => "undecided",
        }
    }

    fn open_question(&self) -> Option<String> {
        match &self.decision.verdict {
            Verdict::Undecided(Why::Exhausted(what)) => Some(what.to_string()),
            Verdict::Undecided(Why::NoDifferenceFound) => Some(format!(
                "{} sees no difference and cannot prove that there is none",
                self.backend
            )),
            Verdict::Undecided(Why::Failed(why)) => Some(why.clone()),
            _ => None,
        }
    }
}

#[pymethods]
impl Equivalence {
    /// True, False, or None if the question is open.
    #[getter]
    fn equivalent(&self) -> Option<bool> {
        match self.decision.verdict {
            Verdict::Equivalent(_) => Some(true),
            Verdict::NotEquivalent => Some(false),
            Verdict::Undecided(_) => None,
        }
    }

    /// The bijection that proves equivalence, over pids and next-pids: ``{"@1": "@2", …}``; else None.
    #[getter]
    fn witness<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(map) = WitnessMap::of(&self.decision.verdict, &self.q, &self.r) else {
            return Ok(None);
        };
        let witness = PyDict::new(py);
        for (from, to) in map.entries() {
            witness.set_item(from.to_string(), to.to_string())?;
        }
        Ok(Some(witness))
    }

    /// Why the states are not equivalent, as a dictionary; computed when first asked for. Else None.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(reason) = self.reason_of(py)? else { return Ok(None) };
        let text =
            serde_json::to_string(reason).map_err(|error| Undecided::new_err(error.to_string()))?;
        Ok(Some(py.import("json")?.call_method1("loads", (text,))?))
    }

    /// Why the question is open, as text; else None.
    #[getter]
    fn undecided(&self) -> Option<String> {
        self.open_question()
    }

    /// Seconds from the states to the backend's own structure, and from there to the answer.
    #[getter]
    fn times(&self) -> (f64, f64) {
        (self.decision.build.as_secs_f64(), self.decision.decide.as_secs_f64())
    }

    /// The relations that had to be preserved.
    #[getter]
    fn relations(&self) -> String {
        self.relations.to_string()
    }

    fn __bool__(&self) -> PyResult<bool> {
        self.equivalent().ok_or_else(|| {
            let why = self.open_question().unwrap_or_default();
            Undecided::new_err(format!("{why}; look at `.equivalent`, which is None"))
        })
    }

    fn __repr__(&self) -> String {
        format!("<{} under {{{}}}, says {}>", self.answer(), self.relations, self.backend)
    }

    /// For notebooks: the answer, and the witness or the reason.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        const MOST: usize = 12;
        let mut out = format!(
            "<b>{}</b> under {{{}}}, says {}",
            self.answer(),
            self.relations,
            escape(&self.backend)
        );
        if let Some(map) = WitnessMap::of(&self.decision.verdict, &self.q, &self.r) {
            out.push_str("<table><tr><th>pid of q</th><th>pid of r</th></tr>");
            for (from, to) in map.entries().take(MOST) {
                let _ = write!(out, "<tr><td>{from}</td><td>{to}</td></tr>");
            }
            let more = map.entries().count().saturating_sub(MOST);
            let _ = write!(
                out,
                "</table>{}",
                if more > 0 { format!("and {more} more") } else { String::new() }
            );
        }
        if let Some(reason) = self.reason_of(py)? {
            let _ = write!(out, "<p>{}</p>", escape(&reason.text));
        }
        if let Some(why) = self.open_question() {
            let _ = write!(out, "<p>{}</p>", escape(&why));
        }
        Ok(out)
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// What there is to say of every backend, as dictionaries.
#[pyfunction]
pub fn backends(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let describe = |info: pidlab_backends::Info| {
        let dict = PyDict::new(py);
        dict.set_item("name", info.name)?;
        dict.set_item("exact", info.exactness == pidlab_backends::Exactness::Exact)?;
        dict.set_item("source", info.source)?;
        dict.set_item("available", info.unavailable.is_none())?;
        dict.set_item("why_not", info.unavailable.map(|why| PyString::new(py, &why)))?;
        Ok(dict)
    };
    py.detach(registry::list).into_iter().map(describe).collect()
}
