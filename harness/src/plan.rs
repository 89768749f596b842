//! The grid of an experiment: which row is what, and in which order rows are run.
//!
//! A row's number is its place in the grid block × transformation × variant × relations × graph × order
//! × backend × repetition, so any row can be made again from its number alone. A *block* is one base
//! state, model or instance with everything asked about it; blocks are what workers are given. Blocks run in
//! a seeded random order and backends take turns in a seeded random order within each pair, so that neither
//! size nor backend is confounded with the time of day.

use crate::experiment::bounds::{MOST_ROWS, once};
use crate::experiment::states::Pairing;
use crate::experiment::{Experiment, GraphName, QuestionKind, ScaleName};
use crate::inputs::Inputs;
use crate::remedy::Remedy;
use crate::shard::Shard;
use pidlab_core::Relations;
use pidlab_random::Rng;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Streams of the seed, apart from those that draw states.
const BLOCK_ORDER: u64 = 1 << 62;
const ROW_ORDER: u64 = 1 << 63;

/// An experiment laid out as a grid of rows.
pub struct Plan {
    /// What is asked.
    pub experiment: Experiment,
    /// How much of it.
    pub scale: ScaleName,
    /// Of all states and orders.
    pub seed: u64,
    /// Who answers: backends, configurations of the explorer, or algorithms; those that only an entry names last.
    pub backends: Vec<String>,
    /// The part of the rows that is measured, if not all.
    pub shard: Option<Shard>,
    /// Those that entries without a list of their own ask.
    listed: usize,
    sets: Vec<Set>,
    variants: u64,
    digest: u64,
}

/// The blocks of one entry of the file.
struct Set {
    /// Place of the entry in the file.
    entry: usize,
    first_block: u64,
    first_row: u64,
    sizes: Vec<u32>,
    replicates: u64,
    /// Numbers of the backends that are asked.
    backends: Vec<usize>,
    files: Vec<PathBuf>,
    transformations: u64,
    variants: u64,
}

impl Set {
    fn blocks(&self) -> u64 {
        self.sizes.len() as u64 * self.replicates
    }
}

/// What one row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Number of the base state, model or instance.
    pub block: u64,
    /// Entry of the file.
    pub set: usize,
    /// Size asked for.
    pub size: u32,
    /// Number of the transformation.
    pub transformation: usize,
    /// Number of the variant of the base state.
    pub variant: u64,
    /// Number of the set of relations.
    pub relations: usize,
    /// Number of the kind of graph.
    pub graph: usize,
    /// Order of the vectors; 0 is as generated.
    pub order: u32,
    /// Number of who answers.
    pub backend: usize,
    /// Number of the repetition.
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
    /// Lays out an experiment; the file's text is part of its digest.
    pub fn new(
        mut experiment: Experiment,
        text: &str,
        scale: ScaleName,
        seed: Option<u64>,
    ) -> anyhow::Result<Plan> {
        let backends = experiment.backends_at(scale);
        let seed = seed.unwrap_or(experiment.seed);
        if experiment.inputs.is_none() {
            let inputs = Inputs::collect(&experiment.states, &experiment.base)?;
            experiment.inputs = inputs.map(Arc::new);
        }
        let variants = u64::from(experiment.scale(scale).variants);
        let plan = Plan {
            scale,
            seed,
            backends,
            shard: None,
            listed: 0,
            sets: Vec::new(),
            variants,
            digest: 0,
            experiment,
        };
        plan.laid_out(text)
    }

    /// The same grid with other backends than the file's.
    pub fn with_backends(mut self, backends: Vec<String>, text: &str) -> anyhow::Result<Plan> {
        once("backends", &backends).map_err(anyhow::Error::msg)?;
        self.backends = backends;
        self.laid_out(text)
    }

    /// The same grid, of which only a part is measured.
    pub fn with_shard(mut self, shard: Shard) -> anyhow::Result<Plan> {
        let blocks = self.blocks();
        if u64::from(shard.of()) > blocks {
            return Err(Remedy::Shards.refuse(format!(
                "there is nothing to do for some of {} shards: the run has {blocks} {}, and what is asked about one of them stays together",
                shard.of(),
                self.experiment.kind().subjects()
            )));
        }
        self.shard = Some(shard);
        Ok(self)
    }

    /// The backends that the experiment or the user listed.
    pub fn listed(&self) -> &[String] {
        &self.backends[..self.listed]
    }

    /// Names the plan: rows of different plans never mix.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    fn laid_out(mut self, text: &str) -> anyhow::Result<Plan> {
        self.sets.clear();
        self.listed = self.backends.len();
        let (mut first_block, mut first_row) = (0, 0);
        for entry in self.experiment.entries_at(self.scale) {
            let mut set = self.set(entry)?;
            (set.first_block, set.first_row) = (first_block, first_row);
            first_block += set.blocks();
            first_row += set.blocks() * self.rows_per_block(&set);
            self.sets.push(set);
        }
        anyhow::ensure!(
            first_row <= MOST_ROWS,
            "there are {first_row} rows, more than the {MOST_ROWS} that a run can hold; ask about fewer states"
        );
        self.digest = self.compute_digest(text);
        Ok(self)
    }

    fn set(&mut self, entry: usize) -> anyhow::Result<Set> {
        let scale = self.experiment.scale(self.scale);
        let replicates = u64::from(scale.states);
        let everyone = || (0..self.listed).collect();
        let mut set = Set {
            entry,
            first_block: 0,
            first_row: 0,
            sizes: vec![1],
            replicates: 1,
            backends: everyone(),
            files: Vec::new(),
            transformations: self.transformations(),
            variants: self.variants,
        };
        let listed = self.experiment.inputs.as_ref().and_then(|inputs| inputs.set(entry));
        match self.experiment.kind() {
            QuestionKind::Pairs if listed.is_some() => {
                let items = listed.map_or(&[][..], |listed| &listed.items);
                set.sizes = items.iter().map(|item| item.size.max(1)).collect();
                let states = &self.experiment.states[entry];
                if states.brings_pairs() {
                    set.variants = 1;
                }
                if states.brings_pairs() || self.is_shuffled(entry) {
                    set.transformations = 1;
                }
            }
            QuestionKind::Pairs => {
                let own = self.experiment.states[entry].sizes.as_deref().unwrap_or_default();
                let sizes = scale.sizes.values();
                set.sizes = match sizes.is_empty() {
                    true => own.to_vec(),
                    // a scale takes as many as it has sizes
                    false => {
                        (0..).zip(sizes).map(|(i, size)| *own.get(i).unwrap_or(&size)).collect()
                    }
                };
                set.replicates = replicates;
            }
            QuestionKind::Models => set.sizes = vec![self.experiment.models[entry].size],
            QuestionKind::Instances => {
                let instances = &self.experiment.instances[entry];
                set.files = instances.files()?;
                match instances.random_machines {
                    true => set.replicates = replicates,
                    false => set.sizes = (1..=set.files.len() as u32).collect(),
                }
                let mut own = instances.backends.clone().unwrap_or_default();
                let chosen = self.listed() != self.experiment.backends_at(self.scale);
                own.retain(|name| !chosen || self.listed().contains(name));
                if !own.is_empty() {
                    set.backends = own.into_iter().map(|name| self.number_of(name)).collect();
                }
            }
        }
        Ok(set)
    }

    /// The number of a backend; one that only an entry names is added.
    fn number_of(&mut self, name: String) -> usize {
        let known = self.backends.iter().position(|backend| *backend == name);
        known.unwrap_or_else(|| {
            self.backends.push(name);
            self.backends.len() - 1
        })
    }

    fn compute_digest(&self, text: &str) -> u64 {
        let (backends, text) = (self.backends.join(","), Experiment::measured_part(text));
        let mut key = format!("{}\n{}\n{backends}\n{text}", self.scale.name(), self.seed);
        for file in self.sets.iter().flat_map(|set| &set.files) {
            key.push_str(&format!("\n{}", file.display()));
        }
        if let Some(inputs) = &self.experiment.inputs {
            key.push_str(&format!("\n{:016x}", inputs.digest()));
        }
        fnv(key.as_bytes())
    }

    /// Transformations of a set of states; a hard family brings its own pairs.
    fn transformations(&self) -> u64 {
        self.experiment.transformations.len().max(1) as u64
    }

    /// Number of base states, models or instances.
    pub fn blocks(&self) -> u64 {
        self.sets.last().map_or(0, |set| set.first_block + set.blocks())
    }

    /// Rows about one pair of states, or about one model or instance.
    fn rows_per_pair(&self, set: &Set) -> u64 {
        self.experiment.relations.len() as u64
            * self.experiment.graphs.len() as u64
            * u64::from(self.experiment.orders)
            * set.backends.len() as u64
            * u64::from(self.experiment.repetitions)
    }

    fn rows_per_block(&self, set: &Set) -> u64 {
        set.transformations * set.variants * self.rows_per_pair(set)
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.sets.last().map_or(0, |set| set.first_row + set.blocks() * self.rows_per_block(set))
    }

    /// Whether a block is measured here.
    pub fn is_here(&self, block: u64) -> bool {
        self.shard.is_none_or(|shard| shard.has(block))
    }

    /// Number of rows that are measured here.
    pub fn rows_here(&self) -> u64 {
        let here = (0..self.blocks()).filter(|&block| self.is_here(block));
        here.map(|block| self.rows_of(block)).map(|rows| rows.end - rows.start).sum()
    }

    /// The rows of a block.
    pub fn rows_of(&self, block: u64) -> Range<u64> {
        let set = self.set_of(block);
        let each = self.rows_per_block(set);
        let first = set.first_row + (block - set.first_block) * each;
        first..first + each
    }

    fn set_of(&self, block: u64) -> &Set {
        &self.sets[self.sets.partition_point(|set| set.first_block <= block).saturating_sub(1)]
    }

    /// What a row is.
    pub fn place(&self, row: u64) -> Place {
        let at = self.sets.partition_point(|set| set.first_row <= row).saturating_sub(1);
        let set = &self.sets[at];
        let mut rest = row - set.first_row;
        let mut digit = |base: u64| {
            let digit = rest % base;
            rest /= base;
            digit
        };
        let repetition = digit(u64::from(self.experiment.repetitions)) as u32;
        let backend = set.backends[digit(set.backends.len() as u64) as usize];
        let order = digit(u64::from(self.experiment.orders)) as u32;
        let graph = digit(self.experiment.graphs.len() as u64) as usize;
        let relations = digit(self.experiment.relations.len() as u64) as usize;
        let variant = digit(set.variants);
        let transformation = match set.transformations == self.transformations() {
            true => digit(set.transformations) as usize,
            // no transformation of the experiment, as nothing is transformed
            false => self.experiment.transformations.len(),
        };
        let block = set.first_block + rest;
        let size = self.block(block).1;
        Place {
            block,
            set: set.entry,
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

    /// Entry of the file and size of a block.
    pub fn block(&self, block: u64) -> (usize, u32) {
        let set = self.set_of(block);
        let index = (block - set.first_block) / set.replicates.max(1);
        (set.entry, set.sizes[index as usize])
    }

    /// The file of an instance; none where it is drawn at random.
    pub fn file_of(&self, block: u64) -> Option<&PathBuf> {
        let set = self.set_of(block);
        set.files.get((block - set.first_block) as usize)
    }

    /// What rows call the instance of a block.
    pub fn instance_name(&self, block: u64) -> String {
        let set = self.set_of(block);
        match (self.experiment.instances.get(set.entry), self.file_of(block)) {
            (Some(instances), Some(file)) => instances.name_of(file),
            _ => format!("machine {}", block - set.first_block),
        }
    }

    /// Whether the states of an entry are compared with themselves under other names.
    pub fn is_shuffled(&self, entry: usize) -> bool {
        let set = &self.experiment.states[entry];
        match set.pairing {
            Some(pairing) => pairing == Pairing::Shuffled,
            None => self.experiment.transformations.is_empty() && !set.brings_pairs(),
        }
    }

    /// Place in the list of its entry of the input of a block.
    pub fn item_of(&self, block: u64) -> usize {
        (block - self.set_of(block).first_block) as usize
    }

    /// What rows call the input of a block, where it is a file or a line of one.
    pub fn input_name(&self, block: u64) -> Option<&str> {
        let set = self.experiment.inputs.as_ref()?.set(self.set_of(block).entry)?;
        set.items.get(self.item_of(block)).map(|item| item.name.as_str())
    }

    /// What rows call the transformation of a place.
    pub fn transformation(&self, place: &Place) -> &str {
        let listed = self.experiment.states.get(place.set).filter(|set| set.is_listed());
        match (self.experiment.transformations.get(place.transformation), listed) {
            (Some(transformation), None) => &transformation.label,
            (_, Some(set)) if set.brings_pairs() => "given",
            (_, Some(_)) if self.is_shuffled(place.set) => "shuffled",
            (Some(transformation), _) => &transformation.label,
            (None, _) => "none",
        }
    }

    /// The relations of a row.
    pub fn relations(&self, place: &Place) -> Relations {
        self.experiment.relations[place.relations]
    }

    /// The kind of graph of a row.
    pub fn graph(&self, place: &Place) -> GraphName {
        self.experiment.graphs[place.graph]
    }

    /// Blocks that are measured here, in the order in which they are handed out.
    pub fn block_order(&self) -> Vec<u64> {
        let mut blocks: Vec<u64> = (0..self.blocks()).collect();
        Rng::for_analysis(self.seed, BLOCK_ORDER).shuffle(&mut blocks);
        blocks.retain(|&block| self.is_here(block));
        blocks
    }

    /// The rows of a block in the order in which they run: pair by pair, shuffled within a pair.
    pub fn row_order(&self, block: u64) -> Vec<u64> {
        let per_pair = self.rows_per_pair(self.set_of(block));
        let mut rows: Vec<u64> = self.rows_of(block).collect();
        let mut draws = Rng::for_analysis(self.seed, ROW_ORDER | block);
        for pair in rows.chunks_mut(per_pair as usize) {
            draws.shuffle(pair);
        }
        rows
    }

    /// The stream from which the states of a pair are drawn.
    pub fn stream(&self, block: u64, transformation: usize, variant: u64) -> u64 {
        let pairs = self.transformations() * self.variants + 1;
        let transformation = (transformation as u64).min(self.transformations() - 1);
        block * pairs + 1 + transformation * self.variants + variant
    }

    /// The stream of the base state itself.
    pub fn base_stream(&self, block: u64) -> u64 {
        block * (self.transformations() * self.variants + 1)
    }
}

/// The 64-bit hash of Fowler, Noll and Vo: written into files, so it must never change.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
