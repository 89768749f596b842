//! A process that takes part in searches together with others.

use crate::checkpoint::{Checkpoints, Kept};
use crate::network::door::Door;
use crate::network::hello::{Hello, Identity};
use crate::network::wire::SILENCE;
use crate::session::Session;
use crate::statistics::Statistics;
use pidlab_explore::search::{
    Canonizer, Failure, Model, Options, Order, SearchReport, Searcher, Store,
};
use std::cell::{Cell, RefCell};
use std::net::TcpListener;
use std::time::{Duration, Instant};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ClusterError {
    #[error("process {process} is none of the {processes} processes; they are numbered from 0")]
    NoSuchProcess { process: usize, processes: usize },
    #[error(
        "the list of hosts has {found} addresses for {wanted} processes; write one address a line"
    )]
    TooFewHosts { found: usize, wanted: usize },
    #[error("the address of process {process}, `{address}`, is not HOST:PORT")]
    BadAddress { process: usize, address: String },
    #[error("process {process} and process {other} have the same address, `{address}`")]
    SameAddress { process: usize, other: usize, address: String },
    #[error(
        "process {process} cannot listen on {address}: {cause}; is another search running there?"
    )]
    Listen { process: usize, address: String, cause: std::io::Error },
    #[error(
        "process {process} at {address} cannot be reached: {cause}; start all processes within {} s",
        SILENCE.as_secs()
    )]
    Absent { process: usize, address: String, cause: String },
    #[error("{0}")]
    Misfit(String),
    #[error("{0}")]
    Checkpoint(#[from] Failure),
    #[error("connections cannot be set up: {0}")]
    Connections(#[from] std::io::Error),
}

/// Who takes part, and as whom.
#[derive(Debug)]
pub struct Member {
    /// Addresses of all processes, HOST:PORT.
    pub hosts: Vec<String>,
    /// The number of this process.
    pub process: usize,
    /// Workers of each process.
    pub threads: usize,
    pub identity: Identity,
    /// A listener for this process's address, if there is one already.
    pub listener: Option<TcpListener>,
    pub checkpoints: Checkpoints,
}

/// The processes of a search, as one of them sees them.
pub struct Cluster {
    pub(crate) hello: Hello,
    pub(crate) door: Door,
    /// What is searched, without which checkpoint it goes on from.
    pub(crate) identity: Identity,
    pub(crate) kept: Kept,
    /// Number of the next search.
    next: Cell<u64>,
    statistics: RefCell<Option<Statistics>>,
}

impl Cluster {
    /// Begins to listen; others are waited for when a search begins.
    pub fn join(member: Member) -> Result<Cluster, ClusterError> {
        let Member { hosts, process, threads, identity, listener, checkpoints } = member;
        check_hosts(&hosts, process)?;
        let listener =
            match listener {
                Some(listener) => listener,
                None => TcpListener::bind(&hosts[process]).map_err(|cause| {
                    ClusterError::Listen { process, address: hosts[process].clone(), cause }
                })?,
            };
        let kept = Kept::open(&checkpoints, &identity, process == 0)?;
        let mut greeting = identity.clone();
        greeting.options.push_str(&kept.digest());
        let hello =
            Hello { process, hosts, threads, session: 0, identity: greeting, refused: None };
        let door = Door::open(listener, hello.clone())?;
        let (next, statistics) = (Cell::new(0), RefCell::new(None));
        Ok(Cluster { hello, door, identity, kept, next, statistics })
    }

    /// Whether this process is the one that presents results.
    pub fn is_first(&self) -> bool {
        self.hello.process == 0
    }

    /// What the first search came to.
    pub fn statistics(&self) -> Option<Statistics> {
        self.statistics.borrow().clone()
    }

    /// Until when others are waited for.
    fn patience(&self, options: &Options<'_>) -> Instant {
        let left = options.limits.budget.remaining();
        Instant::now() + left.map_or(SILENCE, |left| SILENCE.min(left))
    }
}

fn check_hosts(hosts: &[String], process: usize) -> Result<(), ClusterError> {
    if process >= hosts.len() {
        return Err(ClusterError::NoSuchProcess { process, processes: hosts.len() });
    }
    for (process, address) in hosts.iter().enumerate() {
        let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        if port.is_none_or(|port| port == 0) {
            return Err(ClusterError::BadAddress { process, address: address.clone() });
        }
        if let Some(other) = hosts[..process].iter().position(|known| known == address) {
            return Err(ClusterError::SameAddress { process, other, address: address.clone() });
        }
    }
    Ok(())
}

/// The addresses of so many processes in a list: one a line, `#` begins a comment.
pub fn read_hosts(text: &str, processes: usize) -> Result<Vec<String>, ClusterError> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or("").trim());
    let hosts: Vec<String> =
        lines.filter(|line| !line.is_empty()).take(processes).map(str::to_string).collect();
    if hosts.len() < processes {
        return Err(ClusterError::TooFewHosts { found: hosts.len(), wanted: processes });
    }
    Ok(hosts)
}

impl Searcher for Cluster {
    fn search<M, C, S>(
        &self,
        model: &M,
        canonizer: &C,
        fresh: &(impl Fn() -> S + Sync),
        options: &Options<'_>,
    ) -> Result<(SearchReport, S), Failure>
    where
        M: Model,
        C: Canonizer<M::State>,
        S: Store,
    {
        check_options(options)?;
        let started = Instant::now();
        let number = self.next.replace(self.next.get() + 1);
        let session = Session::begin(self, number, self.patience(options))
            .map_err(|error| Failure::Setup(error.to_string()))?;
        let outcome = session.run(model, canonizer, fresh, options)?;
        if number == 0 {
            let levels = outcome.totals.sizes.clone();
            let statistics = Statistics::new(&outcome.work, levels, self.hello.threads);
            *self.statistics.borrow_mut() = Some(statistics);
        }
        if let Some(failure) = &outcome.end.failure {
            return Err(Failure::Model(failure.clone()));
        }
        let mut store = fresh();
        let mut report = outcome.report(&mut store);
        report.elapsed = started.elapsed();
        Ok((report, store))
    }
}

/// What several processes cannot do.
fn check_options(options: &Options<'_>) -> Result<(), Failure> {
    let refused = match options {
        Options { order: Order::DepthFirst, .. } => "search breadth-first",
        Options { record_edges: true, .. } => "do not keep edges",
        _ => return Ok(()),
    };
    Err(Failure::Setup(format!("several processes {refused} only; use one process")))
}

/// How long after a deadline others may take to answer.
pub const GRACE: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_lines() {
        let text = "# two machines\na:2101\n\n b:2101 # the other\nc:1\n";
        assert_eq!(read_hosts(text, 2).unwrap(), ["a:2101", "b:2101"]);
        assert!(matches!(
            read_hosts(text, 4),
            Err(ClusterError::TooFewHosts { found: 3, wanted: 4 })
        ));
    }

    #[test]
    fn addresses_are_checked() {
        let hosts = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        assert!(check_hosts(&hosts(&["a:1", "b:1"]), 1).is_ok());
        assert!(matches!(
            check_hosts(&hosts(&["a:1"]), 1),
            Err(ClusterError::NoSuchProcess { .. })
        ));
        for bad in ["a", "a:", "a:0", "a:70000"] {
            let error = check_hosts(&hosts(&["x:1", bad]), 0);
            assert!(matches!(error, Err(ClusterError::BadAddress { process: 1, .. })), "{bad}");
        }
        assert!(matches!(
            check_hosts(&hosts(&["a:1", "a:1"]), 0),
            Err(ClusterError::SameAddress { process: 1, other: 0, .. })
        ));
    }
}
