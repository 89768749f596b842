//! The papers' claims as data (`experiments/claims.toml`) and how each is decided from an analysis.
//!
//! A claim ends as reproduced, not reproduced or inconclusive, with our value and interval. Not
//! reproducing a claim of 2009 on other backends is a finding, not a failure. It is explained by what
//! the same run measured (`measured`, see `explain`); what nothing has tested is written as
//! `conjecture` and shown as such. Constants of 2010 hardware are never compared.

mod counted;
mod explain;
mod tables;

use self::counted::CountRule;
use self::explain::Evidence;
pub use self::tables::PublishedTable;
pub(crate) use self::tables::{Printed, name};
use crate::analyse::{Analysis, Components, LinePart, Series};
use crate::built_in;
use anyhow::{Context, bail};
use pidlab_core::Relations;
use pidlab_stats::trend::{Drift, Trend};
use pidlab_stats::verdict::Growth;
use pidlab_stats::{Interval, Law};
use serde::{Deserialize, Deserializer, Serialize};

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
    /// The experiment that decides it.
    pub experiment: String,
    /// Paper and section.
    pub source: String,
    /// The claim in our words.
    pub claim: String,
    /// What the paper reports.
    pub published: String,
    decide: ClaimRule,
    /// What to tell of the run when the claim is not reproduced.
    #[serde(default)]
    measured: Vec<Evidence>,
    /// A possible cause that nothing has tested.
    pub conjecture: Option<String>,
    /// A possible cause, and the experiment that tests it.
    pub tested_by: Option<Tested>,
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

/// Claims about times.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
enum TimeRule {
    /// Jonckheere–Terpstra on t / law within a component of the published line.
    Drift { backend: String, component: LinePart, law: String, expect: Expect },
    /// Share of measurements below the published line, within a tolerance.
    LowerShare { backend: String, share: f64, tolerance: f64 },
    /// Number of components of the mixture; undecided unless random halves of the states agree.
    Components { backend: String, count: usize },
    /// The free exponent lies within these bounds.
    Exponent { backend: String, low: f64, high: f64 },
    /// The same against the number of vectors.
    VectorExponent { backend: String, low: f64, high: f64 },
    /// Time of `a` over time of `b` is below 1.
    Faster { a: String, b: String },
    /// Time rises (or falls) with a parameter of the states.
    Factor { backend: String, factor: String, rises: bool },
    /// Time with more relations over time with fewer stays below a bound.
    Relations { backend: String, more: String, fewer: String, bound: f64 },
    /// Every exact backend gave the answer known by construction or by its peers.
    Agreement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Expect {
    None,
    Up,
    Down,
    /// Level or falling: at most the law.
    NotUp,
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
}

impl Judgement {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Judgement::Reproduced => "reproduced",
            Judgement::NotReproduced => "not reproduced",
            Judgement::Inconclusive => "inconclusive",
        }
    }
}

/// A decided claim.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decided {
    /// Names it.
    pub id: String,
    /// The experiment that decided it.
    pub experiment: String,
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
    /// Present where the claim was not reproduced.
    pub explanation: Option<String>,
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
    claims.extend(file.tables.iter().flat_map(PublishedTable::claims));
    Ok(claims)
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
        ClaimRule::Timed(rule) => value(rule, analysis),
        ClaimRule::Counted(rule) => counted::value(rule, analysis),
    };
    let (ours, interval, agrees) =
        found.unwrap_or_else(|| ("not measured at this scale".into(), None, None));
    let verdict = match agrees {
        Some(true) => Judgement::Reproduced,
        Some(false) => Judgement::NotReproduced,
        None => Judgement::Inconclusive,
    };
    Decided {
        id: claim.id.clone(),
        experiment: claim.experiment.clone(),
        source: claim.source.clone(),
        claim: claim.claim.clone(),
        paper: claim.published.clone(),
        ours,
        interval,
        verdict,
        explanation: explanation(claim, verdict, analysis),
    }
}

/// What the run says about a claim that it does not reproduce, or why it cannot be judged.
fn explanation(claim: &Claim, verdict: Judgement, analysis: &Analysis) -> Option<String> {
    match (verdict, &claim.decide) {
        (Judgement::NotReproduced, _) => {
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
    let mut parts: Vec<String> = measured.map(|text| format!("measured: {text}")).collect();
    parts.extend(claim.conjecture.as_ref().map(|text| format!("conjecture, not tested: {text}")));
    parts.extend(claim.tested_by.as_ref().map(|Tested { cause, experiment }| {
        format!("whether {cause} is tested by `pidlab reproduce {experiment}`")
    }));
    parts.join("; ")
}

fn value(rule: &TimeRule, analysis: &Analysis) -> Option<Value> {
    match rule {
        TimeRule::Drift { backend, component, law, expect } => {
            let series = analysis.series_of(backend)?;
            let (components, law) = (series.components.as_ref()?, law.parse().ok()?);
            let (text, shift, agrees) = by_drift(pick(components, *component, law)?, *expect);
            let eye = series.published.as_ref().and_then(|p| p.column(law)).map(|c| c.shift.text());
            let eye = eye.map_or(String::new(), |eye| format!("; the published histograms {eye}"));
            Some((text + &eye, shift, agrees))
        }
        TimeRule::LowerShare { backend, share, tolerance } => {
            let ours = analysis.series_of(backend)?.components.as_ref()?.lower_share;
            Some(by_bounds(ours, share - tolerance, share + tolerance, "share below the line"))
        }
        TimeRule::Components { backend, count } => {
            let series = analysis.series_of(backend)?;
            let (found, stability) =
                (series.mixture.as_ref()?.lines.len(), series.stability.as_ref()?);
            let halves = stability.text();
            let text = format!("{found} component(s) by mixture of regressions ({halves})");
            Some((text, None, stability.supports(found).then_some(found == *count)))
        }
        TimeRule::Exponent { backend, low, high } => {
            Some(by_exponent(analysis.series_of(backend)?.growth.as_ref()?, *low, *high))
        }
        TimeRule::VectorExponent { backend, low, high } => {
            Some(by_exponent(analysis.series_of(backend)?.vectors.as_ref()?, *low, *high))
        }
        TimeRule::Faster { a, b } => {
            Some(by_bounds(ratio(analysis, a, b)?, 0.0, 1.0, "time ratio"))
        }
        TimeRule::Factor { backend, factor, rises } => {
            let found = analysis.factors.iter();
            let effect = found
                .filter(|f| f.backend == *backend && f.factor == *factor)
                .map(|f| f.effect.ratio)
                .next()?;
            let (low, high) = if *rises { (1.0, f64::INFINITY) } else { (0.0, 1.0) };
            Some(by_bounds(effect, low, high, "time at highest over lowest"))
        }
        TimeRule::Relations { backend, more, fewer, bound } => {
            let of = |relations: &str| {
                let wanted: Relations = relations.parse().ok()?;
                let same = |s: &&Series| s.backend == *backend && s.relations.parse() == Ok(wanted);
                let found = analysis.series.iter().find(same);
                Some(found?.growth.as_ref()?.laws.first()?.fit.at(200.0))
            };
            let ratio = of(more)? / of(fewer)?;
            let text = format!("time ratio {ratio:.2} at p = 200");
            Some((text, None, Some(ratio <= *bound)))
        }
        TimeRule::Agreement => {
            let c = &analysis.correctness;
            let text = format!(
                "{} answers, {} accepted, {} rejected, {} known by construction",
                c.answers, c.accepted, c.rejected, c.by_construction
            );
            Some((text, None, Some(c.rejected == 0 && c.answers > 0)))
        }
    }
}

fn pick(components: &Components, component: LinePart, law: Law) -> Option<&Trend> {
    match (component, law) {
        (LinePart::Lower, Law::Linear) => components.lower_linear.as_ref(),
        (LinePart::Upper, Law::LinearLog) => components.upper_linear_log.as_ref(),
        (LinePart::Upper, Law::Square) => components.upper_square.as_ref(),
        _ => None,
    }
}

fn by_drift(trend: &Trend, expect: Expect) -> Value {
    let shift = trend.tests.iter().find(|t| t.segments == 4).map(|t| t.shift);
    let name = match trend.drift {
        Drift::None => "no drift",
        Drift::Up => "drift to the right",
        Drift::Down => "drift to the left",
    };
    let text = match shift {
        Some(shift) => format!("{name}, last/first segment {shift}"),
        None => name.to_string(),
    };
    let agrees = match (expect, trend.drift) {
        (Expect::None, Drift::None) => shift.is_some_and(|s| s.half_width() < 0.25).then_some(true),
        (Expect::Up, Drift::Up) | (Expect::Down, Drift::Down) => Some(true),
        (Expect::NotUp, Drift::Down | Drift::None) => Some(true),
        (Expect::Up | Expect::Down, Drift::None) => None,
        _ => Some(false),
    };
    (text, shift, agrees.filter(|_| trend.unanimous || trend.drift != Drift::None))
}

fn by_exponent(growth: &Growth, low: f64, high: f64) -> Value {
    let (text, interval, agrees) = by_bounds(growth.exponent, low, high, "exponent");
    (format!("{text}; {}", growth.verdict.text()), interval, agrees)
}

/// Inside, outside, or across the bounds.
fn by_bounds(ours: Interval, low: f64, high: f64, what: &str) -> Value {
    let agrees = if ours.low >= low && ours.high <= high {
        Some(true)
    } else if ours.high < low || ours.low > high {
        Some(false)
    } else {
        None
    };
    (format!("{what} {ours}"), Some(ours), agrees)
}

fn ratio(analysis: &Analysis, a: &str, b: &str) -> Option<Interval> {
    let all = &analysis.ratios;
    let straight = all.iter().find(|r| r.a == a && r.b == b).map(|r| r.ratio);
    straight.or_else(|| {
        let turned = all.iter().find(|r| r.a == b && r.b == a)?;
        Some(turned.ratio.map(|x| 1.0 / x))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_decide_three_ways() {
        let ours = Interval { value: 1.0, low: 0.9, high: 1.1 };
        assert_eq!(by_bounds(ours, 0.5, 1.5, "").2, Some(true));
        assert_eq!(by_bounds(ours, 1.2, 1.5, "").2, Some(false));
        assert_eq!(by_bounds(ours, 1.0, 1.5, "").2, None);
    }
}
