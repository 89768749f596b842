//! The exact canonical form of a state: of its whole shape graph, for every program.
//!
//! First the [`Traversal`], which decides most states in one pass, or in less where [`RigidShapes`]
//! knows the shape; where it leaves the order open,
//! and for programs with sets or tables of references, the general engine on the [`ShapeGraph`].
//! Which of the two decides is the same for equivalent states, so their forms agree. The key is the
//! state itself, written in canonical order: two states with one key are equivalent, whatever the
//! hashes inside say.

use super::numbering::{HeapOrder, Numbering};
use super::rigid::RigidShapes;
use super::shape::ShapeGraph;
use super::traversal::{Traversal, Traversed};
use crate::heap::machine::layout::{Layout, Word};
use crate::search::Failure;
use pidlab_backends::canon::{Listing, StructureCanonizer};
use pidlab_budget::Budget;
use pidlab_core::Structure;

/// Canonical forms; keeps its memory.
#[derive(Default)]
pub struct Exact {
    rigid: RigidShapes,
    traversal: Traversal,
    shape: ShapeGraph,
    structure: Structure,
    engine: StructureCanonizer,
    /// What one form may use.
    pub budget: Budget,
    numbering: Numbering,
    order: Vec<u32>,
    objects: Vec<u32>,
}

impl Exact {
    /// Writes the canonical form of `words` over `out`.
    pub fn canonical(
        &mut self,
        layout: &Layout,
        words: &[Word],
        out: &mut Vec<Word>,
    ) -> Result<(), Failure> {
        let ordered = !layout.has_unordered_references;
        if ordered && self.rigid.canonical(layout, words, out) {
            return Ok(());
        }
        if ordered && self.traversal.order(layout, words, &mut self.order) == Traversed::Found {
            self.numbering.rewrite(layout, words, &self.order, HeapOrder::DepthFirst, out);
            return Ok(());
        }
        self.by_engine_form(layout, words, out)
    }

    fn by_engine_form(
        &mut self,
        layout: &Layout,
        words: &[Word],
        out: &mut Vec<Word>,
    ) -> Result<(), Failure> {
        self.structure.clear(self.shape.number(layout, words));
        self.shape.describe(layout, words, &mut self.structure);
        let list = |listing: &mut Listing| self.shape.describe(layout, words, listing);
        // each order is counted by itself
        self.budget.hold(0);
        let position = self.engine.canonize(&self.structure, list, &self.budget)?;
        let threads = words[0];
        let count = position.len() as u32;
        self.order.clear();
        self.order.extend(0..threads);
        self.order.sort_unstable_by_key(|&thread| position[thread as usize]);
        self.objects.clear();
        self.objects.extend(threads..count);
        self.objects.sort_unstable_by_key(|&object| position[object as usize]);
        self.objects.iter_mut().for_each(|object| *object -= threads);
        self.numbering.rewrite_as(layout, words, &self.order, &self.objects, out);
        Ok(())
    }
}
