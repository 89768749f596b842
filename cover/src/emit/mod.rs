//! A question in another format, such that reading it again gives the same verdict.
//!
//! | format | what it cannot say | what is done about it |
//! |---|---|---|
//! | `.lgfsm`, `.tts` | steps that are not of one thread | a shared state for each token that moves (`threads`) |
//! | `.tts` | where threads start | steps that put them there |
//! | `.spec` | tokens that choose where they go | refused |
//! | `.pnml` | broadcasts | refused |
//! | `.pnml` | any number of tokens | a transition that makes them |
//!
//! Cost: the size of the net.

mod pnml;
mod spec;
mod threads;

use crate::budget::{Budget, Exhausted};
use crate::config::Config;
use crate::net::Net;
use std::fmt;
use std::str::FromStr;

/// A format that questions can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmitFormat {
    /// A local/global machine.
    Lgfsm,
    /// A thread transition system, with a property beside it.
    Tts,
    /// A Petri net of the MIST suite.
    Spec,
    /// A place/transition net in PNML, with a property beside it.
    Pnml,
}

impl EmitFormat {
    /// All of them.
    pub const ALL: [EmitFormat; 4] =
        [EmitFormat::Lgfsm, EmitFormat::Tts, EmitFormat::Spec, EmitFormat::Pnml];

    /// Its name, which is the ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            EmitFormat::Lgfsm => "lgfsm",
            EmitFormat::Tts => "tts",
            EmitFormat::Spec => "spec",
            EmitFormat::Pnml => "pnml",
        }
    }
}

impl fmt::Display for EmitFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EmitFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<EmitFormat, String> {
        let known = EmitFormat::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| "expected lgfsm, tts, spec or pnml".into())
    }
}

/// A question as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The model.
    pub model: String,
    /// The property, where the format keeps it in a file of its own.
    pub property: Option<String>,
}

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// The format cannot say it.
    #[error("a .{format} file cannot express {what}")]
    Inexpressible {
        /// The name of the format.
        format: &'static str,
        /// What it cannot say.
        what: String,
        /// Where the model says it, where it is one line.
        line: Option<u32>,
    },
    /// A limit was reached.
    #[error(transparent)]
    Limit(#[from] Exhausted),
}

/// Writes a question in a format.
pub fn emit(net: &Net, format: EmitFormat, budget: &Budget) -> Result<Emitted, EmitError> {
    if let Some(empty) = net.targets.iter().position(|target| target.entries().is_empty()) {
        return Err(refuse(format, format!("target {}, which asks for nothing", empty + 1)));
    }
    match format {
        EmitFormat::Lgfsm | EmitFormat::Tts => threads::emit(net, format, budget),
        EmitFormat::Spec => spec::emit(net, budget),
        EmitFormat::Pnml => pnml::emit(net, budget),
    }
}

impl EmitError {
    /// Where the model says what the format cannot.
    pub fn line(&self) -> Option<u32> {
        match self {
            EmitError::Inexpressible { line, .. } => *line,
            EmitError::Limit(_) => None,
        }
    }

    /// Of a transition that stands there; 0 is nowhere.
    fn at_line(mut self, of: u32) -> EmitError {
        if let EmitError::Inexpressible { line, .. } = &mut self {
            *line = Some(of).filter(|line| *line > 0);
        }
        self
    }
}

fn refuse(format: EmitFormat, what: impl Into<String>) -> EmitError {
    EmitError::Inexpressible { format: format.name(), what: what.into(), line: None }
}

/// The same of a transition, which is shown.
fn refuse_transition(format: EmitFormat, net: &Net, number: usize, why: &str) -> EmitError {
    let what = format!("the transition `{}`, {why}", net.describe(number));
    refuse(format, what).at_line(net.transitions[number].line)
}

/// Names that a format accepts: those of the net where they are words, numbers elsewhere.
fn words(net: &Net, reserved: &[&str], budget: &Budget) -> Result<Vec<String>, Exhausted> {
    let mut taken = rustc_hash::FxHashSet::default();
    let mut names = Vec::with_capacity(net.places.len());
    let is_word = |name: &str| {
        name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
            && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric())
            && !reserved.contains(&name)
    };
    let own: rustc_hash::FxHashSet<&str> = net.places.iter().filter(|name| is_word(name)).collect();
    for (i, name) in net.places.iter().enumerate() {
        budget.steps(1)?;
        let mut word = name.to_string();
        if !is_word(name) || !taken.insert(word.clone()) {
            word = format!("p{i}");
            while own.contains(word.as_str()) || !taken.insert(word.clone()) {
                budget.steps(1)?;
                word.insert(0, 'p');
            }
        }
        names.push(word);
    }
    Ok(names)
}

/// `x >= 1, y >= 2`
fn conditions(target: &Config, names: &[String]) -> String {
    let terms = target.entries().iter().map(|&(p, n)| format!("{} >= {n}", names[p as usize]));
    terms.collect::<Vec<_>>().join(", ")
}

/// Which places have other names in the file, as comment lines.
fn legend(net: &Net, names: &[String], mark: &str) -> String {
    let others = net.places.iter().zip(names).filter(|(name, word)| name != word);
    let plain = |name: &str| name.replace(|c: char| c.is_control(), " ");
    others.map(|(name, word)| format!("{mark} {word} is {}\n", plain(name))).collect()
}
