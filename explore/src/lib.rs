//! State-space exploration of nets and heap programs, up to symmetry.
//!
//! [`search`] is the loop; a model language is a client of it: [`net`] for Petri nets with threads
//! (`.tnet` text), [`heap`] for programs with objects on a heap.
//! [`source`] is the text of a model in either.
//!
//! # A net
//! Threads have pids, and markings that differ in pids only are one state. Without merging, this net
//! has infinitely many states: every `spawn` uses a new pid.
//!
//! ```
//! use pidlab_explore::net::{NetOptions, compile, explore};
//! use pidlab_explore::search::Options;
//! use pidlab_explore::source::Source;
//!
//! let text = "
//!     net pool
//!     const most = 2
//!     place main(pid, int)
//!     place work(pid)
//!     init main(@1, 0)
//!     transition spawn {
//!       take main(p, n)
//!       guard n < most
//!       create w of p
//!       put main(p, n + 1), work(w)
//!     }
//!     transition join {
//!       take main(p, n), work(w)
//!       guard p parent w
//!       put main(p, n - 1)
//!       end w
//!     }";
//! let set = [("most".to_string(), "3".to_string())];
//! let net = compile(Source::new("pool.tnet", text), &set, &[])?;
//! let options = NetOptions {
//!     relations: net.used_relations(),
//!     canon: true,
//!     force: false,
//!     options: Options::default(),
//! };
//! let found = explore(&net, &options)?;
//! assert!(found.report.complete());
//! assert_eq!(found.report.counters.states, 4);
//! assert_eq!(found.report.counters.edges, 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A program
//! Two threads that take two locks in opposite orders. Exact symmetry merges the states in which they
//! have changed places, and the deadlock is found either way.
//!
//! ```
//! use pidlab_explore::heap::{HeapOptions, ThreadSymmetry, compile, explore};
//! use pidlab_explore::source::Source;
//!
//! let text = "system Locks {
//!   top record Lock { boolean held; }
//!   thread Taker(Lock first, Lock second) {
//!     loc l0: when !first.held do { first.held := true; } goto l1;
//!     loc l1: when !second.held do { second.held := true; } goto l2;
//!     loc l2: do { first.held := false; second.held := false; } return;
//!   }
//!   main thread MAIN() {
//!     loc l0: do {
//!       Lock a := new Lock;
//!       Lock b := new Lock;
//!       start Taker(a, b);
//!       start Taker(b, a);
//!     } return;
//!   }
//! }";
//! let source = Source::new("locks.bir", text);
//! let states = |symmetry| {
//!     let program = compile(&source, &[]).map_err(|error| error.to_string())?;
//!     let options = HeapOptions { symmetry, trace: true, ..Default::default() };
//!     let found = explore(program, &options).map_err(|failure| failure.to_string())?;
//!     assert_eq!(found.stuck(), 1);
//!     assert_eq!(found.trace.ok_or("no trace")?.steps.len(), 3);
//!     Ok::<_, String>(found.report.counters.states)
//! };
//! assert_eq!(states(ThreadSymmetry::None)?, 11);
//! assert_eq!(states(ThreadSymmetry::Exact)?, 9);
//! # Ok::<(), String>(())
//! ```

#![warn(missing_docs)]

pub mod graph;
pub mod heap;
pub mod lts;
pub mod net;
mod property;
pub mod search;
mod unique;

pub use pidlab_syntax as source;
pub use property::PropertyAnswer;
