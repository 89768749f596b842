//! What one operation of a boolean program does to the values of its variables.
//!
//! An assignment of `*` to k variables has 2^k results. They are handed out one at a time, so that a
//! caller can stop between two of them.

use super::flow::{Edge, Flow, FlowOp, Var};
use crate::budget::{Budget, Exhausted};

/// Values of shared and local variables at a program point while a step runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoolState {
    pub node: u32,
    pub shared: u128,
    pub local: u128,
}

impl BoolState {
    fn get(&self, v: &Var) -> bool {
        match v {
            Var::Shared(i) => self.shared >> i & 1 == 1,
            Var::Local(i) => self.local >> i & 1 == 1,
        }
    }

    fn set(&mut self, v: Var, value: bool) {
        let (word, bit) = match v {
            Var::Shared(i) => (&mut self.shared, i),
            Var::Local(i) => (&mut self.local, i),
        };
        *word = *word & !(1 << bit) | u128::from(value) << bit;
    }
}

/// The results of one operation: whether an assertion can fail, and the states it can lead to.
pub struct Outcomes {
    pub fails: bool,
    next: Option<BoolState>,
    /// Variables that take both values, the one that changes fastest first.
    free: Vec<Var>,
}

impl Iterator for Outcomes {
    type Item = BoolState;

    fn next(&mut self) -> Option<BoolState> {
        let current = self.next?;
        self.next = following(current, &self.free);
        Some(current)
    }
}

/// The next values of the free variables, counting in binary.
fn following(mut state: BoolState, free: &[Var]) -> Option<BoolState> {
    for &v in free {
        let carry = state.get(&v);
        state.set(v, !carry);
        if !carry {
            return Some(state);
        }
    }
    None
}

/// Runs the operation of an edge in a state.
pub fn execute(edge: &Edge, state: BoolState) -> Outcomes {
    let get = |v: &Var| state.get(v);
    let next = BoolState { node: edge.to, ..state };
    let only_if = |possible: bool| possible.then_some(next);
    let one = |next: Option<BoolState>| Outcomes { fails: false, next, free: Vec::new() };
    match &edge.op {
        FlowOp::Skip => one(Some(next)),
        FlowOp::Assume(e) => one(only_if(e.values(&get).1)),
        FlowOp::Assert(e) => {
            let (no, yes) = e.values(&get);
            Outcomes { fails: no, ..one(only_if(yes)) }
        }
        FlowOp::Lock(v) => {
            let mut locked = next;
            locked.set(*v, true);
            one((!get(v)).then_some(locked))
        }
        FlowOp::Assign(pairs) => {
            let (mut assigned, mut free) = (next, Vec::new());
            // Of two values for one variable the later one counts.
            for (v, e) in pairs {
                let (no, yes) = e.values(&get);
                assigned.set(*v, yes && !no);
                free.retain(|other| other != v);
                if no && yes {
                    free.push(*v);
                }
            }
            free.reverse();
            Outcomes { fails: false, next: Some(assigned), free }
        }
    }
}

/// Whether an operation reads or writes a shared variable, or may fail.
pub fn touches_shared(op: &FlowOp) -> bool {
    let mut touches = false;
    let mut look = |v: &Var| touches |= matches!(v, Var::Shared(_));
    match op {
        FlowOp::Skip => {}
        FlowOp::Assume(e) => e.each_variable(&mut look),
        FlowOp::Assert(_) | FlowOp::Lock(_) => return true,
        FlowOp::Assign(pairs) => pairs.iter().for_each(|(v, e)| {
            look(v);
            e.each_variable(&mut look);
        }),
    }
    touches
}

/// Per node the local variables whose value may still be read: a backward fixpoint.
pub fn live_variables(flow: &Flow, budget: &Budget) -> Result<Vec<u128>, Exhausted> {
    let mut live = vec![0u128; flow.nodes as usize];
    let mut changed = true;
    while changed {
        changed = false;
        for edge in flow.edges.iter().rev() {
            budget.steps(1)?;
            let before = live_before(&edge.op, live[edge.to as usize]);
            let node = &mut live[edge.from as usize];
            changed |= before & !*node != 0;
            *node |= before;
        }
    }
    Ok(live)
}

fn live_before(op: &FlowOp, after: u128) -> u128 {
    let mut live = after;
    let mut read = 0u128;
    let mut look = |v: &Var| {
        if let Var::Local(i) = v {
            read |= 1 << i;
        }
    };
    match op {
        FlowOp::Skip | FlowOp::Lock(_) => {}
        FlowOp::Assume(e) | FlowOp::Assert(e) => e.each_variable(&mut look),
        FlowOp::Assign(pairs) => {
            for (v, e) in pairs {
                e.each_variable(&mut look);
                if let Var::Local(i) = v {
                    live &= !(1 << i);
                }
            }
        }
    }
    live | read
}
