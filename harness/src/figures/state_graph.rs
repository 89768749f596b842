//! The reduced state graph of a small instance, drawn like figure 3 of ICTAC'08.

use super::Drawn;
use crate::experiment::explored::Explored;
use anyhow::Context;
use pidlab_core::Relations;
use pidlab_explore::net::explore::{Settings, explore};
use pidlab_explore::net::export::{Format, Graph};
use pidlab_explore::search::{Limits, Options};
use std::collections::BTreeMap;
use std::path::Path;

/// Larger graphs are no figures.
const MOST_STATES: u64 = 60;

/// Draws the instances that a set of explored states names, under each set of relations.
pub fn draw(
    explored: &Explored,
    relations: &[Relations],
    folder: &Path,
) -> anyhow::Result<Vec<Drawn>> {
    let mut drawn = Vec::new();
    for constants in &explored.draw {
        for &relations in relations {
            drawn.extend(instance(explored, constants, relations, folder)?);
        }
    }
    Ok(drawn)
}

fn instance(
    explored: &Explored,
    constants: &BTreeMap<String, i64>,
    relations: Relations,
    folder: &Path,
) -> anyhow::Result<Option<Drawn>> {
    let values: Vec<(&str, i64)> = constants.iter().map(|(n, &v)| (n.as_str(), v)).collect();
    let net = explored.net(&values)?;
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let options = Options { record_edges: true, limits, ..Options::default() };
    let found = explore(&net, &Settings { relations, canon: true, force: false, options })?;
    if !found.report.complete() {
        return Ok(None);
    }
    let graph = Graph::new(&net, &found)?;
    let named: Vec<String> = values.iter().map(|(name, value)| format!("{name}{value}")).collect();
    let about = relations.to_string().replace([',', ' '], "-");
    let name = format!("state-graph-{}-{about}", named.join("-"));
    let path = folder.join(format!("{name}.svg"));
    for (ending, format) in [("svg", Format::Svg), ("dot", Format::Dot), ("aut", Format::Aut)] {
        let path = path.with_extension(ending);
        let mut text = Vec::new();
        graph.write(format, &mut text)?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
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
    std::fs::write(path.with_extension("txt"), &caption)
        .with_context(|| format!("cannot write the caption of {}", path.display()))?;
    let svg = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Some(Drawn { name, caption, svg, path }))
}
