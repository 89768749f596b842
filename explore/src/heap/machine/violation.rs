//! What a program can do wrong while it runs, and limits it can run into.
//!
//! A step that goes wrong leads to a state of its own: marker, thread, operation, kind, details. The
//! search stores it like any other state and so the way there is known.

use super::layout::{VIOLATION, Word};
use crate::heap::compile::program::HeapProgram;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    AssertionFailed,
    NullDereference,
    OutOfRange {
        value: i32,
        low: i32,
        high: i32,
    },
    Overflow,
    DivisionByZero,
    IndexOutOfBounds {
        index: i32,
        length: i32,
    },
    NegativeLength(i32),
    BadCast,
    NotOwner,
    EndsHoldingLock,
    EmptyChoice {
        low: i32,
        high: i32,
    },
    MissingKey,
    /// The type of the exception.
    UncaughtException(u32),
    /// Limits: nothing is wrong with the program as far as it was run.
    HeapLimit(u32),
    StepLimit(u32),
    ChoiceLimit(u32),
    ThreadLimit(u32),
    LockLimit(u32),
    StackLimit(u32),
}

/// A violation and where it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub thread: u32,
    /// Position in the program's code.
    pub operation: u32,
    pub violation: FaultKind,
}

impl FaultKind {
    /// Whether a limit of the tool was reached, rather than an error of the program.
    pub fn is_limit(self) -> bool {
        use FaultKind::*;
        matches!(
            self,
            HeapLimit(_)
                | StepLimit(_)
                | ChoiceLimit(_)
                | ThreadLimit(_)
                | LockLimit(_)
                | StackLimit(_)
        )
    }

    fn to_words(self) -> [Word; 4] {
        use FaultKind::*;
        match self {
            AssertionFailed => [0, 0, 0, 0],
            NullDereference => [1, 0, 0, 0],
            OutOfRange { value, low, high } => [2, value as u32, low as u32, high as u32],
            Overflow => [3, 0, 0, 0],
            DivisionByZero => [4, 0, 0, 0],
            IndexOutOfBounds { index, length } => [5, index as u32, length as u32, 0],
            NegativeLength(length) => [6, length as u32, 0, 0],
            BadCast => [7, 0, 0, 0],
            NotOwner => [8, 0, 0, 0],
            EndsHoldingLock => [9, 0, 0, 0],
            EmptyChoice { low, high } => [10, low as u32, high as u32, 0],
            MissingKey => [11, 0, 0, 0],
            HeapLimit(limit) => [12, limit, 0, 0],
            StepLimit(limit) => [13, limit, 0, 0],
            ChoiceLimit(limit) => [14, limit, 0, 0],
            ThreadLimit(limit) => [15, limit, 0, 0],
            LockLimit(limit) => [16, limit, 0, 0],
            StackLimit(limit) => [17, limit, 0, 0],
            UncaughtException(of) => [18, of, 0, 0],
        }
    }

    fn from_words(words: [Word; 4]) -> Option<FaultKind> {
        use FaultKind::*;
        let [kind, a, b, c] = words;
        Some(match kind {
            0 => AssertionFailed,
            1 => NullDereference,
            2 => OutOfRange { value: a as i32, low: b as i32, high: c as i32 },
            3 => Overflow,
            4 => DivisionByZero,
            5 => IndexOutOfBounds { index: a as i32, length: b as i32 },
            6 => NegativeLength(a as i32),
            7 => BadCast,
            8 => NotOwner,
            9 => EndsHoldingLock,
            10 => EmptyChoice { low: a as i32, high: b as i32 },
            11 => MissingKey,
            12 => HeapLimit(a),
            13 => StepLimit(a),
            14 => ChoiceLimit(a),
            15 => ThreadLimit(a),
            16 => LockLimit(a),
            17 => StackLimit(a),
            18 => UncaughtException(a),
            _ => return None,
        })
    }

    fn text(self, program: &HeapProgram) -> String {
        use FaultKind::*;
        match self {
            AssertionFailed => "assertion failed".into(),
            NullDereference => "null dereference".into(),
            OutOfRange { value, low, high } => {
                format!("integer out of range: {value} is not in {low}..{high}")
            }
            Overflow => "integer overflow: the result does not fit into 32 bits".into(),
            DivisionByZero => "division by zero".into(),
            IndexOutOfBounds { index, length } => {
                format!("index out of bounds: {index}, where the array has {length} elements")
            }
            NegativeLength(length) => format!("an array of {length} elements cannot be made"),
            BadCast => "the object is not of the type it is taken for".into(),
            NotOwner => "the thread does not hold the lock".into(),
            EndsHoldingLock => "the thread ends but still holds a lock".into(),
            EmptyChoice { low, high } => format!("nothing to choose from in {low}..{high}"),
            MissingKey => "the table has no such key".into(),
            HeapLimit(limit) => {
                format!(
                    "heap limit: a state would have more than {limit} words; the program may allocate without bound"
                )
            }
            StepLimit(limit) => {
                format!("step limit: one transformation ran {limit} operations without an end")
            }
            ChoiceLimit(limit) => {
                format!(
                    "choice limit: one transformation makes more than {limit} choices, or one choice among more than 255"
                )
            }
            ThreadLimit(limit) => {
                format!(
                    "thread limit: more than {limit} threads; the program may start threads without bound"
                )
            }
            UncaughtException(of) => {
                format!("an exception of type {} that nobody catches", program.object_name(of))
            }
            StackLimit(limit) => {
                format!(
                    "stack limit: more than {limit} functions under way; the recursion may have no end"
                )
            }
            LockLimit(limit) => format!("lock limit: one lock was taken more than {limit} times"),
        }
    }
}

impl Fault {
    pub fn write(self, words: &mut Vec<Word>) {
        words.clear();
        words.extend([VIOLATION, self.thread, self.operation]);
        words.extend(self.violation.to_words());
    }

    pub fn read(words: &[Word]) -> Option<Fault> {
        let &[VIOLATION, thread, operation, a, b, c, d] = words else { return None };
        let violation = FaultKind::from_words([a, b, c, d])?;
        Some(Fault { thread, operation, violation })
    }

    /// The violation, its line and its text.
    pub fn describe(&self, program: &HeapProgram) -> String {
        let span = program.spans.get(self.operation as usize).copied().unwrap_or_default();
        let code = program.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        let place = format!("{}:{}", program.source.name, program.line(span));
        format!("{} at {place} in `{code}`", self.violation.text(program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_survive_the_way_through_words() {
        let violations = [
            FaultKind::OutOfRange { value: -3, low: -2, high: 7 },
            FaultKind::IndexOutOfBounds { index: -1, length: 4 },
            FaultKind::HeapLimit(9),
            FaultKind::MissingKey,
        ];
        for violation in violations {
            let fault = Fault { thread: 2, operation: 17, violation };
            let mut words = Vec::new();
            fault.write(&mut words);
            assert_eq!(Fault::read(&words), Some(fault));
        }
    }
}
