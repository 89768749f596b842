//! Which packages belong to which adapter, in which versions: `backends/adapters/requirements.txt`.

use std::collections::BTreeMap;

const REQUIREMENTS: &str = include_str!("../../../adapters/requirements.txt");

/// Packages and their versions.
pub type Versions = BTreeMap<String, String>;

/// Names of all sections, in order.
pub fn sections() -> Vec<&'static str> {
    REQUIREMENTS.lines().filter_map(section).collect()
}

/// What the sections of these names need.
pub fn of_sections(names: &[String]) -> Versions {
    let mut wanted = false;
    let mut versions = Versions::new();
    for line in REQUIREMENTS.lines() {
        if let Some(name) = section(line) {
            wanted = names.iter().any(|wanted| wanted == name);
        } else if let Some((name, version)) = line.split_once("==").filter(|_| wanted) {
            versions.insert(name.to_string(), version.to_string());
        }
    }
    versions
}

/// Names of all packages.
pub fn all() -> Vec<String> {
    let names: Vec<String> = sections().into_iter().map(str::to_string).collect();
    of_sections(&names).into_keys().collect()
}

fn section(line: &str) -> Option<&str> {
    line.strip_prefix("# [")?.strip_suffix(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_section_a_pinned_package_or_a_remark() {
        for line in REQUIREMENTS.lines() {
            let pinned =
                line.split_once("==").is_some_and(|(name, v)| !name.is_empty() && !v.is_empty());
            assert!(line.is_empty() || line.starts_with('#') || pinned, "{line}");
        }
        assert_eq!(sections(), ["networkx", "sage", "igraph", "pynauty", "dejavu", "snakes"]);
        let snakes = of_sections(&["snakes".to_string()]);
        assert_eq!(snakes.keys().collect::<Vec<_>>(), ["SNAKES", "networkx"]);
        assert!(all().contains(&"dejavu-gi".to_string()));
    }
}
