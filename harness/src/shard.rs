//! A part of a run: shard I of N measures every N-th block of the plan.
//!
//! What is shared out are blocks, a base state, model or instance with everything asked about it: answers about one
//! pair are held against each other, and backends are compared on the same states, so that their rows stay together.
//! Blocks are numbered by size, and dealt out there and back (1 2 3, 3 2 1, …), so that every shard has its
//! share of every size, and the larger one of two neighbours does not always fall to the same shard.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Shard `number` of `of`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    of: u32,
    number: u32,
}

/// What is wrong with the text of a shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShardError {
    /// Not two numbers.
    #[error("`{0}` is not a shard: expected I/N such as 2/8, the second of eight")]
    Form(String),
    /// Not one of those that there are.
    #[error("there is no shard {0}/{1}: expected 1/{1} to {1}/{1}")]
    Range(u32, u32),
    /// Of none.
    #[error("`{0}` is a part of nothing: expected I/N with N at least 1")]
    Nothing(String),
}

impl Shard {
    /// How many there are.
    pub fn of(self) -> u32 {
        self.of
    }

    /// All shards of as many.
    pub fn siblings(self) -> impl Iterator<Item = Shard> {
        (1..=self.of).map(move |number| Shard { number, ..self })
    }

    /// Whether it measures a block.
    pub fn has(self, block: u64) -> bool {
        let of = u64::from(self.of);
        let (round, at) = (block / of, block % of);
        let number = if round.is_multiple_of(2) { at } else { of - 1 - at };
        number + 1 == u64::from(self.number)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Shard, ShardError> {
        text.parse()
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let numbers = text.split_once('/').and_then(|(number, of)| {
            let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
            let whole = |part: &str| digits(part).then(|| part.parse().ok()).flatten();
            Some((whole(number)?, whole(of)?))
        });
        match numbers {
            None => Err(ShardError::Form(text.into())),
            Some((_, 0)) => Err(ShardError::Nothing(text.into())),
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { of, number }),
            Some((number, of)) => Err(ShardError::Range(number, of)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_in_one_shard() {
        for of in 1..=7 {
            let first: Shard = format!("1/{of}").parse().unwrap();
            for block in 0..100 {
                assert_eq!(first.siblings().filter(|shard| shard.has(block)).count(), 1);
            }
            let blocks = |shard: Shard| (0..100).filter(|&block| shard.has(block)).count();
            let (least, most) = (100 / of as usize, 100_usize.div_ceil(of as usize));
            assert!(first.siblings().all(|shard| (least..=most).contains(&blocks(shard))));
        }
    }

    /// Work that grows with the number of the block: no shard has more than a few percent above another.
    #[test]
    fn work_that_grows_is_balanced() {
        let first: Shard = "1/4".parse().unwrap();
        let work = |shard: Shard| -> u64 {
            (0..80).filter(|&block| shard.has(block)).map(|block| block * block).sum()
        };
        let all: Vec<u64> = first.siblings().map(work).collect();
        let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
        assert!(most * 100 <= least * 103, "{all:?}");
    }

    #[test]
    fn texts_are_read_and_refused() {
        assert_eq!("2/3".parse::<Shard>().unwrap().to_string(), "2/3");
        for bad in
            ["x", "", "3", "1/", "/3", "a/3", "-1/3", "+1/3", "1/3/4", "1 /3", "1/99999999999"]
        {
            assert_eq!(bad.parse::<Shard>(), Err(ShardError::Form(bad.into())));
        }
        assert_eq!("0/3".parse::<Shard>(), Err(ShardError::Range(0, 3)));
        assert_eq!("4/3".parse::<Shard>(), Err(ShardError::Range(4, 3)));
        assert_eq!("1/0".parse::<Shard>(), Err(ShardError::Nothing("1/0".into())));
    }
}
