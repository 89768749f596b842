//! Confirms on the states themselves that a bijection of pids is an equivalence.
//!
//! This is what makes hashing exact: no "equivalent" rests on a hash alone. Links of the forest are
//! functions, so each is compared pid by pid; vectors are compared as multisets through a hash table
//! of contents. O(size of the states).

use pidlab_core::forest::{NONE, PidId};
use pidlab_core::mix::mix;
use pidlab_core::state::Kind;
use pidlab_core::structure::NextPids;
use pidlab_core::{Component, Relation, Relations, State, Structure};
use rustc_hash::FxHashMap;

/// Memory of confirmations, reused.
#[derive(Clone, Debug, Default)]
pub struct Confirmer {
    /// Part of the hash and number + 1 of a vector of r; [`MATCHED`] once q has it too.
    slots: Vec<(u32, u32)>,
    /// Further copies of a vector, where there are any.
    copies: FxHashMap<u32, u32>,
    data: Vec<u32>,
    hit: Vec<bool>,
}

const MATCHED: u32 = 1 << 31;

impl Confirmer {
    /// Whether `image`, a map from the pids of q to those of r, satisfies Definition 1.
    pub fn confirm(&mut self, q: &State, r: &State, relations: Relations, image: &[PidId]) -> bool {
        self.is_bijection(image, r.pid_count())
            && q.pids().all(|x| q.is_active(x) == r.is_active(image[x as usize]))
            && self.same_links(q, r, relations, image)
            && self.same_vectors(q, r, image)
    }

    fn is_bijection(&mut self, image: &[PidId], n: usize) -> bool {
        self.hit.clear();
        self.hit.resize(n, false);
        image.len() == n
            && image
                .iter()
                .all(|&y| (y as usize) < n && !std::mem::replace(&mut self.hit[y as usize], true))
    }

    fn same_links(&self, q: &State, r: &State, relations: Relations, image: &[PidId]) -> bool {
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

    /// Vectors of q, pids replaced, against vectors of r.
    fn same_vectors(&mut self, q: &State, r: &State, image: &[PidId]) -> bool {
        if q.vector_count() != r.vector_count()
            || q.locations() != r.locations()
            || !self.map_data(q, r)
        {
            return false;
        }
        self.enter_vectors(r);
        let data = std::mem::take(&mut self.data);
        let sent = |component: &Component| match component.kind() {
            Kind::Pid(x) => image[x as usize],
            Kind::Data(d) => data[d as usize] | DATA,
        };
        let all = (0..q.vector_count()).all(|vector| {
            let (location, components) = (q.location_of(vector), q.vector(vector));
            let hash = hash_vector(location, components, sent);
            let slot = self.probe(hash, |s| {
                let theirs = r.vector(s);
                r.location_of(s) == location
                    && theirs.len() == components.len()
                    && components.iter().zip(theirs).all(|(x, y)| sent(x) == y.bits())
            });
            self.take(slot)
        });
        self.data = data;
        all
    }

    /// Fills the table with the vectors of r.
    fn enter_vectors(&mut self, r: &State) {
        let size = (r.vector_count() * 2).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.resize(size, (0, 0));
        self.copies.clear();
        for vector in 0..r.vector_count() {
            let (location, components) = (r.location_of(vector), r.vector(vector));
            let hash = hash_vector(location, components, |c| c.bits());
            let slot =
                self.probe(hash, |s| r.location_of(s) == location && r.vector(s) == components);
            match self.slots[slot].1 {
                0 => self.slots[slot] = (hash as u32, vector as u32 + 1),
                first => *self.copies.entry(first).or_default() += 1,
            }
        }
    }

    /// The slot of a vector with this hash for which `same` holds, or an empty one.
    #[inline]
    fn probe(&self, hash: u64, same: impl Fn(usize) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> 32) as usize & mask;
        loop {
            let (tag, entry) = self.slots[slot];
            if entry == 0 || (tag == hash as u32 && same((entry & !MATCHED) as usize - 1)) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Takes one copy of the vector in a slot; false if there is none left.
    #[inline]
    fn take(&mut self, slot: usize) -> bool {
        let entry = &mut self.slots[slot].1;
        if *entry == 0 {
            return false;
        }
        if *entry & MATCHED == 0 {
            *entry |= MATCHED;
            return true;
        }
        match self.copies.get_mut(&(*entry & !MATCHED)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }

    /// For each data value of q its number in r; false if r lacks one.
    fn map_data(&mut self, q: &State, r: &State) -> bool {
        self.data.clear();
        if q.data() == r.data() {
            self.data.extend(0..q.data().len() as u32);
            return true;
        }
        let numbers: FxHashMap<_, u32> = r.data().iter().zip(0..).collect();
        self.data.extend(q.data().iter().map_while(|datum| numbers.get(datum).copied()));
        self.data.len() == q.data().len()
    }
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

/// The highest bit, which marks data in a component.
const DATA: u32 = 1 << 31;

/// Cheap: a collision only costs a comparison.
#[inline]
fn hash_vector(location: u32, components: &[Component], bits: impl Fn(&Component) -> u32) -> u64 {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let sum = components.iter().fold(u64::from(location), |hash, component| {
        hash.wrapping_mul(STEP).wrapping_add(u64::from(bits(component)) + 1)
    });
    mix(sum, 0)
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
    for tuple in 0..r.tuple_count() {
        *count.entry((r.labels()[tuple], r.members_of(tuple).to_vec())).or_default() += 1;
    }
    for tuple in 0..q.tuple_count() {
        let sent = q.members_of(tuple).iter().map(|&x| image[x as usize]).collect();
        *count.entry((q.labels()[tuple], sent)).or_default() -= 1;
    }
    count.values().all(|&c| c == 0)
        && (0..q.len()).all(|x| q.colors[x] == r.colors[image[x] as usize])
}

/// The image of explicit next-pids follows that of their creators.
fn extend_to_next_pids(q: &Structure, r: &Structure, image: &[PidId]) -> Option<Vec<u32>> {
    let pids = image.len() as u32;
    let next_of = |s: &Structure| -> FxHashMap<u32, u32> {
        (0..s.tuple_count())
            .filter(|&tuple| s.is_next_link(tuple))
            .filter_map(|tuple| match *s.members_of(tuple) {
                [x, y] if y >= pids => Some((x, y)),
                _ => None,
            })
            .collect()
    };
    let created = next_of(r);
    let mut full = image.to_vec();
    full.resize(q.len(), NONE);
    for (creator, next) in next_of(q) {
        full[next as usize] = *created.get(&image[creator as usize])?;
    }
    full.iter().all(|&y| y != NONE).then_some(full)
}
