//! Markings with pids: runs as the papers write them.
//!
//! The search works on threads without names. Where names matter (traces, `--canon off`, pictures,
//! the equivalence engine's own states) a [`Named`] marking carries along, for every thread, its
//! pid and the number of children it has created. It keeps all four relations.

use super::compiled::{Net, Transition};
use super::firing::{FiringRule, Scratch};
use super::marking::Marking;
use super::model::initial_marking;
use super::syntax::tree::Type;
use crate::search::Failure;
use pidlab_core::state::{BuildError, NewComponent, StateBuilder};
use pidlab_core::{Datum, Pid, Relations, State};

/// A marking and the pids of its threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Threads without names, and tokens.
    pub marking: Marking,
    /// By thread.
    pub pids: Vec<Vec<u64>>,
    /// Number of children each thread has created.
    pub created: Vec<u64>,
}

impl Named {
    /// The initial marking of a net.
    pub fn initial(net: &Net) -> Named {
        let mut named = Named::default();
        named.set_initial(net);
        named
    }

    pub(super) fn set_initial(&mut self, net: &Net) {
        initial_marking(net, Relations::ALL, &mut self.marking);
        self.pids = net.initial.roots.iter().map(|&root| vec![root]).collect();
        self.created = vec![0; self.pids.len()];
    }

    /// The marking after the binding in `scratch` fires; `false` if a guard fails after all.
    pub(super) fn fire(
        &self,
        net: &Net,
        transition: &Transition,
        scratch: &mut Scratch,
        out: &mut Named,
    ) -> Result<bool, Failure> {
        let rule = FiringRule { net, kept: Relations::ALL };
        if !rule.fire(&self.marking, transition, scratch, &mut out.marking)? {
            return Ok(false);
        }
        out.pids.clone_from(&self.pids);
        out.created.clone_from(&self.created);
        for create in &transition.creates {
            let parent = scratch.variables.values[create.parent] as usize;
            for _ in 0..create.number {
                out.created[parent] += 1;
                let mut child = out.pids[parent].clone();
                child.push(out.created[parent]);
                out.pids.push(child);
                out.created.push(0);
            }
        }
        for &gone in scratch.vanished.iter().rev() {
            out.pids.remove(gone as usize);
            out.created.remove(gone as usize);
        }
        Ok(true)
    }

    /// The pid of a thread, such as `1.2`.
    pub fn pid(&self, thread: u32) -> String {
        dotted(&self.pids[thread as usize])
    }

    /// The state (σ, η) of SACS'10; threads that no token holds are in η alone.
    pub fn to_state(&self, net: &Net) -> Result<State, BuildError> {
        let mut builder = StateBuilder::new();
        for (place, info) in net.places.iter().enumerate() {
            let location = builder.location(&info.name);
            for token in self.marking.place(place).chunks_exact(info.width) {
                let fields = info.types.iter().zip(token);
                let entries: Vec<NewComponent> = fields
                    .map(|(&kind, &word)| match kind {
                        Type::Pid => builder.pid(&self.pids[word as usize]),
                        Type::Int => NewComponent::Data(Datum::Int(i128::from(word as i32))),
                        Type::Bool => NewComponent::Data(Datum::Bool(word != 0)),
                        Type::Text => NewComponent::Data(net.texts[word as usize].as_str().into()),
                    })
                    .collect();
                builder.vector(location, entries);
            }
        }
        for (i, thread) in self.marking.threads.iter().enumerate() {
            if thread.is_active() {
                builder.active(&self.pids[i], self.created[i])?;
            }
        }
        builder.finish()
    }

    /// The tokens of each non-empty place, such as `s1⟨1.1, 0⟩`.
    pub fn tokens(&self, net: &Net) -> Vec<String> {
        let mut all = Vec::new();
        for (place, info) in net.places.iter().enumerate() {
            let mut texts: Vec<String> = self
                .marking
                .place(place)
                .chunks_exact(info.width)
                .map(|token| {
                    let fields = info.types.iter().zip(token);
                    let words: Vec<String> = fields
                        .map(|(&kind, &word)| net.word_text(kind, word, &|t| self.pid(t)))
                        .collect();
                    format!("{}⟨{}⟩", info.name, words.join(", "))
                })
                .collect();
            texts.sort_unstable();
            all.extend(texts);
        }
        all
    }

    /// η as text, such as `1.1:2`.
    pub fn counters(&self) -> Vec<String> {
        let threads = self.marking.threads.iter().enumerate();
        threads
            .filter(|(_, thread)| thread.is_active())
            .map(|(i, _)| format!("{}:{}", dotted(&self.pids[i]), self.created[i]))
            .collect()
    }
}

fn dotted(pid: &[u64]) -> String {
    Pid::new(pid).map(|pid| pid.to_string()).unwrap_or_default()
}
