//! Brute force for tests: all bijections of pids, each put before the independent checker.

use pidlab_core::state::ComponentKind;
use pidlab_core::{Component, Pid, Relation, Relations, State};
use std::collections::BTreeSet;

/// The relation sets for which two small states are equivalent.
#[allow(dead_code, reason = "not every test file that shares this module needs it")]
pub fn equivalent_sets(q: &State, r: &State) -> BTreeSet<Relations> {
    let mut found = BTreeSet::new();
    if q.pid_count() != r.pid_count() {
        return found;
    }
    assert!(q.pid_count() <= 6, "too many pids for brute force");
    let mut witness: Vec<u32> = q.pids().collect();
    loop {
        let untried: Vec<_> = Relations::subsets().filter(|set| !found.contains(set)).collect();
        if untried.contains(&Relations::NONE)
            || pidlab_check::verify(q, r, Relations::NONE, &witness).is_ok()
        {
            found.extend(
                untried
                    .into_iter()
                    .filter(|&set| pidlab_check::verify(q, r, set, &witness).is_ok()),
            );
        }
        if !next_permutation(&mut witness) {
            return found;
        }
    }
}

fn next_permutation(items: &mut [u32]) -> bool {
    let Some(i) = (1..items.len()).rev().find(|&i| items[i - 1] < items[i]) else { return false };
    let j = (i..items.len()).rev().find(|&j| items[j] > items[i - 1]).unwrap_or(i);
    items.swap(i - 1, j);
    items[i..].reverse();
    true
}

/// FNV-1a, for golden outputs.
#[allow(dead_code, reason = "not every test file that shares this module needs it")]
pub fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Whether two states are equivalent: colour refinement and trial, exact. A difference of colours is a
/// proof; what is found is put before the checker.
#[allow(dead_code, reason = "not every test file that shares this module needs it")]
pub fn isomorphic(q: &State, r: &State, relations: Relations) -> bool {
    if q.pid_count() != r.pid_count() {
        return false;
    }
    let start = |state: &State| state.pids().map(|p| 1 + u64::from(state.is_active(p))).collect();
    let related = [related(q, relations), related(r, relations)];
    search([q, r], relations, &related, [start(q), start(r)], 3)
}

/// All pairs of pids that a relation holds for, with its number.
fn related(state: &State, relations: Relations) -> Vec<(u64, usize, usize)> {
    let names: Vec<Pid> = state.pids().map(|pid| state.forest().pid(pid)).collect();
    let holds = |relation: Relation, x: usize, y: usize| {
        relation.holds(names[x].segments(), names[y].segments())
    };
    let all = 0..names.len();
    relations
        .iter()
        .flat_map(|relation| {
            let pairs = all.clone().flat_map(|x| all.clone().map(move |y| (x, y)));
            let related = pairs.filter(move |&(x, y)| holds(relation, x, y));
            related.map(move |(x, y)| (relation as u64, x, y)).collect::<Vec<_>>()
        })
        .collect()
}

fn search(
    [q, r]: [&State; 2],
    relations: Relations,
    related: &[Vec<(u64, usize, usize)>; 2],
    [mut a, mut b]: [Vec<u64>; 2],
    fresh: u64,
) -> bool {
    refine(q, &related[0], &mut a);
    refine(r, &related[1], &mut b);
    let cell = |colors: &[u64], color| {
        colors.iter().enumerate().filter(|&(_, &c)| c == color).map(|(p, _)| p).collect::<Vec<_>>()
    };
    let sorted = |colors: &[u64]| {
        let mut sorted = colors.to_vec();
        sorted.sort_unstable();
        sorted
    };
    if sorted(&a) != sorted(&b) {
        return false;
    }
    let open = sorted(&a).windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    let Some(color) = open else {
        let image = |c: &u64| b.iter().position(|other| other == c).unwrap() as u32;
        let witness: Vec<u32> = a.iter().map(image).collect();
        return pidlab_check::verify(q, r, relations, &witness).is_ok();
    };
    let chosen = cell(&a, color)[0];
    cell(&b, color).into_iter().any(|image| {
        let (mut a, mut b) = (a.clone(), b.clone());
        (a[chosen], b[image]) = (fresh, fresh);
        search([q, r], relations, related, [a, b], fresh + 1)
    })
}

fn refine(state: &State, related: &[(u64, usize, usize)], colors: &mut [u64]) {
    let mix = |a: u64, b: u64| {
        let z = (a.rotate_left(29) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (z ^ z >> 31).wrapping_mul(0xd6e8_feb8_6659_fd93)
    };
    let classes = |colors: &[u64]| colors.iter().collect::<BTreeSet<_>>().len();
    loop {
        let before = classes(colors);
        let mut sums = vec![0u64; colors.len()];
        for vector in 0..state.vector_count() {
            let cells = state.vector(vector);
            let code = |component: &Component| match component.kind() {
                ComponentKind::Pid(pid) => mix(7, colors[pid as usize]),
                ComponentKind::Data(datum) => mix(8, u64::from(datum)),
            };
            let all = cells.iter().fold(state.location_of(vector).into(), |h, c| mix(h, code(c)));
            for (place, component) in cells.iter().enumerate() {
                if let ComponentKind::Pid(pid) = component.kind() {
                    let sum = &mut sums[pid as usize];
                    *sum = sum.wrapping_add(mix(all, place as u64));
                }
            }
        }
        for &(relation, x, y) in related {
            let (to_x, to_y) = (mix(relation + 16, colors[y]), mix(relation + 32, colors[x]));
            sums[x] = sums[x].wrapping_add(to_x);
            sums[y] = sums[y].wrapping_add(to_y);
        }
        colors.iter_mut().zip(sums).for_each(|(color, sum)| *color = mix(*color, sum));
        if classes(colors) == before {
            return;
        }
    }
}
