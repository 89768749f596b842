//! Pairs of program states as states of Definition 1: what a search without canonical forms would compare.
//!
//! A thread or object is a root pid that is not active, and every word of a state, value or reference, is a vector: the
//! shape graph ([`ShapeGraph`]) written out. Two program states are equal up to the order of threads and the places of
//! objects iff these states are equivalent with Ω* empty. The search goes breadth-first and compares each new state with
//! the stored ones that have as many threads at each program counter and as many objects, until an equivalent one turns
//! up; answers come from exact canonical forms. Violations end a path and are not compared. Cost: comparisons that grow with the square of the number of classes.

use super::machine::layout::{HEAD, Layout, Word, is_violation};
use super::model::HeapModel;
use super::symmetry::exact::Exact;
use super::symmetry::shape::ShapeGraph;
use crate::search::{Failure, Model, Successors};
use pidlab_backends::canon::Contents;
use pidlab_core::datum::Datum;
use pidlab_core::state::{BuildError, NewComponent, State, StateBuilder};

/// A state that was kept.
struct Stored {
    words: Vec<Word>,
    key: Vec<Word>,
    counts: Vec<Word>,
}

/// The comparisons of a search that ends after so many classes: both states and whether they are equivalent.
pub fn comparisons(
    model: &HeapModel,
    max_states: usize,
    mut see: impl FnMut(&[Word], &[Word], bool),
) -> Result<(), Failure> {
    let mut exact = Exact::default();
    let mut worker = model.worker();
    let mut prepare = |words: &[Word]| -> Result<Stored, Failure> {
        let mut key = Vec::new();
        exact.canonical(&model.layout, words, &mut key)?;
        Ok(Stored { words: words.to_vec(), key, counts: counts(&model.layout, words) })
    };
    let mut stored = vec![prepare(&model.initial_words())?];
    let mut successors = Successors::new();
    let mut next = 0;
    while next < stored.len() && stored.len() < max_states {
        successors.clear();
        let words = std::mem::take(&mut stored[next].words);
        model.successors(&mut worker, &words, &mut successors)?;
        stored[next].words = words;
        for at in (0..successors.len()).filter(|&at| !is_violation(successors.state(at))) {
            let new = prepare(successors.state(at))?;
            let alike = stored.iter().filter(|old| old.counts == new.counts);
            let known = alike.into_iter().any(|old| {
                let equivalent = old.key == new.key;
                see(&new.words, &old.words, equivalent);
                equivalent
            });
            if !known {
                stored.push(new);
            }
        }
        next += 1;
    }
    Ok(())
}

/// Program counters of all threads, sorted, and the number of objects.
fn counts(layout: &Layout, words: &[Word]) -> Vec<Word> {
    let mut counts: Vec<Word> = layout.threads(words).map(|at| words[at]).collect();
    counts.sort_unstable();
    counts.push(layout.objects(words).count() as Word);
    counts
}

/// The state of Definition 1 that a program state is.
pub fn to_state(layout: &Layout, words: &[Word]) -> Result<State, BuildError> {
    let mut shape = ShapeGraph::default();
    let elements = shape.number(layout, words) as u64;
    let mut builder = StateBuilder::new();
    let pids = (1..=elements).map(|name| builder.pid(&[name])).collect();
    let globals = builder.location("globals");
    let value = |&at: &usize| !layout.global_references.contains(&(at as u32));
    let values: Vec<usize> = (HEAD..HEAD + layout.globals).filter(value).collect();
    builder.vector(globals, values.iter().map(|&at| number(words[at].into())));
    let mut out = Vectors { builder, pids };
    shape.describe(layout, words, &mut out);
    out.builder.finish()
}

fn number(word: u64) -> NewComponent {
    NewComponent::Data(Datum::Int(word.into()))
}

/// Tuples become vectors.
struct Vectors {
    builder: StateBuilder,
    pids: Vec<NewComponent>,
}

impl Contents for Vectors {
    fn tuple(&mut self, words: &[u64], members: &[u32]) {
        let location = self.builder.location("shape");
        let words = words.iter().map(|&word| number(word));
        let members = members.iter().map(|&element| self.pids[element as usize].clone());
        self.builder.vector(location, words.chain(members));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::{HeapOrder, compile};
    use crate::source::Source;
    use pidlab_backends::{Budget, Problem, Verdict, registry};
    use pidlab_core::Relations;

    /// What canonical forms say is what a backend says of the states.
    #[test]
    fn answers_are_those_of_the_states() {
        let canon = registry::find("canon").unwrap();
        let programs = [
            (include_str!("../../../models/philosophers.bir"), [("N", 4)].as_slice()),
            (include_str!("../../../models/ordered-list.bir"), &[("N", 2), ("MAX", 2)]),
        ];
        for (text, settings) in programs {
            let settings: Vec<(String, i64)> =
                settings.iter().map(|&(name, value)| (name.to_string(), value)).collect();
            let program = compile(&Source::new("a.bir", text), &settings).unwrap();
            let model = HeapModel::new(program, HeapOrder::DepthFirst);
            let mut found = [0; 2];
            let see = |q: &[Word], r: &[Word], equivalent: bool| {
                let (q, r) =
                    (to_state(&model.layout, q).unwrap(), to_state(&model.layout, r).unwrap());
                assert!(q.is_consistent() && r.is_consistent());
                let relations = Relations::NONE;
                let problem = Problem { q: &q, r: &r, relations, graph: Default::default() };
                let verdict = canon.decide(problem, &Budget::unlimited()).verdict;
                assert_eq!(matches!(verdict, Verdict::Equivalent(_)), equivalent);
                found[usize::from(equivalent)] += 1;
            };
            comparisons(&model, 60, see).unwrap();
            assert!(found.iter().all(|&count| count > 10), "{found:?}");
        }
    }
}
