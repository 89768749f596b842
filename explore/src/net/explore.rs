//! Exploration of a net from start to verdicts: the library side of `pidlab explore`.

use super::canon::NetCanonizer;
use super::compiled::{Net, PropertyRule};
use super::locality::is_local;
use super::mistake;
use super::model::{FINAL, NetModel};
use super::named::Named;
use super::plain::{PlainCanonizer, PlainModel};
use super::trace::{ByName, Canonical, KeyOf, NetReplay, NetTrace, NetTraceStep};
use super::trees::{Classes, TreeKeys, TreeMovesModel, TreeTable};
use super::watch::{self, WatchModel};
use crate::property::PropertyAnswer;
use crate::search::{
    Alone, ArenaStore, Continue, Failure, Id, Options, SearchReport, Searcher, StopReason, Store,
};
use pidlab_budget::{Budget, Exhausted};
use pidlab_core::Relations;
use thiserror::Error;

/// What to explore with.
#[derive(Clone)]
pub struct NetOptions<'a> {
    /// Ω*.
    pub relations: Relations,
    /// Merge equivalent markings.
    pub canon: bool,
    /// Explore although a guard compares with a relation outside Ω*.
    pub force: bool,
    /// How to search.
    pub options: Options<'a>,
}

/// Why there is no exploration.
#[derive(Debug, Error)]
pub enum ExploreError {
    /// A guard compares pids with a relation that Ω* leaves out, and the settings do not force it.
    #[error("{0}")]
    Unsound(String),
    /// The search could not go on.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// A property of the net and its answer.
#[derive(Clone, Debug)]
pub struct PropertyVerdict {
    /// Its name.
    pub property: String,
    /// The word that it begins with: `never`, `always`, `reach` or `thread`.
    pub kind: &'static str,
    /// What it came to.
    pub answer: PropertyAnswer,
    /// A run that shows a violation, or how a marking is reached.
    pub trace: Option<NetTrace>,
}

/// An explored state space.
pub struct NetExploration {
    /// Counts and the way to every class.
    pub report: SearchReport,
    /// The canonical form of every class.
    pub classes: Classes,
    /// Ω*.
    pub relations: Relations,
    /// Whether equivalent markings were merged.
    pub canon: bool,
    /// Why the result may be wrong; only with `force`.
    pub unsound: Option<String>,
    /// One for each property of the net, in order.
    pub verdicts: Vec<PropertyVerdict>,
    /// The way to the first deadlock that is not a proper end.
    pub deadlock: Option<NetTrace>,
    /// Why some runs were left out: a limit was reached before they were found again.
    pub left_out: Option<Exhausted>,
    /// What the presentation of results may use.
    pub budget: Budget,
}

/// Explores a net and answers its properties.
pub fn explore(net: &Net, settings: &NetOptions<'_>) -> Result<NetExploration, ExploreError> {
    explore_by(net, settings, &Alone)
}

/// The same, where `searcher` runs the searches.
pub fn explore_by(
    net: &Net,
    settings: &NetOptions<'_>,
    searcher: &impl Searcher,
) -> Result<NetExploration, ExploreError> {
    let unsound = soundness(net, settings)?;
    let mut options = settings.options.clone();
    options.ends = FINAL;
    let relations = settings.relations;
    let searched = if !settings.canon {
        let (model, canonizer) = (PlainModel::new(net), PlainCanonizer(net));
        searcher.search(&model, &canonizer, &ArenaStore::new, &options).map(plain)
    } else if unsound.is_some() {
        // the guards need what the keys leave out: go on from concrete markings
        options.from = Continue::Concrete;
        let model = NetModel::without_symmetry(net, Relations::ALL);
        let canonizer = NetCanonizer::new(net, relations);
        searcher.search(&model, &canonizer, &ArenaStore::new, &options).map(plain)
    } else {
        classes_by(net, relations, &options, searcher)
    };
    let (report, classes) = searched
        .map_err(|failure| mistake::told(net, settings.relations, &settings.options, failure))?;
    let mut exploration = NetExploration {
        report,
        classes,
        relations: settings.relations,
        canon: settings.canon,
        unsound,
        verdicts: Vec::new(),
        deadlock: None,
        left_out: None,
        budget: settings.options.limits.budget.to_present(),
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
    options: &Options<'_>,
) -> Result<(SearchReport, Classes), Failure> {
    classes_by(net, relations, options, &Alone)
}

fn classes_by(
    net: &Net,
    relations: Relations,
    options: &Options<'_>,
    searcher: &impl Searcher,
) -> Result<(SearchReport, Classes), Failure> {
    if !is_local(net, relations) {
        let (model, canonizer) = (NetModel::new(net, relations), NetCanonizer::new(net, relations));
        return Ok(plain(searcher.search(&model, &canonizer, &ArenaStore::new, options)?));
    }
    let (table, portable) = (TreeTable::default(), !searcher.is_alone());
    let model = TreeMovesModel::new(net, relations, &table);
    let canonizer = TreeKeys { net, table: &table, portable };
    let (mut report, store) = searcher.search(&model, &canonizer, &ArenaStore::new, options)?;
    if portable {
        return Ok(plain((report, store)));
    }
    let (trees, index) = table.bytes();
    report.key_bytes += trees;
    report.index_bytes += index;
    Ok((report, Classes::of_trees(store, table)))
}

/// A search whose keys are the canonical forms.
fn plain((report, store): (SearchReport, ArenaStore)) -> (SearchReport, Classes) {
    (report, Classes::plain(store))
}

/// Spec: a model's guards may only use relations in Ω*.
fn soundness(net: &Net, settings: &NetOptions<'_>) -> Result<Option<String>, ExploreError> {
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
    let advice = "take the relations that the net uses, add this one, or force the exploration";
    Err(ExploreError::Unsound(format!("{}: unsound: {text}; {advice}", net.source.name)))
}

impl NetExploration {
    /// A run of the net to a stored marking, with the pids of that run.
    pub fn trace(&self, net: &Net, to: Id) -> Result<NetTrace, Failure> {
        let parents = &self.report.parents;
        let (classes, budget) = (&self.classes, &self.budget);
        let mut trace = if self.canon {
            let canonizer = NetCanonizer::new(net, self.relations);
            let keys = Canonical::new(&canonizer, budget);
            NetReplay { net, classes, keys, budget }.run(parents, to)?
        } else {
            let keys = ByName(PlainCanonizer(net));
            NetReplay { net, classes, keys, budget }.run(parents, to)?
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

    /// Whether a property is violated or a deadlock is not a proper end.
    pub fn has_violation(&self) -> bool {
        let wrong = |v: &PropertyVerdict| v.answer.is_bad();
        self.report.first_stuck.is_some() || self.verdicts.iter().any(wrong)
    }

    /// Whether a limit left a question open.
    pub fn is_open(&self) -> bool {
        self.report.stopped.is_some_and(StopReason::is_limit)
            || self.verdicts.iter().any(|v| v.answer == PropertyAnswer::Unknown)
    }

    fn answer(
        &mut self,
        net: &Net,
        settings: &NetOptions<'_>,
        searcher: &impl Searcher,
    ) -> Result<(), ExploreError> {
        for (bit, property) in net.properties.iter().enumerate() {
            let found = self.report.found(bit as u32);
            let complete = self.report.complete();
            let state = |yes, no| match (found, complete) {
                (Some(_), _) => yes,
                (None, true) => no,
                (None, false) => PropertyAnswer::Unknown,
            };
            let (kind, answer) = match &property.rule {
                PropertyRule::Never(_) => {
                    ("never", state(PropertyAnswer::Violated, PropertyAnswer::Holds))
                }
                PropertyRule::Always(_) => {
                    ("always", state(PropertyAnswer::Violated, PropertyAnswer::Holds))
                }
                PropertyRule::Reach(_) => {
                    ("reach", state(PropertyAnswer::Reached, PropertyAnswer::Unreachable))
                }
                PropertyRule::Thread { .. } => {
                    let (verdict, trace) = watch_threads(net, bit, settings, searcher)?;
                    let trace = trace.map(|trace| self.within_limits(trace)).transpose()?.flatten();
                    self.verdicts.push(PropertyVerdict { trace, ..verdict });
                    continue;
                }
            };
            let trace = found.map(|id| self.trace(net, id));
            let trace = trace.map(|trace| self.within_limits(trace)).transpose()?.flatten();
            let property = property.name.clone();
            self.verdicts.push(PropertyVerdict { property, kind, answer, trace });
        }
        Ok(())
    }
}

/// A search of its own for a property of single threads, and the run to what it found.
fn watch_threads(
    net: &Net,
    property: usize,
    settings: &NetOptions<'_>,
    searcher: &impl Searcher,
) -> Result<(PropertyVerdict, Option<Result<NetTrace, Failure>>), ExploreError> {
    let name = net.properties[property].name.clone();
    let kind = "thread";
    let mut verdict =
        PropertyVerdict { property: name, kind, answer: PropertyAnswer::Unknown, trace: None };
    // without merging, any sound choice answers the question
    let relations = if settings.canon { settings.relations } else { net.used_relations() };
    let budget = &settings.options.limits.budget;
    if net.unsound_use(relations).is_some() || budget.poll().is_err() {
        return Ok((verdict, None));
    }
    let extended = watch::extended(net);
    let Some(model) = WatchModel::new(&extended, property, relations) else {
        return Ok((verdict, None));
    };
    let options = Options { stop_at: 1, stop_at_deadlock: false, ..settings.options.clone() };
    let options = Options { record_edges: false, ..options };
    let canonizer = NetCanonizer::new(&extended, relations);
    let (report, store) = searcher.search(&model, &canonizer, &ArenaStore::new, &options)?;
    verdict.answer = match (report.found(0), report.complete()) {
        (Some(_), _) => PropertyAnswer::Violated,
        (None, true) => PropertyAnswer::Holds,
        (None, false) => PropertyAnswer::Unknown,
    };
    let budget = &budget.to_present();
    let keys = Canonical::new(&canonizer, budget);
    let trace = report.found(0).map(|id| watched_trace(&model, keys, &store, &report, id, budget));
    Ok((verdict, trace))
}

fn watched_trace(
    model: &WatchModel<'_>,
    mut keys: impl KeyOf,
    store: &ArenaStore,
    report: &SearchReport,
    to: Id,
    budget: &Budget,
) -> Result<NetTrace, Failure> {
    let (start, net) = (Named::initial(model.net()), model.net());
    let mut trace = NetTrace { start, steps: Vec::new() };
    let (mut wanted, mut key) = (Vec::new(), Vec::new());
    for step in report.parents.path(to).1 {
        budget.poll()?;
        store.read(step.to, &mut wanted);
        let mut next = None;
        for (label, after) in model.moves(trace.last(), budget)? {
            keys.key_of(&after, &mut key)?;
            if label == step.label && key == wanted {
                next = Some(after);
                break;
            }
        }
        let after =
            next.ok_or_else(|| Failure::Model("a watched step was lost; this is a bug".into()))?;
        let transition = net.labels[step.label as usize].clone();
        let (binding, values, class) = (Vec::new(), Vec::new(), step.to);
        trace.steps.push(NetTraceStep { transition, binding, values, after, class });
    }
    trace.number(report);
    Ok(trace)
}
