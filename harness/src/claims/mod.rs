//! The papers' claims as data (`experiments/claims.toml`) and how each is decided from an analysis.
//!
//! A claim ends as reproduced, not reproduced or inconclusive, with our value and interval. Not
//! reproducing a claim of 2009 on other backends is a finding, not a failure. It is explained by what
//! the same run measured (`measured`, see `explain`; otherwise `reasons`); what nothing has tested is written as
//! `conjecture` and shown as such. Constants of 2010 hardware are never compared.

mod counted;
mod explain;
pub mod rates;
mod reasons;
mod tables;
mod timed;

use self::counted::CountRule;
use self::explain::Evidence;
pub use self::tables::PublishedTable;
pub(crate) use self::tables::{Printed, name};
use self::timed::TimeRule;
use crate::analyse::{Analysis, dropped};
use crate::built_in;
use crate::experiment::Experiment;
use anyhow::{Context, bail};
pub use pidlab_stats::Interval;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::HashSet;
use std::sync::OnceLock;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    claims: Vec<Claim>,
    /// Tables whose every cell is a claim.
    #[serde(default)]
    tables: Vec<PublishedTable>,
}

/// A claim of a paper, and how it is decided.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Names it.
    pub id: String,
    /// The experiment that decides it; claims in an experiment's own file leave it out.
    #[serde(default)]
    pub experiment: String,
    /// Paper and section.
    #[serde(default = "ours")]
    pub source: String,
    /// The claim in our words.
    pub claim: String,
    /// What the paper reports; nothing for claims of our own.
    pub published: Option<String>,
    decide: ClaimRule,
    /// What to tell of the run when the claim is not reproduced.
    #[serde(default)]
    measured: Vec<Evidence>,
    /// A possible cause that nothing has tested.
    pub conjecture: Option<String>,
    /// A possible cause, and the experiment that tests it.
    pub tested_by: Option<Tested>,
}

fn ours() -> String {
    "ours".into()
}

/// A possible cause and the experiment that tests it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tested {
    /// The cause.
    pub cause: String,
    /// The experiment.
    pub experiment: String,
}

#[derive(Clone, Debug)]
enum ClaimRule {
    Timed(TimeRule),
    Counted(CountRule),
}

impl<'de> Deserialize<'de> for ClaimRule {
    fn deserialize<D: Deserializer<'de>>(de: D) -> Result<ClaimRule, D::Error> {
        let table = toml::Table::deserialize(de)?;
        let by = table.get("by").and_then(|by| by.as_str()).unwrap_or_default();
        let rule = match counted::NAMES.contains(&by) {
            true => CountRule::deserialize(table).map(ClaimRule::Counted),
            false => TimeRule::deserialize(table).map(ClaimRule::Timed),
        };
        rule.map_err(|error| serde::de::Error::custom(error.message()))
    }
}

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// Our numbers say the same.
    Reproduced,
    /// They say something else.
    NotReproduced,
    /// They do not say, or cannot be compared.
    Inconclusive,
    /// A claim that no paper makes is true of our numbers.
    Holds,
    /// A claim that no paper makes is not true of our numbers.
    DoesNotHold,
}

impl Judgement {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Judgement::Reproduced => "reproduced",
            Judgement::NotReproduced => "not reproduced",
            Judgement::Inconclusive => "inconclusive",
            Judgement::Holds => "holds",
            Judgement::DoesNotHold => "does not hold",
        }
    }

    fn of(agrees: Option<bool>, published: bool) -> Judgement {
        match (agrees, published) {
            (None, _) => Judgement::Inconclusive,
            (Some(true), true) => Judgement::Reproduced,
            (Some(false), true) => Judgement::NotReproduced,
            (Some(true), false) => Judgement::Holds,
            (Some(false), false) => Judgement::DoesNotHold,
        }
    }

    /// How many claims came to what, in words; what no claim came to is left out unless a paper claims it.
    pub fn tally<'d>(claims: impl Iterator<Item = &'d Decided>) -> String {
        let claims: Vec<&Decided> = claims.collect();
        let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
        let published = [Judgement::Reproduced, Judgement::NotReproduced, Judgement::Inconclusive];
        let mut parts: Vec<String> =
            published.map(|verdict| format!("{} {}", count(verdict), verdict.text())).to_vec();
        for own in [Judgement::Holds, Judgement::DoesNotHold] {
            match count(own) {
                0 => {}
                1 => parts.push(format!("1 of our own {}", own.text())),
                n if own == Judgement::Holds => parts.push(format!("{n} of our own hold")),
                n => parts.push(format!("{n} of our own do not hold")),
            }
        }
        parts.join(", ")
    }
}

/// A decided claim.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decided {
    /// Names it.
    pub id: String,
    /// The experiment that decided it.
    pub experiment: String,
    /// The program whose rows decided it, where it is about one.
    #[serde(default)]
    pub program: Option<String>,
    /// Paper and section.
    pub source: String,
    /// The claim in our words.
    pub claim: String,
    /// What the paper reports.
    pub paper: String,
    /// What we measured.
    pub ours: String,
    /// Its interval, where it has one.
    pub interval: Option<Interval>,
    /// What follows.
    pub verdict: Judgement,
    /// Why the claim was not reproduced, or cannot be judged.
    pub explanation: Option<String>,
}

/// What is said of a claim of which a run has nothing.
const NOT_MEASURED: &str = "not measured at this scale";

impl Decided {
    /// Whether a larger run could decide it, should it be open: what was counted stays what it is.
    pub fn may_change(&self, experiment: &Experiment) -> bool {
        static COUNTED: OnceLock<HashSet<String>> = OnceLock::new();
        let counted = |claims: &[Claim]| -> HashSet<String> {
            let counted = |claim: &&Claim| matches!(claim.decide, ClaimRule::Counted(_));
            claims.iter().filter(counted).map(|claim| claim.id.clone()).collect()
        };
        let known = COUNTED.get_or_init(|| counted(&all().unwrap_or_default()));
        let is_counted = known.contains(&self.id) || counted(&experiment.claims).contains(&self.id);
        !is_counted || self.ours.starts_with(NOT_MEASURED)
    }
}

/// Our value in words, its interval, and whether it agrees; `None` when it cannot be said.
type Value = (String, Option<Interval>, Option<bool>);

fn read(text: &str) -> anyhow::Result<File> {
    let file: File = toml::from_str(text)?;
    if file.format != "pidlab-claims/1" {
        bail!("format is `{}`, expected `pidlab-claims/1`", file.format);
    }
    Ok(file)
}

/// The claims of a file.
pub fn parse(text: &str) -> anyhow::Result<Vec<Claim>> {
    let file = read(text)?;
    let mut claims = file.claims;
    if let Some(claim) = claims.iter().find(|claim| claim.experiment.is_empty()) {
        bail!("the claim `{}` does not say which `experiment` decides it", claim.id);
    }
    claims.extend(file.tables.iter().flat_map(PublishedTable::claims));
    Ok(claims)
}

/// The claims about an experiment: those of the papers, and those in its own file.
pub fn about(experiment: &Experiment) -> anyhow::Result<Vec<Claim>> {
    let mut claims = all()?;
    claims.retain(|claim| claim.experiment == experiment.name);
    claims.extend(experiment.claims.iter().cloned());
    Ok(claims)
}

impl Claim {
    /// Problems with what the claim names in its experiment.
    pub fn check(&self, experiment: &Experiment) -> Result<(), String> {
        match &self.decide {
            ClaimRule::Timed(rule) => rule.check(experiment),
            ClaimRule::Counted(rule) => rule.check(experiment),
        }
    }

    /// Problems with the claims that an experiment's own file makes; they name the claim.
    pub(crate) fn check_own(experiment: &Experiment) -> Result<(), String> {
        let mut known = HashSet::new();
        for claim in &experiment.claims {
            let wrong = |problem: String| format!("claim `{}`: {problem}", claim.id);
            if !known.insert(&claim.id) {
                return Err(wrong("there are two of this name".into()));
            }
            if !claim.experiment.is_empty() && claim.experiment != experiment.name {
                let (given, name) = (&claim.experiment, &experiment.name);
                return Err(wrong(format!(
                    "`experiment` is `{given}`, expected `{name}` or nothing"
                )));
            }
            claim.check(experiment).map_err(wrong)?;
        }
        Ok(())
    }
}

/// The claims that come with the program.
pub fn all() -> anyhow::Result<Vec<Claim>> {
    parse(built_in::get().claims).context("experiments/claims.toml")
}

/// The tables that come with the program.
pub fn published_tables() -> anyhow::Result<Vec<PublishedTable>> {
    Ok(read(built_in::get().claims).context("experiments/claims.toml")?.tables)
}

/// Decides a claim by an analysis.
pub fn decide(claim: &Claim, analysis: &Analysis) -> Decided {
    let found = match &claim.decide {
        ClaimRule::Timed(rule) => timed::value(rule, analysis),
        ClaimRule::Counted(rule) => counted::value(rule, analysis),
    };
    let program = match &claim.decide {
        ClaimRule::Timed(rule) => rule.program(),
        ClaimRule::Counted(rule) => rule.program(),
    };
    let (mut ours, interval, agrees) = found.unwrap_or_else(|| (NOT_MEASURED.into(), None, None));
    let timed = program.as_deref().filter(|_| matches!(claim.decide, ClaimRule::Timed(_)));
    for backend in timed.iter().flat_map(|programs| programs.split(", ")) {
        let short = dropped::short_cuts(analysis, backend);
        ours.extend(short.map(|short| format!("; {}", short.trim_end_matches('.'))));
    }
    let failing = failing(timed, analysis);
    let agrees = agrees.filter(|_| failing.is_none());
    let verdict = Judgement::of(agrees, claim.published.is_some());
    Decided {
        id: claim.id.clone(),
        experiment: analysis.experiment.clone(),
        program,
        source: claim.source.clone(),
        claim: claim.claim.clone(),
        paper: claim.published.clone().unwrap_or_else(|| "–".into()),
        ours,
        interval,
        verdict,
        explanation: failing.or_else(|| explanation(claim, verdict, analysis)),
    }
}

/// Why times of a program decide nothing: it failed on more than one row in twenty, and what fails is not like the rest
/// (large states run out of memory first), so that what is left is not a sample of what was asked.
fn failing(program: Option<&str>, analysis: &Analysis) -> Option<String> {
    let is_asked = |name: &str| program.is_some_and(|all| all.split(", ").any(|one| one == name));
    let often = analysis.uneven_failures.iter().find(|failures| is_asked(&failures.backend))?;
    Some(format!("{}; the rows that are left are not a sample of all", often.sentence()))
}

/// What the run says about a claim that it does not reproduce, or why it cannot be judged.
fn explanation(claim: &Claim, verdict: Judgement, analysis: &Analysis) -> Option<String> {
    match (verdict, &claim.decide) {
        (Judgement::NotReproduced | Judgement::DoesNotHold, _) => {
            Some(causes(claim, analysis)).filter(|text| !text.is_empty())
        }
        (Judgement::Inconclusive, ClaimRule::Counted(rule)) => {
            counted::remark(rule).map(str::to_string)
        }
        _ => None,
    }
}

fn causes(claim: &Claim, analysis: &Analysis) -> String {
    let measured = claim.measured.iter().filter_map(|what| explain::tell(what, analysis));
    let mut parts: Vec<String> = measured.collect();
    if parts.is_empty() {
        parts.extend(reasons::reason(claim, analysis));
    }
    let mut parts: Vec<String> =
        parts.into_iter().map(|text| format!("measured: {text}")).collect();
    parts.extend(claim.conjecture.as_ref().map(|text| format!("conjecture, not tested: {text}")));
    parts.extend(claim.tested_by.as_ref().map(|Tested { cause, experiment }| {
        format!("whether {cause} is tested by `pidlab reproduce {experiment}`")
    }));
    parts.join("; ")
}
