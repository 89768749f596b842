//! `pidlab graph`: the layered graph of a state, drawn or for other programs.

use crate::input;
use crate::output::{self, Document, Done, Form, Rows};
use anyhow::Result;
use pidlab_core::Relations;
use pidlab_core::graph::build::build;
use pidlab_core::graph::{
    self, LayeredGraph, PaperGraph, Recipe, dimacs, dot, flatten, graphml, svg,
};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Print the layered graph of a state
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab graph examples/q3.json --format svg > q3.svg
  pidlab graph examples/q3.json --relations all --format dot | dot -Tpdf > q3.pdf")]
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

#[derive(Serialize)]
struct Drawing {
    format: &'static str,
    kind: &'static str,
    relations: Vec<&'static str>,
    vertices: Vec<Vertex>,
    arcs: Vec<Arc>,
    #[serde(skip)]
    text: String,
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

pub fn run(args: Args) -> Result<Done> {
    let state = input::load_state(&args.state, args.allow_inconsistent)?;
    let form = if args.links { graph::Form::Links } else { graph::Form::Full };
    let recipe = Recipe { kind: args.kind.into(), relations: args.relations, form };
    let graph = build(&state, recipe)?;
    let names = graph.names(&state);
    let text = match args.format {
        Some(Format::Graphml) => graphml::write(&graph, &names),
        Some(Format::Svg) => svg::write(&graph, &names),
        Some(Format::Dimacs) => to_dimacs(&graph)?,
        Some(Format::Json) => String::new(),
        Some(Format::Dot) | None => dot::write(&graph, &names),
    };
    let vertex = |(vertex, name)| Vertex {
        layer: graph.layer(vertex),
        label: graph.label(vertex).to_string(),
        name,
    };
    let arcs = graph.all_arcs();
    let drawing = Drawing {
        format: "pidlab-graph/1",
        kind: recipe.kind.name(),
        relations: output::names(recipe.relations),
        vertices: graph.vertices().zip(names).map(vertex).collect(),
        arcs: arcs
            .map(|(source, to)| Arc { source, target: to.target, label: to.label.to_string() })
            .collect(),
        text,
    };
    Ok(drawing.into())
}

impl Document for Drawing {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }

    fn rows(&self) -> Result<Rows> {
        Rows::of("source target label", &self.arcs)
    }

    fn is_file(&self) -> bool {
        true
    }
}

fn to_dimacs(graph: &LayeredGraph) -> Result<String> {
    let (plain, meaning) = flatten::portable(graph)?;
    let colors = meaning.iter().map(|(color, what)| {
        let what = what.replace('\n', " ");
        format!("c colour {color}: {what}\n")
    });
    Ok(colors.collect::<String>() + &dimacs::write(&plain))
}
