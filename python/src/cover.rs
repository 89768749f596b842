//! Coverability: bytes of a model in, the document of `pidlab cover --json` out.

use crate::args::Limits;
use crate::signals;
use pidlab_cover::check::{Model, Unreadable};
use pidlab_cover::{
    Budget, Diagnostic, Document, Exhausted, Net, SolveOptions, Source, parse, solve,
    solve_question,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A question as it comes from Python.
#[derive(FromPyObject)]
pub struct Request {
    /// What messages call the model.
    name: String,
    text: Vec<u8>,
    /// Ending of the file's name.
    language: String,
    property: Option<Vec<u8>>,
    init: Option<String>,
    algorithm: String,
    reduce: bool,
    timeout: Option<f64>,
    memory_limit: Option<u64>,
}

/// Why there is no answer.
enum Failure {
    Stopped(Exhausted),
    Wrong(String),
}

impl From<Diagnostic> for Failure {
    fn from(error: Diagnostic) -> Failure {
        match error.limit {
            Some(stop) => Failure::Stopped(stop),
            None => Failure::Wrong(error.to_string()),
        }
    }
}

impl From<Unreadable> for Failure {
    fn from(error: Unreadable) -> Failure {
        match error {
            Unreadable::Stopped(stop) => Failure::Stopped(stop),
            other => Failure::Wrong(format!("the checker reads it in another way: {other}")),
        }
    }
}

#[pyfunction]
pub fn cover(py: Python<'_>, request: Request) -> PyResult<String> {
    let limits = Limits::new(request.timeout, request.memory_limit)?;
    let answer = signals::on_thread(py, move |stop| {
        let budget = Budget::new(limits.time, limits.memory).interrupted_by(stop.clone());
        match answer(&request, &budget) {
            Err(Failure::Stopped(stop)) => {
                let reason = format!("reading the input: {}", budget.describe(stop));
                Ok(Document::unknown(&request.algorithm, reason))
            }
            Err(Failure::Wrong(why)) => Err(why),
            Ok(document) => Ok(document),
        }
    })?;
    let document = answer.map_err(|why| PyValueError::new_err(format!("model: {why}")))?;
    serde_json::to_string(&document).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn answer(request: &Request, budget: &Budget) -> Result<Document, Failure> {
    let (net, model) = read(request, budget)?;
    let options = SolveOptions {
        algorithm: request.algorithm.clone(),
        budget: budget.clone(),
        reduce: request.reduce,
    };
    let answer = match &model {
        Some(model) => solve_question(&net, model, &options),
        None => solve(&net, &options),
    };
    answer.map_err(|error| Failure::Wrong(error.to_string()))
}

/// The question as the algorithms see it and, for the languages it reads itself, as the checker does.
fn read(request: &Request, budget: &Budget) -> Result<(Net, Option<Model>), Failure> {
    let system = source(&request.name, &request.text, budget);
    Ok(match request.language.as_str() {
        "spec" => {
            let net = parse::spec::read(&system)?;
            (net, Some(Model::read_spec(&request.text, budget)?))
        }
        "lgfsm" => (parse::lgfsm::read(&system)?, None),
        "bp" => (parse::bp::read(&system)?, None),
        "tts" => read_tts(request, &system)?,
        other => {
            let known = "use spec, tts, lgfsm or bp";
            return Err(Failure::Wrong(format!("there is no language `{other}`; {known}")));
        }
    })
}

/// Bytes as the parsers read them, with a mark in place of what is not UTF-8.
fn source(name: &str, bytes: &[u8], budget: &Budget) -> Source {
    Source::new(name, String::from_utf8_lossy(bytes)).within(budget.clone())
}

fn read_tts(request: &Request, system: &Source) -> Result<(Net, Option<Model>), Failure> {
    let Some(property) = &request.property else {
        return Err(Failure::Wrong("a .tts model needs its property".into()));
    };
    let budget = system.budget();
    let mut net = parse::tts::read_system(system)?;
    net.targets = parse::tts::read_property(&source("the property", property, budget), &net)?;
    if let Some(start) = &request.init {
        parse::tts::set_start(&mut net, &Source::new("the start", start))?;
    }
    let model = Model::read_tts(&request.text, property, request.init.as_deref(), budget)?;
    Ok((net, Some(model)))
}
