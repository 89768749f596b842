//! The index of several reports: every claim of every paper with its verdict, on one page.

use super::{foot, head, section, table, tally, verdict};
use crate::claims::Decided;
use crate::figures::escape;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What the page begins with: only such a page is replaced by a newer one.
pub const MARK: &str = "<title>Published experiments, reproduced</title>";

/// One reproduced experiment.
pub struct Listed<'r> {
    /// Its name.
    pub name: &'r str,
    /// Its title.
    pub title: &'r str,
    /// Its report.
    pub report: &'r Path,
    /// What its claims came to.
    pub claims: &'r [Decided],
}

/// The page; links are relative to the folder it is written to.
pub fn render(entries: &[Listed<'_>], skipped: &[(String, String)], folder: &Path) -> String {
    let mut out = String::new();
    head("Published experiments, reproduced", "every claim beside ours", &mut out);
    let all: Vec<&Decided> = entries.iter().flat_map(|entry| entry.claims).collect();
    let tally = tally(&all);
    write!(out, "<section class=\"box\">{tally}, in {} experiments.</section>", entries.len()).ok();
    for entry in entries {
        section(&format!("{}: {}", escape(entry.name), escape(entry.title)), &mut out);
        let link = entry.report.strip_prefix(folder).unwrap_or(entry.report).display().to_string();
        write!(out, "<p><a href=\"{}\">report</a></p>", escape(&link)).ok();
        let rows = entry.claims.iter().map(|claim| {
            let texts = [&claim.claim, &claim.paper, &claim.ours].map(|text| escape(text));
            texts.into_iter().chain([verdict(claim)]).collect()
        });
        table(&["claim", "published", "ours", "verdict"], rows, &mut out);
    }
    if !skipped.is_empty() {
        section("Left out", &mut out);
        let rows = skipped.iter().map(|(name, why)| vec![escape(name), escape(why)]);
        table(&["experiment", "reason"], rows, &mut out);
    }
    foot(&mut out);
    out
}

/// Where the page of a folder of runs is.
pub fn path(folder: &Path) -> PathBuf {
    folder.join("index.html")
}
