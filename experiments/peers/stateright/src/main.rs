//! Dining philosophers for Stateright, the same program as models/philosophers.bir: ten philosophers,
//! each takes its left fork, then its right one, drops the right one, then the left one; one step per
//! action. One state comes before all of them start, as MAIN does there. Prints order, states and
//! seconds. Breadth-first only: Stateright's depth-first search keeps the whole path with every waiting
//! state, which takes minutes on this model.

use stateright::{Checker, Model, Property};
use std::time::Instant;

const N: usize = 10;

/// Where each philosopher is, and which forks are held; `None` before the start.
type State = Option<([u8; N], u16)>;

struct Table;

impl Model for Table {
    type State = State;
    /// The philosopher that steps; [`N`] is the start.
    type Action = usize;

    fn init_states(&self) -> Vec<State> {
        vec![None]
    }

    fn actions(&self, state: &State, actions: &mut Vec<usize>) {
        match state {
            None => actions.push(N),
            Some((at, held)) => actions.extend((0..N).filter(|&who| may_step(at[who], who, *held))),
        }
    }

    fn next_state(&self, state: &State, who: usize) -> Option<State> {
        let Some((mut at, held)) = *state else { return Some(Some(([0; N], 0))) };
        let held = match at[who] {
            0 => held | left(who),
            1 => held | right(who),
            2 => held & !right(who),
            _ => held & !left(who),
        };
        at[who] = (at[who] + 1) % 4;
        Some(Some((at, held)))
    }

    /// A checker without properties would stop at once.
    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("true", |_, _| true)]
    }
}

fn left(who: usize) -> u16 {
    1 << who
}

fn right(who: usize) -> u16 {
    1 << ((who + 1) % N)
}

fn may_step(at: u8, who: usize, held: u16) -> bool {
    match at {
        0 => held & left(who) == 0,
        1 => held & right(who) == 0,
        _ => true,
    }
}

fn main() {
    let started = Instant::now();
    let states = Table.checker().threads(1).spawn_bfs().join().unique_state_count();
    println!("breadth-first {states} {}", started.elapsed().as_secs_f64());
}
