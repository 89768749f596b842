//! Every exact backend against Definition 1: committed pairs and a small universe of states.

mod canonical_forms;
mod groups;
mod pairs;
mod short_cuts;
mod small_universe;
mod universe;
mod widths;

use pidlab_backends::external::python::ADAPTERS;
use pidlab_backends::{Backend, Budget, Exactness, GraphKind, Problem, Verdict, Witness, registry};
use pidlab_check::enumeration;
use pidlab_core::{Relations, State};

/// Every exact backend that can be used here.
fn exact_backends() -> Vec<Box<dyn Backend>> {
    registry::list()
        .into_iter()
        .filter(|info| info.exactness == Exactness::Exact)
        .filter(|info| match &info.unavailable {
            None => true,
            Some(reason) => {
                eprintln!("SKIPPED: backend {}: {reason}", info.name);
                false
            }
        })
        .map(|info| registry::find(&info.name).unwrap())
        .collect()
}

/// Those of them that are not programs of their own, where a pair costs a process or a pipe.
fn quick_backends() -> Vec<Box<dyn Backend>> {
    let slow: Vec<&str> = ADAPTERS.iter().map(|adapter| adapter.name()).collect();
    exact_backends().into_iter().filter(|b| !slow.contains(&b.info().name.as_str())).collect()
}

fn decide(
    backend: &dyn Backend,
    q: &State,
    r: &State,
    relations: Relations,
    graph: GraphKind,
) -> Verdict {
    backend.decide(Problem { q, r, relations, graph }, &Budget::unlimited()).verdict
}

/// The verdict as yes or no; a witness must satisfy Definition 1.
fn checked(
    backend: &dyn Backend,
    q: &State,
    r: &State,
    relations: Relations,
    graph: GraphKind,
) -> bool {
    match decide(backend, q, r, relations, graph) {
        Verdict::Equivalent(Witness(image)) => {
            if graph == GraphKind::Corrected {
                assert!(
                    enumeration::is_witness(q, r, relations, &image),
                    "{}: wrong witness {image:?} under {relations}\n{}\n{}",
                    backend.info().name,
                    pidlab_core::json::state_to_string(q),
                    pidlab_core::json::state_to_string(r)
                );
            }
            true
        }
        Verdict::NotEquivalent => false,
        Verdict::Undecided(why) => panic!("{}: {why:?}", backend.info().name),
    }
}
