//! Connections between processes: brought up, checked, watched.
//!
//! Timely takes connected sockets and leaves the rest to its caller: it panics where a connection
//! fails, trusts whoever connects, and waits for ever. Here a process listens before it connects
//! (`door`), both sides say who they are and what they search before anything else (`hello`), and what
//! timely then reads and writes goes through a `wire`, which has signs of life between the messages and
//! turns what goes wrong into a fault that everybody sees (`faults`) instead of a panic.

pub mod door;
pub mod faults;
pub mod hello;
pub mod meet;
pub mod wire;
