//! Input languages. Each reader takes a [`Source`] and gives a [`Net`] or an error that
//! shows its place; none of them touches the file system. `read` obeys the budget of the source, `parse`
//! takes a text without limits.

pub mod bp;
pub mod lgfsm;
pub mod pnml;
mod rule;
pub mod spec;
mod steps;
pub mod tts;

use crate::budget::{Budget, Exhausted};
use crate::config::{Config, MAX_COUNT};
use crate::net::{MAX_PLACES, Net, System};
use pidlab_syntax::{Parsed, Source};

/// A number that must fit a counter.
pub(crate) fn counter(word: &str, source: &Source) -> Parsed<u32> {
    if word.is_empty() || !word.bytes().all(|b| b.is_ascii_digit()) {
        return Err(source.expected("a number", word));
    }
    let value = word.parse().ok().filter(|&value| value <= MAX_COUNT);
    value.ok_or_else(|| {
        let message = format!("this number is too large: the largest is {MAX_COUNT}");
        source.error(source.span_of(word), message)
    })
}

/// The two sizes a thread transition system declares at `place`, checked against the limit on places.
pub(crate) fn sizes(shared: u32, local: u32, place: &str, source: &Source) -> Parsed<(u32, u32)> {
    if shared == 0 || local == 0 {
        return Err(source.expected("at least one shared and one local state", place));
    }
    if shared as usize + local as usize > MAX_PLACES {
        let message = format!(
            "{shared} shared and {local} local states declared; at most {MAX_PLACES} in all"
        );
        return Err(source.error(source.span_of(place), message));
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
        systems: vec![System::new(shared, local)],
        ..Net::default()
    })
}
