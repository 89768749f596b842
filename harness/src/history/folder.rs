//! The directory of a history: one subfolder a machine, files that are added and never changed.

use super::entry::Snapshot;
use crate::remedy::Remedy;
use crate::store::single;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// Adds a run; says whether it was new. A machine that the history does not know is refused unasked.
pub fn add(
    history: &Path,
    entry: &Snapshot,
    mix_machines: bool,
) -> anyhow::Result<(PathBuf, bool)> {
    let folder = history.join(entry.machine.slug());
    let known = machines(history)?;
    if !known.is_empty() && !folder.is_dir() && !mix_machines {
        let names: Vec<String> = known
            .iter()
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into()))
            .collect();
        return Err(Remedy::MixMachines.refuse(format!(
            "{} has runs of {}, this one is of {}: times of different machines do not make one history",
            history.display(),
            names.join(", "),
            entry.machine.slug()
        )));
    }
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    if folder.is_symlink() {
        bail!("{} is a symbolic link; a history keeps its files itself", folder.display());
    }
    let path = folder.join(entry.file_name());
    let new = !path.exists();
    if new {
        single::add(&path, &entry.encode()?)?;
    }
    Ok((path, new))
}

fn machines(history: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let hidden =
        |path: &Path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
    let mut folders = listed(history)?;
    folders.retain(|path| path.is_dir() && !hidden(path));
    Ok(folders)
}

/// All runs of all machines, in the order of their commits.
pub fn read(history: &Path) -> anyhow::Result<Vec<Snapshot>> {
    let mut entries = Vec::new();
    for machine in machines(history)? {
        for path in listed(&machine)? {
            if path.extension().is_some_and(|e| e == "parquet") {
                entries.push(Snapshot::read(&path)?);
            }
        }
    }
    entries.sort_by(|a, b| (&a.when, &a.commit, &a.run).cmp(&(&b.when, &b.commit, &b.run)));
    Ok(entries)
}

/// Paths in a folder, sorted; none if it is not there yet.
fn listed(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {} as a folder", folder.display()))?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}
