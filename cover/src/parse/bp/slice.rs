//! Leaves out of a program what its property does not see.
//!
//! Weiser's slicing ("Program slicing", 1984) for threads that may block: what matters are assertions,
//! guards and assignments to shared variables that matter, wherever one of these can still follow. These
//! things are done until nothing changes: a thread that can no longer do anything that others or the
//! property notice has ended; a detour that leads back to where it starts and on which nothing of that kind
//! happens is not taken; two branches on a condition and its negation that meet again before anything
//! happens are one; assignments to variables that nobody reads are gone. A run of the slice is a run of
//! the program with the missing statements put back, and the other way round: a thread that would wait in
//! a detour stays where it starts.
//! Cost: a few passes over the control-flow graph.

use super::ast::ThreadCount;
use super::flow::{ENDED, Edge, Flow, FlowOp, Var};
use super::live::{Live, Strength, drop_dead_assignments, live};
use crate::budget::{Budget, Exhausted};

/// Slices for the assertions and for conditions on the given shared variables.
pub fn slice(flow: &mut Flow, wanted: u128, budget: &Budget) -> Result<Live, Exhausted> {
    loop {
        let size = size(flow);
        decide_constants(flow);
        let found = keep_relevant(flow, wanted, budget)?;
        drop_dead_assignments(flow, &found);
        end_idle_threads(flow, &found, budget)?;
        shorten(flow, budget)?;
        join_branches(flow, budget)?;
        if size == self::size(flow) {
            return live(flow, Strength::Strong, wanted, budget);
        }
    }
}

/// What shrinks as long as there is something to leave out.
fn size(flow: &Flow) -> (usize, usize, usize) {
    let active = flow.edges.iter().filter(|edge| edge.op != FlowOp::Skip);
    let pairs = flow.edges.iter().map(|edge| match &edge.op {
        FlowOp::Assign { pairs, .. } => pairs.len(),
        _ => 0,
    });
    (flow.edges.len(), active.count(), pairs.sum())
}

/// Leaves out detours, and says what matters to what is left. Which detours there are depends on
/// what matters and the other way round: at first only what the property speaks of does, and whatever the
/// remaining guards read is added until nothing comes.
fn keep_relevant(flow: &mut Flow, wanted: u128, budget: &Budget) -> Result<Live, Exhausted> {
    let everything = live(flow, Strength::Strong, u128::MAX, budget)?;
    let mut shared = wanted;
    loop {
        let mut without = Flow { edges: flow.edges.clone(), ..flow.skeleton() };
        let detours = detours(&without, &Live { shared, ..everything.clone() }, budget)?;
        let mut at = 0;
        without.edges.retain(|_| {
            at += 1;
            !detours[at - 1]
        });
        keep_reachable(&mut without);
        let found = live(&without, Strength::Strong, shared, budget)?;
        if found.shared == shared {
            flow.edges = without.edges;
            return Ok(found);
        }
        shared = found.shared;
    }
}

/// Nodes that a detour may pass; a longer one is kept.
const LONGEST_DETOUR: usize = 5_000;

/// The edges that start detours: whatever follows leads back to where they start, or nowhere.
fn detours(flow: &Flow, live: &Live, budget: &Budget) -> Result<Vec<bool>, Exhausted> {
    let out = flow.out();
    let mut found = vec![false; flow.edges.len()];
    let mut seen = vec![0u32; flow.nodes as usize];
    for (number, first) in flow.edges.iter().enumerate() {
        let home = first.from;
        if flow.atomic[home as usize] || first.to == home || !is_quiet(first, home, live) {
            continue;
        }
        let mark = number as u32 + 1;
        let (mut open, mut passed, mut quiet) = (vec![first.to], 0, true);
        while let Some(node) = open.pop()
            && quiet
        {
            if node == home || std::mem::replace(&mut seen[node as usize], mark) == mark {
                continue;
            }
            passed += 1;
            quiet = passed <= LONGEST_DETOUR;
            for &e in &out[node as usize] {
                budget.steps(1)?;
                let edge = &flow.edges[e as usize];
                quiet &= is_quiet(edge, home, live);
                open.push(edge.to);
            }
        }
        found[number] = quiet && passed > 0 && returns(first.to, home, &out, flow, &mut seen);
    }
    Ok(found)
}

/// Whether a way leads back: what only ends is left to [`end_idle_threads`].
fn returns(start: u32, home: u32, out: &[Vec<u32>], flow: &Flow, seen: &mut [u32]) -> bool {
    let (mut open, mark) = (vec![start], u32::MAX);
    let mut passed = Vec::new();
    let mut found = false;
    while let Some(node) = open.pop() {
        if node == home {
            found = true;
            break;
        }
        if std::mem::replace(&mut seen[node as usize], mark) != mark {
            passed.push(node);
            open.extend(out[node as usize].iter().map(|&e| flow.edges[e as usize].to));
        }
    }
    passed.into_iter().for_each(|node| seen[node as usize] = 0);
    found
}

/// Whether neither others, nor the property, nor the thread itself once it is back at a node notices the
/// edge.
fn is_quiet(edge: &Edge, home: u32, live: &Live) -> bool {
    match &edge.op {
        FlowOp::Skip | FlowOp::Assume(_) => true,
        FlowOp::Assert(_) | FlowOp::Spawn(_) | FlowOp::Sync(_) => false,
        FlowOp::Lock(v) => !live.keeps(*v, home),
        FlowOp::Assign { pairs, .. } => pairs.iter().all(|(v, _)| !live.keeps(*v, home)),
    }
}

/// Guards that always or never let threads pass.
fn decide_constants(flow: &mut Flow) {
    flow.edges.retain_mut(|edge| {
        let (FlowOp::Assume(e) | FlowOp::Assert(e)) = &edge.op else { return true };
        let Some(values) = e.constant_values() else { return true };
        let passes = match edge.op {
            FlowOp::Assume(_) => values.yes,
            _ => !values.no,
        };
        if passes {
            edge.op = FlowOp::Skip;
        }
        passes || matches!(edge.op, FlowOp::Assert(_))
    });
}

/// Whether others or the property notice the edge.
fn is_noticed(edge: &Edge, live: &Live, useful: &[bool]) -> bool {
    match &edge.op {
        FlowOp::Skip | FlowOp::Assume(_) => false,
        FlowOp::Assert(_) | FlowOp::Sync(_) => true,
        FlowOp::Lock(v) => live.keeps(*v, edge.to),
        FlowOp::Spawn(child) => useful[*child as usize],
        FlowOp::Assign { pairs, .. } => {
            pairs.iter().any(|(v, _)| matches!(v, Var::Shared(_)) && live.keeps(*v, edge.to))
        }
    }
}

/// Threads end where nothing that is noticed can follow. What is inside an atomic section stays, as
/// the section counts only if it can be finished.
fn end_idle_threads(flow: &mut Flow, live: &Live, budget: &Budget) -> Result<(), Exhausted> {
    let mut into = vec![Vec::new(); flow.nodes as usize];
    for (i, edge) in flow.edges.iter().enumerate() {
        into[edge.to as usize].push(i);
        if let FlowOp::Spawn(child) = edge.op {
            into[child as usize].push(i);
        }
    }
    let mut useful = vec![false; flow.nodes as usize];
    let noticed = flow.edges.iter().filter(|edge| is_noticed(edge, live, &useful));
    let mut open: Vec<u32> = noticed.map(|edge| edge.from).collect();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut useful[node as usize], true) {
            continue;
        }
        for &e in &into[node as usize] {
            budget.steps(1)?;
            open.push(flow.edges[e].from);
        }
    }
    let idle: Vec<bool> = useful.iter().zip(&flow.atomic).map(|(u, a)| !u && !a).collect();
    let outside: Vec<bool> = flow.atomic.iter().map(|a| !a).collect();
    for edge in &mut flow.edges {
        if matches!(edge.op, FlowOp::Spawn(child) if !useful[child as usize]) {
            edge.op = FlowOp::Skip;
        }
        let enters = outside[edge.from as usize] && !useful[edge.to as usize];
        if enters || idle[edge.to as usize] {
            edge.to = ENDED;
            if outside[edge.from as usize] {
                edge.sections = 0;
            }
        }
    }
    flow.edges.retain(|edge| !idle[edge.from as usize]);
    keep_reachable(flow);
    Ok(())
}

fn keep_reachable(flow: &mut Flow) {
    let out = flow.out();
    let mut seen = vec![false; flow.nodes as usize];
    let mut open: Vec<u32> = flow.entries.iter().map(|entry| entry.node).collect();
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        for &e in &out[node as usize] {
            let edge = &flow.edges[e as usize];
            open.push(edge.to);
            if let FlowOp::Spawn(child) = edge.op {
                open.push(child);
            }
        }
    }
    flow.edges.retain(|edge| seen[edge.from as usize]);
}

/// Edges lead past nodes from which there is one way on, on which nothing happens.
fn shorten(flow: &mut Flow, budget: &Budget) -> Result<(), Exhausted> {
    let out = flow.out();
    let only_way = |node: u32| match out[node as usize][..] {
        [e] => {
            let edge = &flow.edges[e as usize];
            (edge.op == FlowOp::Skip && edge.sections == 0).then_some(edge.to)
        }
        _ => None,
    };
    let mut end: Vec<Option<u32>> = vec![None; flow.nodes as usize];
    for start in 0..flow.nodes {
        let (mut path, mut node) = (Vec::new(), start);
        while end[node as usize].is_none() {
            budget.steps(1)?;
            // stands in for itself if the way leads back here
            end[node as usize] = Some(node);
            path.push(node);
            let Some(next) = only_way(node) else { break };
            node = next;
        }
        let last = end[node as usize];
        path.into_iter().for_each(|passed| end[passed as usize] = last);
    }
    let end = |node: u32| end[node as usize].unwrap_or(node);
    for edge in &mut flow.edges {
        edge.to = end(edge.to);
        if let FlowOp::Spawn(child) = &mut edge.op {
            *child = end(*child);
        }
    }
    flow.edges.retain(|edge| edge.from != edge.to || edge.op != FlowOp::Skip || edge.sections != 0);
    keep_reachable(flow);
    Ok(())
}

/// Several edges between the same nodes of which one suffices.
fn join_branches(flow: &mut Flow, budget: &Budget) -> Result<(), Exhausted> {
    let mut gone = vec![false; flow.edges.len()];
    for edges in flow.out() {
        for (i, &a) in edges.iter().enumerate() {
            for &b in &edges[i + 1..] {
                budget.steps(1)?;
                let (first, second) = (&flow.edges[a as usize], &flow.edges[b as usize]);
                let parallel = first.to == second.to && first.sections == second.sections;
                if gone[a as usize] || gone[b as usize] || !parallel {
                    continue;
                }
                if first.op == FlowOp::Skip || first.op == second.op {
                    gone[b as usize] = second.op == first.op || is_guard(&second.op);
                } else if second.op == FlowOp::Skip && is_guard(&first.op) {
                    gone[a as usize] = true;
                } else if are_opposite(&first.op, &second.op) {
                    gone[b as usize] = true;
                    flow.edges[a as usize].op = FlowOp::Skip;
                }
            }
        }
    }
    let mut at = 0;
    flow.edges.retain(|_| {
        at += 1;
        !gone[at - 1]
    });
    Ok(())
}

fn is_guard(op: &FlowOp) -> bool {
    matches!(op, FlowOp::Assume(_))
}

fn are_opposite(a: &FlowOp, b: &FlowOp) -> bool {
    match (a, b) {
        (FlowOp::Assume(a), FlowOp::Assume(b)) => {
            a.clone().negated() == *b || b.clone().negated() == *a
        }
        _ => false,
    }
}

/// Shared variables whose first value may be read, if a single thread starts; all others are assigned
/// before anyone looks.
pub fn initially_read(flow: &Flow, budget: &Budget) -> Result<u128, Exhausted> {
    let [only] = flow.entries[..] else { return Ok(u128::MAX) };
    if only.count != ThreadCount::Exactly(1) {
        return Ok(u128::MAX);
    }
    let mut read = vec![0u128; flow.nodes as usize];
    let mut changed = true;
    while changed {
        changed = false;
        for edge in flow.edges.iter().rev() {
            budget.steps(1)?;
            let mut bits = read[edge.to as usize];
            let mut used = 0u128;
            let mut look = |v: &Var| {
                if let Var::Shared(i) = v {
                    used |= 1 << i;
                }
            };
            match &edge.op {
                FlowOp::Skip => {}
                FlowOp::Lock(v) => look(v),
                FlowOp::Assume(e) | FlowOp::Assert(e) => e.each_variable(&mut look),
                FlowOp::Spawn(_) | FlowOp::Sync(_) => used = u128::MAX,
                FlowOp::Assign { pairs, constrain } => {
                    pairs.iter().for_each(|(_, e)| e.each_variable(&mut look));
                    constrain.iter().for_each(|e| {
                        e.each(&mut |v, next| {
                            if !next || !pairs.iter().any(|(w, _)| w == v) {
                                look(v);
                            }
                        })
                    });
                    for (v, _) in pairs {
                        if let Var::Shared(i) = v {
                            bits &= !(1 << i);
                        }
                    }
                }
            }
            let node = &mut read[edge.from as usize];
            changed |= (bits | used) & !*node != 0;
            *node |= bits | used;
        }
    }
    Ok(read[only.node as usize])
}
