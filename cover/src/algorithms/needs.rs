//! What a run needs: markings before a step, and at the start.

use crate::config::{Config, Entry, OMEGA, count_of};
use crate::error::Stop;
use crate::net::{Net, Transition, collect_entries};

/// The initial marking with each ω place at what `need` asks for, at least its lower bound.
pub fn concretize(net: &Net, need: &Config) -> Config {
    let bounds = net.lower_bounds();
    let count = |&(place, count): &Entry| match count {
        OMEGA => (place, need.get(place).max(bounds.get(&place).copied().unwrap_or(0))),
        count => (place, count),
    };
    Config::new(net.initial.entries().iter().map(count).collect())
}

/// The least marking from which firing transition `t`, which has no transfers, gives `after`.
pub fn before(net: &Net, t: u32, after: &Config) -> Result<Config, Stop> {
    let t = &net.transitions[t as usize];
    add_pre(net, beyond_post(t, after), t)
}

/// What `after` asks for beyond what `t` puts.
pub fn beyond_post(t: &Transition, after: &Config) -> Vec<Entry> {
    let entries = after.entries().iter();
    let missing = entries.map(|&(p, n)| (p, n.saturating_sub(count_of(&t.post, p))));
    missing.filter(|e| e.1 != 0).collect()
}

pub fn add_pre(net: &Net, rest: Vec<Entry>, t: &Transition) -> Result<Config, Stop> {
    let place = rest.first().map_or(0, |e| e.0) as usize;
    collect_entries(rest.into_iter().chain(t.pre.iter().copied()))
        .map(Config::from_sorted)
        .ok_or_else(|| Stop::Overflow(net.places[place].to_string()))
}
