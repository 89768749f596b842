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

    /// The same without labelled transition systems, for what has no states with pids.
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
                    bail!(
                        "--output {file}: use {more}.dot, .graphml, .json, .aut, .fsm, .pml or .svg"
                    )
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
        let mut files = Files::default();
        if self.0.iter().any(|(_, kind)| is_graph(kind)) {
            let graph = StateGraph::new(net, found)?;
            self.write_graph(&graph, &found.budget, &mut files)?;
        }
        for &(file, _) in self.0.iter().filter(|(_, kind)| !is_graph(kind)) {
            files.save(file, &found.budget, |out| write_lts(net, found, out))?;
        }
        Ok(files.left_out())
    }

    /// Writes the files of a graph that can be written; what was left out and why, if anything was.
    pub fn write(&self, graph: &StateGraph, budget: &Budget) -> anyhow::Result<Option<String>> {
        let mut files = Files::default();
        self.write_graph(graph, budget, &mut files)?;
        Ok(files.left_out())
    }

    fn write_graph(
        &self,
        graph: &StateGraph,
        budget: &Budget,
        files: &mut Files<'a>,
    ) -> anyhow::Result<()> {
        if let Some(what) = graph.left_out {
            note!("warning: the graph has no texts of states and edges: {what}");
        }
        for &(file, kind) in &self.0 {
            let Kind::Graph(format) = kind else { continue };
            match graph.refusal(format) {
                Some(reason) => files.left.push((file, format!("{reason}; use .dot or .json"))),
                None => files.save(file, budget, |out| graph.write(format, out))?,
            }
        }
        Ok(())
    }
}

/// What became of the files: what cannot be written is named when everything else is there.
#[derive(Default)]
struct Files<'a> {
    written: Vec<&'a Path>,
    left: Vec<(&'a Path, String)>,
}

impl<'a> Files<'a> {
    /// Writes a file; one that cannot be written does not keep the others from being.
    fn save(
        &mut self,
        file: &'a Path,
        budget: &Budget,
        write: impl FnOnce(&mut BufWriter<Limited<std::fs::File>>) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        match save(file, budget, write) {
            Ok(()) => self.written.push(file),
            Err(error) if budget::limit_behind(&error).is_some() => return Err(error),
            Err(error) => self.left.push((file, format!("{error:#}"))),
        }
        Ok(())
    }

    fn left_out(&self) -> Option<String> {
        if self.left.is_empty() {
            return None;
        }
        let told = |(file, why): &(&Path, String)| {
            let stale = if file.exists() { "; the file that is there is an older one" } else { "" };
            format!("{}: {why}{stale}", file.display())
        };
        let left: Vec<String> = self.left.iter().map(told).collect();
        let written: Vec<String> =
            self.written.iter().map(|file| file.display().to_string()).collect();
        let also = match &written[..] {
            [] => "nothing else written".to_string(),
            files => format!("{} written", files.join(", ")),
        };
        Some(format!("{}; {also}", left.join("; ")))
    }
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
