//! Run folders of versions that kept no list of their files: what in them is ours.
//!
//! Such a folder is known by its `manifest.json`. Ours are the files whose names those versions gave,
//! exactly; whatever else lies there belongs to the user.

use super::folder::{Folder, FolderError};
use super::manifest::Manifest;
use std::path::Path;

const TOP: [&str; 10] = [
    "manifest.json",
    "experiment.toml",
    "lock",
    "rows.parquet",
    "rows.csv",
    "analysis.json",
    "report.html",
    "tournament.json",
    "tournament.tex",
    "tournament.html",
];
const FIGURES: [&str; 9] = [
    "density",
    "components",
    "histograms",
    "exponents",
    "versus",
    "cactus",
    "orders",
    "residuals",
    "profile",
];
const TABLES: [&str; 3] = ["ranking", "families", "duels"];

/// Opens a run folder for writing; one of an earlier version gets its list now.
pub fn open(path: &Path) -> anyhow::Result<Folder> {
    if Folder::is_ours(path) || !Manifest::exists(path) {
        return Ok(Folder::open(path)?);
    }
    match Manifest::read(path) {
        Ok(_) => Ok(Folder::adopt(path, &written(path))?),
        Err(_) => Err(FolderError::Foreign(path.to_path_buf()).into()),
    }
}

/// Names that earlier versions gave, as far as there is something under them.
fn written(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = TOP.iter().map(|name| name.to_string()).collect();
    for figure in FIGURES {
        names.extend(["svg", "tex", "csv", "txt"].map(|end| format!("figures/{figure}.{end}")));
    }
    for table in TABLES {
        names.extend(["tex", "csv"].map(|end| format!("tables/{table}.{end}")));
    }
    let log = std::fs::read_dir(path.join("log")).into_iter().flatten().flatten();
    let log = log.filter_map(|entry| entry.file_name().into_string().ok());
    names.extend(log.filter(|name| is_segment(name)).map(|name| format!("log/{name}")));
    names.retain(|name| path.join(name).symlink_metadata().is_ok());
    names
}

/// `session-000-worker-000.rows`, `session-000-lost.rows`, and `.stderr` of the same.
fn is_segment(name: &str) -> bool {
    let stem = name.strip_suffix(".rows").or(name.strip_suffix(".stderr"));
    let Some(rest) = stem.and_then(|stem| stem.strip_prefix("session-")) else { return false };
    let is_number = |text: &str| text.len() >= 3 && text.bytes().all(|b| b.is_ascii_digit());
    rest.split_once('-').is_some_and(|(session, who)| {
        let worker = who.strip_prefix("worker-").is_some_and(is_number);
        is_number(session) && (worker || ["lost", "counted"].contains(&who))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_were_given_are_ours() {
        for ours in ["session-000-worker-012.rows", "session-003-lost.rows"] {
            assert!(is_segment(ours), "{ours}");
        }
        for theirs in ["mine.rows", "session-1-worker-000.rows", "session-000-worker-x.stderr"] {
            assert!(!is_segment(theirs), "{theirs}");
        }
    }
}
