//! Rows that ask the explorer for the state space of a model (Bogor'03's tables, nets reduced by equivalence).
//!
//! What must agree does agree, or it is a [`Finding`]: how states are stored changes no count, and without a
//! heuristic symmetry neither does the order of the search. Sorting threads is a heuristic whose counts depend on
//! the order, so only rows of one order are held against each other.

use super::{Asker, Files, Finding, RowOutcome, nanos, peak_memory};
use crate::clock::process_cpu;
use crate::experiment::Experiment;
use crate::experiment::models::{Configuration, ModelCase};
use crate::plan::{Place, Plan, fnv};
use crate::store::record::{COUNTS, Check, Record, RowAnswer, Status};
use anyhow::Context;
use pidlab_backends::Budget;
use pidlab_explore::heap::{
    HeapOptions, ThreadSymmetry, compile as compile_heap, explore as explore_heap,
};
use pidlab_explore::net::{
    ExploreError, NetOptions, compile as compile_net, explore as explore_net,
};
use pidlab_explore::search::{Continue, Limits, Options, Order, SearchReport, StopReason};
use pidlab_explore::source::Source;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

pub struct Models<'p> {
    plan: &'p Plan,
    configurations: Vec<Configuration>,
    /// The numbers of states and seen states that were found first, and by whom.
    agreed: Vec<(CountKey, [u64; 2], usize)>,
}

/// Rows with the same question have the same counts.
type CountKey = (usize, Option<(ThreadSymmetry, Order)>, bool);

/// What one exploration came to.
struct Exploration {
    report: SearchReport,
    violated: bool,
    bytes: u64,
    build: Duration,
    search: Duration,
}

impl<'p> Models<'p> {
    pub fn new(plan: &'p Plan) -> anyhow::Result<Models<'p>> {
        let parse = |name: &String| Configuration::parse(name).map_err(anyhow::Error::msg);
        let configurations = plan.backends.iter().map(parse).collect::<anyhow::Result<_>>()?;
        Ok(Models { plan, configurations, agreed: Vec::new() })
    }

    fn case(&self, place: &Place) -> &'p ModelCase {
        &self.plan.experiment.models[place.set]
    }

    fn explore(&self, place: &Place, text: String) -> anyhow::Result<Exploration> {
        let case = self.case(place);
        match self.configurations[place.backend] {
            Configuration::Heap { symmetry, compression, order } => {
                let limits = limits(&self.plan.experiment);
                let options =
                    HeapOptions { symmetry, compression, order, limits, ..HeapOptions::default() };
                heap(case, text, &options)
            }
            Configuration::Net { merged, order } => {
                let options = Options {
                    order,
                    from: Continue::Representative,
                    threads: 1,
                    limits: limits(&self.plan.experiment),
                    ..Options::default()
                };
                let relations = self.plan.relations(place);
                let settings = NetOptions { relations, canon: merged, force: false, options };
                net(case, text, &settings)
            }
        }
    }

    /// Why there is nothing to ask: a plain search does not depend on the relations, so one is enough.
    fn needless(&self, place: &Place) -> bool {
        let plain =
            matches!(self.configurations[place.backend], Configuration::Net { merged: false, .. });
        plain && place.relations > 0
    }

    /// Holds the counts of a complete search against those of others.
    fn contradiction(&mut self, place: &Place, record: &Record) -> Option<String> {
        if record.status != Status::Ok {
            return None;
        }
        let question = match self.configurations[place.backend] {
            Configuration::Heap { symmetry, order, .. } => {
                let exact = matches!(symmetry, ThreadSymmetry::None | ThreadSymmetry::Exact);
                let order = if exact { Order::DepthFirst } else { order };
                (place.relations, Some((symmetry, order)), true)
            }
            Configuration::Net { merged, .. } => (place.relations, None, merged),
        };
        let found = [record.counts[0], record.counts[2]];
        let Some(&(_, first, who)) = self.agreed.iter().find(|(known, ..)| *known == question)
        else {
            self.agreed.push((question, found, place.backend));
            return None;
        };
        let who = &self.plan.backends[who];
        (first != found).then(|| format!("{who} has {} states and {} seen", first[0], first[1]))
    }
}

impl Asker for Models<'_> {
    fn begin(&mut self, _block: u64) {
        self.agreed.clear();
    }

    fn row(&mut self, row: u64, place: &Place) -> anyhow::Result<RowOutcome> {
        let (case, cpu) = (self.case(place), process_cpu());
        if self.needless(place) {
            return Ok(RowOutcome::here(Record::lost(row, Status::Skipped), None, None));
        }
        let text = case.text()?;
        let input = fnv(format!("{:?}\n{text}", case.set).as_bytes());
        let explored = match self.explore(place, text) {
            Err(error) if self.plan.experiment.relations.len() > 1 && is_unsound(&error) => {
                let record = Record::lost(row, Status::Skipped);
                return Ok(RowOutcome::here(record, None, Some(format!("{error:#}"))));
            }
            explored => explored.with_context(|| format!("row {row}"))?,
        };
        let mut record = record_of(row, input, &explored);
        record.cpu_ns = nanos(process_cpu().saturating_sub(cpu));
        let against = self.contradiction(place, &record);
        record.check = Check::of(record.status == Status::Ok, against.is_some());
        let finding = against.map(|against| Finding {
            row,
            backend: self.plan.backends[place.backend].clone(),
            name: None,
            answer: format!("{} states and {} seen", record.counts[0], record.counts[2]),
            against,
        });
        Ok(RowOutcome::here(record, finding, None))
    }

    fn input(&mut self, place: &Place) -> anyhow::Result<Files> {
        let case = self.case(place);
        let name = Path::new(&case.model).file_name().unwrap_or_default().to_string_lossy();
        Ok(vec![(name.into_owned(), case.text()?)])
    }

    fn reproduce(&mut self, finding: &Finding, _: &Path) -> anyhow::Result<Files> {
        let place = self.plan.place(finding.row);
        let mut files = self.input(&place)?;
        let about = json!({
            "format": "pidlab-disagreement/1",
            "finding": finding,
            "constants": self.case(&place).set,
        });
        files.push(("about.json".into(), serde_json::to_string_pretty(&about)?));
        Ok(files)
    }
}

/// Whether the relations lack one that a guard needs. An experiment over several sets of relations leaves such rows out;
/// one over a single set is wrong.
fn is_unsound(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ExploreError::Unsound(_)))
}

fn limits(experiment: &Experiment) -> Limits {
    let given = &experiment.budget;
    let budget = Budget::new(Some(given.time()), Some(given.memory_mib << 20));
    Limits { budget, ..Limits::default() }
}

fn heap(case: &ModelCase, text: String, options: &HeapOptions<'_>) -> anyhow::Result<Exploration> {
    let clock = Instant::now();
    let settings: Vec<(String, i64)> =
        case.set.iter().map(|(name, &value)| (name.clone(), value)).collect();
    let program = compile_heap(&Source::new(case.model.clone(), text), &settings)?;
    let build = clock.elapsed();
    let found = explore_heap(program, options)?;
    let violated = found.fault.is_some() || found.stuck() > 0;
    let search = clock.elapsed() - build;
    Ok(Exploration { report: found.report, violated, bytes: found.store_bytes, build, search })
}

fn net(case: &ModelCase, text: String, settings: &NetOptions<'_>) -> anyhow::Result<Exploration> {
    let clock = Instant::now();
    let constants: Vec<(String, String)> =
        case.set.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    let source = Source::new(case.model.clone(), text);
    let net = compile_net(source, &constants, &[]).map_err(|e| anyhow::anyhow!("{e}"))?;
    let build = clock.elapsed();
    let found = explore_net(&net, settings)?;
    let violated = found.has_violation();
    let search = clock.elapsed() - build;
    let bytes = found.report.key_bytes + found.report.index_bytes;
    Ok(Exploration { report: found.report, violated, bytes, build, search })
}

fn record_of(row: u64, input: u64, explored: &Exploration) -> Record {
    let counters = &explored.report.counters;
    let (status, answer) = match explored.report.stopped {
        Some(StopReason::Time) => (Status::Timeout, RowAnswer::Unknown),
        Some(StopReason::Memory | StopReason::MaxStates) => (Status::Memory, RowAnswer::Unknown),
        _ if explored.violated => (Status::Ok, RowAnswer::No),
        _ => (Status::Ok, RowAnswer::Yes),
    };
    let mut counts = [0; COUNTS];
    counts[..5].copy_from_slice(&[
        counters.states,
        counters.edges,
        counters.seen,
        counters.deadlocks,
        explored.bytes,
    ]);
    Record {
        pair: input,
        counts,
        build_ns: nanos(explored.build),
        decide_ns: nanos(explored.search),
        peak_kib: peak_memory(),
        answer,
        ..Record::lost(row, status)
    }
}
