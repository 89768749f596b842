//! The memory of the process, as the system counts it.
//!
//! What a computation holds is spread over its tables, its threads and the allocator's own rooms;
//! the pages of the process are the sum of all that, and what a user sees. The file of `/proc` that
//! tells is opened once: reading it again takes less than a microsecond, opening it several.

use std::sync::atomic::{AtomicU64, Ordering};

/// Growth between two budgets that may be waste of the first.
const LARGE: u64 = 32 << 20;

/// Bytes of memory that the process has written to, without what it shares with files; `None` where
/// the system does not tell.
pub fn resident_bytes() -> Option<u64> {
    system::resident_bytes()
}

/// What the process holds before a computation starts. What an earlier one has freed and the
/// allocator keeps would be counted as held; it is given back first where it may be much.
pub(crate) fn held_at_start() -> u64 {
    static BEFORE: AtomicU64 = AtomicU64::new(0);
    let mut held = resident_bytes().unwrap_or(0);
    if held > BEFORE.load(Ordering::Relaxed).saturating_add(LARGE) {
        give_back();
        held = resident_bytes().unwrap_or(0);
    }
    BEFORE.store(held, Ordering::Relaxed);
    held
}

/// Returns what the allocator holds without use to the system, where there is a way to ask for it.
pub(crate) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // SAFETY: a function of the C library in use, which may be called at any time by any thread.
        unsafe { malloc_trim(0) };
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::sync::OnceLock;

    /// The key of the page size in the auxiliary vector.
    const PAGE_SIZE_KEY: usize = 6;
    const USUAL_PAGE_SIZE: u64 = 4096;

    pub fn resident_bytes() -> Option<u64> {
        static FILE: OnceLock<Option<File>> = OnceLock::new();
        let file = FILE.get_or_init(|| File::open("/proc/self/statm").ok()).as_ref()?;
        let mut text = [0; 128];
        let length = file.read_at(&mut text, 0).ok()?;
        let mut pages = text[..length].split(|&byte| byte == b' ').skip(1).map_while(number);
        let (resident, shared) = (pages.next()?, pages.next()?);
        Some(resident.saturating_sub(shared) * page_size())
    }

    fn number(digits: &[u8]) -> Option<u64> {
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    fn page_size() -> u64 {
        static SIZE: OnceLock<u64> = OnceLock::new();
        *SIZE.get_or_init(|| told_page_size().unwrap_or(USUAL_PAGE_SIZE))
    }

    fn told_page_size() -> Option<u64> {
        const WORD: usize = size_of::<usize>();
        let bytes = std::fs::read("/proc/self/auxv").ok()?;
        let words: Vec<usize> =
            bytes.as_chunks::<WORD>().0.iter().map(|&word| usize::from_ne_bytes(word)).collect();
        let entries = words.as_chunks::<2>().0;
        entries.iter().find(|entry| entry[0] == PAGE_SIZE_KEY).map(|entry| entry[1] as u64)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub fn resident_bytes() -> Option<u64> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_to_is_counted() {
        const SIZE: usize = 64 << 20;
        let before = resident_bytes().unwrap();
        let block = vec![1_u8; SIZE];
        let after = resident_bytes().unwrap();
        assert!(std::hint::black_box(&block)[SIZE - 1] == 1);
        // other tests run beside this one
        assert!(after > before + SIZE as u64 / 2, "{before} {after}");
    }
}
