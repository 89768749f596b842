//! Ctrl-C during long calls.
//!
//! Only the main thread of Python sees signals, and only when it asks. Short work runs in the calling
//! thread ([`here`]): a budget asks every [`LOOK_EVERY`] whenever it reads the clock. Work that may not
//! look at a budget for long runs in a thread of its own ([`on_thread`]) while the caller waits and
//! asks; if that thread does not end soon after it was told to, the caller leaves it behind. It holds
//! nothing of Python and ends at its next look.
//!
//! What a handler raises is kept until the call is back in Python. A handler may call us again: such a
//! call runs in a thread of its own, because the engine keeps memory for each thread that is in use then.

use crate::args::Limits;
use pidlab_backends::Budget;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Time between two questions whether a signal came.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long a thread may take to notice that it is to end.
const PATIENCE: Duration = Duration::from_millis(100);

thread_local! {
    /// Set in threads of ours: what tells them to end.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
    /// What a signal handler raised.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// A budget that ends when the user interrupts.
pub fn budget(limits: Limits) -> Budget {
    let asked: fn() -> bool = interrupted;
    Budget::new(limits.time, limits.memory).interrupted_by(asked)
}

/// As [`budget`], for one of many decisions at a time.
pub fn budget_of_one(limits: Limits) -> Budget {
    budget(limits).on_one_thread()
}

/// Whether this thread should stop.
fn interrupted() -> bool {
    let told = STOP.with_borrow(|flag| flag.as_ref().map(|flag| flag.load(Ordering::Relaxed)));
    told.unwrap_or_else(|| is_due() && signalled())
}

fn is_due() -> bool {
    let now = Instant::now();
    let is_due = LOOKED.get().is_none_or(|looked| now >= looked + LOOK_EVERY);
    if is_due {
        LOOKED.set(Some(now));
    }
    is_due
}

/// Runs the handlers of signals that came; keeps what they raise.
fn signalled() -> bool {
    if RAISED.with_borrow(Option::is_some) {
        return true;
    }
    ASKING.set(true);
    let raised = Python::try_attach(|py| py.check_signals().err()).flatten();
    ASKING.set(false);
    let is_raised = raised.is_some();
    RAISED.set(raised);
    is_raised
}

/// Does work in this thread without holding on to Python.
pub fn here<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    if ASKING.get() {
        let done = py.detach(|| std::thread::scope(|scope| scope.spawn(work).join()));
        return done.map_err(|_| PyRuntimeError::new_err(PANIC));
    }
    LOOKED.set(Some(Instant::now()));
    let done = py.detach(work);
    match RAISED.take() {
        Some(raised) => Err(raised),
        None => Ok(done),
    }
}

const PANIC: &str = "a thread of pidlab panicked; this is a bug, please report it";

/// Does work in a thread of its own, whose budgets end when the flag is set.
pub fn on_thread<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, mut receiver) = sync_channel(1);
    let flag = stop.clone();
    std::thread::Builder::new().spawn(move || {
        STOP.set(Some(flag.clone()));
        // nobody waits if the caller has left
        let _ = sender.send(work(&flag));
    })?;
    loop {
        match wait(py, &mut receiver, LOOK_EVERY) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err(PANIC)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(raised) = py.check_signals() {
            stop.store(true, Ordering::Relaxed);
            let _ = wait(py, &mut receiver, PATIENCE);
            return Err(raised);
        }
    }
}

fn wait<T: Send>(
    py: Python<'_>,
    receiver: &mut Receiver<T>,
    time: Duration,
) -> Result<T, RecvTimeoutError> {
    py.detach(move || receiver.recv_timeout(time))
}

/// Marks a thread started by [`on_thread`] work as one that ends with it.
pub fn ends_with(stop: &Arc<AtomicBool>) {
    STOP.set(Some(stop.clone()));
}
