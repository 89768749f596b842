//! Figures of a run, each as `.svg`, as `.pdf` in two widths, as `.tex` with its `.csv`, and with a caption
//! file. What a figure is and how it is drawn is the business of the crate `figures`.

mod bytes_per_state;
mod cactus;
mod density;
mod exponents;
mod histograms;
mod orders;
mod reduction;
mod residuals;
mod sensitivity;
mod state_graph;
pub(crate) mod versus;

use crate::analyse::Analysis;
use crate::experiment::{self, Experiment};
use crate::store::folder::Folder;
use pidlab_analysis::Table;
use pidlab_core::Relations;
use pidlab_figures::Figure;
use std::path::PathBuf;

pub use pidlab_core::escape::xml as escape;

/// What figures are made from.
pub struct Material<'r> {
    /// What was asked.
    pub experiment: &'r Experiment,
    /// What followed.
    pub analysis: &'r Analysis,
    /// The rows.
    pub table: &'r Table,
}

/// A figure as written.
pub struct WrittenFigure {
    /// Names its files.
    pub name: String,
    /// What it shows.
    pub caption: String,
    /// The figure for pages.
    pub svg: String,
    /// The SVG file.
    pub path: PathBuf,
}

/// Draws what the experiment asks for into `figures/`; a figure without data is left out.
pub fn draw(material: &Material<'_>, files: &Folder) -> anyhow::Result<Vec<WrittenFigure>> {
    let mut drawn = Vec::new();
    for figure in material.experiment.figures() {
        if *figure == experiment::FigureName::StateGraph {
            drawn.extend(state_graphs(material.experiment, files)?);
        }
        if let Some(figure) = make(*figure, material)? {
            drawn.push(write(&figure, files)?);
        }
    }
    Ok(drawn)
}

fn make(figure: experiment::FigureName, material: &Material<'_>) -> anyhow::Result<Option<Figure>> {
    match figure {
        experiment::FigureName::Density => density::figure(material),
        experiment::FigureName::Components => density::components(material),
        experiment::FigureName::Histograms => Ok(histograms::histograms(material)),
        experiment::FigureName::Exponents => Ok(exponents::exponents(material)),
        experiment::FigureName::Versus => versus::versus(material),
        experiment::FigureName::Cactus => cactus::cactus(material),
        experiment::FigureName::Orders => orders::orders(material),
        experiment::FigureName::Residuals => residuals::residuals(material),
        experiment::FigureName::StateGraph => Ok(None),
        experiment::FigureName::BytesPerState => Ok(bytes_per_state::figure(material)),
        experiment::FigureName::Reduction => Ok(reduction::figure(material)),
        experiment::FigureName::Sensitivity => Ok(sensitivity::figure(material)),
    }
}

/// Graphs have a layout of their own and no axes.
fn state_graphs(experiment: &Experiment, files: &Folder) -> anyhow::Result<Vec<WrittenFigure>> {
    let mut drawn = Vec::new();
    for explored in experiment.states.iter().filter_map(|set| set.explored.as_ref()) {
        drawn.extend(state_graph::draw(explored, &experiment.relations, files)?);
    }
    Ok(drawn)
}

/// Writes all forms of a figure.
pub fn write(figure: &Figure, files: &Folder) -> anyhow::Result<WrittenFigure> {
    let forms = pidlab_figures::forms(figure)?;
    for (ending, bytes) in &forms.files {
        files.write(&file_name(&figure.name, ending), bytes)?;
    }
    let (svg, path) = (forms.svg, files.path_of(&file_name(&figure.name, ".svg")));
    Ok(WrittenFigure { name: figure.name.clone(), caption: figure.caption.clone(), svg, path })
}

/// Where a form of a figure goes; the ending begins with what follows the figure's name.
fn file_name(figure: &str, ending: &str) -> String {
    format!("figures/{figure}{ending}")
}

/// What the x axis shows.
fn size_label(experiment: &Experiment) -> &'static str {
    experiment.analysis.size().label()
}

/// Name of a series; relations and graph only where they vary.
fn series_name(material: &Material<'_>, series: &crate::analyse::Series) -> String {
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
