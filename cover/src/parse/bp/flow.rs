//! The control-flow graph of a program: nodes are program points, edges are single operations.
//!
//! `inline` makes it, `slice` makes it smaller, `machine` runs it. Where threads are inside atomic
//! sections is found here, from the edges that enter and leave them.

use super::ast::{Place, ThreadCount};
use super::expr::Expr;
use pidlab_syntax::{Parsed, Source};
use std::rc::Rc;

/// A variable after inlining: number of a shared or of a thread's variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    Shared(u32),
    Local(u32),
}

#[derive(Clone, Debug, PartialEq)]
pub enum FlowOp {
    Skip,
    Assume(Expr<Var>),
    Assert(Expr<Var>),
    Assign {
        pairs: Vec<(Var, Expr<Var>)>,
        constrain: Option<Expr<Var>>,
    },
    /// Waits until the variable is false and sets it.
    Lock(Var),
    /// A new thread starts at the node, with the values of this one.
    Spawn(u32),
    /// Two threads at edges with the same event take them together.
    Sync(u32),
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    pub op: FlowOp,
    pub place: Place,
    pub text: String,
    /// How many atomic sections it enters, or leaves if negative.
    pub sections: i32,
}

/// What the variables of a thread are called at a node, and where it is.
#[derive(Debug, Default)]
pub struct Frame {
    pub procedure: String,
    /// Number of the variable and its name, those of callers first.
    pub locals: Vec<(u32, String)>,
}

/// Where threads start.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub node: u32,
    pub count: ThreadCount,
}

/// All code of a program.
#[derive(Debug, Default)]
pub struct Flow {
    pub nodes: u32,
    pub edges: Vec<Edge>,
    pub entries: Vec<Entry>,
    pub frames: Rc<Vec<Frame>>,
    /// The frame of each node.
    pub frame_of: Rc<Vec<u32>>,
    /// Variables of a thread at most.
    pub locals: u32,
    /// Nodes inside an atomic section: no other thread moves there.
    pub atomic: Vec<bool>,
}

/// Where threads that have nothing more to do are; `inline` makes it the first node.
pub const ENDED: u32 = 0;
/// Variables are kept in the bits of one word.
pub const MAX_VARIABLES: usize = 128;

impl Flow {
    /// The same nodes without edges.
    pub fn skeleton(&self) -> Flow {
        Flow {
            nodes: self.nodes,
            edges: Vec::new(),
            entries: self.entries.clone(),
            frames: self.frames.clone(),
            frame_of: self.frame_of.clone(),
            locals: self.locals,
            atomic: self.atomic.clone(),
        }
    }

    /// The edges that leave each node.
    pub fn out(&self) -> Vec<Vec<u32>> {
        let mut out = vec![Vec::new(); self.nodes as usize];
        for (i, edge) in self.edges.iter().enumerate() {
            out[edge.from as usize].push(i as u32);
        }
        out
    }

    /// Where threads can start: those of the program, and those that threads start.
    pub fn starts(&self) -> impl Iterator<Item = u32> + '_ {
        let spawned = self.edges.iter().filter_map(|edge| match edge.op {
            FlowOp::Spawn(node) => Some(node),
            _ => None,
        });
        self.entries.iter().map(|entry| entry.node).chain(spawned)
    }

    /// Finds the nodes inside atomic sections.
    pub fn find_sections(&mut self, source: &Source) -> Parsed<()> {
        let out = self.out();
        let mut depth: Vec<Option<i32>> = vec![None; self.nodes as usize];
        let mut open: Vec<u32> = self.starts().collect();
        open.iter().for_each(|&start| depth[start as usize] = Some(0));
        while let Some(node) = open.pop() {
            let here = depth[node as usize].unwrap_or_default();
            for &e in &out[node as usize] {
                source.budget().steps(1)?;
                let edge = &self.edges[e as usize];
                let fail = |message: &str| Err(source.error(edge.place.span, message));
                let there = here + edge.sections;
                if there < 0 {
                    return fail("this `atomic_end` is reached without an `atomic_begin`");
                }
                if matches!(edge.op, FlowOp::Sync(_)) && here > 0 {
                    return fail("`sync` inside an atomic section, where no other thread can move");
                }
                match depth[edge.to as usize] {
                    Some(known) if known == there => {}
                    None => {
                        depth[edge.to as usize] = Some(there);
                        open.push(edge.to);
                    }
                    Some(_) => {
                        return fail(
                            "what follows is reached both inside and outside an atomic section",
                        );
                    }
                }
            }
        }
        self.atomic = depth.into_iter().map(|d| d.is_some_and(|d| d > 0)).collect();
        Ok(())
    }
}
