//! Mixing of 64-bit words: the one hash all colours and labels are made of.
//!
//! Folded 64×64→128 multiplication, as in wyhash and its descendants: two or three cycles, no
//! table. Values are the same on every machine and in every run, so that hashes can be stored.

const A: u64 = 0x9e37_79b9_7f4a_7c15;
const B: u64 = 0xd6e8_feb8_6659_fd93;

/// Mixes two words into one; not symmetric.
#[inline(always)]
pub const fn mix(a: u64, b: u64) -> u64 {
    let product = (a ^ A) as u128 * (b.rotate_left(32) ^ B) as u128;
    (product as u64) ^ ((product >> 64) as u64)
}

/// Mixes bytes, length included.
pub fn mix_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(seed, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(hash, u64::from_le_bytes(last)), bytes.len() as u64)
}
