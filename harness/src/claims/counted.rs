//! Claims about counts: state spaces, sizes of visited sets, verdicts of coverability.

use super::Value;
use crate::analyse::Analysis;
use crate::analyse::cells::{CaseCount, RowEnding};
use crate::experiment::{Experiment, QuestionKind};
use pidlab_core::Relations;
use serde::Deserialize;

/// The names of the rules.
pub const NAMES: [&str; 11] = [
    "count",
    "always",
    "fewer",
    "ratio",
    "trend",
    "finite",
    "fewer-relations",
    "answer",
    "expected",
    "ends",
    "shown",
];

/// Backends go by the beginning of their name: `none` is every configuration without symmetry.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CountRule {
    /// A count is exactly as published; shown with its distance and not judged where the model is a reconstruction.
    Count { set: String, backend: String, column: String, equals: u64, reconstructed: bool },
    /// A count, or `seconds`, of one backend over that of another lies between two bounds.
    Ratio { set: String, column: String, backend: String, over: String, low: f64, high: f64 },
    /// The same ratio falls from each case to the next.
    Trend { sets: Vec<String>, column: String, backend: String, over: String },
    /// A count is the same in every complete search of these backends.
    Always { backends: Vec<String>, column: String, equals: u64 },
    /// A count of one backend is at most that of another; strictly below it if so asked.
    Fewer { set: String, column: String, backend: String, than: String, strictly: bool },
    /// A search comes to its end where another one, without reduction, hits a limit.
    Finite { set: String, backend: String, plain: String },
    /// Fewer relations leave fewer states.
    FewerRelations { set: String, backend: String, fewer: String, more: String },
    /// All rows of a set get this answer.
    Answer { set: String, backend: String, answer: String },
    /// Every row whose answer is known beforehand gets it.
    Expected { sets: Vec<String> },
    /// So many rows of a set end in this way.
    Ends { set: String, backend: String, status: String, at_least: u64, at_most: Option<u64> },
    /// A number beside the paper's; what it depends on is not comparable.
    Shown { set: String, backend: String, column: String },
}

impl CountRule {
    /// The program that decides it.
    pub fn program(&self) -> Option<String> {
        match self {
            CountRule::Count { backend, .. }
            | CountRule::FewerRelations { backend, .. }
            | CountRule::Answer { backend, .. }
            | CountRule::Ends { backend, .. }
            | CountRule::Shown { backend, .. } => Some(backend.clone()),
            CountRule::Finite { backend, plain: other, .. }
            | CountRule::Fewer { backend, than: other, .. }
            | CountRule::Ratio { backend, over: other, .. }
            | CountRule::Trend { backend, over: other, .. } => Some(format!("{backend}, {other}")),
            CountRule::Always { backends, .. } => Some(backends.join(", ")),
            CountRule::Expected { .. } => None,
        }
    }

    /// Problems with what the rule names in an experiment.
    pub fn check(&self, experiment: &Experiment) -> Result<(), String> {
        if experiment.kind() == QuestionKind::Pairs {
            return Err(
                "claims about counts need an experiment with [[models]] or [[instances]]".into()
            );
        }
        let sets: Vec<&String> = match self {
            CountRule::Count { set, .. }
            | CountRule::Fewer { set, .. }
            | CountRule::Ratio { set, .. }
            | CountRule::Finite { set, .. }
            | CountRule::FewerRelations { set, .. }
            | CountRule::Answer { set, .. }
            | CountRule::Ends { set, .. }
            | CountRule::Shown { set, .. } => vec![set],
            CountRule::Expected { sets } | CountRule::Trend { sets, .. } => sets.iter().collect(),
            CountRule::Always { .. } => Vec::new(),
        };
        let labels = experiment.labels();
        match sets.into_iter().find(|set| !labels.contains(&set.as_str())) {
            Some(set) => Err(format!("there is no `{set}`; there are `{}`", labels.join("`, `"))),
            None => Ok(()),
        }
    }
}

/// States from which on the size of a visited set says something.
const SMALLEST: u64 = 1_000;

pub fn value(rule: &CountRule, analysis: &Analysis) -> Option<Value> {
    match rule {
        CountRule::Count { set, backend, column, equals, reconstructed } => {
            let ours = complete(analysis, set, backend)?.count(column)?;
            let text = match reconstructed {
                true => format!("{ours}, {:.2} times the paper's", ours as f64 / *equals as f64),
                false => ours.to_string(),
            };
            Some((text, None, (!reconstructed).then_some(ours == *equals)))
        }
        CountRule::Ratio { set, column, backend, over, low, high } => {
            let found = Quotient::of(analysis, set, column, backend, over)?;
            let agrees = found.within(*low, *high).filter(|_| found.comparable(column));
            Some((found.text(column), None, agrees))
        }
        CountRule::Trend { sets, column, backend, over } => {
            let found: Vec<Quotient> = sets
                .iter()
                .map(|set| Quotient::of(analysis, set, column, backend, over))
                .collect::<Option<_>>()?;
            let texts: Vec<String> = sets
                .iter()
                .zip(&found)
                .map(|(set, q)| format!("{set}: {}", q.text(column)))
                .collect();
            let falls = found.windows(2).all(|pair| pair[1].value() < pair[0].value());
            let comparable = found.iter().all(|quotient| quotient.comparable(column));
            Some((texts.join("; "), None, comparable.then_some(falls)))
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
        CountRule::Finite { set, backend, plain } => {
            let of = |wanted: &str| {
                let mut cells = analysis.cells.iter().filter(|cell| cell.status != "skipped");
                cells.find(|cell| cell.set == *set && matches(&cell.backend, wanted))
            };
            let (reduced, endless) = (of(backend)?, of(plain)?);
            let states = |cell: &CaseCount| cell.count("states").unwrap_or(0);
            let text = format!(
                "{} states with the reduction ({}); without it {} states ({})",
                states(reduced),
                ending(reduced),
                states(endless),
                ending(endless)
            );
            Some((text, None, Some(reduced.is_complete() && !endless.is_complete())))
        }
        CountRule::FewerRelations { set, backend, fewer, more } => {
            let (few, many) =
                (under(analysis, set, backend, fewer)?, under(analysis, set, backend, more)?);
            let text = format!("{few} states under {fewer}, {many} under {more}");
            Some((text, None, Some(few < many)))
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

/// Shorter searches are not compared: a time slice of another process is as long.
const SHORTEST: f64 = 0.02;

/// One number of a case over another.
struct Quotient {
    above: f64,
    below: f64,
    /// States of the smaller search.
    states: u64,
    /// What repetitions of the two searches allow it to be.
    range: (f64, f64),
}

impl Quotient {
    fn of(
        analysis: &Analysis,
        set: &str,
        column: &str,
        backend: &str,
        over: &str,
    ) -> Option<Quotient> {
        let (a, b) = (complete(analysis, set, backend)?, complete(analysis, set, over)?);
        let number = |cell: &CaseCount| match column {
            "seconds" => cell.seconds,
            _ => cell.count(column).map(|count| count as f64),
        };
        let states = a.count("states")?.min(b.count("states")?);
        let (above, below) = (number(a)?, number(b)?);
        let range = match (column, a.range, b.range) {
            ("seconds", Some(a), Some(b)) => (a.0 / b.1, a.1 / b.0),
            _ => (above / below.max(f64::MIN_POSITIVE), above / below.max(f64::MIN_POSITIVE)),
        };
        Some(Quotient { above, below, states, range })
    }

    /// Inside or outside of the bounds whichever repetitions are taken; neither is a matter of chance.
    fn within(&self, low: f64, high: f64) -> Option<bool> {
        let (least, most) = self.range;
        match (low <= least && most <= high, most < low || high < least) {
            (false, false) => None,
            (inside, _) => Some(inside),
        }
    }

    fn value(&self) -> f64 {
        self.above / self.below.max(f64::MIN_POSITIVE)
    }

    fn comparable(&self, column: &str) -> bool {
        match column {
            "seconds" => self.above.max(self.below) >= SHORTEST,
            "bytes" => self.states >= SMALLEST,
            _ => true,
        }
    }

    fn text(&self, column: &str) -> String {
        let Quotient { above, below, .. } = self;
        let numbers = match column {
            "seconds" if self.range.0 < self.range.1 => format!(
                "{above:.3} s of {below:.3} s, repetitions {:.3} to {:.3}",
                self.range.0, self.range.1
            ),
            "seconds" => format!("{above:.3} s of {below:.3} s"),
            "bytes" => format!("{:.1} kB of {:.1} kB", above / 1024.0, below / 1024.0),
            _ => format!("{above} of {below}"),
        };
        let why = match column {
            _ if self.comparable(column) => "",
            "seconds" => "; too short to compare",
            _ => "; fewer than 1000 states: the fixed size of tables hides the rest",
        };
        format!("{:.3} ({numbers}{why})", self.value())
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

fn ending(cell: &CaseCount) -> &str {
    match cell.status.as_str() {
        "ok" => "complete",
        other => other,
    }
}

/// States of a complete search under a set of relations.
fn under(analysis: &Analysis, set: &str, backend: &str, relations: &str) -> Option<u64> {
    let wanted: Relations = relations.parse().ok()?;
    let found = analysis.cells.iter().find(|cell| {
        cell.set == set
            && matches(&cell.backend, backend)
            && cell.is_complete()
            && cell.relations.parse() == Ok(wanted)
    });
    found?.count("states")
}

/// The first complete search of a set by a backend of that name, or whose name begins so.
pub fn complete<'a>(analysis: &'a Analysis, set: &str, backend: &str) -> Option<&'a CaseCount> {
    let wanted = |cell: &&CaseCount| {
        cell.set == set && matches(&cell.backend, backend) && cell.is_complete()
    };
    analysis.cells.iter().find(wanted)
}

/// `none` and `none+tree` match `none+tree+dfs`.
pub fn matches(backend: &str, wanted: &str) -> bool {
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
    use super::{Quotient, matches};

    #[test]
    fn a_ratio_decides_where_all_repetitions_say_the_same() {
        let of = |range| Quotient { above: 3.5, below: 1.0, states: 10, range };
        assert_eq!(of((3.4, 3.6)).within(3.0, 4.0), Some(true));
        assert_eq!(of((3.4, 4.1)).within(3.0, 4.0), None);
        assert_eq!(of((4.1, 4.2)).within(3.0, 4.0), Some(false));
    }

    #[test]
    fn backends_match_by_whole_parts_of_their_names() {
        assert!(matches("none+tree+dfs", "none") && matches("none+tree+dfs", "none+tree"));
        assert!(matches("beacon", "beacon"));
        assert!(!matches("kbots:inf+tree+dfs", "kbots:i") && !matches("beacon:bfs", "beacon"));
    }
}
