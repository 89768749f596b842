//! Calls, returns and exceptions: what makes the stack of a thread grow and shrink.
//!
//! A stack is part of the state, the running frame first, so that a call inserts words in front of its
//! caller's and a return takes them out again. An exception takes frames out until one has a handler
//! for the place it stands at, all in the step that throws it.
//!
//! Cost: a call and a return move the words of the state behind the frame. A stack has a bound, so that
//! recursion without an end is reported as a limit.

use super::interpreter::{Execution, Halt, MOST_WORDS, Ran};
use super::layout::*;
use super::monitor;
use super::violation::FaultKind;
use crate::heap::compile::program::{BodyKind, Callee, Exit, Handler, Pc, Transformation};

/// Frames of one thread, its own body included.
pub const MOST_FRAMES: u32 = 64;

/// Does what a transformation ends with.
#[inline]
pub fn leave(run: &mut Execution<'_>, transformation: &Transformation) -> Ran<()> {
    match transformation.exit {
        Exit::Goto(target) => {
            run.write(run.base, target);
            Ok(())
        }
        exit => leave_frame(run, exit, transformation.body),
    }
}

fn leave_frame(run: &mut Execution<'_>, exit: Exit, body: Pc) -> Ran<()> {
    run.machine.touched = true;
    // the operation behind the body is its end
    run.machine.stopped_at = body;
    match exit {
        Exit::Invoke { callee, back } => invoke(run, callee, back),
        Exit::Goto(_) | Exit::Return => give_back(run),
        Exit::Throw => Err(Halt::Thrown),
    }
}

/// Puts a frame on the stack; the arguments are on the machine's.
fn invoke(run: &mut Execution<'_>, callee: Callee, back: Pc) -> Ran<()> {
    let function = match callee {
        Callee::Function(function) => function,
        Callee::Virtual(table) => dispatch(run, table as usize)?,
    };
    if run.layout.frames(run.words, run.base).count() >= MOST_FRAMES as usize {
        return Err(FaultKind::StackLimit(MOST_FRAMES).into());
    }
    let body = &run.program.bodies[function as usize];
    let arguments = run.machine.stack.len() - body.parameters;
    let head = [body.entry, 0, 0].into_iter().take(run.layout.frame_head);
    let given = run.machine.stack[arguments..].iter().map(|&value| value as Word);
    let frame = head.chain(given).chain(body.initial.iter().copied());
    run.words[run.base] = back;
    run.words.splice(run.base..run.base, frame);
    run.words[1] += run.layout.frame_size[body.entry as usize];
    match run.words.len() > MOST_WORDS {
        true => Err(FaultKind::HeapLimit(MOST_WORDS as u32).into()),
        false => Ok(()),
    }
}

/// The function for the type of the first argument.
fn dispatch(run: &Execution<'_>, table: usize) -> Ran<u32> {
    let table = &run.program.virtuals[table];
    let receiver = run.machine.stack[run.machine.stack.len() - table.parameters] as Word;
    let of = run.words[run.object(receiver)?];
    // the compiler saw to it that every subtype of the receiver's type has a function
    let found = table.functions.get(of as usize).copied().flatten();
    found.ok_or(Halt::Fault(FaultKind::BadCast))
}

/// A thread ends, or a function returns, with its result on the machine's stack.
fn give_back(run: &mut Execution<'_>) -> Ran<()> {
    let result = match run.program.body_of(run.words[run.base]).kind {
        BodyKind::Thread => {
            return monitor::end_thread(run.layout, run.words, run.thread, run.base);
        }
        BodyKind::Function(result) => result.map(|_| run.pop() as Word),
    };
    // a thread that waits goes on waiting in the caller's frame
    let wait: [Word; 2] = match run.layout.frame_head {
        1 => [0; 2],
        _ => [run.words[run.base + 1], run.words[run.base + 2]],
    };
    drop_frame(run);
    if wait[0] != 0 {
        run.words[run.base + 1..run.base + 3].copy_from_slice(&wait);
    }
    if let Some(call) = run.program.locations[run.words[run.base] as usize].call {
        run.words[run.base] = call.target;
        if let (Some(variable), Some(result)) = (call.result, result) {
            let at = run.local(variable);
            run.words[at] = result;
        }
    }
    Ok(())
}

/// Takes the running frame of a function off the stack.
fn drop_frame(run: &mut Execution<'_>) {
    let size = run.layout.frame_size[run.words[run.base] as usize];
    run.words.drain(run.base..run.base + size as usize);
    run.words[1] -= size;
}

/// Goes on at the handler of an exception, which is on the machine's stack.
#[cold]
pub fn unwind(run: &mut Execution<'_>) -> Ran<()> {
    run.machine.touched = true;
    let exception = run.pop() as Word;
    let of = run.words[run.object(exception)?];
    // no frame is taken out before there is a handler: a trace shows the variables of one that is left
    let Some((frames, handler)) = find_handler(run, exception) else {
        return Err(FaultKind::UncaughtException(of).into());
    };
    (0..frames).for_each(|_| drop_frame(run));
    let at = run.local(handler.variable);
    run.words[run.base] = handler.target;
    run.words[at] = exception;
    Ok(())
}

/// The handler of the nearest frame that has one, and how many frames are before that.
fn find_handler<'a>(run: &Execution<'a>, exception: Word) -> Option<(usize, &'a Handler)> {
    let program = run.program;
    let frames = run.layout.frames(run.words, run.base).enumerate();
    let mut handled = frames.filter_map(|(number, frame)| {
        let pc = run.words[frame];
        let call = program.locations[pc as usize].call.filter(|_| number > 0);
        let from = call.map_or(pc, |call| call.from);
        let mut handlers = program.body_of(from).handlers.iter();
        let found = handlers.find(|h| h.at.contains(&from) && run.is_a(exception, h.of));
        found.map(|handler| (number, handler))
    });
    handled.next()
}
