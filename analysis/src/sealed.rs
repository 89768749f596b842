//! A checksum inside a Parquet file, over all of its bytes.
//!
//! On damaged files polars may ask for more memory than there is, which ends the program without a message, or panic.
//! Parquet has checksums of pages, but polars writes none, and the description at the end of the file has none at
//! all. So the description gets an entry with room for a CRC-32 of the whole file, taken while that room holds zeros.
//! Files without the entry, written by other programs or by older versions, are read as they are.

use polars::prelude::KeyValueMetadata;

const KEY: &str = "integrity";
pub const MARK: &[u8] = b"pidlab-crc32=";
const ROOM: &str = "pidlab-crc32=00000000";
const DIGITS: usize = ROOM.len() - MARK.len();

/// The entry, not yet filled in.
pub fn metadata() -> KeyValueMetadata {
    KeyValueMetadata::from_static(vec![(KEY.into(), ROOM.into())])
}

/// Fills in the checksum of a file written with [`metadata`].
pub fn seal(bytes: &mut [u8]) {
    let Some(at) = digits(bytes) else { return };
    let sum = format!("{:08x}", crc32fast::hash(bytes));
    bytes[at..at + DIGITS].copy_from_slice(sum.as_bytes());
}

/// Whether the file has a checksum, and another one than its bytes.
pub fn is_damaged(bytes: &[u8]) -> bool {
    let Some(at) = digits(bytes) else { return false };
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..at]);
    sum.update(&ROOM.as_bytes()[MARK.len()..]);
    sum.update(&bytes[at + DIGITS..]);
    format!("{:08x}", sum.finalize()).as_bytes() != &bytes[at..at + DIGITS]
}

/// Where the digits of the checksum are: behind the last mark, since the description ends the file.
pub fn digits(bytes: &[u8]) -> Option<usize> {
    let mark = bytes.windows(MARK.len()).rposition(|window| window == MARK)?;
    Some(mark + MARK.len()).filter(|at| at + DIGITS <= bytes.len())
}
