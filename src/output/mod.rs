//! What commands return, and the three ways in which it is printed.
//!
//! A command returns a [`Document`]: a serde struct that knows its exit code, its text for people and its
//! rows. [`Stream`] is the one printer of all three forms; `main` prints a document with it, and a
//! command that answers line by line shows its answers itself, in constant memory.

pub mod color;
mod rows;
mod states;
mod stdout;

pub use color::{Painted, painted};
pub use rows::Rows;
pub use states::{StateDocument, Written, write};
pub use stdout::{Failure, Stdout, finish, has_failed};

use crate::outcome::Outcome;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, BufWriter, Write};
use stdout::Visible;

/// How a document is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// For people
    #[value(name = "table")]
    Text,
    Json,
    Csv,
}

/// The result of a command.
pub trait Document: Json {
    fn outcome(&self) -> Outcome {
        Outcome::Yes
    }

    /// For people.
    fn text(&self, out: &mut dyn Write) -> io::Result<()>;

    /// For CSV.
    fn rows(&self) -> anyhow::Result<Rows>;

    /// Whether the text is a file of a format of its own, to be passed on as it is.
    fn is_file(&self) -> bool {
        false
    }
}

/// What can be written as JSON: whatever serde can write, also behind a pointer.
pub trait Json {
    fn json(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl<T: Serialize> Json for T {
    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        Ok(serde_json::to_writer(out, self)?)
    }
}

/// What a command leaves to be done.
pub enum Done {
    Document(Box<dyn Document>),
    /// The document, and something else that was asked for and could not be done: exit code 2.
    Incomplete(Box<dyn Document>, anyhow::Error),
    /// All has been printed, as by [`Stream`], or is in files.
    Shown(Outcome),
}

impl<D: Document + 'static> From<D> for Done {
    fn from(document: D) -> Done {
        Done::Document(Box::new(document))
    }
}

impl Done {
    /// Prints what is left; the outcome of the command.
    pub fn print(self, form: Form) -> anyhow::Result<Outcome> {
        match self {
            Done::Document(document) => {
                Stream::new(form).show(&*document)?;
                Ok(document.outcome())
            }
            Done::Incomplete(document, error) => {
                Stream::new(form).show(&*document)?;
                Err(error)
            }
            Done::Shown(outcome) => Ok(outcome),
        }
    }
}

/// Prints a document; CSV below the names of its columns if these are wanted.
pub fn print(
    form: Form,
    with_columns: bool,
    document: &dyn Document,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    match form {
        Form::Text if document.is_file() => document.text(out)?,
        Form::Text => document.text(&mut Visible(out))?,
        Form::Json => {
            document.json(&mut Visible(&mut *out))?;
            writeln!(out)?;
        }
        Form::Csv => document.rows()?.write(with_columns, out)?,
    }
    Ok(())
}

/// Documents one after the other, each printed as it comes: text, JSON Lines, or CSV below one header.
pub struct Stream {
    form: Form,
    begun: bool,
    out: BufWriter<Stdout>,
}

impl Stream {
    pub fn new(form: Form) -> Stream {
        Stream { form, begun: false, out: BufWriter::new(Stdout) }
    }

    pub fn show(&mut self, document: &dyn Document) -> anyhow::Result<()> {
        print(self.form, !self.begun, document, &mut self.out)?;
        self.begun = true;
        Ok(self.flush()?)
    }

    /// What [`print`] made of a document elsewhere.
    pub fn pass_on(&mut self, printed: &[u8]) -> io::Result<()> {
        self.out.write_all(printed)
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Text about a part of what a document will hold, as soon as it is known; only people want it early.
    pub fn part(&mut self, text: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match self.form {
            Form::Text => {
                text(&mut Visible(&mut self.out))?;
                self.out.flush()
            }
            Form::Json | Form::Csv => Ok(()),
        }
    }
}

/// Prints text that did not come from a command as it is.
pub fn verbatim(text: &str) -> io::Result<()> {
    Stdout.write_all(text.as_bytes())
}

/// A question that stayed open, or whose answers contradict each other: why, and what is known all the same.
#[derive(Serialize)]
pub struct Open {
    #[serde(flatten)]
    known: Value,
    reason: String,
    #[serde(skip)]
    outcome: Outcome,
}

impl Open {
    /// Says why on standard error.
    pub fn new(outcome: Outcome, reason: String, known: Value) -> Open {
        match outcome {
            Outcome::Undecided => note!("undecided: {reason}"),
            _ => note!("error: {reason}"),
        }
        Open { known, reason, outcome }
    }
}

impl Document for Open {
    fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// It has been said on standard error.
    fn text(&self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("*", [self])
    }
}

/// A table to read, with the line of its verdict in the colour of that.
pub fn write_table(table: &str, outcome: Outcome, out: &mut dyn Write) -> io::Result<()> {
    table.split_inclusive('\n').try_for_each(|line| match line.starts_with("verdict:") {
        true => write!(out, "{}", painted(outcome, line)),
        false => out.write_all(line.as_bytes()),
    })
}

/// Names of relations, as documents list them.
pub fn names(relations: pidlab_core::Relations) -> Vec<&'static str> {
    relations.iter().map(|relation| relation.name()).collect()
}

/// Paths as text; what is not UTF-8 in them is shown as �.
pub fn paths(paths: &[std::path::PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}
