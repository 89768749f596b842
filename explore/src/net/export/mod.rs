//! The reduced state graph in other programs' formats, one file each.

mod aut;
mod dot;
mod graphml;
mod json;
mod layers;
mod svg;
pub mod trace;

use super::Net;
use super::canon::NetCanoniser;
use super::explore::Exploration;
use super::named::Named;
use super::plain::PlainCanoniser;
use super::trace::{ByName, Canonical, KeyOf, find_step};
use crate::search::{Canoniser, Edge, Failure, Id};
use std::io::{self, Write};

/// A state graph with texts.
pub struct Graph {
    pub name: String,
    pub labels: Vec<String>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug)]
pub struct Node {
    /// Tokens with the pids of the first run that reached the class.
    pub tokens: Vec<String>,
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

/// Classes beyond this number get no text: finding a run to each costs time.
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
        let texts = if count <= MOST_TEXTS { texts(net, exploration)? } else { Vec::new() };
        let nodes = (0..count)
            .map(|id| Node {
                tokens: texts.get(id).cloned().unwrap_or_default(),
                deadlock: deadlock[id] && (report.complete() || id < expanded),
            })
            .collect();
        let (name, labels) = (net.name.clone(), net.labels.clone());
        let mut edges = report.edges.clone();
        edges.sort_unstable();
        Ok(Graph { name, labels, nodes, edges })
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

/// The tokens of each class along the tree of first visits.
fn texts(net: &Net, exploration: &Exploration) -> Result<Vec<Vec<String>>, Failure> {
    if !exploration.canon {
        return texts_by(net, exploration, &mut ByName(PlainCanoniser(net)));
    }
    let canoniser = NetCanoniser::new(net, exploration.relations);
    let worker = canoniser.worker();
    texts_by(net, exploration, &mut Canonical { canoniser: &canoniser, worker })
}

fn texts_by(
    net: &Net,
    exploration: &Exploration,
    keys: &mut impl KeyOf,
) -> Result<Vec<Vec<String>>, Failure> {
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
    Ok(runs.iter().map(|run| run.tokens(net)).collect())
}

/// Text inside XML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
