//! `datapackage.json` of a run folder: what the files are, for archives and for programs that know nothing of pidlab.
//!
//! A Data Package (Frictionless, version 1): the table with its schema, and what it was made from and by. Every file
//! has its length and its SHA-256, so that an archive can be checked by tools that know nothing of pidlab.

use super::columns::ColumnDoc;
use super::folder::Folder;
use super::manifest::{self, Manifest};
use crate::clock;
use crate::experiment::Experiment;
use anyhow::Context;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The name of the file.
pub const FILE: &str = "datapackage.json";

/// Writes the description of a run whose table is there.
pub fn write(
    experiment: &Experiment,
    manifest: &Manifest,
    columns: &[ColumnDoc],
    files: &Folder,
) -> anyhow::Result<()> {
    let mut package = package(experiment, manifest, columns);
    for resource in package["resources"].as_array_mut().into_iter().flatten() {
        let path = files.path_of(resource["path"].as_str().unwrap_or_default());
        let (bytes, hash) =
            digest(&path).with_context(|| format!("cannot read {}", path.display()))?;
        // validators count the bytes of texts while they read them, and call a Parquet file wrong that has a number
        if path.extension().is_none_or(|ending| ending != "parquet") {
            resource["bytes"] = bytes.into();
        }
        resource["hash"] = format!("sha256:{hash}").into();
    }
    let text = serde_json::to_string_pretty(&package)?;
    files.write(FILE, text.as_bytes()).map(|_| ())
}

fn package(experiment: &Experiment, manifest: &Manifest, columns: &[ColumnDoc]) -> Value {
    let last = manifest.sessions.last().map(|session| &session.provenance);
    json!({
        "profile": "data-package",
        "name": slug(&format!("{} {}", experiment.name, manifest.scale.name())),
        "title": experiment.title,
        "description": experiment.claim,
        "created": clock::utc_now(),
        "sources": [{ "title": experiment.source }],
        "pidlab": {
            "version": last.map(|provenance| &provenance.pidlab),
            "commit": last.map(|provenance| &provenance.commit),
            "experiment": experiment.name,
            "scale": manifest.scale.name(),
            "seed": manifest.seed,
            "plan": manifest.plan,
        },
        "resources": [
            {
                "profile": "tabular-data-resource",
                "name": "rows",
                "path": "rows.csv",
                "title": "One line for each measured question",
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "schema": { "fields": columns, "primaryKey": "row", "missingValues": [""] },
            },
            {
                "name": "rows-parquet",
                "path": "rows.parquet",
                "title": "The same table with its types",
                "format": "parquet",
                "mediatype": "application/vnd.apache.parquet",
            },
            described("columns", "columns.md", "md", "text/markdown", "What the columns mean"),
            described(
                "experiment",
                super::EXPERIMENT,
                "toml",
                "application/toml",
                "What was asked, with everything that is needed to make the rows again",
            ),
            described(
                "manifest",
                manifest::FILE,
                "json",
                "application/json",
                "When and where it was measured, and by which version",
            ),
        ],
    })
}

fn described(name: &str, path: &str, format: &str, mediatype: &str, title: &str) -> Value {
    json!({ "name": name, "path": path, "format": format, "mediatype": mediatype, "title": title })
}

/// Length and SHA-256 of a file, which may be larger than the memory.
fn digest(path: &Path) -> io::Result<(u64, String)> {
    let (mut file, mut hasher, mut length) = (File::open(path)?, Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => {
                hasher.update(&buffer[..read]);
                length += read as u64;
            }
        }
    }
    let hash = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((length, hash))
}

/// A name as the standard wants it: lower case letters, digits, `-`, `.` and `_`.
fn slug(name: &str) -> String {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._".contains(c);
    name.to_lowercase().chars().map(|c| if fits(c) { c } else { '-' }).collect()
}
