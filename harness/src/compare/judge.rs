//! From matched rows to a verdict for every experiment, backend and size class.

use super::instructions::InstructionCount;
use super::matched::{Common, Group, Matched};
use pidlab_stats::Interval;
use pidlab_stats::order::median_of;
use pidlab_stats::paired::{self, Change};
use serde::{Serialize, Serializer};

/// What counts as what.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// A regression is an interval wholly above this change: 0.05 for 5 %.
    pub threshold: f64,
    /// A change that does not matter.
    pub delta: f64,
    /// Of every interval: 0.99 for 99 %.
    pub confidence: f64,
    /// Of the resampling.
    pub seed: u64,
    /// What a regression is read off.
    pub gate: Gate,
}

/// What a regression is read off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Gate {
    /// Times.
    Time,
    /// Instruction counts.
    Instructions,
    /// Either of them.
    Either,
}

/// Whether a group is a regression, and how sure that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing to say.
    Unremarkable,
    /// Above the threshold once; nothing has confirmed it yet.
    Suspect,
    /// Above the threshold again.
    Regression,
    /// Above the threshold once, and not again.
    Unconfirmed,
    /// Faster by more than the threshold.
    Improvement,
}

impl Standing {
    /// Its name in tables and documents.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Unremarkable => "",
            Standing::Suspect => "suspect",
            Standing::Regression => "regression",
            Standing::Unconfirmed => "not confirmed",
            Standing::Improvement => "improvement",
        }
    }
}

/// The verdict on a group of rows.
#[derive(Serialize)]
pub struct Judged {
    /// What it is about.
    #[serde(flatten)]
    pub group: Group,
    /// Base states.
    pub states: usize,
    /// Rows.
    pub rows: usize,
    /// Rows that only the base decided within its limits.
    #[serde(rename = "no_longer_decided")]
    pub no_longer: usize,
    /// A typical time of the base.
    pub base_seconds: f64,
    /// A typical time of the new one.
    pub new_seconds: f64,
    /// Time of new over time of base.
    pub ratio: Option<Interval>,
    /// What the ratio says.
    #[serde(skip)]
    pub change: Change,
    /// Whether it is a regression.
    #[serde(serialize_with = "named")]
    pub standing: Standing,
    /// The ratio when measured again.
    #[serde(rename = "rerun")]
    pub again: Option<Interval>,
    /// Instruction counts, where they were taken.
    pub instructions: Option<InstructionCount>,
}

fn named<S: Serializer>(standing: &Standing, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(standing.name())
}

impl Judged {
    /// How many rows more would decide it.
    pub fn more_rows(&self) -> Option<u64> {
        match self.change {
            Change::Undecided { times: Some(times) } => {
                Some(self.rows as u64 * u64::from(times.saturating_sub(1).max(1)))
            }
            _ => None,
        }
    }

    /// In words.
    pub fn verdict(&self, delta: f64) -> String {
        match self.change {
            Change::Faster => "faster".into(),
            Change::Slower => "slower".into(),
            Change::Same => format!("same within {:.1} %", 100.0 * delta),
            Change::Undecided { .. } => match self.more_rows() {
                Some(rows) => format!("undecided (needs about {rows} more rows)"),
                None => format!("undecided (needs {} states or more)", paired::FEWEST_STATES),
            },
        }
    }
}

impl Rules {
    /// A verdict for every group.
    pub fn judge(&self, common: &Common) -> Vec<Judged> {
        common.groups.iter().map(|(group, matched)| self.judge_group(group, matched)).collect()
    }

    fn judge_group(&self, group: &Group, matched: &Matched) -> Judged {
        let ratio = paired::ratio(&matched.cells, self.confidence, self.seed);
        Judged {
            group: group.clone(),
            states: matched.states(),
            rows: matched.rows,
            no_longer: matched.no_longer,
            base_seconds: median_of(matched.base.iter().copied()),
            new_seconds: median_of(matched.new.iter().copied()),
            ratio,
            change: paired::judge(ratio, self.delta),
            standing: self.standing(ratio),
            again: None,
            instructions: None,
        }
    }

    fn standing(&self, ratio: Option<Interval>) -> Standing {
        match ratio {
            Some(ratio) if self.gate != Gate::Instructions && self.is_above(&ratio) => {
                Standing::Suspect
            }
            Some(ratio) if ratio.high < 1.0 / (1.0 + self.threshold) => Standing::Improvement,
            _ => Standing::Unremarkable,
        }
    }

    fn is_above(&self, ratio: &Interval) -> bool {
        ratio.low > 1.0 + self.threshold
    }

    /// Holds every suspect against a second measurement.
    pub fn confirm(&self, judged: &mut [Judged], again: &Common) {
        for one in judged.iter_mut().filter(|one| one.standing == Standing::Suspect) {
            let second = again.groups.get(&one.group);
            one.again = second
                .and_then(|m| paired::ratio(&m.cells, self.confidence, self.seed.wrapping_add(1)));
            one.standing = match &one.again {
                Some(ratio) if self.is_above(ratio) => Standing::Regression,
                _ => Standing::Unconfirmed,
            };
        }
    }

    /// Where nothing can be measured again: both halves of the states must say it, each alone.
    pub fn confirm_by_halves(&self, judged: &mut [Judged], common: &Common) {
        for one in judged.iter_mut().filter(|one| one.standing == Standing::Suspect) {
            let Some(matched) = common.groups.get(&one.group) else { continue };
            let half =
                |odd| paired::ratio(&matched.half(odd), self.confidence, self.seed.wrapping_add(1));
            let (even, odd) = (half(false), half(true));
            one.again = odd;
            let both = [even, odd].iter().all(|r| r.as_ref().is_some_and(|r| self.is_above(r)));
            one.standing = if both { Standing::Regression } else { Standing::Unconfirmed };
        }
    }

    /// Lets instruction counts speak, where they are asked to; each was taken twice.
    pub fn weigh_instructions(&self, judged: &mut [Judged]) {
        if self.gate == Gate::Time {
            return;
        }
        for one in judged.iter_mut().filter(|one| one.standing != Standing::Regression) {
            let above = |counted: &InstructionCount| counted.ratio() > 1.0 + self.threshold;
            if one.instructions.as_ref().is_some_and(|c| above(c) && c.repeats) {
                one.standing = Standing::Regression;
            }
        }
    }
}

/// The groups that look slower and are not confirmed.
pub fn suspects(judged: &[Judged]) -> Vec<&Judged> {
    judged.iter().filter(|one| one.standing == Standing::Suspect).collect()
}
