//! The Python adapters that come with the program: NetworkX, igraph (bliss) and pynauty.
//!
//! Each is a script for `python3` that speaks the external protocol. Which packages are installed is
//! asked once, for all three together.

use super::External;
use crate::backend::{Backend, Decision, Exactness, Info, Problem};
use crate::budget::Budget;
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};

/// An adapter: what it is called and what it needs.
pub struct Adapter {
    name: &'static str,
    module: &'static str,
    install: &'static str,
    source: &'static str,
    script: &'static str,
}

/// All adapters.
pub const ADAPTERS: [Adapter; 3] = [
    Adapter {
        name: "networkx",
        module: "networkx",
        install: "pip install networkx",
        source: "NetworkX's VF2 (the papers' program), through python3",
        script: include_str!("../../adapters/networkx_vf2.py"),
    },
    Adapter {
        name: "igraph-bliss",
        module: "igraph",
        install: "pip install igraph",
        source: "bliss (Junttila, Kaski 2007) in igraph, through python3",
        script: include_str!("../../adapters/igraph_bliss.py"),
    },
    Adapter {
        name: "pynauty",
        module: "pynauty",
        install: "pip install pynauty",
        source: "dense nauty in pynauty, through python3",
        script: include_str!("../../adapters/pynauty_adapter.py"),
    },
];

impl Adapter {
    /// The name of the backend in the registry.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The backend that runs the adapter.
    pub fn backend(&'static self) -> PythonBackend {
        let words = ["python3", "-c", self.script];
        PythonBackend {
            adapter: self,
            external: External {
                name: self.name.to_string(),
                source: self.source.to_string(),
                command: words.map(str::to_string).to_vec(),
                running: Mutex::new(None),
            },
        }
    }

    fn unavailable(&self) -> Option<String> {
        match installed() {
            Err(reason) => Some(format!("{reason}; install Python 3, then: {}", self.install)),
            Ok(modules) if modules.iter().any(|module| module == self.module) => None,
            Ok(_) => Some(format!(
                "the Python package `{}` is not installed; install it with: {}",
                self.module, self.install
            )),
        }
    }
}

/// One of the adapters as a backend.
pub struct PythonBackend {
    adapter: &'static Adapter,
    external: External,
}

impl Backend for PythonBackend {
    fn info(&self) -> Info {
        Info {
            name: self.adapter.name.into(),
            exactness: Exactness::Exact,
            source: self.adapter.source.into(),
            unavailable: self.adapter.unavailable(),
        }
    }

    fn ready(&self) {
        self.external.ready();
    }

    fn decide(&self, problem: Problem<'_>, budget: &Budget) -> Decision {
        self.external.decide(problem, budget)
    }
}

/// The modules of the adapters that python3 finds, or why python3 does not run.
fn installed() -> &'static Result<Vec<String>, String> {
    static INSTALLED: OnceLock<Result<Vec<String>, String>> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let modules: Vec<String> = ADAPTERS.iter().map(|a| format!("'{}'", a.module)).collect();
        let script = format!(
            "from importlib.util import find_spec\nfor m in [{}]:\n  if find_spec(m): print(m)",
            modules.join(",")
        );
        let output = Command::new("python3").args(["-c", &script]).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("python3 does not run ({error})"))?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect())
    })
}
