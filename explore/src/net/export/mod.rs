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
use super::canon::NetCanoniser;
use super::explore::Exploration;
use super::named::Named;
use super::plain::PlainCanoniser;
use super::trace::{ByName, Canonical, KeyOf, find_step};
use crate::search::{Canoniser, Edge, Failure, Id};
use pidlab_core::State;
use std::io::{self, Write};

/// A state graph with texts.
pub struct Graph {
    pub name: String,
    pub labels: Vec<String>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// For every edge the pids of the marking it leads to that have other names in the marking of
    /// the node: the bijection between the two, without what it leaves alone. Empty for large graphs.
    pub renamed: Vec<Vec<(String, String)>>,
}

#[derive(Clone, Debug)]
pub struct Node {
    /// Tokens with the pids of the first run that reached the class.
    pub tokens: Vec<String>,
    /// The same as a state (σ, η).
    pub state: Option<State>,
    pub deadlock: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Dot,
    GraphMl,
    Json,
    Aut,
    Svg,
}

impl Format {
    /// The format that a file name asks for.
    pub fn of_extension(extension: &str) -> Option<Format> {
        match extension {
            "dot" | "gv" => Some(Format::Dot),
            "graphml" => Some(Format::GraphMl),
            "json" => Some(Format::Json),
            "aut" => Some(Format::Aut),
            "svg" => Some(Format::Svg),
            _ => None,
        }
    }

    /// Largest graph that makes sense in the format.
    pub fn most_nodes(self) -> usize {
        match self {
            Format::Svg => 400,
            _ => usize::MAX,
        }
    }
}

/// Classes beyond this number get no markings: finding a run to each costs time.
const MOST_TEXTS: usize = 20_000;

impl Graph {
    /// The graph of an exploration whose edges were recorded.
    pub fn new(net: &Net, exploration: &Exploration) -> Result<Graph, Failure> {
        let report = &exploration.report;
        let count = report.counters.states as usize;
        let mut deadlock = vec![true; count];
        for &(from, _, _) in &report.edges {
            deadlock[from as usize] = false;
        }
        // what was not expanded before a limit is no deadlock
        let expanded = report.counters.expanded as usize;
        let mut edges = report.edges.clone();
        edges.sort_unstable();
        let (mut runs, mut renamed) = (Vec::new(), Vec::new());
        if count <= MOST_TEXTS {
            (runs, renamed) = concrete(net, exploration, &edges)?;
        }
        let nodes = (0..count)
            .map(|id| Node {
                tokens: runs.get(id).map(|run| run.tokens(net)).unwrap_or_default(),
                state: runs.get(id).and_then(|run| run.to_state(net).ok()),
                deadlock: deadlock[id] && (report.complete() || id < expanded),
            })
            .collect();
        let (name, labels) = (net.name.clone(), net.labels.clone());
        Ok(Graph { name, labels, nodes, edges, renamed })
    }

    pub fn label(&self, edge: &Edge) -> &str {
        &self.labels[edge.1 as usize]
    }

    pub fn write(&self, format: Format, out: &mut impl Write) -> io::Result<()> {
        match format {
            Format::Dot => dot::write(self, out),
            Format::GraphMl => graphml::write(self, out),
            Format::Json => json::write(self, out),
            Format::Aut => aut::write(self, out),
            Format::Svg => svg::write(self, out),
        }
    }
}

/// For every edge what its bijection changes.
type Renamed = Vec<Vec<(String, String)>>;

/// A marking of each class, and the bijections of the edges.
fn concrete(
    net: &Net,
    exploration: &Exploration,
    edges: &[Edge],
) -> Result<(Vec<Named>, Renamed), Failure> {
    if !exploration.canon {
        let runs = runs(net, exploration, &mut ByName(PlainCanoniser(net)))?;
        return Ok((runs, vec![Vec::new(); edges.len()]));
    }
    let canoniser = NetCanoniser::new(net, exploration.relations);
    let mut keys = Canonical { canoniser: &canoniser, worker: canoniser.worker() };
    let runs = runs(net, exploration, &mut keys)?;
    // an unsound graph need not have a counterpart of every edge at every marking
    let renamed = match exploration.unsound {
        Some(_) => Vec::new(),
        None => bijections(net, exploration, edges, &runs, &mut keys)?,
    };
    Ok((runs, renamed))
}

/// The marking of each class along the tree of first visits.
fn runs(
    net: &Net,
    exploration: &Exploration,
    keys: &mut impl KeyOf,
) -> Result<Vec<Named>, Failure> {
    let parents = &exploration.report.parents;
    let mut runs: Vec<Named> = Vec::new();
    for id in 0..exploration.report.counters.states as Id {
        let run = match parents.parent(id) {
            None => Named::initial(net),
            Some((from, label)) => {
                let before = &runs[from as usize];
                find_step(net, keys, &exploration.store, before, label, id)?.after
            }
        };
        runs.push(run);
    }
    Ok(runs)
}

fn bijections(
    net: &Net,
    exploration: &Exploration,
    edges: &[Edge],
    runs: &[Named],
    keys: &mut impl KeyOf,
) -> Result<Renamed, Failure> {
    let mut orders = Orders::new(net, exploration.relations);
    let mut all = Vec::with_capacity(edges.len());
    for &(from, label, to) in edges {
        let before = &runs[from as usize];
        let after = find_step(net, keys, &exploration.store, before, label, to)?.after;
        let there = &runs[to as usize];
        let pairs = orders.between(&after, there)?.unwrap_or_default();
        all.push(renamed(&after, there, &pairs));
    }
    Ok(all)
}

/// Text inside XML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
