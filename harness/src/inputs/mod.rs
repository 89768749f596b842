//! Instances of the user's own: files of pairs, folders of states and graphs, programs that generate pairs.
//!
//! Before the first row every input is read once, checked and put on a list with its size and the hash of its bytes
//! ([`collect`]). The list is part of what names a plan, so that a run does not go on with inputs that have changed, and is
//! kept in the run folder as `inputs.json`: workers take from it where a pair is, read that piece of a file alone, and
//! hold its hash against the list. What is read is a state or a graph ([`file`]).
//!
//! Names are relative to the folder of the experiment file. Cost: reading everything once; the list takes some hundred
//! bytes a pair.

mod collect;
mod file;

pub use file::{FileKind, Material};

use crate::clock::process_cpu;
use crate::experiment::states::StateSet;
use crate::plan::fnv;
use crate::store::folder::Folder;
use anyhow::{Context, bail};
use pidlab_core::Relations;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Its file in a run folder.
pub const FILE: &str = "inputs.json";
const FORMAT: &str = "pidlab-inputs/1";

/// Everything that an experiment takes from files of the user.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    format: String,
    /// The folder that names are relative to; programs are started in it.
    pub base: PathBuf,
    /// For each entry of `[[states]]` what it takes, if it takes anything.
    pub sets: Vec<Option<SetInputs>>,
    /// Texts of models that are files, by the name that the experiment gives them.
    pub models: BTreeMap<String, String>,
    /// Hashes of files that commands of generators name.
    programs: Vec<(String, u64)>,
}

/// The pairs of one entry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetInputs {
    files: Vec<InputFile>,
    /// A block each.
    pub items: Vec<Item>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InputFile {
    path: PathBuf,
    kind: FileKind,
}

/// Part of a file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Piece {
    file: u32,
    start: u64,
    length: u64,
    hash: u64,
}

/// What a state is compared with.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Partner {
    /// Another state.
    At(Piece),
    /// The second state of the same line.
    Line,
    /// What is made of the state itself.
    Made,
}

/// A pair, or a state that a pair is made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// What rows and messages call it.
    pub name: String,
    /// Distinct pids of the first state.
    pub size: u32,
    q: Piece,
    r: Partner,
    /// What the file says of the pair, and for which relations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
}

/// A verdict that is known for a set of relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Whether the states are equivalent.
    pub equivalent: bool,
    /// Names of the relations, joined by commas.
    #[serde(with = "by_name")]
    pub relations: Relations,
}

/// One pair, read.
pub struct Loaded {
    /// The first state.
    pub q: Material,
    /// The second, unless it is still to be made.
    pub r: Option<Material>,
}

/// CPU time that collecting took in this process.
static READING: AtomicU64 = AtomicU64::new(0);

/// CPU time that reading, checking and hashing inputs took in this process.
pub fn reading_time() -> Duration {
    Duration::from_nanos(READING.load(Ordering::Relaxed))
}

impl Inputs {
    /// What the entries of an experiment take; `None` if they take nothing.
    pub fn collect(sets: &[StateSet], base: &Path) -> anyhow::Result<Option<Inputs>> {
        if !sets.iter().any(StateSet::takes_inputs) {
            return Ok(None);
        }
        let base = match base.as_os_str().is_empty() {
            true => Path::new("."),
            false => base,
        };
        let base =
            base.canonicalize().with_context(|| format!("cannot find {}", base.display()))?;
        let begun = process_cpu();
        let mut inputs = Inputs { format: FORMAT.into(), base, ..Inputs::default() };
        for set in sets {
            let found = collect::of_set(set, &inputs.base)
                .with_context(|| format!("states `{}`", set.label))?;
            inputs.sets.push(found);
            if let Some(command) = &set.generator {
                inputs.add_program(command);
            }
            if let Some((name, text)) = set.explored.as_ref().and_then(|explored| explored.file()) {
                inputs.models.insert(name.to_string(), text.to_string());
            }
        }
        let time = process_cpu().saturating_sub(begun).as_nanos();
        READING.fetch_add(u64::try_from(time).unwrap_or(u64::MAX), Ordering::Relaxed);
        Ok(Some(inputs))
    }

    /// Files that a command names are as good as part of the experiment.
    fn add_program(&mut self, command: &str) {
        for word in command.split_whitespace().map(|word| word.trim_matches(['\'', '"'])) {
            if let Ok(bytes) = std::fs::read(self.base.join(word)) {
                self.programs.push((word.to_string(), fnv(&bytes)));
            }
        }
    }

    /// Everything that rows depend on: other contents, other names, another digest. Where the folder is does not count.
    pub fn digest(&self) -> u64 {
        let told = (&self.sets, &self.models, &self.programs);
        fnv(serde_json::to_string(&told).unwrap_or_default().as_bytes())
    }

    /// That of a run folder, if it has one.
    pub fn read(folder: &Path) -> anyhow::Result<Option<Inputs>> {
        let path = folder.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let inputs: Inputs =
            serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        match inputs.format == FORMAT {
            true => Ok(Some(inputs)),
            false => {
                bail!("{}: format is `{}`, expected `{FORMAT}`", path.display(), inputs.format)
            }
        }
    }

    /// Writes it to a run folder.
    pub fn write(&self, files: &Folder) -> anyhow::Result<()> {
        files.write(FILE, serde_json::to_string(self)?.as_bytes()).map(|_| ())
    }

    /// The pairs of an entry.
    pub fn set(&self, entry: usize) -> Option<&SetInputs> {
        self.sets.get(entry)?.as_ref()
    }

    /// Reads a pair of an entry.
    pub fn load(&self, entry: usize, item: usize) -> anyhow::Result<Loaded> {
        let set = self.set(entry).context("the entry takes no inputs")?;
        let item = set.items.get(item).context("there is no such input")?;
        let (path, kind, bytes) = self.piece(set, item.q)?;
        let loaded = match (kind, item.r) {
            // the bytes are those that were read before: nothing can be wrong with them
            (FileKind::Pairs, _) => file::pair_of_line(&path, 1, &bytes).map(|pair| {
                let [q, r] = [pair.q, pair.r].map(|state| Material::State(Box::new(state)));
                Loaded { q, r: Some(r) }
            }),
            (_, Partner::At(piece)) => {
                let (other, other_kind, other_bytes) = self.piece(set, piece)?;
                Ok(Loaded {
                    q: file::parse(&path, kind, &bytes)?,
                    r: Some(file::parse(&other, other_kind, &other_bytes)?),
                })
            }
            (_, Partner::Made | Partner::Line) => {
                file::parse(&path, kind, &bytes).map(|q| Loaded { q, r: None })
            }
        };
        loaded.with_context(|| item.name.clone())
    }

    fn piece(&self, set: &SetInputs, piece: Piece) -> anyhow::Result<(PathBuf, FileKind, Vec<u8>)> {
        let file = set.files.get(piece.file as usize).context("there is no such file")?;
        let path = self.base.join(&file.path);
        let read = || -> std::io::Result<Vec<u8>> {
            let mut opened = File::open(&path)?;
            opened.seek(SeekFrom::Start(piece.start))?;
            let mut bytes = Vec::new();
            opened.take(piece.length).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().with_context(|| format!("cannot read {}", path.display()))?;
        if fnv(&bytes) != piece.hash {
            bail!("{} has changed since the run began; restore it, or run anew", path.display());
        }
        Ok((path, file.kind, bytes))
    }
}

/// Relations by their names.
mod by_name {
    use super::Relations;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(relations: &Relations, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(relations)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Relations, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}
