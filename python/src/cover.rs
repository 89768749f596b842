//! Coverability: bytes of a model in, the document of `pidlab cover --json` out.

use crate::args::Limits;
use crate::signals;
use pidlab_cover::answer::Document;
use pidlab_cover::budget::Budget;
use pidlab_cover::check::{Model, Unreadable};
use pidlab_cover::error::{ReadError, Stop};
use pidlab_cover::net::Net;
use pidlab_cover::parse;
use pidlab_cover::solve::{Options, solve, solve_question};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A question as it comes from Python.
#[derive(FromPyObject)]
pub struct Request {
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
    Stopped(Stop),
    Wrong(String),
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Failure {
        match error {
            ReadError::Stopped(stop) => Failure::Stopped(stop),
            ReadError::Parse(error) => Failure::Wrong(error.to_string()),
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
                let reason = format!("reading the input: {}", budget.describe(&stop));
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
    let options = Options {
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
    let text = String::from_utf8_lossy(&request.text);
    Ok(match request.language.as_str() {
        "spec" => {
            let model = Model::read_spec(&request.text, budget);
            (parse::spec::read(&text, budget)?, Some(model?))
        }
        "lgfsm" => (parse::lgfsm::read(&text, budget)?, None),
        "bp" => (parse::bp::read(&text, budget)?, None),
        "tts" => read_tts(request, &text, budget)?,
        other => {
            let known = "use spec, tts, lgfsm or bp";
            return Err(Failure::Wrong(format!("there is no language `{other}`; {known}")));
        }
    })
}

fn read_tts(
    request: &Request,
    text: &str,
    budget: &Budget,
) -> Result<(Net, Option<Model>), Failure> {
    let Some(property) = &request.property else {
        return Err(Failure::Wrong("a .tts model needs its property".into()));
    };
    let mut net = parse::tts::read_system(text, budget)?;
    net.targets = parse::tts::read_property(&String::from_utf8_lossy(property), &net, budget)?;
    if let Some(start) = &request.init {
        let set = parse::tts::set_start(&mut net, start);
        set.map_err(|error| Failure::Wrong(error.message))?;
    }
    let model = Model::read_tts(&request.text, property, request.init.as_deref(), budget)?;
    Ok((net, Some(model)))
}
