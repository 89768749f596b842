//! `pidlab graph`: the layered graph of a state, drawn or for other programs.

use crate::input;
use crate::output::{Document, Done, Form, Rows, names};
use anyhow::Result;
use pidlab_core::graph::build::build;
use pidlab_core::graph::{
    self, LayeredGraph, PaperGraph, Recipe, dimacs, dot, flatten, graphml, svg,
};
use pidlab_core::{Relations, State};
use serde::{Serialize, Serializer};
use std::io::{self, Write};
use std::path::PathBuf;

/// Print the layered graph of a state
#[derive(clap::Args)]
pub struct Args {
    /// The state (`-` for standard input)
    state: PathBuf,
    /// dot, graphml, svg (drawn in layers), json, or dimacs: undirected with coloured vertices, where
    /// labelled arcs are helper vertices and colours are hashes of labels, so that files compare [default: dot]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Which of the papers' graphs: SACS'10 with `next` arcs, SACS'10 as printed, ISCIS'09, ICTAC'08
    #[arg(long, value_enum, default_value_t = KindChoice::Corrected)]
    kind: KindChoice,
    /// Ω*: parent, ancestor, adjacent-sibling, elder-sibling (joined by commas), none or all
    #[arg(long, value_name = "R", default_value_t)]
    relations: Relations,
    /// Draw only the arcs that generate the relations: nearest ancestor, next sibling
    #[arg(long)]
    links: bool,
    /// Accept states that are not consistent thread configurations
    #[arg(long)]
    allow_inconsistent: bool,
}

impl Args {
    /// The printer that the format asks for; drawings are text.
    pub fn form(&self) -> Option<Form> {
        self.format.map(|format| if format == Format::Json { Form::Json } else { Form::Text })
    }
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Format {
    Dot,
    Graphml,
    Svg,
    Dimacs,
    Json,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum KindChoice {
    Corrected,
    Published,
    Iscis,
    Ictac,
}

impl From<KindChoice> for PaperGraph {
    fn from(choice: KindChoice) -> PaperGraph {
        match choice {
            KindChoice::Corrected => PaperGraph::Corrected,
            KindChoice::Published => PaperGraph::Published,
            KindChoice::Iscis => PaperGraph::Iscis,
            KindChoice::Ictac => PaperGraph::Ictac,
        }
    }
}

/// A graph, and how it is drawn.
struct Drawing {
    state: State,
    graph: LayeredGraph,
    recipe: Recipe,
    format: Format,
}

pub fn run(args: Args) -> Result<Done> {
    let state = input::load_state(&args.state, args.allow_inconsistent)?;
    let form = if args.links { graph::Form::Links } else { graph::Form::Full };
    let recipe = Recipe { kind: args.kind.into(), relations: args.relations, form };
    let graph = build(&state, recipe)?;
    let format = args.format.unwrap_or(Format::Dot);
    Ok(Drawing { state, graph, recipe, format }.into())
}

#[derive(Serialize)]
struct Fields {
    format: &'static str,
    kind: &'static str,
    relations: Vec<&'static str>,
    vertices: Vec<Vertex>,
    arcs: Vec<Arc>,
}

#[derive(Serialize)]
struct Vertex {
    layer: u8,
    label: String,
    name: String,
}

#[derive(Serialize)]
struct Arc {
    source: u32,
    target: u32,
    label: String,
}

impl Drawing {
    fn vertices(&self) -> Vec<Vertex> {
        let vertices = self.graph.vertices().zip(self.graph.names(&self.state));
        let vertex = |(vertex, name)| Vertex {
            layer: self.graph.layer(vertex),
            label: self.graph.label(vertex).to_string(),
            name,
        };
        vertices.map(vertex).collect()
    }

    fn arcs(&self) -> impl Iterator<Item = Arc> {
        let arcs = self.graph.all_arcs();
        arcs.map(|(source, arc)| Arc { source, target: arc.target, label: arc.label.to_string() })
    }
}

impl Serialize for Drawing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = Fields {
            format: "pidlab-graph/1",
            kind: self.recipe.kind.name(),
            relations: names(self.recipe.relations),
            vertices: self.vertices(),
            arcs: self.arcs().collect(),
        };
        fields.serialize(serializer)
    }
}

impl Document for Drawing {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let names = || self.graph.names(&self.state);
        let text = match self.format {
            Format::Dot => dot::write(&self.graph, &names()),
            Format::Graphml => graphml::write(&self.graph, &names()),
            Format::Svg => svg::write(&self.graph, &names()),
            Format::Dimacs => return write_dimacs(&self.graph, out),
            // printed as JSON
            Format::Json => return Ok(()),
        };
        out.write_all(text.as_bytes())
    }

    fn rows(&self) -> Result<Rows> {
        Rows::of("source target label", self.arcs())
    }

    fn is_file(&self) -> bool {
        true
    }
}

fn write_dimacs(graph: &LayeredGraph, out: &mut dyn Write) -> io::Result<()> {
    let (plain, meaning) = flatten::portable(graph).map_err(io::Error::other)?;
    for (color, what) in &meaning {
        writeln!(out, "c colour {color}: {}", what.replace('\n', " "))?;
    }
    out.write_all(dimacs::write(&plain).as_bytes())
}
