//! Contradictions made reproducible: the pair, shrunk, with what everybody says about it.

use crate::execute::decide::Finding;
use crate::execute::inputs::Source;
use crate::execute::shrink::Shrinker;
use crate::plan::Plan;
use anyhow::Context;
use pidlab_backends::GraphKind;
use pidlab_core::State;
use pidlab_core::json::state_to_string;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Saves q.json, r.json and about.json under `RUN/disagreement-ROW/` and returns that folder.
pub fn save(plan: &Plan, run: &Path, finding: &Finding) -> anyhow::Result<PathBuf> {
    let folder = run.join(format!("disagreement-{}", finding.row));
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    let place = plan.place(finding.row);
    let mut source = Source::new(plan, place.block);
    let (pair, ..) = source.pair(&place)?;
    let (relations, graph) = (plan.relations(&place), GraphKind::from(plan.graph(&place)));
    let shrinker = Shrinker::new(&plan.backends, relations, graph)?;
    // vectors listed as generated correspond to each other and can be dropped in pairs
    let orders = [pair.ordered(0), pair.ordered(place.order)];
    let shrunk = orders.into_iter().find_map(|(q, r)| shrinker.shrink(q, r));
    let (q, r) = match &shrunk {
        Some((q, r)) => (q, r),
        None => pair.ordered(place.order),
    };
    write(&folder.join("q.json"), q)?;
    write(&folder.join("r.json"), r)?;
    let about = json!({
        "format": "pidlab-disagreement/1",
        "finding": finding,
        "relations": relations.to_string(),
        "shrunk": shrunk.is_some(),
        "vectors": [q.vector_count(), r.vector_count()],
        "says": shrinker.contradiction(q, r).unwrap_or_default().into_iter()
            .collect::<std::collections::BTreeMap<_, _>>(),
        "replay": format!(
            "pidlab check q.json r.json --relations {relations} --backend {}", finding.backend
        ),
    });
    std::fs::write(folder.join("about.json"), serde_json::to_string_pretty(&about)?)?;
    Ok(folder)
}

fn write(path: &Path, state: &State) -> anyhow::Result<()> {
    std::fs::write(path, state_to_string(state))
        .with_context(|| format!("cannot write {}", path.display()))
}
