//! `pidlab cover FILE --emit FORMAT`: the model in another format.

use crate::commands::emission::Emission;
use crate::output::Done;
use anyhow::bail;
use pidlab_cover::{Budget, EmitError, EmitFormat, Net, emit};
use std::path::Path;

pub fn run(
    file: &Path,
    net: &Net,
    format: EmitFormat,
    output: Option<&Path>,
    budget: &Budget,
) -> anyhow::Result<Result<Done, String>> {
    let emitted = match emit(net, format, budget) {
        Ok(emitted) => emitted,
        Err(EmitError::Limit(stop)) => {
            return Ok(Err(format!("writing the model: {}", budget.describe(stop))));
        }
        Err(error) => {
            let line = error.line().map_or(String::new(), |line| format!(":{line}"));
            bail!("{}{line}: {error}", file.display());
        }
    };
    let emission = Emission {
        format: "pidlab-cover-emit/1",
        language: format.name(),
        places: net.places.len() as u64,
        transitions: net.transitions.len() as u64,
        model: Some(emitted.model),
        property: emitted.property,
        files: Vec::new(),
    };
    Ok(Ok(emission.to(output)?.into()))
}
