//! `pidlab cover FILE --emit FORMAT`: the model in another format.

use crate::output::{Document, Done, Rows};
use anyhow::Context;
use pidlab_cover::{Budget, EmitError, EmitFormat, Net, emit};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// A model that was written.
#[derive(Serialize)]
struct Emission {
    format: &'static str,
    language: &'static str,
    places: u64,
    transitions: u64,
    /// The text, unless it went to a file.
    model: Option<String>,
    property: Option<String>,
    files: Vec<String>,
}

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
    let mut emission = Emission {
        format: "pidlab-cover-emit/1",
        language: format.name(),
        places: net.places.len() as u64,
        transitions: net.transitions.len() as u64,
        model: None,
        property: emitted.property,
        files: Vec::new(),
    };
    match output {
        None => emission.model = Some(emitted.model),
        Some(path) => {
            emission.write(path, &emitted.model)?;
            if let Some(property) = emission.property.take() {
                emission.write(&path.with_extension("prop"), &property)?;
            }
        }
    }
    Ok(Ok(emission.into()))
}

impl Emission {
    fn write(&mut self, path: &Path, text: &str) -> anyhow::Result<()> {
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        self.files.push(path.display().to_string());
        Ok(())
    }
}

impl Document for Emission {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(property) = &self.property {
            let lines = property.trim_end().lines().collect::<Vec<_>>().join("; ");
            note!("the property, which --output writes beside the model: {lines}");
        }
        if let Some(model) = &self.model {
            return out.write_all(model.as_bytes());
        }
        writeln!(out, "{} places, {} transitions", self.places, self.transitions)?;
        writeln!(out, "written: {}", self.files.join(", "))
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("language places transitions files model property", [self])
    }
}
