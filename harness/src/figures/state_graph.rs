//! The reduced state graph of a small instance, drawn like figure 3 of ICTAC'08.

use super::{WrittenFigure, file_name};
use crate::experiment::explored::Explored;
use crate::store::folder::Folder;
use anyhow::Context;
use pidlab_core::Relations;
use pidlab_explore::net::export::{GraphFormat, StateGraph};
use pidlab_explore::net::{NetOptions, explore};
use pidlab_explore::search::{Limits, Options};
use std::collections::BTreeMap;

/// Larger graphs cannot be read as figures.
const MOST_STATES: u64 = 60;

/// Draws the instances that a set of explored states names, under each set of relations.
pub fn draw(
    explored: &Explored,
    relations: &[Relations],
    files: &Folder,
) -> anyhow::Result<Vec<WrittenFigure>> {
    let mut drawn = Vec::new();
    for constants in &explored.draw {
        for &relations in relations {
            drawn.extend(instance(explored, constants, relations, files)?);
        }
    }
    Ok(drawn)
}

fn instance(
    explored: &Explored,
    constants: &BTreeMap<String, i64>,
    relations: Relations,
    files: &Folder,
) -> anyhow::Result<Option<WrittenFigure>> {
    let values: Vec<(&str, i64)> = constants.iter().map(|(n, &v)| (n.as_str(), v)).collect();
    let net = explored.net(&values)?;
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let options = Options { record_edges: true, limits, ..Options::default() };
    let found = explore(&net, &NetOptions { relations, canon: true, force: false, options })?;
    if !found.report.complete() {
        return Ok(None);
    }
    let graph = StateGraph::new(&net, &found)?;
    let named: Vec<String> = values.iter().map(|(name, value)| format!("{name}{value}")).collect();
    let about = relations.to_string().replace([',', ' '], "-");
    let name = format!("state-graph-{}-{about}", named.join("-"));
    let mut svg = Vec::new();
    graph.write(GraphFormat::Svg, &mut svg)?;
    let svg = String::from_utf8(svg).context("the figure is not text")?;
    // a page shows several, and ids are those of the page
    let svg = svg
        .replace("\"arrow\"", &format!("\"arrow-{name}\""))
        .replace("#arrow", &format!("#arrow-{name}"));
    let path = files.write(&file_name(&name, ".svg"), svg.as_bytes())?;
    for (ending, format) in [("dot", GraphFormat::Dot), ("aut", GraphFormat::Aut)] {
        let mut text = Vec::new();
        graph.write(format, &mut text)?;
        files.write(&file_name(&name, &format!(".{ending}")), &text)?;
    }
    let constants: Vec<String> = values.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    let counters = &found.report.counters;
    let caption = format!(
        "Reduced state graph of {} with {} under {{{relations}}}: {} classes, {} edges. A box shows a class by the marking of the first run that reaches it.\n",
        net.name,
        constants.join(", "),
        counters.states,
        counters.edges
    );
    files.write(&file_name(&name, ".txt"), caption.as_bytes())?;
    Ok(Some(WrittenFigure { name, caption, svg, path }))
}
