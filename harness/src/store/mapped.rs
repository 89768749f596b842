//! A file that grows by appending through memory: an append costs a copy, not a call of the kernel.
//!
//! Pages belong to the kernel as soon as they are written, so a process killed at any moment loses
//! nothing it had appended; only a machine that loses power does, up to the last flush. Room is
//! reserved on the disk before it is used, in steps that shrink when the disk is nearly full: a full
//! disk is an error of [`Mapped::append`], never a signal in the middle of a copy. Reserved room is
//! zeros until it is used and is given back when the file is closed.

use memmap2::MmapMut;
use rustix::fs::FallocateFlags;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

const LARGEST_STEP: usize = 1 << 20;
const SMALLEST_STEP: usize = 1 << 12;

pub struct Mapped {
    file: File,
    /// As long as what is reserved.
    room: Option<MmapMut>,
    length: usize,
}

impl Mapped {
    /// A new file; one that exists is an error.
    pub fn create(path: &Path) -> io::Result<Mapped> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Ok(Mapped { file, room: None, length: 0 })
    }

    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        while self.length + bytes.len() > self.reserved() {
            self.grow()?;
        }
        self.length += bytes.len();
        self.replace(self.length - bytes.len(), bytes);
        Ok(())
    }

    /// Writes over bytes that were appended before.
    pub fn replace(&mut self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= self.length, "only what was appended is replaced");
        if let Some(room) = &mut self.room {
            room[at..at + bytes.len()].copy_from_slice(bytes);
        }
    }

    fn reserved(&self) -> usize {
        self.room.as_ref().map_or(0, |room| room.len())
    }

    fn grow(&mut self) -> io::Result<()> {
        let mut step = LARGEST_STEP;
        while let Err(error) = self.reserve(step) {
            if step == SMALLEST_STEP {
                return Err(error);
            }
            step /= 2;
        }
        // SAFETY: nobody else shortens the file or writes to it as long as this process runs.
        self.room = Some(unsafe { MmapMut::map_mut(&self.file) }?);
        Ok(())
    }

    /// Lengthens the file by `step` bytes that are certain to be there. Zeros are written to them: pages that the kernel
    /// has already cost a third, at their first use, of those that it has only promised.
    fn reserve(&self, step: usize) -> io::Result<()> {
        let (from, length) = (self.reserved() as u64, step as u64);
        match rustix::fs::fallocate(&self.file, FallocateFlags::empty(), from, length) {
            Ok(()) | Err(rustix::io::Errno::OPNOTSUPP) => {
                self.file.write_all_at(&vec![0; step], from)
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.room = None;
        self.file.set_len(self.length as u64).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appended_bytes_are_in_the_file_across_steps() {
        let path = std::env::temp_dir().join(format!("pidlab-mapped-{}", std::process::id()));
        let mut mapped = Mapped::create(&path).unwrap();
        let line: Vec<u8> = (0..=250).collect();
        let lines = 3 * LARGEST_STEP / line.len();
        for _ in 0..lines {
            mapped.append(&line).unwrap();
        }
        mapped.replace(0, &[99]);
        let seen = std::fs::read(&path).unwrap();
        assert!(seen.len() > lines * line.len(), "room is reserved ahead");
        drop(mapped);
        let closed = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(closed.len(), lines * line.len());
        assert_eq!(closed[..], seen[..closed.len()]);
        assert_eq!((closed[0], &closed[251..502]), (99, &line[..]));
    }
}
