//! What a rule of a `.spec` file does: its assignments as steps of the net.
//!
//! `x' = x + n` puts n tokens, `x' = x - n` takes n, and a sum with other places moves theirs
//! (`x' = x + y, y' = 0`, a transfer). A place that is assigned without being added to anything loses
//! its tokens (`x' = 0`, a reset): they move to a place of their own that nothing reads. All
//! assignments of a rule happen at once. A rule that takes more than its guard asks for needs what it
//! takes; where several places together must supply it (`x' = x + y - 1, y' = 0`), there is one step
//! for each way they can.

use crate::config::Entry;
use crate::net::{Net, Transition, collect_entries};
use pidlab_syntax::{Parsed, Source, Span};
use rustc_hash::FxHashMap;

/// Where the tokens of resets go; the brackets keep it apart from every name in a file.
const DISCARDED: &str = "(discarded)";

/// Steps that one rule may become; more than a few come from no protocol.
const MOST_STEPS: usize = 1000;

/// The right-hand side of `x' = …`: places summed and a constant.
pub(super) struct Sum {
    pub places: Vec<u32>,
    pub constant: i64,
}

pub(super) struct Rule {
    pub guard: FxHashMap<u32, u32>,
    pub effects: Vec<(u32, Sum)>,
    pub line: u32,
    pub span: Span,
}

/// What is wrong with a rule.
type Sound<T> = Result<T, String>;

/// Adds the steps of a rule to the net, in ascending order of what they take.
pub(super) fn add(net: &mut Net, rule: Rule, source: &Source) -> Parsed<()> {
    let unsound = |message: String| source.error(rule.span, message);
    source.budget().reserve::<[u64; 16]>(rule.effects.len())?;
    let mut moves = moves(&rule).map_err(unsound)?;
    for place in emptied(&rule, &moves) {
        moves.insert(place, discarded(net));
    }
    let mut steps = Vec::new();
    for guard in guards(&rule, &moves).map_err(unsound)? {
        source.budget().steps(1 + guard.len() + moves.len())?;
        steps.push(step(&rule, &moves, guard).map_err(unsound)?);
    }
    steps.sort_unstable_by(|a, b| a.pre.cmp(&b.pre));
    net.transitions.extend(steps);
    Ok(())
}

/// Where the tokens of a place go, if they do not stay.
type Moves = FxHashMap<u32, u32>;

/// The transfers of a rule. A moved place must be assigned, else its tokens would be doubled.
fn moves(rule: &Rule) -> Sound<Moves> {
    let fail = |message: &str| Err(message.to_string());
    let mut kept: FxHashMap<u32, bool> = FxHashMap::default();
    let mut moves = Moves::default();
    for (place, sum) in &rule.effects {
        let own = sum.places.iter().filter(|&source| source == place).count();
        if own > 1 {
            return fail("tokens would be copied: a place is added to itself");
        }
        if kept.insert(*place, own == 1).is_some() {
            return fail("a place is assigned twice in this rule");
        }
        for &source in sum.places.iter().filter(|&source| source != place) {
            if moves.insert(source, *place).is_some() {
                return fail("the tokens of one place go to two others");
            }
        }
        if sum.places.is_empty() && sum.constant < 0 {
            return fail("a place would be set below zero");
        }
    }
    if moves.keys().any(|source| kept.get(source).copied().unwrap_or(true)) {
        return fail("tokens would be copied: a place added to another must be set to a constant");
    }
    Ok(moves)
}

/// Places that are assigned and neither keep their tokens nor hand them on.
fn emptied(rule: &Rule, moves: &Moves) -> Vec<u32> {
    let lost = |(place, sum): &(u32, Sum)| {
        (!sum.places.contains(place) && !moves.contains_key(place)).then_some(*place)
    };
    rule.effects.iter().filter_map(lost).collect()
}

fn discarded(net: &mut Net) -> u32 {
    if net.places.last().is_none_or(|name| name != DISCARDED) {
        net.places.push(DISCARDED);
    }
    net.places.len() as u32 - 1
}

/// The guard, widened in every least way such that each place has what is taken from it.
fn guards(rule: &Rule, moves: &Moves) -> Sound<Vec<FxHashMap<u32, u32>>> {
    let mut givers: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    moves.iter().for_each(|(&from, &to)| givers.entry(to).or_default().push(from));
    let mut found = vec![rule.guard.clone()];
    for (place, sum) in rule.effects.iter().filter(|(_, sum)| sum.constant < 0) {
        let need = u32::try_from(-sum.constant).map_err(|_| overflow())?;
        let mut sources = givers.get(place).cloned().unwrap_or_default();
        sources.extend(sum.places.contains(place).then_some(*place));
        sources.sort_unstable();
        let mut wider = Vec::new();
        for guard in found {
            let has: u64 = sources.iter().map(|s| u64::from(*guard.get(s).unwrap_or(&0))).sum();
            let missing = u64::from(need).saturating_sub(has) as u32;
            spread(guard, &sources, missing, &mut wider)?;
        }
        found = wider;
    }
    Ok(found)
}

/// All ways to ask for `missing` more tokens of these places.
fn spread(
    guard: FxHashMap<u32, u32>,
    sources: &[u32],
    missing: u32,
    out: &mut Vec<FxHashMap<u32, u32>>,
) -> Sound<()> {
    let too_many = |steps: usize| match steps > MOST_STEPS {
        true => Err(format!("this rule stands for more than {MOST_STEPS} steps")),
        false => Ok(()),
    };
    let mut open = vec![(guard, 0, missing)];
    while let Some((guard, at, missing)) = open.pop() {
        if missing == 0 {
            out.push(guard);
        } else if at + 1 == sources.len() {
            out.push(with_more(guard, sources[at], missing)?);
        } else {
            for share in 0..=missing {
                let more = with_more(guard.clone(), sources[at], share)?;
                open.push((more, at + 1, missing - share));
                too_many(out.len() + open.len())?;
            }
        }
        too_many(out.len() + open.len())?;
    }
    Ok(())
}

fn with_more(mut guard: FxHashMap<u32, u32>, place: u32, more: u32) -> Sound<FxHashMap<u32, u32>> {
    let bound = guard.entry(place).or_default();
    *bound = bound.checked_add(more).ok_or_else(overflow)?;
    Ok(guard)
}

/// Guarded tokens are taken, go where the rule sends them, and the constants are added there.
fn step(rule: &Rule, moves: &Moves, guard: FxHashMap<u32, u32>) -> Sound<Transition> {
    let mut post: FxHashMap<u32, i64> = FxHashMap::default();
    for (place, &count) in &guard {
        *post.entry(*moves.get(place).unwrap_or(place)).or_default() += i64::from(count);
    }
    for (place, sum) in &rule.effects {
        *post.entry(*place).or_default() += sum.constant;
    }
    let positive = |(p, n): (u32, i64)| u32::try_from(n).map(|n| (p, n)).map_err(|_| overflow());
    let post: Vec<Entry> = post.into_iter().map(positive).collect::<Result<_, _>>()?;
    let mut transfers: Vec<(u32, u32)> = moves.iter().map(|(&from, &to)| (from, to)).collect();
    transfers.sort_unstable();
    let sorted = |entries| collect_entries(entries).ok_or_else(overflow);
    Ok(Transition {
        pre: sorted(guard.into_iter().collect())?,
        post: sorted(post)?,
        transfers,
        line: rule.line,
    })
}

fn overflow() -> String {
    "a counter of this rule exceeds the limit".into()
}
