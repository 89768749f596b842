//! The state graph of a program in its own words: of every class the threads, variables and objects of the first
//! run that reaches it, of every edge the thread that moves and what it changes.
//!
//! Cost: every edge is run again, so that large graphs have no texts.

use super::naming::VariableCell;
use super::trace::{HeapReplay, NamedState};
use crate::graph::{EdgeDetail, MOST_TEXTS, StateGraph, nodes, sorted_edges};
use crate::heap::machine::layout::is_violation;
use crate::search::{Edge, Failure, Id, Label, SearchReport};
use serde_json::json;

/// What makes a graph readable: the states of its nodes, and what happens on its edges.
type Texts = (Vec<Vec<String>>, Vec<EdgeDetail>);

impl HeapReplay<'_> {
    /// The graph of a search whose edges were recorded.
    pub fn graph(&self, report: &SearchReport) -> Result<StateGraph, Failure> {
        let edges = sorted_edges(report);
        let ((states, details), left_out) = match self.texts(report, &edges) {
            Ok(texts) => (texts, None),
            Err(Failure::Limit(what)) => (Texts::default(), Some(what)),
            Err(other) => return Err(other),
        };
        let nodes = nodes(report, states.into_iter().map(|state| (state, None)));
        let program = &self.model.program;
        let labels = program.transformations.len() + program.locations.len();
        let labels = (0..labels as Label).map(|label| self.model.label_name(label)).collect();
        let (name, renamed) = (program.name.clone(), Vec::new());
        Ok(StateGraph { name, labels, nodes, edges, initial: vec![0], details, renamed, left_out })
    }

    /// Nothing for large graphs.
    fn texts(&self, report: &SearchReport, edges: &[Edge]) -> Result<Texts, Failure> {
        if report.counters.states as usize > MOST_TEXTS {
            return Ok(Texts::default());
        }
        let mut stepper = self.stepper();
        let mut states: Vec<NamedState> = Vec::new();
        for id in 0..report.counters.states as Id {
            self.budget.poll()?;
            states.push(match self.parents.parent(id) {
                None => self.start(),
                Some((from, label)) => {
                    self.step(&mut stepper, &states[from as usize], label, id)?.1
                }
            });
        }
        let mut details = Vec::with_capacity(edges.len());
        for &(from, label, to) in edges {
            self.budget.poll()?;
            let (step, _) = self.step(&mut stepper, &states[from as usize], label, to)?;
            let (pid, parameters) = (Some(json!(step.thread)), Some(json!(step.changes)));
            details.push(EdgeDetail { action: None, pid, parameters });
        }
        Ok((states.iter().map(|state| self.lines(state)).collect(), details))
    }

    /// A state: where threads stand, then the values of all variables.
    fn lines(&self, NamedState { words, names }: &NamedState) -> Vec<String> {
        if is_violation(words) {
            let fault = self.fault(names, words).join("\n");
            return fault.lines().take(1).map(str::to_string).collect();
        }
        let (program, layout) = (&self.model.program, &self.model.layout);
        let threads = names.threads.iter().zip(layout.threads(words));
        let threads =
            threads.map(|(name, at)| format!("{name} at {}", program.location_name(words[at])));
        let value = |cell: VariableCell| format!("{cell} = {}", cell.value);
        threads.chain(names.cells(program, layout, words).into_iter().map(value)).collect()
    }
}
