//! Point 4: σ(q) with its pids renamed is σ(r), location by location, as multisets.
//!
//! Both sides are written in one alphabet (elements of r; data values numbered together), every
//! vector gets a fingerprint, and the vectors are sorted by location, fingerprint and content. The
//! fingerprint only saves comparisons: equal ones are always compared in full.

use crate::elements::{ElementId, Elements};
use crate::violation::Violation;
use pidlab_core::Datum;
use pidlab_core::state::ComponentKind;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// The vectors of one side in the common alphabet.
struct Vectors {
    words: Vec<u64>,
    /// Location, fingerprint, range of `words`.
    rows: Vec<(u32, u64, u32, u32)>,
}

/// Numbers for data values and locations that hold for both states.
#[derive(Default)]
struct Alphabet<'s> {
    data: FxHashMap<&'s Datum, u64>,
    locations: FxHashMap<&'s str, u32>,
    names: Vec<&'s str>,
}

impl<'s> Alphabet<'s> {
    fn datum(&mut self, datum: &'s Datum) -> u64 {
        let fresh = self.data.len() as u64;
        *self.data.entry(datum).or_insert(fresh)
    }

    fn location(&mut self, name: &'s str) -> u32 {
        let fresh = self.names.len() as u32;
        let number = *self.locations.entry(name).or_insert(fresh);
        if number == fresh {
            self.names.push(name);
        }
        number
    }
}

const DATUM: u64 = 1 << 32;

/// Compares the two multisets of every location.
pub fn check(q: &Elements, r: &Elements, h: &[ElementId]) -> Result<(), Violation> {
    let mut alphabet = Alphabet::default();
    let renamed = Vectors::of(q, |pid| h[pid as usize], &mut alphabet);
    let own = Vectors::of(r, |pid| pid, &mut alphabet);
    match first_difference(&renamed, &own) {
        None => Ok(()),
        Some((location, vector)) => Err(Violation::Vector {
            location: alphabet.names[location as usize].to_string(),
            vector: show(vector, r, &alphabet),
            q: renamed.count(location, vector),
            r: own.count(location, vector),
        }),
    }
}

impl Vectors {
    fn of<'s>(
        side: &Elements<'s>,
        image: impl Fn(u32) -> ElementId,
        alphabet: &mut Alphabet<'s>,
    ) -> Vectors {
        let state = side.state;
        let data: Vec<u64> = state.data().iter().map(|d| alphabet.datum(d) | DATUM).collect();
        let locations: Vec<u32> = state.locations().iter().map(|l| alphabet.location(l)).collect();
        let words = state.components().iter().map(|component| match component.kind() {
            ComponentKind::Pid(pid) => image(pid).into(),
            ComponentKind::Data(datum) => data[datum as usize],
        });
        let mut vectors = Vectors { words: words.collect(), rows: Vec::new() };
        let mut start = 0;
        for vector in 0..state.vector_count() {
            let end = start + state.vector(vector).len();
            let location = locations[state.location_of(vector) as usize];
            let print = fingerprint(&vectors.words[start..end]);
            vectors.rows.push((location, print, start as u32, end as u32));
            start = end;
        }
        vectors.sort();
        vectors
    }

    fn sort(&mut self) {
        let words = &self.words;
        self.rows.sort_unstable_by(|a, b| {
            (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| slice(words, a).cmp(slice(words, b)))
        });
    }

    fn get(&self, row: usize) -> Option<(u32, u64, &[u64])> {
        self.rows.get(row).map(|row| (row.0, row.1, slice(&self.words, row)))
    }

    fn count(&self, location: u32, vector: &[u64]) -> usize {
        (0..self.rows.len())
            .filter_map(|row| self.get(row))
            .filter(|&(l, _, v)| l == location && v == vector)
            .count()
    }
}

fn slice<'w>(words: &'w [u64], row: &(u32, u64, u32, u32)) -> &'w [u64] {
    &words[row.2 as usize..row.3 as usize]
}

fn fingerprint(words: &[u64]) -> u64 {
    words.iter().fold(words.len() as u64, |hash, &word| {
        (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// The first vector, in sorted order, that one side has more often than the other.
fn first_difference<'v>(q: &'v Vectors, r: &'v Vectors) -> Option<(u32, &'v [u64])> {
    let mut row = 0;
    loop {
        let (a, b) = (q.get(row), r.get(row));
        let surplus = match (a, b) {
            (None, None) => return None,
            (Some(a), Some(b)) => match a.cmp(&b) {
                Ordering::Equal => None,
                Ordering::Less => Some(a),
                Ordering::Greater => Some(b),
            },
            (a, b) => a.or(b),
        };
        if let Some((location, _, vector)) = surplus {
            return Some((location, vector));
        }
        row += 1;
    }
}

/// A vector in the papers' notation, with the pid names of the second state.
fn show(vector: &[u64], r: &Elements, alphabet: &Alphabet) -> String {
    const KEEP: usize = 12;
    let datum = |number| alphabet.data.iter().find(|&(_, &n)| n == number).map(|(d, _)| d);
    let mut parts: Vec<String> = vector
        .iter()
        .take(KEEP)
        .map(|&word| match word & DATUM {
            0 => format!("@{}", r.name(word as ElementId)),
            _ => datum(word & !DATUM).map(ToString::to_string).unwrap_or_default(),
        })
        .collect();
    if vector.len() > KEEP {
        parts.push("…".to_string());
    }
    format!("⟨{}⟩", parts.join(", "))
}
