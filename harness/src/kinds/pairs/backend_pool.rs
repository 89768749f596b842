//! The backends of a plan, opened by name.

use super::{doubles, slowdown};
use anyhow::Context;
use pidlab_backends::{Backend, registry};

pub fn open(names: &[String]) -> anyhow::Result<Vec<Box<dyn Backend>>> {
    names.iter().map(|name| open_one(name)).collect()
}

pub fn open_one(name: &str) -> anyhow::Result<Box<dyn Backend>> {
    let backend = match doubles::find(name) {
        Some(double) => double,
        None => registry::find(name).with_context(|| format!("backend `{name}`"))?,
    };
    slowdown::apply(name, backend)
}
