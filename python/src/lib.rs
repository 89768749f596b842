//! The extension module of the Python package `pidlab`: the engine in process.
//!
//! `python/package/` is the package as users see it; here is what it is made of. Calls let go of Python
//! while they work, end at Ctrl-C ([`signals`]) and raise `TypeError` or `ValueError` that name the argument
//! ([`args`]). States: [`state`] ([`objects`] reads them) and [`verdict`]; graphs: [`graph`] ([`reader`],
//! [`color`]); models: [`explore`], [`cover`].

mod args;
mod batch;
mod color;
mod cover;
mod drawing;
mod explore;
mod generate;
mod graph;
mod layered;
mod objects;
mod reader;
mod signals;
mod state;
mod verdict;

use pyo3::prelude::*;

pyo3::create_exception!(
    pidlab,
    Undecided,
    pyo3::exceptions::PyRuntimeError,
    "A limit was reached, or the backend cannot tell."
);

#[pymodule]
mod _pidlab {
    use super::*;

    #[pymodule_export]
    use super::args::relations_text;
    #[pymodule_export]
    use super::cover::cover;
    #[pymodule_export]
    use super::explore::{explore_heap, explore_net};
    #[pymodule_export]
    use super::generate::{
        Generated, families, hard_instance, random_defaults, random_state, transform_state,
        transformations,
    };
    #[pymodule_export]
    use super::graph::{CanonicalForm, Graph, Isomorphism, canonical_form, isomorphic};
    #[pymodule_export]
    use super::layered::layered_graph;
    #[pymodule_export]
    use super::state::{ClassKey, PyState};
    #[pymodule_export]
    use super::verdict::{
        Equivalence, backends, canonical_many, check_witness, equivalent, equivalent_many,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("Undecided", module.py().get_type::<Undecided>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
