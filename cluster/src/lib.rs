//! The search loop of `pidlab-explore` on several processes, on one machine or many.
//!
//! A [`Cluster`] is a [`Searcher`](pidlab_explore::search::Searcher): nets and heap programs are
//! explored by it as they are by one process, with the same counts, verdicts and ways to what was found.
//! Every worker (a thread of a process) owns the keys with hashes in a range of its own and has a store
//! of its own. Successors travel as keys to their owners, in batches, by timely dataflow; see [`run`] for
//! the rounds of a level and `rank` for how states get the numbers that one process would give them.
//!
//! This is a crate of its own so that whoever embeds `pidlab-explore` does not build timely.
//!
//! Processes trust each other and the network between them: nothing is encrypted or authenticated.

mod checkpoint;
mod codec;
mod exchange;
mod expand;
mod finish;
mod guard;
mod member;
mod message;
mod network;
mod outgoing;
mod parcel;
mod part;
mod rank;
pub mod run;
mod session;
mod share;
mod statistics;
mod totals;

pub use checkpoint::Checkpoints;
pub use member::{Cluster, ClusterError, Member, read_hosts};
pub use network::hello::Identity;
pub use network::wire::SILENCE;
pub use statistics::Statistics;
