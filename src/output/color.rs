//! Verdicts in colour on a terminal, never in pipes and files; `NO_COLOR` and `TERM=dumb` are obeyed.
//!
//! A verdict is [`painted`] where it is written. Its colour does not travel in the text, where text of
//! others could forge it and [`Visible`](super::stdout::Visible) would show it as a control character: it
//! is set for this thread while the words go through, and the printer of text asks for it.

use crate::outcome::Outcome;
use std::cell::Cell;
use std::fmt::{Display, Formatter, Result};
use std::io::IsTerminal;
use std::sync::OnceLock;

thread_local! {
    static CURRENT: Cell<Option<Outcome>> = const { Cell::new(None) };
}

/// What it came to, in the colour of that: yes is green, no is red, undecided is yellow, a contradiction
/// is magenta.
pub fn painted<T: Display>(outcome: Outcome, text: T) -> Painted<T> {
    Painted(outcome, text)
}

pub struct Painted<T>(Outcome, T);

impl<T: Display> Display for Painted<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let before = CURRENT.replace(Some(self.0));
        let done = self.1.fmt(f);
        CURRENT.set(before);
        done
    }
}

/// What goes before the text that is written now; nothing where there is no colour.
pub fn current() -> Option<&'static str> {
    let code = match CURRENT.get()? {
        Outcome::Yes => "\x1b[32m",
        Outcome::No => "\x1b[31m",
        Outcome::Undecided => "\x1b[33m",
        Outcome::Disagreement => "\x1b[1;35m",
    };
    enabled().then_some(code)
}

/// What goes after it.
pub const PLAIN: &str = "\x1b[0m";

/// Whether standard output shows colours.
pub fn enabled() -> bool {
    static ENABLED: OnceLock<bool> = OnceLock::new();
    *ENABLED.get_or_init(|| {
        let says = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        std::io::stdout().is_terminal()
            && says("NO_COLOR").is_none()
            && says("TERM").is_none_or(|terminal| terminal != "dumb")
    })
}
