//! The reduced state graph in other programs' formats, one file each.

mod aut;
mod dot;
mod graphml;
mod json;
mod layers;
mod svg;
pub mod trace;

use super::Net;
use super::bijection::{Orders, renamed};
use super::canon::NetCanonizer;
use super::explore::NetExploration;
use super::named::Named;
use super::plain::PlainCanonizer;
use super::trace::{ByName, Canonical, KeyOf, NetReplay};
use crate::search::{Edge, Failure, Id};
use pidlab_budget::Exhausted;
use pidlab_core::State;
use std::io::{self, Write};

/// A state graph with texts.
pub struct StateGraph {
    /// Name of the net.
    pub name: String,
    /// Names of transitions, by label.
    pub labels: Vec<String>,
    /// Classes, by number.
    pub nodes: Vec<StateNode>,
    /// Sorted.
    pub edges: Vec<Edge>,
    /// For every edge the pids of the marking it leads to that have other names in the marking of
    /// the node: the bijection between the two, without what it leaves alone. Empty for large graphs.
    pub renamed: Vec<Vec<(String, String)>>,
    /// Why markings and bijections were left out: a limit was reached before they were found.
    pub left_out: Option<Exhausted>,
}

/// A class.
#[derive(Clone, Debug)]
pub struct StateNode {
    /// Tokens with the pids of the first run that reached the class.
    pub tokens: Vec<String>,
    /// The same as a state (σ, η).
    pub state: Option<State>,
    /// Whether it has no successor.
    pub deadlock: bool,
}

/// Formats of state graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// Graphviz.
    Dot,
    /// yEd, Gephi, NetworkX.
    GraphMl,
    /// One document, with the bijection of every edge.
    Json,
    /// Aldebaran: CADP, mCRL2.
    Aut,
    /// A drawing; for small graphs.
    Svg,
}

impl GraphFormat {
    /// The format that a file name asks for.
    pub fn of_extension(extension: &str) -> Option<GraphFormat> {
        match extension {
            "dot" | "gv" => Some(GraphFormat::Dot),
            "graphml" => Some(GraphFormat::GraphMl),
            "json" => Some(GraphFormat::Json),
            "aut" => Some(GraphFormat::Aut),
            "svg" => Some(GraphFormat::Svg),
            _ => None,
        }
    }

    /// Largest graph that makes sense in the format.
    pub fn most_nodes(self) -> usize {
        match self {
            GraphFormat::Svg => 400,
            _ => usize::MAX,
        }
    }
}

/// Classes beyond this number get no markings: finding a run to each costs time.
const MOST_TEXTS: usize = 20_000;

impl StateGraph {
    /// The graph of an exploration whose edges were recorded.
    pub fn new(net: &Net, exploration: &NetExploration) -> Result<StateGraph, Failure> {
        let report = &exploration.report;
        let count = report.counters.states as usize;
        let mut deadlock = vec![true; count];
        for &(from, _, _) in &report.edges {
            deadlock[from as usize] = false;
        }
        // what was not expanded before a limit is not a deadlock
        let expanded = report.counters.expanded as usize;
        let mut edges = report.edges.clone();
        edges.sort_unstable();
        let (texts, left_out) = match texts(net, exploration, &edges) {
            Ok(texts) => (texts, None),
            Err(Failure::Limit(what)) => (Texts::default(), Some(what)),
            Err(other) => return Err(other),
        };
        let mut markings = texts.markings.into_iter();
        let nodes = (0..count)
            .map(|id| {
                let (tokens, state) = markings.next().unwrap_or_default();
                let deadlock = deadlock[id] && (report.complete() || id < expanded);
                StateNode { tokens, state, deadlock }
            })
            .collect();
        let (name, labels) = (net.name.clone(), net.labels.clone());
        Ok(StateGraph { name, labels, nodes, edges, renamed: texts.renamed, left_out })
    }

    /// The name of the transition of an edge.
    pub fn label(&self, edge: &Edge) -> &str {
        &self.labels[edge.1 as usize]
    }

    /// Writes the graph in a format.
    pub fn write(&self, format: GraphFormat, out: &mut impl Write) -> io::Result<()> {
        match format {
            GraphFormat::Dot => dot::write(self, out),
            GraphFormat::GraphMl => graphml::write(self, out),
            GraphFormat::Json => json::write(self, out),
            GraphFormat::Aut => aut::write(self, out),
            GraphFormat::Svg => svg::write(self, out),
        }
    }
}

/// What makes a graph readable.
#[derive(Default)]
struct Texts {
    /// Of every node: its tokens, and the same as a state.
    markings: Vec<(Vec<String>, Option<State>)>,
    renamed: Renamed,
}

/// For every edge what its bijection changes.
type Renamed = Vec<Vec<(String, String)>>;

/// A marking of each class and the bijections of the edges; nothing for large graphs.
fn texts(net: &Net, exploration: &NetExploration, edges: &[Edge]) -> Result<Texts, Failure> {
    if exploration.report.counters.states as usize > MOST_TEXTS {
        return Ok(Texts::default());
    }
    let (runs, renamed) = concrete(net, exploration, edges)?;
    let mut markings = Vec::with_capacity(runs.len());
    for run in &runs {
        exploration.budget.poll()?;
        markings.push((run.tokens(net), run.to_state(net).ok()));
    }
    Ok(Texts { markings, renamed })
}

/// A marking of each class, and the bijections of the edges.
fn concrete(
    net: &Net,
    exploration: &NetExploration,
    edges: &[Edge],
) -> Result<(Vec<Named>, Renamed), Failure> {
    let (store, budget) = (&exploration.store, &exploration.budget);
    if !exploration.canon {
        let keys = ByName(PlainCanonizer(net));
        let runs = runs(exploration, &mut NetReplay { net, store, keys, budget })?;
        return Ok((runs, vec![Vec::new(); edges.len()]));
    }
    let canonizer = NetCanonizer::new(net, exploration.relations);
    let keys = Canonical::new(&canonizer, budget);
    let mut replay = NetReplay { net, store, keys, budget };
    let runs = runs(exploration, &mut replay)?;
    // an unsound graph need not have a counterpart of every edge at every marking
    let renamed = match exploration.unsound {
        Some(_) => Vec::new(),
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

fn bijections(
    exploration: &NetExploration,
    edges: &[Edge],
    runs: &[Named],
    replay: &mut NetReplay<'_, impl KeyOf>,
) -> Result<Renamed, Failure> {
    let mut orders = Orders::within(replay.net, exploration.relations, &exploration.budget);
    let mut all = Vec::with_capacity(edges.len());
    for &(from, label, to) in edges {
        let after = replay.step(&runs[from as usize], label, to)?.after;
        let there = &runs[to as usize];
        let pairs = orders.between(&after, there)?.unwrap_or_default();
        all.push(renamed(&after, there, &pairs));
    }
    Ok(all)
}
