//! A model in another format: `cover --emit` and `explore --emit`.

use crate::output::{Document, Rows};
use anyhow::Context;
use pidlab_harness::question::own_property;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// A model that was written.
#[derive(Serialize)]
pub struct Emission {
    pub format: &'static str,
    pub language: &'static str,
    pub places: u64,
    pub transitions: u64,
    /// The text, unless it went to a file.
    pub model: Option<String>,
    pub property: Option<String>,
    pub files: Vec<String>,
}

impl Emission {
    /// The same in a file, if there is one for it, with the property beside it.
    pub fn to(mut self, output: Option<&Path>) -> anyhow::Result<Emission> {
        let Some(path) = output else { return Ok(self) };
        if let Some(model) = self.model.take() {
            self.write(path, &model)?;
        }
        if let Some(property) = self.property.take() {
            // looked for first, and one of a file in another format stays as it is
            self.write(&own_property(path), &property)?;
        }
        Ok(self)
    }

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
