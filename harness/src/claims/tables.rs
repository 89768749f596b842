//! Published tables: every cell that the paper prints is a claim, and what it does not print is none.
//!
//! Counts must be equal where the paper prints the program; where ours is a reconstruction they are shown with the
//! distance. Memory and time of 2003 are compared as ratios, each cell over the reference cell of its case (the first one
//! that is printed), within the tolerances that the table states. Which of two symmetries stores less is judged where both are printed.

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
    /// Compressions in the order of the table; the first one that a case prints is its reference.
    pub compressions: Vec<String>,
    /// How far ratios may be off.
    pub tolerance: Tolerance,
    /// What is printed.
    pub cells: Vec<Printed>,
}

/// By which factor a ratio may differ from the published one: 0.25 allows 0.8 to 1.25 times as much.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Of memory.
    pub memory: f64,
    /// Of time.
    pub time: f64,
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
    /// Memory and time by compression, as printed.
    #[serde(default)]
    pub cost: BTreeMap<String, [String; 2]>,
}

impl PublishedTable {
    /// The claims of the table.
    pub fn claims(&self) -> Vec<Claim> {
        let mut claims: Vec<Claim> = self.cells.iter().flat_map(|cell| self.counts(cell)).collect();
        for set in self.sets() {
            claims.extend(self.fewer_states(set));
            claims.extend(self.costs(set));
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
            published: Some(published),
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
            let (few, many) = (self.printed(set, fewer)?, self.printed(set, more)?);
            let rule = CountRule::Fewer {
                set: set.into(),
                column: "states".into(),
                backend: fewer.clone(),
                than: more.clone(),
                strictly: false,
            };
            let id = format!("{}-{fewer}-over-{more}", slug(set));
            let text = format!("{set}: {} stores no more states than {}", name(fewer), name(more));
            let published = format!("{:.1} %", 100.0 * few as f64 / many as f64);
            Some(self.claim(id, text, published, rule))
        };
        pairs.filter_map(claim).collect()
    }

    /// Memory and time of each cell over the reference cell of the case.
    fn costs(&self, set: &str) -> Vec<Claim> {
        let printed = |symmetry: &str, compression: &str| {
            let cell = self.cells.iter().find(|c| c.set == set && c.backend == symmetry)?;
            let [memory, time] = cell.cost.get(compression)?;
            Some([kilobytes(memory)?, seconds(time)?])
        };
        let mut cells = Vec::new();
        for compression in &self.compressions {
            for symmetry in &self.symmetries {
                let cost = printed(symmetry, compression);
                cells.extend(cost.map(|cost| (symmetry, compression, cost)));
            }
        }
        let Some((reference, others)) = cells.split_first() else { return Vec::new() };
        let kinds =
            [("memory", "bytes", self.tolerance.memory), ("time", "seconds", self.tolerance.time)];
        let mut claims = Vec::new();
        for (at, (kind, column, tolerance)) in kinds.into_iter().enumerate() {
            for cell in others {
                let ratio = cell.2[at] / reference.2[at];
                let of = |(symmetry, compression, _): &(&String, &String, [f64; 2])| {
                    format!("{symmetry}+{compression}")
                };
                let shown = |(symmetry, compression, _): &(&String, &String, [f64; 2])| {
                    format!("{} with {}", name(symmetry), compression_name(compression))
                };
                let rule = CountRule::Ratio {
                    set: set.into(),
                    column: column.into(),
                    backend: of(cell),
                    over: of(reference),
                    low: ratio / (1.0 + tolerance),
                    high: ratio * (1.0 + tolerance),
                };
                let id = format!("{}-{}-{}-{kind}", slug(set), cell.0, cell.1);
                let text = format!("{set}: {kind} of {} over {}", shown(cell), shown(reference));
                let factor = 1.0 + tolerance;
                let published = format!("{ratio:.3}, judged within a factor of {factor}");
                claims.push(self.claim(id, text, published, rule));
            }
        }
        claims
    }
}

/// `324`, `1.5Mb`, `20.82 Mb`.
fn kilobytes(text: &str) -> Option<f64> {
    match text.strip_suffix("Mb") {
        Some(megabytes) => Some(1024.0 * megabytes.trim().parse::<f64>().ok()?),
        None => text.parse().ok(),
    }
}

/// `.16`, `13.28`, `0:37:15`.
fn seconds(text: &str) -> Option<f64> {
    text.split(':').try_fold(0.0, |sum, part| Some(60.0 * sum + part.parse::<f64>().ok()?))
}

fn compression_name(compression: &str) -> &str {
    match compression {
        "none" => "no compression",
        other => other,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_memory_and_time_are_numbers() {
        assert_eq!(kilobytes("324"), Some(324.0));
        assert_eq!(kilobytes("1.5Mb"), Some(1536.0));
        assert_eq!((seconds(".16"), seconds("0:37:15")), (Some(0.16), Some(2235.0)));
        assert_eq!((kilobytes("much"), seconds("0:x")), (None, None));
    }

    fn table(cells: &str) -> PublishedTable {
        let text = format!(
            "experiment = 'e'\nsource = 's'\nreconstructed = false\nsymmetries = ['none', 'pc']\n\
             compressions = ['none', 'gzip']\ntolerance = {{ memory = 0.25, time = 1.0 }}\ncells = [{cells}]"
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn what_is_printed_is_claimed_and_nothing_else() {
        let whole = table(
            "{ set = 'N', backend = 'none', counts = { states = 10 }, cost = { none = ['8', '1'], gzip = ['4', '2'] } },
             { set = 'N', backend = 'pc', counts = { states = 5 }, cost = { none = ['6', '1'] } }",
        );
        let ids: Vec<String> = whole.claims().into_iter().map(|claim| claim.id).collect();
        let costs = ["memory", "time"]
            .map(|kind| [format!("e-n-pc-none-{kind}"), format!("e-n-none-gzip-{kind}")]);
        let counts = ["e-n-none-states", "e-n-pc-states", "e-n-pc-over-none"].map(String::from);
        assert_eq!(ids, [counts.to_vec(), costs.concat()].concat());
        let lacking = table("{ set = 'N', backend = 'pc', counts = { states = 5 } }");
        assert_eq!(lacking.claims().len(), 1);
    }
}
