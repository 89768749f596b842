//! The visited set with every key compressed on its own by GZIP's algorithm, as the paper compares
//! with (Bogor'03, section 5). The container's fixed header is left out.

use crate::search::{ArenaStore, Id, Store, key_hash};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// A [`Store`] of compressed keys.
pub struct GzipStore {
    states: ArenaStore,
    machine: Compress,
    bytes: Vec<u8>,
}

impl Default for GzipStore {
    fn default() -> GzipStore {
        GzipStore { states: ArenaStore::new(), machine: compressor(), bytes: Vec::new() }
    }
}

impl GzipStore {
    pub fn new() -> GzipStore {
        GzipStore::default()
    }
}

fn compressor() -> Compress {
    Compress::new(Compression::default(), false)
}

/// Compresses `key` over `out`; equal keys give equal bytes.
fn squeeze(machine: &mut Compress, key: &[u8], out: &mut Vec<u8>) {
    machine.reset();
    out.clear();
    // deflate adds at most a few bytes per block to what it cannot compress
    out.reserve(key.len() + key.len() / 8 + 64);
    let done = machine.compress_vec(key, out, FlushCompress::Finish);
    debug_assert!(matches!(done, Ok(Status::StreamEnd)));
}

impl Store for GzipStore {
    fn insert(&mut self, key: &[u8], _hash: u64) -> (Id, bool) {
        squeeze(&mut self.machine, key, &mut self.bytes);
        self.states.insert(&self.bytes, key_hash(&self.bytes))
    }

    fn find(&self, key: &[u8], _hash: u64) -> Option<Id> {
        let mut bytes = Vec::new();
        squeeze(&mut compressor(), key, &mut bytes);
        self.states.find(&bytes, key_hash(&bytes))
    }

    fn read(&self, id: Id, key: &mut Vec<u8>) {
        let mut bytes = Vec::new();
        self.states.read(id, &mut bytes);
        let mut machine = Decompress::new(false);
        key.clear();
        loop {
            key.reserve(4 * bytes.len() + 64);
            let used = machine.total_in() as usize;
            match machine.decompress_vec(&bytes[used..], key, FlushDecompress::Finish) {
                Ok(Status::Ok | Status::BufError) if key.len() == key.capacity() => {}
                _ => return,
            }
        }
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn key_bytes(&self) -> u64 {
        self.states.key_bytes()
    }

    fn index_bytes(&self) -> u64 {
        self.states.index_bytes()
    }

    fn room(&self) -> u64 {
        self.states.room()
    }

    fn growth_bytes(&self) -> u64 {
        self.states.growth_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back() {
        let mut store = GzipStore::new();
        let key = |i: u32| (0..i * 7).map(|at| ((at * i) >> 3) as u8).collect::<Vec<u8>>();
        for i in 0..200 {
            assert_eq!(store.insert(&key(i), 0), (i, true));
        }
        let mut read = Vec::new();
        for i in 0..200 {
            assert_eq!(store.insert(&key(i), 0), (i, false));
            assert_eq!(store.find(&key(i), 0), Some(i));
            store.read(i, &mut read);
            assert_eq!(read, key(i));
        }
        assert_eq!(store.find(b"new", 0), None);
    }
}
