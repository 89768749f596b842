//! Figures of a run, each as `.svg`, as `.pdf` in two widths, as `.tex` with its `.csv`, and with a caption
//! file. What a figure is and how it is drawn is the business of the crate `figures`.

mod cactus;
mod density;
mod exponents;
mod histograms;
mod orders;
mod residuals;
mod state_graph;
pub mod versus;

use super::analyse::Analysis;
use super::experiment::{self, Experiment};
use anyhow::Context;
use pidlab_analysis::Table;
use pidlab_core::Relations;
use pidlab_figures::Figure;
use std::path::{Path, PathBuf};

pub use pidlab_figures::escape;

/// What figures are made from.
pub struct Material<'r> {
    pub experiment: &'r Experiment,
    pub analysis: &'r Analysis,
    pub table: &'r Table,
}

/// A figure as written.
pub struct Drawn {
    pub name: String,
    pub caption: String,
    pub svg: String,
    pub path: PathBuf,
}

/// Draws what the experiment asks for; a figure without data is left out.
pub fn draw(material: &Material<'_>, folder: &Path) -> anyhow::Result<Vec<Drawn>> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let mut drawn = Vec::new();
    for figure in &material.experiment.figures {
        if *figure == experiment::Figure::StateGraph {
            drawn.extend(state_graphs(material.experiment, folder)?);
        }
        if let Some(figure) = make(*figure, material)? {
            drawn.push(write(&figure, folder)?);
        }
    }
    Ok(drawn)
}

fn make(figure: experiment::Figure, material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    match figure {
        experiment::Figure::Density => density::figure(material),
        experiment::Figure::Components => density::components(material),
        experiment::Figure::Histograms => Ok(histograms::histograms(material)),
        experiment::Figure::Exponents => Ok(exponents::exponents(material)),
        experiment::Figure::Versus => versus::versus(material),
        experiment::Figure::Cactus => cactus::cactus(material),
        experiment::Figure::Orders => orders::orders(material),
        experiment::Figure::Residuals => residuals::residuals(material),
        experiment::Figure::StateGraph => Ok(None),
    }
}

/// Graphs have a layout of their own and no axes.
fn state_graphs(experiment: &Experiment, folder: &Path) -> anyhow::Result<Vec<Drawn>> {
    let mut drawn = Vec::new();
    for explored in experiment.states.iter().filter_map(|set| set.explored.as_ref()) {
        drawn.extend(state_graph::draw(explored, &experiment.relations, folder)?);
    }
    Ok(drawn)
}

pub fn write(figure: &Figure, folder: &Path) -> anyhow::Result<Drawn> {
    let (svg, path) = pidlab_figures::write(figure, folder)?;
    Ok(Drawn { name: figure.name.clone(), caption: figure.caption.clone(), svg, path })
}

/// What the x axis shows, and what p stands for in the names of the laws.
fn size_label(experiment: &Experiment) -> &'static str {
    match experiment.analysis.size {
        experiment::Size::Pids => "p (distinct pids)",
        experiment::Size::Vectors => "p = vectors",
        experiment::Size::ArcsTimesVertices => "p = a·v (arcs × vertices, both graphs)",
    }
}

/// Name of a series; relations and graph only where they vary.
fn series_name(material: &Material<'_>, series: &super::analyse::Series) -> String {
    let experiment = material.experiment;
    let mut name = series.backend.clone();
    if experiment.relations.len() > 1 {
        let all = Relations::ALL.to_string();
        let relations = if series.relations == all { "all" } else { &series.relations };
        name.push_str(&format!(" {{{relations}}}"));
    }
    if experiment.graphs.len() > 1 {
        name.push_str(&format!(" ({})", series.graph));
    }
    name
}
