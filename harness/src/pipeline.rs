//! From a finished run folder to analysis, figures and report; each step reads what the one before left.

use crate::analyse::{self, Analysis};
use crate::claims::{self, Decided};
use crate::figures::{self, Drawn, Material};
use crate::plan::Plan;
use crate::report::{self, Page};
use crate::store;
use crate::store::manifest::{Manifest, write_atomically};
use pidlab_analysis::Table;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A run folder with its table and what follows from it.
pub struct Finished {
    pub folder: PathBuf,
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
    let claims: Vec<Decided> = claims::all()?
        .iter()
        .filter(|claim| claim.experiment == plan.experiment.name)
        .map(|claim| claims::decide(claim, &analysis))
        .collect();
    let written = Written { analysis: &analysis, claims: &claims };
    let text = serde_json::to_string_pretty(&written)?;
    write_atomically(&folder.join("analysis.json"), text.as_bytes())?;
    Ok(Finished { folder: folder.to_path_buf(), plan, manifest, table, analysis, claims })
}

impl Finished {
    /// Draws the figures into `figures/`.
    pub fn plot(&self) -> anyhow::Result<Vec<Drawn>> {
        let material = Material {
            experiment: &self.plan.experiment,
            analysis: &self.analysis,
            table: &self.table,
        };
        figures::draw(&material, &self.folder.join("figures"))
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
        let path = self.folder.join("report.html");
        write_atomically(&path, report::render(&page).as_bytes())?;
        Ok(path)
    }
}
