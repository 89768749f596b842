//! Random thread transition systems, and what they mean taken literally: BFC's rewriting with a pool
//! of threads and a shared state for each spawn, searched from small numbers of threads forwards and
//! from the target backwards, in the simplest way.

use super::{Known, draw, product};
use crate::shrink::fewest;
use pidlab_random::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

#[derive(Clone, Debug)]
enum Kind {
    /// `->` with passive moves.
    Thread(Vec<(u32, u32)>),
    /// `+>`.
    Spawn,
    /// `~>`.
    Pool,
}

/// A thread transition system with a target.
#[derive(Clone, Debug)]
pub struct Machine {
    shared: u32,
    local: u32,
    lines: Vec<([u32; 4], Kind)>,
    start: Option<Start>,
    target: (u32, Vec<u32>),
}

#[derive(Clone, Debug)]
struct Start {
    shared: u32,
    single: Vec<u32>,
    any: BTreeSet<u32>,
}

impl Machine {
    /// Few states, so that lines meet: the same ends twice, several moves from one local state.
    pub fn random(random: &mut Rng) -> Machine {
        let (shared, local) = (1 + draw(random, 3), 2 + draw(random, 3));
        let lines = (0..2 + draw(random, 6)).map(|_| {
            let mut draw = |bound: u32| draw(random, bound);
            let ends = [draw(shared), draw(local), draw(shared), draw(local)];
            let kind = match draw(4) {
                0 => Kind::Spawn,
                1 => Kind::Pool,
                _ => {
                    let moves = (0..draw(5)).map(|_| (draw(local), draw(local)));
                    Kind::Thread(moves.collect())
                }
            };
            (ends, kind)
        });
        let lines = lines.collect();
        let start = (draw(random, 3) == 0).then(|| {
            let any: BTreeSet<u32> = (0..draw(random, 3)).map(|_| draw(random, local)).collect();
            let single = (0..draw(random, 4)).map(|_| draw(random, local));
            let single = single.filter(|l| !any.contains(l)).collect();
            Start { shared: draw(random, shared), single, any }
        });
        let threads = (0..draw(random, 4)).map(|_| draw(random, local)).collect();
        Machine { shared, local, lines, start, target: (draw(random, shared), threads) }
    }

    /// The file, with comments that are not text.
    pub fn text(&self) -> Vec<u8> {
        let mut text = format!("{} {}\n", self.shared, self.local);
        for ([s, l, s2, l2], kind) in &self.lines {
            let arrow = match kind {
                Kind::Thread(_) => "->",
                Kind::Spawn => "+>",
                Kind::Pool => "~>",
            };
            let _ = write!(text, "{s} {l} {arrow} {s2} {l2}");
            if let Kind::Thread(moves) = kind {
                moves.iter().for_each(|(a, b)| text.push_str(&format!(" {a} ~> {b}")));
            }
            text.push('\n');
        }
        [b"# \xff\xfe 9 9 -> 0 0\r\n".as_slice(), text.as_bytes(), b"\t# l\xe4uft\n"].concat()
    }

    /// The text of its `.prop`.
    pub fn property(&self) -> String {
        format!("{}|{}", self.target.0, joined(&self.target.1))
    }

    /// The text of the start, if it is not the usual one.
    pub fn start(&self) -> Option<String> {
        let start = self.start.as_ref()?;
        Some(format!("{}|{}/{}", start.shared, joined(&start.single), joined(&start.any)))
    }

    /// The answer, as far as a small search finds it; `None` if the two directions disagree.
    pub fn known(&self) -> Option<Known> {
        let system = System::new(self);
        let reached = |threads: u32| (0..=threads).any(|n| system.forward(n) == Known::Unsafe);
        match system.backward() {
            Known::Open if reached(3) => Some(Known::Unsafe),
            Known::Safe => (!reached(2)).then_some(Known::Safe),
            known => Some(known),
        }
    }

    /// Without the lines that `still_wrong` does not need.
    pub(crate) fn shrink(&self, still_wrong: &mut dyn FnMut(Machine) -> bool) -> Machine {
        let with = |kept: &[usize]| {
            let lines = kept.iter().map(|&line| self.lines[line].clone()).collect();
            Machine { lines, ..self.clone() }
        };
        with(&fewest(self.lines.len(), |kept| still_wrong(with(kept))))
    }
}

fn joined<'a>(numbers: impl IntoIterator<Item = &'a u32>) -> String {
    numbers.into_iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// Threads per local state, the pool last.
type Counts = Vec<u32>;
type State = (u32, Counts);
type Moves = BTreeMap<u32, BTreeSet<u32>>;

struct System {
    locals: usize,
    steps: BTreeMap<[u32; 4], Moves>,
    start: Start,
    target: State,
}

impl System {
    fn new(machine: &Machine) -> System {
        let pool = machine.local;
        let mut shared = machine.shared;
        let mut steps: BTreeMap<[u32; 4], Moves> = BTreeMap::new();
        for &([s, l, s2, l2], ref kind) in &machine.lines {
            match kind {
                Kind::Thread(passive) => {
                    let mut moves = Moves::new();
                    for &(from, to) in passive {
                        moves.entry(from).or_default().insert(to);
                    }
                    steps.insert([s, l, s2, l2], moves);
                }
                Kind::Spawn => {
                    steps.insert([s, l, shared, l], Moves::new());
                    steps.insert([shared, pool, s2, l2], Moves::new());
                    shared += 1;
                }
                Kind::Pool => {
                    let moves = steps.entry([s, pool, s2, pool]).or_default();
                    moves.entry(l).or_default().insert(l2);
                }
            }
        }
        let usual = Start { shared: 0, single: Vec::new(), any: BTreeSet::from([0]) };
        let mut start = machine.start.clone().unwrap_or(usual);
        start.any.insert(pool);
        let locals = pool as usize + 1;
        let target = (machine.target.0, counts(locals, &machine.target.1));
        System { locals, steps, start, target }
    }

    /// All states from `threads` threads wherever any number may be, three more in the pool.
    fn forward(&self, threads: u32) -> Known {
        let mut first = counts(self.locals, &self.start.single);
        self.start.any.iter().for_each(|&l| first[l as usize] = threads);
        first[self.locals - 1] = threads + 3;
        let mut seen = BTreeSet::from([(self.start.shared, first)]);
        let mut open: Vec<State> = seen.iter().cloned().collect();
        while let Some(state) = open.pop() {
            if state.0 == self.target.0 && leq(&self.target.1, &state.1) {
                return Known::Unsafe;
            }
            for next in self.successors(&state) {
                if seen.len() > 4000 {
                    return Known::Open;
                }
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        Known::Open
    }

    /// Thread by thread: every other thread takes one of its moves.
    fn successors(&self, (shared, counts): &State) -> Vec<State> {
        let mut found = Vec::new();
        for (&[s, l, s2, l2], moves) in &self.steps {
            if s != *shared || counts[l as usize] == 0 {
                continue;
            }
            let mut rest = counts.clone();
            rest[l as usize] -= 1;
            let threads = (0..self.locals).flat_map(|l| vec![l as u32; rest[l] as usize]);
            let options = threads.map(|l| moves.get(&l).cloned().unwrap_or([l].into()));
            let outcomes = product(self.locals, options);
            found.extend(outcomes.into_iter().map(|mut after| {
                after[l2 as usize] += 1;
                (s2, after)
            }));
        }
        found
    }

    /// Minimal predecessors until nothing new comes.
    fn backward(&self) -> Known {
        let mut basis = vec![self.target.clone()];
        let mut next = 0;
        while next < basis.len() {
            let element = basis[next].clone();
            if self.is_initial(&element) {
                return Known::Unsafe;
            }
            for before in self.predecessors(&element) {
                let known = |b: &State| b.0 == before.0 && leq(&b.1, &before.1);
                if !basis.iter().any(known) {
                    basis.push(before);
                }
            }
            next += 1;
            if basis.len() > 3000 {
                return Known::Open;
            }
        }
        Known::Safe
    }

    fn is_initial(&self, (shared, need): &State) -> bool {
        let single = counts(self.locals, &self.start.single);
        let there = |l: usize| self.start.any.contains(&(l as u32)) || need[l] <= single[l];
        *shared == self.start.shared && (0..self.locals).all(there)
    }

    /// The active thread is one of those asked for, or one more.
    fn predecessors(&self, (shared, need): &State) -> Vec<State> {
        let mut found = Vec::new();
        for (&[s, l, s2, l2], moves) in self.steps.iter().filter(|(ends, _)| ends[2] == *shared) {
            debug_assert_eq!(s2, *shared);
            let mut passive = need.clone();
            passive[l2 as usize] = passive[l2 as usize].saturating_sub(1);
            let comes_from = |to: u32| -> BTreeSet<u32> {
                let stays = |l: u32| l == to && !moves.contains_key(&l);
                let goes = |l: u32| moves.get(&l).is_some_and(|m| m.contains(&to));
                (0..self.locals as u32).filter(|&l| stays(l) || goes(l)).collect()
            };
            let threads = (0..self.locals).flat_map(|l| vec![l as u32; passive[l] as usize]);
            let outcomes = product(self.locals, threads.map(comes_from));
            found.extend(outcomes.into_iter().map(|mut before| {
                before[l as usize] += 1;
                (s, before)
            }));
        }
        found
    }
}

fn counts(locals: usize, threads: &[u32]) -> Counts {
    let mut counts = vec![0; locals];
    threads.iter().for_each(|&l| counts[l as usize] += 1);
    counts
}

fn leq(a: &Counts, b: &Counts) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b)
}
