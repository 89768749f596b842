//! The coverability set of a net, without a target: the maximal ω-configurations below which everything
//! reachable is, and above which nothing is.
//!
//! It is finite and unique (Karp and Miller 1969, Finkel 1993). The document proves both halves. That
//! everything reachable is below the set the checker sees by firing every transition once more. That the set
//! is not too large it sees from a derivation: how each configuration comes from the start by steps and by
//! repeating loops. Nets with broadcasts have no such finite set in general and are refused.

use crate::algorithms::registry::{self, Derived};
use crate::answer::{Stats, named_configurations};
use crate::budget::Budget;
use crate::check::{self, Model, Rejection};
use crate::config::Config;
use crate::error::Stop;
use crate::invariants::pairs::PairInvariant;
use crate::net::Net;
use crate::set_document::{DerivationStep, SetDocument};
use crate::solve::SolveError;
use std::time::Instant;

/// Computes the coverability set of a net, whose targets do not matter, and has it checked, against the
/// checker's own reading if there is one. `auto` is `mp`.
pub fn coverability_set(
    net: &Net,
    model: Option<&Model>,
    algorithm: &str,
    budget: &Budget,
) -> Result<SetDocument, SolveError> {
    let name = if algorithm == "auto" { "mp" } else { algorithm };
    let known = registry::by_name(name).ok_or_else(|| SolveError::UnknownAlgorithm(name.into()))?;
    let start = Instant::now();
    let mut stats = Stats::default();
    let mut document = match compute(net, known, budget, &mut stats) {
        Ok(document) => document,
        Err(stop) => SetDocument::unknown(name, stop.describe(budget)),
    };
    document.algorithm = known.name();
    document.explored = stats.explored;
    document.seconds = start.elapsed().as_secs_f64();
    document.places = net.places.len() as u64;
    document.transitions = net.transitions.len() as u64;
    let checked = match model {
        Some(model) => check::check_set(model, &document, budget),
        None => Model::of_net(net, budget)
            .map_err(Rejection::from)
            .and_then(|model| check::check_set(&model, &document, budget)),
    };
    match checked {
        Ok(_) => Ok(document),
        Err(Rejection::Stopped(stop)) => {
            let reason = format!("checking the set: {}", budget.describe(stop));
            Ok(SetDocument { seconds: document.seconds, ..SetDocument::unknown(name, reason) })
        }
        Err(rejection) => Err(SolveError::Rejected { algorithm: document.algorithm, rejection }),
    }
}

fn compute(
    net: &Net,
    algorithm: registry::Algorithm,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<SetDocument, Stop> {
    budget.reserve::<[u64; 8]>(net.places.len() + net.transitions.len())?;
    let free = Net { targets: Vec::new(), ..net.clone() };
    let pairs = PairInvariant::analyze(&free, budget)?;
    let found = algorithm.derive(&free, &pairs, budget, stats)?;
    let (derivation, derived_at) = written(&found, budget)?;
    let configs: Vec<Config> =
        found.maximal.iter().map(|&id| found.tree.config(id).clone()).collect();
    Ok(SetDocument {
        complete: true,
        configurations: named_configurations(&configs, net, budget)?,
        derived_at,
        derivation,
        reason: None,
        ..SetDocument::unknown("", String::new())
    })
}

/// The part of the tree that leads to the set, in new numbers.
fn written(found: &Derived, budget: &Budget) -> Result<(Vec<DerivationStep>, Vec<u32>), Stop> {
    let nodes = &found.tree.nodes;
    let mut wanted = vec![false; nodes.len()];
    for &id in &found.maximal {
        let mut at = id as usize;
        while !std::mem::replace(&mut wanted[at], true) && nodes[at].via != u32::MAX {
            budget.steps(1)?;
            at = nodes[at].parent as usize;
        }
    }
    let mut number = vec![0; nodes.len()];
    let mut steps = Vec::new();
    // Children have larger numbers than their parents, and loops start at ancestors.
    for (id, node) in nodes.iter().enumerate().filter(|(id, n)| wanted[*id] && n.via != u32::MAX) {
        budget.steps(1 + node.pumps.len())?;
        steps.push(DerivationStep {
            from: number[node.parent as usize],
            transition: node.via,
            pumps: node.pumps.iter().map(|&p| number[p as usize]).collect(),
        });
        number[id] = steps.len() as u32;
    }
    Ok((steps, found.maximal.iter().map(|&id| number[id as usize]).collect()))
}
