//! The index of several reports: every claim of every paper with its verdict, on one page.

use super::{Fold, cards, explained, foot, head, ours, section, table, tally};
use crate::claims::{Claim, Decided, Judgement};
use crate::experiment::Experiment;
use crate::figures::escape;
use crate::store::manifest::Manifest;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What the page begins with: only such a page is replaced by a newer one.
pub const MARK: &str = "<title>Published experiments, reproduced</title>";

/// Where claims are filed that no paper makes.
const OURS: &str = "Ours";
/// Behind the name of a paper whose claims are asked of other programs than its own.
const ASKED_OF_OTHERS: &str = ", asked of other programs";

/// One reproduced experiment.
pub struct Listed<'r> {
    /// What was asked.
    pub experiment: &'r Experiment,
    /// What was run.
    pub manifest: &'r Manifest,
    /// Its report.
    pub report: &'r Path,
    /// What its claims came to.
    pub claims: &'r [Decided],
}

/// Everything that the page shows.
pub struct Index<'r> {
    /// What was run.
    pub entries: &'r [Listed<'r>],
    /// What was left out and why.
    pub skipped: &'r [(String, String)],
    /// The claims of all papers.
    pub claims: &'r [Claim],
    /// The folder that the page is written to: links are relative to it.
    pub folder: &'r Path,
    /// How it was made: date, machine and command.
    pub about: Vec<String>,
}

/// The page.
pub fn render(index: &Index<'_>) -> String {
    let mut out = String::new();
    let all: Vec<&Decided> = index.entries.iter().flat_map(|entry| entry.claims).collect();
    head("Published experiments, reproduced", "every claim beside ours", &index.about, &mut out);
    let (tally, not_run) = (tally(&all), index.not_run().count());
    let missing =
        if not_run > 0 { format!(", <b>{not_run}</b> not run here") } else { String::new() };
    let experiments = index.entries.len();
    write!(out, "<section class=\"box\">{tally}{missing}, in {experiments} experiments.</section>")
        .ok();
    index.every_claim(&mut out);
    index.reports(&mut out);
    if !index.skipped.is_empty() {
        section("Left out", Fold::Closed, &mut out);
        let rows = index.skipped.iter().map(|(name, why)| vec![escape(name), escape(why)]);
        table(&["experiment", "reason"], rows, &mut out);
    }
    foot(&mut out);
    out
}

impl Index<'_> {
    /// Claims of experiments that were left out.
    fn not_run(&self) -> impl Iterator<Item = &Claim> {
        let skipped =
            |claim: &&Claim| self.skipped.iter().any(|(name, _)| *name == claim.experiment);
        self.claims.iter().filter(skipped)
    }

    fn link(&self, entry: &Listed<'_>, text: &str) -> String {
        let path = entry.report.strip_prefix(self.folder).unwrap_or(entry.report);
        format!("<a href=\"{}\">{}</a>", escape(&path.display().to_string()), escape(text))
    }

    /// A section for each paper, those that were not run included: hundreds of claims are not read from top to bottom.
    fn every_claim(&self, out: &mut String) {
        // what no paper says comes last
        let mut papers: BTreeMap<(bool, String), Vec<Vec<String>>> = BTreeMap::new();
        for row in self.rows() {
            let paper = paper_of(&row[0]);
            papers.entry((paper == OURS, paper)).or_default().push(row);
        }
        for ((_, paper), rows) in papers {
            let not_run = self.not_run().filter(|claim| paper_of(&escape(&claim.source)) == paper);
            let not_run = match not_run.count() {
                0 => String::new(),
                left => format!(", {left} not run"),
            };
            section(&format!("{paper}: {}{not_run}", self.tally_of(&paper)), Fold::Closed, out);
            let names = ["paper", "claim", "published", "ours", "verdict", "report"];
            cards(&names, rows.into_iter(), out);
        }
    }

    fn tally_of(&self, of: &str) -> String {
        let decided = self.entries.iter().flat_map(|entry| entry.claims);
        Judgement::tally(decided.filter(|claim| paper_of(&escape(&claim.source)) == of))
    }

    /// All claims by paper and section; cells are HTML.
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for entry in self.entries {
            let &Listed { experiment, manifest, .. } = entry;
            rows.extend(entry.claims.iter().map(|claim| {
                let texts = [&claim.source, &claim.claim, &claim.paper];
                let texts = texts.map(|text| escape(text)).into_iter();
                let verdict = explained(claim, experiment, manifest);
                texts.chain([ours(claim), verdict, self.link(entry, &experiment.name)]).collect()
            }));
        }
        rows.extend(self.not_run().map(|claim| {
            let published = claim.published.as_deref().unwrap_or("–");
            let texts = [claim.source.as_str(), &claim.claim, published].map(escape);
            let left = ["–".to_string(), "not run".to_string(), escape(&claim.experiment)];
            texts.into_iter().chain(left).collect()
        }));
        rows.sort_by_cached_key(|row| {
            row.iter().map(|cell| in_reading_order(cell)).collect::<Vec<_>>()
        });
        rows
    }

    fn reports(&self, out: &mut String) {
        section("Reports", Fold::Open, out);
        let rows = self.entries.iter().map(|entry| {
            let claims: Vec<&Decided> = entry.claims.iter().collect();
            let Experiment { name, title, .. } = entry.experiment;
            vec![self.link(entry, name), escape(title), tally(&claims)]
        });
        table(&["report", "title", "claims"], rows, out);
    }
}

/// The paper that a claim is of: what its source begins with. What a paper claims of one program and is asked of another is
/// filed behind it.
fn paper_of(source: &str) -> String {
    let mut parts = source.split([',', ';']).map(str::trim);
    let name = parts.next().unwrap_or(source);
    match parts.next().and_then(|part| part.strip_prefix("after ")) {
        _ if name != "ours" => name.to_string(),
        Some(paper) => format!("{paper}{ASKED_OF_OTHERS}"),
        None => OURS.to_string(),
    }
}

/// Sorts texts as people do: `N = 3` before `N = 10`.
fn in_reading_order(text: &str) -> Vec<(String, u64)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (words, after) = rest.split_at(rest.find(is_digit).unwrap_or(rest.len()));
        let (digits, after) = after.split_at(after.find(|c| !is_digit(c)).unwrap_or(after.len()));
        parts.push((words.to_string(), digits.parse().unwrap_or(u64::MAX)));
        rest = after;
    }
    parts
}

/// Where the page of a folder of runs is.
pub fn path(folder: &Path) -> PathBuf {
    folder.join("index.html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_filed_under_their_papers() {
        let sources = [
            "SACS'10, section 5, figure 6 left",
            "ours, after SACS'10, section 5",
            "ours; public suites",
        ];
        let papers = ["SACS'10", "SACS'10, asked of other programs", OURS];
        assert_eq!(sources.map(paper_of), papers);
    }

    #[test]
    fn numbers_are_sorted_by_what_they_say() {
        let mut texts = ["N = 10", "N = 3, k = 2", "N = 3", "M", "N = 3, k = 10"];
        texts.sort_by_key(|text| in_reading_order(text));
        assert_eq!(texts, ["M", "N = 3", "N = 3, k = 2", "N = 3, k = 10", "N = 10"]);
    }
}
