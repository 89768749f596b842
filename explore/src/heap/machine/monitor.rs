//! Locks with the behaviour of Java monitors: re-entrant, with a wait set.
//!
//! `wait` gives the lock up altogether and parks the thread; `notify` wakes one waiting thread (any
//! of them), `notifyAll` all; a thread that was woken takes the lock back, as often as it held it,
//! in a step of its own, and then goes on at its location.

use super::interpreter::{Execution, Halt, Ran};
use super::layout::*;
use super::violation::FaultKind;
use crate::heap::compile::program::Op;

/// Most nested acquisitions of one lock; wait modes keep the number in 14 bits.
const MOST_HOLDS: u32 = (1 << 14) - 1;

pub fn run(run: &mut Execution<'_>, op: Op) -> Ran<()> {
    let object = run.pop() as Word;
    match op {
        Op::Lock(field) => {
            let at = run.field(object, field)?;
            acquire(run, at)
        }
        Op::Unlock(field) => {
            let at = owned(run, object, field)?;
            let (_, count) = lock_parts(run.words[at]);
            run.write(at, if count == 1 { 0 } else { lock_word(run.thread, count - 1) });
            Ok(())
        }
        Op::Wait(field) => {
            let at = owned(run, object, field)?;
            let (_, count) = lock_parts(run.words[at]);
            run.words[at] = 0;
            run.words[run.base + 1] = WAITING | count << 2 | field << 16;
            run.words[run.base + 2] = object;
            run.machine.touched = true;
            Ok(())
        }
        Op::Notify(field) => {
            owned(run, object, field)?;
            notify_one(run, object, field)
        }
        Op::NotifyAll(field) => {
            owned(run, object, field)?;
            while let Some(at) = waiter(run, object, field, 0) {
                wake(run, at);
            }
            Ok(())
        }
        Op::Held(field) => {
            let at = run.field(object, field)?;
            let held = lock_parts(run.words[at]).0 == Some(run.thread);
            run.push(i32::from(held));
            Ok(())
        }
        Op::Available(field) => {
            let at = run.field(object, field)?;
            let free = lock_parts(run.words[at]).0.is_none_or(|holder| holder == run.thread);
            run.push(i32::from(free));
            Ok(())
        }
        _ => Ok(()),
    }
}

fn acquire(run: &mut Execution<'_>, at: usize) -> Ran<()> {
    match lock_parts(run.words[at]) {
        (Some(holder), _) if holder != run.thread => Err(Halt::Blocked),
        (_, MOST_HOLDS) => Err(FaultKind::LockLimit(MOST_HOLDS).into()),
        (_, count) => {
            run.write(at, lock_word(run.thread, count + 1));
            Ok(())
        }
    }
}

/// The lock's position, if the running thread holds it.
fn owned(run: &Execution<'_>, object: Word, field: u32) -> Ran<usize> {
    let at = run.field(object, field)?;
    match lock_parts(run.words[at]) {
        (Some(holder), _) if holder == run.thread => Ok(at),
        _ => Err(FaultKind::NotOwner.into()),
    }
}

/// Start positions of the threads that wait on a lock.
fn waiters<'r>(
    run: &'r Execution<'_>,
    object: Word,
    field: u32,
) -> impl Iterator<Item = usize> + 'r {
    let words = &*run.words;
    // Without `wait` in the program threads have no room for a wait mode.
    let room = run.layout.frame_head > 1;
    run.layout.threads(words).filter(move |&at| {
        room && words[at + 1] & MODE_MASK == WAITING
            && words[at + 1] >> 16 == field
            && words[at + 2] == object
    })
}

/// The waiting thread with a number among those that wait.
fn waiter(run: &Execution<'_>, object: Word, field: u32, number: usize) -> Option<usize> {
    waiters(run, object, field).nth(number)
}

fn notify_one(run: &mut Execution<'_>, object: Word, field: u32) -> Ran<()> {
    let count = waiters(run, object, field).count();
    if count == 0 {
        return Ok(());
    }
    let chosen = run.machine.tape.choose(count)?;
    if let Some(at) = waiter(run, object, field, chosen) {
        wake(run, at);
    }
    Ok(())
}

fn wake(run: &mut Execution<'_>, at: usize) {
    run.write(at + 1, run.words[at + 1] ^ WAITING ^ NOTIFIED);
}

/// A notified thread takes its lock back; `false` if the lock is not free.
pub fn reacquire(words: &mut [Word], thread: u32, base: usize) -> bool {
    let mode = words[base + 1];
    let at = heap_start(words) + words[base + 2] as usize + (mode >> 16) as usize;
    if words[at] != 0 {
        return false;
    }
    words[at] = lock_word(thread, mode >> 2 & MOST_HOLDS);
    words[base + 1] = 0;
    words[base + 2] = 0;
    true
}

/// Takes a thread that ends out of the state; it must not hold a lock.
pub fn end_thread(layout: &Layout, words: &mut Vec<Word>, thread: u32, base: usize) -> Ran<()> {
    if layout.has_locks {
        let (mut holds, mut later) = (false, false);
        layout.all_locks(words, |at| {
            let holder = lock_parts(words[at]).0;
            holds |= holder == Some(thread);
            later |= holder.is_some_and(|holder| holder > thread);
        });
        if holds {
            return Err(FaultKind::EndsHoldingLock.into());
        }
        if later {
            shift_holders(layout, words, thread);
        }
    }
    let size = layout.frame_size[words[base] as usize] as usize;
    words.drain(base..base + size);
    words[0] -= 1;
    words[1] -= size as Word;
    Ok(())
}

/// Threads behind the one that ends move up.
fn shift_holders(layout: &Layout, words: &mut [Word], thread: u32) {
    let mut at = heap_start(words);
    while at < words.len() {
        if let ObjectLayout::Record { locks, .. } = &layout.objects[words[at] as usize] {
            for &offset in locks {
                let word = &mut words[at + offset as usize];
                if lock_parts(*word).0.is_some_and(|holder| holder > thread) {
                    *word -= 1;
                }
            }
        }
        at += layout.object_size(words, at);
    }
}
