//! States in a form that is easy to change: pids, data and locations in tables, components as
//! numbers into them, vectors one after another in one array.

use crate::names::PidNames;
use pidlab_core::state::{BuildError, ComponentKind, NewComponent, StateBuilder};
use pidlab_core::{Datum, State};
use std::ops::Range;

/// A component: number into [`Draft::pids`] or [`Draft::data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DraftComponent {
    /// Number into [`Draft::pids`].
    Pid(u32),
    /// Number into [`Draft::data`].
    Data(u32),
}

/// A state under construction. Different pids have different names; a pid that neither occurs in a
/// vector nor is active is not part of the state.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The names of the pids; a pid keeps its number when its name changes.
    pub pids: PidNames,
    /// Children created by each pid; `None` if it is not active.
    pub eta: Vec<Option<u64>>,
    /// Data values; entered through [`Draft::datum`] they are distinct.
    pub data: Vec<Datum>,
    /// Names of the locations.
    pub locations: Vec<String>,
    /// Number of the location of each vector.
    pub location: Vec<u32>,
    /// The components of all vectors, one vector after another.
    pub cells: Vec<DraftComponent>,
    /// Vector i ends before `cells[ends[i]]`.
    pub ends: Vec<usize>,
}

impl Draft {
    /// The same state as a draft.
    pub fn of(state: &State) -> Draft {
        let mut draft = Draft {
            data: state.data().to_vec(),
            locations: state.locations().iter().map(ToString::to_string).collect(),
            ..Draft::default()
        };
        let mut segments = Vec::new();
        for pid in state.pids() {
            state.forest().segments(pid, &mut segments);
            draft.add_pid(&segments, state.eta(pid));
        }
        for vector in 0..state.vector_count() {
            let cells = state.vector(vector).iter().map(|component| match component.kind() {
                ComponentKind::Pid(pid) => DraftComponent::Pid(pid),
                ComponentKind::Data(datum) => DraftComponent::Data(datum),
            });
            draft.add_vector(state.location_of(vector), cells);
        }
        draft
    }

    /// The state that the draft describes; whether it is consistent is not checked.
    pub fn to_state(&self) -> Result<State, BuildError> {
        let mut builder = StateBuilder::new();
        let keys: Vec<_> = self.locations.iter().map(|name| builder.location(name)).collect();
        let mut nodes: Vec<Option<NewComponent>> = vec![None; self.pids.len()];
        let mut entries = Vec::new();
        for vector in 0..self.vector_count() {
            entries.extend(self.cells[self.range(vector)].iter().map(|&cell| {
                match cell {
                    DraftComponent::Data(datum) => {
                        NewComponent::Data(self.data[datum as usize].clone())
                    }
                    DraftComponent::Pid(pid) => nodes[pid as usize]
                        .get_or_insert_with(|| builder.pid(self.pids.get(pid as usize)))
                        .clone(),
                }
            }));
            builder.vector(keys[self.location[vector] as usize], entries.drain(..));
        }
        for (pid, created) in self.eta.iter().enumerate() {
            match (created, &nodes[pid]) {
                (None, _) => {}
                (Some(created), Some(NewComponent::Pid(node))) => {
                    builder.activate(*node, *created)?
                }
                (Some(created), _) => builder.active(self.pids.get(pid), *created)?,
            }
        }
        builder.finish()
    }

    /// A new pid, with the number of children it has created if it is active; gives its number.
    pub fn add_pid(&mut self, name: &[u64], created: Option<u64>) -> u32 {
        self.pids.push(name);
        self.eta.push(created);
        self.pids.len() as u32 - 1
    }

    /// A new vector, after all others.
    pub fn add_vector(&mut self, location: u32, cells: impl IntoIterator<Item = DraftComponent>) {
        self.location.push(location);
        self.cells.extend(cells);
        self.ends.push(self.cells.len());
    }

    /// Number of vectors.
    pub fn vector_count(&self) -> usize {
        self.ends.len()
    }

    /// Where the components of a vector lie.
    pub fn range(&self, vector: usize) -> Range<usize> {
        let start = vector.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[vector]
    }

    /// Positions of all pid components.
    pub fn pid_slots(&self) -> Vec<usize> {
        let is_pid = |&slot: &usize| matches!(self.cells[slot], DraftComponent::Pid(_));
        (0..self.cells.len()).filter(is_pid).collect()
    }

    /// Positions of all data components.
    pub fn data_slots(&self) -> Vec<usize> {
        let is_data = |&slot: &usize| matches!(self.cells[slot], DraftComponent::Data(_));
        (0..self.cells.len()).filter(is_data).collect()
    }

    /// The same vectors in another order; the state stays what it is.
    pub fn reorder(&mut self, order: &[usize]) {
        let mut cells = Vec::with_capacity(self.cells.len());
        let mut ends = Vec::with_capacity(self.ends.len());
        for &vector in order {
            cells.extend_from_slice(&self.cells[self.range(vector)]);
            ends.push(cells.len());
        }
        self.location = order.iter().map(|&vector| self.location[vector]).collect();
        self.cells = cells;
        self.ends = ends;
    }

    /// The number of a data value, entered if it is new.
    pub fn datum(&mut self, datum: Datum) -> u32 {
        if let Some(known) = self.data.iter().position(|d| *d == datum) {
            return known as u32;
        }
        self.data.push(datum);
        self.data.len() as u32 - 1
    }
}
