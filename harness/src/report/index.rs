//! The index of several reports: every claim of every paper with its verdict, on one page.

use super::{foot, head, section, table};
use crate::claims::{Decided, Verdict};
use crate::figures::escape;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What the page begins with: only such a page is replaced by a newer one.
pub const MARK: &str = "<title>Published experiments, reproduced</title>";

/// One reproduced experiment.
pub struct Listed<'r> {
    pub name: &'r str,
    pub title: &'r str,
    pub report: &'r Path,
    pub claims: &'r [Decided],
}

/// The page; links are relative to the folder it is written to.
pub fn render(entries: &[Listed<'_>], skipped: &[(String, String)], folder: &Path) -> String {
    let mut out = String::new();
    head("Published experiments, reproduced", "every claim beside ours", &mut out);
    let all = || entries.iter().flat_map(|entry| entry.claims);
    let count = |verdict| all().filter(|claim| claim.verdict == verdict).count();
    write!(
        out,
        "<section class=\"box\"><b>{}</b> of {} claims reproduced, <b>{}</b> not reproduced, <b>{}</b> inconclusive, in {} experiments.</section>",
        count(Verdict::Reproduced),
        all().count(),
        count(Verdict::NotReproduced),
        count(Verdict::Inconclusive),
        entries.len()
    )
    .ok();
    for entry in entries {
        section(&format!("{}: {}", escape(entry.name), escape(entry.title)), &mut out);
        let link = entry.report.strip_prefix(folder).unwrap_or(entry.report).display().to_string();
        write!(out, "<p><a href=\"{}\">report</a></p>", escape(&link)).ok();
        let rows = entry.claims.iter().map(|claim| {
            let verdict = claim.verdict.text();
            vec![
                escape(&claim.claim),
                escape(&claim.paper),
                escape(&claim.ours),
                format!("<span class=\"v {}\">{verdict}</span>", verdict.replace(' ', "-")),
            ]
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
