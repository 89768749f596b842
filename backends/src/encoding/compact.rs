//! The compact encoding: a state as an undirected coloured graph with hardly more vertices than pids.
//!
//! A pid is one vertex. Vectors with one pid, activity, depth and sibling rank are its colour. A vector
//! with two pids, and a link of the family, is an edge between the pids, as long as for that pair of
//! colours the edge can mean nothing else: one kind of edge for each pair of colours, the same on both
//! sides. What is left, and vectors with more pids, are vertices coloured with their shape and the
//! colours of their pids; positions need no helper where these colours differ. A tie is broken by
//! copies of a pid vertex, copy number j standing for "the j-th of the tied positions". Equal vectors
//! are one, with their number in the colour, and a relation that is symmetric is taken once. Cost: one
//! hash lookup for each vector, pid and link.
//!
//! A graph given as a state, ⟨x,y⟩ and ⟨y,x⟩ for each edge, so becomes that very graph.

use super::family::PidFamily;
use super::interner::Interner;
use super::shapes::{Shaped, Vocabulary};
use super::{Encoded, EncodedPair, PidVertices, pair_up};
use pidlab_core::forest::NONE;
use pidlab_core::{Relations, State};
use rustc_hash::FxHashMap;

/// Encodes two states over one table of colours. Without short cuts there are always two graphs, and what
/// else would have been seen on the way is in them: vectors without pids as vertices without edges.
pub fn encode(q: &State, r: &State, relations: Relations, short_cuts: bool) -> EncodedPair {
    let comparable = q.pid_count() == r.pid_count() && q.vector_count() == r.vector_count();
    if short_cuts && !comparable {
        return EncodedPair::Different;
    }
    let mut vocabulary = Vocabulary::new(q.vector_count());
    let shaped = [q, r].map(|state| vocabulary.shape_vectors(state));
    if short_cuts && !same_shapes(&shaped, vocabulary.shapes.len()) {
        return EncodedPair::Different;
    }
    let consistent = q.is_consistent() && r.is_consistent();
    let families = [q, r].map(|state| match consistent {
        true => PidFamily::folded(state, relations),
        false => PidFamily::explicit(state, relations),
    });
    let mut tables = Tables::new(q, vocabulary.shapes.len());
    if !short_cuts {
        tables.agree_on_symmetry(&shaped);
    }
    let [first, second] = [0, 1].map(|i| tables.encode(&shaped[i], &families[i]));
    match (first, second) {
        (Some(mut q_graph), Some(mut r_graph)) => {
            if !short_cuts {
                tables.ground(&shaped[0], &mut q_graph);
                tables.ground(&shaped[1], &mut r_graph);
            }
            let pids = PidVertices { first: 0, count: q.pid_count() as u32 };
            pair_up((q_graph, r_graph), tables.colors.len(), pids, short_cuts)
        }
        _ => EncodedPair::Different,
    }
}

/// Whether every shape is as frequent on both sides.
fn same_shapes([q, r]: &[Shaped; 2], shapes: usize) -> bool {
    let mut count = vec![0i64; shapes];
    for (shaped, sign) in [(q, 1), (r, -1)] {
        let all = shaped.ground.iter().copied();
        let all = all.chain(shaped.single.iter().map(|&(_, shape)| shape));
        let all = all.chain(shaped.double.iter().map(|&(shape, ..)| shape));
        for shape in all.chain(shaped.many.iter().map(|&(shape, _)| shape)) {
            count[shape as usize] += sign;
        }
    }
    count.iter().all(|&difference| difference == 0)
}

/// First words of colours: which sort of vertex.
const PID: u32 = 0;
const VECTOR: u32 = 1;
const COPY: u32 = 2;
const GROUND: u32 = 3;

/// What an edge between two pid vertices means: label, multiplicity, and its direction.
#[derive(Clone, Copy, PartialEq, Eq)]
struct EdgeKind {
    label: u32,
    copies: u32,
    direction: Direction,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Symmetric,
    FromLowerColor,
    FromHigherColor,
    /// Both ends have the same colour: from copy 1 of one pid to copy 2 of the other. (From the pid
    /// itself to a copy would look like the edge that joins a copy to its own pid.)
    BetweenCopies,
}

/// What both sides share.
struct Tables {
    colors: Interner,
    /// Profiles: sorted shapes of the one-pid vectors of a pid.
    profiles: Interner,
    /// The one kind of edge for a pair of colours; `true` for edges between copies.
    kinds: FxHashMap<(u32, u32, bool), EdgeKind>,
    symmetric: Vec<Option<bool>>,
    /// Whether `symmetric` was filled for both sides before either is encoded.
    agreed: bool,
    shapes: u32,
}

/// The two-pid vectors of one side, equal ones taken together.
struct Doubles {
    distinct: Interner,
    copies: Vec<u32>,
}

impl Doubles {
    fn of(shaped: &Shaped) -> Doubles {
        let mut distinct = Interner::with_capacity(shaped.double.len());
        let mut copies: Vec<u32> = Vec::with_capacity(shaped.double.len());
        for &(shape, x, y) in &shaped.double {
            let number = distinct.intern(&[shape, x, y]) as usize;
            copies.resize(copies.len().max(number + 1), 0);
            copies[number] += 1;
        }
        Doubles { distinct, copies }
    }

    /// Which shapes have a vector without its reverse.
    fn one_way(&self, shapes: usize) -> Vec<bool> {
        let Doubles { distinct, copies } = self;
        let mut one_way = vec![false; shapes];
        for number in 0..distinct.len() as u32 {
            let [shape, x, y] = *distinct.get(number) else { continue };
            if one_way[shape as usize] {
                continue;
            }
            let back = distinct.find(&[shape, y, x]).map(|back| copies[back as usize]);
            one_way[shape as usize] = back != Some(copies[number as usize]);
        }
        one_way
    }
}

/// A labelled arc between two pid vertices, equal ones taken together.
struct Arc {
    label: u32,
    copies: u32,
    from: u32,
    to: u32,
    symmetric: bool,
}

impl Tables {
    fn new(q: &State, shapes: usize) -> Tables {
        Tables {
            colors: Interner::with_capacity(q.pid_count() + q.vector_count()),
            profiles: Interner::with_capacity(64),
            kinds: FxHashMap::default(),
            symmetric: vec![None; shapes],
            agreed: false,
            shapes: shapes as u32,
        }
    }

    /// One side; `None` if it differs from the side encoded before.
    fn encode(&mut self, shaped: &Shaped, family: &PidFamily) -> Option<Encoded> {
        let mut graph = Encoded::default();
        let profiles = self.profiles(shaped, family.len);
        for (properties, profile) in family.properties.iter().zip(profiles) {
            let [bits, depth, rank] = *properties;
            graph.colors.push(self.colors.intern(&[PID, bits, depth, rank, profile]));
        }
        let mut writer = Writer::new(graph, family.len);
        for &(link, from, to) in &family.arcs {
            let label = self.shapes + link as u32;
            let arc = Arc { label, copies: 1, from, to, symmetric: false };
            self.arc(&arc, &mut writer);
        }
        for arc in self.arcs(shaped)? {
            self.arc(&arc, &mut writer);
        }
        self.vectors(shaped, &mut writer);
        Some(writer.graph)
    }

    fn profiles(&mut self, shaped: &Shaped, pids: usize) -> Vec<u32> {
        let mut start = vec![0u32; pids + 1];
        for &(pid, _) in &shaped.single {
            start[pid as usize + 1] += 1;
        }
        for i in 0..pids {
            start[i + 1] += start[i];
        }
        let mut fill = start.clone();
        let mut shapes = vec![0; shaped.single.len()];
        for &(pid, shape) in &shaped.single {
            let at = &mut fill[pid as usize];
            shapes[*at as usize] = shape;
            *at += 1;
        }
        let range = |pid: usize| start[pid] as usize..start[pid + 1] as usize;
        (0..pids)
            .map(|pid| {
                let profile = &mut shapes[range(pid)];
                profile.sort_unstable();
                self.profiles.intern(profile)
            })
            .collect()
    }

    /// Takes a shape for symmetric only if it is so on both sides.
    fn agree_on_symmetry(&mut self, shaped: &[Shaped; 2]) {
        self.agreed = true;
        for side in shaped {
            let doubles = Doubles::of(side);
            let one_way = doubles.one_way(self.symmetric.len());
            for (agreed, one_way) in self.symmetric.iter_mut().zip(one_way) {
                *agreed = Some(agreed.unwrap_or(true) && !one_way);
            }
        }
    }

    /// Vectors without pids, a vertex each.
    fn ground(&mut self, shaped: &Shaped, graph: &mut Encoded) {
        let colors = shaped.ground.iter().map(|&shape| self.colors.intern(&[GROUND, shape]));
        graph.colors.extend(colors);
    }

    /// The two-pid vectors with equal ones counted; `None` if a shape is symmetric on one side only, and
    /// that was not agreed on before.
    fn arcs(&mut self, shaped: &Shaped) -> Option<Vec<Arc>> {
        let doubles = Doubles::of(shaped);
        let one_way = doubles.one_way(self.symmetric.len());
        let Doubles { distinct, copies } = doubles;
        let mut arcs = Vec::with_capacity(distinct.len());
        for number in 0..distinct.len() as u32 {
            let [label, from, to] = *distinct.get(number) else { continue };
            let mut symmetric = !one_way[label as usize];
            let known = *self.symmetric[label as usize].get_or_insert(symmetric);
            match self.agreed {
                true => symmetric = known,
                false if known != symmetric => return None,
                false => {}
            }
            if !symmetric || from < to {
                let copies = copies[number as usize];
                arcs.push(Arc { label, copies, from, to, symmetric });
            }
        }
        Some(arcs)
    }

    /// An arc as an edge, if that is what edges between these colours mean, or as a vertex.
    fn arc(&mut self, arc: &Arc, writer: &mut Writer) {
        let color = |pid: u32| writer.graph.colors[pid as usize];
        let (low, high) = (color(arc.from), color(arc.to));
        let direction = match (arc.symmetric, low.cmp(&high)) {
            (true, _) => Direction::Symmetric,
            (_, std::cmp::Ordering::Less) => Direction::FromLowerColor,
            (_, std::cmp::Ordering::Greater) => Direction::FromHigherColor,
            (_, std::cmp::Ordering::Equal) => Direction::BetweenCopies,
        };
        let kind = EdgeKind { label: arc.label, copies: arc.copies, direction };
        let key = (low.min(high), low.max(high), direction == Direction::BetweenCopies);
        if *self.kinds.entry(key).or_insert(kind) != kind {
            return self.arc_vertex(arc, writer);
        }
        let ends = match direction {
            Direction::BetweenCopies => {
                (writer.copy(arc.from, 1, self), writer.copy(arc.to, 2, self))
            }
            _ => (arc.from, arc.to),
        };
        writer.graph.edges.push(ends);
    }

    fn arc_vertex(&mut self, arc: &Arc, writer: &mut Writer) {
        if !arc.symmetric {
            return self.vector(arc.label, arc.copies, &[arc.from, arc.to], writer);
        }
        let [x, y] = [arc.from, arc.to].map(|pid| writer.graph.colors[pid as usize]);
        let color = [VECTOR, arc.label, arc.copies, x.min(y), x.max(y)];
        let vertex = writer.vertex(self.colors.intern(&color));
        writer.graph.edges.extend([(vertex, arc.from), (vertex, arc.to)]);
    }

    /// The vectors with three and more pids, equal ones as one vertex.
    fn vectors(&mut self, shaped: &Shaped, writer: &mut Writer) {
        let mut distinct = Interner::with_capacity(shaped.many.len());
        let mut copies: Vec<u32> = Vec::with_capacity(shaped.many.len());
        let mut key = Vec::new();
        for (i, &(shape, _)) in shaped.many.iter().enumerate() {
            key.clear();
            key.push(shape);
            key.extend_from_slice(shaped.members_of(i));
            let number = distinct.intern(&key) as usize;
            copies.resize(copies.len().max(number + 1), 0);
            copies[number] += 1;
        }
        for number in 0..distinct.len() as u32 {
            if let [shape, members @ ..] = distinct.get(number) {
                self.vector(*shape, copies[number as usize], members, writer);
            }
        }
    }

    fn vector(&mut self, shape: u32, copies: u32, members: &[u32], writer: &mut Writer) {
        let mut color = std::mem::take(&mut writer.color);
        color.clear();
        color.extend([VECTOR, shape, copies]);
        color.extend(members.iter().map(|&pid| writer.graph.colors[pid as usize]));
        let vertex = writer.vertex(self.colors.intern(&color));
        let mut ties = Ties::default();
        for (i, &pid) in members.iter().enumerate() {
            let tied = ties.before(&color[3..], i);
            let end = if tied == 0 { pid } else { writer.copy(pid, tied, self) };
            writer.graph.edges.push((vertex, end));
        }
        writer.color = color;
    }
}

/// Counts, place after place, how many earlier places have the same colour.
#[derive(Default)]
struct Ties(FxHashMap<u32, u32>);

impl Ties {
    fn before(&mut self, colors: &[u32], place: usize) -> u32 {
        const SHORT: usize = 16;
        if colors.len() <= SHORT {
            return colors[..place].iter().filter(|&&c| c == colors[place]).count() as u32;
        }
        let count = self.0.entry(colors[place]).or_default();
        *count += 1;
        *count - 1
    }
}

/// A graph under construction.
struct Writer {
    graph: Encoded,
    /// Copies 1 and 2 of each pid; further copies are rare.
    near_copies: Vec<[u32; 2]>,
    copies: FxHashMap<(u32, u32), u32>,
    color: Vec<u32>,
}

impl Writer {
    fn new(graph: Encoded, pids: usize) -> Writer {
        let near_copies = vec![[NONE; 2]; pids];
        Writer { graph, near_copies, copies: FxHashMap::default(), color: Vec::new() }
    }

    fn vertex(&mut self, color: u32) -> u32 {
        self.graph.colors.push(color);
        self.graph.colors.len() as u32 - 1
    }

    /// Copy number `level` of a pid vertex, joined to it.
    fn copy(&mut self, pid: u32, level: u32, tables: &mut Tables) -> u32 {
        let known = match level {
            1 | 2 => self.near_copies[pid as usize][level as usize - 1],
            _ => self.copies.get(&(pid, level)).copied().unwrap_or(NONE),
        };
        if known != NONE {
            return known;
        }
        let color = tables.colors.intern(&[COPY, level, self.graph.colors[pid as usize]]);
        let copy = self.vertex(color);
        self.graph.edges.push((pid, copy));
        match level {
            1 | 2 => self.near_copies[pid as usize][level as usize - 1] = copy,
            _ => drop(self.copies.insert((pid, level), copy)),
        }
        copy
    }
}
