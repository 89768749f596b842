//! The run to a mistake of a net, such as a value outside of its domain.
//!
//! A search ends where a transition cannot be computed, and its predecessors go with it. So it is
//! made again, from concrete markings and up to the first marking that has no successors for such a
//! reason: a property like others, whose run is replayed. Cost: the same search once more.

use super::canon::NetCanonizer;
use super::compiled::Net;
use super::export::trace::write_text;
use super::marking::Marking;
use super::model::{NetModel, NetWorker};
use super::trace::{Canonical, NetReplay};
use super::trees::Classes;
use crate::search::{ArenaStore, Continue, Failure, Model, Options, Successors, search};
use pidlab_budget::Budget;
use pidlab_core::Relations;

/// A net that stands still where it would go wrong.
struct Careful<'n>(NetModel<'n>);

#[derive(Default)]
struct Worker {
    net: NetWorker,
    successors: Successors<Marking>,
}

impl Model for Careful<'_> {
    type State = Marking;
    type Worker = Worker;

    fn worker(&self) -> Worker {
        Worker::default()
    }

    fn allow(&self, worker: &mut Worker, budget: &Budget) {
        self.0.allow(&mut worker.net, budget);
    }

    fn initial(&self, worker: &mut Worker, out: &mut Successors<Marking>) -> Result<(), Failure> {
        self.0.initial(&mut worker.net, out)
    }

    fn successors(
        &self,
        worker: &mut Worker,
        marking: &Marking,
        out: &mut Successors<Marking>,
    ) -> Result<(), Failure> {
        let before = out.extent();
        match self.0.successors(&mut worker.net, marking, out) {
            Err(Failure::Model(_)) => out.cut_back(&before),
            other => other?,
        }
        Ok(())
    }

    /// Whether this marking is where the net goes wrong.
    fn inspect(&self, worker: &mut Worker, marking: &Marking) -> Result<u64, Failure> {
        worker.successors.clear();
        match self.0.successors(&mut worker.net, marking, &mut worker.successors) {
            Err(Failure::Model(_)) => Ok(1),
            other => other.map(|()| 0),
        }
    }
}

/// What went wrong, with the run to it where it is found again within the limits.
pub fn told(net: &Net, relations: Relations, options: &Options<'_>, failure: Failure) -> Failure {
    match failure {
        Failure::Model(what) => match run_to(net, relations, options) {
            Some(run) => Failure::Model(format!("{what}\nthe run to it:\n{run}")),
            None => Failure::Model(what),
        },
        other => other,
    }
}

fn run_to(net: &Net, relations: Relations, options: &Options<'_>) -> Option<String> {
    let options = Options {
        stop_at: 1,
        stop_at_deadlock: false,
        record_edges: false,
        from: Continue::Concrete,
        ..options.clone()
    };
    let (canonizer, mut store) = (NetCanonizer::new(net, relations), ArenaStore::new());
    let model = Careful(NetModel::without_symmetry(net, Relations::ALL));
    let report = search(&model, &canonizer, &mut store, &options).ok()?;
    let budget = &options.limits.budget.to_present();
    let keys = Canonical::new(&canonizer, budget);
    let classes = &Classes::plain(store);
    let mut replay = NetReplay { net, classes, keys, budget };
    let trace = replay.run(&report.parents, report.found(0)?).ok()?;
    let mut text = Vec::new();
    write_text(net, &trace, &mut text).ok()?;
    Some(String::from_utf8_lossy(&text).trim_end().to_string())
}
