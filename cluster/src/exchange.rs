//! Rounds of messages between all workers: one timely dataflow, a loop with one operator in it.
//!
//! What is sent in round t is received in round t + 1, and a round is over once timely's progress
//! tracking says that nothing of it can arrive any more; no worker counts messages or waits for a
//! coordinator. The operator holds a capability for the round under way, so that a worker that has
//! nothing to say takes part as well. Timely runs operators that own what they use, whereas a search
//! borrows its model: the operator therefore only moves parcels between timely and two queues, and
//! the search does its work between two steps of timely. Messages to oneself never reach timely.

use crate::network::faults::Faults;
use crate::network::wire::Link;
use crate::parcel::{ByAddress, Parcel};
use pidlab_explore::search::Failure;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use timely::container::NoopBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::scheduling::Activator;
use timely::worker::Worker;

/// Longest sleep between two looks at what may have ended the search.
const NAP: Duration = Duration::from_millis(20);
/// Bytes that may wait to be written to one process.
const MOST_QUEUED: u64 = 64 << 20;
/// Buffers that are kept for the next messages.
const MOST_SPARE: usize = 64;

/// What the operator and the search share.
#[derive(Default)]
struct Port {
    /// Received parcels by round, even and odd: a worker is at most one round ahead of another.
    inbox: [VecDeque<Parcel>; 2],
    outbox: Vec<Parcel>,
    spare: Vec<Vec<u8>>,
    capability: Option<Capability<u64>>,
    /// The round that is being sent in.
    round: u64,
    /// The first round that may still receive something; `None`: the dataflow is over.
    open: Option<u64>,
}

impl Port {
    /// Lets timely know that nothing more is sent in rounds before the present one.
    fn advance(&mut self) {
        let round = self.round;
        if let Some(capability) = self.capability.as_mut().filter(|held| *held.time() < round) {
            capability.downgrade(&round);
        }
    }
}

/// What a worker needs to take part.
pub struct Seat {
    pub worker: Worker,
    /// Connections to the other processes, by number; none to one's own.
    pub links: Arc<[Option<Arc<Link>>]>,
    pub faults: Arc<Faults>,
    /// When to give up on others that do not answer.
    pub patience: Option<Instant>,
}

/// One worker's end of the exchange.
pub struct Exchange {
    worker: Worker,
    port: Rc<RefCell<Port>>,
    /// Wakes the operator.
    activator: Option<Activator>,
    links: Arc<[Option<Arc<Link>>]>,
    faults: Arc<Faults>,
    patience: Option<Instant>,
    round: u64,
    /// Time spent asleep, and in timely.
    pub waited: Duration,
    pub moved: Duration,
}

impl Exchange {
    pub fn new(seat: Seat) -> Exchange {
        let Seat { mut worker, links, faults, patience } = seat;
        let port = Rc::new(RefCell::new(Port { open: Some(0), ..Port::default() }));
        let activator = build(&mut worker, Rc::clone(&port));
        let (waited, moved) = (Duration::ZERO, Duration::ZERO);
        Exchange { worker, port, activator, links, faults, patience, round: 0, waited, moved }
    }

    pub fn index(&self) -> usize {
        self.worker.index()
    }

    pub fn peers(&self) -> usize {
        self.worker.peers()
    }

    /// An empty buffer.
    pub fn buffer(&mut self) -> Vec<u8> {
        let mut bytes = self.port.borrow_mut().spare.pop().unwrap_or_default();
        bytes.clear();
        bytes
    }

    /// Takes back a parcel that was read.
    pub fn recycle(&mut self, parcel: Parcel) {
        let mut port = self.port.borrow_mut();
        if port.spare.len() < MOST_SPARE {
            port.spare.extend(parcel.into_memory());
        }
    }

    /// Sends bytes, which are not empty, to a worker in the present round.
    pub fn send(&mut self, to: usize, bytes: Vec<u8>) {
        if let Some(link) = self.link(to) {
            link.queued.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        let mut port = self.port.borrow_mut();
        let parcel = Parcel::new(to, bytes);
        match to == self.worker.index() {
            true => port.inbox[inbox_of(self.round)].push_back(parcel),
            false => port.outbox.push(parcel),
        }
    }

    /// The connection to the process of a worker, unless it is one's own.
    fn link(&self, worker: usize) -> Option<&Link> {
        let threads = self.peers() / self.links.len();
        self.links[worker / threads].as_deref()
    }

    /// Bytes that this process has written to others so far, told by its first worker alone.
    pub fn written(&self) -> u64 {
        let is_first = self.index().is_multiple_of(self.peers() / self.links.len());
        let links = self.links.iter().flatten().filter(|_| is_first);
        links.map(|link| link.written.load(Ordering::Relaxed)).sum()
    }

    /// Takes note of what ended this worker's search: the others end as well.
    pub fn fail(&self, failure: &Failure) {
        self.faults.note_failure(failure.clone());
    }

    /// Whether so much waits to be written to a process that it is better not to send more.
    pub fn is_congested(&self) -> bool {
        self.links.iter().flatten().any(|link| link.backlog() > MOST_QUEUED)
    }

    /// Sends the same to all, oneself included.
    pub fn broadcast(&mut self, bytes: &[u8]) {
        for to in 0..self.peers() {
            let mut copy = self.buffer();
            copy.extend_from_slice(bytes);
            self.send(to, copy);
        }
    }

    /// The next parcel that was sent in the present round, if one is there.
    pub fn receive(&mut self) -> Option<Parcel> {
        self.port.borrow_mut().inbox[inbox_of(self.round)].pop_front()
    }

    fn wake(&self) {
        self.activator.iter().for_each(Activator::activate);
    }

    /// Has timely move what there is to move.
    pub fn step(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        self.wake();
        self.worker.step();
        self.moved += start.elapsed();
        self.faults.check()
    }

    /// Ends one's own part of the round: nothing more will be sent in it.
    pub fn close(&mut self) -> Result<(), Failure> {
        self.round += 1;
        self.port.borrow_mut().round = self.round;
        self.step()
    }

    /// The next parcel of the round that was closed last; `None` once all of it have arrived.
    pub fn arriving(&mut self) -> Result<Option<Parcel>, Failure> {
        loop {
            let mut port = self.port.borrow_mut();
            if let Some(parcel) = port.inbox[inbox_of(self.round - 1)].pop_front() {
                return Ok(Some(parcel));
            }
            if port.open.is_none_or(|open| open > self.round) {
                return Ok(None);
            }
            drop(port);
            self.sleep()?;
        }
    }

    fn sleep(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        self.worker.step_or_park(Some(NAP));
        self.waited += start.elapsed();
        self.faults.check()?;
        if self.patience.is_some_and(|patience| start > patience) {
            self.faults.note("the other processes did not answer in time".into());
        }
        self.faults.check()
    }

    /// Ends the dataflow, together with all other workers.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.port.borrow_mut().capability = None;
        self.wake();
        while self.worker.has_dataflows() {
            self.sleep()?;
        }
        Ok(())
    }
}

/// The queue for what was sent in a round.
fn inbox_of(round: u64) -> usize {
    (round % 2) as usize
}

fn build(worker: &mut Worker, port: Rc<RefCell<Port>>) -> Option<Activator> {
    worker.dataflow::<u64, _, _>(|scope| {
        let (handle, arriving) = scope.feedback::<Parcel>(1);
        let mut activator = None;
        let pact = DistributorPact(|_peers| ByAddress);
        let sent = arriving.unary_frontier::<NoopBuilder<Parcel>, _, _, _>(
            pact,
            "Rounds",
            |capability, info| {
                port.borrow_mut().capability = Some(capability);
                activator = Some(scope.activator_for(info.address));
                move |(input, frontier), output| {
                    let port = &mut *port.borrow_mut();
                    input.for_each(|time, parcel| {
                        let sent_in = *time.time() - 1;
                        port.inbox[inbox_of(sent_in)].push_back(std::mem::take(parcel));
                    });
                    if let Some(capability) = &port.capability {
                        let mut session = output.session_with_builder(capability);
                        for mut parcel in port.outbox.drain(..) {
                            session.give_container(&mut parcel);
                            if port.spare.len() < MOST_SPARE {
                                port.spare.extend(parcel.into_memory());
                            }
                        }
                    }
                    port.advance();
                    port.open = frontier.frontier().first().copied();
                }
            },
        );
        sent.connect_loop(handle);
        activator
    })
}
