//! Reading coverability questions and answers: the ending of the name says the language. Reading obeys the budget of
//! the command; where that ends, the question is undecided, not the input wrong. Models need not be
//! UTF-8: comments may hold any bytes, and elsewhere only ASCII means something.

use crate::remedy::Remedy;
use anyhow::{Context, bail};
use pidlab_cover::check::{self, Model, Rejection, Unreadable};
use pidlab_cover::{
    Budget, Diagnostic, Document, Exhausted, FORMAT, Net, SET_FORMAT, SetDocument, SolveError,
    SolveOptions, Source, parse, solve, solve_question,
};
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Bytes read between two polls.
const CHUNK: usize = 1 << 20;

/// What says which question is asked about a model.
#[derive(Clone, Copy, Default)]
pub struct About<'a> {
    /// Property of a `.tts` or `.pnml` file, if it is not beside it.
    pub prop: Option<&'a Path>,
    /// Start of a `.tts` file, if it is not the usual one.
    pub init: Option<&'a str>,
    /// A label of a `.bp` file that no thread may reach.
    pub label: Option<&'a str>,
    /// Leave out of a `.bp` file what the property does not see.
    pub slice: bool,
}

/// A question as the algorithms see it and, for the languages it reads itself, as the checker does.
pub struct Question {
    net: Net,
    model: Option<Model>,
    /// Whether the net is that of a slice.
    sliced: bool,
}

impl Question {
    /// A question that has no file.
    pub fn of_net(net: Net) -> Question {
        Question { net, model: None, sliced: false }
    }

    /// The net that algorithms see.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// Decides it; the answer is checked.
    pub fn solve(&self, options: &SolveOptions) -> Result<Document, SolveError> {
        let document = match &self.model {
            Some(model) => solve_question(&self.net, model, options),
            None => solve(&self.net, options),
        };
        document.map(|document| Document { sliced: self.sliced, ..document })
    }

    /// Its coverability set, checked; targets do not matter.
    pub fn coverability_set(
        &self,
        algorithm: &str,
        budget: &Budget,
    ) -> Result<SetDocument, SolveError> {
        pidlab_cover::coverability_set(&self.net, self.model.as_ref(), algorithm, budget)
    }

    /// Checks a coverability set.
    pub fn check_set(&self, document: &SetDocument, budget: &Budget) -> Result<bool, Rejection> {
        match &self.model {
            Some(model) => check::check_set(model, document, budget),
            None => check::check_set(&Model::of_net(&self.net, budget)?, document, budget),
        }
    }

    /// Checks an answer to it.
    pub fn check(&self, document: &Document, budget: &Budget) -> Result<bool, Rejection> {
        match &self.model {
            Some(model) => check::check_answer(model, document, budget),
            None => check::check_within(&self.net, document, budget),
        }
    }
}

/// Reads a model by the ending of its name.
pub fn read_question(file: &Path, about: About, budget: &Budget) -> anyhow::Result<Question> {
    question_of(file, read_bytes(file, budget)?, about, budget)
}

/// Reads a model of which nothing is asked: `.tts` and `.pnml` files need no property.
pub fn read_without_target(file: &Path, about: About, budget: &Budget) -> anyhow::Result<Question> {
    let ends_in = |wanted: &str| file.extension().is_some_and(|ending| ending == wanted);
    let is_pnml = ends_in("pnml") && about.init.is_none();
    if !(is_pnml || ends_in("tts")) || about.prop.is_some() || property_beside(file).is_ok() {
        return read_question(file, about, budget);
    }
    let system = Text::new(file, read_bytes(file, budget)?, budget)?;
    if is_pnml {
        return Ok(Question::of_net(parse::pnml::read_system(&system.source)?.net));
    }
    let mut net = parse::tts::read_system(&system.source)?;
    give_start(&mut net, about)?;
    let model = Model::read_tts(system.bytes(), b"", about.init, budget);
    Ok(Question { model: Some(understood(file, model)?), ..Question::of_net(net) })
}

/// The question that these bytes ask; the file's name says the language and what its messages call it.
pub fn question_of(
    file: &Path,
    bytes: Vec<u8>,
    about: About,
    budget: &Budget,
) -> anyhow::Result<Question> {
    let name = file.display();
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if about.init.is_some() && ending != "tts" {
        let problem = format!("{name}: only .tts files leave open how they start");
        return Err(Remedy::Start.refuse(problem));
    }
    if about.prop.is_some() && !["tts", "pnml"].contains(&ending) {
        bail!("{name}: only .tts and .pnml files have their property in a file of its own");
    }
    if about.label.is_some() && ending != "bp" {
        bail!("{name}: only .bp files have labels");
    }
    let read = match ending {
        "tts" => return read_tts(file, bytes, about, budget),
        "bp" => return read_program(file, bytes, about, budget),
        "pnml" => return read_pnml(file, bytes, about, budget),
        "spec" => parse::spec::read,
        "lgfsm" => parse::lgfsm::read,
        _ => bail!("{name}: expected a name that ends in .spec, .tts, .pnml, .lgfsm or .bp"),
    };
    let text = Text::new(file, bytes, budget)?;
    let net = read(&text.source)?;
    let model = match ending {
        "spec" => Some(understood(file, Model::read_spec(text.bytes(), budget))?),
        _ => None,
    };
    Ok(Question { net, model, sliced: false })
}

fn read_program(
    file: &Path,
    bytes: Vec<u8>,
    about: About,
    budget: &Budget,
) -> anyhow::Result<Question> {
    let options = parse::bp::BoolOptions { slice: about.slice, error_label: about.label };
    let net = parse::bp::read_with(&Text::new(file, bytes, budget)?.source, options)?;
    Ok(Question { net, model: None, sliced: about.slice })
}

fn read_pnml(
    file: &Path,
    bytes: Vec<u8>,
    about: About,
    budget: &Budget,
) -> anyhow::Result<Question> {
    let system = parse::pnml::read_system(&Text::new(file, bytes, budget)?.source)?;
    let property = read_beside(file, about, budget)?;
    let targets = system.read_property(&property.source)?;
    Ok(Question { net: Net { targets, ..system.net }, model: None, sliced: false })
}

/// The property of a file.
fn read_beside(file: &Path, about: About, budget: &Budget) -> anyhow::Result<Text> {
    let prop = match about.prop {
        Some(given) => given.to_path_buf(),
        None => property_beside(file)?,
    };
    Ok(Text::new(&prop, read_bytes(&prop, budget)?, budget)?)
}

fn read_tts(
    file: &Path,
    bytes: Vec<u8>,
    about: About,
    budget: &Budget,
) -> anyhow::Result<Question> {
    let system = Text::new(file, bytes, budget)?;
    let mut net = parse::tts::read_system(&system.source)?;
    let property = read_beside(file, about, budget)?;
    net.targets = parse::tts::read_property(&property.source, &net)?;
    give_start(&mut net, about)?;
    let model = Model::read_tts(system.bytes(), property.bytes(), about.init, budget);
    Ok(Question { net, model: Some(understood(file, model)?), sliced: false })
}

/// Starts a thread transition system as the question says.
fn give_start(net: &mut Net, about: About) -> anyhow::Result<()> {
    let Some(start) = about.init else {
        return Ok(());
    };
    parse::tts::set_start(net, &Source::new("the start", start))
        .map_err(|error| Remedy::Start.refuse(error.to_string()))
}

/// A file as the parser reads it, with a mark in place of what is not UTF-8, and as it is.
struct Text {
    source: Source,
    /// The bytes where the text is not the same.
    raw: Option<Vec<u8>>,
}

impl Text {
    fn new(file: &Path, bytes: Vec<u8>, budget: &Budget) -> Result<Text, Diagnostic> {
        let (text, raw) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(not_text) => {
                let bytes = not_text.into_bytes();
                (marked(&bytes, budget)?, Some(bytes))
            }
        };
        let source = Source::new(file.display().to_string(), text).within(budget.clone());
        Ok(Text { source, raw })
    }

    fn bytes(&self) -> &[u8] {
        self.raw.as_deref().unwrap_or(self.source.text.as_bytes())
    }
}

/// Bytes as text, with a mark in place of what is not UTF-8.
fn marked(bytes: &[u8], budget: &Budget) -> Result<String, Diagnostic> {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        budget.steps(1 + chunk.valid().len() / 16)?;
        text.push_str(chunk.valid());
        text.extend((!chunk.invalid().is_empty()).then_some(char::REPLACEMENT_CHARACTER));
    }
    Ok(text)
}

/// What the checker read; a file that only the parser understands is a defect of one of them.
fn understood(file: &Path, model: Result<Model, Unreadable>) -> anyhow::Result<Model> {
    let name = file.display();
    match model {
        Err(Unreadable::Stopped(stop)) => Err(Diagnostic::from(stop).into()),
        read => read.with_context(|| {
            format!("{name}: the checker reads it in another way (a defect, please report)")
        }),
    }
}

/// `x.tts.prop`: the property of this file and no other.
pub fn own_property(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".prop");
    name.into()
}

/// `x.tts.prop` or `x.prop`, whichever exists.
pub fn property_beside(file: &Path) -> anyhow::Result<PathBuf> {
    let candidates = [own_property(file), file.with_extension("prop")];
    let found = candidates.iter().find(|path| path.exists()).cloned();
    let (name, beside) = (file.display(), candidates[1].display());
    found.ok_or_else(|| {
        Remedy::Property.refuse(format!("{name}: there is no property beside it ({beside})"))
    })
}

/// Reads the output of `pidlab cover --json`.
pub fn read_answer(path: &Path, budget: &Budget) -> anyhow::Result<Document> {
    read_document(path, FORMAT, |document: &Document| &document.format, budget)
}

/// Reads the output of `pidlab cover --set --json`.
pub fn read_set(path: &Path, budget: &Budget) -> anyhow::Result<SetDocument> {
    read_document(path, SET_FORMAT, |document: &SetDocument| &document.format, budget)
}

fn read_document<T: DeserializeOwned>(
    path: &Path,
    expected: &str,
    format: impl Fn(&T) -> &String,
    budget: &Budget,
) -> anyhow::Result<T> {
    let reader = BufReader::with_capacity(CHUNK, Polled::open(path, budget)?);
    let document: T = serde_json::from_reader(reader)
        .map_err(|error| if error.is_io() { io_error(error.into()) } else { error.into() })
        .with_context(|| format!("{} is not a {expected} document", path.display()))?;
    let found = format(&document);
    if found != expected {
        bail!("{}: format `{found}`, expected `{expected}`", path.display());
    }
    Ok(document)
}

/// The bytes of a file.
pub fn read_bytes(path: &Path, budget: &Budget) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let done = Polled::open(path, budget)?.read_to_end(&mut bytes);
    done.map_err(io_error).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(bytes)
}

/// The limit that ended reading a file, named with what was done; `None` for any other error.
pub fn limit_reached(error: &anyhow::Error, budget: &Budget) -> Option<String> {
    let what = error.downcast_ref::<Diagnostic>()?.limit?;
    Some(format!("reading the input: {}", budget.describe(what)))
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
        let read = self.file.read(&mut buffer[..chunk])?;
        // what was read stays, as it is or in another form
        self.budget.allocate(read as u64).map_err(std::io::Error::other)?;
        Ok(read)
    }
}

/// An error of a [`Polled`] file: the limit it met, or what the system said.
fn io_error(error: std::io::Error) -> anyhow::Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Exhausted>()) {
        Some(&stop) => Diagnostic::from(stop).into(),
        None => error.into(),
    }
}
