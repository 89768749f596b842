//! Multipedes (Gurevich and Shelah 1996; as graphs: Neuen and Schweitzer 2017, "Benchmark graphs for
//! practical graph isomorphism", section 3; random bases: Dawar and Khan 2019).
//!
//! A bipartite base graph joins every segment w to three feet v. A foot is a pair of vertices; a
//! segment is a CFI gadget over its feet's pairs. Flipping pairs is an automorphism exactly if every
//! segment has an even number of flipped feet, so the graph is rigid if the incidence matrix over
//! GF(2) has independent columns and the base is rigid: there is nothing that automorphism pruning
//! could use. We draw bases with more segments than feet until the columns are independent and
//! colour refinement tells all vertices of the base apart. Then some segment's unit vector is outside
//! the matrix's image, and giving that segment odd parity makes the twin. Cost: O(n³/64).

use super::cfi::add_inner;
use super::graph::{PlainGraph, RowStructure};
use super::{Family, HardError, Request};
use pidlab_random::Rng;
use rustc_hash::FxHashMap;

pub(super) fn structure(request: &Request, rng: &mut Rng) -> Result<RowStructure, HardError> {
    let feet = request.size;
    let segments = match request.family {
        Family::MultipedeTight => feet + 1,
        _ => feet + feet.div_ceil(4),
    };
    let (base, odd) = (0..500)
        .find_map(|_| {
            let base = random_base(feet, segments, rng)?;
            let odd = unreachable_segment(&base, feet)?;
            is_rigid(&base, feet).then_some((base, odd))
        })
        .ok_or_else(|| request.not_found())?;
    let mut graph = PlainGraph { vertices: 2 * feet, edges: Vec::new() };
    for (segment, triple) in base.iter().enumerate() {
        let parity = u32::from(request.is_twin() && segment == odd);
        let ends: Vec<u32> = triple.iter().map(|&foot| 2 * foot).collect();
        for set in (0..8u32).filter(|set| set.count_ones() % 2 == parity) {
            add_inner(&mut graph, &ends, set);
        }
    }
    let outer = 2 * feet as u32;
    Ok(graph.structure_with(&["Foot", "Segment"], |x| u32::from(x >= outer)))
}

type Triple = [u32; 3];

/// Different triples of feet, all feet in nearly the same number of them.
fn random_base(feet: usize, segments: usize, rng: &mut Rng) -> Option<Vec<Triple>> {
    let (each, rest) = (3 * segments / feet, 3 * segments % feet);
    let mut slots: Vec<u32> = (0..feet * each).map(|slot| (slot / each) as u32).collect();
    slots.extend(rng.sample(feet, rest).into_iter().map(|foot| foot as u32));
    rng.shuffle(&mut slots);
    for _ in 0..100 * feet {
        let Some(bad) = first_bad_triple(&slots) else {
            return Some(slots.chunks_exact(3).map(sorted_triple).collect());
        };
        let (i, j) = (3 * bad + rng.index(3), rng.index(slots.len()));
        slots.swap(i, j);
    }
    None
}

fn sorted_triple(slots: &[u32]) -> Triple {
    let mut triple = [slots[0], slots[1], slots[2]];
    triple.sort_unstable();
    triple
}

fn first_bad_triple(slots: &[u32]) -> Option<usize> {
    let mut seen = rustc_hash::FxHashSet::default();
    slots
        .chunks_exact(3)
        .map(sorted_triple)
        .position(|triple| triple[0] == triple[1] || triple[1] == triple[2] || !seen.insert(triple))
}

/// A segment whose parity no flipping of feet can change alone; `None` if the columns of the
/// incidence matrix are dependent. Eliminates on the columns, each a set of segments.
fn unreachable_segment(base: &[Triple], feet: usize) -> Option<usize> {
    let words = base.len().div_ceil(64);
    let mut columns = vec![vec![0u64; words]; feet];
    for (segment, triple) in base.iter().enumerate() {
        for &foot in triple {
            columns[foot as usize][segment / 64] |= 1 << (segment % 64);
        }
    }
    let mut free = vec![true; base.len()];
    for at in 0..feet {
        let pivot = first_bit(&columns[at])?;
        free[pivot] = false;
        let row = columns[at].clone();
        for (other, column) in columns.iter_mut().enumerate() {
            if other != at && column[pivot / 64] >> (pivot % 64) & 1 == 1 {
                column.iter_mut().zip(&row).for_each(|(a, b)| *a ^= b);
            }
        }
    }
    // the reduced columns each hold a pivot of their own, so the unit vector of a segment that is not a
    // pivot is not a sum of them
    free.iter().position(|&free| free)
}

fn first_bit(words: &[u64]) -> Option<usize> {
    let word = words.iter().position(|&word| word != 0)?;
    Some(64 * word + words[word].trailing_zeros() as usize)
}

/// Whether colour refinement tells all feet and segments of the base apart.
fn is_rigid(base: &[Triple], feet: usize) -> bool {
    let mut color = vec![0usize; feet];
    let mut classes = 1;
    loop {
        let segments: Vec<[usize; 3]> = base
            .iter()
            .map(|triple| {
                let mut colors = triple.map(|foot| color[foot as usize]);
                colors.sort_unstable();
                colors
            })
            .collect();
        let mut lists: Vec<Vec<[usize; 3]>> = vec![Vec::new(); feet];
        for (triple, seen) in base.iter().zip(&segments) {
            triple.iter().for_each(|&foot| lists[foot as usize].push(*seen));
        }
        let mut names: FxHashMap<(usize, Vec<[usize; 3]>), usize> = FxHashMap::default();
        for (foot, mut list) in lists.into_iter().enumerate() {
            list.sort_unstable();
            let fresh = names.len();
            color[foot] = *names.entry((color[foot], list)).or_insert(fresh);
        }
        if names.len() == feet {
            // different triples of feet that are told apart are told apart as well
            return true;
        }
        if names.len() == classes {
            return false;
        }
        classes = names.len();
    }
}
