//! Python and the packages of the adapters.

use super::{Finding, Status};
use pidlab_backends::external::python::interpreter::{Interpreter, candidates};
use pidlab_backends::external::python::packages::{of_sections, sections};

pub fn findings() -> Vec<Finding> {
    let pythons: Vec<&Interpreter> = candidates().iter().flatten().collect();
    let packages = sections().into_iter().map(|section| package(section, &pythons));
    std::iter::once(python(&pythons)).chain(packages).collect()
}

fn python(pythons: &[&Interpreter]) -> Finding {
    let name = |python: &&Interpreter| format!("{} ({})", python.program.display(), python.python);
    match pythons {
        [] => Finding::new(
            "Python",
            Status::Missing,
            candidates().iter().find_map(|asked| asked.clone().err()).unwrap_or_default(),
            "needed by the adapters: install Python 3.11 or later, or name one with PIDLAB_PYTHON",
        ),
        found => Finding::ok("Python", found.iter().map(name).collect::<Vec<_>>().join(", ")),
    }
}

/// The packages of an adapter are of use only together.
fn package(section: &str, pythons: &[&Interpreter]) -> Finding {
    let wanted = of_sections(&[section.to_string()]);
    let has_all =
        |python: &&&Interpreter| wanted.keys().all(|name| python.packages.contains_key(name));
    let name = format!("Python: {section}");
    match pythons.iter().find(has_all) {
        Some(python) => {
            let version = |name: &String| format!("{name} {}", python.packages[name]);
            Finding::ok(&name, wanted.keys().map(version).collect::<Vec<_>>().join(", "))
        }
        None => Finding::new(
            &name,
            Status::Missing,
            "not installed",
            &format!("if you want its backends: pidlab setup python --with {section}"),
        ),
    }
}
