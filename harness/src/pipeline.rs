//! From a finished run folder to analysis, figures and report; each step reads what the one before wrote.
//!
//! `analysis.json` carries a digest of all that it follows from (rows, `[analysis]`, claims), so a changed
//! analysis or claim needs no new measurement, and an unchanged one is not computed again.

use crate::analyse::{self, Analysis};
use crate::built_in;
use crate::claims::{self, Decided};
use crate::experiment::Experiment;
use crate::figures::{self, Material, WrittenFigure};
use crate::plan::fnv;
use crate::report::{self, Page, rows};
use crate::store;
use crate::store::folder::Folder;
use crate::store::manifest::Manifest;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A run folder and what follows from its rows.
pub struct Finished {
    /// The folder.
    pub files: Folder,
    /// What was asked.
    pub experiment: Experiment,
    /// What was run.
    pub manifest: Manifest,
    /// What the rows say.
    pub analysis: Analysis,
    /// What the claims come to.
    pub claims: Vec<Decided>,
}

#[derive(Serialize)]
struct Written<'r> {
    follows_from: &'r str,
    #[serde(flatten)]
    analysis: &'r Analysis,
    claims: &'r [Decided],
}

#[derive(Deserialize)]
struct Read {
    follows_from: String,
    #[serde(flatten)]
    analysis: Analysis,
    claims: Vec<Decided>,
}

const FILE: &str = "analysis.json";

/// Analyses a run and writes `analysis.json`.
pub fn analyse(folder: &Path) -> anyhow::Result<Finished> {
    let (experiment, text, manifest) = store::experiment_of(folder)?;
    let table = analyse::load(folder, &experiment, &manifest)?;
    let analysis = analyse::analyse(&table, &experiment, &manifest)?;
    let claims = claims::about(&experiment)?;
    let claims: Vec<Decided> =
        claims.iter().map(|claim| claims::decide(claim, &analysis)).collect();
    let follows_from = follows_from(folder, &text);
    let written = Written { follows_from: &follows_from, analysis: &analysis, claims: &claims };
    let files = Folder::open(folder)?;
    files.write(FILE, serde_json::to_string_pretty(&written)?.as_bytes())?;
    Ok(Finished { files, experiment, manifest, analysis, claims })
}

/// The analysis that was written, if it follows from what is there now; otherwise a new one.
pub fn open(folder: &Path) -> anyhow::Result<Finished> {
    let (experiment, text, manifest) = store::experiment_of(folder)?;
    let written = std::fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    match serde_json::from_str::<Read>(&written) {
        Ok(read) if read.follows_from == follows_from(folder, &text) => Ok(Finished {
            files: Folder::open(folder)?,
            experiment,
            manifest,
            analysis: read.analysis,
            claims: read.claims,
        }),
        _ => analyse(folder),
    }
}

/// Names everything that an analysis follows from.
fn follows_from(folder: &Path, experiment: &str) -> String {
    let rows = ["rows.parquet", "rows.csv"].map(|name| {
        let about = std::fs::metadata(folder.join(name)).ok();
        about.map(|about| (about.len(), about.modified().ok()))
    });
    let program = built_in::get();
    let key = format!("{rows:?}\n{experiment}\n{}\n{}", program.claims, program.version);
    format!("{:016x}", fnv(key.as_bytes()))
}

impl Finished {
    /// Draws the figures into `figures/`.
    pub fn plot(&self) -> anyhow::Result<Vec<WrittenFigure>> {
        let table = analyse::load(self.files.path(), &self.experiment, &self.manifest)?;
        let material =
            Material { experiment: &self.experiment, analysis: &self.analysis, table: &table };
        figures::draw(&material, &self.files)
    }

    /// Writes `report.html` and returns its path.
    pub fn report(&self, figures: &[WrittenFigure]) -> anyhow::Result<PathBuf> {
        let table = analyse::load(self.files.path(), &self.experiment, &self.manifest)?;
        let page = Page {
            rows: &rows::Rows::of(&table, self.experiment.kind())?,
            experiment: &self.experiment,
            manifest: &self.manifest,
            analysis: &self.analysis,
            claims: &self.claims,
            figures,
        };
        self.files.write("report.html", report::render(&page).as_bytes())
    }
}
