//! Guards and bodies of one operation, run without the interpreter's loop.
//!
//! Most guards ask for one field and most bodies set one: what the loop costs around such an operation is several
//! times what it does. Nothing but time depends on a shortcut.

use super::interpreter::{Execution, Ran};
use super::layout::Word;
use crate::heap::compile::program::{HeapProgram, Op, Transformation};

/// What a transformation does, as far as it is short.
#[derive(Clone, Copy, Debug)]
pub struct Shortcut {
    guard: Guard,
    body: Body,
}

#[derive(Clone, Copy, Debug)]
enum Guard {
    True,
    /// Whether a field of the object in a local variable is not zero is what is wanted.
    Field {
        local: u32,
        field: u32,
        wanted: bool,
        at: u32,
    },
    Code(u32),
}

#[derive(Clone, Copy, Debug)]
enum Body {
    Nothing,
    Set { local: u32, field: u32, value: Word, at: u32 },
    Code(u32),
}

impl Shortcut {
    pub fn of(program: &HeapProgram, transformation: &Transformation) -> Shortcut {
        let guard = transformation.guard.map_or(Guard::True, |at| guard(program, at));
        Shortcut { guard, body: body(program, transformation.body) }
    }

    /// Whether the guard holds.
    #[inline]
    pub fn guard(&self, run: &mut Execution<'_>) -> Ran<bool> {
        match self.guard {
            Guard::True => Ok(true),
            Guard::Field { local, field, wanted, at } => {
                run.machine.stopped_at = at;
                let place = run.field(run.words[run.local(local)], field)?;
                Ok((run.words[place] != 0) == wanted)
            }
            Guard::Code(at) => run.guard(at),
        }
    }

    #[inline]
    pub fn body(&self, run: &mut Execution<'_>) -> Ran<()> {
        match self.body {
            Body::Nothing => {
                run.machine.stack.clear();
                Ok(())
            }
            Body::Set { local, field, value, at } => {
                run.machine.stack.clear();
                run.machine.stopped_at = at;
                let place = run.field(run.words[run.local(local)], field)?;
                run.write(place, value);
                Ok(())
            }
            Body::Code(at) => run.body(at),
        }
    }
}

fn guard(program: &HeapProgram, at: u32) -> Guard {
    let field = |local: u16, field: u16, wanted| {
        let (local, field) = (local.into(), field.into());
        Guard::Field { local, field, wanted, at }
    };
    match program.code[at as usize..] {
        [Op::Push(1), Op::End, ..] => Guard::True,
        [Op::LoadLocalField { local, field: f }, Op::End, ..] => field(local, f, true),
        [Op::LoadLocalField { local, field: f }, Op::Not, Op::End, ..] => field(local, f, false),
        _ => Guard::Code(at),
    }
}

fn body(program: &HeapProgram, at: u32) -> Body {
    match program.code[at as usize..] {
        [Op::End, ..] => Body::Nothing,
        [Op::SetLocalField { local, field, value }, Op::End, ..] => {
            Body::Set { local: local.into(), field: field.into(), value: value.into(), at }
        }
        _ => Body::Code(at),
    }
}
