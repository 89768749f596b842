//! `--cluster`, `--processes` and checkpoints: a search by several processes. docs/scaling.md has
//! the whole of it.

mod children;

use super::explore::budget;
use crate::arguments::{Timeout, cores};
use anyhow::{Context, bail};
use children::Children;
use pidlab_cluster::{Checkpoints, Cluster, Identity, Member, Statistics, read_hosts};
use pidlab_core::mix::mix_bytes;
use pidlab_explore::net::ExploreError;
use pidlab_explore::search::{Failure, Limits};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Options of searches by several processes.
#[derive(clap::Args, Clone, Debug)]
pub struct ClusterArgs {
    /// Search by so many processes on this machine
    #[arg(long, value_name = "N", conflicts_with_all = ["processes", "process", "hostfile"])]
    cluster: Option<usize>,
    /// Search by so many processes, of which this is one
    #[arg(long, value_name = "N", requires = "process", requires = "hostfile")]
    processes: Option<usize>,
    /// The number of this process, from 0; process 0 prints the result
    #[arg(long, value_name = "I", requires = "processes")]
    process: Option<usize>,
    /// Addresses of the processes, HOST:PORT, one a line
    #[arg(long, value_name = "FILE", requires = "processes")]
    hostfile: Option<PathBuf>,
    /// Write checkpoints to this folder, which all processes can reach
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Least time between two checkpoints [default: 5m]
    #[arg(long, value_name = "TIME", requires = "checkpoint")]
    every: Option<Timeout>,
    /// Go on from the checkpoint in this folder
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// The listener of this process is its standard input
    #[arg(long, hide = true, requires = "processes")]
    listener_on_stdin: bool,
}

const USUAL_TIME_BETWEEN: Duration = Duration::from_secs(300);
/// Most processes on one machine.
const MOST_PROCESSES: usize = 256;

impl ClusterArgs {
    /// Whether the search is one of several processes, or writes checkpoints like one.
    pub fn is_given(&self) -> bool {
        self.number().is_some() || self.checkpoint.is_some() || self.resume.is_some()
    }

    fn number(&self) -> Option<usize> {
        self.processes.or(self.cluster)
    }

    /// Whether this process presents the result.
    pub fn is_first(&self) -> bool {
        self.process.unwrap_or(0) == 0
    }

    /// Threads of each process, unless they are given.
    pub fn threads(&self, given: Option<usize>) -> usize {
        given.unwrap_or_else(|| (cores() / self.cluster.unwrap_or(1).max(1)).max(1))
    }

    fn checkpoints(&self) -> Checkpoints {
        let every = self.every.map_or(USUAL_TIME_BETWEEN, |every| every.0);
        let write = self.checkpoint.clone().map(|folder| (folder, every));
        Checkpoints { write, resume: self.resume.clone() }
    }

    fn hosts(&self) -> anyhow::Result<Option<Vec<String>>> {
        let (Some(file), Some(processes)) = (&self.hostfile, self.processes) else {
            return Ok(None);
        };
        let name = file.display();
        let text =
            std::fs::read_to_string(file).with_context(|| format!("{name}: cannot be read"))?;
        Ok(Some(read_hosts(&text, processes).with_context(|| name.to_string())?))
    }

    /// Takes part in the search that `question` describes.
    pub fn join(
        &self,
        model: &Path,
        question: &str,
        threads: usize,
        limits: &Limits,
    ) -> anyhow::Result<Joined> {
        if threads == 0 || self.number() == Some(0) {
            bail!("0 processes or threads cannot search; use 1 or more");
        }
        if self.cluster.is_some_and(|processes| processes > MOST_PROCESSES) {
            bail!("--cluster starts at most {MOST_PROCESSES} processes");
        }
        let identity = identity(model, question, limits)?;
        let (hosts, process, listener, children) = match self.hosts()? {
            Some(hosts) => {
                let listener = self.listener_on_stdin.then(children::listener).transpose()?;
                (hosts, self.process.unwrap_or(0), listener, Children::default())
            }
            None => {
                let (children, hosts, listener) =
                    Children::start(self.cluster.unwrap_or(1), threads)?;
                (hosts, 0, Some(listener), children)
            }
        };
        let checkpoints = self.checkpoints();
        let member = Member { hosts, process, threads, identity, listener, checkpoints };
        Ok(Joined { cluster: Cluster::join(member)?, _children: children })
    }
}

/// A cluster that this process has joined, and the processes that it started for it.
pub struct Joined {
    pub cluster: Cluster,
    _children: Children,
}

impl Joined {
    /// What the search took.
    pub fn statistics(&self) -> Option<Statistics> {
        self.cluster.statistics()
    }
}

/// What a search by several processes took, for people.
pub fn write_statistics(took: &Statistics, out: &mut dyn Write) -> io::Result<()> {
    let Statistics { processes, threads, bytes_sent_per_state: sent, .. } = took;
    let line =
        format!("{processes} processes, {threads} threads each; {sent:.1} bytes sent a state");
    writeln!(out, "cluster    {line}")?;
    let percent = [took.canonise_share, took.communication_share, took.waiting_share];
    let [canonising, communicating, waiting] = percent.map(|share| share * 100.0);
    let balance = took.balance;
    write!(out, "           {canonising:.0} % canonising, {communicating:.0} % communicating, ")?;
    writeln!(out, "{waiting:.0} % waiting; balance {balance:.2}")
}

/// What all processes must have in common.
fn identity(model: &Path, question: &str, limits: &Limits) -> anyhow::Result<Identity> {
    let text = budget::read(model, limits)?.text;
    let digest = [0, 1].map(|seed| format!("{:016x}", mix_bytes(seed, text.as_bytes()))).concat();
    let name = model.file_name().unwrap_or_default().to_string_lossy();
    let version = format!("pidlab {} {}", env!("CARGO_PKG_VERSION"), env!("PIDLAB_COMMIT"));
    Ok(Identity {
        program: Identity::program(&version),
        model: format!("{name} {digest}"),
        options: question.to_string(),
    })
}

/// Why the other processes could not help to the end, if that is what went wrong.
pub fn lost(error: &anyhow::Error) -> Option<String> {
    let failure = match error.downcast_ref::<ExploreError>() {
        Some(ExploreError::Failure(failure)) => Some(failure),
        _ => error.downcast_ref::<Failure>(),
    };
    match failure {
        Some(Failure::Lost(text)) => Some(text.clone()),
        _ => None,
    }
}
