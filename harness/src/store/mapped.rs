//! A file that grows by appending through memory: an append costs a copy, not a call of the kernel.
//!
//! Pages belong to the kernel as soon as they are written, so a process killed at any moment loses
//! nothing it had appended; only a machine that loses power does, up to the last flush. Room is
//! reserved on the disk before it is used, in steps that shrink when the disk is nearly full: a full
//! disk is an error of [`Mapped::append`], never a signal in the middle of a copy. Reserved room is
//! zeros until it is used and is given back when the file is closed.

use rustix::fs::FallocateFlags;
use rustix::mm::{MapFlags, ProtFlags};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::ptr::NonNull;

const LARGEST_STEP: usize = 1 << 20;
const SMALLEST_STEP: usize = 1 << 12;

pub struct Mapped {
    file: File,
    base: Option<NonNull<u8>>,
    /// Bytes that are reserved and mapped.
    room: usize,
    length: usize,
}

impl Mapped {
    /// A new file; one that exists is an error.
    pub fn create(path: &Path) -> io::Result<Mapped> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Ok(Mapped { file, base: None, room: 0, length: 0 })
    }

    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        while self.length + bytes.len() > self.room {
            self.grow()?;
        }
        self.length += bytes.len();
        self.replace(self.length - bytes.len(), bytes);
        Ok(())
    }

    /// Writes over bytes that were appended before.
    pub fn replace(&mut self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= self.length, "only what was appended is replaced");
        if let Some(base) = self.base {
            // SAFETY: the range lies within the mapping, which holds `room` ≥ `length` bytes and is
            // ours alone in this process.
            unsafe {
                let target = base.as_ptr().add(at);
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len());
            }
        }
    }

    fn grow(&mut self) -> io::Result<()> {
        let mut step = LARGEST_STEP;
        while let Err(error) = self.reserve(step) {
            if step == SMALLEST_STEP {
                return Err(error);
            }
            step /= 2;
        }
        self.unmap();
        let length = self.room + step;
        // SAFETY: a fresh mapping at an address of the kernel's choice, of a file that is that long.
        let base = unsafe {
            let flags = ProtFlags::READ | ProtFlags::WRITE;
            rustix::mm::mmap(std::ptr::null_mut(), length, flags, MapFlags::SHARED, &self.file, 0)
        }?;
        self.base = NonNull::new(base.cast());
        self.room = length;
        Ok(())
    }

    /// Lengthens the file by `step` bytes that are certain to be there.
    fn reserve(&self, step: usize) -> io::Result<()> {
        let (from, length) = (self.room as u64, step as u64);
        match rustix::fs::fallocate(&self.file, FallocateFlags::empty(), from, length) {
            Err(rustix::io::Errno::OPNOTSUPP) => {
                use std::os::unix::fs::FileExt;
                self.file.write_all_at(&vec![0; step], from)
            }
            result => Ok(result?),
        }
    }

    fn unmap(&mut self) {
        if let Some(base) = self.base.take() {
            // SAFETY: the mapping made by `grow`; nothing else refers to it.
            unsafe { rustix::mm::munmap(base.as_ptr().cast(), self.room) }.ok();
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.unmap();
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
