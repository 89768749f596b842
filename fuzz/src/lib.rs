//! What fuzz targets have in common: mutators that keep the structure of a text, so that most mutants get past the
//! first line of a reader, and the parts that several targets hold what was read against.

pub mod cover;
#[cfg(feature = "harness")]
pub mod folder;
mod tokens;
mod tree;

pub use tokens::tokens;
pub use tree::{json, json_lines, toml};

use libfuzzer_sys::fuzzer_mutate;
use pidlab_random::Rng;

/// A text made from another; nothing where the text does not have the structure.
pub type Rewrite = fn(&str, &mut Rng) -> Option<String>;

/// The mutant of an input: one time in eight, and where `rewrite` cannot, one of libFuzzer's own over bytes.
pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32, rewrite: Rewrite) -> usize {
    let mut rng = Rng::new(u64::from(seed), 0);
    let text = std::str::from_utf8(&data[..size]).ok().filter(|_| rng.index(8) > 0);
    let rewritten = text.and_then(|text| rewrite(text, &mut rng));
    match rewritten.filter(|new| new.len() <= most) {
        Some(new) => {
            data[..new.len()].copy_from_slice(new.as_bytes());
            new.len()
        }
        None => fuzzer_mutate(data, size, most),
    }
}

/// Says how the inputs of a target are mutated.
#[macro_export]
macro_rules! mutate_by {
    ($rewrite:path) => {
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate(data, size, max_size, seed, $rewrite)
        });
    };
}
