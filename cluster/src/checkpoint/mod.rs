//! Checkpoints: what a search has found so far, in a folder that all processes can reach.
//!
//! At the end of a level every worker writes the states that are new since the last checkpoint to a file of
//! its own; when all have done so, the first process replaces the list of files (`manifest`). A file is
//! written under another name, brought to the disk and renamed, so that whoever is killed at any moment
//! leaves the last list and its files whole. States have places that do not depend on who owns them:
//! a search can go on with another number of processes. Cost: what a state's key and three numbers take on
//! disk, once, and a round of messages.

mod files;
mod keeper;
mod manifest;
mod resumed;

pub use keeper::Keeper;
pub use resumed::Resumed;

use crate::network::hello::Identity;
use files::Lock;
use manifest::Manifest;
use pidlab_explore::search::Failure;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where checkpoints are written and read.
#[derive(Debug, Default)]
pub struct Checkpoints {
    /// Where to write them, and how often at most.
    pub write: Option<(PathBuf, Duration)>,
    /// Where to go on from.
    pub resume: Option<PathBuf>,
}

/// The checkpoints of the searches of a command, looked at before the first of them.
#[derive(Debug, Default)]
pub struct Kept {
    write: Option<(PathBuf, Duration)>,
    /// What there is to go on from, by search.
    manifests: Vec<(PathBuf, Manifest)>,
    /// Held as long as this process may write the list of files.
    _lock: Option<Lock>,
}

/// The folder of one search of a command.
fn folder_of(folder: &Path, search: u64) -> PathBuf {
    folder.join(format!("search-{search}"))
}

impl Kept {
    /// Looks at what is there; the first process keeps others from writing.
    pub fn open(
        checkpoints: &Checkpoints,
        identity: &Identity,
        is_first: bool,
    ) -> Result<Kept, Failure> {
        let Checkpoints { write, resume } = checkpoints;
        let mut lock = None;
        if let Some((folder, _)) = write {
            fs::create_dir_all(folder).map_err(|error| refuse(folder, "be created", &error))?;
            if is_first {
                lock = Some(Lock::take(folder)?);
            }
        }
        let manifests = match resume {
            Some(folder) => read_manifests(folder, identity)?,
            None => Vec::new(),
        };
        if let Some((folder, _)) = write {
            if resume.as_ref() != Some(folder) && folder_of(folder, 0).join(manifest::NAME).exists()
            {
                let name = folder.display();
                let text =
                    format!("{name} holds a checkpoint; go on from it or use another folder");
                return Err(Failure::Setup(text));
            }
            if is_first {
                manifests
                    .iter()
                    .try_for_each(|(folder, manifest)| files::sweep(folder, manifest))?;
            }
        }
        Ok(Kept { write: write.clone(), manifests, _lock: lock })
    }

    /// What processes must agree on: which checkpoints they go on from.
    pub fn digest(&self) -> String {
        let each = self.manifests.iter().map(|(_, manifest)| manifest.digest());
        each.collect::<Vec<_>>().join(" ")
    }

    /// What a search goes on from.
    pub fn resumed(&self, search: u64) -> Option<Resumed> {
        let (folder, manifest) = self.manifests.get(search as usize)?;
        Some(Resumed { folder: folder.clone(), manifest: manifest.clone() })
    }

    /// What a worker needs to write checkpoints of a search.
    pub fn keeper(
        &self,
        search: u64,
        identity: &Identity,
        worker: usize,
    ) -> Result<Option<Keeper>, Failure> {
        let Some((folder, every)) = &self.write else { return Ok(None) };
        let folder = folder_of(folder, search);
        fs::create_dir_all(&folder).map_err(|error| refuse(&folder, "be created", &error))?;
        let known = self.manifests.get(search as usize);
        // lists name files in their own folder only: another folder begins with everything
        let known = known.filter(|(from, _)| *from == folder).map(|(_, manifest)| manifest.clone());
        Ok(Some(Keeper::new(folder, *every, worker, identity.clone(), known)))
    }
}

/// The lists of files of all searches in a folder that have one.
fn read_manifests(folder: &Path, identity: &Identity) -> Result<Vec<(PathBuf, Manifest)>, Failure> {
    if !folder.is_dir() {
        return Err(Failure::Setup(format!("{} is not a folder to go on from", folder.display())));
    }
    let mut manifests = Vec::new();
    loop {
        let of_search = folder_of(folder, manifests.len() as u64);
        match Manifest::read(&of_search, identity)? {
            Some(manifest) => manifests.push((of_search, manifest)),
            None => return Ok(manifests),
        }
    }
}

/// A file or folder that cannot be used.
fn refuse(path: &Path, what: &str, error: &std::io::Error) -> Failure {
    Failure::Setup(format!("checkpoint: {} cannot {what}: {error}", path.display()))
}
