//! The list of the files of a checkpoint, and all that is not in them.

use super::files::{FileInfo, write_file};
use super::refuse;
use crate::network::hello::Identity;
use crate::totals::Totals;
use pidlab_explore::search::Failure;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

pub const NAME: &str = "manifest.json";
pub const FORMAT: &str = "pidlab-checkpoint/1";

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: String,
    pub identity: Identity,
    pub totals: Totals,
    /// Files with states, oldest first.
    pub generations: Vec<Generation>,
    /// Concrete states of the last level, if the search goes on from those.
    pub frontier: Vec<FileInfo>,
}

/// The states of some levels, a file for each worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    pub first_level: u32,
    pub last_level: u32,
    pub files: Vec<FileInfo>,
}

impl Manifest {
    /// Reads the list in a folder; nothing if there is none yet.
    pub fn read(folder: &Path, identity: &Identity) -> Result<Option<Manifest>, Failure> {
        let path = folder.join(NAME);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refuse(&path, "be read", &error)),
        };
        let name = path.display();
        let manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|error| Failure::Setup(format!("{name} is damaged: {error}")))?;
        if manifest.format != FORMAT {
            let found = &manifest.format;
            return Err(Failure::Setup(format!("{name}: format `{found}`, expected `{FORMAT}`")));
        }
        manifest.check_identity(identity, &name.to_string())?;
        Ok(Some(manifest))
    }

    fn check_identity(&self, identity: &Identity, name: &str) -> Result<(), Failure> {
        let (then, now) = (&self.identity, identity);
        let differences = [
            ("another version of the program", &then.program, &now.program),
            ("another model", &then.model, &now.model),
            ("other options", &then.options, &now.options),
        ];
        match differences.into_iter().find(|(_, then, now)| then != now) {
            Some((what, then, now)) => {
                let text = format!("{name} is of {what}: `{then}` then, `{now}` now");
                Err(Failure::Setup(text))
            }
            None => Ok(()),
        }
    }

    /// Replaces the list in a folder.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let refused = |error: serde_json::Error| refuse(folder, "be written", &error.into());
        let text = serde_json::to_vec(self).map_err(refused)?;
        write_file(folder, NAME, |file| file.write_all(&text))?;
        Ok(())
    }

    /// Tells two lists apart.
    pub fn digest(&self) -> String {
        let files = self.generations.iter().flat_map(|generation| &generation.files);
        let mut hasher = crc32fast::Hasher::new();
        for file in files.chain(&self.frontier) {
            hasher.update(file.name.as_bytes());
            hasher.update(&file.crc32.to_le_bytes());
        }
        format!("level {} {:08x}", self.totals.level(), hasher.finalize())
    }
}
