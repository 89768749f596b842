//! What the paper says about its tables, and whether it holds here.
//!
//! Counts of a program that the paper prints must agree exactly. Where the program is a
//! reconstruction, counts are shown and not compared; what the paper concludes from them (which
//! reduction stores less, which compression is smaller) is.

use super::experiment::{Experiment, Published, column};
use super::measure::Cell;
use crate::heap::run::Compression;
use crate::heap::symmetry::ThreadSymmetry;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Reproduced,
    NotReproduced,
    Inconclusive,
}

#[derive(Clone, Debug, Serialize)]
pub struct Claim {
    pub id: String,
    pub experiment: String,
    pub source: String,
    pub claim: String,
    pub paper: String,
    pub ours: String,
    pub verdict: Verdict,
    pub explanation: Option<String>,
}

const RECONSTRUCTED: &str =
    "model reconstructed from the paper's description, counts not comparable";
const NOT_RUN: &str = "not run at this scale";

/// Decides all claims from the cells measured.
pub fn decide(experiment: &Experiment, cells: &[Cell]) -> Vec<Claim> {
    let judge = Judge { experiment, cells };
    let mut claims = judge.counts();
    claims.extend(judge.deadlocks());
    claims.extend(judge.fewer_states());
    claims.extend(judge.smaller_stores());
    claims
}

struct Judge<'a> {
    experiment: &'a Experiment,
    cells: &'a [Cell],
}

impl Judge<'_> {
    fn cell(
        &self,
        case: &str,
        symmetry: ThreadSymmetry,
        compression: Option<Compression>,
    ) -> Option<&Cell> {
        self.cells.iter().find(|cell| {
            cell.case == case
                && cell.symmetry == symmetry
                && compression.is_none_or(|wanted| wanted == cell.compression)
        })
    }

    fn claim(&self, id: String, claim: String, paper: String) -> Claim {
        Claim {
            id: format!("{}-{id}", self.experiment.name),
            experiment: self.experiment.name.clone(),
            source: self.experiment.source.clone(),
            claim,
            paper,
            ours: "-".into(),
            verdict: Verdict::Inconclusive,
            explanation: Some(NOT_RUN.into()),
        }
    }

    /// Every published number of states and seen states.
    fn counts(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        for case in &self.experiment.cases {
            for (symmetry, published) in self.published(&case.label) {
                let found = self.cell(&case.label, symmetry, None);
                let numbers = [
                    ("states", published.states, found.map(|cell| cell.states)),
                    ("seen", published.seen, found.map(|cell| cell.seen)),
                ];
                for (what, paper, ours) in numbers {
                    claims.push(self.count(&case.label, symmetry, what, paper, ours));
                }
            }
        }
        claims
    }

    fn published(&self, case: &str) -> Vec<(ThreadSymmetry, &Published)> {
        let case = self.experiment.cases.iter().find(|known| known.label == case);
        let paper = case.into_iter().flat_map(|case| &case.paper);
        paper.filter_map(|(name, numbers)| Some((name.parse().ok()?, numbers))).collect()
    }

    fn count(
        &self,
        case: &str,
        symmetry: ThreadSymmetry,
        what: &str,
        paper: u64,
        ours: Option<u64>,
    ) -> Claim {
        let id = format!("{}-{symmetry}-{what}", slug(case));
        let text = format!("{case}, {}: number of {what}", column(symmetry));
        let mut claim = self.claim(id, text, paper.to_string());
        let Some(ours) = ours else { return claim };
        claim.ours = ours.to_string();
        claim.explanation = None;
        claim.verdict = match (ours == paper, self.experiment.reconstructed) {
            (true, false) => Verdict::Reproduced,
            (false, false) => Verdict::NotReproduced,
            (_, true) => {
                claim.explanation = Some(RECONSTRUCTED.into());
                Verdict::Inconclusive
            }
        };
        claim
    }

    /// The paper finds one deadlock in each case of the philosophers.
    fn deadlocks(&self) -> Option<Claim> {
        if self.experiment.reconstructed {
            return None;
        }
        let published =
            |cell: &&Cell| self.published(&cell.case).iter().any(|(s, _)| *s == cell.symmetry);
        let found: Vec<u64> =
            self.cells.iter().filter(published).map(|cell| cell.deadlocks).collect();
        let text = "one unique deadlock state in each case".to_string();
        let claim = self.claim("deadlocks".into(), text, "1".into());
        let holds = found.iter().all(|&count| count == 1);
        let ours = format!(
            "{} of {} searches",
            found.iter().filter(|&&count| count == 1).count(),
            found.len()
        );
        Some(decided(claim, ours, (!found.is_empty()).then_some(holds)))
    }

    /// PCS stores less than NTS, ∞-BOTS less than PCS; and the exact form less than or as much as all.
    fn fewer_states(&self) -> Vec<Claim> {
        let unbounded = ThreadSymmetry::Kbots(usize::MAX);
        let pairs = [(ThreadSymmetry::Pc, ThreadSymmetry::None), (unbounded, ThreadSymmetry::Pc)];
        let mut claims = Vec::new();
        for case in &self.experiment.cases {
            for (fewer, more) in pairs {
                let both =
                    self.cell(&case.label, fewer, None).zip(self.cell(&case.label, more, None));
                if let Some((fewer, more)) = both {
                    claims.push(self.ratio_of_states(&case.label, fewer, more));
                }
            }
        }
        claims
    }

    fn ratio_of_states(&self, case: &str, fewer: &Cell, more: &Cell) -> Claim {
        let published = |symmetry| {
            self.published(case).iter().find(|(known, _)| *known == symmetry).map(|(_, p)| p.states)
        };
        let (few, many) = (column(fewer.symmetry), column(more.symmetry));
        let id = format!("{}-{}-over-{}", slug(case), fewer.symmetry, more.symmetry);
        let text = format!("{case}: {few} stores no more states than {many}");
        let paper = match (published(fewer.symmetry), published(more.symmetry)) {
            (Some(few), Some(many)) => share(few, many),
            _ => "-".into(),
        };
        let ours = share(fewer.states, more.states);
        decided(self.claim(id, text, paper), ours, Some(fewer.states <= more.states))
    }

    /// Collapse is smaller than GZIP, and GZIP than no compression.
    fn smaller_stores(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        let pairs = [
            (Compression::Gzip, Compression::None, "GZIP takes less memory than no compression"),
            (Compression::Collapse, Compression::Gzip, "collapse takes less memory than GZIP"),
        ];
        for case in &self.experiment.cases {
            for (small, large, text) in pairs {
                let cell =
                    |compression| self.cell(&case.label, ThreadSymmetry::Pc, Some(compression));
                let Some((less, more)) = cell(small).zip(cell(large)) else { continue };
                if less.states < SMALLEST {
                    continue;
                }
                let id = format!("{}-{small}-under-{large}", slug(&case.label));
                let claim = self.claim(id, format!("{}, PCS: {text}", case.label), "less".into());
                let ours = share(less.bytes, more.bytes);
                claims.push(decided(claim, ours, Some(less.bytes < more.bytes)));
            }
        }
        claims
    }
}

/// Below so many states the fixed size of tables hides the rest.
const SMALLEST: u64 = 1_000;

fn decided(mut claim: Claim, ours: String, holds: Option<bool>) -> Claim {
    if let Some(holds) = holds {
        claim.ours = ours;
        claim.explanation = None;
        claim.verdict = if holds { Verdict::Reproduced } else { Verdict::NotReproduced };
    }
    claim
}

fn share(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// `N = 3, M = 1` as `n3m1`.
fn slug(case: &str) -> String {
    case.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>().to_lowercase()
}
