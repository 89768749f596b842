//! The memory of the process, as the system counts it.
//!
//! What a search holds is spread over stores, frontiers, workers and the allocator's own rooms; the
//! pages of the process are the sum of all that, and what a user sees. Reading them takes a
//! microsecond or two, so that callers look once in a while. Cost: one small file of `/proc`.

use std::sync::OnceLock;

/// The key of the page size in the auxiliary vector.
const PAGE_SIZE_KEY: u64 = 6;
const USUAL_PAGE_SIZE: u64 = 4096;

/// Bytes of memory that the process has written to, without what it shares with files; `None` where
/// the system does not tell.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages =
        text.split_ascii_whitespace().skip(1).map_while(|word| word.parse::<u64>().ok());
    let (resident, shared) = (pages.next()?, pages.next()?);
    Some(resident.saturating_sub(shared) * page_size())
}

fn page_size() -> u64 {
    static SIZE: OnceLock<u64> = OnceLock::new();
    *SIZE.get_or_init(|| told_page_size().unwrap_or(USUAL_PAGE_SIZE))
}

fn told_page_size() -> Option<u64> {
    let bytes = std::fs::read("/proc/self/auxv").ok()?;
    let words: Vec<u64> =
        bytes.as_chunks::<8>().0.iter().map(|&word| u64::from_ne_bytes(word)).collect();
    words.as_chunks::<2>().0.iter().find(|entry| entry[0] == PAGE_SIZE_KEY).map(|entry| entry[1])
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
