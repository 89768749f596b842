//! Published tables: every cell that the paper prints is a claim.
//!
//! A table lists, by case and symmetry, the counts that were printed. Where the program is a reconstruction,
//! counts are shown and not compared; what the paper concludes from them (which reduction stores less, which
//! compression is smaller) is judged for every case.

use super::counted::CountRule;
use super::{Claim, ClaimRule};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A table that a paper prints.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    /// The experiment that it belongs to.
    pub experiment: String,
    /// Paper and number of the table.
    pub source: String,
    /// Whether the program is ours, made after a description.
    pub reconstructed: bool,
    /// Symmetries from the one that stores most to the one that stores least.
    pub symmetries: Vec<String>,
    /// Compressions of one symmetry from the one that takes most memory to the one that takes least.
    #[serde(default)]
    pub compressions: Vec<String>,
    /// The symmetry that these compressions are of.
    #[serde(default)]
    pub compressed: String,
    /// What is printed.
    pub cells: Vec<Printed>,
}

/// What is printed for a case and a symmetry.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// The case.
    pub set: String,
    /// The symmetry.
    pub backend: String,
    /// Counts by the names of our columns.
    pub counts: BTreeMap<String, u64>,
    /// Memory and time by compression, as printed: shown, never compared.
    #[serde(default)]
    pub cost: BTreeMap<String, [String; 2]>,
}

impl PublishedTable {
    /// The claims of the table.
    pub fn claims(&self) -> Vec<Claim> {
        let mut claims: Vec<Claim> = self.cells.iter().flat_map(|cell| self.counts(cell)).collect();
        for set in self.sets() {
            claims.extend(self.fewer_states(set));
            claims.extend(self.smaller_stores(set));
        }
        claims
    }

    fn sets(&self) -> Vec<&str> {
        let mut sets: Vec<&str> = self.cells.iter().map(|cell| &*cell.set).collect();
        sets.dedup();
        sets
    }

    fn claim(&self, id: String, claim: String, published: String, rule: CountRule) -> Claim {
        Claim {
            id: format!("{}-{id}", self.experiment),
            experiment: self.experiment.clone(),
            source: self.source.clone(),
            claim,
            published,
            decide: ClaimRule::Counted(rule),
            measured: Vec::new(),
            conjecture: None,
            tested_by: None,
        }
    }

    fn counts<'a>(&'a self, cell: &'a Printed) -> impl Iterator<Item = Claim> + 'a {
        cell.counts.iter().map(|(column, &equals)| {
            let rule = CountRule::Count {
                set: cell.set.clone(),
                backend: cell.backend.clone(),
                column: column.clone(),
                equals,
                reconstructed: self.reconstructed,
            };
            let id = format!("{}-{}-{column}", slug(&cell.set), cell.backend);
            let text = format!("{}, {}: number of {column}", cell.set, name(&cell.backend));
            self.claim(id, text, equals.to_string(), rule)
        })
    }

    fn printed(&self, set: &str, backend: &str) -> Option<u64> {
        let cell = self.cells.iter().find(|cell| cell.set == set && cell.backend == backend)?;
        cell.counts.get("states").copied()
    }

    fn fewer_states(&self, set: &str) -> Vec<Claim> {
        let pairs = self.symmetries.windows(2);
        let claim = |pair: &[String]| {
            let (more, fewer) = (&pair[0], &pair[1]);
            let rule = CountRule::Fewer {
                set: set.into(),
                column: "states".into(),
                backend: fewer.clone(),
                than: more.clone(),
                strictly: false,
            };
            let id = format!("{}-{fewer}-over-{more}", slug(set));
            let text = format!("{set}: {} stores no more states than {}", name(fewer), name(more));
            let published = match (self.printed(set, fewer), self.printed(set, more)) {
                (Some(few), Some(many)) => format!("{:.1} %", 100.0 * few as f64 / many as f64),
                _ => "-".into(),
            };
            self.claim(id, text, published, rule)
        };
        pairs.map(claim).collect()
    }

    fn smaller_stores(&self, set: &str) -> Vec<Claim> {
        let claim = |pair: &[String]| {
            let (large, small) = (&pair[0], &pair[1]);
            let of = |compression: &str| format!("{}+{compression}", self.compressed);
            let rule = CountRule::Fewer {
                set: set.into(),
                column: "bytes".into(),
                backend: of(small),
                than: of(large),
                strictly: true,
            };
            let id = format!("{}-{small}-under-{large}", slug(set));
            let symmetry = name(&self.compressed);
            let text = format!("{set}, {symmetry}: {small} takes less memory than {large}");
            self.claim(id, text, "less".into(), rule)
        };
        self.compressions.windows(2).map(claim).collect()
    }
}

/// The paper's name for a symmetry, or ours where it has none.
pub fn name(symmetry: &str) -> String {
    match symmetry {
        "none" => "NTS".into(),
        "pc" => "PCS".into(),
        "kbots:inf" => "∞-BOTS".into(),
        other => match other.strip_prefix("kbots:") {
            Some(k) => format!("{k}-BOTS"),
            None => other.into(),
        },
    }
}

/// `N = 3, M = 1` as `n3m1`.
fn slug(case: &str) -> String {
    case.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>().to_lowercase()
}
