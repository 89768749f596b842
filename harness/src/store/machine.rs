//! Which machine a run was made on, as far as times depend on it.

use crate::store::manifest::Manifest;
use crate::store::provenance::Provenance;
use anyhow::bail;
use std::path::Path;

/// Processor and cores: times of different ones are never set against each other unasked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Machine {
    pub cpu: String,
    pub cores: usize,
}

impl Machine {
    pub fn of(provenance: &Provenance) -> Machine {
        Machine { cpu: provenance.cpu.clone(), cores: provenance.cores }
    }

    /// As a name of a folder: letters, digits and dashes.
    pub fn slug(&self) -> String {
        let words = format!("{} {} cores", self.cpu, self.cores).to_lowercase();
        let parts: Vec<&str> =
            words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|p| !p.is_empty()).collect();
        parts.join("-")
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {} cores", self.cpu, self.cores)
    }
}

/// Commit and, of its last session, machine of a run; refused if its sessions had several commits.
pub fn origin(folder: &Path, manifest: &Manifest) -> anyhow::Result<Provenance> {
    let Some(last) = manifest.sessions.last() else {
        bail!("{}: the run has no session; run it first", folder.display());
    };
    let (last, mut sessions) = (&last.provenance, manifest.sessions.iter());
    if let Some(other) = sessions.find(|session| session.provenance.commit != last.commit) {
        bail!(
            "{}: the run was made in parts, by commit {} and by {}; make it again in one piece",
            folder.display(),
            other.provenance.commit,
            last.commit
        );
    }
    Ok(last.clone())
}

/// Says so if the sessions of a run were on several machines.
pub fn several(folder: &Path, manifest: &Manifest) -> Option<String> {
    let mut machines: Vec<String> =
        manifest.sessions.iter().map(|s| Machine::of(&s.provenance).to_string()).collect();
    machines.sort();
    machines.dedup();
    (machines.len() > 1).then(|| {
        let (folder, machines) = (folder.display(), machines.join(" and on "));
        format!("{folder}: the run was made in parts, on {machines}, whose times do not mix")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_plain() {
        let machine = Machine { cpu: "Intel(R) Xeon(R) @ 2.2GHz".into(), cores: 4 };
        assert_eq!(machine.slug(), "intel-r-xeon-r-2-2ghz-4-cores");
    }
}
