//! From a state to its layered graph (ICTAC'08 Definition 8, ISCIS'09 Definition 3.2, SACS'10
//! section 4).
//!
//! Equal vectors of a location get a vertex each (ICTAC'08 asks for it, the others forget to), and a
//! pid that stands twice in a vector gets an arc for each position. Cost: linear in the state and in
//! the arcs; with [`Form::Full`] `ancestor` gives as many arcs as the pids are deep and
//! `elder-sibling` is quadratic in the number of siblings, so the arcs are counted first.

use super::links::{Links, RelationScope};
use super::{
    Arc, ArcLabel, Form, GraphError, LayeredGraph, PaperGraph, Recipe, TooLarge, Vertex,
    VertexLabel,
};
use crate::forest::NONE;
use crate::relation::{Relation, Relations};
use crate::state::{ComponentKind, State};
use pidlab_budget::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// More arcs than this are refused.
pub const MAX_ARCS: u64 = 1 << 28;

/// Units of a budget that one arc takes.
const ARC: u64 = 2;

/// Builds the graph of a state, unless it has more than [`MAX_ARCS`] arcs.
pub fn build(state: &State, recipe: Recipe) -> Result<LayeredGraph, TooLarge> {
    match build_within(state, recipe, &Budget::unlimited()) {
        Err(GraphError::TooLarge(error)) => Err(error),
        graph => Ok(graph.expect("nothing is limited")),
    }
}

/// The same within limits.
pub fn build_within(
    state: &State,
    recipe: Recipe,
    budget: &Budget,
) -> Result<LayeredGraph, GraphError> {
    let relations = effective_relations(recipe);
    let links = Links::of(state, scope(recipe.kind));
    let arcs = arc_count(state, &links, relations, recipe.form);
    if arcs > MAX_ARCS {
        return Err(TooLarge { arcs, limit: MAX_ARCS }.into());
    }
    budget.poll()?;
    let mut builder = Builder::default();
    builder.locations(state);
    builder.vectors(state, recipe.kind);
    builder.pids(state, &links, recipe.kind);
    budget.poll()?;
    builder.positions(state);
    if recipe.kind == PaperGraph::Corrected {
        builder.next_arcs(state, &links);
    }
    for relation in relations.iter().filter(|_| recipe.form == Form::Full) {
        builder.related_pairs(&links, relation, budget)?;
    }
    if recipe.form == Form::Links {
        builder.links(&links, relations);
    }
    Ok(builder.finish(state.pid_count() as u32, budget)?)
}

/// About how many arcs the graph has, from above; O(state).
pub fn estimated_arcs(state: &State, recipe: Recipe) -> u64 {
    let links = Links::of(state, scope(recipe.kind));
    arc_count(state, &links, effective_relations(recipe), recipe.form)
}

fn scope(kind: PaperGraph) -> RelationScope {
    if kind == PaperGraph::Corrected { RelationScope::Sigma } else { RelationScope::All }
}

/// Ω* as the kind of graph takes it: ISCIS'09 leaves the transitive closures out.
fn effective_relations(recipe: Recipe) -> Relations {
    match recipe.kind {
        PaperGraph::Iscis => {
            recipe.relations.without(Relation::Ancestor).without(Relation::ElderSibling)
        }
        _ => recipe.relations,
    }
}

/// An upper bound that is exact up to the constant links.
fn arc_count(state: &State, links: &Links, relations: Relations, form: Form) -> u64 {
    let fixed = state.vector_count() + state.components().len() + 4 * links.len();
    let mut arcs = fixed as u64;
    if form == Form::Full && relations.contains(Relation::Ancestor) {
        arcs += depths(links).iter().map(|&d| u64::from(d)).sum::<u64>();
    }
    if form == Form::Full && relations.contains(Relation::ElderSibling) {
        arcs += ranks(links).iter().map(|&r| u64::from(r)).sum::<u64>();
    }
    arcs
}

/// How many ancestors each vertex has.
fn depths(links: &Links) -> Vec<u32> {
    let mut depth = vec![NONE; links.len()];
    let mut path = Vec::new();
    for vertex in 0..links.len() as u32 {
        let mut at = vertex;
        while at != NONE && depth[at as usize] == NONE {
            path.push(at);
            at = links.above(at);
        }
        let mut below = if at == NONE { 0 } else { depth[at as usize] + 1 };
        while let Some(vertex) = path.pop() {
            depth[vertex as usize] = below;
            below += 1;
        }
    }
    depth
}

/// How many elder siblings each vertex has.
fn ranks(links: &Links) -> Vec<u32> {
    let mut rank = vec![0; links.len()];
    for head in chain_heads(links) {
        let mut at = links.sibling(head);
        let mut elder = 1;
        while at != NONE {
            rank[at as usize] = elder;
            elder += 1;
            at = links.sibling(at);
        }
    }
    rank
}

fn chain_heads(links: &Links) -> Vec<u32> {
    let mut younger = vec![false; links.len()];
    for vertex in 0..links.len() as u32 {
        if links.sibling(vertex) != NONE {
            younger[links.sibling(vertex) as usize] = true;
        }
    }
    (0..links.len() as u32).filter(|&v| !younger[v as usize]).collect()
}

#[derive(Default)]
struct Builder {
    layer: Vec<u8>,
    label: Vec<u32>,
    labels: FxHashMap<VertexLabel, u32>,
    arcs: Vec<(Vertex, Arc)>,
    /// The vertex of each vector, or that of its only pid where the vector itself has no vertex.
    vector_vertex: Vec<Vertex>,
    first_pid: u32,
}

impl Builder {
    fn vertex(&mut self, layer: u8, label: VertexLabel) -> Vertex {
        let fresh = self.labels.len() as u32;
        let label = *self.labels.entry(label).or_insert(fresh);
        self.layer.push(layer);
        self.label.push(label);
        self.layer.len() as u32 - 1
    }

    fn arc(&mut self, source: Vertex, target: Vertex, label: ArcLabel) {
        self.arcs.push((source, Arc { target, label }));
    }

    fn locations(&mut self, state: &State) {
        for name in state.locations() {
            self.vertex(1, VertexLabel::Location(name.clone()));
        }
    }

    fn vectors(&mut self, state: &State, kind: PaperGraph) {
        let merged = if kind == PaperGraph::Ictac { single_pids(state) } else { Vec::new() };
        for vector in 0..state.vector_count() {
            let omitted = merged.get(vector).copied().unwrap_or(false);
            let vertex = if omitted { NONE } else { self.vertex(2, abstraction(state, vector)) };
            self.vector_vertex.push(vertex);
        }
    }

    fn pids(&mut self, state: &State, links: &Links, kind: PaperGraph) {
        self.first_pid = self.layer.len() as u32;
        for number in 0..links.len() {
            let listed = number < state.pid_count();
            let four_layers = matches!(kind, PaperGraph::Corrected | PaperGraph::Published);
            self.vertex(if listed || !four_layers { 3 } else { 4 }, VertexLabel::Pid);
        }
    }

    fn positions(&mut self, state: &State) {
        for vector in 0..state.vector_count() {
            let location = state.location_of(vector);
            let vertex = self.vector_vertex[vector];
            if vertex != NONE {
                self.arc(location, vertex, ArcLabel::Holds);
            }
            for (position, component) in state.vector(vector).iter().enumerate() {
                let ComponentKind::Pid(pid) = component.kind() else { continue };
                let target = self.first_pid + pid;
                match vertex {
                    NONE => self.arc(location, target, ArcLabel::Holds),
                    vertex => self.arc(vertex, target, ArcLabel::Position(position as u32)),
                }
            }
        }
    }

    fn next_arcs(&mut self, state: &State, links: &Links) {
        for pid in state.pids().filter(|&pid| state.is_active(pid)) {
            self.pid_arc(pid, links.next(pid), ArcLabel::Next);
        }
    }

    fn pid_arc(&mut self, source: u32, target: u32, label: ArcLabel) {
        self.arc(self.first_pid + source, self.first_pid + target, label);
    }

    /// One arc for every pair in the relation.
    fn related_pairs(
        &mut self,
        links: &Links,
        relation: Relation,
        budget: &Budget,
    ) -> Result<(), Exhausted> {
        let label = ArcLabel::Relation(relation);
        for vertex in 0..links.len() as u32 {
            let before = self.arcs.len();
            match relation {
                Relation::Parent if links.is_child(vertex) => {
                    self.pid_arc(links.above(vertex), vertex, label);
                }
                Relation::AdjacentSibling if links.is_adjacent(vertex) => {
                    self.pid_arc(vertex, links.sibling(vertex), label);
                }
                Relation::Ancestor => self.closure(vertex, label, |at| links.above(at), true),
                Relation::ElderSibling => {
                    self.closure(vertex, label, |at| links.sibling(at), false);
                }
                _ => {}
            }
            budget.spend(ARC * (1 + self.arcs.len() - before) as u64)?;
        }
        Ok(())
    }

    fn closure(&mut self, vertex: u32, label: ArcLabel, step: impl Fn(u32) -> u32, up: bool) {
        let mut at = step(vertex);
        while at != NONE {
            let (source, target) = if up { (at, vertex) } else { (vertex, at) };
            self.pid_arc(source, target, label);
            at = step(at);
        }
    }

    /// The arcs that generate the relations: at most two a pid.
    fn links(&mut self, links: &Links, relations: Relations) {
        let parent = relations.contains(Relation::Parent);
        let ancestor = relations.contains(Relation::Ancestor);
        let adjacent = relations.contains(Relation::AdjacentSibling);
        let elder = relations.contains(Relation::ElderSibling);
        for vertex in 0..links.len() as u32 {
            let (above, sibling) = (links.above(vertex), links.sibling(vertex));
            if parent && links.is_child(vertex) {
                self.pid_arc(above, vertex, ArcLabel::Relation(Relation::Parent));
            } else if ancestor && above != NONE {
                self.pid_arc(above, vertex, ArcLabel::NearestAncestor);
            }
            if adjacent && links.is_adjacent(vertex) {
                self.pid_arc(vertex, sibling, ArcLabel::Relation(Relation::AdjacentSibling));
            } else if elder && sibling != NONE {
                self.pid_arc(vertex, sibling, ArcLabel::NearestSibling);
            }
        }
    }

    /// Distributes the arcs by source, then sorts those of each vertex.
    fn finish(self, listed: u32, budget: &Budget) -> Result<LayeredGraph, Exhausted> {
        let mut arc_start = vec![0u32; self.layer.len() + 1];
        for &(source, _) in &self.arcs {
            arc_start[source as usize + 1] += 1;
        }
        for i in 1..arc_start.len() {
            arc_start[i] += arc_start[i - 1];
        }
        budget.reserve::<Arc>(self.arcs.len())?;
        let mut fill = arc_start.clone();
        let mut arcs = vec![Arc { target: 0, label: ArcLabel::Holds }; self.arcs.len()];
        for &(source, arc) in &self.arcs {
            budget.spend(ARC)?;
            let at = &mut fill[source as usize];
            arcs[*at as usize] = arc;
            *at += 1;
        }
        for range in arc_start.windows(2) {
            let of_vertex = &mut arcs[range[0] as usize..range[1] as usize];
            budget.spend(ARC * of_vertex.len() as u64)?;
            of_vertex.sort_unstable();
        }
        let (labels, rank) = sorted_labels(self.labels);
        Ok(LayeredGraph {
            layer: self.layer,
            label: self.label.iter().map(|&l| rank[l as usize]).collect(),
            labels,
            arc_start,
            arcs,
            first_pid: self.first_pid,
            listed,
        })
    }
}

/// Labels in their own order, so that equal graphs are equal values; and where each went.
fn sorted_labels(labels: FxHashMap<VertexLabel, u32>) -> (Vec<VertexLabel>, Vec<u32>) {
    let mut pairs: Vec<_> = labels.into_iter().collect();
    pairs.sort_unstable();
    let mut rank = vec![0; pairs.len()];
    for (position, &(_, old)) in pairs.iter().enumerate() {
        rank[old as usize] = position as u32;
    }
    (pairs.into_iter().map(|(label, _)| label).collect(), rank)
}

fn abstraction(state: &State, vector: usize) -> VertexLabel {
    let hole = |component: &crate::state::Component| match component.kind() {
        ComponentKind::Pid(_) => None,
        ComponentKind::Data(datum) => Some(state.data()[datum as usize].clone()),
    };
    VertexLabel::Vector(state.vector(vector).iter().map(hole).collect())
}

/// Which vectors are one pid and nothing else, and the only such one in their location: those that
/// ICTAC'08 draws as an arc from the location to the pid. Copies keep their vertices, or the
/// optimisation would merge two copies with one.
fn single_pids(state: &State) -> Vec<bool> {
    let key = |vector: usize| match state.vector(vector) {
        [only] => match only.kind() {
            ComponentKind::Pid(pid) => Some((state.location_of(vector), pid)),
            ComponentKind::Data(_) => None,
        },
        _ => None,
    };
    let mut copies: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for found in (0..state.vector_count()).filter_map(key) {
        *copies.entry(found).or_default() += 1;
    }
    (0..state.vector_count()).map(|v| key(v).is_some_and(|k| copies[&k] == 1)).collect()
}
