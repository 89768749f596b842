//! Long chains and wide forests of pids: hard on recursion and on quadratic handling of relations.
//!
//! All pids are active, every pid is the youngest of its siblings or has an adjacent younger one, and
//! all vectors are ⟨x⟩ of one location. Names are drawn so that all four relations are the same in
//! the base and in the equivalent state. The twins need some relation to be told apart: without
//! any they are equivalent, since only the shape of the forest differs.

use super::{Family, HardError, Request, Variant};
use crate::guarantee::Guarantee;
use crate::transform::Generated;
use pidlab_core::Relations;
use pidlab_core::state::StateBuilder;
use pidlab_random::Rng;

pub(super) fn forest(request: &Request, rng: &mut Rng) -> Result<Generated, HardError> {
    let mut builder = StateBuilder::new();
    if request.family == Family::LongChain {
        chains(request, rng, &mut builder)?;
    } else {
        wide(request, rng, &mut builder)?;
    }
    let guarantee = match request.variant {
        Variant::Twin => Guarantee::just_up_to(Relations::NONE),
        Variant::Base | Variant::Equivalent => Guarantee::equivalent(),
    };
    Ok(Generated { state: builder.finish()?, guarantee })
}

/// Two chains below roots that are not adjacent.
fn chains(request: &Request, rng: &mut Rng, builder: &mut StateBuilder) -> Result<(), HardError> {
    let half = request.size / 2;
    let uneven = usize::from(request.is_twin());
    let first = rng.between(1, 5);
    let second = first + rng.between(2, 6);
    for (root, length) in [(first, half - uneven), (second, half + uneven)] {
        let mut name = vec![root];
        for depth in 1..=length {
            let child = if depth < length { rng.between(1, 9) } else { 0 };
            add(builder, &name, child)?;
            name.push(child);
        }
    }
    Ok(())
}

/// Roots 1, 2, …, each with children one after another.
fn wide(request: &Request, rng: &mut Rng, builder: &mut StateBuilder) -> Result<(), HardError> {
    let n = request.size as u64;
    let start = rng.between(1, 9);
    for number in 0..n {
        let root = start + number;
        let children = match (request.is_twin(), number) {
            (true, 0) => n - 1,
            (true, 1) => n + 1,
            _ => n,
        };
        let skipped = rng.below(5);
        add(builder, &[root], skipped + children)?;
        for child in 1..=children {
            add(builder, &[root, skipped + child], 0)?;
        }
    }
    Ok(())
}

/// An active pid in a vector of its own.
fn add(builder: &mut StateBuilder, name: &[u64], created: u64) -> Result<(), HardError> {
    let location = builder.location("L");
    let pid = builder.pid(name);
    builder.vector(location, [pid]);
    Ok(builder.active(name, created)?)
}
