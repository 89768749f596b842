//! Contradictions made reproducible: the pair, shrunk, with what everybody says about it.

use super::decide::Finding;
use super::folder::Folder;
use super::inputs::Source;
use super::plan::Plan;
use super::shrink::Shrinker;
use pidlab_backends::GraphKind;
use pidlab_core::json::state_to_string;
use serde_json::json;
use std::path::PathBuf;

/// Saves q.json, r.json and about.json under `RUN/disagreement-ROW/` and returns that folder.
pub fn save(plan: &Plan, run: &Folder, finding: &Finding) -> anyhow::Result<PathBuf> {
    let folder = format!("disagreement-{}", finding.row);
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
    for (name, state) in [("q.json", q), ("r.json", r)] {
        run.write(&format!("{folder}/{name}"), state_to_string(state).as_bytes())?;
    }
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
    let about = serde_json::to_string_pretty(&about)?;
    run.write(&format!("{folder}/about.json"), about.as_bytes())?;
    Ok(run.path_of(&folder))
}
