//! `pidlab graph`: the layered graph of a state, drawn or for other programs.

use crate::input;
use crate::outcome::Outcome;
use crate::output;
use anyhow::Result;
use pidlab_core::graph::build::build;
use pidlab_core::graph::{
    Form, LayeredGraph, PaperGraph, Recipe, dimacs, dot, flatten, graphml, svg,
};
use pidlab_core::{Relations, State};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// Print the layered graph of a state
#[derive(clap::Args)]
pub struct Args {
    /// The state (`-` for standard input)
    state: PathBuf,
    /// dot, graphml, svg (drawn in layers), json, or dimacs: undirected with coloured vertices, where
    /// labelled arcs are helper vertices and colours are hashes of labels, so that files compare
    #[arg(long, value_enum, default_value_t = Format::Dot)]
    format: Format,
    /// Which of the papers' graphs: SACS'10 with `next` arcs, SACS'10 as printed, ISCIS'09, ICTAC'08
    #[arg(long, value_enum, default_value_t = KindChoice::Corrected)]
    kind: KindChoice,
    /// Ω*: parent, ancestor, adjacent-sibling, elder-sibling (joined by commas), none or all
    #[arg(long, value_name = "R", default_value_t)]
    relations: Relations,
    /// Draw only the arcs that generate the relations: nearest ancestor, next sibling
    #[arg(long)]
    links: bool,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Accept states that are not consistent thread configurations
    #[arg(long)]
    allow_inconsistent: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
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

pub fn run(args: Args) -> Result<Outcome> {
    let state = input::load_state(&args.state, args.allow_inconsistent)?;
    let form = if args.links { Form::Links } else { Form::Full };
    let recipe = Recipe { kind: args.kind.into(), relations: args.relations, form };
    let graph = build(&state, recipe)?;
    let format = if args.json { Format::Json } else { args.format };
    let text = match format {
        Format::Dot => dot::write(&graph, &graph.names(&state)),
        Format::Graphml => graphml::write(&graph, &graph.names(&state)),
        Format::Svg => svg::write(&graph, &graph.names(&state)),
        Format::Dimacs => to_dimacs(&graph)?,
        Format::Json => to_json(&graph, &state, recipe)?,
    };
    output::verbatim(&text)?;
    Ok(Outcome::Yes)
}

fn to_dimacs(graph: &LayeredGraph) -> Result<String> {
    let (plain, meaning) = flatten::portable(graph)?;
    let mut text = String::new();
    for (colour, what) in &meaning {
        writeln!(text, "c colour {colour}: {}", what.replace('\n', " "))?;
    }
    Ok(text + &dimacs::write(&plain))
}

fn to_json(graph: &LayeredGraph, state: &State, recipe: Recipe) -> Result<String> {
    let names = graph.names(state);
    let vertices: Vec<_> = graph
        .vertices()
        .map(|v| {
            let label = graph.label(v).to_string();
            json!({"layer": graph.layer(v), "label": label, "name": names[v as usize]})
        })
        .collect();
    let arcs: Vec<_> = graph
        .all_arcs()
        .map(|(source, arc)| {
            json!({"source": source, "target": arc.target, "label": arc.label.to_string()})
        })
        .collect();
    let relations: Vec<_> = recipe.relations.iter().map(|r| r.name()).collect();
    let document = json!({
        "format": "pidlab-graph/1",
        "kind": recipe.kind.name(),
        "relations": relations,
        "vertices": vertices,
        "arcs": arcs,
    });
    Ok(format!("{document}\n"))
}
