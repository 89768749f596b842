//! State spaces of nets and heap programs; the result goes to Python as JSON, with the names of `pidlab
//! explore --json`.

use crate::args::{self, Limits, wrong};
use crate::signals;
use pidlab_backends::Budget;
use pidlab_core::Relations;
use pidlab_explore::heap::{
    HeapOptions, HeapOrder, compile as compile_program, explore as explore_program,
};
use pidlab_explore::net::export::{GraphFormat, StateGraph, trace};
use pidlab_explore::net::{
    ExploreError, Net, NetExploration, NetOptions, NetTrace, compile, explore,
};
use pidlab_explore::search::{Failure, Limits as SearchLimits, Options, Order, StopReason};
use pidlab_explore::source::{Diagnostic, Source};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Why there is no document: what is wrong with the model, in words.
type Found = Result<Value, String>;

fn order(name: &str, search: &str) -> PyResult<Order> {
    match search {
        "bfs" => Ok(Order::BreadthFirst),
        "dfs" => Ok(Order::DepthFirst),
        _ => Err(wrong(name, "use bfs or dfs")),
    }
}

fn search_limits(limits: Limits, states: Option<u64>, stop: &Arc<AtomicBool>) -> SearchLimits {
    let budget = Budget::new(limits.time, limits.memory).interrupted_by(stop.clone());
    SearchLimits { states, budget }
}

/// A search that a limit ended before anything was counted.
fn nothing(reason: StopReason, why: String) -> Value {
    json!({ "format": "pidlab-explore/1", "states": 0, "edges": 0, "seen": 0, "deadlocks": 0,
        "complete": false, "stopped": reason, "reason": why })
}

fn at_limit(diagnostics: &[Diagnostic], text: String) -> Found {
    match diagnostics.iter().find_map(|diagnostic| diagnostic.limit) {
        Some(what) => Ok(nothing(what.into(), text)),
        None => Err(text),
    }
}

fn handed_over(found: Found) -> PyResult<String> {
    found
        .map(|document| document.to_string())
        .map_err(|why| PyValueError::new_err(format!("model: {why}")))
}

/// Options of a search in a net, as they come from Python.
#[derive(FromPyObject)]
pub struct NetRequest {
    name: String,
    text: String,
    constants: Vec<(String, String)>,
    properties: Vec<String>,
    canon: bool,
    force: bool,
    stop: bool,
    graph: bool,
    search: String,
    threads: Option<usize>,
    max_states: Option<u64>,
    timeout: Option<f64>,
    memory_limit: Option<u64>,
}

#[pyfunction]
pub fn explore_net(
    py: Python<'_>,
    request: NetRequest,
    relations: &Bound<'_, PyAny>,
) -> PyResult<String> {
    let used_by_model = relations.extract::<String>().is_ok_and(|text| text == "auto");
    let relations = if used_by_model { None } else { Some(args::relations(relations)?) };
    let limits = Limits::new(request.timeout, request.memory_limit)?;
    let order = order("search", &request.search)?;
    let found = signals::on_thread(py, move |stop| {
        let limits = search_limits(limits, request.max_states, stop);
        search_net(&request, relations, order, limits)
    })?;
    handed_over(found)
}

fn search_net(
    request: &NetRequest,
    relations: Option<Relations>,
    order: Order,
    limits: SearchLimits,
) -> Found {
    let source = Source::new(&*request.name, &*request.text).within(limits.budget.clone());
    let net = match compile(source, &request.constants, &request.properties) {
        Ok(net) => net,
        Err(faulty) => return at_limit(&faulty.0, faulty.to_string()),
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let default = if order == Order::DepthFirst { 1 } else { cores };
    let options = Options {
        order,
        threads: request.threads.unwrap_or(default),
        limits,
        stop_at: if request.stop { u64::MAX >> 2 } else { 0 },
        stop_at_deadlock: request.stop,
        record_edges: request.graph,
        ..Options::default()
    };
    let relations = relations.unwrap_or_else(|| net.used_relations());
    let settings = NetOptions { relations, canon: request.canon, force: request.force, options };
    match explore(&net, &settings) {
        Ok(found) => net_document(request, &net, &settings, &found),
        Err(ExploreError::Failure(Failure::Limit(what))) => {
            Ok(nothing(what.into(), what.to_string()))
        }
        Err(error) => Err(error.to_string()),
    }
}

fn net_document(
    request: &NetRequest,
    net: &Net,
    settings: &NetOptions<'_>,
    found: &NetExploration,
) -> Found {
    let report = &found.report;
    let counters = &report.counters;
    let run = |run: &NetTrace| trace::to_json(net, run, &found.budget).ok();
    let properties: Vec<Value> = found
        .verdicts
        .iter()
        .map(|v| json!({"name": v.property, "kind": v.kind, "verdict": v.answer, "trace": v.trace.as_ref().and_then(run)}))
        .collect();
    let constant = |text: &String| serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    let constants: serde_json::Map<String, Value> =
        net.constants.iter().map(|(name, value)| (name.clone(), constant(value))).collect();
    let relations: Vec<&str> = found.relations.iter().map(|r| r.name()).collect();
    Ok(json!({
        "format": "pidlab-explore/1",
        "model": request.name,
        "constants": constants,
        "relations": relations,
        "canon": settings.canon,
        "sound": found.unsound.is_none(),
        "unsound": found.unsound,
        "search": request.search,
        "threads": settings.options.threads,
        "states": counters.states,
        "edges": counters.edges,
        "seen": counters.seen,
        "deadlocks": counters.deadlocks,
        "final": counters.ends,
        "complete": report.complete(),
        "stopped": report.stopped,
        "deadlock_trace": found.deadlock.as_ref().and_then(run),
        "properties": properties,
        "seconds": report.elapsed.as_secs_f64(),
        "graph": if request.graph { graph(net, found)? } else { Value::Null },
    }))
}

/// The reduced state graph as `pidlab explore --output` writes it.
fn graph(net: &Net, found: &NetExploration) -> Found {
    let graph = StateGraph::new(net, found).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    graph.write(GraphFormat::Json, &mut bytes).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

/// Options of a search in a heap program.
#[derive(FromPyObject)]
pub struct HeapRequest {
    name: String,
    text: String,
    constants: Vec<(String, i64)>,
    thread_symmetry: String,
    heap_symmetry: bool,
    compress: String,
    search: String,
    max_states: Option<u64>,
    timeout: Option<f64>,
    memory_limit: Option<u64>,
}

fn choice<T: FromStr<Err = String>>(name: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|error: String| wrong(name, error))
}

#[pyfunction]
pub fn explore_heap(py: Python<'_>, request: HeapRequest) -> PyResult<String> {
    let limits = Limits::new(request.timeout, request.memory_limit)?;
    let options = HeapOptions {
        symmetry: choice("thread_symmetry", &request.thread_symmetry)?,
        heap: if request.heap_symmetry { HeapOrder::DepthFirst } else { HeapOrder::Address },
        compression: choice("compress", &request.compress)?,
        order: order("search", &request.search)?,
        trace: true,
        ..HeapOptions::default()
    };
    let found = signals::on_thread(py, move |stop| {
        let limits = search_limits(limits, request.max_states, stop);
        search_heap(&request, HeapOptions { limits, ..options })
    })?;
    handed_over(found)
}

fn search_heap(request: &HeapRequest, options: HeapOptions<'_>) -> Found {
    let source = Source::new(&*request.name, &*request.text).within(options.limits.budget.clone());
    let program = match compile_program(&source, &request.constants) {
        Ok(program) => program,
        Err(diagnostic) => {
            return at_limit(std::slice::from_ref(&diagnostic), diagnostic.to_string());
        }
    };
    let constants: serde_json::Map<String, Value> =
        program.constants.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let found = match explore_program(program, &options) {
        Ok(found) => found,
        Err(Failure::Limit(what)) => return Ok(nothing(what.into(), what.to_string())),
        Err(error) => return Err(error.to_string()),
    };
    let counters = &found.report.counters;
    let violation = found
        .fault
        .as_ref()
        .map(|(fault, text)| json!({"text": text, "limit": fault.violation.is_limit()}));
    Ok(json!({
        "format": "pidlab-explore/1",
        "model": request.name,
        "constants": constants,
        "thread_symmetry": request.thread_symmetry,
        "heap_symmetry": request.heap_symmetry,
        "compress": request.compress,
        "search": request.search,
        "states": counters.states,
        "edges": counters.edges,
        "seen": counters.seen,
        "deadlocks": counters.deadlocks,
        "terminated": counters.ends,
        "complete": found.report.complete(),
        "stopped": found.report.stopped,
        "violation": violation,
        "trace": found.trace,
        "store_bytes": found.store_bytes,
        "bytes_per_state": found.bytes_per_state(),
        "seconds": found.report.elapsed.as_secs_f64(),
    }))
}
