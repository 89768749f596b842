//! Random heap programs: how states are kept and in which order they are found must change no count, and a
//! symmetry may merge states but lose neither violation nor deadlock.
//!
//! Without symmetry and with the exact one, states, edges and deadlocks are the same for all visited sets and both
//! orders. `pc` and `kbots` are heuristics: they lie between the two, for the order in which they searched.

use crate::{Agreement, Contradiction, File, Lines, Subject};
use pidlab_budget::Budget;
use pidlab_explore::heap::{Compression, HeapOptions, ThreadSymmetry, compile, explore};
use pidlab_explore::search::{Limits, Order};
use pidlab_explore::source::Source;
use pidlab_random::Rng;

/// States that are looked at; larger programs are not compared.
const MOST_STATES: u64 = 4_000;

/// Programs with records, locks, references and threads.
pub struct Heaps;

/// What an exploration came to: counts, or that it was cut short by a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Explored {
    states: u64,
    edges: u64,
    deadlocks: u64,
    violated: bool,
}

impl Subject for Heaps {
    type Case = Lines;

    fn draw(&self, rng: &mut Rng) -> Option<Lines> {
        Some(program(rng))
    }

    fn hold_against_each_other(&self, lines: &Lines, budget: &Budget) -> Agreement {
        let with = |symmetry, compression, order| run(lines, symmetry, compression, order, budget);
        let (depth, breadth) = (Order::DepthFirst, Order::BreadthFirst);
        let mut comparisons = 0;
        let mut largest = None;
        for symmetry in [ThreadSymmetry::None, ThreadSymmetry::Exact] {
            let Some(first) = with(symmetry, Compression::Bytes, depth)? else { return Ok(0) };
            for compression in Compression::ALL {
                for order in [depth, breadth] {
                    let Some(other) = with(symmetry, compression, order)? else { continue };
                    same(first, other, &format!("{symmetry}, {compression}, {order:?}"))?;
                    comparisons += 1;
                }
            }
            let all = *largest.get_or_insert(first);
            merged(all, first, &format!("{symmetry} against none"))?;
        }
        let Some(exact) = with(ThreadSymmetry::Exact, Compression::Bytes, depth)? else {
            return Ok(comparisons);
        };
        for symmetry in [ThreadSymmetry::Pc, ThreadSymmetry::Kbots(usize::MAX)] {
            let Some(found) = with(symmetry, Compression::Bytes, depth)? else { continue };
            merged(found, exact, &format!("exact against {symmetry}"))?;
            if let Some(all) = largest {
                merged(all, found, &format!("{symmetry} against none"))?;
            }
            comparisons += 2;
        }
        Ok(comparisons)
    }

    fn shrink(&self, lines: &Lines, still_wrong: &mut dyn FnMut(&Lines) -> bool) -> Lines {
        lines.shrink(still_wrong)
    }

    fn files(&self, lines: &Lines) -> Vec<File> {
        vec![("program.bir".into(), lines.text().into_bytes())]
    }
}

/// Counts of one exploration; `None` where the program is too large, or what is left of it is not one.
fn run(
    lines: &Lines,
    symmetry: ThreadSymmetry,
    compression: Compression,
    order: Order,
    budget: &Budget,
) -> Result<Option<Explored>, Contradiction> {
    let source = Source::new("program.bir", lines.text());
    let Ok(program) = compile(&source, &[]) else { return Ok(None) };
    let limits = Limits { states: Some(MOST_STATES), budget: budget.detached() };
    let options = HeapOptions { symmetry, compression, order, limits, ..HeapOptions::default() };
    let Ok(found) = explore(program, &options) else { return Ok(None) };
    let violated = found.fault.is_some();
    if !violated && !found.report.complete() {
        return Ok(None);
    }
    let counters = &found.report.counters;
    let (states, edges) = (counters.states, counters.edges);
    Ok(Some(Explored { states, edges, deadlocks: found.stuck(), violated }))
}

fn same(first: Explored, other: Explored, what: &str) -> Result<(), Contradiction> {
    // a violation ends the search, and where that is depends on the order
    let same = first == other || first.violated && other.violated;
    let message = || format!("bytes, depth-first: {first:?}; {what}: {other:?}");
    if same { Ok(()) } else { Err(Contradiction::new("counts", message())) }
}

/// Merging makes fewer states, and loses neither a violation nor a deadlock.
fn merged(more: Explored, fewer: Explored, what: &str) -> Result<(), Contradiction> {
    let kept = more.violated == fewer.violated
        && (more.violated
            || fewer.states <= more.states
                && (fewer.deadlocks > 0) == (more.deadlocks > 0)
                && fewer.deadlocks <= more.deadlocks);
    let message = || format!("{what}: {more:?} became {fewer:?}");
    if kept { Ok(()) } else { Err(Contradiction::new("merging", message())) }
}

const LOCATIONS: usize = 3;

const GUARDS: [&str; 6] =
    ["x.flag", "!x.flag", "x.next != null", "x == shared", "count < 2", "n < 2"];

const STATEMENTS: [&str; 16] = [
    "x.flag := true;",
    "x.flag := false;",
    "x.value := (x.value + 1) % 3;",
    "x.next := new Node;",
    "x.next := shared;",
    "if x.next != null { x := x.next; }",
    "shared := x;",
    "x := shared;",
    "count := (count + 1) % 3;",
    "n := choose(0..1);",
    "if x.value > 1 { x.next := null; }",
    "lock(x.guard);",
    "if held(x.guard) { unlock(x.guard); }",
    "if x.next != null && x.next.flag { x.next.next := x; }",
    "add(bag, x);",
    "if contains(bag, x) { remove(bag, x); }",
];

/// Two kinds of threads over a few nodes, a set and a counter.
fn program(rng: &mut Rng) -> Lines {
    let mut lines = Lines::default();
    for line in [
        "system random {",
        "top record Object {}",
        "record Node extends Object { Node next; int(0..2) value; boolean flag; lock guard; }",
        "Node shared;",
        "set<Node> bag;",
        "int(0..2) count;",
    ] {
        lines.fixed(line);
    }
    for kind in ["A", "B"] {
        lines.fixed(format!("thread {kind}(Node x) {{ int(0..2) n;"));
        for location in 0..LOCATIONS {
            lines.fixed(format!("loc l{location}:"));
            for _ in 0..1 + rng.index(2) {
                transformation(rng, &mut lines, location);
            }
        }
        lines.fixed("}");
    }
    main_thread(rng, &mut lines);
    lines.fixed("}");
    lines
}

fn transformation(rng: &mut Rng, lines: &mut Lines, location: usize) {
    let guard = match rng.index(3) {
        0 => format!("when {} ", GUARDS[rng.index(GUARDS.len())]),
        _ => String::new(),
    };
    lines.fixed(format!("{guard}do {{"));
    for _ in 0..rng.index(3) {
        lines.optional(STATEMENTS[rng.index(STATEMENTS.len())]);
    }
    if rng.index(12) == 0 {
        lines.optional("assert !x.flag || n < 2;");
    }
    // mostly onwards, so that threads end
    let next = location + 1 - rng.index(2).min(location + 1) * usize::from(rng.index(3) == 0);
    let unlock = "if held(x.guard) { unlock(x.guard); }";
    match next < LOCATIONS {
        true => lines.fixed(format!("}} goto l{next};")),
        false => lines.fixed(format!("{unlock} }} return;")),
    }
}

fn main_thread(rng: &mut Rng, lines: &mut Lines) {
    lines.fixed("main thread MAIN() { loc l0: do {");
    lines.fixed("Node a := new Node; Node b := new Node; shared := a; bag := new set<Node>;");
    if rng.chance(0.5) {
        lines.optional("a.next := b;");
    }
    for _ in 0..2 + rng.index(2) {
        let (kind, node) = (["A", "B"][rng.index(2)], ["a", "b"][rng.index(2)]);
        lines.optional(format!("start {kind}({node});"));
    }
    lines.fixed("} return; }");
}
