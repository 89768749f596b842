//! Where and with what a run was made: enough to explain a difference between two tables.

use crate::built_in;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where and with what a run was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Version of the program.
    pub pidlab: String,
    /// Commit that the program was built from.
    pub commit: String,
    /// Name of the processor.
    pub cpu: String,
    /// How many it has.
    pub cores: usize,
    /// Version of the kernel.
    pub kernel: String,
    /// How the processor's frequency is governed.
    pub governor: String,
    /// Memory of the machine.
    pub memory_kib: u64,
    /// Versions of the crates that draw, decide and analyse.
    pub crates: BTreeMap<String, String>,
    /// Python and its packages, where backends of the run need them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub python: BTreeMap<String, String>,
}

/// Crates whose version may change a row.
const CRATES: [&str; 8] = [
    "pidlab-random",
    "rand_chacha",
    "nauty-Traces-sys",
    "petgraph",
    "vf2",
    "rustc-hash",
    "polars",
    "pidlab-generators",
];

impl Provenance {
    /// This program on this machine.
    pub fn here() -> Provenance {
        let program = built_in::get();
        Provenance {
            pidlab: program.version.into(),
            commit: program.commit.into(),
            cpu: field_of("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
            kernel: first_line("/proc/sys/kernel/osrelease").unwrap_or_else(unknown),
            governor: first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
                .unwrap_or_else(|| "not available".into()),
            memory_kib: field_of("/proc/meminfo", "MemTotal")
                .and_then(|text| text.split_whitespace().next()?.parse().ok())
                .unwrap_or(0),
            crates: crate_versions(program.lock),
            python: BTreeMap::new(),
        }
    }

    /// The same for a run with these backends.
    pub fn with_backends(self, backends: &[String]) -> Provenance {
        Provenance { python: pidlab_backends::external::python::versions(backends), ..self }
    }
}

/// The name of this machine in its network.
pub fn host() -> String {
    first_line("/proc/sys/kernel/hostname").unwrap_or_else(unknown)
}

fn unknown() -> String {
    "unknown".into()
}

fn first_line(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.lines().next()?.trim().to_string())
}

/// The value after `key :` in a file such as /proc/cpuinfo.
fn field_of(path: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

fn crate_versions(lock: &str) -> BTreeMap<String, String> {
    #[derive(Default, Deserialize)]
    struct Lock {
        package: Vec<Package>,
    }
    #[derive(Deserialize)]
    struct Package {
        name: String,
        version: String,
    }
    let lock: Lock = toml::from_str(lock).unwrap_or_default();
    let used = lock.package.into_iter().filter(|package| CRATES.contains(&package.name.as_str()));
    used.map(|package| (package.name, package.version)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_the_lock_file() {
        let here = Provenance::here();
        assert!(here.crates.contains_key("rand_chacha"), "{here:?}");
        assert!(here.crates.contains_key("polars"));
    }
}
