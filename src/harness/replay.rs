//! One row again, by its number alone.

use super::decide::{Answers, Decider};
use super::folder::Folder;
use super::inputs::Source;
use super::messages;
use super::plan::Plan;
use anyhow::bail;
use pidlab_core::json::state_to_string;
use serde_json::{Value, json};
use std::path::Path;

/// Makes and decides one row; with `save`, also writes its states there.
pub fn replay(plan: &Plan, row: u64, save: Option<&Path>) -> anyhow::Result<Value> {
    if row >= plan.rows() {
        bail!("row {row} does not exist; the plan has rows 0 to {}", plan.rows() - 1);
    }
    let place = plan.place(row);
    let mut source = Source::new(plan, place.block);
    let (pair, _, now) = source.pair(&place)?;
    let (q, r) = pair.ordered(place.order);
    if let Some(folder) = save {
        let files = Folder::open(folder)?;
        for (name, state) in [("q.json", q), ("r.json", r)] {
            files.write(name, state_to_string(state).as_bytes())?;
        }
    }
    let (hash, times) = (pair.hash, (std::time::Duration::ZERO, now));
    let decider = Decider::new(plan)?;
    let done = decider.row(row, &place, pair, times, &mut Answers::default());
    let record = done.record;
    let transformation = plan.experiment.transformations.get(place.transformation);
    Ok(json!({
        "format": "pidlab-row/1",
        "row": row,
        "pair": format!("{hash:016x}"),
        "set": plan.experiment.states[place.set].label,
        "size": place.size,
        "transformation": transformation.map(|t| &t.label),
        "relations": plan.relations(&place).to_string(),
        "backend": plan.backends[place.backend],
        "p": record.pids,
        "vectors": record.vectors,
        "expected": record.expected.name(),
        "answer": record.answer.name(),
        "status": record.status.name(),
        "check": record.check.name(),
        "build_ns": record.build_ns,
        "decide_ns": record.decide_ns,
        "finding": done.finding,
        "message": done.message.as_deref().map(messages::tidy),
    }))
}
