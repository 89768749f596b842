//! Input languages. Each parser takes text and gives a [`Net`] or an error with a
//! line; none of them touches the file system. `read` obeys a budget, `parse` has none.

pub mod bp;
mod lexer;
pub mod lgfsm;
mod rule;
pub mod spec;
mod steps;
pub mod tts;

use crate::budget::{Budget, Exhausted};
use crate::config::{Config, MAX_COUNT};
use crate::error::{ParseError, ReadError};
use crate::net::{MAX_PLACES, Net};

/// Reads without limits.
pub(crate) fn unlimited<T>(
    read: impl FnOnce(&Budget) -> Result<T, ReadError>,
) -> Result<T, ParseError> {
    read(&Budget::unlimited()).map_err(|error| match error {
        ReadError::Parse(error) => error,
        ReadError::Stopped(stop) => ParseError::new(0, stop.to_string()),
    })
}

/// A number that must fit a counter.
pub(crate) fn counter(text: &str, line: u32) -> Result<u32, ParseError> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ParseError::new(line, format!("expected a number, found `{text}`")));
    }
    let value = text.parse().ok().filter(|&value| value <= MAX_COUNT);
    value.ok_or_else(|| ParseError::new(line, format!("{text} exceeds the limit {MAX_COUNT}")))
}

/// The two sizes a thread transition system declares, checked against the limit on places.
pub(crate) fn sizes(shared: u32, local: u32, line: u32) -> Result<(u32, u32), ParseError> {
    if shared == 0 || local == 0 {
        return Err(ParseError::new(line, "expected at least one shared and one local state"));
    }
    if shared as usize + local as usize > MAX_PLACES {
        let message = format!(
            "{shared} shared and {local} local states declared; at most {MAX_PLACES} in all"
        );
        return Err(ParseError::new(line, message));
    }
    Ok((shared, local))
}

/// A local/global machine with its places named, any number of threads in `(shared, local)`.
pub(crate) fn machine(
    shared: u32,
    local: u32,
    init: (u32, u32),
    budget: &Budget,
) -> Result<Net, Exhausted> {
    let names = (0..shared).map(|s| format!("s{s}")).chain((0..local).map(|l| format!("l{l}")));
    let start = (init.0, shared + init.1);
    Ok(Net {
        places: names.map(|name| budget.steps(1).map(|()| name)).collect::<Result<_, _>>()?,
        initial: Config::new(vec![(start.0, 1), (start.1, crate::config::OMEGA)]),
        at_least: vec![(start.1, 1)],
        ..Net::default()
    })
}
