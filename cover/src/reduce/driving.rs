//! The set of places that drives a net, found from its structure alone.
//!
//! Every transition takes exactly one token from a driving set and puts exactly one there, and the
//! start has exactly one on it: the shared states of a thread transition system, whatever the file
//! calls them. Each side of each transition says "exactly one of these", so that one decision about a
//! place decides its neighbours, and theirs: unit propagation, in time proportional to the arcs. Where
//! nothing more follows, the first undecided place is taken; a contradiction means that there is no
//! such set with this start. Unlike [`Control`](crate::invariants::control::Control) it needs no table
//! of pairs, which is too large for nets of many thousand places.

use crate::budget::Budget;
use crate::config::{Entry, OMEGA};
use crate::error::Stop;
use crate::net::Net;

/// Places of the start that are tried as the one with the token.
const MAX_STARTS: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Open,
    Inside,
    Outside,
}

/// A driving set, or `None` if propagation finds none; the caller tests what it gets.
pub fn find(net: &Net, budget: &Budget) -> Result<Option<Vec<u32>>, Stop> {
    if net.has_transfers() || net.transitions.is_empty() {
        return Ok(None);
    }
    let Some(sides) = Sides::new(net, budget)? else {
        return Ok(None);
    };
    let single = net.initial.entries().iter().filter(|e| e.1 == 1).map(|e| e.0);
    for start in single.take(MAX_STARTS) {
        let mut search = Propagation::new(&sides, budget)?;
        if search.run(net, start)? {
            return Ok(Some(search.inside()));
        }
    }
    Ok(None)
}

/// "Exactly one of these" for each side of each transition; places with several tokens are left out.
struct Sides {
    /// Places of all sides one after the other, and where each side ends.
    places: Vec<u32>,
    ends: Vec<usize>,
    /// Per place the sides that name it.
    named_in: Vec<Vec<u32>>,
    /// Places that cannot be in the set: an arc moves several of their tokens.
    heavy: Vec<u32>,
}

impl Sides {
    fn new(net: &Net, budget: &Budget) -> Result<Option<Sides>, Stop> {
        budget.reserve::<Vec<u32>>(net.places.len())?;
        budget.reserve::<[u64; 4]>(net.transitions.len())?;
        let mut sides = Sides {
            places: Vec::new(),
            ends: Vec::new(),
            named_in: vec![Vec::new(); net.places.len()],
            heavy: Vec::new(),
        };
        for t in &net.transitions {
            budget.steps(1 + t.pre.len() + t.post.len())?;
            if !(sides.add(&t.pre) && sides.add(&t.post)) {
                return Ok(None);
            }
        }
        Ok(Some(sides))
    }

    fn add(&mut self, entries: &[Entry]) -> bool {
        let number = self.ends.len() as u32;
        let start = self.places.len();
        for &(place, count) in entries {
            if count == 1 {
                self.places.push(place);
                self.named_in[place as usize].push(number);
            } else {
                self.heavy.push(place);
            }
        }
        self.ends.push(self.places.len());
        self.places.len() > start
    }

    fn of(&self, side: u32) -> &[u32] {
        let start = if side == 0 { 0 } else { self.ends[side as usize - 1] };
        &self.places[start..self.ends[side as usize]]
    }
}

struct Propagation<'a> {
    sides: &'a Sides,
    budget: &'a Budget,
    part: Vec<Part>,
    /// Places that were decided and whose sides have not been looked at.
    open: Vec<u32>,
}

impl<'a> Propagation<'a> {
    fn new(sides: &'a Sides, budget: &'a Budget) -> Result<Propagation<'a>, Stop> {
        budget.reserve::<Part>(sides.named_in.len())?;
        let part = vec![Part::Open; sides.named_in.len()];
        Ok(Propagation { sides, budget, part, open: Vec::new() })
    }

    /// Whether a set with its token on `start` satisfies every side.
    fn run(&mut self, net: &Net, start: u32) -> Result<bool, Stop> {
        let elsewhere = net.initial.entries().iter().filter(|e| e.1 == OMEGA || e.0 != start);
        let outside = elsewhere.map(|e| e.0).chain(self.sides.heavy.iter().copied());
        let mut sound = self.decide(start, Part::Inside);
        for place in outside {
            sound = sound && self.decide(place, Part::Outside);
        }
        // A side with one place has no choice.
        for side in 0..self.sides.ends.len() as u32 {
            self.budget.steps(1)?;
            if let &[only] = self.sides.of(side) {
                sound = sound && self.decide(only, Part::Inside);
            }
        }
        for place in 0..self.part.len() as u32 {
            if !(sound && self.propagate()?) {
                return Ok(false);
            }
            if self.part[place as usize] == Part::Open
                && !self.sides.named_in[place as usize].is_empty()
            {
                sound = self.decide(place, Part::Inside);
            }
        }
        Ok(sound && self.propagate()?)
    }

    /// Whether this does not contradict what was decided before.
    fn decide(&mut self, place: u32, part: Part) -> bool {
        let known = &mut self.part[place as usize];
        if *known == Part::Open {
            *known = part;
            self.open.push(place);
        }
        *known == part
    }

    fn propagate(&mut self) -> Result<bool, Stop> {
        let sides = self.sides;
        while let Some(place) = self.open.pop() {
            for &side in &sides.named_in[place as usize] {
                self.budget.steps(1 + sides.of(side).len())?;
                if !self.settle(place, sides.of(side)) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// What the decision about one place of a side says about its others.
    fn settle(&mut self, place: u32, side: &[u32]) -> bool {
        if self.part[place as usize] == Part::Inside {
            return side.iter().all(|&p| p == place || self.decide(p, Part::Outside));
        }
        let mut left = side.iter().filter(|&&p| self.part[p as usize] != Part::Outside);
        match (left.next().copied(), left.next()) {
            (None, _) => false,
            (Some(last), None) => self.decide(last, Part::Inside),
            _ => true,
        }
    }

    fn inside(&self) -> Vec<u32> {
        let places = 0..self.part.len() as u32;
        places.filter(|&p| self.part[p as usize] == Part::Inside).collect()
    }
}
