//! What one operation of a boolean program does to the values of its variables.
//!
//! An assignment of `*` to k variables has 2^k results. They are handed out one at a time, so that a
//! caller can stop between two of them.

use super::expr::Expr;
use super::flow::{Edge, FlowOp, Var};

/// Values of shared and local variables at a program point while a step runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoolState {
    pub node: u32,
    pub shared: u128,
    pub local: u128,
}

impl BoolState {
    pub fn get(&self, v: &Var) -> bool {
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
pub struct Outcomes<'a> {
    pub fails: bool,
    before: BoolState,
    next: Option<BoolState>,
    /// Variables that take both values, the one that changes fastest first.
    free: Vec<Var>,
    constrain: Option<&'a Expr<Var>>,
}

impl Outcomes<'_> {
    /// The next state, be it allowed or not; callers count their steps between two of them.
    pub fn advance(&mut self) -> Option<Option<BoolState>> {
        let current = self.next?;
        self.next = following(current, &self.free);
        let get = |v: &Var| self.before.get(v);
        let holds = |e: &Expr<Var>| e.values(&get, &|v: &Var| current.get(v)).yes;
        Some(self.constrain.is_none_or(holds).then_some(current))
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

/// Runs the operation of an edge in a state. What starting a thread and meeting another one do to
/// others is left to the caller.
pub fn execute(edge: &Edge, state: BoolState) -> Outcomes<'_> {
    let get = |v: &Var| state.get(v);
    let values = |e: &Expr<Var>| e.values(&get, &get);
    let next = BoolState { node: edge.to, ..state };
    let only_if = |possible: bool| possible.then_some(next);
    let one = |next: Option<BoolState>| Outcomes {
        fails: false,
        before: state,
        next,
        free: Vec::new(),
        constrain: None,
    };
    match &edge.op {
        FlowOp::Skip | FlowOp::Spawn(_) | FlowOp::Sync(_) => one(Some(next)),
        FlowOp::Assume(e) => one(only_if(values(e).yes)),
        FlowOp::Assert(e) => {
            let values = values(e);
            Outcomes { fails: values.no, ..one(only_if(values.yes)) }
        }
        FlowOp::Lock(v) => {
            let mut locked = next;
            locked.set(*v, true);
            one((!get(v)).then_some(locked))
        }
        FlowOp::Assign { pairs, constrain } => {
            let (mut assigned, mut free) = (next, Vec::new());
            // Of two values for one variable the later one counts.
            for (v, e) in pairs {
                let values = values(e);
                assigned.set(*v, values.yes && !values.no);
                free.retain(|other| other != v);
                if values.no && values.yes {
                    free.push(*v);
                }
            }
            free.reverse();
            Outcomes { free, constrain: constrain.as_ref(), ..one(Some(assigned)) }
        }
    }
}

/// Whether an operation reads or writes a shared variable, may fail, or has to do with other threads.
pub fn touches_shared(op: &FlowOp) -> bool {
    let mut touches = false;
    let mut look = |v: &Var| touches |= matches!(v, Var::Shared(_));
    match op {
        FlowOp::Skip => {}
        FlowOp::Assume(e) => e.each_variable(&mut look),
        FlowOp::Assert(_) | FlowOp::Lock(_) | FlowOp::Spawn(_) | FlowOp::Sync(_) => return true,
        FlowOp::Assign { pairs, constrain } => {
            for (v, e) in pairs {
                look(v);
                e.each_variable(&mut look);
            }
            constrain.iter().for_each(|e| e.each_variable(&mut look));
        }
    }
    touches
}
