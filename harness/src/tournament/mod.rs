//! A tournament: all backends on all families, measured by the harness and then ranked.
//!
//! Walk: [`entry`] (the experiment for these backends and families) → the harness's run → [`field`]
//! (rows to instances) → [`standings`] (PAR-2, classes, virtual best, pairs) → [`tables`] and [`figures`]
//! → [`paper`] (one LaTeX document that includes them) and [`page`] (one HTML file).

pub mod entry;
mod field;
mod figures;
mod page;
mod paper;
pub mod standings;
mod tables;

use crate::store::{self, legacy};
use anyhow::Context;
use field::Field;
use pidlab_analysis::Table;
use standings::Standings;
use std::path::{Path, PathBuf};

/// What a finished tournament left in its run folder.
pub struct Tournament {
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

/// Ranks the backends of a complete run and writes `tournament.json`, figures, tables and pages.
pub fn judge(folder: &Path) -> anyhow::Result<Tournament> {
    let (plan, manifest) = store::plan_of(folder)?;
    let table = Table::read_parquet(&folder.join("rows.parquet")).with_context(|| {
        format!("the run in {} is not complete; `pidlab tournament` continues it", folder.display())
    })?;
    let field = Field::of(&table, &plan)?;
    let standings = standings::rank(&field, manifest.seed);
    let document = serde_json::to_string_pretty(&standings)?;
    let out = legacy::open(folder)?;
    out.write("tournament.json", document.as_bytes())?;
    let grids = tables::all(&field, &standings);
    let mut files = tables::write(&grids, &out)?;
    let drawn = figures::draw(&field, &standings, &out)?;
    files.extend(drawn.iter().map(|figure| figure.path.clone()));
    files.push(out.write("tournament.tex", paper::document(&grids, &drawn).as_bytes())?);
    let html = page::render(&standings, &grids, &drawn, &manifest);
    files.push(out.write("tournament.html", html.as_bytes())?);
    let ranking = tables::ranking(&standings).text();
    Ok(Tournament { standings, files, ranking })
}
