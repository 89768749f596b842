//! Random nets: the paths that a search of markings can take, and a search over whole states by the engine.
//!
//! Nets that stay within one tree take the path of remembered moves, all others the general one; counts must not
//! depend on it, nor on the order of the search or the number of threads. The plain search knows no markings: it
//! merges states by their canonical form and counts classes, edges and deadlocks itself. Some nets leave the domain of a
//! place; then breadth-first searches must tell the same mistake.

use crate::{Agreement, Contradiction, File, Lines, Subject};
use pidlab_backends::canonical_form;
use pidlab_budget::Budget;
use pidlab_core::{Relation, Relations};
use pidlab_explore::net::{
    ExploreError, Named, Net, NetCanonizer, NetModel, NetOptions, compile, each_step, explore,
};
use pidlab_explore::search::{ArenaStore, Counters, Failure, Limits, Options, Order, search};
use pidlab_explore::source::Source;
use pidlab_random::Rng;
use std::collections::{HashMap, HashSet};

/// Classes that are looked at; larger nets are not compared.
const MOST_CLASSES: u64 = 200;

/// Control in A and B, memory of other pids in C and D.
const CROSSING: [&str; 4] =
    ["flow A(pid)", "flow B(pid, int)", "data C(pid, pid)", "data D(pid, int)"];
const LOCAL: [&str; 3] = ["flow A(pid)", "flow B(pid, int)", "flow D(pid, int)"];

/// Transitions that bind threads of one tree only.
const LOCAL_MOVES: [&str; 9] = [
    "take A(p) put B(p, 0)",
    "take B(p, n) guard n < 2 put B(p, n + 1)",
    "take B(p, n) guard n == 1 put A(p)",
    "take A(p) create c of p put D(p, 0), B(c, 0)",
    "take A(p) create c[2] of p put B(c[1], 0), B(c[2], 1) end p",
    "take D(p, n), B(c, m) guard p parent c put B(p, m) end c",
    "take D(p, n), B(c, m) guard p ancestor c and m > 0 put D(p, 1), B(c, 0)",
    "take B(p, n) guard no(D(x, _) where x parent p) end p",
    "take D(p, n) guard n == 0 end p",
];

/// Nets with threads that are created, compared, remembered and ended.
pub struct Nets;

impl Subject for Nets {
    type Case = (Lines, Relations);

    fn draw(&self, rng: &mut Rng) -> Option<Self::Case> {
        let lines = if rng.chance(0.4) { local_net(rng) } else { crossing_net(rng) };
        let net = compile(Source::new("random.tnet", lines.text()), &[], &[]).ok()?;
        let more = Relation::ALL.into_iter().filter(|_| rng.index(3) == 0);
        Some((lines, more.fold(net.used_relations(), Relations::with)))
    }

    fn hold_against_each_other(
        &self,
        (lines, relations): &Self::Case,
        budget: &Budget,
    ) -> Agreement {
        // what is left of a net while it is made smaller need not be one
        let source = Source::new("random.tnet", lines.text());
        let Ok(net) = compile(source, &[], &[]) else { return Ok(0) };
        if !net.used_relations().is_subset(*relations) {
            return Ok(0);
        }
        compare(&net, *relations, budget)
    }

    fn shrink(
        &self,
        (lines, relations): &Self::Case,
        still_wrong: &mut dyn FnMut(&Self::Case) -> bool,
    ) -> Self::Case {
        let lines = lines.shrink(&mut |lines| still_wrong(&(lines.clone(), *relations)));
        (lines, *relations)
    }

    fn files(&self, (lines, relations): &Self::Case) -> Vec<File> {
        let text = format!("// explore with --relations {relations}\n{}", lines.text());
        vec![("net.tnet".into(), text.into_bytes())]
    }
}

/// The places, some with a domain that transitions may leave.
fn with_places(rng: &mut Rng, places: &[&str], init: &str) -> Lines {
    let mut lines = Lines::default();
    lines.fixed("net random");
    for place in places {
        let bounded = format!("int in 0..{}", 1 + rng.index(3));
        let place =
            if rng.index(4) == 0 { place.replace("int", &bounded) } else { place.to_string() };
        lines.fixed(place);
    }
    lines.fixed(init);
    lines
}

fn local_net(rng: &mut Rng) -> Lines {
    let init = ["init A(@1), B(@2, 0)", "init A(@1)", "init A(@1), A(@2), B(@3, 1)"];
    let init = init[rng.index(3)];
    let mut lines = with_places(rng, &LOCAL, init);
    for (number, body) in LOCAL_MOVES.iter().enumerate() {
        if rng.index(3) > 0 {
            lines.optional(format!("transition t{number} {{ {body} }}"));
        }
    }
    lines
}

/// Every active thread holds a token of A or B.
fn crossing_net(rng: &mut Rng) -> Lines {
    let mut lines = with_places(rng, &CROSSING, "init A(@1)");
    for number in 0..rng.between(3, 7) {
        let relation = Relation::ALL[rng.index(4)].name();
        let guards = [
            String::new(),
            format!("guard p {relation} q"),
            format!("guard not p {relation} q"),
            "guard p != q".to_string(),
        ];
        let guard = &guards[rng.index(guards.len())];
        let body = match rng.index(9) {
            0 => "take A(p) put B(p, 0)".to_string(),
            1 => "take B(p, n) put A(p)".to_string(),
            2 => "take A(p) create c of p put A(p), B(c, 0)".to_string(),
            3 => "take B(p, n) guard n < 2 create c of p put B(p, n + 1), A(c)".to_string(),
            4 => format!("take A(p), A(q) {guard} put A(p) end q"),
            5 => format!("take A(p), B(q, n) {guard} put B(p, n) end q"),
            6 => format!("take A(p), A(q) {guard} put B(p, 1), A(q), C(p, q)"),
            7 => format!("take C(p, q) {guard} put D(q, 0)"),
            _ => "take A(p) create c[2] of p put B(c[1], 0), A(c[2]), C(p, c[1]) end p".to_string(),
        };
        lines.optional(format!("transition t{number} {{ {body} }}"));
    }
    lines
}

/// Classes, distinct edges and deadlocks: what all searches must count alike.
type Counts = (u64, u64, u64);

fn counts(counters: &Counters) -> Counts {
    (counters.states, counters.edges, counters.deadlocks)
}

fn compare(net: &Net, relations: Relations, budget: &Budget) -> Agreement {
    let limits = || Limits { states: Some(MOST_CLASSES), budget: budget.detached() };
    let ways = [
        ("breadth-first", Order::BreadthFirst, 1),
        ("two threads", Order::BreadthFirst, 2),
        ("depth-first", Order::DepthFirst, 1),
    ];
    let mut found: Vec<(&str, Counts)> = Vec::new();
    let mut mistakes: Vec<(&str, String)> = Vec::new();
    for (name, order, threads) in ways {
        let options = Options { order, threads, limits: limits(), ..Options::default() };
        let settings = NetOptions { relations, canon: true, force: false, options };
        match explore(net, &settings) {
            Ok(explored) if explored.report.complete() => {
                found.push((name, counts(&explored.report.counters)));
            }
            Err(ExploreError::Failure(Failure::Model(said))) => {
                if order == Order::BreadthFirst {
                    mistakes.push((name, said));
                }
            }
            // too large
            _ => return Ok(0),
        }
    }
    if !mistakes.is_empty() {
        return same_mistake(&mistakes, &found);
    }
    let options = Options { limits: limits(), ..Options::default() };
    let (model, keys) =
        (NetModel::without_symmetry(net, relations), NetCanonizer::general(net, relations));
    if let Ok(report) = search(&model, &keys, &mut ArenaStore::new(), &options)
        && report.complete()
    {
        found.push(("the general path", counts(&report.counters)));
    }
    found.extend(over_states(net, relations, budget).map(|counts| ("states", counts)));
    let (first, expected) = found[0];
    match found.iter().find(|(_, counts)| *counts != expected) {
        None => Ok(found.len() as u64 - 1),
        Some((other, counts)) => {
            let message = format!(
                "classes, edges and deadlocks under {relations}: {first} {expected:?}, {other} {counts:?}"
            );
            Err(Contradiction::new("counts", message))
        }
    }
}

/// A mistake of the net is found by all searches, and by breadth-first ones in the same words.
fn same_mistake(mistakes: &[(&str, String)], found: &[(&str, Counts)]) -> Agreement {
    let (first, said) = &mistakes[0];
    if let Some((other, counts)) = found.first() {
        let message = format!("{first} finds a mistake, {other} counts {counts:?}: {said}");
        return Err(Contradiction::new("mistake", message));
    }
    match mistakes.iter().find(|(_, other)| other != said) {
        None => Ok(mistakes.len() as u64 - 1),
        Some((other, instead)) => {
            let message = format!("{first} finds a mistake:\n{said}\n{other} another:\n{instead}");
            Err(Contradiction::new("mistake", message))
        }
    }
}

/// Breadth-first over states with pids, merged by the engine's canonical form.
fn over_states(net: &Net, relations: Relations, budget: &Budget) -> Option<Counts> {
    let class = |named: &Named| {
        let state = named.to_state(net).ok()?;
        canonical_form(&state, relations, budget).ok().map(|form| form.hash)
    };
    let first = Named::initial(net);
    let mut known = HashMap::from([(class(&first)?, 0)]);
    let mut all = vec![first];
    let (mut edges, mut deadlocks, mut next) = (HashSet::new(), 0, 0);
    while next < all.len() {
        let mut steps = Vec::new();
        let before = all[next].clone();
        each_step(net, &before, budget, |transition, _, after| {
            steps.push((transition.label, after.clone()));
            Ok(())
        })
        .ok()?;
        deadlocks += u64::from(steps.is_empty());
        for (name, after) in steps {
            let to = *known.entry(class(&after)?).or_insert(all.len());
            if to == all.len() {
                all.push(after);
            }
            edges.insert((next, name, to));
        }
        next += 1;
        if all.len() as u64 > MOST_CLASSES {
            return None;
        }
    }
    Some((all.len() as u64, edges.len() as u64, deadlocks))
}
