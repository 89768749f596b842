//! Files of states and graphs: of which kind one is, where its instances are, and how one is read.

use anyhow::{Context, bail};
use pidlab_core::State;
use pidlab_core::pairs::PairLine;
use pidlab_generators::Rng;
use pidlab_graphs::{Format, Graph, Source, json_error, state_of_json, state_of_text};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// A state.
    Json,
    /// A state in the papers' notation.
    Pst,
    /// Lines with two states each.
    Pairs,
    /// A graph.
    Dimacs,
    /// Graphs, one a line.
    Graph6,
    /// A graph.
    GraphMl,
    /// A graph.
    Edges,
    /// A graph.
    Arcs,
}

/// A state, or a graph that becomes one.
#[derive(Clone, Debug)]
pub enum Material {
    /// A state.
    State(Box<State>),
    /// A graph; its state depends on how its vertices are numbered.
    Graph(Graph),
}

/// The names of formats that an experiment may give.
const NAMES: [(&str, FileKind); 7] = [
    ("json", FileKind::Json),
    ("pst", FileKind::Pst),
    ("dimacs", FileKind::Dimacs),
    ("graph6", FileKind::Graph6),
    ("graphml", FileKind::GraphMl),
    ("edges", FileKind::Edges),
    ("arcs", FileKind::Arcs),
];

impl FileKind {
    /// By its name in an experiment.
    pub fn named(name: &str) -> Result<FileKind, String> {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found.map(|&(_, kind)| kind).ok_or_else(|| {
            let known: Vec<&str> = NAMES.iter().map(|(known, _)| *known).collect();
            format!("there is no format `{name}`; the formats are {}", known.join(", "))
        })
    }

    /// By the ending of its name, or by its beginning; `None` if it is neither a state nor a graph.
    pub fn of_file(path: &Path) -> Option<FileKind> {
        match path.extension() {
            Some(ending) if ending == "json" => Some(FileKind::Json),
            Some(ending) if ending == "pst" => Some(FileKind::Pst),
            _ => Format::of_file(path).map(FileKind::of_graph),
        }
    }

    fn of_graph(format: Format) -> FileKind {
        match format {
            Format::Dimacs => FileKind::Dimacs,
            Format::Graph6 => FileKind::Graph6,
            Format::GraphMl => FileKind::GraphMl,
            Format::Edges => FileKind::Edges,
            Format::Arcs => FileKind::Arcs,
        }
    }

    fn graph(self) -> Option<Format> {
        match self {
            FileKind::Dimacs => Some(Format::Dimacs),
            FileKind::Graph6 => Some(Format::Graph6),
            FileKind::GraphMl => Some(Format::GraphMl),
            FileKind::Edges => Some(Format::Edges),
            FileKind::Arcs => Some(Format::Arcs),
            FileKind::Json | FileKind::Pst | FileKind::Pairs => None,
        }
    }
}

/// All instances of a file with the place of each.
pub fn parse_all(
    path: &Path,
    kind: FileKind,
    bytes: &[u8],
) -> anyhow::Result<Vec<(Range<usize>, Material)>> {
    let Some(format) = kind.graph() else {
        return Ok(vec![(0..bytes.len(), parse(path, kind, bytes)?)]);
    };
    let source = format.source(path.display().to_string(), bytes.to_vec())?;
    let records = format.records(&source.text);
    if records.is_empty() {
        bail!("{} holds no graph", path.display());
    }
    let read = |record: Range<usize>| {
        let graph = format.parse(&source, record.clone())?;
        Ok((record, Material::Graph(graph)))
    };
    records.into_iter().map(read).collect()
}

/// The instance in the bytes of its record.
pub fn parse(path: &Path, kind: FileKind, bytes: &[u8]) -> anyhow::Result<Material> {
    let name = || path.display().to_string();
    if let Some(format) = kind.graph() {
        return Ok(Material::Graph(format.read_one(&format.source(name(), bytes.to_vec())?)?));
    }
    let source = Source::of_bytes(name(), bytes.to_vec(), |_| false)?;
    let state = match kind {
        FileKind::Pst => state_of_text(&source)?,
        _ => state_of_json(&source)?,
    };
    state.check_consistent().with_context(name)?;
    Ok(Material::State(Box::new(state)))
}

/// A line of a file in JSON Lines, by its number.
pub fn of_line<T: DeserializeOwned>(path: &Path, number: usize, line: &[u8]) -> anyhow::Result<T> {
    Ok(serde_json::from_slice(line).map_err(|error| {
        let text = String::from_utf8_lossy(line);
        let source = Source::new(path.display().to_string(), text).starting_at(number);
        json_error(&source, &error)
    })?)
}

/// A line of a file of pairs, by its number.
pub fn pair_of_line(path: &Path, number: usize, line: &[u8]) -> anyhow::Result<PairLine> {
    let pair: PairLine = of_line(path, number, line)?;
    for (name, state) in [("q", &pair.q), ("r", &pair.r)] {
        let place = || format!("{}:{number}: state {name}", path.display());
        state.check_consistent().with_context(place)?;
    }
    Ok(pair)
}

impl Material {
    /// Distinct pids of the state.
    pub fn size(&self) -> usize {
        match self {
            Material::State(state) => state.pid_count(),
            Material::Graph(graph) => graph.vertex_count(),
        }
    }

    /// As a state.
    pub fn to_state(&self) -> anyhow::Result<State> {
        match self {
            Material::State(state) => Ok((**state).clone()),
            Material::Graph(graph) => Ok(graph.to_state()?),
        }
    }

    /// The same graph with its vertices in another order.
    pub fn shuffled(graph: &Graph, rng: &mut Rng) -> Graph {
        let names: Vec<u32> =
            rng.permutation(graph.vertex_count()).into_iter().map(|name| name as u32).collect();
        graph.renamed(&names)
    }
}
