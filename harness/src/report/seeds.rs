//! Whether verdicts depend on luck: the claims of the same experiments from several folders of runs beside each other.
//!
//! A verdict that is reproduced in one folder and not in another contradicts itself; one that is open in some
//! only needs more states there.

use super::summary::Summarized;
use crate::claims::Judgement;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What one claim came to in each folder.
#[derive(Clone, Debug, Serialize)]
pub struct Repeated {
    /// Names the claim.
    pub id: String,
    /// The experiment that decided it.
    pub experiment: String,
    /// At which scale.
    pub scale: String,
    /// The program whose rows decided it, where it is about one.
    pub program: Option<String>,
    /// The claim in our words.
    pub claim: String,
    /// In the order of the folders; none where a folder has no such run.
    pub verdicts: Vec<Option<Judgement>>,
    /// Whether they agree.
    pub agreement: Agreement,
}

/// Whether verdicts on one claim agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// Every run says the same.
    Same,
    /// Those that decide say the same, others are inconclusive.
    OpenInSome,
    /// One run contradicts another.
    Contradictory,
}

impl Agreement {
    fn of(verdicts: &[Option<Judgement>]) -> Agreement {
        let mut said: Vec<Judgement> = verdicts.iter().flatten().copied().collect();
        said.dedup();
        let all = said.len() <= 1;
        said.retain(|verdict| *verdict != Judgement::Inconclusive);
        match said.windows(2).all(|pair| pair[0] == pair[1]) {
            true if all => Agreement::Same,
            true => Agreement::OpenInSome,
            false => Agreement::Contradictory,
        }
    }

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Agreement::Same => "same in all",
            Agreement::OpenInSome => "open in some",
            Agreement::Contradictory => "contradictory",
        }
    }
}

/// The claims of all folders, each once, in order of experiment, scale and claim.
pub fn repeated(folders: &[Vec<(String, Summarized)>]) -> Vec<Repeated> {
    let mut found: BTreeMap<(&str, &str, usize, &str), Repeated> = BTreeMap::new();
    for (at, runs) in folders.iter().enumerate() {
        for (_, run) in runs {
            for (number, claim) in run.claims.iter().enumerate() {
                let key = (&*run.experiment, &*run.scale, number, &*claim.id);
                let entry = found.entry(key).or_insert_with(|| Repeated {
                    id: claim.id.clone(),
                    experiment: run.experiment.clone(),
                    scale: run.scale.clone(),
                    program: claim.program.clone(),
                    claim: claim.claim.clone(),
                    verdicts: vec![None; folders.len()],
                    agreement: Agreement::Same,
                });
                entry.verdicts[at] = Some(claim.verdict);
            }
        }
    }
    let judged = |claim: Repeated| Repeated { agreement: Agreement::of(&claim.verdicts), ..claim };
    found.into_values().map(judged).collect()
}

/// How many claims agree in which way.
pub fn tally(claims: &[Repeated]) -> String {
    let count = |agreement| claims.iter().filter(|claim| claim.agreement == agreement).count();
    let parts = [Agreement::Same, Agreement::OpenInSome, Agreement::Contradictory];
    let parts = parts.map(|agreement| format!("{} {}", count(agreement), agreement.text()));
    format!("{} claims: {}", claims.len(), parts.join(", "))
}

/// The table.
pub fn markdown(claims: &[Repeated]) -> String {
    let mut out = String::from("| claim | program | verdicts | agreement |\n|---|---|---|---|\n");
    for claim in claims {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for verdict in &claim.verdicts {
            *counts.entry(verdict.map_or("not run", Judgement::text)).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(text, n)| format!("{n} {text}")).collect();
        let Repeated { claim: text, experiment, scale, program, agreement, .. } = claim;
        let cells = [
            &format!("{text} ({experiment}-{scale})"),
            program.as_deref().unwrap_or("–"),
            &counts.join(", "),
            agreement.text(),
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        writeln!(out, "| {} |", cells.join(" | ")).ok();
    }
    writeln!(out, "\n{}", tally(claims)).ok();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use Judgement::{Inconclusive, NotReproduced, Reproduced};

    #[test]
    fn open_verdicts_contradict_nothing() {
        let of = |verdicts: &[Judgement]| {
            let verdicts: Vec<Option<Judgement>> = verdicts.iter().copied().map(Some).collect();
            Agreement::of(&verdicts)
        };
        assert_eq!(of(&[Reproduced, Reproduced]), Agreement::Same);
        assert_eq!(of(&[Inconclusive, Inconclusive]), Agreement::Same);
        assert_eq!(of(&[Reproduced, Inconclusive, Reproduced]), Agreement::OpenInSome);
        let apart = [Reproduced, Inconclusive, NotReproduced];
        assert_eq!(of(&apart), Agreement::Contradictory);
    }
}
