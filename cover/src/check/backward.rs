//! Checking backward certificates.
//!
//! The claim: no reachable marking is above an element of the basis. The invariants are inductive:
//! the pair table by itself, the inequalities under the pair table. Every target is above the basis
//! or excluded by an invariant, so is every minimal predecessor of every element, and no element is
//! below the start. Then the markings that meet the invariants and are not above the basis contain
//! the start, are closed under every step and exclude the targets.

use super::fire::{StepArcs, below_counts};
use super::{Model, Rejection};
use crate::answer::{Inequality, PairTable};
use crate::budget::{Budget, Exhausted};
use std::collections::{BTreeMap, BTreeSet};

type Counts = BTreeMap<u32, u64>;

pub(crate) fn check(
    model: &Model,
    basis: &[BTreeMap<String, u32>],
    inequalities: &[Inequality],
    pairs: Option<&PairTable>,
    budget: &Budget,
) -> Result<(), Rejection> {
    let pairs = pairs.map(|table| Table::new(model, table, budget)).transpose()?;
    if let Some(table) = &pairs {
        table.check(model)?;
    }
    let inequalities = read_inequalities(model, inequalities, budget)?;
    let invariants = Invariants { budget, pairs, inequalities };
    invariants.check_inequalities(model)?;
    let basis = Basis::new(model, basis, budget)?;
    basis.check(model, &invariants)
}

fn fail<T>(why: String) -> Result<T, Rejection> {
    Err(Rejection::Certificate(why))
}

/// Places that may be marked, and which of them together.
struct Table<'a> {
    budget: &'a Budget,
    /// Per place its row, or `None` if it is never marked.
    row_of: Vec<Option<usize>>,
    /// One bit per listed place.
    rows: Vec<Vec<u64>>,
}

impl<'a> Table<'a> {
    fn new(model: &Model, table: &PairTable, budget: &'a Budget) -> Result<Table<'a>, Rejection> {
        if table.rows.len() != table.places.len() {
            return Err(Rejection::Malformed("the pair table needs one row per place".into()));
        }
        let mut row_of = vec![None; model.places.len()];
        for (row, name) in table.places.iter().enumerate() {
            let place = model.place(name)?;
            if row_of[place as usize].replace(row).is_some() {
                return Err(Rejection::Malformed(format!("`{name}` is listed twice")));
            }
        }
        let read = |row: &String| {
            budget.steps(row.len())?;
            read_row(row, table.places.len())
        };
        let rows = table.rows.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Table { budget, row_of, rows })
    }

    fn together(&self, a: u32, b: u32) -> bool {
        match (self.row_of[a as usize], self.row_of[b as usize]) {
            (Some(a), Some(b)) => self.rows[a][b / 64] >> (b % 64) & 1 == 1,
            _ => false,
        }
    }

    /// Whether a marking above these counts is not excluded.
    fn admits(&self, counts: &Counts) -> Result<bool, Exhausted> {
        for (&a, &n) in counts {
            self.budget.steps(counts.len())?;
            let fits = self.row_of[a as usize].is_some()
                && (n < 2 || self.together(a, a))
                && counts.range(a + 1..).all(|(&b, _)| self.together(a, b));
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True at the start and kept by every step it admits.
    fn check(&self, model: &Model) -> Result<(), Rejection> {
        let start: Counts = model.initial.iter().map(|(&p, &n)| (p, n.unwrap_or(2))).collect();
        if !self.symmetric()? || !self.admits(&start)? {
            return fail("the pair table excludes the start".into());
        }
        for (number, step) in model.steps.iter().enumerate() {
            if self.admits(&step.pre)? && !self.kept_by(step)? {
                return fail(format!("transition {number} breaks the pair table"));
            }
        }
        Ok(())
    }

    fn symmetric(&self) -> Result<bool, Exhausted> {
        let bit = |a: usize, b: usize| self.rows[a][b / 64] >> (b % 64) & 1;
        for a in 0..self.rows.len() {
            self.budget.steps(a)?;
            if (0..a).any(|b| bit(a, b) != bit(b, a)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What is put may stand beside itself and beside whatever may stand beside all that is taken.
    fn kept_by(&self, step: &StepArcs) -> Result<bool, Exhausted> {
        if !step.moves.is_empty() {
            return Ok(self.admits(&step.post)? && self.kept_by_moves(step)?);
        }
        let words = self.rows.len().div_ceil(64);
        self.budget.steps(words * (step.pre.len() + step.post.len()))?;
        let row = |place: &u32| self.row_of[*place as usize].map(|row| &self.rows[row]);
        let beside_all = |word: usize| {
            let taken = step.pre.keys().filter_map(row).map(|row| row[word]);
            taken.fold(listed(self.rows.len(), word), |all, bits| all & bits)
        };
        let beside = |word: usize| {
            let bystanders = beside_all(word);
            step.post.keys().filter_map(row).all(|row| bystanders & !row[word] == 0)
        };
        Ok(self.admits(&step.post)? && (0..words).all(beside))
    }

    /// The same where tokens move: any two that may stand beside all that is taken, and beside each
    /// other, may stand wherever they go, and what is put may stand beside them.
    fn kept_by_moves(&self, step: &StepArcs) -> Result<bool, Exhausted> {
        self.budget.steps(self.row_of.len())?;
        let listed = (0..self.row_of.len() as u32).filter(|&p| self.row_of[p as usize].is_some());
        let bystanders: Vec<u32> =
            listed.filter(|&p| step.pre.keys().all(|&taken| self.together(p, taken))).collect();
        for &a in &bystanders {
            self.budget.steps(1 + bystanders.len())?;
            let after = moved_to(step, a);
            if after.iter().any(|&to| {
                self.row_of[to as usize].is_none()
                    || !step.post.keys().all(|&put| self.together(to, put))
            }) {
                return Ok(false);
            }
            if !step.moves.contains_key(&a) {
                continue;
            }
            for &b in bystanders.iter().filter(|&&b| self.together(a, b)) {
                let others = moved_to(step, b);
                self.budget.steps(after.len() * others.len())?;
                if !after.iter().all(|&x| others.iter().all(|&y| self.together(x, y))) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Places that a token on `place` can be on after a step's moves.
fn moved_to(step: &StepArcs, place: u32) -> Vec<u32> {
    step.moves.get(&place).map_or_else(|| vec![place], |to| to.iter().copied().collect())
}

/// The bits of a word that stand for listed places.
fn listed(places: usize, word: usize) -> u64 {
    match places - word * 64 {
        64.. => u64::MAX,
        rest => (1 << rest) - 1,
    }
}

fn read_row(row: &str, places: usize) -> Result<Vec<u64>, Rejection> {
    let malformed = || Rejection::Malformed("a row of the pair table is not hexadecimal".into());
    if row.len() != places.div_ceil(64) * 16 || !row.is_ascii() {
        return Err(malformed());
    }
    let word = |i: usize| u64::from_str_radix(&row[i * 16..][..16], 16).map_err(|_| malformed());
    (0..places.div_ceil(64)).map(word).collect()
}

struct Bounded {
    weights: BTreeMap<u32, u64>,
    bound: u128,
}

impl Bounded {
    fn sum(&self, counts: &Counts) -> u128 {
        let term = |(p, &n): (&u32, &u64)| {
            u128::from(self.weights.get(p).copied().unwrap_or(0)) * u128::from(n)
        };
        counts.iter().map(term).sum()
    }
}

fn read_inequalities(
    model: &Model,
    given: &[Inequality],
    budget: &Budget,
) -> Result<Vec<Bounded>, Rejection> {
    let read = |inequality: &Inequality| {
        budget.steps(1 + 4 * inequality.weights.len())?;
        let weights = inequality
            .weights
            .iter()
            .map(|(name, &weight)| Ok((model.place(name)?, weight)))
            .collect::<Result<_, Rejection>>()?;
        Ok(Bounded { weights, bound: u128::from(inequality.bound) })
    };
    given.iter().map(read).collect()
}

struct Invariants<'a> {
    budget: &'a Budget,
    pairs: Option<Table<'a>>,
    inequalities: Vec<Bounded>,
}

impl Invariants<'_> {
    fn admits_pairs(&self, counts: &Counts) -> Result<bool, Exhausted> {
        self.pairs.as_ref().map_or(Ok(true), |table| table.admits(counts))
    }

    fn excludes(&self, counts: &Counts) -> Result<bool, Exhausted> {
        if !self.admits_pairs(counts)? {
            return Ok(true);
        }
        for inequality in &self.inequalities {
            self.budget.steps(1 + counts.len())?;
            if inequality.sum(counts) > inequality.bound {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn check_inequalities(&self, model: &Model) -> Result<(), Rejection> {
        let mut possible = Vec::new();
        for step in &model.steps {
            if self.admits_pairs(&step.pre)? {
                possible.push(step);
            }
        }
        for (number, inequality) in self.inequalities.iter().enumerate() {
            let weight = |p: u32| inequality.weights.get(&p).copied().unwrap_or(0);
            let mut start = 0u128;
            for (&place, count) in &model.initial {
                match count {
                    Some(n) => start += u128::from(weight(place)) * u128::from(*n),
                    None if weight(place) == 0 => {}
                    None => {
                        return fail(format!("inequality {number} weighs a place of any count"));
                    }
                }
            }
            let kept = |step: &StepArcs| {
                inequality.sum(&step.post) <= inequality.sum(&step.pre)
                    && step.arcs().all(|(from, to)| weight(to) <= weight(from))
            };
            let mut inductive = start <= inequality.bound;
            for step in &possible {
                self.budget.steps(1 + step.pre.len() + step.post.len() + step.arcs().count())?;
                inductive &= kept(step);
            }
            if !inductive {
                return fail(format!("inequality {number} is not inductive"));
            }
        }
        Ok(())
    }
}

/// The basis, each element listed under its first place.
struct Basis<'a> {
    budget: &'a Budget,
    elements: Vec<Counts>,
    by_first: Vec<Vec<u32>>,
    has_empty: bool,
}

impl<'a> Basis<'a> {
    fn new(
        model: &Model,
        basis: &[BTreeMap<String, u32>],
        budget: &'a Budget,
    ) -> Result<Basis<'a>, Rejection> {
        budget.reserve::<Vec<u32>>(model.places.len())?;
        let mut by_first = vec![Vec::new(); model.places.len()];
        let mut elements = Vec::new();
        let mut has_empty = false;
        for given in basis {
            budget.steps(1 + 4 * given.len())?;
            let mut counts = Counts::new();
            for (name, &count) in given.iter().filter(|(_, count)| **count != 0) {
                counts.insert(model.place(name)?, u64::from(count));
            }
            match counts.keys().next() {
                Some(&place) => by_first[place as usize].push(elements.len() as u32),
                None => has_empty = true,
            }
            elements.push(counts);
        }
        Ok(Basis { budget, elements, by_first, has_empty })
    }

    fn below(&self, counts: &Counts) -> Result<bool, Exhausted> {
        let fits = |element: &Counts| {
            element.iter().all(|(p, n)| counts.get(p).is_some_and(|have| have >= n))
        };
        for &element in counts.keys().flat_map(|&place| &self.by_first[place as usize]) {
            self.budget.steps(4)?;
            if fits(&self.elements[element as usize]) {
                return Ok(true);
            }
        }
        Ok(self.has_empty)
    }

    fn check(&self, model: &Model, invariants: &Invariants) -> Result<(), Rejection> {
        for (number, target) in model.targets.iter().enumerate() {
            if !invariants.excludes(target)? && !self.below(target)? {
                return fail(format!("target {number} is outside the basis"));
            }
        }
        self.budget.reserve::<Vec<usize>>(model.places.len())?;
        let mut producers = vec![Vec::new(); model.places.len()];
        for (number, step) in model.steps.iter().enumerate() {
            let moved = step.arcs().flat_map(|(from, to)| [from, to]);
            let touched: BTreeSet<u32> = step.post.keys().copied().chain(moved).collect();
            self.budget.steps(1 + step.post.len() + touched.len())?;
            touched.into_iter().for_each(|p| producers[p as usize].push(number));
        }
        for (number, element) in self.elements.iter().enumerate() {
            if below_counts(element, &model.initial) {
                return fail(format!("element {number} of the basis is below the start"));
            }
            // A step that touches no place of the element has a larger predecessor.
            let mut steps: Vec<usize> =
                element.keys().flat_map(|&p| producers[p as usize].iter().copied()).collect();
            steps.sort_unstable();
            steps.dedup();
            for step in steps {
                for before in predecessors(&model.steps[step], element, self.budget)? {
                    if !invariants.excludes(&before)? && !self.below(&before)? {
                        let what = format!("transition {step} enters element {number}");
                        return fail(what + " from outside");
                    }
                }
            }
        }
        Ok(())
    }
}

/// The minimal markings from which `step` leads above `element`. Where tokens choose their moves,
/// each token of the element may have come from any place with a move to its own.
fn predecessors(
    step: &StepArcs,
    element: &Counts,
    budget: &Budget,
) -> Result<Vec<Counts>, Exhausted> {
    let mut found = vec![step.pre.clone()];
    for (&place, &count) in element {
        let put = step.post.get(&place).copied().unwrap_or(0);
        let missing = count.saturating_sub(put);
        if missing == 0 {
            continue;
        }
        let mut sources = Vec::new();
        for (from, to) in step.arcs() {
            budget.steps(1)?;
            sources.extend((to == place).then_some(from));
        }
        if !step.moves.contains_key(&place) {
            sources.push(place);
        }
        let mut wider = Vec::new();
        for base in &found {
            spread(base, &sources, missing, &mut wider, budget)?;
        }
        found = wider;
    }
    Ok(found)
}

/// All ways to add `count` tokens to `base` on the given places. There can be very many.
pub(crate) fn spread(
    base: &Counts,
    sources: &[u32],
    count: u64,
    out: &mut Vec<Counts>,
    budget: &Budget,
) -> Result<(), Exhausted> {
    let mut partial = vec![(base.clone(), count)];
    for (i, &source) in sources.iter().enumerate() {
        let last = i + 1 == sources.len();
        let mut next = Vec::new();
        for (counts, left) in partial {
            let least = if last { left } else { 0 };
            for here in least..=left {
                budget.steps(1 + 4 * counts.len())?;
                let mut counts = counts.clone();
                if here > 0 {
                    *counts.entry(source).or_insert(0) += here;
                }
                next.push((counts, left - here));
            }
        }
        partial = next;
    }
    out.extend(partial.into_iter().filter(|(_, left)| *left == 0).map(|(counts, _)| counts));
    Ok(())
}
