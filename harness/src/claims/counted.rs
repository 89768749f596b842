//! Claims about counts: state spaces, sizes of visited sets, verdicts of coverability.

use super::Value;
use crate::analyse::Analysis;
use crate::analyse::cells::{CaseCount, RowEnding};
use serde::Deserialize;

/// The names of the rules.
pub const NAMES: [&str; 7] = ["count", "always", "fewer", "answer", "expected", "ends", "shown"];

/// Backends go by the beginning of their name: `none` is every configuration without symmetry.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CountRule {
    /// A count is exactly as published; shown and not judged where the model is a reconstruction.
    Count { set: String, backend: String, column: String, equals: u64, reconstructed: bool },
    /// A count is the same in every complete search of these backends.
    Always { backends: Vec<String>, column: String, equals: u64 },
    /// A count of one backend is at most that of another; strictly below it if so asked.
    Fewer { set: String, column: String, backend: String, than: String, strictly: bool },
    /// All rows of a set get this answer.
    Answer { set: String, backend: String, answer: String },
    /// Every row whose answer is known beforehand gets it.
    Expected { sets: Vec<String> },
    /// So many rows of a set end in this way.
    Ends { set: String, backend: String, status: String, at_least: u64, at_most: Option<u64> },
    /// A number beside the paper's; what it depends on is not comparable.
    Shown { set: String, backend: String, column: String },
}

/// States from which on the size of a visited set says something.
const SMALLEST: u64 = 1_000;

pub fn value(rule: &CountRule, analysis: &Analysis) -> Option<Value> {
    match rule {
        CountRule::Count { set, backend, column, equals, reconstructed } => {
            let ours = complete(analysis, set, backend)?.count(column)?;
            Some((ours.to_string(), None, (!reconstructed).then_some(ours == *equals)))
        }
        CountRule::Always { backends, column, equals } => {
            always(analysis, backends, column, *equals)
        }
        CountRule::Fewer { set, column, backend, than, strictly } => {
            let less = complete(analysis, set, backend)?;
            let more = complete(analysis, set, than)?;
            if column == "bytes" && less.count("states")? < SMALLEST {
                let why = format!(
                    "fewer than {SMALLEST} states: the fixed size of tables hides the rest"
                );
                return Some((why, None, None));
            }
            let (less, more) = (less.count(column)?, more.count(column)?);
            let share = format!("{:.1} %", 100.0 * less as f64 / more.max(1) as f64);
            Some((share, None, Some(less < more || !strictly && less == more)))
        }
        CountRule::Answer { set, backend, answer } => {
            let rows = |o: &&RowEnding| o.set == *set && matches(&o.backend, backend);
            let found: Vec<&RowEnding> = analysis.outcomes.iter().filter(rows).collect();
            let said: u64 = found.iter().filter(|o| o.answer == *answer).map(|o| o.rows).sum();
            let all: u64 = found.iter().map(|o| o.rows).sum();
            (all > 0).then(|| (format!("{said} of {all} {answer}"), None, Some(said == all)))
        }
        CountRule::Expected { sets } => expected(analysis, sets),
        CountRule::Ends { set, backend, status, at_least, at_most } => {
            let rows = |o: &&RowEnding| o.set == *set && matches(&o.backend, backend);
            let all: u64 = analysis.outcomes.iter().filter(rows).map(|o| o.rows).sum();
            let ended = analysis.outcomes.iter().filter(rows).filter(|o| o.status == *status);
            let ended: u64 = ended.map(|o| o.rows).sum();
            let agrees = ended >= *at_least && at_most.is_none_or(|most| ended <= most);
            (all > 0).then(|| (format!("{ended} of {all} rows {status}"), None, Some(agrees)))
        }
        CountRule::Shown { set, backend, column } => {
            Some((complete(analysis, set, backend)?.count(column)?.to_string(), None, None))
        }
    }
}

/// Why a number is shown and not judged.
pub fn remark(rule: &CountRule) -> Option<&'static str> {
    match rule {
        CountRule::Count { reconstructed: true, .. } | CountRule::Shown { .. } => {
            Some("model reconstructed from the paper's description, counts not comparable")
        }
        _ => None,
    }
}

/// The first complete search of a set by a backend of that name, or whose name begins so.
fn complete<'a>(analysis: &'a Analysis, set: &str, backend: &str) -> Option<&'a CaseCount> {
    let wanted = |cell: &&CaseCount| {
        cell.set == set && matches(&cell.backend, backend) && cell.is_complete()
    };
    analysis.cells.iter().find(wanted)
}

/// `none` and `none+tree` match `none+tree+dfs`.
fn matches(backend: &str, wanted: &str) -> bool {
    backend.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('+'))
}

fn always(analysis: &Analysis, backends: &[String], column: &str, equals: u64) -> Option<Value> {
    let asked = |cell: &&CaseCount| {
        cell.is_complete() && backends.iter().any(|wanted| matches(&cell.backend, wanted))
    };
    let counts: Vec<u64> =
        analysis.cells.iter().filter(asked).filter_map(|cell| cell.count(column)).collect();
    let right = counts.iter().filter(|&&count| count == equals).count();
    let text = format!("{right} of {} searches", counts.len());
    (!counts.is_empty()).then_some((text, None, Some(right == counts.len())))
}

fn expected(analysis: &Analysis, sets: &[String]) -> Option<Value> {
    let known =
        |o: &&RowEnding| o.expected != "unknown" && (sets.is_empty() || sets.contains(&o.set));
    let rows: Vec<&RowEnding> = analysis.outcomes.iter().filter(known).collect();
    let right: u64 = rows.iter().filter(|o| o.answer == o.expected).map(|o| o.rows).sum();
    let all: u64 = rows.iter().map(|o| o.rows).sum();
    (all > 0).then(|| (format!("{right} of {all} as expected"), None, Some(right == all)))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn backends_match_by_whole_parts_of_their_names() {
        assert!(matches("none+tree+dfs", "none") && matches("none+tree+dfs", "none+tree"));
        assert!(matches("beacon", "beacon"));
        assert!(!matches("kbots:inf+tree+dfs", "kbots:i") && !matches("beacon:bfs", "beacon"));
    }
}
