//! Hard inputs as states: vectors ⟨x, y⟩ encode any graph, so every hard family of the isomorphism
//! literature is a state.
//!
//! An instance is a base state, an equivalent one (other names, and where the family allows it
//! another construction of the same thing) and, where one is known, a twin that is not equivalent
//! but looks the same locally. Pids are the roots 1, 2, …, n in random order and inactive, so that
//! nothing but the structure counts as long as Ω* has no sibling relation: use these families with
//! Ω* = {} or {parent}. Either sibling relation orders the roots, so that only the bijection that keeps
//! all names is left and base and equivalent state differ unless they are the same vectors.
//! `long-chain` and `wide-forest` are about the pid forest itself and have active pids.

pub mod cfi;
mod components;
pub mod field;
mod forests;
pub mod graph;
pub mod latin;
mod lattice;
mod multipede;
pub mod plane;
mod regular;
mod strongly_regular;

use crate::guarantee::Guarantee;
use crate::transform::Generated;
use graph::RowStructure;
use pidlab_core::state::BuildError;
use pidlab_core::{Component, Relation, Relations, State};
use pidlab_random::Rng;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The families; [`REGISTRY`] says what each is, which sizes it has and what its twin is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Cai, Fürer, Immerman 1992: refinement of any fixed dimension fails.
    Cfi,
    /// Multipedes (Gurevich, Shelah 1996) as graphs: rigid, so that pruning by automorphisms does not help.
    Multipede,
    /// The same with as few segments as leave it rigid.
    MultipedeTight,
    /// Random 3-regular graphs.
    Cubic,
    /// Paley graphs: strongly regular, with many automorphisms.
    Paley,
    /// Graphs of Latin squares: strongly regular, mostly rigid.
    LatinGraph,
    /// Triangular graphs; T(8) has three cospectral mates.
    Triangular,
    /// Square lattice graphs; the one of side 4 has a cospectral mate.
    Rook,
    /// Many copies of the rook's graph of side 4 or of the Shrikhande graph.
    Shrikhande,
    /// Ternary vectors of the cyclic Latin square.
    LatinCyclic,
    /// Ternary vectors of random Latin squares.
    LatinRandom,
    /// Points and lines of projective planes; Hall planes as twins.
    ProjectivePlane,
    /// Square grids.
    Grid,
    /// Square grids closed to tori.
    Torus,
    /// Many cycles of length 6.
    EqualComponents,
    /// Directed cycles: no colour, degree or datum tells two pids apart.
    AllAlike,
    /// Deep pids: two chains of children.
    LongChain,
    /// Many siblings: roots with many children each.
    WideForest,
}

/// Which of the states of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The state that the others are compared with.
    #[default]
    Base,
    /// The same structure under other names.
    Equivalent,
    /// A structure that looks the same locally and is not equivalent.
    Twin,
}

/// A family for the command line and the documentation.
pub struct FamilyInfo {
    /// Which family this is about.
    pub family: Family,
    /// The name in files and on the command line.
    pub name: &'static str,
    /// What the size counts, and its limits.
    pub size: &'static str,
    /// Least and largest size.
    pub sizes: (usize, usize),
    /// What the family is, in a few words.
    pub about: &'static str,
    /// What the twin is; `None` if there is none.
    pub twin: Option<&'static str>,
}

const fn entry(
    family: Family,
    name: &'static str,
    size: &'static str,
    sizes: (usize, usize),
    about: &'static str,
    twin: Option<&'static str>,
) -> FamilyInfo {
    FamilyInfo { family, name, size, sizes, about, twin }
}

/// All families, in the order of [`Family`].
#[rustfmt::skip]
pub const REGISTRY: [FamilyInfo; 18] = [
    entry(Family::Cfi, "cfi", "base vertices, even", (4, 100_000), "Cai-Fürer-Immerman graph over a random connected 3-regular graph", Some("one twisted edge; equivalent: two")),
    entry(Family::Multipede, "multipede", "pairs of feet", (8, 4_000), "rigid multipede over a random bipartite graph, three feet to a segment, 5 segments for 4 feet", Some("one segment of odd parity")),
    entry(Family::MultipedeTight, "multipede-tight", "pairs of feet", (8, 4_000), "rigid multipede with just one segment more than feet, the fewest that leave it rigid", Some("one segment of odd parity")),
    entry(Family::Cubic, "cubic", "vertices, even", (8, 1_000_000), "random 3-regular graph", Some("two edges switched, one triangle more")),
    entry(Family::Paley, "paley", "vertices, rounded down to a prime 1 mod 4", (5, 3_000), "Paley graph", None),
    entry(Family::LatinGraph, "latin-graph", "order n of the square, n² vertices", (5, 60), "graph of a random Latin square (strongly regular)", Some("graph of a square with other intercalates")),
    entry(Family::Triangular, "triangular", "n, for n(n-1)/2 vertices", (4, 80), "triangular graph T(n) (strongly regular)", Some("n = 8 only: a Chang graph")),
    entry(Family::Rook, "rook", "side n, for n² vertices", (2, 80), "rook's graph, the square lattice graph (strongly regular)", Some("n = 4 only: the Shrikhande graph")),
    entry(Family::Shrikhande, "shrikhande", "components of 16 vertices", (1, 20_000), "copies of the 4 × 4 rook's graph", Some("one copy is the Shrikhande graph")),
    entry(Family::LatinCyclic, "latin-cyclic", "order n, n² vectors", (5, 200), "⟨row, column, symbol⟩ of the cyclic Latin square", Some("a random square with other intercalates")),
    entry(Family::LatinRandom, "latin-random", "order n, n² vectors", (5, 200), "⟨row, column, symbol⟩ of a random Latin square (Jacobson-Matthews)", Some("two rows switched along a cycle")),
    entry(Family::ProjectivePlane, "projective-plane", "order, rounded down to a prime power", (2, 64), "⟨point, line⟩ of the plane PG(2,q)", Some("order 9, 16, 25, 49, 64: the Hall plane")),
    entry(Family::Grid, "grid", "side n, for n² vertices", (4, 1_000), "square grid", Some("two opposite sides of a cell replaced by its diagonals")),
    entry(Family::Torus, "torus", "side n, for n² vertices", (5, 1_000), "square grid closed to a torus", Some("closed with a shift")),
    entry(Family::EqualComponents, "equal-components", "hexagons", (2, 200_000), "many equal components: cycles of length 6", Some("one pentagon and one heptagon among them")),
    entry(Family::AllAlike, "all-alike", "vectors, even", (4, 1_000_000), "one location, vectors ⟨x, y⟩ without data: one directed cycle", Some("two directed cycles of half the length")),
    entry(Family::LongChain, "long-chain", "pids, even", (4, 20_000), "two chains of pids, each the child of the one before", Some("one chain longer by one, the other shorter")),
    entry(Family::WideForest, "wide-forest", "children of each root, and roots", (2, 1_000), "n roots with n children each, all vectors alike", Some("one child of one root is a child of another")),
];

/// Why there is no such instance.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HardError {
    /// No family has that name.
    #[error("`{0}` is not a hard family; the families are {names}", names = names())]
    UnknownFamily(String),
    /// No variant has that name.
    #[error("`{0}` is not a variant; use base, equivalent or twin")]
    UnknownVariant(String),
    /// The family has no instance of that size.
    #[error("size {size} of family {family} is outside {least}..={largest} ({meaning})")]
    Size {
        /// The family.
        family: Family,
        /// The size asked for.
        size: usize,
        /// The least size it has.
        least: usize,
        /// The largest size it has.
        largest: usize,
        /// What the size counts.
        meaning: &'static str,
    },
    /// The family has instances of even size only.
    #[error("size {size} of family {family} must be even")]
    Odd {
        /// The family.
        family: Family,
        /// The size asked for.
        size: usize,
    },
    /// No twin is known there.
    #[error("family {family} has no twin at size {size}: {reason}")]
    NoTwin {
        /// The family.
        family: Family,
        /// The size asked for.
        size: usize,
        /// Why not.
        reason: &'static str,
    },
    /// The random construction did not succeed.
    #[error(
        "no instance of family {family} found at size {size} with this seed; try another seed or a larger size"
    )]
    NotFound {
        /// The family.
        family: Family,
        /// The size asked for.
        size: usize,
    },
    /// What a state builder refuses.
    #[error(transparent)]
    Build(#[from] BuildError),
}

fn names() -> String {
    REGISTRY.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

/// Whether a family has instances of a size.
pub fn check(family: Family, size: usize) -> Result<(), HardError> {
    Request { family, size, variant: Variant::Base }.check()
}

/// One state of an instance, and what is known of it and the base state of the same seed.
pub fn instance(
    family: Family,
    size: usize,
    variant: Variant,
    seed: u64,
) -> Result<Generated, HardError> {
    let request = Request { family, size, variant };
    request.check()?;
    if let Family::LongChain | Family::WideForest = family {
        return forests::forest(&request, &mut request.names(seed));
    }
    let state = request.state(seed)?;
    let guarantee = match variant {
        Variant::Base => Guarantee::equivalent(),
        Variant::Equivalent => {
            let base = Request { variant: Variant::Base, ..request }.state(seed)?;
            renamed_roots(&base, &state)
        }
        Variant::Twin => Guarantee::different(),
    };
    Ok(Generated { state, guarantee })
}

/// What is known of two isomorphic states whose pids are the inactive roots 1 to n: without sibling
/// relations they are equivalent. With either one all roots stand in one chain, and only the bijection
/// that keeps every name preserves it.
fn renamed_roots(base: &State, other: &State) -> Guarantee {
    match same_vectors(base, other) {
        true => Guarantee::equivalent(),
        false => {
            Guarantee::just_up_to(Relations::NONE.with(Relation::Parent).with(Relation::Ancestor))
        }
    }
}

/// Whether two states over the same pids and locations, without data, hold the same vectors.
fn same_vectors(q: &State, r: &State) -> bool {
    let sorted = |state: &State| {
        let number = |component: &Component| component.split().1;
        let vector = |i: usize| state.vector(i).iter().map(number).collect::<Vec<u32>>();
        let mut rows: Vec<_> =
            (0..state.vector_count()).map(|i| (state.location_of(i), vector(i))).collect();
        rows.sort_unstable();
        rows
    };
    sorted(q) == sorted(r)
}

/// All three states of an instance; the twin is `None` where the family has none.
pub fn all_variants(
    family: Family,
    size: usize,
    seed: u64,
) -> Result<(State, Generated, Option<Generated>), HardError> {
    let base = instance(family, size, Variant::Base, seed)?.state;
    let equivalent = instance(family, size, Variant::Equivalent, seed)?;
    match instance(family, size, Variant::Twin, seed) {
        Ok(twin) => Ok((base, equivalent, Some(twin))),
        Err(HardError::NoTwin { .. }) => Ok((base, equivalent, None)),
        Err(error) => Err(error),
    }
}

/// What is asked for.
struct Request {
    family: Family,
    size: usize,
    variant: Variant,
}

impl Request {
    fn check(&self) -> Result<(), HardError> {
        let (family, size) = (self.family, self.size);
        let entry = family.entry();
        let (least, largest) = entry.sizes;
        if !(least..=largest).contains(&size) {
            return Err(HardError::Size { family, size, least, largest, meaning: entry.size });
        }
        if entry.size.ends_with("even") && size % 2 == 1 {
            return Err(HardError::Odd { family, size });
        }
        Ok(())
    }

    fn is_twin(&self) -> bool {
        self.variant == Variant::Twin
    }

    fn no_twin(&self, reason: &'static str) -> HardError {
        HardError::NoTwin { family: self.family, size: self.size, reason }
    }

    fn not_found(&self) -> HardError {
        HardError::NotFound { family: self.family, size: self.size }
    }

    /// Names have a stream of their own for each variant; the structure has one that all share.
    fn names(&self, seed: u64) -> Rng {
        Rng::new(seed, 1 + self.variant as u64)
    }

    fn state(&self, seed: u64) -> Result<State, HardError> {
        Ok(self.structure(&mut Rng::new(seed, 0))?.state(&mut self.names(seed))?)
    }

    fn structure(&self, rng: &mut Rng) -> Result<RowStructure, HardError> {
        match self.family {
            Family::Cfi => cfi::structure(self, rng),
            Family::Multipede | Family::MultipedeTight => multipede::structure(self, rng),
            Family::Cubic => regular::structure(self, rng),
            Family::Paley => strongly_regular::paley(self),
            Family::Triangular => strongly_regular::triangular(self),
            Family::Rook => strongly_regular::rook(self),
            Family::Shrikhande => Ok(strongly_regular::copies(self)),
            Family::LatinGraph => latin::graph(self, rng),
            Family::LatinCyclic | Family::LatinRandom => latin::square(self, rng),
            Family::ProjectivePlane => plane::structure(self),
            Family::Grid => Ok(lattice::grid(self)),
            Family::Torus => lattice::torus(self),
            Family::EqualComponents => Ok(components::equal_components(self)),
            Family::AllAlike => Ok(components::all_alike(self)),
            // these two are about the pid forest and are made without a structure
            Family::LongChain | Family::WideForest => Err(self.not_found()),
        }
    }
}

impl Family {
    /// What the registry says of the family.
    pub fn entry(self) -> &'static FamilyInfo {
        let found = REGISTRY.iter().find(|entry| entry.family == self);
        found.unwrap_or(&REGISTRY[0])
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().name)
    }
}

impl FromStr for Family {
    type Err = HardError;
    fn from_str(text: &str) -> Result<Family, HardError> {
        REGISTRY
            .iter()
            .find(|entry| entry.name == text)
            .map(|entry| entry.family)
            .ok_or_else(|| HardError::UnknownFamily(text.to_string()))
    }
}

impl FromStr for Variant {
    type Err = HardError;
    fn from_str(text: &str) -> Result<Variant, HardError> {
        match text {
            "base" => Ok(Variant::Base),
            "equivalent" => Ok(Variant::Equivalent),
            "twin" => Ok(Variant::Twin),
            other => Err(HardError::UnknownVariant(other.to_string())),
        }
    }
}
