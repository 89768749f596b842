//! Shrinking a net before the search, in three steps, each with the way back for runs and with what a
//! certificate must say about it.
//!
//! 1. [`merge`]: places the targets do not depend on are forgotten, local states that behave alike are
//!    merged.
//! 2. [`fuse`]: shared states that are only passed through are passed over. What a thread transition
//!    system spells out in chains of forced steps becomes one transition; an encoded Petri net comes out
//!    as it was.
//! 3. [`slice`]: places that hold any number of tokens from the start on, and places that no target
//!    depends on once the chains are gone, are forgotten, and those that are left get small numbers.

mod driving;
mod fuse;
mod merge;
mod slice;

use crate::answer::{Certificate, FusedControl, Proof, Reductions, Run};
use crate::budget::Budget;
use crate::error::Stop;
use crate::invariants::control::Control;
use crate::invariants::pairs::PairInvariant;
use crate::net::Net;
use fuse::Fusion;
use merge::Merged;
use slice::Slice;

/// A reduced net and the way back. `None` where nothing was gained.
pub struct Reduction<'a> {
    original: &'a Net,
    merged: Option<Merged>,
    fused: Option<Fusion>,
    sliced: Option<Slice>,
}

impl<'a> Reduction<'a> {
    pub fn new(net: &'a Net, enabled: bool, budget: &Budget) -> Result<Reduction<'a>, Stop> {
        let mut reduction = Reduction { original: net, merged: None, fused: None, sliced: None };
        if !enabled || net.has_transfers() {
            return Ok(reduction);
        }
        let (control, driving) = control_of(net, budget)?;
        reduction.merged = Merged::new(net, &control, &driving, budget)?;
        // Merging keeps control states apart, so the set still drives the image.
        reduction.fused = fuse::fuse(reduction.machine(), &driving, budget)?;
        reduction.sliced = Slice::new(reduction.machine(), budget)?;
        Ok(reduction)
    }

    /// The net to search.
    pub fn net(&self) -> &Net {
        self.sliced.as_ref().map_or(self.machine(), |s| &s.net)
    }

    /// The net after the first two steps, in which threads still come from where they start.
    pub fn machine(&self) -> &Net {
        let merged = self.merged.as_ref().map_or(self.original, |m| &m.net);
        self.fused.as_ref().map_or(merged, |f| &f.net)
    }

    /// The certificate in the original's terms.
    pub fn certificate(&self, proof: &Proof, budget: &Budget) -> Result<Certificate, Stop> {
        let name = |p: &u32| self.original.places[*p as usize].to_string();
        let reductions = Reductions {
            merge: self.merged.as_ref().map(|r| r.merge_map(self.original)),
            fuse: self.fused.as_ref().map(|f| FusedControl {
                control: f.control.iter().map(name).collect(),
                eliminate: f.eliminated.iter().map(name).collect(),
            }),
            forget: self
                .sliced
                .as_ref()
                .filter(|s| !s.forgotten.is_empty())
                .map(|s| s.forgotten.iter().map(name).collect()),
        };
        proof.to_certificate(self.net(), reductions, budget)
    }

    /// A run of the machine that follows a run of the net that was searched.
    pub fn to_machine(&self, run: &Run, budget: &Budget) -> Result<Run, Stop> {
        match &self.sliced {
            Some(sliced) => sliced.lift(self.machine(), run, budget),
            None => Ok(run.clone()),
        }
    }

    /// A run of the original that follows a run of the machine.
    pub fn to_original(&self, run: &Run, budget: &Budget) -> Result<Run, Stop> {
        let mut run = run.clone();
        if let Some(fused) = &self.fused {
            let mut steps = Vec::new();
            for &step in &run.steps {
                let sequence = &fused.sequences[step as usize];
                budget.steps(sequence.len())?;
                steps.extend(sequence);
            }
            run.steps = steps;
        }
        match &self.merged {
            Some(merged) => merged.lift(self.original, &run, budget),
            None => Ok(run),
        }
    }
}

/// The control states of a net, and the set that drives it, empty if there is none. The structure often
/// shows it; else the pairs of places are asked, which costs more and finds more.
fn control_of(net: &Net, budget: &Budget) -> Result<(Control, Vec<u32>), Stop> {
    if let Some(set) = driving::find(net, budget)?
        && fuse::drives(net, &set, budget)?
    {
        return Ok((Control::of_set(set.clone(), net.places.len()), set));
    }
    let control = Control::detect(net, &PairInvariant::analyze(net, budget)?, budget)?;
    let driving = fuse::driving_set(net, &control, budget)?.unwrap_or_default();
    Ok((control, driving))
}
