//! Reading models: the ending of the name says the language. Files need not be UTF-8: comments may
//! hold any bytes, and elsewhere only ASCII means something.

use anyhow::{Context, anyhow, bail};
use pidlab_cover::check::Model;
use pidlab_cover::net::Net;
use pidlab_cover::parse;
use std::path::{Path, PathBuf};

/// What says which question is asked about a model.
#[derive(Clone, Copy, Default)]
pub struct About<'a> {
    /// Property of a `.tts` file, if it is not beside it.
    pub prop: Option<&'a Path>,
    /// Start of a `.tts` file, if it is not the usual one.
    pub init: Option<&'a str>,
}

/// A question twice: as the algorithms see it and, for the languages it reads itself, as the
/// checker does.
pub struct Question {
    pub net: Net,
    pub model: Model,
}

/// Reads a model by the ending of its name.
pub fn read_question(file: &Path, about: About) -> anyhow::Result<Question> {
    let name = file.display();
    let bytes = read_bytes(file)?;
    let text = String::from_utf8_lossy(&bytes);
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if about.init.is_some() && ending != "tts" {
        bail!("{name}: --init is for .tts files; the others say how they start");
    }
    let parsed = match ending {
        "spec" => parse::spec::parse(&text),
        "lgfsm" => parse::lgfsm::parse(&text),
        "bp" => parse::bp::parse(&text),
        "tts" => return read_tts(file, &bytes, about),
        _ => bail!("{name}: expected a name that ends in .spec, .tts, .lgfsm or .bp"),
    };
    let net = parsed.with_context(|| format!("{name}"))?;
    let model = match ending {
        "spec" => Model::read_spec(&bytes).with_context(|| unreadable(file))?,
        _ => Model::of_net(&net),
    };
    Ok(Question { net, model })
}

fn read_tts(file: &Path, bytes: &[u8], about: About) -> anyhow::Result<Question> {
    let mut net = parse::tts::parse_system(&String::from_utf8_lossy(bytes))
        .with_context(|| file.display().to_string())?;
    let prop = match about.prop {
        Some(given) => given.to_path_buf(),
        None => property_beside(file)?,
    };
    let property = read_bytes(&prop)?;
    net.targets = parse::tts::parse_property(&String::from_utf8_lossy(&property), &net)
        .with_context(|| prop.display().to_string())?;
    if let Some(start) = about.init {
        parse::tts::set_start(&mut net, start)
            .map_err(|error| anyhow!("--init: {}", error.message))?;
    }
    let model = Model::read_tts(bytes, &property, about.init).with_context(|| unreadable(file))?;
    Ok(Question { net, model })
}

fn unreadable(file: &Path) -> String {
    format!("{}: the checker reads it in another way (a defect, please report)", file.display())
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

fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

pub fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The endings that are read.
pub const ENDINGS: [&str; 4] = ["spec", "tts", "lgfsm", "bp"];
