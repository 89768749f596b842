//! Exploration of a net from start to verdicts: the library side of `pidlab explore`.

use super::canon::NetCanoniser;
use super::compiled::{Net, Rule};
use super::grove::{GroveCanoniser, GroveModel};
use super::locality::is_local;
use super::model::{FINAL, NetModel};
use super::named::Named;
use super::plain::{PlainCanoniser, PlainModel};
use super::trace::{ByName, Canonical, KeyOf, Replay, Trace, TraceStep};
use super::watch::{self, WatchModel};
use crate::search::{
    Allowance, Alone, ArenaStore, Continue, Failure, Id, Options, Report, Searcher, StopReason,
    Store, search,
};
use pidlab_backends::Exhausted;
use pidlab_core::Relations;
use serde::Serialize;
use thiserror::Error;

/// What to explore with.
#[derive(Clone)]
pub struct Settings<'a> {
    /// Ω*.
    pub relations: Relations,
    /// Merge equivalent markings.
    pub canon: bool,
    /// Explore although a guard compares with a relation outside Ω*.
    pub force: bool,
    pub options: Options<'a>,
}

#[derive(Debug, Error)]
pub enum ExploreError {
    #[error("{0}")]
    Unsound(String),
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// What a property came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    Holds,
    Violated,
    Reached,
    Unreachable,
    /// A limit ended the search before an answer was found.
    Unknown,
}

#[derive(Clone, Debug)]
pub struct Verdict {
    pub property: String,
    pub kind: &'static str,
    pub answer: Answer,
    pub trace: Option<Trace>,
}

/// An explored state space.
pub struct Exploration {
    pub report: Report,
    pub store: ArenaStore,
    pub relations: Relations,
    pub canon: bool,
    /// Why the result may be wrong; only with `force`.
    pub unsound: Option<String>,
    pub verdicts: Vec<Verdict>,
    /// The way to the first deadlock that is no proper end.
    pub deadlock: Option<Trace>,
    /// Why some runs were left out: a limit was reached before they were found again.
    pub left_out: Option<Exhausted>,
    /// What the presentation of results may use.
    pub allowance: Allowance,
}

/// Explores a net and answers its properties.
pub fn explore(net: &Net, settings: &Settings<'_>) -> Result<Exploration, ExploreError> {
    explore_by(net, settings, &Alone)
}

/// The same, where `searcher` runs the searches.
pub fn explore_by(
    net: &Net,
    settings: &Settings<'_>,
    searcher: &impl Searcher,
) -> Result<Exploration, ExploreError> {
    let unsound = soundness(net, settings)?;
    let mut options = settings.options.clone();
    options.ends = FINAL;
    let relations = settings.relations;
    let (report, store) = if !settings.canon {
        let (model, canoniser) = (PlainModel::new(net), PlainCanoniser(net));
        searcher.search(&model, &canoniser, &ArenaStore::new, &options)?
    } else if unsound.is_some() {
        // the guards need what the keys leave out: go on from concrete markings
        options.from = Continue::Concrete;
        let model = NetModel::without_symmetry(net, Relations::ALL);
        searcher.search(&model, &NetCanoniser::new(net, relations), &ArenaStore::new, &options)?
    } else if is_local(net, relations) {
        let (model, canoniser) = (GroveModel::new(net, relations), GroveCanoniser(net));
        searcher.search(&model, &canoniser, &ArenaStore::new, &options)?
    } else {
        let (model, canoniser) = (NetModel::new(net, relations), NetCanoniser::new(net, relations));
        searcher.search(&model, &canoniser, &ArenaStore::new, &options)?
    };
    let mut exploration = Exploration {
        report,
        store,
        relations: settings.relations,
        canon: settings.canon,
        unsound,
        verdicts: Vec::new(),
        deadlock: None,
        left_out: None,
        allowance: settings.options.limits.to_present().allowance(),
    };
    if let Some(id) = exploration.report.first_stuck {
        let trace = exploration.trace(net, id);
        exploration.deadlock = exploration.within_limits(trace)?;
    }
    exploration.answer(net, settings, searcher)?;
    Ok(exploration)
}

/// Searches the classes of a net in the way that fits it best; Ω* must hold what the guards compare.
pub fn search_classes(
    net: &Net,
    relations: Relations,
    store: &mut impl Store,
    options: &Options<'_>,
) -> Result<Report, Failure> {
    if is_local(net, relations) {
        return search(&GroveModel::new(net, relations), &GroveCanoniser(net), store, options);
    }
    let canoniser = NetCanoniser::new(net, relations);
    search(&NetModel::new(net, relations), &canoniser, store, options)
}

/// Spec: a model's guards may only use relations in Ω*.
fn soundness(net: &Net, settings: &Settings<'_>) -> Result<Option<String>, ExploreError> {
    let relations = settings.relations;
    let Some(found) = net.unsound_use(relations).filter(|_| settings.canon) else {
        return Ok(None);
    };
    let (line, _) = net.source.line_column(found.span.start);
    let text = format!(
        "{} (line {line}) compares pids with `{}`, which is not in Ω* = {{{relations}}}: markings with different futures would be merged",
        found.by,
        found.relation.name()
    );
    if settings.force {
        return Ok(Some(text));
    }
    let advice = "use --relations auto, add the relation, or explore anyway with --force";
    Err(ExploreError::Unsound(format!("{}: unsound: {text}; {advice}", net.source.name)))
}

impl Exploration {
    /// A run of the net to a stored marking, with the pids of that run.
    pub fn trace(&self, net: &Net, to: Id) -> Result<Trace, Failure> {
        let parents = &self.report.parents;
        let (store, allowance) = (&self.store, self.allowance);
        let mut trace = if self.canon {
            let canoniser = NetCanoniser::new(net, self.relations);
            let keys = Canonical::new(&canoniser, allowance);
            Replay { net, store, keys, allowance }.run(parents, to)?
        } else {
            let keys = ByName(PlainCanoniser(net));
            Replay { net, store, keys, allowance }.run(parents, to)?
        };
        trace.number(&self.report);
        Ok(trace)
    }

    /// What was found within the limits; takes note where it was not.
    fn within_limits<T>(&mut self, found: Result<T, Failure>) -> Result<Option<T>, Failure> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Failure::Limit(what)) => {
                self.left_out.get_or_insert(what);
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// Whether a property is violated or a deadlock is no proper end.
    pub fn has_violation(&self) -> bool {
        let wrong = |v: &Verdict| matches!(v.answer, Answer::Violated | Answer::Unreachable);
        self.report.first_stuck.is_some() || self.verdicts.iter().any(wrong)
    }

    /// Whether a limit left a question open.
    pub fn is_open(&self) -> bool {
        self.report.stopped.is_some_and(StopReason::is_limit)
            || self.verdicts.iter().any(|v| v.answer == Answer::Unknown)
    }

    fn answer(
        &mut self,
        net: &Net,
        settings: &Settings<'_>,
        searcher: &impl Searcher,
    ) -> Result<(), ExploreError> {
        for (bit, property) in net.properties.iter().enumerate() {
            let found = self.report.found(bit as u32);
            let complete = self.report.complete();
            let state = |yes, no| match (found, complete) {
                (Some(_), _) => yes,
                (None, true) => no,
                (None, false) => Answer::Unknown,
            };
            let (kind, answer) = match &property.rule {
                Rule::Never(_) => ("never", state(Answer::Violated, Answer::Holds)),
                Rule::Always(_) => ("always", state(Answer::Violated, Answer::Holds)),
                Rule::Reach(_) => ("reach", state(Answer::Reached, Answer::Unreachable)),
                Rule::Thread { .. } => {
                    let (verdict, trace) = watch_threads(net, bit, settings, searcher)?;
                    let trace = trace.map(|trace| self.within_limits(trace)).transpose()?.flatten();
                    self.verdicts.push(Verdict { trace, ..verdict });
                    continue;
                }
            };
            let trace = found.map(|id| self.trace(net, id));
            let trace = trace.map(|trace| self.within_limits(trace)).transpose()?.flatten();
            let property = property.name.clone();
            self.verdicts.push(Verdict { property, kind, answer, trace });
        }
        Ok(())
    }
}

/// A search of its own for a property of single threads, and the run to what it found.
fn watch_threads(
    net: &Net,
    property: usize,
    settings: &Settings<'_>,
    searcher: &impl Searcher,
) -> Result<(Verdict, Option<Result<Trace, Failure>>), ExploreError> {
    let name = net.properties[property].name.clone();
    let kind = "thread";
    let mut verdict = Verdict { property: name, kind, answer: Answer::Unknown, trace: None };
    // without merging, any sound choice answers the question
    let relations = if settings.canon { settings.relations } else { net.used_relations() };
    let limits = settings.options.limits;
    if net.unsound_use(relations).is_some() || limits.allowance().check().is_err() {
        return Ok((verdict, None));
    }
    let extended = watch::extended(net);
    let Some(model) = WatchModel::new(&extended, property, relations) else {
        return Ok((verdict, None));
    };
    let options = Options { stop_at: 1, stop_at_deadlock: false, ..settings.options.clone() };
    let options = Options { record_edges: false, ..options };
    let canoniser = NetCanoniser::new(&extended, relations);
    let (report, store) = searcher.search(&model, &canoniser, &ArenaStore::new, &options)?;
    verdict.answer = match (report.found(0), report.complete()) {
        (Some(_), _) => Answer::Violated,
        (None, true) => Answer::Holds,
        (None, false) => Answer::Unknown,
    };
    let allowance = limits.to_present().allowance();
    let keys = Canonical::new(&canoniser, allowance);
    let trace =
        report.found(0).map(|id| watched_trace(&model, keys, &store, &report, id, allowance));
    Ok((verdict, trace))
}

fn watched_trace(
    model: &WatchModel<'_>,
    mut keys: impl KeyOf,
    store: &ArenaStore,
    report: &Report,
    to: Id,
    allowance: Allowance,
) -> Result<Trace, Failure> {
    let (start, net) = (Named::initial(model.net()), model.net());
    let mut trace = Trace { start, steps: Vec::new() };
    let (mut wanted, mut key) = (Vec::new(), Vec::new());
    for step in report.parents.path(to).1 {
        allowance.check()?;
        store.read(step.to, &mut wanted);
        let mut next = None;
        for (label, after) in model.moves(trace.last(), allowance)? {
            keys.key_of(&after, &mut key)?;
            if label == step.label && key == wanted {
                next = Some(after);
                break;
            }
        }
        let after =
            next.ok_or_else(|| Failure::Model("a watched step was lost; this is a bug".into()))?;
        let transition = net.labels[step.label as usize].clone();
        trace.steps.push(TraceStep { transition, binding: Vec::new(), after, class: step.to });
    }
    trace.number(report);
    Ok(trace)
}
