//! The exact canonical form of a state: of its whole shape graph, for every program.
//!
//! First the [`Traversal`], which decides most states in one pass, or in less where [`RigidShapes`]
//! knows the shape; where it leaves the order open,
//! and for programs with sets or tables of references, the general engine on the [`ShapeGraph`].
//! Which of the two decides is the same for equivalent states, so their forms agree. The key is the
//! state itself, written in canonical order: two states with one key are equivalent, whatever the
//! hashes inside say.

use super::members::Members;
use super::numbering::{HeapOrder, Numbering};
use super::rigid::RigidShapes;
use super::shape::ShapeGraph;
use super::traversal::{Traversal, Traversed};
use crate::heap::machine::layout::{Layout, SIZE, Word};
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
    members: Members,
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
        self.by_engine_form(layout, words, false, out)
    }

    /// The form of a state whose threads stay in order; only objects are renamed. `false` if the
    /// numbering of figure 4 is one already, because no set or table leaves anything open.
    ///
    /// The paper sorts elements of sets by signature (section 3.5), which leaves ties; states that
    /// differ only in the order of insertion must be one nevertheless.
    pub fn with_threads_in_order(
        &mut self,
        layout: &Layout,
        words: &[Word],
        out: &mut Vec<Word>,
    ) -> Result<bool, Failure> {
        let is_open = |at: usize| {
            layout.objects[words[at] as usize].has_unordered_references() && words[at + SIZE] > 1
        };
        if !layout.objects(words).any(is_open) {
            return Ok(false);
        }
        match self.members.order(layout, words) {
            Some(objects) => {
                self.order.clear();
                self.order.extend(0..words[0]);
                self.numbering.rewrite_at(layout, words, &self.order, objects, out);
            }
            None => self.by_engine_form(layout, words, true, out)?,
        }
        Ok(true)
    }

    fn by_engine_form(
        &mut self,
        layout: &Layout,
        words: &[Word],
        in_order: bool,
        out: &mut Vec<Word>,
    ) -> Result<(), Failure> {
        self.shape.threads_in_order = in_order;
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
        if !in_order {
            self.order.sort_unstable_by_key(|&thread| position[thread as usize]);
        }
        self.objects.clear();
        self.objects.extend(threads..count);
        self.objects.sort_unstable_by_key(|&object| position[object as usize]);
        self.objects.iter_mut().for_each(|object| *object -= threads);
        self.numbering.rewrite_as(layout, words, &self.order, &self.objects, out);
        Ok(())
    }
}
