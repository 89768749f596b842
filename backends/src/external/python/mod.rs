//! The Python adapters that come with the program: Sage, NetworkX, SNAKES, igraph (bliss), pynauty and dejavu.
//!
//! Each is a script that speaks the external protocol; what they share is a module of its own
//! (`pidlab_adapter.py`), handed over on the command line with the script, so that no files are needed
//! beside the program. [`packages`] says which versions they were tried with, [`setup`] makes an environment
//! with them, [`interpreter`] finds it or another Python.

pub mod interpreter;
pub mod packages;
pub mod setup;

use super::External;
use crate::backend::{Backend, Decision, Exactness, Info, Problem, Undecided, Verdict};
use crate::budget::Budget;
use packages::Versions;
use std::sync::OnceLock;
use std::time::Duration;

/// An adapter: what it is called and what it needs.
pub struct Adapter {
    name: &'static str,
    module: &'static str,
    /// The section of the list of packages.
    section: &'static str,
    exactness: Exactness,
    source: &'static str,
    script: &'static str,
    arguments: &'static [&'static str],
}

const SAGE: Adapter = Adapter {
    name: "sage",
    module: "sage.graphs",
    section: "sage",
    exactness: Exactness::Exact,
    source: "Sage's is_isomorphic with edge labels (the program of SACS'10), vertex labels as loops",
    script: include_str!("../../../adapters/sage_graphs.py"),
    arguments: &["loops"],
};

/// All adapters.
pub const ADAPTERS: [Adapter; 9] = [
    SAGE,
    Adapter {
        name: "sage-vertices",
        source: "Sage's is_isomorphic with edge labels, vertex labels as further vertices",
        arguments: &["vertices"],
        ..SAGE
    },
    Adapter {
        name: "sage-partition",
        source: "Sage's isomorphism of partitioned graphs, vertex labels as the partition",
        arguments: &["partition"],
        ..SAGE
    },
    Adapter {
        name: "sage-canonical",
        source: "Sage's canonical_label with a partition; dense, so slow and large",
        arguments: &["canonical"],
        ..SAGE
    },
    Adapter {
        name: "networkx",
        module: "networkx",
        section: "networkx",
        exactness: Exactness::Exact,
        source: "NetworkX's VF2 (the program of ISCIS'09 and SACS'10)",
        script: include_str!("../../../adapters/networkx_vf2.py"),
        arguments: &[],
    },
    Adapter {
        name: "snakes",
        module: "snakes",
        section: "snakes",
        exactness: Exactness::Exact,
        source: "markings of SNAKES and their graphs, compared by NetworkX (the programs of ICTAC'08)",
        script: include_str!("../../../adapters/snakes_markings.py"),
        arguments: &[],
    },
    Adapter {
        name: "igraph-bliss",
        module: "igraph",
        section: "igraph",
        exactness: Exactness::Exact,
        source: "bliss (Junttila, Kaski 2007) in igraph",
        script: include_str!("../../../adapters/igraph_bliss.py"),
        arguments: &[],
    },
    Adapter {
        name: "pynauty",
        module: "pynauty",
        section: "pynauty",
        exactness: Exactness::Exact,
        source: "dense nauty in pynauty",
        script: include_str!("../../../adapters/pynauty_dense.py"),
        arguments: &[],
    },
    Adapter {
        name: "dejavu",
        module: "dejavu_gi",
        section: "dejavu",
        exactness: Exactness::Partial,
        source: "dejavu (Anders, Schweitzer 2021): symmetries that exchange the two graphs",
        script: include_str!("../../../adapters/dejavu_swap.py"),
        arguments: &[],
    },
];

/// What the adapters import.
fn modules() -> Vec<&'static str> {
    ADAPTERS.iter().map(|adapter| adapter.module).collect()
}

const SHARED: &str = include_str!("../../../adapters/pidlab_adapter.py");

/// Makes the shared module and runs the script; the working folder is not searched for modules.
const RUN: &str = r#"
import sys
sys.path = [entry for entry in sys.path if entry]
import types
shared, script = sys.argv[1], sys.argv[2]
del sys.argv[1:3]
sys.modules["pidlab_adapter"] = module = types.ModuleType("pidlab_adapter")
exec(shared, module.__dict__)
exec(script, {"__name__": "__main__"})
"#;

impl Adapter {
    /// The name of its backend in the registry.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The backend that runs it.
    pub fn backend(&'static self) -> PythonBackend {
        PythonBackend { adapter: self, external: OnceLock::new() }
    }

    fn external(&self) -> Result<External, String> {
        let python = interpreter::with_module(self.module)?;
        let program = python.program.to_string_lossy().into_owned();
        let mut command = vec![program, "-c".into(), RUN.into(), SHARED.into(), self.script.into()];
        command.extend(self.arguments.iter().map(|argument| argument.to_string()));
        Ok(External::of_words(self.name.to_string(), self.source.to_string(), command))
    }
}

/// One of the adapters as a backend.
pub struct PythonBackend {
    adapter: &'static Adapter,
    /// Looked for when it is first needed.
    external: OnceLock<Result<External, String>>,
}

impl PythonBackend {
    fn external(&self) -> &Result<External, String> {
        self.external.get_or_init(|| self.adapter.external())
    }
}

impl Backend for PythonBackend {
    fn info(&self) -> Info {
        let Adapter { name, exactness, source, section, .. } = *self.adapter;
        let missing = self.external().as_ref().err();
        Info {
            name: name.into(),
            exactness,
            source: format!("{source}, through Python"),
            unavailable: missing
                .map(|reason| format!("{reason}; run: pidlab setup python --with {section}")),
        }
    }

    /// The program answers one question after the other.
    fn is_parallel(&self) -> bool {
        false
    }

    fn ready(&self, patience: Duration) {
        if let Ok(external) = self.external() {
            external.ready(patience);
        }
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        match self.external() {
            Ok(external) => external.decide(problem, budget),
            Err(reason) => {
                let verdict = Verdict::Undecided(Undecided::Failed(reason.clone()));
                Decision::took(verdict, Duration::ZERO, Duration::ZERO)
            }
        }
    }
}

/// Python itself and the packages that these backends run with; nothing if none of them is an adapter.
pub fn versions(backends: &[String]) -> Versions {
    let mut versions = Versions::new();
    for adapter in ADAPTERS.iter().filter(|a| backends.iter().any(|name| name == a.name)) {
        let Ok(python) = interpreter::with_module(adapter.module) else { continue };
        versions.insert("python".into(), python.python.clone());
        let own = packages::of_sections(&[adapter.section.to_string()]);
        let installed = python.packages.iter().filter(|(name, _)| own.contains_key(*name));
        versions.extend(installed.map(|(name, version)| (name.clone(), version.clone())));
    }
    versions
}
