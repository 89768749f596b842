//! Differences in what single pids look like: where they occur, their family, their neighbourhood.

use super::census::{Imbalance, first_imbalance, numbers};
use super::vectors::{VectorShape, all_shapes};
use super::{Example, Reason, ReasonKind};
use crate::backend::Problem;
use crate::budget::Budget;
use crate::digraph::DigraphPair;
use crate::wl;
use pidlab_core::forest::NONE;
use pidlab_core::graph::Form;
use pidlab_core::graph::links::{Links, RelationScope};
use pidlab_core::state::ComponentKind;
use pidlab_core::{Relation, Relations, State};
use rustc_hash::FxHashMap;

/// Whether a pid is active, and (shape, place in the vector) of all its occurrences.
type Occurrences = (bool, Vec<(u32, u32)>);

pub fn compare_occurrences(q: &State, r: &State) -> Option<Reason> {
    let shapes = [all_shapes(q), all_shapes(r)];
    let mut numbers_of: FxHashMap<&VectorShape, u32> = FxHashMap::default();
    let mut number = |shape| {
        let fresh = numbers_of.len() as u32;
        *numbers_of.entry(shape).or_insert(fresh)
    };
    let ids: [Vec<u32>; 2] = [0, 1].map(|i| shapes[i].iter().map(&mut number).collect());
    let (mine, theirs) = (occurrences(q, &ids[0]), occurrences(r, &ids[1]));
    let found = first_imbalance(&mine, &theirs)?;
    let (of, list) = if found.in_q { (&ids[0], &mine) } else { (&ids[1], &theirs) };
    let names = if found.in_q { &shapes[0] } else { &shapes[1] };
    let text = |id: u32| {
        of.iter().position(|&known| known == id).map_or_else(String::new, |at| names[at].text())
    };
    let (active, places) = &list[found.example];
    let what = format!(
        "{} {}",
        if *active { "active pids" } else { "inactive pids" },
        describe_places(places, text)
    );
    Some(reason(ReasonKind::PidOccurrences, &what, &found, q, r))
}

fn occurrences(state: &State, shape: &[u32]) -> Vec<Occurrences> {
    let mut all: Vec<Occurrences> =
        state.pids().map(|pid| (state.is_active(pid), Vec::new())).collect();
    for (vector, &shape) in shape.iter().enumerate() {
        for (place, component) in state.vector(vector).iter().enumerate() {
            if let ComponentKind::Pid(pid) = component.kind() {
                all[pid as usize].1.push((shape, place as u32));
            }
        }
    }
    for (_, places) in &mut all {
        places.sort_unstable();
    }
    all
}

fn describe_places(places: &[(u32, u32)], text: impl Fn(u32) -> String) -> String {
    const SHOWN: usize = 3;
    if places.is_empty() {
        return "that occur in no vector".to_string();
    }
    let groups: Vec<_> = places.chunk_by(|a, b| a == b).collect();
    let shown: Vec<String> = groups
        .iter()
        .take(SHOWN)
        .map(|group| {
            let times =
                if group.len() > 1 { format!("{} times ", group.len()) } else { String::new() };
            format!("{times}in {} at place {}", text(group[0].0), group[0].1 + 1)
        })
        .collect();
    let more = groups.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and in {more} other places") } else { String::new() };
    format!("that occur {}{more}", shown.join(", "))
}

/// What Ω* shows of a pid's relatives: numbers that no bijection may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Relatives {
    children: u32,
    has_parent: bool,
    ancestors: u32,
    elder: u32,
    has_adjacent_elder: bool,
}

/// One relation of Ω* after the other, then all together.
pub fn compare_families(problem: Problem<'_>) -> Option<Reason> {
    let single = problem.relations.iter().map(|relation| Relations::NONE.with(relation));
    single
        .chain([problem.relations])
        .find_map(|relations| compare_family(Problem { relations, ..problem }))
}

fn compare_family(problem: Problem<'_>) -> Option<Reason> {
    let (q, r) = (problem.q, problem.r);
    let (mine, theirs) = (relatives(q, problem), relatives(r, problem));
    let found = first_imbalance(&mine, &theirs)?;
    let family = if found.in_q { &mine } else { &theirs }[found.example];
    let what = format!("pids {}", describe_family(&family, problem));
    Some(reason(ReasonKind::PidFamily, &what, &found, q, r))
}

fn relatives(state: &State, problem: Problem<'_>) -> Vec<Relatives> {
    let links = Links::of(state, RelationScope::Sigma);
    let sees = |relation| problem.relations.contains(relation);
    let mut all = vec![Relatives::default(); links.len()];
    for vertex in 0..links.len() as u32 {
        // ancestors have smaller numbers; so have elder siblings, but for next-pids, which come last
        let (above, younger) = (links.above(vertex), links.sibling(vertex));
        if sees(Relation::Parent) && links.is_child(vertex) {
            all[above as usize].children += 1;
            all[vertex as usize].has_parent = true;
        }
        if sees(Relation::Ancestor) && above != NONE {
            all[vertex as usize].ancestors = all[above as usize].ancestors + 1;
        }
        if sees(Relation::AdjacentSibling) && links.is_adjacent(vertex) {
            all[younger as usize].has_adjacent_elder = true;
        }
        if sees(Relation::ElderSibling) && younger != NONE && younger > vertex {
            all[younger as usize].elder = all[vertex as usize].elder + 1;
        }
    }
    all.truncate(state.pid_count());
    all
}

fn describe_family(family: &Relatives, problem: Problem<'_>) -> String {
    let mut parts = Vec::new();
    for relation in problem.relations.iter() {
        parts.push(match relation {
            Relation::Parent if family.has_parent => {
                format!("a parent, {} children", family.children)
            }
            Relation::Parent => format!("no parent, {} children", family.children),
            Relation::Ancestor => format!("{} ancestors", family.ancestors),
            Relation::AdjacentSibling if family.has_adjacent_elder => {
                "an adjacent elder sibling".into()
            }
            Relation::AdjacentSibling => "no adjacent elder sibling".to_string(),
            Relation::ElderSibling => format!("{} elder siblings", family.elder),
        });
    }
    format!("with {}", parts.join(", "))
}

/// Rounds of colour refinement beyond which the search for a reason is not worth the time.
const MAX_ROUNDS: usize = 64;

pub fn compare_refined(problem: Problem<'_>, budget: &Budget) -> Option<Reason> {
    let pair = DigraphPair::build(problem, Form::Links, budget).ok()?;
    let (round, mine, theirs) = wl::first_different_round(&pair.q, &pair.r, MAX_ROUNDS, budget)?;
    let first = pair.layered().0.first_pid() as usize;
    let pids = |colors: &[u64], state: &State| colors[first..first + state.pid_count()].to_vec();
    let (q, r) = (problem.q, problem.r);
    let found = first_imbalance(&pids(&mine, q), &pids(&theirs, r))?;
    let rounds = if round == 1 { "one step".to_string() } else { format!("{round} steps") };
    let what = format!("pids that look like it up to {rounds} away (vectors and relatives)");
    Some(reason(ReasonKind::Refinement, &what, &found, q, r))
}

fn reason(kind: ReasonKind, what: &str, found: &Imbalance, q: &State, r: &State) -> Reason {
    let (state, side, name) = if found.in_q { (q, "q", "first") } else { (r, "r", "second") };
    let pid = state.forest().pid(found.example as u32).to_string();
    let pid = pidlab_core::pid::excerpt(&pid);
    let text = format!("{what}: {}; for example {pid} in the {name} state", numbers("pid", found));
    let example = Example { state: side, pid: format!("@{pid}") };
    Reason { pid: Some(example), ..Reason::counted(kind, text, found.q, found.r) }
}
