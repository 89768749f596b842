//! Random programs with functions, virtual calls, exceptions, arrays of arrays, abstract types, tables and sets,
//! against an interpreter of the tests' own: the same states, edges and deadlocks; with exact symmetry as many as there
//! are orbits under all renamings of threads and objects, by trying all of them; the same failed assertions, and runs to
//! them and to deadlocks that are as short as can be; graphs with every edge; collapse tables along random runs.

mod numbers;
mod random;
mod support;

use numbers::Random;
use pidlab_budget::Budget;
use pidlab_explore::heap::{
    Compression, ExplainError, HeapExploration, HeapModel, HeapOptions, HeapOrder, ThreadSymmetry,
    explain, explore,
};
use pidlab_explore::search::Order;
use random::interpreter::{Code, Counts, State, count, fixed_form, least_form, plain_form};
use random::program::{Features, Program, Things};
use std::collections::HashMap;
use support::inline;

const MOST_STATES: usize = 2_000;
const ORDERED: [Things; 3] = [Things::Grid, Things::Bag, Things::Table];

fn search(
    program: &Program,
    symmetry: &str,
    compression: Compression,
    order: Order,
) -> HeapExploration {
    let symmetry: ThreadSymmetry = symmetry.parse().unwrap();
    let options = HeapOptions {
        symmetry,
        compression,
        order,
        trace: true,
        graph: true,
        ..HeapOptions::default()
    };
    let text = program.text();
    explore(inline(&text), &options).unwrap_or_else(|failure| panic!("{failure}\n{text}"))
}

/// The counts of a search, whose graph must have every state and edge, and a name for all that moves.
fn counts(found: &HeapExploration, order: Order, expected: Counts) -> Counts {
    let counters = &found.report.counters;
    let graph = found.graph.as_ref().unwrap();
    assert_eq!(
        (graph.nodes.len() as u64, graph.edges.len() as u64),
        (counters.states, counters.edges)
    );
    assert_eq!(graph.details.len(), graph.edges.len());
    assert!(graph.details.iter().all(|edge| edge.pid.is_some()));
    let ends = graph.nodes.iter().filter(|node| node.deadlock).count() as u64;
    assert_eq!(ends, counters.deadlocks);
    let steps = found.trace.as_ref().map(|trace| trace.steps.len());
    // a depth-first search may find a longer way
    let shortest = |steps: usize| {
        if order == Order::BreadthFirst {
            steps
        } else {
            steps.min(expected.stuck.unwrap_or(steps))
        }
    };
    let stuck = steps.map(shortest);
    let (states, edges, deadlocks) = (counters.states, counters.edges, counters.deadlocks);
    Counts { states, edges, deadlocks, failure: None, stuck }
}

/// How many programs of a series were small enough, and whether something happened in them.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    large: usize,
    smaller: usize,
    failed: usize,
    stuck: usize,
}

fn compare(seed: u64, programs: usize, things: &[Things], assertions: bool) -> Tally {
    let mut random = Random(seed);
    let mut tally = Tally::default();
    for number in 0..programs {
        let features = Features { things: things[number % things.len()], assertions };
        let program = random.program(features);
        let Some(orbits) = count(&program, MOST_STATES, least_form) else { continue };
        let compression = Compression::ALL[number % Compression::ALL.len()];
        let order = if number % 2 == 0 { Order::BreadthFirst } else { Order::DepthFirst };
        tally.compared += 1;
        if let Some(shortest) = orbits.failure {
            tally.failed += 1;
            fails(&program, compression, order, shortest);
            continue;
        }
        let ask = |symmetry: &str, expected: Counts| {
            let found = search(&program, symmetry, compression, order);
            assert!(found.fault.is_none(), "{:?}\n{}", found.fault, program.text());
            counts(&found, order, expected)
        };
        assert_eq!(ask("exact", orbits), orbits, "exact, program {number}\n{}", program.text());
        tally.large += usize::from(orbits.states > 30);
        tally.stuck += usize::from(orbits.stuck.is_some());
        let Some(all) = count(&program, 4 * MOST_STATES, fixed_form) else { continue };
        assert_eq!(ask("none", all), all, "none, program {number}\n{}", program.text());
        tally.smaller += usize::from(orbits.states < all.states);
        for heuristic in ["pc", "kbots:0", "kbots:1", "kbots:inf"] {
            let states = ask(heuristic, all).states;
            let range = orbits.states..=all.states;
            assert!(range.contains(&states), "{heuristic}, program {number}\n{}", program.text());
        }
    }
    tally
}

/// Under every symmetry the assertion is found to fail, breadth-first by a shortest run.
fn fails(program: &Program, compression: Compression, order: Order, shortest: usize) {
    for symmetry in ["none", "pc", "kbots:1", "kbots:inf", "exact"] {
        let found = search(program, symmetry, compression, order);
        let text = found.fault.as_ref().map_or("", |(_, text)| text.as_str());
        assert!(text.contains("assert"), "{symmetry}: {text:?}\n{}", program.text());
        let trace = found.trace.unwrap();
        assert!(trace.steps.len() >= shortest, "{symmetry}\n{}", program.text());
        assert!(
            order == Order::DepthFirst || trace.steps.len() == shortest,
            "{symmetry}\n{}",
            program.text()
        );
        assert!(trace.ending[0].contains("assert"), "{:?}", trace.ending);
    }
}

#[test]
fn random_programs_agree_with_the_interpreter() {
    let tally = compare(16, 210, &ORDERED, false);
    assert!(tally.compared > 100, "only {} programs were small enough", tally.compared);
    assert!(tally.large > 30, "only {} programs had more than 30 states", tally.large);
    assert!(tally.smaller > 15, "only {} programs had symmetry", tally.smaller);
    assert!(tally.stuck > 20, "only {} programs had a deadlock", tally.stuck);
}

#[test]
fn with_sets_of_references_too() {
    let tally = compare(17, 70, &[Things::NodeSet], false);
    assert!(tally.compared > 25, "only {} programs were small enough", tally.compared);
}

#[test]
fn assertions_fail_where_the_interpreter_says_so() {
    let tally = compare(18, 90, &ORDERED, true);
    assert!(tally.failed > 10 && tally.compared > tally.failed + 20, "{tally:?}");
}

/// Threads are called by type and order of creation.
struct Named {
    state: State,
    names: Vec<String>,
}

impl Named {
    fn start() -> Named {
        Named { state: State::start(), names: vec!["MAIN 1".into()] }
    }

    /// The first step of a thread, as `explain` takes it; `None` if the run ends here.
    fn step(&mut self, program: &Program, thread: usize) -> Option<Took> {
        let mut steps = program.steps(&self.state)?;
        steps.retain(|step| step.thread == thread);
        let Some(first) = steps.first() else { return Some(Took::Nothing) };
        if steps.iter().filter(|step| step.label == first.label).count() > 1 {
            return Some(Took::Choice);
        }
        let step = steps.swap_remove(0);
        let before = self.state.threads.len();
        self.state = step.to?;
        if before > self.state.threads.len() || step.label.0 == Code::Main {
            self.names.remove(thread);
        }
        if step.label.0 == Code::Main {
            let mut made: HashMap<usize, usize> = HashMap::new();
            for (of, _) in &program.started {
                let number = made.entry(*of).or_default();
                *number += 1;
                self.names.push(format!("T{of} {number}"));
            }
        }
        Some(Took::Step)
    }
}

/// What became of a move; which of several choices comes first is not the interpreter's to say.
#[derive(PartialEq)]
enum Took {
    Step,
    Nothing,
    Choice,
}

/// Rows of one pool: two states of a run have one number iff the interpreter has them for equal.
#[test]
fn collapse_tables_tell_states_apart_as_the_interpreter_does() {
    let mut random = Random(19);
    let (mut tables_seen, mut equal) = (0, 0);
    for number in 0..150 {
        let features = Features { things: ORDERED[number % 3], assertions: false };
        let program = random.program(features);
        let model = HeapModel::new(inline(&program.text()), HeapOrder::DepthFirst);
        let (mut run, mut moves, mut states) = (Named::start(), Vec::new(), Vec::new());
        for _ in 0..12 {
            if run.names.is_empty() {
                break;
            }
            let thread = random.below(run.names.len());
            let name = run.names[thread].clone();
            let Some(took) = run.step(&program, thread) else { break };
            if took == Took::Choice {
                continue;
            }
            moves.push(name);
            if took == Took::Nothing {
                let error = explain(&model, ThreadSymmetry::None, &moves, 1, &Budget::unlimited());
                let is_stuck = matches!(error, Err(ExplainError::Stuck { .. }));
                assert!(is_stuck, "{error:?}\n{}", program.text());
                moves.pop();
                continue;
            }
            states.push(plain_form(&run.state));
        }
        let symmetry = ThreadSymmetry::None;
        let tables = explain(&model, symmetry, &moves, moves.len(), &Budget::unlimited());
        let tables =
            tables.unwrap_or_else(|error| panic!("{error}, {moves:?}\n{}", program.text()));
        let numbers: Vec<u32> =
            tables.iter().map(|table| table.rows.last().unwrap().number).collect();
        for (i, j) in (0..states.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let same = states[i] == states[j];
            equal += usize::from(same);
            assert_eq!(same, numbers[i] == numbers[j], "{moves:?}\n{}", program.text());
        }
        tables_seen += tables.len();
    }
    assert!(tables_seen > 400 && equal > 20, "{tables_seen} tables, {equal} pairs equal");
}

#[test]
#[ignore = "takes minutes"]
fn many_more() {
    for seed in 0..20 {
        compare(1_000 + seed, 1_000, &ORDERED, false);
        compare(2_000 + seed, 300, &[Things::NodeSet], false);
        compare(
            3_000 + seed,
            300,
            &[Things::Grid, Things::Bag, Things::Table, Things::NodeSet],
            true,
        );
    }
}
