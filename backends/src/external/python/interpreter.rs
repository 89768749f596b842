//! Which Python runs an adapter, and what is installed there.
//!
//! The one that `PIDLAB_PYTHON` names and no other; without that variable the environment that
//! [`setup`](super::setup) made, then `python3` on the path, whichever has the package. Each is
//! asked once, for all packages together.

use super::packages::{self, Versions};
use super::setup;
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Names the Python to use.
pub const VARIABLE: &str = "PIDLAB_PYTHON";

/// A Python and what it has.
#[derive(Clone, Debug)]
pub struct Interpreter {
    /// What starts it.
    pub program: OsString,
    /// Its own version.
    pub python: String,
    /// Installed packages with their versions.
    pub packages: Versions,
    modules: Vec<String>,
}

/// What the script below prints.
#[derive(Deserialize)]
struct Report {
    python: String,
    packages: Versions,
    modules: Vec<String>,
}

const SCRIPT: &str = r#"
import json, platform, sys
sys.path = [entry for entry in sys.path if entry]
from importlib import metadata
from importlib.util import find_spec
names, modules = sys.argv[1].split(","), sys.argv[2].split(",")
def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
def there(module):
    try:
        return find_spec(module) is not None
    except ImportError:
        return False
packages = {name: version(name) for name in names if version(name)}
print(json.dumps({"python": platform.python_version(), "packages": packages, "modules": [m for m in modules if there(m)]}))
"#;

impl Interpreter {
    /// Asks a Python what it has, or says why it does not run.
    pub fn ask(program: &OsStr) -> Result<Interpreter, String> {
        let name = program.to_string_lossy();
        let (names, modules) = (packages::all().join(","), super::modules().join(","));
        let mut command = Command::new(program);
        command.args(["-c", SCRIPT, &names, &modules]).stdin(Stdio::null());
        let output = command.output().map_err(|error| format!("{name} does not run ({error})"))?;
        let report: Report = serde_json::from_slice(&output.stdout).map_err(|_| {
            let words = String::from_utf8_lossy(&output.stderr);
            let last = words.trim().lines().last().unwrap_or_default();
            format!("{name} is not a Python 3.8 or later ({}: {last})", output.status)
        })?;
        let Report { python, packages, modules } = report;
        Ok(Interpreter { program: program.to_os_string(), python, packages, modules })
    }

    /// Whether it can import a module.
    pub fn has(&self, module: &str) -> bool {
        self.modules.iter().any(|found| found == module)
    }
}

/// The Python that new environments are made with.
pub fn base() -> OsString {
    named().unwrap_or_else(|| "python3".into())
}

fn named() -> Option<OsString> {
    std::env::var_os(VARIABLE).filter(|name| !name.is_empty())
}

/// The first Python that has a module, or why none does.
pub fn with_module(module: &str) -> Result<&'static Interpreter, String> {
    let all = candidates();
    let found = all.iter().flatten().find(|python| python.has(module));
    found.ok_or_else(|| match all.iter().find_map(|python| python.as_ref().ok()) {
        Some(python) => {
            let name = python.program.to_string_lossy();
            format!("{name} (Python {}) has no module `{module}`", python.python)
        }
        None => all.iter().find_map(|python| python.clone().err()).unwrap_or_default(),
    })
}

/// Every Python that is looked at, in order; an error says why one does not run.
pub fn candidates() -> &'static [Result<Interpreter, String>] {
    static FOUND: OnceLock<Vec<Result<Interpreter, String>>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let programs = match named() {
            Some(name) => vec![name],
            None => {
                let made = setup::folder().ok().filter(|folder| setup::is_complete(folder));
                let made = made.map(|folder| setup::program_in(&folder).into_os_string());
                made.into_iter().chain(["python3".into()]).collect()
            }
        };
        programs.iter().map(|program| Interpreter::ask(program)).collect()
    })
}
