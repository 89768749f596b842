//! Sets and tables: built-in types whose order does not matter (Bogor'03, section 3.5).
//!
//! Elements lie behind each other in the order they came; whoever compares states must not look at
//! that order. An object that grows moves to the heap's end and all references follow it.

use super::interpreter::{Execution, Halt, MOST_WORDS, Ran};
use super::layout::*;
use super::violation::FaultKind;
use crate::heap::compile::program::Op;

pub fn run(run: &mut Execution<'_>, op: Op) -> Ran<()> {
    match op {
        Op::Length => {
            let object = run.pop() as Word;
            let at = run.object(object)?;
            run.push(run.words[at + SIZE] as i32);
            Ok(())
        }
        Op::Contains => {
            let (at, _, found) = pop_key(run)?;
            debug_assert!(at >= HEAD);
            run.push(i32::from(found.is_some()));
            Ok(())
        }
        Op::Get => {
            let (_, _, found) = pop_key(run)?;
            let at = found.ok_or(FaultKind::MissingKey)?;
            run.push(run.words[at + 1] as i32);
            Ok(())
        }
        Op::Pick => {
            let object = run.pop() as Word;
            let at = run.object(object)?;
            let size = run.words[at + SIZE] as usize;
            if size == 0 {
                return Err(Halt::Blocked);
            }
            let chosen = run.machine.tape.choose(size)?;
            run.push(run.words[at + ELEMENTS + chosen] as i32);
            Ok(())
        }
        Op::AddElement => {
            let (at, key, found) = pop_key(run)?;
            match found {
                Some(_) => Ok(()),
                None => grow(run, at, &[key]),
            }
        }
        Op::Put => {
            let value = run.pop() as Word;
            let (at, key, found) = pop_key(run)?;
            match found {
                Some(place) => {
                    run.words[place + 1] = value;
                    Ok(())
                }
                None => grow(run, at, &[key, value]),
            }
        }
        Op::RemoveElement => {
            let (at, _, found) = pop_key(run)?;
            match found {
                Some(place) => shrink(run, at, place),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

fn stride(run: &Execution<'_>, at: usize) -> usize {
    match run.layout.objects[run.words[at] as usize] {
        ObjectLayout::Sequence { stride, .. } => stride,
        ObjectLayout::Record { .. } => 1,
    }
}

/// Pops key and collection: where the collection starts, the key, and where the key is in it.
fn pop_key(run: &mut Execution<'_>) -> Ran<(usize, Word, Option<usize>)> {
    let (key, object) = (run.pop() as Word, run.pop() as Word);
    let at = run.object(object)?;
    let stride = stride(run, at);
    let keys = at + ELEMENTS..at + ELEMENTS + stride * run.words[at + SIZE] as usize;
    let found = keys.step_by(stride).find(|&place| run.words[place] == key);
    Ok((at, key, found))
}

/// Copies a collection with one more element to the heap's end.
fn grow(run: &mut Execution<'_>, at: usize, element: &[Word]) -> Ran<()> {
    let end = at + run.layout.object_size(run.words, at);
    replace(
        run,
        at,
        |words| {
            words.extend_from_within(at..end);
            words.extend_from_slice(element);
        },
        1,
    )
}

/// Copies a collection without one element to the heap's end; the hole is garbage.
fn shrink(run: &mut Execution<'_>, at: usize, place: usize) -> Ran<()> {
    let end = at + run.layout.object_size(run.words, at);
    let stride = stride(run, at);
    replace(
        run,
        at,
        |words| {
            words.extend_from_within(at..place);
            words.extend_from_within(place + stride..end);
        },
        Word::MAX,
    )
}

fn replace(
    run: &mut Execution<'_>,
    at: usize,
    copy: impl FnOnce(&mut Vec<Word>),
    by: Word,
) -> Ran<()> {
    let start = heap_start(run.words);
    let (old, new) = ((at - start) as Word + 1, (run.words.len() - start) as Word + 1);
    let place = run.words.len();
    copy(run.words);
    run.words[place + SIZE] = run.words[place + SIZE].wrapping_add(by);
    if run.words.len() > MOST_WORDS {
        return Err(FaultKind::HeapLimit(MOST_WORDS as u32).into());
    }
    redirect(run, old, new);
    Ok(())
}

/// Makes every reference to an object lead to its new place.
fn redirect(run: &mut Execution<'_>, old: Word, new: Word) {
    let mut positions = std::mem::take(&mut run.machine.positions);
    positions.clear();
    run.layout.all_references(run.words, |position| {
        if run.words[position] == old {
            positions.push(position);
        }
    });
    positions.iter().for_each(|&position| run.words[position] = new);
    run.machine.positions = positions;
    let references = run.machine.temporaries.iter_mut().skip(1).step_by(2);
    references.filter(|word| **word == old).for_each(|word| *word = new);
}
