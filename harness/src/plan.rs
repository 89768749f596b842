//! The grid of an experiment: which row is what, and in which order rows are run.
//!
//! A row's number is its place in the grid block × transformation × variant × relations × graph × order
//! × backend × repetition, so any row can be made again from its number alone. A *block* is one base
//! state with everything done to it; blocks are what workers are given. Blocks run in a seeded random
//! order and backends take turns in a seeded random order within each pair, so that neither size nor
//! backend is confounded with the time of day.

use crate::experiment::{Experiment, Graph, Scale, ScaleName};
use pidlab_core::Relations;
use pidlab_stats::random::Draws;

/// Streams of the seed, apart from those that draw states.
const BLOCK_ORDER: u64 = 1 << 62;
const ROW_ORDER: u64 = 1 << 63;

pub struct Plan {
    pub experiment: Experiment,
    pub scale: ScaleName,
    pub seed: u64,
    pub backends: Vec<String>,
    sizes: Vec<u32>,
    replicates: u64,
    variants: u64,
    digest: u64,
}

/// What one row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub block: u64,
    pub set: usize,
    pub size: u32,
    pub transformation: usize,
    pub variant: u64,
    pub relations: usize,
    pub graph: usize,
    pub order: u32,
    pub backend: usize,
    pub repetition: u32,
}

impl Place {
    /// Rows with the same pair of states.
    pub fn pair(&self) -> (usize, u64) {
        (self.transformation, self.variant)
    }

    /// Rows that ask the same question and must get the same answer.
    pub fn question(&self) -> (usize, u64, usize, usize) {
        (self.transformation, self.variant, self.relations, self.graph)
    }
}

impl Plan {
    pub fn new(experiment: Experiment, text: &str, scale: ScaleName, seed: Option<u64>) -> Plan {
        let chosen: Scale = experiment.scale(scale).clone();
        let seed = seed.unwrap_or(experiment.seed);
        let backends = chosen.backends.unwrap_or_else(|| experiment.backends.clone());
        let mut plan = Plan {
            scale,
            seed,
            backends,
            sizes: chosen.sizes.values(),
            replicates: u64::from(chosen.states),
            variants: u64::from(chosen.variants),
            digest: 0,
            experiment,
        };
        plan.digest = plan.compute_digest(text);
        plan
    }

    /// The same grid with other backends than the file's.
    pub fn with_backends(mut self, backends: Vec<String>, text: &str) -> Plan {
        self.backends = backends;
        self.digest = self.compute_digest(text);
        self
    }

    /// Names the plan: rows of different plans never mix.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    fn compute_digest(&self, text: &str) -> u64 {
        let key =
            format!("{}\n{}\n{}\n{}", self.scale.name(), self.seed, self.backends.join(","), text);
        fnv(key.as_bytes())
    }

    /// Transformations of a set of states; a hard family brings its own pairs.
    fn transformations(&self) -> u64 {
        self.experiment.transformations.len().max(1) as u64
    }

    pub fn blocks(&self) -> u64 {
        self.experiment.states.len() as u64 * self.sizes.len() as u64 * self.replicates
    }

    pub fn rows_per_block(&self) -> u64 {
        self.transformations()
            * self.variants
            * self.experiment.relations.len() as u64
            * self.experiment.graphs.len() as u64
            * u64::from(self.experiment.orders)
            * self.backends.len() as u64
            * u64::from(self.experiment.repetitions)
    }

    pub fn rows(&self) -> u64 {
        self.blocks() * self.rows_per_block()
    }

    pub fn place(&self, row: u64) -> Place {
        let mut rest = row;
        let mut digit = |base: u64| {
            let digit = rest % base;
            rest /= base;
            digit
        };
        let repetition = digit(u64::from(self.experiment.repetitions)) as u32;
        let backend = digit(self.backends.len() as u64) as usize;
        let order = digit(u64::from(self.experiment.orders)) as u32;
        let graph = digit(self.experiment.graphs.len() as u64) as usize;
        let relations = digit(self.experiment.relations.len() as u64) as usize;
        let variant = digit(self.variants);
        let transformation = digit(self.transformations()) as usize;
        let block = rest;
        let (set, size) = self.block(block);
        Place {
            block,
            set,
            size,
            transformation,
            variant,
            relations,
            graph,
            order,
            backend,
            repetition,
        }
    }

    /// Set of parameters and size of a block.
    pub fn block(&self, block: u64) -> (usize, u32) {
        let per_set = self.sizes.len() as u64 * self.replicates;
        let set = (block / per_set) as usize;
        let index = ((block % per_set) / self.replicates) as usize;
        let own = self.experiment.states[set].sizes.as_ref().and_then(|sizes| sizes.get(index));
        (set, own.copied().unwrap_or(self.sizes[index]))
    }

    pub fn relations(&self, place: &Place) -> Relations {
        self.experiment.relations[place.relations]
    }

    pub fn graph(&self, place: &Place) -> Graph {
        self.experiment.graphs[place.graph]
    }

    /// Blocks in the order in which they are handed out.
    pub fn block_order(&self) -> Vec<u64> {
        let mut blocks: Vec<u64> = (0..self.blocks()).collect();
        Draws::new(self.seed, BLOCK_ORDER).shuffle(&mut blocks);
        blocks
    }

    /// The rows of a block in the order in which they run: pair by pair, shuffled within a pair.
    pub fn row_order(&self, block: u64) -> Vec<u64> {
        let first = block * self.rows_per_block();
        let per_pair = self.rows_per_block() / (self.transformations() * self.variants);
        let mut rows: Vec<u64> = (first..first + self.rows_per_block()).collect();
        let mut draws = Draws::new(self.seed, ROW_ORDER | block);
        for pair in rows.chunks_mut(per_pair as usize) {
            draws.shuffle(pair);
        }
        rows
    }

    /// The stream from which the states of a pair are drawn.
    pub fn stream(&self, block: u64, transformation: usize, variant: u64) -> u64 {
        let pairs = self.transformations() * self.variants + 1;
        block * pairs + 1 + transformation as u64 * self.variants + variant
    }

    /// The stream of the base state itself.
    pub fn base_stream(&self, block: u64) -> u64 {
        block * (self.transformations() * self.variants + 1)
    }
}

/// The 64-bit hash of Fowler, Noll and Vo: written into files, so it must never change.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
