//! States as plain coloured graphs for general isomorphism programs.
//!
//! Two encodings: [`compact`], as small as we can make it, and [`faithful`], the papers' layered graph
//! with helper vertices for labelled arcs. Both sides are encoded together, so colours are exact
//! numbers over a common table, not hashes; a colour that only one side has decides the question.

pub mod compact;
pub mod faithful;
mod family;
mod interner;
// without nauty the graphs are made for the differences that they show, and handed to nobody
#[cfg_attr(not(feature = "nauty"), allow(dead_code))]
pub mod isolated;
mod shapes;

pub(crate) use family::PidFamily;

/// One side: an undirected graph whose first vertices are the listed pids.
#[derive(Clone, Debug, Default)]
pub struct Encoded {
    pub colors: Vec<u32>,
    pub edges: Vec<(u32, u32)>,
}

/// Both sides, unless encoding showed that they differ.
pub enum EncodedPair {
    Graphs { q: Encoded, r: Encoded, pids: PidVertices },
    Different,
}

/// Which vertices stand for the listed pids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PidVertices {
    pub first: u32,
    pub count: u32,
}

impl Encoded {
    /// How many vertices each colour has.
    fn color_counts(&self, colors: usize) -> Vec<u32> {
        let mut counts = vec![0; colors];
        for &color in &self.colors {
            counts[color as usize] += 1;
        }
        counts
    }
}

/// The pair, or "different" where sizes or numbers of vertices per colour show it and may end the question.
fn pair_up(
    (q, r): (Encoded, Encoded),
    colors: usize,
    pids: PidVertices,
    short_cuts: bool,
) -> EncodedPair {
    let same = !short_cuts
        || (q.colors.len() == r.colors.len()
            && q.edges.len() == r.edges.len()
            && q.color_counts(colors) == r.color_counts(colors));
    if same { EncodedPair::Graphs { q, r, pids } } else { EncodedPair::Different }
}
