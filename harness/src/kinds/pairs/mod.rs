//! Rows that ask a backend whether two states are equivalent.
//!
//! [`inputs`] makes the pair (or [`generated`] has a program of the user make it), [`decide`] times and checks the
//! decision, [`witnesses`] makes a contradiction small.

pub mod backend_pool;
mod decide;
#[cfg(feature = "doubles")]
#[path = "../../../doubles/mod.rs"]
mod doubles;
mod generated;
mod inputs;
mod witnesses;

use super::{Asker, Files, Finding, RowOutcome};
use crate::names::shell_word;
use crate::plan::{Place, Plan};
use crate::store::record::{Record, Status};
pub use decide::NO_CHECKED_IN;
use decide::{Answers, Decider};
use generated::Generators;
use inputs::PairSource;
use pidlab_backends::GraphKind;
use pidlab_core::json::state_to_string;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use witnesses::Witnesses;

pub struct Pairs<'p> {
    plan: &'p Plan,
    decider: Decider<'p>,
    source: PairSource<'p>,
    answers: Answers,
    generators: Generators,
}

impl<'p> Pairs<'p> {
    pub fn new(plan: &'p Plan) -> anyhow::Result<Pairs<'p>> {
        Ok(Pairs {
            plan,
            decider: Decider::new(plan)?,
            source: PairSource::new(plan, 0),
            answers: Answers::default(),
            generators: Generators::new(plan)?,
        })
    }
}

impl Asker for Pairs<'_> {
    fn begin(&mut self, block: u64) {
        self.source = PairSource::new(self.plan, block);
        self.answers.clear();
    }

    fn row(&mut self, row: u64, place: &Place) -> anyhow::Result<RowOutcome> {
        match self.source.pair(place, &mut self.generators) {
            Ok((pair, time, now)) => {
                Ok(self.decider.row(row, place, pair, (time, now), &mut self.answers))
            }
            Err(error) if inputs::is_impossible(&error) => {
                let record = Record::lost(row, Status::Skipped);
                Ok(RowOutcome::here(record, None, None))
            }
            Err(error) => Err(error.context(format!("row {row}"))),
        }
    }

    fn input(&mut self, place: &Place) -> anyhow::Result<Files> {
        self.begin(place.block);
        let (pair, ..) = self.source.pair(place, &mut self.generators)?;
        let (q, r) = pair.ordered(place.order);
        Ok(vec![("q.json".into(), state_to_string(q)), ("r.json".into(), state_to_string(r))])
    }

    /// q.json, r.json and about.json: the pair, shrunk, with what everybody says about it.
    fn reproduce(&mut self, finding: &Finding, folder: &Path) -> anyhow::Result<Files> {
        let (plan, place) = (self.plan, self.plan.place(finding.row));
        self.begin(place.block);
        let (pair, ..) = self.source.pair(&place, &mut self.generators)?;
        let (relations, graph) = (plan.relations(&place), GraphKind::from(plan.graph(&place)));
        let witnesses = Witnesses::new(&plan.backends, relations, graph)?;
        // vectors listed as generated correspond to each other and can be dropped in pairs
        let orders = [pair.ordered(0), pair.ordered(place.order)];
        let shrunk = orders.into_iter().find_map(|(q, r)| witnesses.shrink(q, r));
        let (q, r) = match &shrunk {
            Some((q, r)) => (q, r),
            None => pair.ordered(place.order),
        };
        let says = witnesses.contradiction(q, r).unwrap_or_default();
        let about = json!({
            "format": "pidlab-disagreement/1",
            "finding": finding,
            "relations": relations.to_string(),
            "shrunk": shrunk.is_some(),
            "vectors": [q.vector_count(), r.vector_count()],
            "says": says.into_iter().collect::<BTreeMap<_, _>>(),
            // to be pasted where the run was started, from where a backend's own paths lead
            "replay": format!(
                "pidlab check {} {} --relations {relations} --backend {} --check",
                shell_word(&folder.join("q.json").to_string_lossy()),
                shell_word(&folder.join("r.json").to_string_lossy()),
                shell_word(&finding.backend)
            ),
        });
        Ok(vec![
            ("q.json".into(), state_to_string(q)),
            ("r.json".into(), state_to_string(r)),
            ("about.json".into(), serde_json::to_string_pretty(&about)?),
        ])
    }
}
