//! Turns for algorithms that run in threads of their own: one runs, the others wait.
//!
//! With more threads than cores the operating system lets a thread wait for milliseconds, longer than
//! most questions take. Here the members pass a baton after short slices that grow from round to
//! round; nothing is lost when it is passed, so k members need about k times what the fastest needs.
//! Once slices are as long as the operating system's, everybody may run at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const FIRST_SLICE: Duration = Duration::from_micros(200);
const LAST_SLICE: Duration = Duration::from_millis(5);
/// Slices grow by a half each round.
const GROWTH: f64 = 1.5;

pub struct Baton {
    state: Mutex<State>,
    changed: Condvar,
    /// Everybody may run; set once and never cleared, so that asking costs no lock from then on.
    open: AtomicBool,
}

/// A member's part in the race.
pub struct Part<'b>(&'b Baton, usize);

impl Drop for Part<'_> {
    fn drop(&mut self) {
        self.0.leave(self.1);
    }
}

struct State {
    holder: usize,
    racing: Vec<bool>,
    slice: Duration,
    until: Instant,
    /// Everybody may run.
    free: bool,
}

impl Baton {
    pub fn new(members: usize) -> Baton {
        let state = State {
            holder: 0,
            racing: vec![true; members],
            slice: FIRST_SLICE,
            until: Instant::now() + FIRST_SLICE,
            free: false,
        };
        Baton { state: Mutex::new(state), changed: Condvar::new(), open: AtomicBool::new(false) }
    }

    /// Takes part until the guard is dropped, also by a panic; blocks until it is this member's turn.
    pub fn join(&self, member: usize) -> Part<'_> {
        self.wait(member);
        Part(self, member)
    }

    fn wait(&self, member: usize) {
        let mut state = self.lock();
        while !state.free && state.holder != member {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Passes the baton on if the slice is over, and waits for the next turn.
    pub fn offer(&self, member: usize) {
        if self.open.load(Ordering::Relaxed) {
            return;
        }
        let mut state = self.lock();
        if state.free || Instant::now() < state.until {
            return;
        }
        state.pass();
        self.open.store(state.free, Ordering::Relaxed);
        drop(state);
        self.changed.notify_all();
        self.wait(member);
    }

    fn leave(&self, member: usize) {
        let mut state = self.lock();
        state.racing[member] = false;
        if state.holder == member {
            state.pass();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Lets everybody run, for instance to notice that the race is over.
    pub fn free(&self) {
        self.lock().free = true;
        self.open.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// To the next member in the race; a new round has longer slices.
    fn pass(&mut self) {
        let members = self.racing.len();
        let next = (1..=members).map(|i| (self.holder + i) % members).find(|&m| self.racing[m]);
        let next = next.unwrap_or(self.holder);
        if next <= self.holder {
            self.slice = self.slice.mul_f64(GROWTH);
            self.free |= self.slice > LAST_SLICE;
        }
        self.holder = next;
        self.until = Instant::now() + self.slice;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn members_take_turns_until_slices_are_long() {
        let baton = Baton::new(3);
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for member in 0..3 {
                let (baton, running, most) = (&baton, &running, &most);
                scope.spawn(move || {
                    let _turn = baton.join(member);
                    for _ in 0..20 {
                        most.fetch_max(
                            running.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        std::thread::sleep(Duration::from_micros(20));
                        running.fetch_sub(1, Ordering::SeqCst);
                        baton.offer(member);
                    }
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn one_that_leaves_hands_over_and_freedom_ends_the_waiting() {
        let baton = Baton::new(2);
        drop(baton.join(0));
        drop(baton.join(1));
        baton.free();
        drop(baton.join(0));
    }
}
