//! The reduced graph of a net: markings of classes, and of edges what fires and what it renames.

mod lts;
pub mod trace;

pub use crate::graph::{GraphFormat, StateGraph, StateNode};
pub use lts::write_lts;
pub(super) use lts::{write_named, write_successors};

use super::Net;
use super::bijection::{Orders, renamed};
use super::canon::NetCanonizer;
use super::explore::NetExploration;
use super::named::Named;
use super::plain::PlainCanonizer;
use super::trace::{ByName, Canonical, KeyOf, NetReplay};
use crate::graph::{EdgeDetail, MOST_TEXTS, nodes, sorted_edges};
use crate::search::{Edge, Failure, Id};
use pidlab_core::State;
use serde_json::Value;

impl StateGraph {
    /// The graph of an exploration whose edges were recorded.
    pub fn new(net: &Net, exploration: &NetExploration) -> Result<StateGraph, Failure> {
        let report = &exploration.report;
        let edges = sorted_edges(report);
        let (texts, left_out) = match texts(net, exploration, &edges) {
            Ok(texts) => (texts, None),
            Err(Failure::Limit(what)) => (Texts::default(), Some(what)),
            Err(other) => return Err(other),
        };
        let Texts { markings, renamed, details } = texts;
        let nodes = nodes(report, markings);
        let (name, labels) = (net.name.clone(), net.labels.clone());
        Ok(StateGraph { name, labels, nodes, edges, initial: vec![0], details, renamed, left_out })
    }
}

/// What makes a graph readable.
#[derive(Default)]
struct Texts {
    /// Of every node: its tokens, and the same as a state.
    markings: Vec<(Vec<String>, Option<State>)>,
    renamed: Renamed,
    details: Vec<EdgeDetail>,
}

/// For every edge what its bijection changes.
type Renamed = Vec<Vec<(String, String)>>;

/// A marking of each class and the bijections of the edges; nothing for large graphs.
fn texts(net: &Net, exploration: &NetExploration, edges: &[Edge]) -> Result<Texts, Failure> {
    if exploration.report.counters.states as usize > MOST_TEXTS {
        return Ok(Texts::default());
    }
    let (runs, Edges { renamed, details }) = concrete(net, exploration, edges)?;
    let mut markings = Vec::with_capacity(runs.len());
    for run in &runs {
        exploration.budget.poll()?;
        markings.push((run.tokens(net), run.to_state(net).ok()));
    }
    Ok(Texts { markings, renamed, details })
}

/// A marking of each class, and the bijections of the edges.
fn concrete(
    net: &Net,
    exploration: &NetExploration,
    edges: &[Edge],
) -> Result<(Vec<Named>, Edges), Failure> {
    let (classes, budget) = (&exploration.classes, &exploration.budget);
    if !exploration.canon {
        let keys = ByName(PlainCanonizer(net));
        let mut replay = NetReplay { net, classes, keys, budget };
        let runs = runs(exploration, &mut replay)?;
        let details = edge_details(edges, &runs, &mut replay, |_, _, _| Ok(()))?;
        return Ok((runs, Edges { renamed: vec![Vec::new(); edges.len()], details }));
    }
    let canonizer = NetCanonizer::new(net, exploration.relations);
    let keys = Canonical::new(&canonizer, budget);
    let mut replay = NetReplay { net, classes, keys, budget };
    let runs = runs(exploration, &mut replay)?;
    // an unsound graph need not have a counterpart of every edge at every marking
    let renamed = match exploration.unsound {
        Some(_) => Edges::default(),
        None => bijections(exploration, edges, &runs, &mut replay)?,
    };
    Ok((runs, renamed))
}

/// The marking of each class along the tree of first visits.
fn runs(
    exploration: &NetExploration,
    replay: &mut NetReplay<'_, impl KeyOf>,
) -> Result<Vec<Named>, Failure> {
    let parents = &exploration.report.parents;
    let mut runs: Vec<Named> = Vec::new();
    for id in 0..exploration.report.counters.states as Id {
        let run = match parents.parent(id) {
            None => Named::initial(replay.net),
            Some((from, label)) => replay.step(&runs[from as usize], label, id)?.after,
        };
        runs.push(run);
    }
    Ok(runs)
}

/// What is known of the edges besides their ends.
#[derive(Default)]
struct Edges {
    renamed: Renamed,
    details: Vec<EdgeDetail>,
}

fn bijections(
    exploration: &NetExploration,
    edges: &[Edge],
    runs: &[Named],
    replay: &mut NetReplay<'_, impl KeyOf>,
) -> Result<Edges, Failure> {
    let mut orders = Orders::within(replay.net, exploration.relations, &exploration.budget);
    let mut all = Vec::with_capacity(edges.len());
    let details = edge_details(edges, runs, replay, |after, there, _| {
        let pairs = orders.between(after, there)?.unwrap_or_default();
        all.push(renamed(after, there, &pairs));
        Ok(())
    })?;
    Ok(Edges { renamed: all, details })
}

/// What fires on every edge, from the marking of its node; `visit` gets the marking after it and that of the
/// node it leads to.
fn edge_details(
    edges: &[Edge],
    runs: &[Named],
    replay: &mut NetReplay<'_, impl KeyOf>,
    mut visit: impl FnMut(&Named, &Named, &Edge) -> Result<(), Failure>,
) -> Result<Vec<EdgeDetail>, Failure> {
    let mut details = Vec::with_capacity(edges.len());
    for edge @ &(from, label, to) in edges {
        let step = replay.step(&runs[from as usize], label, to)?;
        visit(&step.after, &runs[to as usize], edge)?;
        let pid = acting_thread(&step.values).cloned();
        let binding = step.values.into_iter().collect();
        details.push(EdgeDetail { action: None, pid, parameters: Some(Value::Object(binding)) });
    }
    Ok(details)
}

/// The first pid that a transition binds.
pub(super) fn acting_thread(values: &[(String, Value)]) -> Option<&Value> {
    let is_pid = |value: &Value| {
        value.as_str().is_some_and(|text| text.starts_with('@') && !text.starts_with("@@"))
    };
    values.iter().map(|(_, value)| value).find(|value| is_pid(value))
}
