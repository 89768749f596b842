//! Reading models: the ending of the name says the language.

use anyhow::{Context, bail};
use pidlab_cover::net::Net;
use pidlab_cover::parse;
use std::path::{Path, PathBuf};

/// Reads a model by the ending of its name.
pub fn read_model(file: &Path, prop: Option<&Path>) -> anyhow::Result<Net> {
    let name = file.display();
    let text = read(file)?;
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let parsed = match ending {
        "spec" => parse::spec::parse(&text),
        "lgfsm" => parse::lgfsm::parse(&text),
        "bp" => parse::bp::parse(&text),
        "tts" => return read_tts(file, &text, prop),
        _ => bail!("{name}: expected a name that ends in .spec, .tts, .lgfsm or .bp"),
    };
    parsed.with_context(|| format!("{name}"))
}

fn read_tts(file: &Path, text: &str, prop: Option<&Path>) -> anyhow::Result<Net> {
    let mut net = parse::tts::parse_system(text).with_context(|| file.display().to_string())?;
    let prop = match prop {
        Some(given) => given.to_path_buf(),
        None => property_beside(file)?,
    };
    net.targets = parse::tts::parse_property(&read(&prop)?, &net)
        .with_context(|| prop.display().to_string())?;
    Ok(net)
}

/// `x.tts.prop` or `x.prop`, whichever exists.
fn property_beside(file: &Path) -> anyhow::Result<PathBuf> {
    let mut appended = file.as_os_str().to_owned();
    appended.push(".prop");
    let candidates = [PathBuf::from(appended), file.with_extension("prop")];
    let found = candidates.iter().find(|path| path.exists()).cloned();
    found.with_context(|| {
        format!(
            "{}: no property beside it ({}); give --prop",
            file.display(),
            candidates[1].display()
        )
    })
}

pub fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The endings that are read.
pub const ENDINGS: [&str; 4] = ["spec", "tts", "lgfsm", "bp"];
