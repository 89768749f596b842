//! A tournament: all backends on all families, measured by the harness and then ranked; so are the configurations of an
//! experiment on models and the algorithms of one on instances.
//!
//! Walk: [`entry`] (the experiment for these backends and families) → the harness's run → `field`
//! (rows to instances) → [`standings`] (PAR-2, classes, virtual best, pairs) → `tables` and `figures`
//! → `paper` (one LaTeX document that includes them) and `page` (one HTML file).

pub mod entry;
mod field;
mod figures;
mod page;
mod paper;
pub mod standings;
mod tables;

use crate::analyse::{machines, table};
use crate::store;
use crate::store::folder::Folder;
use crate::store::manifest::Manifest;
use field::Field;
use pidlab_analysis::Table;
use standings::Standings;
use std::path::{Path, PathBuf};

/// What a finished tournament left in its run folder.
pub struct Tournament {
    /// Who won.
    pub standings: Standings,
    /// Figures (.svg) and tables (.tex), the LaTeX document and the page.
    pub files: Vec<PathBuf>,
    ranking: String,
}

impl Tournament {
    /// The ranking as a table for people.
    pub fn ranking(&self) -> &str {
        &self.ranking
    }

    /// The result in one sentence.
    pub fn sentence(&self) -> String {
        page::sentence(&self.standings)
    }
}

/// The rows that are ranked: those of one machine, unless the run says that all are to be taken together.
fn ranked(table: Table, manifest: &Manifest) -> anyhow::Result<Table> {
    match machines::chosen(&table)?.filter(|_| !manifest.across_machines) {
        Some(machine) => {
            note!("rows of several machines: those of {machine} are ranked");
            Ok(machines::only_chosen(table)?)
        }
        None => Ok(table),
    }
}

/// Ranks the backends of a complete run and writes `tournament.json`, figures, tables and pages.
pub fn judge(folder: &Path) -> anyhow::Result<Tournament> {
    let (plan, manifest) = store::plan_of(folder)?;
    let table = ranked(table::read(folder)?, &manifest)?;
    let field = Field::of(table, &plan, &manifest)?;
    let standings = standings::rank(&field, manifest.seed);
    let document = serde_json::to_string_pretty(&standings)?;
    let out = Folder::open(folder)?;
    out.write("tournament.json", document.as_bytes())?;
    let grids = tables::all(&field, &standings);
    let mut files = tables::write(&grids, &out)?;
    let drawn = figures::draw(&field, &standings, &out)?;
    files.extend(drawn.iter().map(|figure| figure.path.clone()));
    files.push(out.write("tournament.tex", paper::document(&grids, &drawn).as_bytes())?);
    let html = page::render(&standings, &grids, &drawn, (&manifest, field.kind));
    files.push(out.write("tournament.html", html.as_bytes())?);
    let ranking = grids[0].text();
    Ok(Tournament { standings, files, ranking })
}
