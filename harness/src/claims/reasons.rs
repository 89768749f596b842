//! The measured reason of a claim that is not reproduced: the same number taken apart, or what others say of the same rows.
//!
//! Every rule has one, so that no "not reproduced" stands without a reason; evidence that a claim names for itself
//! ([`super::explain`]) goes first. A ratio of times is that of the transitions times that of the time of one, a ratio of
//! memory that of the states times that of the bytes of one: this says whether the reduction or its price makes the difference.

use super::counted::{CountRule, complete, matches};
use super::explain::{self, Evidence};
use super::timed::{CrossedSize, TimeRule};
use super::{Claim, ClaimRule};
use crate::analyse::cells::{CaseCount, RowEnding};
use crate::analyse::{Analysis, Series};
use pidlab_core::Relations;
use std::collections::BTreeMap;

/// What the run says about the number that the rule is about.
pub fn reason(claim: &Claim, analysis: &Analysis) -> Option<String> {
    match &claim.decide {
        ClaimRule::Timed(rule) => timed(rule, analysis).or_else(|| {
            let backend = rule.program()?.split(", ").next()?.to_string();
            explain::tell(&Evidence::GrowthOfAll { backend }, analysis)
        }),
        ClaimRule::Counted(rule) => counted(rule, analysis),
    }
}

fn timed(rule: &TimeRule, analysis: &Analysis) -> Option<String> {
    match rule {
        TimeRule::Drift { backend, component, .. } => {
            let (backend, component) = (backend.clone(), *component);
            explain::tell(&Evidence::Growth { backend, component }, analysis)
        }
        TimeRule::LowerShare { backend, .. } => {
            explain::tell(&Evidence::Shares { backend: backend.clone() }, analysis)
        }
        TimeRule::Components { backend, .. } => {
            explain::tell(&Evidence::Answers { backend: backend.clone() }, analysis)
        }
        TimeRule::Exponent { backend, .. } => extremes(analysis.series_of(backend)?),
        TimeRule::CrossedExponent { backend, of, .. } => {
            let crossed = analysis.series_of(backend)?.crossed.as_ref()?;
            Some(match of {
                CrossedSize::Pids => format!("the vectors carry exponent {}", crossed.vectors),
                CrossedSize::Vectors => format!("the pids carry exponent {}", crossed.pids),
            })
        }
        TimeRule::Faster { a, b } => faster(a, b, analysis),
        TimeRule::Factor { backend, factor, .. } => {
            let others = analysis.factors.iter();
            let others = others.filter(|f| f.backend != *backend && f.factor == *factor);
            let said = others.map(|f| format!("{} {}", f.backend, f.effect.ratio));
            joined("the same ratio of others on the same states: ", said)
        }
        TimeRule::Relations { backend, more, fewer, .. } => {
            let wanted = [more, fewer].map(|set| set.parse::<Relations>());
            let is_wanted = |set: &String| wanted.contains(&set.parse());
            let others = analysis.relation_ratios.iter().filter(|r| r.backend != *backend);
            let said = others
                .filter(|r| is_wanted(&r.a) && is_wanted(&r.b))
                .map(|r| format!("{} {} over {} {}", r.backend, r.a, r.b, r.ratio));
            joined("the same ratio of others on the same states: ", said)
        }
        TimeRule::Mix => {
            let shares = analysis.sensitivity.iter().map(|c| (c.range, c.nearest.components));
            let [low, high] = [f64::min, f64::max].map(|of| {
                shares.clone().map(|((low, high), _)| of(low, high)).reduce(of).unwrap_or(f64::NAN)
            });
            let two = shares.clone().filter(|(_, components)| *components == Some(2)).count();
            let all = shares.len();
            Some(format!(
                "over all mixes of all {all} conditions the share runs from {:.0} to {:.0} %; the mix nearest to the \
                 published share has two components in {two} of them",
                100.0 * low,
                100.0 * high
            ))
        }
        TimeRule::Agreement => {
            let rows = analysis.statuses.iter();
            joined("rows: ", rows.map(|s| format!("{} {} {}", s.backend, s.rows, s.status)))
        }
    }
}

/// The transformations with the least and the largest exponent.
fn extremes(series: &Series) -> Option<String> {
    let of_all = series.transformations.iter().filter(|e| e.component == "all");
    let mut exponents: Vec<_> = of_all.map(|e| (e.exponent, &*e.transformation)).collect();
    exponents.sort_by(|a, b| a.0.value.total_cmp(&b.0.value));
    let building = series.building.as_ref().map(|b| 100.0 * b.share);
    let building =
        building.map_or(String::new(), |b| format!("; building takes {b:.0} % of the time"));
    let ((low, lowest), (high, highest)) = (exponents.first()?, exponents.last()?);
    let named = |name: &str| if name.is_empty() { String::new() } else { format!(" ({name})") };
    Some(match exponents.len() {
        1 => format!("the exponent is {low}{}{building}", named(lowest)),
        _ => format!(
            "by transformation the exponent runs from {low}{} to {high}{}{building}",
            named(lowest),
            named(highest)
        ),
    })
}

fn faster(a: &str, b: &str, analysis: &Analysis) -> Option<String> {
    let is = |r: &&crate::analyse::Ratio| [(a, b), (b, a)].contains(&(r.a.as_str(), r.b.as_str()));
    let ratio = analysis.ratios.iter().find(is)?;
    let wins = if ratio.a == a { ratio.a_wins } else { ratio.states - ratio.a_wins };
    let one = |name: &str| {
        let series = analysis.series_of(name)?;
        let exponent = series.growth.as_ref()?.exponent;
        let building = series.building.as_ref().map_or(0.0, |b| 100.0 * b.share);
        Some(format!("{name} has exponent {exponent} and builds for {building:.0} % of its time"))
    };
    let said = [one(a), one(b)].into_iter().flatten();
    joined(&format!("{a} is faster on {wins} of {} states; ", ratio.states), said)
}

fn counted(rule: &CountRule, analysis: &Analysis) -> Option<String> {
    match rule {
        CountRule::Ratio { set, column, backend, over, .. } => {
            taken_apart(analysis, set, column, backend, over)
        }
        CountRule::Trend { sets, column, backend, over } => {
            let said = sets.iter().filter_map(|set| {
                let said = taken_apart(analysis, set, column, backend, over)?;
                Some(format!("{set}: {said}"))
            });
            joined("", said)
        }
        CountRule::Fewer { set, backend, than, .. } => {
            taken_apart(analysis, set, "states", backend, than)
        }
        CountRule::Count { set, column, .. } => {
            let cells = analysis.cells.iter().filter(|cell| cell.set == *set && cell.is_complete());
            let said = cells.filter_map(|c| Some(format!("{} {}", c.backend, c.count(column)?)));
            joined(&format!("{column} of all searches of {set}: "), said)
        }
        CountRule::Always { backends, column, equals } => {
            let asked = |cell: &&CaseCount| backends.iter().any(|b| matches(&cell.backend, b));
            let other = analysis.cells.iter().filter(asked).filter_map(|cell| {
                let count = cell.count(column).filter(|count| count != equals)?;
                Some(format!("{} of {} {count} ({})", cell.backend, cell.set, cell.status))
            });
            joined("others: ", other)
        }
        CountRule::Finite { set, .. } | CountRule::FewerRelations { set, .. } => {
            let cells = analysis.cells.iter();
            let cells = cells.filter(|cell| cell.set == *set && cell.status != "skipped");
            let said = cells.filter_map(|cell| {
                let states = cell.count("states")?;
                Some(format!("{} {{{}}} {states} ({})", cell.backend, cell.relations, cell.status))
            });
            joined("states of all searches: ", said)
        }
        CountRule::Answer { set, .. } | CountRule::Ends { set, .. } => {
            endings(analysis, |ending| ending.set == *set)
        }
        CountRule::Expected { sets } => endings(analysis, |ending| {
            let asked = sets.is_empty() || sets.contains(&ending.set);
            asked && ending.expected != "unknown" && ending.answer != ending.expected
        }),
        CountRule::Shown { .. } => None,
    }
}

/// How rows ended, backend by backend.
fn endings(analysis: &Analysis, of: impl Fn(&RowEnding) -> bool) -> Option<String> {
    let mut counts: BTreeMap<(&str, &str, &str), u64> = BTreeMap::new();
    for ending in analysis.outcomes.iter().filter(|ending| of(ending)) {
        let key = (&*ending.backend, &*ending.status, &*ending.answer);
        *counts.entry(key).or_default() += ending.rows;
    }
    let said = counts.into_iter().map(|((backend, status, answer), rows)| match status {
        "ok" => format!("{backend} {rows} {answer}"),
        _ => format!("{backend} {rows} {status}"),
    });
    joined("answers on the same instances: ", said)
}

/// A ratio as the product of two: how much there is, and what one of it costs.
fn taken_apart(
    analysis: &Analysis,
    set: &str,
    column: &str,
    backend: &str,
    over: &str,
) -> Option<String> {
    let (a, b) = (complete(analysis, set, backend)?, complete(analysis, set, over)?);
    let states = |cell: &CaseCount| cell.count("states").map(|n| n as f64);
    let steps = |cell: &CaseCount| Some(states(cell)? + cell.count("seen")? as f64);
    let times = |x: f64, y: f64| format!("{:.2} times", x / y.max(f64::MIN_POSITIVE));
    Some(match column {
        "seconds" => {
            let (many, few) = (steps(a)?, steps(b)?);
            let (long, short) = (a.seconds? / many * 1e9, b.seconds? / few * 1e9);
            format!(
                "{} the transitions ({many} and {few}), {} the time of one ({long:.0} ns and {short:.0} ns)",
                times(many, few),
                times(long, short)
            )
        }
        "bytes" => {
            let (much, little) = (a.bytes_per_state()?, b.bytes_per_state()?);
            format!(
                "{} the states, {} the bytes of one ({much:.1} and {little:.1})",
                times(states(a)?, states(b)?),
                times(much, little)
            )
        }
        _ => {
            let paper = |backend: &str| printed(analysis, set, backend, column);
            let ours = format!("{} {} and {}", column, a.count(column)?, b.count(column)?);
            match paper(backend).zip(paper(over)) {
                Some((few, many)) => format!(
                    "{ours}, {few} and {many} in the paper: ours is {:.4} and {:.4} times its size",
                    a.count(column)? as f64 / few as f64,
                    b.count(column)? as f64 / many as f64
                ),
                None => ours,
            }
        }
    })
}

/// What the paper prints for a case.
fn printed(analysis: &Analysis, set: &str, backend: &str, column: &str) -> Option<u64> {
    let tables = super::published_tables().ok()?;
    let table = tables.into_iter().find(|table| table.experiment == analysis.experiment)?;
    let symmetry = backend.split('+').next()?;
    let mut cells = table.cells.iter();
    let cell = cells.find(|cell| cell.set == set && cell.backend == symmetry)?;
    cell.counts.get(column).copied()
}

/// Parts of a list after what they are; nothing without any.
fn joined(what: &str, parts: impl Iterator<Item = String>) -> Option<String> {
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| format!("{what}{}", parts.join(", ")))
}
