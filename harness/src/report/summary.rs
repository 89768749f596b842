//! One table of the claims of many runs, in Markdown: claim, program, published, ours, verdict, reason.
//!
//! It is made from the `analysis.json` of every run in a folder, so the table of the reference runs is never written by hand.
//! In a text file it stands between two marks, and only what is between them is replaced.

use crate::claims::{Decided, Judgement};
use crate::store::single;
use anyhow::{Context, bail};
use serde::Deserialize;
use std::fmt::Write;
use std::path::Path;

/// The part of an analysis that the table needs.
#[derive(Deserialize)]
pub struct Summarized {
    /// The experiment.
    pub experiment: String,
    /// The scale.
    pub scale: String,
    /// Rows of the run.
    pub rows: usize,
    /// What the claims came to.
    pub claims: Vec<Decided>,
}

/// The analyses of all runs in a folder, by name of the run; of an experiment that was run at a larger scale, too, without
/// the smoke run.
pub fn read(folder: &Path) -> anyhow::Result<Vec<(String, Summarized)>> {
    let list = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read the folder {}", folder.display()))?;
    let mut found = Vec::new();
    for entry in list {
        let path = entry?.path();
        let file = path.join("analysis.json");
        if !file.is_file() {
            continue;
        }
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        let run: Summarized = serde_json::from_str(&text).with_context(|| {
            format!(
                "{} is not an analysis of this version; `pidlab analyse` makes it anew",
                file.display()
            )
        })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.push((name, run));
    }
    if found.is_empty() {
        bail!("{} has no folder with an analysis.json", folder.display());
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(without_smaller(found))
}

/// A smoke run says nothing more where the experiment was run at a larger scale.
fn without_smaller(runs: Vec<(String, Summarized)>) -> Vec<(String, Summarized)> {
    let larger: Vec<String> = runs
        .iter()
        .filter(|(_, run)| run.scale != "smoke")
        .map(|(_, run)| run.experiment.clone())
        .collect();
    let is_kept = |run: &Summarized| run.scale != "smoke" || !larger.contains(&run.experiment);
    runs.into_iter().filter(|(_, run)| is_kept(run)).collect()
}

/// The runs with what their claims came to, then the table of all claims.
pub fn markdown(runs: &[(String, Summarized)]) -> String {
    let mut out = String::from("| run | rows | claims |\n|---|---|---|\n");
    for (name, run) in runs {
        writeln!(out, "| {name} | {} | {} |", run.rows, Judgement::tally(run.claims.iter())).ok();
    }
    out.push_str(
        "\n| claim | program | published | ours | verdict | reason |\n|---|---|---|---|---|---|\n",
    );
    for (name, run) in runs {
        for claim in &run.claims {
            let cells = [
                &format!("{} ({}; run {name})", claim.claim, claim.source),
                claim.program.as_deref().unwrap_or("–"),
                &claim.paper,
                &claim.ours,
                claim.verdict.text(),
                claim.explanation.as_deref().unwrap_or(""),
            ];
            let cells = cells.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
            writeln!(out, "| {} |", cells.join(" | ")).ok();
        }
    }
    out
}

/// Puts the table between the two marks of its name in a file, which must have both; the rest stays as it is.
pub fn put_into(file: &Path, name: &str, table: &str) -> anyhow::Result<()> {
    let marks = ["begin", "end"].map(|end| format!("<!-- {name}: {end} -->"));
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let [begin, end] = &marks;
    let places = text.find(begin).zip(text.find(end)).filter(|(begin, end)| begin < end);
    let Some((before, after)) = places else {
        bail!(
            "{} has no lines `{begin}` and `{end}` for the table to stand between",
            file.display()
        );
    };
    let new = format!("{}{begin}\n\n{table}\n{}", &text[..before], &text[after..]);
    single::exchange(file, new.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_run_replaces_the_smoke_run() {
        let run = |experiment: &str, scale: &str| {
            let (experiment, scale) = (experiment.to_string(), scale.to_string());
            let name = format!("{experiment}-{scale}");
            (name, Summarized { experiment, scale, rows: 1, claims: Vec::new() })
        };
        let kept = without_smaller(vec![run("a", "small"), run("a", "smoke"), run("b", "smoke")]);
        let names: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a-small", "b-smoke"]);
    }

    #[test]
    fn only_what_is_between_the_marks_is_replaced() {
        let file = std::env::temp_dir().join(format!("pidlab-summary-{}.md", std::process::id()));
        let (begin, end) = ("<!-- claims: begin -->", "<!-- claims: end -->");
        std::fs::write(&file, format!("# Runs of a test\n\n{begin}\nold\n{end}\nafter\n")).unwrap();
        put_into(&file, "claims", "| new |\n").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, format!("# Runs of a test\n\n{begin}\n\n| new |\n\n{end}\nafter\n"));
        std::fs::write(&file, "no marks").unwrap();
        assert!(put_into(&file, "claims", "x").unwrap_err().to_string().contains("for the table"));
        std::fs::remove_file(&file).unwrap();
    }
}
