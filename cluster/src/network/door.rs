//! Where a process listens: greets whoever connects, keeps those it waits for, sends others away.
//!
//! A thread accepts connections for as long as the program runs, so that somebody who comes late or by
//! mistake is answered; each is greeted in a thread of its own with little time, so that nobody who
//! connects and says nothing keeps others waiting.

use super::hello::{self, Hello, Verdict};
use std::collections::HashMap;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time for a greeting.
const GREETING: Duration = Duration::from_secs(5);
/// Time between two looks at the listener.
const GLANCE: Duration = Duration::from_millis(5);
/// Connections greeted at once.
const MOST_GUESTS: usize = 64;

pub struct Door {
    shared: Arc<Shared>,
}

struct Shared {
    own: Hello,
    state: Mutex<State>,
    changed: Condvar,
    guests: AtomicUsize,
    closed: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The first search that may still be joined.
    session: u64,
    /// Who has come, by search and process.
    arrived: HashMap<(u64, usize), TcpStream>,
    misfit: Option<String>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Door {
    /// Begins to answer at a listener.
    pub fn open(listener: TcpListener, own: Hello) -> io::Result<Door> {
        listener.set_nonblocking(true)?;
        let shared = Arc::new(Shared {
            own,
            state: Mutex::default(),
            changed: Condvar::new(),
            guests: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        });
        let answering = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("door".into())
            .spawn(move || answer(&listener, &answering))?;
        Ok(Door { shared })
    }

    /// Waits for a process to join a search; an error says why it cannot.
    pub fn wait_for(
        &self,
        session: u64,
        process: usize,
        until: Instant,
    ) -> Result<TcpStream, Absent> {
        let mut state = self.shared.state();
        loop {
            if let Some(misfit) = &state.misfit {
                return Err(Absent::Misfit(misfit.clone()));
            }
            if let Some(stream) = state.arrived.remove(&(session, process)) {
                return Ok(stream);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Absent::Late);
            }
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Why nothing can come of this, if somebody has said so.
    pub fn misfit(&self) -> Option<String> {
        self.shared.state().misfit.clone()
    }

    /// All have come for a search: others are late.
    pub fn close_session(&self, session: u64) {
        self.shared.state().session = session + 1;
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Release);
    }
}

/// Why a process has not come.
pub enum Absent {
    Late,
    Misfit(String),
}

fn answer(listener: &TcpListener, shared: &Arc<Shared>) {
    while !shared.closed.load(Ordering::Acquire) {
        match listener.accept() {
            Ok((stream, _)) => receive_guest(stream, shared),
            // nobody is there, or somebody has gone away again
            Err(_) => std::thread::sleep(GLANCE),
        }
    }
}

fn receive_guest(stream: TcpStream, shared: &Arc<Shared>) {
    if shared.guests.fetch_add(1, Ordering::AcqRel) >= MOST_GUESTS {
        shared.guests.fetch_sub(1, Ordering::AcqRel);
        return;
    }
    let host = Arc::clone(shared);
    let started = std::thread::Builder::new().name("greeting".into()).spawn(move || {
        // whoever does not greet in order is not worth a message
        let _ = greet(stream, &host);
        host.guests.fetch_sub(1, Ordering::AcqRel);
    });
    if started.is_err() {
        shared.guests.fetch_sub(1, Ordering::AcqRel);
    }
}

fn greet(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(GREETING))?;
    let other = hello::receive(&stream, Instant::now() + GREETING)?;
    let verdict = match shared.own.judge(&other) {
        Verdict::Welcome => is_expected(shared, &other),
        otherwise => otherwise,
    };
    let refused = match &verdict {
        Verdict::Welcome => None,
        Verdict::Stranger(why) | Verdict::Misfit(why) => Some(why.clone()),
    };
    let reply = Hello { refused, session: other.session, ..shared.own.clone() };
    hello::send(&stream, &reply)?;
    let mut state = shared.state();
    match verdict {
        Verdict::Welcome => {
            state.arrived.insert((other.session, other.process), stream);
        }
        Verdict::Misfit(why) => {
            state.misfit.get_or_insert(why);
        }
        Verdict::Stranger(_) => {}
    }
    drop(state);
    shared.changed.notify_all();
    Ok(())
}

/// Processes with greater numbers come to those with lesser ones. One that comes again has lost its
/// first connection.
fn is_expected(shared: &Shared, other: &Hello) -> Verdict {
    let state = shared.state();
    let is_late = other.session < state.session;
    if is_late || other.process <= shared.own.process {
        let own = shared.own.process;
        return Verdict::Stranger(format!(
            "process {own} is searching together with others already"
        ));
    }
    Verdict::Welcome
}
