//! Reads checkpoints for one worker, whoever owned the states before.

use super::files::{FileInfo, Source};
use super::manifest::{Generation, Manifest};
use crate::outgoing::owner;
use crate::part::{Concrete, Part};
use crate::totals::Totals;
use pidlab_explore::search::{Failure, Store, key_hash};
use std::path::PathBuf;

#[derive(Clone)]
pub struct Resumed {
    pub(super) folder: PathBuf,
    pub(super) manifest: Manifest,
}

/// Which worker reads, of how many.
#[derive(Clone, Copy)]
struct Reader {
    index: usize,
    peers: usize,
}

impl Reader {
    fn owns(self, hash: u64) -> bool {
        owner(hash, self.peers) == self.index
    }

    /// The files of a checkpoint that may hold states of this worker.
    fn files(self, files: &[FileInfo]) -> &[FileInfo] {
        match files.len() == self.peers {
            true => &files[self.index..=self.index],
            false => files,
        }
    }
}

impl Resumed {
    pub fn totals(&self) -> &Totals {
        &self.manifest.totals
    }

    /// Fills a part that is empty; returns the concrete states of the last level.
    pub fn load<S: Store>(
        &self,
        part: &mut Part<S>,
        index: usize,
        peers: usize,
    ) -> Result<Concrete, Failure> {
        let reader = Reader { index, peers };
        for generation in &self.manifest.generations {
            self.load_generation(generation, reader, part)?;
        }
        self.load_frontier(reader, part)
    }

    fn load_generation<S: Store>(
        &self,
        generation: &Generation,
        reader: Reader,
        part: &mut Part<S>,
    ) -> Result<(), Failure> {
        let open = |file| Source::open(&self.folder, file);
        let mut sources =
            reader.files(&generation.files).iter().map(open).collect::<Result<Vec<_>, _>>()?;
        for _ in generation.first_level..=generation.last_level {
            for source in &mut sources {
                load_level(source, reader, part)?;
            }
            part.starts.push(part.store.len());
        }
        sources.into_iter().try_for_each(Source::finish)
    }

    fn load_frontier<S: Store>(&self, reader: Reader, part: &Part<S>) -> Result<Concrete, Failure> {
        let mut concrete = Concrete::default();
        let first = part.level(self.totals().level() as usize).start;
        let (mut key, mut state) = (Vec::new(), Vec::new());
        for file in reader.files(&self.manifest.frontier) {
            let mut source = Source::open(&self.folder, file)?;
            while !source.is_at_end() {
                source.bytes(&mut key)?;
                source.bytes(&mut state)?;
                let hash = key_hash(&key);
                if reader.owns(hash) {
                    let id = part.store.find(&key, hash).ok_or_else(|| source.damaged())?;
                    let index = (id as usize).checked_sub(first).ok_or_else(|| source.damaged())?;
                    concrete.set(index, &state);
                }
            }
            source.finish()?;
        }
        Ok(concrete)
    }
}

/// Stores the states of one level in one file.
fn load_level<S: Store>(
    source: &mut Source,
    reader: Reader,
    part: &mut Part<S>,
) -> Result<(), Failure> {
    let mut key = Vec::new();
    for _ in 0..source.number()? {
        source.bytes(&mut key)?;
        let (rank, parent, label) = (source.small()?, source.small()?, source.small()?);
        let hash = key_hash(&key);
        if !reader.owns(hash) {
            continue;
        }
        let (_, fresh) = part.store.insert(&key, hash);
        if !fresh {
            return Err(source.damaged());
        }
        part.ranks.push(rank);
        part.parents.push(parent);
        part.labels.push(label);
    }
    Ok(())
}
