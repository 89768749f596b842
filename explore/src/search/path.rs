//! Where each state was reached from first: enough to replay a trace.

use super::model::Label;
use super::store::Id;

const NONE: Id = Id::MAX;

/// One step of a path: the state it leads to, and by which transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// The transition.
    pub label: Label,
    /// The state.
    pub to: Id,
}

/// Predecessor and transition of every stored state; 8 bytes a state.
#[derive(Clone, Debug, Default)]
pub struct Parents(Vec<(Id, Label)>);

impl Parents {
    /// Notes a state where a run starts.
    pub fn push_initial(&mut self) {
        self.0.push((NONE, 0));
    }

    #[inline]
    /// Notes where a state was first reached from.
    pub fn push(&mut self, from: Id, label: Label) {
        self.0.push((from, label));
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<(Id, Label)>()) as u64
    }

    /// Where a state was reached from first; `None` for initial states.
    pub fn parent(&self, id: Id) -> Option<(Id, Label)> {
        self.0.get(id as usize).copied().filter(|&(from, _)| from != NONE)
    }

    /// The initial state a state was reached from, and the steps in between.
    pub fn path(&self, to: Id) -> (Id, Vec<PathStep>) {
        let mut steps = Vec::new();
        let mut at = to;
        while let (from, label) = self.0[at as usize]
            && from != NONE
        {
            steps.push(PathStep { label, to: at });
            at = from;
        }
        steps.reverse();
        (at, steps)
    }
}
