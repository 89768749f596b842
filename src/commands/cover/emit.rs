//! `pidlab cover FILE --emit FORMAT`: the model in another format.

use crate::commands::emission::Emission;
use crate::output::Done;
use pidlab_cover::{Budget, EmitError, EmitFormat, Net, emit};
use std::path::Path;

pub fn run(
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
        Err(error) => return Err(error.into()),
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
