//! From a finished run folder to analysis, figures and report; each step reads what the one before left.

use super::analyse::{self, Analysis};
use super::claims::{self, Decided};
use super::folder::Folder;
use super::legacy;
use super::library;
use super::manifest::Manifest;
use super::plan::Plan;
use super::plot::{self, Drawn, Material};
use super::report::{self, Page};
use super::store;
use pidlab_analysis::Table;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A run folder with its table and what follows from it.
pub struct Finished {
    pub files: Folder,
    pub plan: Plan,
    pub manifest: Manifest,
    pub table: Table,
    pub analysis: Analysis,
    pub claims: Vec<Decided>,
}

#[derive(Serialize)]
struct Written<'r> {
    #[serde(flatten)]
    analysis: &'r Analysis,
    claims: &'r [Decided],
}

/// Analyses a run and writes `analysis.json`.
pub fn analyse(folder: &Path) -> anyhow::Result<Finished> {
    let (plan, manifest) = store::plan_of(folder)?;
    let table = analyse::load(folder, &plan.experiment)?;
    let analysis = analyse::analyse(&table, &plan.experiment, &manifest)?;
    let claims: Vec<Decided> = library::claims()?
        .iter()
        .filter(|claim| claim.experiment == plan.experiment.name)
        .map(|claim| claims::decide(claim, &analysis))
        .collect();
    let written = Written { analysis: &analysis, claims: &claims };
    let text = serde_json::to_string_pretty(&written)?;
    let files = legacy::open(folder)?;
    files.write("analysis.json", text.as_bytes())?;
    Ok(Finished { files, plan, manifest, table, analysis, claims })
}

impl Finished {
    /// Draws the figures into `figures/`.
    pub fn plot(&self) -> anyhow::Result<Vec<Drawn>> {
        let material = Material {
            experiment: &self.plan.experiment,
            analysis: &self.analysis,
            table: &self.table,
        };
        plot::draw(&material, &self.files)
    }

    /// Writes `report.html` and returns its path.
    pub fn report(&self, figures: &[Drawn]) -> anyhow::Result<PathBuf> {
        let page = Page {
            experiment: &self.plan.experiment,
            manifest: &self.manifest,
            analysis: &self.analysis,
            claims: &self.claims,
            figures,
        };
        self.files.write("report.html", report::render(&page).as_bytes())
    }
}
