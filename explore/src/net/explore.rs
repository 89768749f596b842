//! Exploration of a net from start to verdicts: the library side of `pidlab explore`.

use super::canon::NetCanoniser;
use super::compiled::{Net, Rule};
use super::grove::{GroveCanoniser, GroveModel};
use super::locality::is_local;
use super::model::{FINAL, NetModel};
use super::named::Named;
use super::plain::{PlainCanoniser, PlainModel};
use super::trace::{ByName, Canonical, Trace, TraceStep, replay};
use super::watch::{self, WatchModel};
use crate::search::{
    ArenaStore, Canoniser, Continue, Failure, Id, Options, Parents, Report, StopReason, Store,
    search,
};
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
}

/// Explores a net and answers its properties.
pub fn explore(net: &Net, settings: &Settings<'_>) -> Result<Exploration, ExploreError> {
    let unsound = soundness(net, settings)?;
    let mut store = ArenaStore::new();
    let mut options = settings.options.clone();
    options.ends = FINAL;
    let report = if !settings.canon {
        search(&PlainModel::new(net), &PlainCanoniser(net), &mut store, &options)?
    } else if unsound.is_some() {
        // the guards need what the keys leave out: go on from concrete markings
        options.from = Continue::Concrete;
        let model = NetModel::without_symmetry(net, Relations::ALL);
        search(&model, &NetCanoniser::new(net, settings.relations), &mut store, &options)?
    } else {
        search_classes(net, settings.relations, &mut store, &options)?
    };
    let mut exploration = Exploration {
        report,
        store,
        relations: settings.relations,
        canon: settings.canon,
        unsound,
        verdicts: Vec::new(),
        deadlock: None,
    };
    if let Some(id) = exploration.report.first_stuck {
        exploration.deadlock = Some(exploration.trace(net, id)?);
    }
    exploration.answer(net, settings)?;
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
        if !self.canon {
            return replay(net, &mut ByName(PlainCanoniser(net)), &self.store, parents, to);
        }
        let canoniser = NetCanoniser::new(net, self.relations);
        let worker = canoniser.worker();
        let mut keys = Canonical { canoniser: &canoniser, worker };
        replay(net, &mut keys, &self.store, parents, to)
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

    fn answer(&mut self, net: &Net, settings: &Settings<'_>) -> Result<(), ExploreError> {
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
                    let verdict = watch_threads(net, bit, settings)?;
                    self.verdicts.push(verdict);
                    continue;
                }
            };
            let trace = found.map(|id| self.trace(net, id)).transpose()?;
            let property = property.name.clone();
            self.verdicts.push(Verdict { property, kind, answer, trace });
        }
        Ok(())
    }
}

/// A search of its own for a property of single threads.
fn watch_threads(
    net: &Net,
    property: usize,
    settings: &Settings<'_>,
) -> Result<Verdict, ExploreError> {
    let extended = watch::extended(net);
    let name = net.properties[property].name.clone();
    let kind = "thread";
    let mut verdict = Verdict { property: name, kind, answer: Answer::Unknown, trace: None };
    // without merging, any sound choice answers the question
    let relations = if settings.canon { settings.relations } else { net.used_relations() };
    let sound = net.unsound_use(relations).is_none();
    let Some(model) = WatchModel::new(&extended, property, relations).filter(|_| sound) else {
        return Ok(verdict);
    };
    let options = Options { stop_at: 1, stop_at_deadlock: false, ..settings.options.clone() };
    let options = Options { record_edges: false, ..options };
    let canoniser = NetCanoniser::new(&extended, relations);
    let mut store = ArenaStore::new();
    let report = search(&model, &canoniser, &mut store, &options)?;
    verdict.answer = match (report.found(0), report.complete()) {
        (Some(_), _) => Answer::Violated,
        (None, true) => Answer::Holds,
        (None, false) => Answer::Unknown,
    };
    if let Some(id) = report.found(0) {
        verdict.trace = Some(watched_trace(&model, &canoniser, &store, &report.parents, id)?);
    }
    Ok(verdict)
}

fn watched_trace(
    model: &WatchModel<'_>,
    canoniser: &NetCanoniser<'_>,
    store: &ArenaStore,
    parents: &Parents,
    to: Id,
) -> Result<Trace, Failure> {
    let (start, net) = (Named::initial(model.net()), model.net());
    let mut trace = Trace { start, steps: Vec::new() };
    let mut worker = canoniser.worker();
    let (mut wanted, mut key) = (Vec::new(), Vec::new());
    for step in parents.path(to).1 {
        store.read(step.to, &mut wanted);
        let mut next = None;
        for (label, after) in model.moves(trace.last())? {
            canoniser.key(&mut worker, &after.marking, &mut key)?;
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
    Ok(trace)
}
