//! Tuples of elements with their contents written out, and the canonical order they give without hashing.
//!
//! Where rounds of hashing leave elements with equal colours, a search decides their order, and a
//! collision of labels or sums would make it search among maps that are not automorphisms: two equivalent
//! states could get different forms. So the search works on contents. Elements that hashing decided are
//! named by their colours, which no other element has. A tuple with one open member adds to its colour, one with
//! two is an edge between them, and one with more becomes one vertex for each open place, in a row, coloured
//! by content and place. Contents are numbered by sorting, and edges weigh what [`joined`](crate::solver::joined) gives
//! them, so nothing here can collide. Tried instead: vertices for tuples of two, too, with which cells
//! whose members are all joined alike were searched (complete graphs of n vertices took n³). Cost: O(t log t)
//! for t tuples with open members, and the solver on a graph of their size.

use crate::budget::{Budget, Exhausted};
use crate::hash::mix;
use crate::solver::graph::{WeightedArc, WeightedGraph};
use crate::solver::{self, joined};
use pidlab_core::Structure;

/// What takes tuples of elements with their contents: words are equal iff contents are.
pub trait Contents {
    /// One tuple: words that say what it is, and its members in order.
    fn tuple(&mut self, words: &[u64], members: &[u32]);
}

/// Contents become hashes.
impl Contents for Structure {
    #[inline]
    fn tuple(&mut self, words: &[u64], members: &[u32]) {
        let label = words.iter().copied().reduce(mix).unwrap_or(0);
        Structure::tuple(self, label, members);
    }
}

impl Contents for Listing {
    #[inline]
    fn tuple(&mut self, words: &[u64], members: &[u32]) {
        self.words.extend_from_slice(words);
        self.members.extend_from_slice(members);
        self.ends.push((self.words.len(), self.members.len()));
    }
}

/// Tuples with their contents; memory is reused.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    words: Vec<u64>,
    members: Vec<u32>,
    /// Where the words and the members of each tuple end.
    ends: Vec<(usize, usize)>,
}

impl Listing {
    /// Removes everything; memory is kept.
    pub fn clear(&mut self) {
        self.words.clear();
        self.members.clear();
        self.ends.clear();
    }

    fn tuples(&self) -> impl Iterator<Item = (&[u64], &[u32])> {
        let mut start = (0, 0);
        self.ends.iter().map(move |&end| {
            let (words, members) = std::mem::replace(&mut start, end);
            (&self.words[words..end.0], &self.members[members..end.1])
        })
    }

    /// For each element left open its rank among those of its colour; 0 for the others. Colours must be
    /// invariants, and those of decided elements must occur once.
    pub(super) fn rank(
        &self,
        open: &[bool],
        color: impl Fn(u32) -> u64,
        budget: &Budget,
    ) -> Result<Vec<u32>, Exhausted> {
        let graph = self.graph(open, color);
        let elements: Vec<u32> = (0..open.len() as u32).filter(|&x| open[x as usize]).collect();
        let mut rank = vec![0; open.len()];
        let order = solver::canonical_order(&graph, budget)?;
        let ordered = order.iter().filter_map(|&vertex| elements.get(vertex as usize));
        for (&element, next) in ordered.zip(0..) {
            rank[element as usize] = next;
        }
        Ok(rank)
    }

    /// The open elements and the places they have in tuples.
    fn graph(&self, open: &[bool], color: impl Fn(u32) -> u64) -> WeightedGraph {
        let mut vertex = vec![0; open.len()];
        let mut elements = 0;
        for (element, vertex) in vertex.iter_mut().enumerate() {
            *vertex = elements;
            elements += u32::from(open[element]);
        }
        let mut contents = Keys::default();
        let mut places: Vec<u32> = Vec::new();
        let mut ends = Vec::new();
        for (words, members) in self.tuples() {
            if members.iter().any(|&x| open[x as usize]) {
                contents.push_tuple(words, members, open, &color);
                let open = members.iter().filter(|&&x| open[x as usize]);
                places.extend(open.map(|&x| vertex[x as usize]));
                ends.push(places.len());
            }
        }
        let contents = contents.ranks();
        let mut start = 0;
        let tuples = contents.iter().zip(&ends).map(|(&content, &end)| {
            let begin = std::mem::replace(&mut start, end);
            (content, &places[begin..end])
        });
        let open_colors = (0..open.len() as u32).filter(|&x| open[x as usize]).map(color);
        join(open_colors.collect(), tuples.collect())
    }
}

/// The graph of coloured elements and tuples of them.
fn join(colors: Vec<u64>, tuples: Vec<(u32, &[u32])>) -> WeightedGraph {
    let mut colors = with_own_tuples(colors, &tuples);
    let elements = colors.len() as u64;
    let widest = tuples.iter().map(|(_, places)| places.len() as u64).max().unwrap_or(0);
    let mut arcs: Vec<WeightedArc> = Vec::new();
    for (content, places) in tuples {
        match *places {
            [x, y] if x != y => {
                let there = 2 * u64::from(content) + 1;
                arcs.extend([(x, y, there), (y, x, there + 1)]);
            }
            [_] | [_, _] => {}
            _ => {
                let first = colors.len() as u32;
                for (vertex, (&element, place)) in (first..).zip(places.iter().zip(0..)) {
                    colors.push(elements + u64::from(content) * widest + place);
                    let before = (place > 0).then(|| vertex - 1);
                    for near in [element].into_iter().chain(before) {
                        arcs.extend([(vertex, near, ROW), (near, vertex, ROW)]);
                    }
                }
            }
        }
    }
    joined::join(colors, arcs.iter().copied()).1
}

/// What joins the vertices of a long tuple to each other and to its members; no content of an edge.
const ROW: u64 = 0;

/// The colours with the tuples of one element alone: ⟨x⟩, and ⟨x, x⟩, whose content is another one.
fn with_own_tuples(colors: Vec<u64>, tuples: &[(u32, &[u32])]) -> Vec<u64> {
    let mut own: Vec<(u32, u32)> = Vec::new();
    own.extend(tuples.iter().filter_map(|&(content, places)| match *places {
        [x] => Some((x, content)),
        [x, y] if x == y => Some((x, content)),
        _ => None,
    }));
    own.sort_unstable();
    let mut keys = Keys::default();
    let mut rest = &own[..];
    for (element, &color) in (0..).zip(&colors) {
        let (of_element, others) = rest.split_at(rest.partition_point(|&(x, _)| x <= element));
        rest = others;
        keys.push([color].into_iter().chain(of_element.iter().map(|&(_, content)| content.into())));
    }
    keys.ranks().into_iter().map(u64::from).collect()
}

/// Sequences of words to be numbered in ascending order.
#[derive(Default)]
struct Keys {
    words: Vec<u64>,
    ends: Vec<usize>,
}

const OPEN: u64 = 0;
const DECIDED: u64 = 1;

impl Keys {
    fn push(&mut self, words: impl IntoIterator<Item = u64>) {
        self.words.extend(words);
        self.ends.push(self.words.len());
    }

    /// The content of a tuple, decided members included.
    fn push_tuple(
        &mut self,
        words: &[u64],
        members: &[u32],
        open: &[bool],
        color: impl Fn(u32) -> u64,
    ) {
        self.words.push(words.len() as u64);
        self.words.extend_from_slice(words);
        for &x in members {
            match open[x as usize] {
                true => self.words.push(OPEN),
                false => self.words.extend([DECIDED, color(x)]),
            }
        }
        self.ends.push(self.words.len());
    }

    fn get(&self, key: u32) -> &[u64] {
        let start = key.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.words[start..self.ends[key as usize]]
    }

    /// For each key the number of different keys that are less.
    fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.ends.len() as u32).collect();
        order.sort_unstable_by_key(|&key| self.get(key));
        let mut rank = vec![0; order.len()];
        for pair in order.windows(2) {
            let differ = self.get(pair[0]) != self.get(pair[1]);
            rank[pair[1] as usize] = rank[pair[0] as usize] + u32::from(differ);
        }
        rank
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is joined alike everywhere leaves the solver nothing to search.
    #[test]
    fn edges_are_edges_of_the_solver() {
        let n = 50;
        let mut complete = Listing::default();
        for x in 0..n {
            (0..n).filter(|&y| y != x).for_each(|y| complete.tuple(&[7], &[x, y]));
        }
        let graph = complete.graph(&[true; 50], |_| 0);
        assert_eq!((graph.len(), graph.arc_count()), (50, 50 * 49));
        assert!(graph.weights.iter().all(|&weight| weight == 1) && graph.sums_are_exact);
    }
}
