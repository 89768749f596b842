//! Layered graphs: states as labelled directed graphs (ICTAC'08 section 5, ISCIS'09 section 3,
//! SACS'10 section 4).
//!
//! Layer 1 holds the locations, layer 2 the vectors with their pids blanked out, layer 3 the pids,
//! layer 4 the next-pids. Arcs lead from a container to what it contains, labelled with the position
//! of a pid in a vector, and between pids for the relations of Ω*. [`build`](build::build) makes the
//! graph of a state after a [`Recipe`]; the other modules draw, write and read graphs.

pub mod build;
pub mod colored;
pub mod dimacs;
pub mod dot;
pub mod flatten;
pub mod graphml;
mod layout;
pub mod links;
pub mod svg;

pub use build::{MAX_ARCS, build, build_within, estimated_arcs};
pub use colored::ColoredGraph;
pub use flatten::{ColorClash, Role};
pub use links::{Links, RelationScope};

use crate::datum::Datum;
use crate::pid::Pid;
use crate::relation::{Relation, Relations};
use crate::state::State;
use pidlab_budget::Exhausted;
use std::fmt;
use thiserror::Error;

/// Which of the papers' graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PaperGraph {
    /// SACS'10 with an arc `next` from every active pid to its next-pid and parenthood between the
    /// pids of σ alone: isomorphism is Definition 1 for every Ω*, consistent or not.
    #[default]
    Corrected,
    /// LG of SACS'10 as printed (multisets read as copies): too coarse without `parent` or `ancestor`.
    Published,
    /// TLG of ISCIS'09: three layers, and no relation that is the closure of another.
    Iscis,
    /// R(M) of ICTAC'08 with its optimisation: a vector that is a single pid is not a vertex.
    Ictac,
}

impl PaperGraph {
    /// All of them, the corrected one first.
    pub const ALL: [PaperGraph; 4] =
        [PaperGraph::Corrected, PaperGraph::Published, PaperGraph::Iscis, PaperGraph::Ictac];

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PaperGraph::Corrected => "corrected",
            PaperGraph::Published => "published",
            PaperGraph::Iscis => "iscis",
            PaperGraph::Ictac => "ictac",
        }
    }
}

/// How relations become arcs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Form {
    /// One arc for every pair of related pids, as in the papers; quadratic for the closures.
    #[default]
    Full,
    /// Two arcs a pid: nearest ancestor and next sibling; they generate the same relations.
    Links,
}

/// What graph to build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// Which paper's graph.
    pub kind: PaperGraph,
    /// Ω*: the relations that become arcs.
    pub relations: Relations,
    /// How they become arcs.
    pub form: Form,
}

/// Number of a vertex: locations, then vectors, then pids, then next-pids.
pub type Vertex = u32;

/// What an isomorphism has to keep of a vertex.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VertexLabel {
    /// A location, by its name.
    Location(Box<str>),
    /// ⌊v⌋: the vector with a hole for every pid.
    Vector(Box<[Option<Datum>]>),
    /// ε: a pid or next-pid.
    Pid,
}

/// What an isomorphism has to keep of an arc. Parallel arcs have different labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArcLabel {
    /// From a location to a vector in it.
    Holds,
    /// From a vector to the pid at this position, counted from 0 over all components.
    Position(u32),
    /// The relation that holds between the two pids.
    Relation(Relation),
    /// The nearest ancestor among the vertices, where it is not the parent ([`Form::Links`]).
    NearestAncestor,
    /// The next younger sibling among the vertices, where it is not adjacent ([`Form::Links`]).
    NearestSibling,
    /// From an active pid to the pid it creates next.
    Next,
}

/// An arc as seen from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arc {
    /// Where the arc leads.
    pub target: Vertex,
    /// What it stands for.
    pub label: ArcLabel,
}

/// The state has too many related pairs for an explicit graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the layered graph has {arcs} arcs, more than the {limit} allowed; leave `ancestor` and `elder-sibling` out or use the linear form"
)]
pub struct TooLarge {
    /// How many arcs the graph would have, from above.
    pub arcs: u64,
    /// How many are built at most.
    pub limit: u64,
}

/// Why a graph is not built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum GraphError {
    /// It would be too large.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A limit was reached.
    #[error(transparent)]
    Limit(#[from] Exhausted),
}

/// A labelled directed graph in layers; flat arrays, arcs sorted by source, target and label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayeredGraph {
    layer: Vec<u8>,
    label: Vec<u32>,
    labels: Vec<VertexLabel>,
    arc_start: Vec<u32>,
    arcs: Vec<Arc>,
    first_pid: u32,
    listed: u32,
}

impl LayeredGraph {
    /// Number of vertices in all layers.
    pub fn vertex_count(&self) -> usize {
        self.layer.len()
    }

    /// Number of arcs, parallel ones counted each.
    pub fn arc_count(&self) -> usize {
        self.arcs.len()
    }

    /// All vertices, in the order of [`Vertex`].
    pub fn vertices(&self) -> std::ops::Range<Vertex> {
        0..self.vertex_count() as Vertex
    }

    /// 1 to 4.
    pub fn layer(&self, vertex: Vertex) -> u8 {
        self.layer[vertex as usize]
    }

    /// What an isomorphism has to keep of a vertex.
    pub fn label(&self, vertex: Vertex) -> &VertexLabel {
        &self.labels[self.label_id(vertex) as usize]
    }

    /// Number of the label in [`LayeredGraph::labels`].
    pub fn label_id(&self, vertex: Vertex) -> u32 {
        self.label[vertex as usize]
    }

    /// The distinct vertex labels, sorted.
    pub fn labels(&self) -> &[VertexLabel] {
        &self.labels
    }

    /// The arcs that leave a vertex, sorted by target and label.
    pub fn arcs(&self, source: Vertex) -> &[Arc] {
        let i = source as usize;
        &self.arcs[self.arc_start[i] as usize..self.arc_start[i + 1] as usize]
    }

    /// All arcs with their sources, in order.
    pub fn all_arcs(&self) -> impl Iterator<Item = (Vertex, Arc)> {
        self.vertices().flat_map(|v| self.arcs(v).iter().map(move |&arc| (v, arc)))
    }

    /// The vertex of listed pid 0; listed pids and then the other next-pids follow in order.
    pub fn first_pid(&self) -> Vertex {
        self.first_pid
    }

    /// The number of the pid that a vertex stands for, if it is one of σ or an active one.
    pub fn listed_pid(&self, vertex: Vertex) -> Option<u32> {
        vertex.checked_sub(self.first_pid).filter(|&pid| pid < self.listed)
    }

    /// Names for people: the locations, vectors and pids of the state the graph was built from.
    pub fn names(&self, state: &State) -> Vec<String> {
        let mut names: Vec<String> = self.vertices().map(|v| self.label(v).to_string()).collect();
        let links = links::Links::of(state, links::RelationScope::All);
        let mut set = |number: u32, pid: Pid| {
            names[(self.first_pid + number) as usize] = pid.to_string();
        };
        for pid in state.pids() {
            if let Some(next) = state.next_pid(pid) {
                set(links.next(pid), next);
            }
            set(pid, state.forest().pid(pid));
        }
        names
    }
}

impl fmt::Display for VertexLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VertexLabel::Location(name) => f.write_str(name),
            VertexLabel::Pid => f.write_str("ε"),
            VertexLabel::Vector(parts) => {
                f.write_str("⟨")?;
                for (i, part) in parts.iter().enumerate() {
                    let comma = if i > 0 { "," } else { "" };
                    match part {
                        Some(datum) => write!(f, "{comma}{datum}")?,
                        None => write!(f, "{comma}ε")?,
                    }
                }
                f.write_str("⟩")
            }
        }
    }
}

impl fmt::Display for ArcLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArcLabel::Holds => Ok(()),
            ArcLabel::Position(n) => write!(f, "{n}"),
            ArcLabel::Relation(relation) => f.write_str(relation.symbol()),
            ArcLabel::NearestAncestor => f.write_str("nearest ◁"),
            ArcLabel::NearestSibling => f.write_str("nearest ⋔"),
            ArcLabel::Next => f.write_str("next"),
        }
    }
}
