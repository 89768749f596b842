//! One search of all processes: connections, workers, and an end in order or by a fault.
//!
//! Workers are threads of a scope, so that they borrow the model. If one of them or a connection fails,
//! the others see it within milliseconds and end as well; timely's own threads are then left to themselves,
//! as they can only be stopped by the end of the process.

use crate::exchange::{Exchange, Seat};
use crate::finish::Outcome;
use crate::member::{Cluster, ClusterError, GRACE};
use crate::network::faults::Faults;
use crate::network::hello::Hello;
use crate::network::meet::meet;
use crate::network::wire::{Link, Wire};
use crate::run::Run;
use pidlab_explore::search::{Canonizer, Failure, Model, Options, Store};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::allocator::TcpBuilder;
use timely::communication::allocator::zero_copy::initialize::{
    CommsGuard, initialize_networking_from_sockets,
};
use timely::communication::allocator::{Allocator, ProcessBuilder};
use timely::worker::Worker;

/// How long connections may take to be closed in order.
const CLOSING: Duration = Duration::from_secs(10);

pub struct Session<'c> {
    cluster: &'c Cluster,
    number: u64,
    links: Arc<[Option<Arc<Link>>]>,
    faults: Arc<Faults>,
    builders: Vec<TcpBuilder>,
    guard: CommsGuard,
}

impl<'c> Session<'c> {
    /// Connects to all other processes.
    pub fn begin(
        cluster: &'c Cluster,
        number: u64,
        until: Instant,
    ) -> Result<Session<'c>, ClusterError> {
        let hello = Hello { session: number, ..cluster.hello.clone() };
        let faults = Arc::new(Faults::default());
        let mut links = Vec::new();
        for (process, stream) in meet(&cluster.door, &hello, until)?.into_iter().enumerate() {
            let name = format!("process {process} at {}", hello.hosts[process]);
            let link = stream.map(|stream| Link::new(name, stream, Arc::clone(&faults)));
            links.push(link.transpose()?.map(Arc::new));
        }
        for link in links.iter().flatten().map(Arc::clone) {
            std::thread::Builder::new().name("signs of life".into()).spawn(move || link.beat())?;
        }
        let (builders, guard) = connect_timely(&links, &hello)?;
        Ok(Session { cluster, number, links: links.into(), faults, builders, guard })
    }

    /// Searches with the workers of this process.
    pub fn run<M, C, S>(
        self,
        model: &M,
        canonizer: &C,
        fresh: &(impl Fn() -> S + Sync),
        options: &Options<'_>,
    ) -> Result<Outcome, Failure>
    where
        M: Model,
        C: Canonizer<M::State>,
        S: Store,
    {
        let Session { cluster, number, links, faults, builders, guard } = self;
        let (kept, identity) = (&cluster.kept, &cluster.identity);
        let resumed = kept.resumed(number);
        let left = options.limits.budget.remaining();
        let patience = left.and_then(|left| Instant::now().checked_add(left + GRACE));
        let work = |builder: TcpBuilder| -> Result<Outcome, Failure> {
            let started = Instant::now();
            let allocator = Allocator::Tcp(builder.build());
            // without a clock a worker never sleeps
            let worker = Worker::new(WorkerConfig::default(), allocator, Some(started));
            let (links, faults) = (Arc::clone(&links), Arc::clone(&faults));
            let exchange = Exchange::new(Seat { worker, links, faults, patience });
            let keeper = kept.keeper(number, identity, exchange.index());
            let mut run = Run::new(exchange, (model, canonizer), fresh(), options);
            let done = keeper.and_then(|keeper| run.whole(started, keeper, resumed.as_ref()));
            // before the worker is dropped and timely says farewell to the others
            done.inspect_err(|failure| run.exchange.fail(failure))
        };
        let outcome = run_workers(builders, &faults, &work);
        match outcome {
            Ok(outcome) => {
                faults.end();
                close(guard, &links);
                Ok(outcome)
            }
            Err(failure) => {
                let reason = failure.to_string();
                links.iter().flatten().for_each(|link| link.give_up(&reason));
                // its threads wait for what will not come
                std::mem::forget(guard);
                Err(failure)
            }
        }
    }
}

fn connect_timely(
    links: &[Option<Arc<Link>>],
    hello: &Hello,
) -> std::io::Result<(Vec<TcpBuilder>, CommsGuard)> {
    let hooks = Hooks::default();
    let inner = ProcessBuilder::new_typed_vector(hello.threads, hooks.refill.clone(), None);
    let wires = links.iter().map(|link| link.as_ref().map(|link| Wire::new(Arc::clone(link))));
    initialize_networking_from_sockets(inner, wires.collect(), hello.process, hello.threads, hooks)
}

/// Runs a worker in each of several threads; what the first comes to stands for all.
fn run_workers<F>(builders: Vec<TcpBuilder>, faults: &Faults, work: &F) -> Result<Outcome, Failure>
where
    F: Fn(TcpBuilder) -> Result<Outcome, Failure> + Sync,
{
    let guarded = |builder| {
        let done = catch_unwind(AssertUnwindSafe(|| work(builder)));
        let done = done.unwrap_or_else(|_| Err(Failure::Lost(PANIC.into())));
        if let Err(failure) = &done {
            faults.note_failure(failure.clone());
        }
        done
    };
    let outcomes: Vec<Result<Outcome, Failure>> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            builders.into_iter().map(|builder| scope.spawn(|| guarded(builder))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|_| Err(Failure::Lost(PANIC.into())))
        };
        threads.into_iter().map(join).collect()
    });
    faults.check()?;
    let mut outcomes = outcomes.into_iter();
    outcomes.next().unwrap_or_else(|| Err(Failure::Setup("no worker was started".into())))
}

const PANIC: &str = "a worker panicked; this is a bug";

/// Waits until connections are closed in order, but not for ever.
fn close(guard: CommsGuard, links: &[Option<Arc<Link>>]) {
    let (done, closed) = std::sync::mpsc::channel();
    let waiter = std::thread::Builder::new().name("closing".into()).spawn(move || {
        // results are complete: a connection that fails now is not worth a panic
        let _ = catch_unwind(AssertUnwindSafe(|| drop(guard)));
        let _ = done.send(());
    });
    if waiter.is_ok() && links.iter().any(Option::is_some) {
        let _ = closed.recv_timeout(CLOSING);
    }
}
