//! nauty and Traces (McKay, Piperno 2014) as backends, each on the compact and the faithful encoding.
//!
//! Both graphs are canonically labelled, the two orders composed to a bijection of vertices, and the
//! bijection checked: if it is an isomorphism it is the witness, otherwise the canonical graphs
//! differ. Time and memory limits stop the programs from within; large graphs run in a thread with a
//! stack as deep as their search may go. Known weakness: a labelling is computed to its end even where
//! the first refinement would show the difference.

use crate::backend::{Backend, Decision, Exactness, GraphKind, Info, Problem, Undecided, Verdict};
use crate::budget::Budget;
use crate::encoding::isolated::take_out;
use crate::encoding::{EncodedPair, compact, faithful};
use std::time::Instant;

/// Which program and encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NautyBackend {
    program: Program,
    faithful: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Nauty,
    Traces,
}

impl NautyBackend {
    pub const ALL: [NautyBackend; 4] = [
        NautyBackend { program: Program::Nauty, faithful: false },
        NautyBackend { program: Program::Traces, faithful: false },
        NautyBackend { program: Program::Nauty, faithful: true },
        NautyBackend { program: Program::Traces, faithful: true },
    ];

    pub fn name(self) -> &'static str {
        match (self.program, self.faithful) {
            (Program::Nauty, false) => "nauty",
            (Program::Traces, false) => "traces",
            (Program::Nauty, true) => "nauty-faithful",
            (Program::Traces, true) => "traces-faithful",
        }
    }

    fn encode(self, problem: Problem<'_>, budget: &Budget) -> Result<EncodedPair, Verdict> {
        if self.faithful {
            return faithful::encode(problem, budget);
        }
        if problem.graph == GraphKind::Published {
            let reason =
                format!("the published graph has no compact form; use {0}-faithful", self.name());
            return Err(Verdict::Undecided(Undecided::Failed(reason)));
        }
        let (q, r) = (problem.q, problem.r);
        let words = q.components().len() + r.components().len() + q.pid_count() + r.pid_count();
        budget.allocate(40 * words as u64)?;
        Ok(compact::encode(q, r, problem.relations, budget.allows_short_cuts()))
    }
}

impl Backend for NautyBackend {
    fn info(&self) -> Info {
        let program = match self.program {
            Program::Nauty => "nauty",
            Program::Traces => "Traces",
        };
        let encoding = if self.faithful { "layered graph" } else { "compact graph" };
        Info {
            name: self.name().into(),
            exactness: Exactness::Exact,
            source: format!("{program} 2.9.3 (McKay, Piperno) in process, on the {encoding}"),
            unavailable: in_process::unavailable(),
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        let start = Instant::now();
        match self.encode(problem, budget) {
            Err(verdict) => Decision::unbuilt(verdict, start.elapsed()),
            Ok(EncodedPair::Different) => {
                Decision::unbuilt(Verdict::NotEquivalent, start.elapsed())
            }
            Ok(EncodedPair::Graphs { q, r, pids }) => {
                let graphs = take_out(q, r);
                if !graphs.same_isolated() && budget.allows_short_cuts() {
                    return Decision::unbuilt(Verdict::NotEquivalent, start.elapsed());
                }
                let decision = in_process::decide(self.program, graphs, pids, budget, start);
                match decision.verdict {
                    // of published graphs of inconsistent states: next-pids taken for pids
                    Verdict::Equivalent(_) if problem.q.pid_count() != problem.r.pid_count() => {
                        Decision { verdict: Verdict::NotEquivalent, ..decision }
                    }
                    _ => decision,
                }
            }
        }
    }
}

#[cfg(feature = "nauty")]
mod in_process {
    use super::Program;
    use crate::backend::{Decision, Undecided, Verdict, Witness};
    use crate::budget::{Budget, Exhausted};
    use crate::encoding::PidVertices;
    use crate::encoding::isolated::Connected;
    use pidlab_nauty::{LabelingLimits, SparseGraph, Stopped, canonical_labeling};
    use std::time::Instant;

    pub fn unavailable() -> Option<String> {
        pidlab_nauty::unavailable().map(str::to_string)
    }

    pub fn decide(
        program: Program,
        graphs: Connected,
        pids: PidVertices,
        budget: &Budget,
        start: Instant,
    ) -> Decision {
        let (sides, complete) = graphs.into_parts();
        if let Err(over) = budget.poll() {
            return Decision::unbuilt(over.into(), start.elapsed());
        }
        let [q, r] = sides.map(|side| SparseGraph::new(side.colors, &side.edges));
        let (Ok(q), Ok(r)) = (q, r) else {
            return Decision::unbuilt(Exhausted::Memory.into(), start.elapsed());
        };
        let (vertices, arcs) = (q.vertex_count(), q.edge_count());
        let built = Instant::now();
        let limits = LabelingLimits {
            time: budget.remaining(),
            memory: budget.memory_limit(),
            own_thread: false,
        };
        let verdict = match isomorphism(program, [q, r], limits) {
            Ok(Some(image)) => witness(&complete(image), pids),
            Ok(None) => Verdict::NotEquivalent,
            Err(Stopped::Time) => Exhausted::Time.into(),
            Err(Stopped::Memory) => Exhausted::Memory.into(),
            Err(other) => Verdict::Undecided(Undecided::Failed(other.to_string())),
        };
        Decision::of(verdict, start, built).sized(vertices, arcs)
    }

    fn witness(image: &[u32], pids: PidVertices) -> Verdict {
        let range = pids.first as usize..(pids.first + pids.count) as usize;
        let images: Option<Vec<u32>> = image[range]
            .iter()
            .map(|v| v.checked_sub(pids.first).filter(|&pid| pid < pids.count))
            .collect();
        match images {
            Some(images) => Verdict::Equivalent(Witness(images)),
            None => Verdict::Undecided(Undecided::Failed(
                "the published graph of an inconsistent state does not tell pids from next-pids"
                    .to_string(),
            )),
        }
    }

    /// Up to here a search fits into any thread's stack, and no node of it takes long.
    const SMALL: usize = 500;
    /// Stack for each vertex: the programs recurse once for each level of the search tree.
    const STACK_PER_VERTEX: usize = 512;
    const STACK: usize = 16 << 20;

    fn isomorphism(
        program: Program,
        graphs: [SparseGraph; 2],
        limits: LabelingLimits,
    ) -> Result<Option<Vec<u32>>, Stopped> {
        let n = graphs[0].vertex_count();
        if n <= SMALL {
            return label_both(program, graphs, limits);
        }
        pidlab_nauty::in_own_thread(STACK + n * STACK_PER_VERTEX, limits.time, move || {
            label_both(program, graphs, LabelingLimits { own_thread: true, ..limits })
        })
    }

    fn label_both(
        program: Program,
        [mut q, mut r]: [SparseGraph; 2],
        limits: LabelingLimits,
    ) -> Result<Option<Vec<u32>>, Stopped> {
        let start = Instant::now();
        let program = match program {
            Program::Nauty => pidlab_nauty::Labeler::Nauty,
            Program::Traces => pidlab_nauty::Labeler::Traces,
        };
        let q_order = canonical_labeling(program, &mut q, limits)?;
        let time = limits.time.map(|time| time.saturating_sub(start.elapsed()));
        let r_order = canonical_labeling(program, &mut r, LabelingLimits { time, ..limits })?;
        let mut image = vec![0; q_order.len()];
        for (&from, &to) in q_order.iter().zip(&r_order) {
            image[from as usize] = to;
        }
        // which looks at the sizes first
        Ok(q.is_isomorphism(&r, &image).then_some(image))
    }
}

#[cfg(not(feature = "nauty"))]
mod in_process {
    use super::Program;
    use crate::backend::{Decision, Undecided, Verdict};
    use crate::budget::Budget;
    use crate::encoding::PidVertices;
    use crate::encoding::isolated::Connected;
    use std::time::Instant;

    const REASON: &str = "built without the feature `nauty`; build with default features";

    pub fn unavailable() -> Option<String> {
        Some(REASON.to_string())
    }

    pub fn decide(
        _program: Program,
        _graphs: Connected,
        _pids: PidVertices,
        _budget: &Budget,
        start: Instant,
    ) -> Decision {
        let verdict = Verdict::Undecided(Undecided::Failed(REASON.to_string()));
        Decision::unbuilt(verdict, start.elapsed())
    }
}
