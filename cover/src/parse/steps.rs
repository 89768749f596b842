//! The moves of a thread transition system as steps of a net.
//!
//! BFC keeps one step for each pair of source and target thread state, and rewrites the moves that
//! are not of one thread with the help of an unbounded pool of threads, a local state p of its own:
//! `s l ~> s' l'` is `s p -> s' p` with passive move `l ~> l'`, and `s l +> s' l'` is
//! `s l -> i l` followed by `i p -> s' l'`, i being a shared state of its own. The net has neither p
//! nor i, and covers the same targets:
//!
//! - p starts with any number of threads, no line can name it, and so no step ever puts a thread
//!   there or moves one by a passive move. A run takes finitely many threads from it; with at least
//!   as many in the beginning, p never keeps a step from being taken, and dropping it loses nothing.
//! - in shared state i no step but the second can be taken, and neither the start nor a target names
//!   i. So in a run to a target the two steps follow each other, and are one step that asks for s and
//!   l and gives s', l and l' (what the second adds to the first comes from the pool).

use super::tts::in_range;
use crate::budget::{Budget, Exhausted};
use crate::net::{Transition, collect_entries};
use pidlab_syntax::{Line, Parsed, Source};
use rustc_hash::FxHashMap;

/// Steps in the order of the first line that speaks of them.
pub(super) struct Steps<'a> {
    source: &'a Source,
    budget: &'a Budget,
    shared: u32,
    local: u32,
    transitions: Vec<Transition>,
    numbers: FxHashMap<Step, usize>,
}

/// What lines must have in common to speak of the same step.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    /// `s l -> s' l'`.
    Thread([u32; 4]),
    /// `s … ~> s' …`.
    Pool([u32; 2]),
}

impl<'a> Steps<'a> {
    pub fn new((shared, local): (u32, u32), source: &'a Source) -> Steps<'a> {
        let (transitions, numbers) = (Vec::new(), FxHashMap::default());
        Steps { source, budget: source.budget(), shared, local, transitions, numbers }
    }

    /// Adds a line `s l -> s' l' a ~> b …`, `s l +> s' l'` or `s l ~> s' l'`.
    pub fn add(&mut self, Line { text, number: line }: Line<'_>) -> Parsed<()> {
        let words = text.split_ascii_whitespace().map(|word| self.budget.steps(1).map(|()| word));
        let words = words.collect::<Result<Vec<&str>, Exhausted>>()?;
        let arrow = words.get(2).copied().unwrap_or_default();
        if words.len() < 5 || !matches!(arrow, "->" | "+>" | "~>") {
            return Err(self.source.expected("`s l -> s' l'` (or `+>`, `~>`)", text));
        }
        let from = self.shared_place(words[0])?;
        let taken = self.local_place(words[1])?;
        let to = self.shared_place(words[3])?;
        let put = self.local_place(words[4])?;
        let passive = self.passive_moves(&words[5..])?;
        if arrow != "->" && !passive.is_empty() {
            let what = format!("the end of the line (passive moves follow `->`, not `{arrow}`)");
            return Err(self.source.expected(&what, words[5]));
        }
        match arrow {
            "+>" => self.push(&[from, taken], &[to, put, taken], line),
            "~>" => self.add_pool_move(from, to, (taken, put), line)?,
            _ => self.set_thread_step([from, taken, to, put], passive, line)?,
        }
        Ok(())
    }

    /// The steps; a place whose tokens can only stay has no move.
    pub fn finish(mut self) -> Result<Vec<Transition>, Exhausted> {
        for t in &mut self.transitions {
            self.budget.steps(1 + 4 * t.transfers.len())?;
            t.transfers.sort_unstable();
            t.transfers.dedup();
            let groups = t.transfers.chunk_by(|a, b| a.0 == b.0);
            let real = groups.filter(|moves| moves.len() > 1 || moves[0].0 != moves[0].1);
            t.transfers = real.flatten().copied().collect();
        }
        Ok(self.transitions)
    }

    fn shared_place(&self, word: &str) -> Parsed<u32> {
        in_range(word, self.shared, "shared", self.source)
    }

    fn local_place(&self, word: &str) -> Parsed<u32> {
        in_range(word, self.local, "local", self.source).map(|l| self.shared + l)
    }

    fn passive_moves(&self, words: &[&str]) -> Parsed<Vec<(u32, u32)>> {
        let read = |chunk: &[&str]| {
            self.budget.steps(1)?;
            let [from, "~>", to] = chunk else {
                return Err(self.source.expected("`l ~> l'` after the transition", chunk[0]));
            };
            Ok((self.local_place(from)?, self.local_place(to)?))
        };
        words.chunks(3).map(read).collect()
    }

    /// A second line with the same source and target replaces the first.
    fn set_thread_step(
        &mut self,
        ends: [u32; 4],
        transfers: Vec<(u32, u32)>,
        line: u32,
    ) -> Result<(), Exhausted> {
        let [from, taken, to, put] = ends;
        let number = self.number_of(Step::Thread(ends), &[from, taken], &[to, put], line)?;
        self.transitions[number].transfers = transfers;
        self.transitions[number].line = line;
        Ok(())
    }

    /// Lines with the same shared states are one step, whose moves add up.
    fn add_pool_move(
        &mut self,
        from: u32,
        to: u32,
        arc: (u32, u32),
        line: u32,
    ) -> Result<(), Exhausted> {
        let number = self.number_of(Step::Pool([from, to]), &[from], &[to], line)?;
        self.transitions[number].transfers.push(arc);
        Ok(())
    }

    fn number_of(
        &mut self,
        step: Step,
        pre: &[u32],
        post: &[u32],
        line: u32,
    ) -> Result<usize, Exhausted> {
        if let Some(&number) = self.numbers.get(&step) {
            return Ok(number);
        }
        self.budget.grow::<(Step, usize)>(self.numbers.len(), self.numbers.capacity())?;
        self.numbers.insert(step, self.transitions.len());
        self.push(pre, post, line);
        Ok(self.transitions.len() - 1)
    }

    fn push(&mut self, pre: &[u32], post: &[u32], line: u32) {
        let tokens =
            |places: &[u32]| collect_entries(places.iter().map(|&p| (p, 1))).unwrap_or_default();
        let (pre, post) = (tokens(pre), tokens(post));
        self.transitions.push(Transition { pre, post, transfers: Vec::new(), line });
    }
}
