//! `--check`: the state space again by the general engine, and merged markings by the checker.

use super::budget::{limit_behind, stopped};
use crate::outcome::Outcome;
use pidlab_core::forest::PidId;
use pidlab_core::{Relations, State};
use pidlab_explore::net::{
    Named, Net, NetCanonizer, NetExploration, NetModel, NetOptions, Orders, each_step,
};
use pidlab_explore::search::{ArenaStore, Id, Options, search};

/// Classes whose outgoing edges the checker verifies.
const SAMPLE: u64 = 200;

/// What the exploration came to, if the check does not contradict it; a check that a limit ends leaves it
/// undecided.
pub fn outcome(
    net: &Net,
    settings: &NetOptions<'_>,
    found: &NetExploration,
    outcome: Outcome,
) -> anyhow::Result<Outcome> {
    match agrees(net, settings, found) {
        Ok(true) => Ok(outcome),
        Ok(false) => Ok(Outcome::Disagreement),
        Err(error) if limit_behind(&error).is_some() => {
            note!("undecided: {error:#}");
            Ok(Outcome::Undecided)
        }
        Err(error) => Err(error),
    }
}

/// Whether two exact ways give the same counts and the checker accepts what was merged.
fn agrees(net: &Net, settings: &NetOptions<'_>, found: &NetExploration) -> anyhow::Result<bool> {
    if !settings.canon || found.unsound.is_some() || !found.report.complete() {
        note!("check: only complete, sound explorations with --canon on are checked");
        return Ok(true);
    }
    let model = NetModel::without_symmetry(net, settings.relations);
    let general = NetCanonizer::general(net, settings.relations);
    let options = Options { record_edges: false, ends: 0, ..settings.options.clone() };
    let again = search(&model, &general, &mut ArenaStore::new(), &options)?;
    if let Some(reason) = again.stopped.filter(|reason| reason.is_limit()) {
        return Err(stopped(reason).context("check: the general engine did not finish"));
    }
    let counts = |c: &pidlab_explore::search::Counters| (c.states, c.edges, c.seen, c.deadlocks);
    let (ours, theirs) = (counts(&found.report.counters), counts(&again.counters));
    if ours != theirs {
        note!("check: two exact ways disagree: {ours:?} against {theirs:?}");
        return Ok(false);
    }
    let verified = verify_edges(net, settings.relations, found)?;
    match verified {
        Ok(edges) => {
            note!("check: the general engine agrees; the checker accepts {edges} merged markings")
        }
        Err(violation) => {
            note!("check: the checker rejects a merged marking: {violation}");
            return Ok(false);
        }
    }
    Ok(true)
}

/// Compares the concrete marking behind an edge with a run to the class it leads to.
fn verify_edges(
    net: &Net,
    relations: Relations,
    found: &NetExploration,
) -> anyhow::Result<Result<u64, String>> {
    let mut orders = Orders::within(net, relations, &found.budget);
    let states = found.report.counters.states;
    let step = states.div_ceil(SAMPLE).max(1);
    let mut verified = 0;
    for id in (0..states).step_by(step as usize) {
        let before = found.trace(net, id as Id)?;
        let mut targets = Vec::new();
        each_step(net, before.last(), &found.budget, |_, _, after| {
            targets.push(after.clone());
            Ok(())
        })?;
        for after in targets {
            orders.of(&after)?;
            let Some(class) = found.classes.find(net, &orders.key) else {
                return Ok(Err("a successor is not in the store".into()));
            };
            let run = found.trace(net, class)?;
            let Some(pairs) = orders.between(&after, run.last())? else {
                return Ok(Err("a run does not lead to its class".into()));
            };
            let (q, r) = (after.to_state(net)?, run.last().to_state(net)?);
            let witness = witness(&pairs, &after, &q, run.last(), &r);
            if let Err(violation) = pidlab_check::verify(&q, &r, relations, &witness) {
                return Ok(Err(violation.to_string()));
            }
            verified += 1;
        }
    }
    Ok(Ok(verified))
}

/// The bijection in the numbering of the two states.
fn witness(pairs: &[(u32, u32)], a: &Named, q: &State, b: &Named, r: &State) -> Vec<PidId> {
    let number = |state: &State, named: &Named, thread: u32| {
        let pid = pidlab_core::Pid::new(&named.pids[thread as usize]);
        pid.and_then(|pid| state.forest().find(&pid)).unwrap_or(0)
    };
    let mut witness = vec![0; q.pid_count()];
    for &(x, y) in pairs {
        witness[number(q, a, x) as usize] = number(r, b, y);
    }
    witness
}
