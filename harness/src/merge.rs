//! Shards of a run made into the run: `run --shard I/N` in N folders, one folder again.
//!
//! A merged run is the run that one process would have made, timings aside: the same rows in the same table, with
//! all sessions in its manifest and the machine of every row in a column. Shards that do not belong together are
//! refused, and so is a set of shards that is not whole; what is wrong is told of all shards at once. Shards are
//! only read, and may lie on a disk that cannot be written. The manifest is written last: a merge that was
//! killed leaves no run, and the next one begins anew.

use crate::plan::Plan;
use crate::remedy::Remedy;
use crate::shard::Shard;
use crate::store::machine::Machine;
use crate::store::manifest::{End, Manifest, Session};
use crate::store::provenance::Provenance;
use crate::store::{self, FoundRows, Store};
use anyhow::bail;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// What is merged, and how.
pub struct Request {
    /// Folders of all shards of one run, in any order.
    pub shards: Vec<PathBuf>,
    /// Where the run goes.
    pub out: PathBuf,
    /// Whether a run that is there is discarded.
    pub fresh: bool,
    /// Whether times of several machines are to be analysed together.
    pub across_machines: bool,
}

/// What a merge came to.
pub struct Merged {
    /// The run folder.
    pub folder: PathBuf,
    /// How many shards it is of.
    pub shards: usize,
    /// All rows.
    pub rows: u64,
    /// How many rows are of which machine, the one with the most rows first.
    pub machines: Vec<(String, u64)>,
}

/// A shard as its folder shows it.
struct Part {
    folder: PathBuf,
    shard: Shard,
    manifest: Manifest,
    /// The experiment's text.
    text: String,
    plan: Plan,
}

/// Merges shards.
pub fn merge(request: &Request) -> anyhow::Result<Merged> {
    refuse_folders(request)?;
    let mut parts =
        request.shards.iter().map(|folder| open(folder)).collect::<Result<Vec<_>, _>>()?;
    parts.sort_by_key(|part| part.shard);
    refuse_all("the shards are not of one run", differences(&parts))?;
    refuse_all("the shards do not make a run", gaps(&parts))?;
    let mut found = Vec::new();
    for part in &parts {
        found.push(FoundRows::peek(&part.folder, part.plan.digest(), part.plan.rows())?);
    }
    let problems = parts.iter().zip(&found).filter_map(|(part, found)| part.problem(found));
    refuse_all("not all shards can be merged", problems.collect())?;
    write(request, &parts, found)
}

fn refuse_folders(request: &Request) -> anyhow::Result<()> {
    if request.shards.is_empty() {
        bail!("there is nothing to merge; name the folders of all shards");
    }
    let itself = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let out = itself(&request.out);
    match request.shards.iter().find(|folder| itself(folder) == out) {
        Some(folder) => Err(Remedy::OtherFolder.refuse(format!(
            "{} is one of the shards, which are left as they are",
            folder.display()
        ))),
        None => Ok(()),
    }
}

fn refuse_all(what: &str, problems: Vec<String>) -> anyhow::Result<()> {
    match problems.is_empty() {
        true => Ok(()),
        false => bail!("{what}:\n  {}", problems.join("\n  ")),
    }
}

fn open(folder: &Path) -> anyhow::Result<Part> {
    store::refuse_at_work(folder)?;
    let (plan, manifest) = store::plan_of(folder)?;
    let Some(shard) = manifest.shard else {
        bail!("{} is a whole run and not a shard of one", folder.display());
    };
    let text = std::fs::read_to_string(folder.join(store::EXPERIMENT))?;
    Ok(Part { folder: folder.into(), shard, manifest, text, plan: plan.with_shard(shard)? })
}

/// What must be the same in all sessions of all shards, by name.
fn differences(parts: &[Part]) -> Vec<String> {
    let mut fields: Vec<(&str, Vec<(String, &Path)>)> = Vec::new();
    let mut add = |name: &'static str, of: &dyn Fn(&Part) -> Vec<String>| {
        let values = parts.iter().flat_map(|part| {
            of(part).into_iter().map(|value| (value, part.folder.as_path())).collect::<Vec<_>>()
        });
        fields.push((name, values.collect()));
    };
    let one = |value: &dyn Display| vec![value.to_string()];
    add("experiment", &|part| one(&part.manifest.experiment));
    add("scale", &|part| one(&part.manifest.scale.name()));
    add("seed", &|part| one(&part.manifest.seed));
    add("backends", &|part| one(&part.manifest.backends.join(",")));
    add("names of programs", &|part| one(&versions(&part.manifest.names)));
    add("number of shards", &|part| one(&part.shard.of()));
    add("plan", &|part| one(&part.manifest.plan));
    add("version of pidlab", &|part| part.each_session(|p| p.pidlab.clone()));
    add("commit", &|part| part.each_session(|p| p.commit.clone()));
    add("versions of crates", &|part| part.each_session(|p| versions(&p.crates)));
    add("versions of Python packages", &|part| part.each_session(|p| versions(&p.python)));
    let mut problems: Vec<String> =
        fields.iter().filter_map(|(name, values)| difference(name, values)).collect();
    let told = parts.iter().find(|part| part.text != parts[0].text);
    if let Some(other) = told.filter(|_| problems.is_empty()) {
        problems.push(format!(
            "experiment.toml: other titles, claims or analysis in {} and {}; the command that made a shard brings its copy up to date",
            parts[0].folder.display(),
            other.folder.display()
        ));
    }
    problems
}

/// The first two values that differ, with where they are.
fn difference(name: &str, values: &[(String, &Path)]) -> Option<String> {
    let (first, at) = values.first()?;
    let (other, there) = values.iter().find(|(value, _)| value != first)?;
    Some(format!("{name}: {first} in {}, {other} in {}", at.display(), there.display()))
}

fn versions(of: &BTreeMap<String, String>) -> String {
    of.iter().map(|(name, version)| format!("{name} {version}")).collect::<Vec<_>>().join(", ")
}

/// Shards that are given twice or not at all.
fn gaps(parts: &[Part]) -> Vec<String> {
    let mut at: BTreeMap<Shard, Vec<String>> = BTreeMap::new();
    for part in parts {
        at.entry(part.shard).or_default().push(part.folder.display().to_string());
    }
    let twice = at.iter().filter(|(_, folders)| folders.len() > 1);
    let mut problems: Vec<String> = twice
        .map(|(shard, folders)| format!("shard {shard} is there twice: {}", folders.join(" and ")))
        .collect();
    let missing: Vec<String> = parts[0]
        .shard
        .siblings()
        .filter(|shard| !at.contains_key(shard))
        .map(|shard| shard.to_string())
        .collect();
    if !missing.is_empty() {
        problems.push(format!("missing: shard {}", missing.join(", shard ")));
    }
    problems
}

impl Part {
    fn each_session(&self, of: impl Fn(&Provenance) -> String) -> Vec<String> {
        self.manifest.sessions.iter().map(|session| of(&session.provenance)).collect()
    }

    /// Why the rows of this shard cannot be merged.
    fn problem(&self, found: &FoundRows) -> Option<String> {
        let name = format!("shard {} in {}", self.shard, self.folder.display());
        let foreign = |row: &u64| !self.plan.is_here(self.plan.place(*row).block);
        if let Some(row) = found.records.iter().map(|record| record.row).find(foreign) {
            return Some(format!("{name} has row {row}, which is of another shard"));
        }
        let (rows, all) = (found.done.count, self.plan.rows_here());
        let ends = self.manifest.sessions.iter().map(|session| session.end);
        if ends.clone().any(|end| end == End::Disagreement) {
            return Some(format!("{name} ended with answers that contradict each other"));
        }
        let why = match found.sessions.iter().max() {
            Some(&last) if last as usize >= ends.len() => "its manifest does not list all sessions",
            _ if rows < all => "the command that made it continues it",
            _ => return None,
        };
        Some(format!("{name} is incomplete, {rows} of {all} rows: {why}"))
    }
}

/// Writes the run: rows by session, the table, and at last the manifest.
fn write(request: &Request, parts: &[Part], found: Vec<FoundRows>) -> anyhow::Result<Merged> {
    let plan = &parts[0].plan;
    let manifest = Manifest {
        shard: None,
        across_machines: request.across_machines,
        sessions: parts.iter().flat_map(|part| part.manifest.sessions.clone()).collect(),
        ..parts[0].manifest.clone()
    };
    let store = Store::create(&request.out, manifest, (plan, &parts[0].text), request.fresh)?;
    let rows = joined(parts, found);
    store.add_rows(&rows)?;
    store.export(plan, &rows)?;
    store.save_manifest()?;
    store.describe(plan)?;
    Ok(Merged {
        folder: request.out.clone(),
        shards: parts.len(),
        rows: rows.done.count,
        machines: machines(&rows, &store.manifest.sessions),
    })
}

/// All rows, their sessions counted through.
fn joined(parts: &[Part], found: Vec<FoundRows>) -> FoundRows {
    let mut all = FoundRows::none(parts[0].plan.rows());
    let mut first = 0;
    for (part, rows) in parts.iter().zip(found) {
        all.extend(rows, first);
        first += part.manifest.sessions.len() as u32;
    }
    all
}

fn machines(rows: &FoundRows, sessions: &[Session]) -> Vec<(String, u64)> {
    let names: Vec<String> =
        sessions.iter().map(|session| Machine::of(&session.provenance).to_string()).collect();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for &session in &rows.sessions {
        *counts.entry(&names[session as usize]).or_default() += 1;
    }
    let mut machines: Vec<(String, u64)> =
        counts.into_iter().map(|(name, rows)| (name.to_string(), rows)).collect();
    machines.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    machines
}
