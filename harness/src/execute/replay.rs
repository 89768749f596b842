//! One row again, by its number alone.

use crate::experiment::QuestionKind;
use crate::kinds::{self, RowOutcome};
use crate::plan::Plan;
use crate::store::folder::Folder;
use crate::store::messages;
use anyhow::bail;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Makes and measures one row; with `save`, also writes its input there.
pub fn replay(plan: &Plan, row: u64, save: Option<&Path>) -> anyhow::Result<Value> {
    if row >= plan.rows() {
        bail!("row {row} does not exist; the plan has rows 0 to {}", plan.rows() - 1);
    }
    let (place, kind) = (plan.place(row), plan.experiment.kind());
    let mut asker = kinds::open(plan)?;
    if let Some(folder) = save {
        let files = Folder::open(folder)?;
        for (name, text) in asker.input(&place)? {
            files.write(&name, text.as_bytes())?;
        }
    }
    asker.begin(place.block);
    let RowOutcome { record, finding, message, .. } = asker.row(row, &place)?;
    let transformation = Some(plan.transformation(&place)).filter(|label| *label != "none");
    let counts: Map<String, Value> = kind
        .counts()
        .iter()
        .zip(record.counts)
        .map(|(n, count)| (n.to_string(), count.into()))
        .collect();
    let mut document = json!({
        "format": "pidlab-row/1",
        "row": row,
        // as tables have it; readers of JSON keep 53 bits of a number
        "pair": record.pair.to_string(),
        "set": plan.experiment.labels()[place.set],
        "size": place.size,
        "transformation": transformation,
        "relations": plan.relations(&place).to_string(),
        "backend": plan.backends[place.backend],
        "expected": record.expected.name(kind),
        "answer": record.answer.name(kind),
        "status": record.status.name(),
        "check": record.check.name(),
        "build_ns": record.build_ns,
        "decide_ns": record.decide_ns,
        "cpu_ns": record.cpu_ns,
        "clock": record.clock.name(),
        "finding": finding,
        "message": message.as_deref().map(messages::tidy),
    });
    if let Value::Object(fields) = &mut document {
        fields.extend(counts);
        if kind == QuestionKind::Pairs {
            fields.insert("decided_by".into(), record.decided_by.name().into());
            fields.extend(plan.input_name(place.block).map(|name| ("input".into(), name.into())));
        }
    }
    Ok(document)
}
