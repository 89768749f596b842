//! Why a claim was not reproduced: what the run itself shows about it.
//!
//! An [`Evidence`] names a table or a fit of the analysis; the sentence is made from its numbers, so it
//! changes with the run and says nothing that was not measured in it.

use crate::analyse::{Analysis, LinePart, Series};
use pidlab_stats::verdict::Growth;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Evidence {
    /// Which answers the components of the mixture hold.
    Answers { backend: String },
    /// Share below the published line, transformation by transformation.
    Shares { backend: String },
    /// Growth within a component of the published line, overhead modelled.
    Growth { backend: String, component: LinePart },
    /// Growth with the size of the analysis, whatever else varies with it.
    GrowthOfAll { backend: String },
    /// Growth of another backend over the same pairs.
    Peer { backend: String },
    /// What a state takes in the visited sets of some configurations.
    BytesPerState { set: String, backends: Vec<String> },
}

/// The sentence; `None` where the run has no such numbers.
pub fn tell(evidence: &Evidence, analysis: &Analysis) -> Option<String> {
    match evidence {
        Evidence::Answers { backend } => answers(analysis.series_of(backend)?),
        Evidence::Shares { backend } => shares(analysis.series_of(backend)?),
        Evidence::Growth { backend, component } => {
            let growth = analysis.series_of(backend)?.components.as_ref()?.growth(*component)?;
            let name = component.name();
            Some(format!("{backend} in the {name} component: {}", growth_text(growth)))
        }
        Evidence::GrowthOfAll { backend } => {
            let growth = analysis.series_of(backend)?.growth.as_ref()?;
            Some(format!("{backend} over all states: {}", growth_text(growth)))
        }
        Evidence::Peer { backend } => {
            let growth = analysis.series_of(backend)?.growth.as_ref()?;
            Some(format!("{backend} on the same pairs: {}", growth_text(growth)))
        }
        Evidence::BytesPerState { set, backends } => {
            let bytes = |backend: &String| {
                let cell = super::counted::complete(analysis, set, backend)?;
                Some(format!("{backend} {:.1}", cell.bytes_per_state()?))
            };
            let found: Vec<String> = backends.iter().filter_map(bytes).collect();
            (!found.is_empty()).then(|| format!("bytes a state: {}", found.join(", ")))
        }
    }
}

fn growth_text(growth: &Growth) -> String {
    match growth.determined {
        true => format!("exponent of {} {}, {}", growth.variable, growth.exponent, growth.text()),
        false => growth.text(),
    }
}

fn answers(series: &Series) -> Option<String> {
    let mut parts = Vec::new();
    for number in 0..series.mixture.as_ref()?.lines.len() {
        let of = |answer: &str| -> u64 {
            let rows = series.mixture_answers.iter();
            rows.filter(|(c, a, _)| *c == number && a.contains(answer)).map(|row| row.2).sum()
        };
        let (all, equivalent) = (of(""), of("equivalent") - of("not-equivalent"));
        let percent = 100.0 * equivalent as f64 / all.max(1) as f64;
        parts.push(format!("component {} holds {percent:.0} % equivalent pairs", number + 1));
    }
    Some(parts.join(", "))
}

fn shares(series: &Series) -> Option<String> {
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (what, component, rows) in &series.cross {
        let transformation = what.split(" / ").next().unwrap_or(what);
        let entry = counts.entry(transformation).or_default();
        match component.as_str() {
            "lower" => entry.0 += rows,
            "upper" => entry.1 += rows,
            _ => {}
        }
    }
    let mut shares: Vec<(f64, &str)> = counts
        .into_iter()
        .filter(|(_, (low, up))| low + up > 0)
        .map(|(name, (low, up))| (low as f64 / (low + up) as f64, name))
        .collect();
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((least, lowest), (most, highest)) = (*shares.first()?, *shares.last()?);
    let range = format!("{:.0} % ({lowest}) to {:.0} % ({highest})", 100.0 * least, 100.0 * most);
    Some(match most - least > 0.1 {
        true => format!(
            "the share runs from {range}, so the mix of transformations, which the paper does not print, decides it"
        ),
        false => format!("every transformation has about the same share, {range}"),
    })
}
