//! Pairs met while exploring: the markings that the papers' method compares (ICTAC'08, section 5.2).
//!
//! A net, of the user or one that comes with the program, is explored breadth-first, and every new marking is compared
//! with the stored ones that have as many tokens in each place, until an equivalent one turns up. A
//! block's pairs are drawn from these comparisons; its size is the value of one constant of the net.
//! The answers follow from canonical forms of the exploration, so the rows are checked against them.

use crate::built_in;
use crate::inputs::Inputs;
use anyhow::{Context, bail};
use pidlab_core::{Relation, Relations, State};
use pidlab_explore::heap::{self, HeapModel, HeapOrder, Word};
use pidlab_explore::net::{Named, Net, PairwiseSettings, comparisons, compile};
use pidlab_explore::source::Source;
use pidlab_generators::{Guarantee, Rng};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

/// Comparisons kept for each size, drawn evenly from all that are made.
const KEPT: usize = 256;

/// Which net is explored, and how far.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explored {
    /// The name of a net that comes with the program, without its ending, or a file.
    pub model: String,
    /// The text of that file.
    #[serde(skip)]
    text: Option<String>,
    /// Constants of the net.
    #[serde(default)]
    pub set: BTreeMap<String, i64>,
    /// The constant that the size of a block is.
    pub grows: String,
    /// Classes after which an exploration ends.
    pub states: usize,
    /// Constants of the instances whose reduced graph is drawn.
    #[serde(default)]
    pub draw: Vec<BTreeMap<String, i64>>,
}

/// Two markings that were compared.
#[derive(Clone)]
pub struct ComparedMarkings {
    /// The new one.
    pub q: State,
    /// The stored one.
    pub r: State,
    /// What is known of them.
    pub guarantee: Guarantee,
}

impl Explored {
    /// Problems with it, in words.
    pub fn check(&self) -> Result<(), String> {
        if self.states == 0 {
            return Err("`explored.states` is 0; one class or more must be explored".into());
        }
        let grows = &[(self.grows.as_str(), 1)];
        let compiled = match self.is_heap_program() {
            true => self.heap_program(grows).map(|_| ()),
            false => self.net(grows).map(|_| ()),
        };
        compiled.map_err(|error| format!("{error:#}"))
    }

    fn is_heap_program(&self) -> bool {
        self.model.ends_with(".bir")
    }

    /// Constants, and others on top of them.
    fn constants(&self, more: &[(&str, i64)]) -> BTreeMap<String, i64> {
        let mut constants = self.set.clone();
        constants.extend(more.iter().map(|&(name, value)| (name.to_string(), value)));
        constants
    }

    /// The heap program with its constants, and others on top of them.
    fn heap_program(&self, more: &[(&str, i64)]) -> anyhow::Result<HeapModel> {
        let (name, text) = self.source()?;
        let settings: Vec<(String, i64)> = self.constants(more).into_iter().collect();
        let program = heap::compile(&Source::new(name, text), &settings)?;
        Ok(HeapModel::new(program, HeapOrder::DepthFirst))
    }

    /// The net with its constants, and others on top of them.
    pub fn net(&self, more: &[(&str, i64)]) -> anyhow::Result<Net> {
        let (name, text) = self.source()?;
        let settings: Vec<(String, String)> = self
            .constants(more)
            .into_iter()
            .map(|(name, value)| (name, value.to_string()))
            .collect();
        compile(Source::new(name, text), &settings, &[])
            .map_err(|faulty| anyhow::anyhow!("{faulty}"))
    }

    /// The net's file name and text.
    fn source(&self) -> anyhow::Result<(String, &str)> {
        if let Some(text) = &self.text {
            return Ok((self.model.clone(), text));
        }
        let models = built_in::get().models.iter();
        let is_it =
            |file: &str| file == self.model || file.strip_suffix(".tnet") == Some(&self.model);
        match models.clone().find(|(file, _)| is_it(file)) {
            Some((file, text)) => Ok((file.to_string(), text)),
            None => {
                let ours = models.map(|(file, _)| file.strip_suffix(".tnet").unwrap_or(file));
                let known: Vec<&str> =
                    ours.filter(|name| name.ends_with(".bir") || !name.contains('.')).collect();
                bail!(
                    "there is no model `{}`; name a .tnet or .bir file, or one of {}",
                    self.model,
                    known.join(", ")
                )
            }
        }
    }

    /// Reads the model if it is a file: from what a run folder keeps, else relative to a folder.
    pub(crate) fn open(&mut self, inputs: Option<&Inputs>, base: &Path) -> anyhow::Result<()> {
        let ours = built_in::get().models.iter().any(|(file, _)| *file == self.model);
        let is_file = self.model.contains(['.', '/']) && !ours;
        self.text = match inputs.and_then(|inputs| inputs.models.get(&self.model)) {
            Some(text) => Some(text.clone()),
            None if is_file => {
                let path = base.join(&self.model);
                let text = std::fs::read_to_string(&path);
                Some(text.with_context(|| format!("cannot read {}", path.display()))?)
            }
            None => None,
        };
        Ok(())
    }

    /// Name and text of the model, if it is a file.
    pub fn file(&self) -> Option<(&str, &str)> {
        self.text.as_deref().map(|text| (self.model.as_str(), text))
    }

    /// The comparisons kept for a size; made once in a process.
    pub fn comparisons(
        &self,
        size: u32,
        relations: Relations,
        seed: u64,
    ) -> anyhow::Result<Arc<Vec<ComparedMarkings>>> {
        type Known = Mutex<BTreeMap<String, Arc<Vec<ComparedMarkings>>>>;
        static KNOWN: OnceLock<Known> = OnceLock::new();
        let name = format!("{self:?} {size} {relations} {seed}");
        let known = KNOWN.get_or_init(Known::default);
        let lock = || known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(met) = lock().get(&name) {
            return Ok(met.clone());
        }
        let met = Arc::new(self.explore(size, relations, seed)?);
        lock().insert(name, met.clone());
        Ok(met)
    }

    fn explore(
        &self,
        size: u32,
        relations: Relations,
        seed: u64,
    ) -> anyhow::Result<Vec<ComparedMarkings>> {
        if self.is_heap_program() {
            return self.explore_heap(size, seed);
        }
        let net = self.net(&[(&self.grows, i64::from(size))])?;
        let max_states = Some(self.states);
        let settings = PairwiseSettings {
            relations,
            graph: Default::default(),
            filter: true,
            max_states,
            time: None,
        };
        let mut kept = Reservoir::new(seed, size);
        comparisons(&net, &settings, |q, r, equivalent| {
            kept.offer(|| (q.clone(), r.clone(), equivalent));
        })
        .with_context(|| format!("{} with {} = {size}", self.model, self.grows))?;
        kept.items.iter().map(|met| met_of(&net, relations, met)).collect()
    }

    /// The states of a heap program; its threads and objects are roots, so that no relation holds between them that
    /// counts.
    fn explore_heap(&self, size: u32, seed: u64) -> anyhow::Result<Vec<ComparedMarkings>> {
        let model = self.heap_program(&[(&self.grows, i64::from(size))])?;
        let mut kept = Reservoir::new(seed, size);
        heap::pairwise::comparisons(&model, self.states, |q, r, equivalent| {
            kept.offer(|| (q.to_vec(), r.to_vec(), equivalent));
        })
        .with_context(|| format!("{} with {} = {size}", self.model, self.grows))?;
        let state = |words: &[Word]| heap::pairwise::to_state(&model.layout, words);
        let blind = Relations::NONE.with(Relation::Parent).with(Relation::Ancestor);
        let compared = |(q, r, equivalent): &(Vec<Word>, Vec<Word>, bool)| {
            let guarantee = match equivalent {
                true => Guarantee { equivalent: Some(blind), different: Vec::new() },
                false => Guarantee::different(),
            };
            Ok(ComparedMarkings { q: state(q)?, r: state(r)?, guarantee })
        };
        kept.items.iter().map(compared).collect()
    }
}

/// Keeps some of what comes by, each with the same chance.
struct Reservoir<T> {
    rng: Rng,
    number: usize,
    items: Vec<T>,
}

impl<T> Reservoir<T> {
    fn new(seed: u64, size: u32) -> Reservoir<T> {
        Reservoir { rng: Rng::new(seed, u64::from(size)), number: 0, items: Vec::new() }
    }

    fn offer(&mut self, item: impl FnOnce() -> T) {
        self.number += 1;
        match self.rng.index(self.number) {
            _ if self.items.len() < KEPT => self.items.push(item()),
            at if at < KEPT => self.items[at] = item(),
            _ => {}
        }
    }
}

fn met_of(
    net: &Net,
    relations: Relations,
    met: &(Named, Named, bool),
) -> anyhow::Result<ComparedMarkings> {
    let (q, r) = (met.0.to_state(net)?, met.1.to_state(net)?);
    let guarantee = match met.2 {
        true => Guarantee { equivalent: Some(relations), different: Vec::new() },
        false => Guarantee { equivalent: None, different: vec![relations] },
    };
    Ok(ComparedMarkings { q, r, guarantee })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_backends::{Budget, Problem, Verdict, registry};
    use pidlab_generators::Expected;

    fn nkm() -> Explored {
        let set = BTreeMap::from([("m".to_string(), 2)]);
        Explored {
            model: "nkm".into(),
            text: None,
            set,
            grows: "k".into(),
            states: 60,
            draw: Vec::new(),
        }
    }

    #[test]
    fn comparisons_are_the_same_every_time_and_of_both_kinds() {
        let relations = Relations::default();
        let one = nkm().explore(3, relations, 7).unwrap();
        let two = nkm().explore(3, relations, 7).unwrap();
        assert!(
            one.iter()
                .zip(&two)
                .all(|(a, b)| format!("{:?}{:?}", a.q, a.r) == format!("{:?}{:?}", b.q, b.r))
        );
        let equivalent =
            |m: &&ComparedMarkings| m.guarantee.expected(relations) == Expected::Equivalent;
        let count = one.iter().filter(equivalent).count();
        assert!(0 < count && count < one.len());
    }

    /// What an exploration says of a pair holds for every set of relations that it speaks of.
    #[test]
    fn guarantees_hold_for_all_relations() {
        let canon = registry::find("canon").unwrap();
        for explored_with in [Relations::default(), Relations::ALL] {
            let mut known = 0;
            for ComparedMarkings { q, r, guarantee } in nkm().explore(2, explored_with, 7).unwrap()
            {
                for relations in Relations::subsets() {
                    let expected = guarantee.expected(relations);
                    let problem = Problem { q: &q, r: &r, relations, graph: Default::default() };
                    let found = match canon.decide(problem, &Budget::unlimited()).verdict {
                        Verdict::Equivalent(_) => Expected::Equivalent,
                        _ => Expected::NotEquivalent,
                    };
                    assert!(expected == Expected::Unknown || expected == found, "{relations}");
                    known += u32::from(expected == found);
                }
            }
            assert!(known > 100, "{known}");
        }
    }

    #[test]
    fn states_of_a_heap_program_are_compared_too() {
        let text = include_str!("../../../models/philosophers.bir");
        let philosophers = Explored {
            model: "mine.bir".into(),
            text: Some(text.into()),
            set: BTreeMap::new(),
            grows: "N".into(),
            ..nkm()
        };
        philosophers.check().unwrap();
        let met = philosophers.explore(4, Relations::default(), 7).unwrap();
        let equivalent = |m: &&ComparedMarkings| m.guarantee.equivalent.is_some();
        let count = met.iter().filter(equivalent).count();
        assert!(0 < count && count < met.len(), "{count} of {}", met.len());
    }

    #[test]
    fn a_wrong_model_or_constant_is_named() {
        let wrong = Explored { model: "mkn".into(), ..nkm() };
        assert!(wrong.check().unwrap_err().contains("mkn"));
        let wrong = Explored { grows: "j".into(), ..nkm() };
        assert!(wrong.check().unwrap_err().contains('j'));
    }
}
