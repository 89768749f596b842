//! A thread for labellings that must end in time.
//!
//! nauty looks at its limits between nodes of its search tree, and one refinement of a graph of two
//! million edges takes seconds. So the one who waits sends the thread a signal when the time is over,
//! and the call is left at that point (shim.c says how). Cost: one thread a decision.

use crate::{Stopped, ffi, free_buffers};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// A signal that arrives within the allocator is lost, so it is repeated.
const AGAIN: Duration = Duration::from_millis(5);

/// Does work that labels graphs with `own_thread` set, in a thread with that much stack. `time` is the
/// limit of all its labellings together: when it is over they are interrupted.
pub fn in_own_thread<T: Send + 'static>(
    stack: usize,
    time: Option<Duration>,
    work: impl FnOnce() -> Result<T, Stopped> + Send + 'static,
) -> Result<T, Stopped> {
    let (working, ended) = sync_channel::<()>(0);
    let worker = move || {
        let result = work();
        free_buffers();
        // nothing is sent: the channel closes when the work is over, and on a panic too
        drop(working);
        result
    };
    let thread = std::thread::Builder::new().stack_size(stack);
    let handle = thread.spawn(worker).map_err(|_| Stopped::Memory)?;
    let mut wait = time;
    while let Some(left) = wait {
        match ended.recv_timeout(left) {
            Err(RecvTimeoutError::Timeout) => ffi::interrupt(&handle),
            _ => break,
        }
        wait = Some(AGAIN);
    }
    handle.join().unwrap_or(Err(Stopped::Failed))
}
