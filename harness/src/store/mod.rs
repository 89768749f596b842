//! A run folder: lock, manifest, copy of the experiment, row segments.
//!
//! ```text
//! RUN/manifest.json      what was run, where and how it went (pidlab-run/1)
//! RUN/experiment.toml    the experiment as it was
//! RUN/log/*.rows         row segments, append-only
//! RUN/log/*.stderr       what workers said
//! RUN/rows.parquet, rows.csv, analysis.json, figures/, report.html    made from the above
//! ```
//! One process at a time works on a folder; a second one is refused with a message.

pub mod export;
pub mod machine;
pub mod manifest;
mod mapped;
pub mod overhead;
pub mod provenance;
pub mod record;
pub mod segment;

use crate::experiment::{Experiment, library};
use crate::plan::Plan;
use crate::store::manifest::{Manifest, write_atomically};
use crate::store::record::Record;
use anyhow::{Context, bail};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::{Path, PathBuf};

pub struct Store {
    pub folder: PathBuf,
    pub manifest: Manifest,
    digest: u64,
    /// Held as long as the store lives.
    _lock: File,
}

/// What earlier sessions left.
pub struct Found {
    pub records: Vec<Record>,
    pub done: Rows,
    /// What had to be repaired, for the user.
    pub repairs: Vec<String>,
}

/// A set of row numbers.
pub struct Rows {
    bits: Vec<u64>,
    pub count: u64,
}

impl Rows {
    pub fn new(rows: u64) -> Rows {
        Rows { bits: vec![0; rows.div_ceil(64) as usize], count: 0 }
    }

    pub fn contains(&self, row: u64) -> bool {
        self.bits.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Whether the row was new and in range.
    pub fn insert(&mut self, row: u64) -> bool {
        let Some(word) = self.bits.get_mut((row / 64) as usize) else { return false };
        let new = *word >> (row % 64) & 1 == 0;
        *word |= 1 << (row % 64);
        self.count += u64::from(new);
        new
    }
}

impl Store {
    /// Opens or creates the run folder of a plan. `fresh` discards what is there.
    pub fn open(folder: &Path, plan: &Plan, text: &str, fresh: bool) -> anyhow::Result<Store> {
        let log = folder.join("log");
        std::fs::create_dir_all(&log).with_context(|| {
            format!("cannot create the run folder {}; choose another with --out", log.display())
        })?;
        let lock = take_lock(folder)?;
        if fresh {
            discard(folder)?;
        }
        let manifest = match Manifest::exists(folder) {
            true => matching(folder, plan)?,
            false => create(folder, plan, text)?,
        };
        Ok(Store { folder: folder.to_path_buf(), manifest, digest: plan.digest(), _lock: lock })
    }

    pub fn segment_path(&self, session: usize, worker: &str) -> PathBuf {
        self.folder.join("log").join(format!("session-{session:03}-{worker}.rows"))
    }

    /// All rows so far, repaired where needed.
    pub fn scan(&self, rows: u64) -> anyhow::Result<Found> {
        read_rows(&self.folder, self.digest, rows)
    }

    pub fn save_manifest(&self) -> anyhow::Result<()> {
        self.manifest.write(&self.folder)
    }
}

/// Reads the segments of a folder; a row written twice counts once, the first time.
pub fn read_rows(folder: &Path, digest: u64, rows: u64) -> anyhow::Result<Found> {
    let mut found = Found { records: Vec::new(), done: Rows::new(rows), repairs: Vec::new() };
    let log = folder.join("log");
    let paths = segment::list(&log).with_context(|| format!("cannot read {}", log.display()))?;
    for path in paths {
        let scan = segment::scan(&path, digest)?;
        if scan.torn > 0 {
            found.repairs.push(format!(
                "{}: cut off an incomplete last row ({} bytes)",
                path.display(),
                scan.torn
            ));
        }
        if scan.damaged > 0 {
            found.repairs.push(format!(
                "{}: {} damaged rows left out, they will run again",
                path.display(),
                scan.damaged
            ));
        }
        for record in scan.records {
            if found.done.insert(record.row) {
                found.records.push(record);
            }
        }
    }
    Ok(found)
}

fn take_lock(folder: &Path) -> anyhow::Result<File> {
    let path = folder.join("lock");
    let file = File::create(&path).with_context(|| {
        format!("cannot write in {}; choose another folder with --out", folder.display())
    })?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        bail!(
            "another pidlab process is working in {}; wait for it or choose another folder with --out",
            folder.display()
        );
    }
    Ok(file)
}

fn discard(folder: &Path) -> anyhow::Result<()> {
    let log = folder.join("log");
    for path in std::fs::read_dir(&log)?.chain(std::fs::read_dir(folder)?) {
        let path = path?.path();
        let ours = path.extension().is_some_and(|e| {
            ["rows", "stderr", "json", "toml", "parquet", "csv", "html"]
                .iter()
                .any(|ending| e == *ending)
        });
        if ours && path.is_file() {
            std::fs::remove_file(&path)
                .with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

fn matching(folder: &Path, plan: &Plan) -> anyhow::Result<Manifest> {
    let manifest = Manifest::read(folder)?;
    let mut differences = Vec::new();
    let mut compare = |what: &str, old: String, new: String| {
        if old != new {
            differences.push(format!("{what} {old}, now {new}"));
        }
    };
    compare("experiment", manifest.experiment.clone(), plan.experiment.name.clone());
    compare("scale", manifest.scale.name().into(), plan.scale.name().into());
    compare("seed", manifest.seed.to_string(), plan.seed.to_string());
    compare("backends", manifest.backends.join(","), plan.backends.join(","));
    if differences.is_empty() && manifest.plan != format!("{:016x}", plan.digest()) {
        differences.push("the experiment file has changed since".into());
    }
    if !differences.is_empty() {
        bail!(
            "{} holds another run ({}); use another --out folder, or --fresh to discard it",
            folder.display(),
            differences.join("; ")
        );
    }
    Ok(manifest)
}

fn create(folder: &Path, plan: &Plan, text: &str) -> anyhow::Result<Manifest> {
    write_atomically(&folder.join("experiment.toml"), text.as_bytes())?;
    let manifest = Manifest::new(plan);
    manifest.write(folder)?;
    Ok(manifest)
}

/// The experiment of a run folder, its text and the manifest. A folder that kept only its rows is one of a
/// built-in experiment.
pub fn experiment_of(folder: &Path) -> anyhow::Result<(Experiment, String, Manifest)> {
    let manifest = Manifest::read(folder)?;
    let path = folder.join("experiment.toml");
    let (experiment, text) = match path.exists() {
        true => Experiment::read(&path)?,
        false => {
            let source = library::find(&manifest.experiment)
                .with_context(|| format!("{} is missing", path.display()))?;
            (Experiment::parse(&source.text, &source.path)?, source.text)
        }
    };
    Ok((experiment, text, manifest))
}

/// The plan of an existing run folder.
pub fn plan_of(folder: &Path) -> anyhow::Result<(Plan, Manifest)> {
    let manifest = Manifest::read(folder)?;
    let path = folder.join("experiment.toml");
    let (experiment, text) = Experiment::read(&path)?;
    let plan = Plan::new(experiment, &text, manifest.scale, Some(manifest.seed))?
        .with_backends(manifest.backends.clone(), &text)?;
    if manifest.plan != format!("{:016x}", plan.digest()) {
        bail!("{} was changed after the run; restore it or run again", path.display());
    }
    Ok((plan, manifest))
}
