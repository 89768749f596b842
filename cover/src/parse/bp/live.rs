//! Which variables still matter where: a backward fixpoint over the control-flow graph.
//!
//! A local variable matters at a node if its value may be read before it is assigned. Strongly: if it is
//! read by something that matters itself, so that `x := !x` alone keeps nothing alive. A shared variable
//! matters everywhere or nowhere, as threads move at any time. Cost: a worklist over the edges, one word
//! of bits each.

use super::flow::{Flow, FlowOp, Var};
use crate::budget::{Budget, Exhausted};

/// What matters.
#[derive(Clone, Debug)]
pub struct Live {
    /// Local variables, by node.
    pub local: Vec<u128>,
    /// Shared variables.
    pub shared: u128,
}

/// How much a read keeps alive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// Every read counts.
    Weak,
    /// Reads of assignments count where their targets do.
    Strong,
}

impl Live {
    /// Whether an assignment to a variable matters at its end.
    pub fn keeps(&self, v: Var, node: u32) -> bool {
        match v {
            Var::Shared(i) => self.shared >> i & 1 == 1,
            Var::Local(i) => self.local[node as usize] >> i & 1 == 1,
        }
    }
}

/// The least solution above `shared`, the shared variables that matter to the property.
pub fn live(
    flow: &Flow,
    strength: Strength,
    shared: u128,
    budget: &Budget,
) -> Result<Live, Exhausted> {
    let mut into = vec![Vec::new(); flow.nodes as usize];
    for (i, edge) in flow.edges.iter().enumerate() {
        into[edge.to as usize].push(i as u32);
        if let FlowOp::Spawn(child) = edge.op {
            into[child as usize].push(i as u32);
        }
    }
    let mut live = Live { local: vec![0; flow.nodes as usize], shared };
    let mut waiting: Vec<u32> = (0..flow.edges.len() as u32).collect();
    let mut queued = vec![true; flow.edges.len()];
    while let Some(e) = waiting.pop() {
        budget.steps(1)?;
        queued[e as usize] = false;
        let edge = &flow.edges[e as usize];
        let reads = before(&edge.op, edge.to, &live, strength);
        let mut again = |edges: &[u32]| {
            for &other in edges {
                if !std::mem::replace(&mut queued[other as usize], true) {
                    waiting.push(other);
                }
            }
        };
        let node = &mut live.local[edge.from as usize];
        if reads.local & !*node != 0 {
            *node |= reads.local;
            again(&into[edge.from as usize]);
        }
        if reads.shared & !live.shared != 0 {
            live.shared |= reads.shared;
            // a shared variable that matters gives weight to assignments anywhere
            again(&(0..flow.edges.len() as u32).collect::<Vec<_>>());
        }
    }
    Ok(live)
}

/// Bits of variables that are read.
#[derive(Default)]
struct Reads {
    local: u128,
    shared: u128,
}

impl Reads {
    fn add(&mut self, v: &Var) {
        match v {
            Var::Shared(i) => self.shared |= 1 << i,
            Var::Local(i) => self.local |= 1 << i,
        }
    }
}

fn before(op: &FlowOp, to: u32, live: &Live, strength: Strength) -> Reads {
    let mut after = live.local[to as usize];
    let mut reads = Reads::default();
    match op {
        FlowOp::Skip | FlowOp::Sync(_) => {}
        FlowOp::Lock(v) => reads.add(v),
        FlowOp::Spawn(child) => reads.local |= live.local[*child as usize],
        FlowOp::Assume(e) | FlowOp::Assert(e) => e.each_variable(&mut |v| reads.add(v)),
        FlowOp::Assign { pairs, constrain } => {
            let mut constrained = Reads::default();
            if let Some(e) = constrain {
                e.each(&mut |v, next| match next {
                    // what is not assigned has its old value
                    true if pairs.iter().any(|(w, _)| w == v) => constrained.add(v),
                    _ => reads.add(v),
                });
            }
            reads.shared |= constrained.shared;
            for (v, e) in pairs {
                let bits = match v {
                    Var::Shared(i) => constrained.shared >> i,
                    Var::Local(i) => constrained.local >> i,
                };
                if strength == Strength::Weak || live.keeps(*v, to) || bits & 1 == 1 {
                    e.each_variable(&mut |v| reads.add(v));
                }
            }
            for (v, _) in pairs {
                if let Var::Local(i) = v {
                    after &= !(1 << i);
                }
            }
        }
    }
    Reads { local: after | reads.local, shared: reads.shared }
}

/// Leaves out assignments to variables that do not matter afterwards: `*` would only multiply states.
pub fn drop_dead_assignments(flow: &mut Flow, live: &Live) {
    for edge in &mut flow.edges {
        let to = edge.to;
        let FlowOp::Assign { pairs, constrain } = &mut edge.op else { continue };
        let mut constrained = Vec::new();
        constrain.iter().for_each(|e| e.each_variable(&mut |v| constrained.push(*v)));
        pairs.retain(|(v, _)| live.keeps(*v, to) || constrained.contains(v));
        if pairs.is_empty() && constrain.is_none() {
            edge.op = FlowOp::Skip;
        }
    }
}
