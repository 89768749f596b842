//! Confirms on the states themselves that a bijection of pids is an equivalence.
//!
//! This is what makes hashing exact: no "equivalent" rests on a hash alone. Links of the forest are
//! functions, so each is compared pid by pid; vectors are compared as multisets by a join, of packed
//! words unless they are too long for that. O(size of the states).

use super::join::{Join, JoinRows};
use super::packed::{PackedJoin, PackedWord};
use super::sides::both;
use pidlab_core::forest::{NONE, PidId};
use pidlab_core::structure::NextPids;
use pidlab_core::vectors::{ByWidth, stretches};
use pidlab_core::{Component, Relation, Relations, State, Structure};
use rustc_hash::FxHashMap;

/// Memory of confirmations, reused.
#[derive(Clone, Debug, Default)]
pub struct Confirmer {
    rows_of_q: JoinRows,
    rows_of_r: JoinRows,
    join: Join,
    narrow: PackedJoin<u64>,
    wide: PackedJoin<u128>,
    sent: Vec<u32>,
    by_width: [ByWidth; 2],
    hit: Vec<bool>,
}

impl Confirmer {
    /// Whether `image`, a map from the pids of q to those of r, satisfies Definition 1; on two threads
    /// if `parallel`.
    pub fn confirm(
        &mut self,
        q: &State,
        r: &State,
        relations: Relations,
        image: &[PidId],
        parallel: bool,
    ) -> bool {
        if !self.is_bijection(image, r.pid_count()) {
            return false;
        }
        let (vectors, links) = both(
            parallel,
            || self.same_vectors(q, r, image, parallel),
            || same_activity(q, r, image) && same_links(q, r, relations, image),
        );
        vectors && links
    }

    fn is_bijection(&mut self, image: &[PidId], n: usize) -> bool {
        self.hit.clear();
        self.hit.resize(n, false);
        image.len() == n
            && image
                .iter()
                .all(|&y| (y as usize) < n && !std::mem::replace(&mut self.hit[y as usize], true))
    }

    /// Vectors of q, pids replaced, against vectors of r.
    fn same_vectors(&mut self, q: &State, r: &State, image: &[PidId], parallel: bool) -> bool {
        if q.vector_count() != r.vector_count()
            || q.components().len() != r.components().len()
            || q.locations() != r.locations()
            || !self.map_components(q, r, image)
        {
            return false;
        }
        let pids = image.len() as u32;
        let code = |component: Component| {
            let (is_data, number) = component.split();
            number + is_data as u32 * pids
        };
        let sent = |component| self.sent[code(component) as usize];
        let bits = u32::BITS - (self.sent.len() as u32).leading_zeros();
        let location_bits = u32::BITS - (q.locations().len() as u32).leading_zeros();
        let layout = Layout { location_bits, bits };
        let [of_q, of_r] = &mut self.by_width;
        let count = q.vector_count();
        let needed = layout.needed(q.max_width().max(r.max_width()));
        if needed <= u64::BITS {
            return self.narrow.equal(
                parallel,
                |rows| layout.pack(q, sent, of_q, rows),
                |rows| layout.pack(r, code, of_r, rows),
            );
        }
        if needed <= u128::BITS {
            return self.wide.equal(
                parallel,
                |rows| layout.pack(q, sent, of_q, rows),
                |rows| layout.pack(r, code, of_r, rows),
            );
        }
        self.rows_of_q.fill(count, |vector, words| {
            words.push(q.location_of(vector));
            words.extend(q.vector(vector).iter().map(|&component| sent(component)));
        });
        self.rows_of_r.fill(count, |vector, words| {
            words.push(r.location_of(vector));
            words.extend(r.vector(vector).iter().map(|&component| code(component)));
        });
        self.join.equal(&self.rows_of_q, &mut self.rows_of_r)
    }

    /// For each pid of q, then for each data value, its number in r; false if r lacks one.
    fn map_components(&mut self, q: &State, r: &State, image: &[PidId]) -> bool {
        self.sent.clear();
        self.sent.extend_from_slice(image);
        let pids = image.len() as u32;
        if q.data() == r.data() {
            self.sent.extend(pids..pids + q.data().len() as u32);
            return true;
        }
        let numbers: FxHashMap<_, u32> = r.data().iter().zip(pids..).collect();
        self.sent.extend(q.data().iter().map_while(|datum| numbers.get(datum).copied()));
        self.sent.len() == image.len() + q.data().len()
    }
}

/// How a vector becomes a word: location, then the codes of the components.
#[derive(Clone, Copy)]
struct Layout {
    location_bits: u32,
    bits: u32,
}

impl Layout {
    /// Bits for a vector of so many components.
    fn needed(self, width: u32) -> u32 {
        self.bits.saturating_mul(width).saturating_add(1 + self.location_bits)
    }

    fn pack<W: PackedWord>(
        self,
        state: &State,
        code: impl Fn(Component) -> u32 + Copy,
        by_width: &mut ByWidth,
        words: &mut Vec<W>,
    ) {
        let word = |location: u32, vector: &[Component]| {
            let start = W::ONE.append(self.location_bits, location);
            vector.iter().fold(start, |row, &component| row.append(self.bits, code(component)))
        };
        words.clear();
        words.reserve(state.vector_count());
        for stretch in stretches(state) {
            by_width.distribute(state, stretch.clone());
            words.extend(by_width.of_width::<1>(state).map(|(at, vector)| word(at, vector)));
            words.extend(by_width.of_width::<2>(state).map(|(at, vector)| word(at, vector)));
            words.extend(by_width.of_width::<3>(state).map(|(at, vector)| word(at, vector)));
            words.extend(by_width.of_width::<4>(state).map(|(at, vector)| word(at, vector)));
            let others = by_width.others(state, stretch);
            words.extend(others.map(|i| word(state.location_of(i), state.vector(i))));
        }
    }
}

fn same_activity(q: &State, r: &State, image: &[PidId]) -> bool {
    q.pids().all(|x| q.is_active(x) == r.is_active(image[x as usize]))
}

fn same_links(q: &State, r: &State, relations: Relations, image: &[PidId]) -> bool {
    if !q.is_consistent() || !r.is_consistent() {
        return same_tuples(q, r, relations, image);
    }
    let sent = |x: PidId| if x == NONE { NONE } else { image[x as usize] };
    relations.iter().all(|relation| {
        q.pids().all(|x| {
            let y = image[x as usize];
            let (link, next_follows) = seen_from(q, relation, x);
            (sent(link), next_follows.map(sent)) == seen_from(r, relation, y)
        })
    })
}

/// The pid that `relation` links x to (parent, nearest ancestor, next sibling), and, for a sibling
/// relation, the creator of a next-pid that follows x.
fn seen_from(state: &State, relation: Relation, x: PidId) -> (PidId, Option<PidId>) {
    let forest = state.forest();
    let only_if = |holds: bool, link: PidId| if holds { link } else { NONE };
    let creator =
        || forest.is_child(x) && forest.sibling(x) == NONE && state.is_active(forest.ancestor(x));
    match relation {
        Relation::Parent => (only_if(forest.is_child(x), forest.ancestor(x)), None),
        Relation::Ancestor => (forest.ancestor(x), None),
        Relation::AdjacentSibling => {
            let follows = creator() && state.eta(forest.ancestor(x)) == Some(forest.index(x));
            let next = only_if(follows, forest.ancestor(x));
            (only_if(forest.is_adjacent(x), forest.sibling(x)), Some(next))
        }
        Relation::ElderSibling => (forest.sibling(x), Some(only_if(creator(), forest.ancestor(x)))),
    }
}

/// Inconsistent states have explicit next-pids: compare the whole structures as multisets.
fn same_tuples(q: &State, r: &State, relations: Relations, image: &[PidId]) -> bool {
    let q = Structure::of_state(q, relations, NextPids::Explicit);
    let r = Structure::of_state(r, relations, NextPids::Explicit);
    if q.len() != r.len() || q.tuple_count() != r.tuple_count() || q.ground() != r.ground() {
        return false;
    }
    let Some(image) = extend_to_next_pids(&q, &r, image) else { return false };
    let mut count: FxHashMap<(u64, Vec<u32>), i64> = FxHashMap::default();
    for (label, members) in tuples(&r) {
        *count.entry((label, members)).or_default() += 1;
    }
    for (label, members) in tuples(&q) {
        let sent = members.iter().map(|&x| image[x as usize]).collect();
        *count.entry((label, sent)).or_default() -= 1;
    }
    count.values().all(|&c| c == 0)
        && (0..q.len()).all(|x| q.colors[x] == r.colors[image[x] as usize])
}

fn tuples(structure: &Structure) -> impl Iterator<Item = (u64, Vec<u32>)> {
    let pairs = structure.pairs().map(|pair| (pair.label, vec![pair.x, pair.y]));
    pairs.chain(structure.tuples().longer().map(|(label, members)| (label, members.to_vec())))
}

/// The image of explicit next-pids follows that of their creators.
fn extend_to_next_pids(q: &Structure, r: &Structure, image: &[PidId]) -> Option<Vec<u32>> {
    let pids = image.len() as u32;
    let next_of = |s: &Structure| -> FxHashMap<u32, u32> {
        s.next_links().filter(|&(_, next)| next >= pids).collect()
    };
    let created = next_of(r);
    let mut full = image.to_vec();
    full.resize(q.len(), NONE);
    for (creator, next) in next_of(q) {
        full[next as usize] = *created.get(&image[creator as usize])?;
    }
    full.iter().all(|&y| y != NONE).then_some(full)
}
