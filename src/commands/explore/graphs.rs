//! State graphs in files, in the format that the name of a file asks for.

use super::budget::{self, Limited};
use anyhow::{Context, bail};
use pidlab_budget::Budget;
use pidlab_explore::graph::{GraphFormat, StateGraph};
use pidlab_explore::net::export::write_lts;
use pidlab_explore::net::{Net, NetExploration};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What is written to a file.
#[derive(Clone, Copy)]
enum Kind {
    Graph(GraphFormat),
    /// All steps of one state of every class.
    System,
}

/// Files for a state graph.
pub struct Graphs<'a>(Vec<(&'a Path, Kind)>);

impl<'a> Graphs<'a> {
    /// The name of a file says its format.
    pub fn of(files: &'a [PathBuf]) -> anyhow::Result<Graphs<'a>> {
        Graphs::with(files, true)
    }

    /// The same without labelled transition systems.
    pub fn of_graphs(files: &'a [PathBuf]) -> anyhow::Result<Graphs<'a>> {
        Graphs::with(files, false)
    }

    fn with(files: &'a [PathBuf], systems: bool) -> anyhow::Result<Graphs<'a>> {
        let kind = |file: &'a PathBuf| {
            let extension = file.extension().and_then(|e| e.to_str()).unwrap_or("");
            let kind = match GraphFormat::of_extension(extension) {
                Some(format) => Kind::Graph(format),
                None if systems && extension == "jsonl" => Kind::System,
                None => {
                    let more = if systems { ".jsonl, " } else { "" };
                    let file = file.display();
                    bail!("--output {file}: use {more}.dot, .graphml, .json, .aut or .svg")
                }
            };
            Ok((file.as_path(), kind))
        };
        files.iter().map(kind).collect::<anyhow::Result<_>>().map(Graphs)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes the files of an explored net; what was left out and why, if anything was.
    pub fn write_net(&self, net: &Net, found: &NetExploration) -> anyhow::Result<Option<String>> {
        let is_graph = |kind: &Kind| matches!(kind, Kind::Graph(_));
        let mut left_out = None;
        if self.0.iter().any(|(_, kind)| is_graph(kind)) {
            let graph = StateGraph::new(net, found)?;
            left_out = self.write(&graph, &found.budget)?;
        }
        for (file, _) in self.0.iter().filter(|(_, kind)| !is_graph(kind)) {
            save(file, &found.budget, |out| write_lts(net, found, out))?;
        }
        Ok(left_out)
    }

    /// Writes the files of a graph that can be written; what was left out and why, if anything was.
    pub fn write(&self, graph: &StateGraph, budget: &Budget) -> anyhow::Result<Option<String>> {
        if let Some(what) = graph.left_out {
            note!("warning: the graph has no markings and bijections: {what}");
        }
        let nodes = graph.nodes.len();
        let (mut written, mut others) = (Vec::new(), Vec::new());
        for &(file, kind) in &self.0 {
            let Kind::Graph(format) = kind else { continue };
            if nodes > format.most_nodes() {
                others.push((file, format.most_nodes()));
                continue;
            }
            save(file, budget, |out| graph.write(format, out))?;
            written.push(file);
        }
        Ok(too_large(nodes, &written, &others))
    }
}

/// What has too many states to be drawn is left out, and named when everything else is there.
fn too_large(nodes: usize, written: &[&Path], left: &[(&Path, usize)]) -> Option<String> {
    let &(_, most) = left.first()?;
    let list = |files: &mut dyn Iterator<Item = &&Path>| {
        files.map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
    };
    let also = match written {
        [] => String::new(),
        files => format!("; {} written", list(&mut files.iter())),
    };
    let left = list(&mut left.iter().map(|(file, _)| file));
    Some(format!(
        "{left}: {nodes} states, and drawings have at most {most}; use .dot or .aut{also}"
    ))
}

fn save(
    file: &Path,
    budget: &Budget,
    write: impl FnOnce(&mut BufWriter<Limited<std::fs::File>>) -> io::Result<()>,
) -> anyhow::Result<()> {
    let to = Limited { to: create(file)?, budget: budget.clone() };
    let mut out = BufWriter::with_capacity(1 << 16, to);
    let written = write(&mut out).and_then(|()| out.flush());
    written.or_else(|error| give_up(file, error))
}

/// A graph that a limit cut short is of no use.
fn give_up(file: &Path, error: io::Error) -> anyhow::Result<()> {
    let message = format!("cannot write {}", file.display());
    let Some(limit) = budget::limit_of(&error) else {
        return Err(anyhow::Error::new(error).context(message));
    };
    // what is left of it stays if it cannot be removed, as the message says that it is not whole
    let _ = std::fs::remove_file(file);
    Err(anyhow::Error::new(limit).context(message))
}

pub fn create(file: &Path) -> anyhow::Result<std::fs::File> {
    std::fs::File::create(file).with_context(|| format!("cannot write {}", file.display()))
}
