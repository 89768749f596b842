//! `pidlab explore NET --emit FORMAT`: the net in another format.

use super::Args;
use super::net::{self, Language};
use crate::commands::emission::Emission;
use crate::output::Done;
use anyhow::bail;
use pidlab_explore::net::pnml_of;
use pidlab_explore::search::Limits;
use std::path::Path;

pub fn run(args: &Args, language: Language, limits: &Limits) -> anyhow::Result<Done> {
    let output = output(args)?;
    let net = net::load(&args.model, &args.settings, &[], limits)?;
    let (name, model) = match language {
        Language::Pnml => {
            let mut text = Vec::new();
            pidlab_pnml::write(&pnml_of(&net)?, &mut text)?;
            ("pnml", String::from_utf8(text)?)
        }
        Language::Tnet => ("tnet", net.source.text.to_string()),
    };
    if !net.properties.is_empty() && language == Language::Pnml {
        note!("PNML has no properties: those of the net are left out");
    }
    let emission = Emission {
        format: "pidlab-emit/1",
        language: name,
        places: net.place_count() as u64,
        transitions: net.labels.len() as u64,
        model: Some(model),
        property: None,
        files: Vec::new(),
    };
    Ok(emission.to(output)?.into())
}

/// The file for the model.
fn output(args: &Args) -> anyhow::Result<Option<&Path>> {
    match args.net.output() {
        [] => Ok(None),
        [file] => Ok(Some(file.as_path())),
        [_, second, ..] => {
            bail!("--output {}: --emit writes one file", second.display())
        }
    }
}
