//! Reading coverability questions and answers: the ending of the name says the language. Reading obeys the budget of
//! the command; where that ends, the question is undecided, not the input wrong. Files need not be
//! UTF-8: comments may hold any bytes, and elsewhere only ASCII means something.

use anyhow::{Context, anyhow, bail};
use pidlab_cover::answer::{Document, FORMAT};
use pidlab_cover::budget::Budget;
use pidlab_cover::check::Model;
use pidlab_cover::error::{ReadError, Stop};
use pidlab_cover::net::Net;
use pidlab_cover::parse;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Bytes read between two polls.
const CHUNK: usize = 1 << 20;

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
pub fn read_question(file: &Path, about: About, budget: &Budget) -> anyhow::Result<Question> {
    question_of(file, &read_bytes(file, budget)?, about, budget)
}

/// The question that these bytes ask; the file's name says the language and what its messages call it.
pub fn question_of(
    file: &Path,
    bytes: &[u8],
    about: About,
    budget: &Budget,
) -> anyhow::Result<Question> {
    let name = file.display();
    let text = String::from_utf8_lossy(bytes);
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if about.init.is_some() && ending != "tts" {
        bail!("{name}: --init is for .tts files; the others say how they start");
    }
    let net = match ending {
        "spec" => parse::spec::read(&text, budget),
        "lgfsm" => parse::lgfsm::read(&text, budget),
        "bp" => parse::bp::read(&text, budget),
        "tts" => return read_tts(file, bytes, about, budget),
        _ => bail!("{name}: expected a name that ends in .spec, .tts, .lgfsm or .bp"),
    };
    let net = net.with_context(|| format!("{name}"))?;
    let model = match ending {
        "spec" => Model::read_spec(bytes, budget).with_context(|| unreadable(file))?,
        _ => Model::of_net(&net, budget).map_err(ReadError::from)?,
    };
    Ok(Question { net, model })
}

fn read_tts(file: &Path, bytes: &[u8], about: About, budget: &Budget) -> anyhow::Result<Question> {
    let mut net = parse::tts::read_system(&String::from_utf8_lossy(bytes), budget)
        .with_context(|| file.display().to_string())?;
    let prop = match about.prop {
        Some(given) => given.to_path_buf(),
        None => property_beside(file)?,
    };
    let property = read_bytes(&prop, budget)?;
    net.targets = parse::tts::read_property(&String::from_utf8_lossy(&property), &net, budget)
        .with_context(|| prop.display().to_string())?;
    if let Some(start) = about.init {
        parse::tts::set_start(&mut net, start)
            .map_err(|error| anyhow!("--init: {}", error.message))?;
    }
    let model =
        Model::read_tts(bytes, &property, about.init, budget).with_context(|| unreadable(file))?;
    Ok(Question { net, model })
}

fn unreadable(file: &Path) -> String {
    format!("{}: the checker reads it in another way (a defect, please report)", file.display())
}

/// `x.tts.prop` or `x.prop`, whichever exists.
pub fn property_beside(file: &Path) -> anyhow::Result<PathBuf> {
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

/// Reads the output of `pidlab cover --json`.
pub fn read_answer(path: &Path, budget: &Budget) -> anyhow::Result<Document> {
    let reader = BufReader::with_capacity(CHUNK, Polled::open(path, budget)?);
    let document: Document = serde_json::from_reader(reader)
        .map_err(|error| if error.is_io() { io_error(error.into()) } else { error.into() })
        .with_context(|| format!("{} is not a {FORMAT} document", path.display()))?;
    if document.format != FORMAT {
        bail!("{}: format `{}`, expected `{FORMAT}`", path.display(), document.format);
    }
    Ok(document)
}

pub fn read_bytes(path: &Path, budget: &Budget) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let done = Polled::open(path, budget)?.read_to_end(&mut bytes);
    done.map_err(io_error).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(bytes)
}

/// The limit that ended reading a file, named with what was done; `None` for any other error.
pub fn limit_reached(error: &anyhow::Error, budget: &Budget) -> Option<String> {
    match error.downcast_ref::<ReadError>() {
        Some(ReadError::Stopped(stop)) => {
            Some(format!("reading the input: {}", budget.describe(stop)))
        }
        _ => None,
    }
}

/// A file that polls the budget while it is read.
struct Polled<'a> {
    file: File,
    budget: &'a Budget,
}

impl Polled<'_> {
    fn open<'a>(path: &Path, budget: &'a Budget) -> anyhow::Result<Polled<'a>> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Polled { file, budget })
    }
}

impl Read for Polled<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.budget.poll().map_err(std::io::Error::other)?;
        let chunk = buffer.len().min(CHUNK);
        self.file.read(&mut buffer[..chunk])
    }
}

/// An error of a [`Polled`] file: the limit it met, or what the system said.
fn io_error(error: std::io::Error) -> anyhow::Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Stop>()) {
        Some(stop) => ReadError::Stopped(stop.clone()).into(),
        None => error.into(),
    }
}
