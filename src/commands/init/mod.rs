//! `pidlab init`: a commented starter that runs as it is.
//!
//! Starters are the files in `starters/`; each is run by a test. A file that exists is never touched.

use crate::output::{Document, Done, Rows};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Write a commented starter that runs: an experiment, a backend, a generator, a model or a gate for CI
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab init experiment                  then: pidlab run experiment.toml
  pidlab init backend --out mine.py       a Python program that decides
  pidlab init model --out mine.bir        or .tnet, .bp")]
pub struct Args {
    /// Of what
    kind: Kind,
    /// The file to write [default: experiment.toml, backend.py, generator.py, model.LANGUAGE or gate.sh]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Language of a model [default: by the ending of --out, else tnet]
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<Language>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// A small experiment file (TOML)
    Experiment,
    /// A Python program that decides equivalence
    Backend,
    /// A Python program that makes pairs of states, for experiments or as a file
    Generator,
    /// A net, a heap program or a boolean program
    Model,
    /// A shell script that fails if an experiment takes longer than it did
    Gate,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    /// A net with threads, for explore
    Tnet,
    /// A program with a heap, for explore
    Bir,
    /// A boolean program, for cover
    Bp,
}

impl Language {
    fn of_file(path: &Path) -> Option<Language> {
        let ending = path.extension()?.to_str()?;
        <Language as clap::ValueEnum>::from_str(ending, false).ok()
    }

    /// Of a model: as asked for, and as its file will be read.
    fn chosen(asked: Option<Language>, out: Option<&Path>) -> Result<Language> {
        let Some(path) = out else { return Ok(asked.unwrap_or(Language::Tnet)) };
        match (Language::of_file(path), asked) {
            (Some(ending), Some(asked)) if ending != asked => {
                bail!("{}: the ending says another language than --language", path.display())
            }
            (Some(language), _) => Ok(language),
            (None, _) => bail!("{}: a model ends in .tnet, .bir or .bp", path.display()),
        }
    }
}

/// What is written, and what can be done with it.
struct Starter {
    text: &'static str,
    file: &'static str,
    next: fn(&str) -> Vec<String>,
}

const EXPERIMENT: Starter = Starter {
    text: include_str!("starters/experiment.toml"),
    file: "experiment.toml",
    next: |file| {
        let then = ["analyse", "plot", "report"];
        let then = then.map(|command| format!("pidlab {command} results/local/mine-small"));
        [vec![format!("pidlab run {file}")], then.to_vec()].concat()
    },
};

const BACKEND: Starter = Starter {
    text: include_str!("starters/backend.py"),
    file: "backend.py",
    next: |file| {
        let backend = format!("--backend \"external:python3 {file}\"");
        vec![
            format!("pidlab check A.json B.json {backend} --check"),
            format!("pidlab run iscis09 --scale smoke --backend canon {backend}"),
        ]
    },
};

const GENERATOR: Starter = Starter {
    text: include_str!("starters/generator.py"),
    file: "generator.py",
    next: |file| {
        vec![
            format!("python3 {file} --pairs > pairs.jsonl"),
            "pidlab check --pairs pairs.jsonl --json".to_string(),
        ]
    },
};

const GATE: Starter = Starter {
    text: include_str!("starters/gate.sh"),
    file: "gate.sh",
    next: |file| vec![format!("sh {file} keep"), format!("sh {file}")],
};

const NET: Starter = Starter {
    text: include_str!("starters/model.tnet"),
    file: "model.tnet",
    next: |file| vec![format!("pidlab explore {file}"), format!("pidlab lint {file}")],
};

const HEAP_PROGRAM: Starter = Starter {
    text: include_str!("starters/model.bir"),
    file: "model.bir",
    next: |file| {
        let explore = format!("pidlab explore {file} --set N=3");
        vec![explore.clone(), format!("{explore} --thread-symmetry exact")]
    },
};

const BOOLEAN_PROGRAM: Starter = Starter {
    text: include_str!("starters/model.bp"),
    file: "model.bp",
    next: |file| {
        vec![
            format!("pidlab cover {file}"),
            format!("pidlab cover {file} --json > answer.json"),
            format!("pidlab verify {file} --answer answer.json"),
        ]
    },
};

impl Starter {
    fn of(args: &Args) -> Result<Starter> {
        if args.kind != Kind::Model && args.language.is_some() {
            bail!("--language is for models");
        }
        Ok(match args.kind {
            Kind::Experiment => EXPERIMENT,
            Kind::Backend => BACKEND,
            Kind::Generator => GENERATOR,
            Kind::Gate => GATE,
            Kind::Model => match Language::chosen(args.language, args.out.as_deref())? {
                Language::Tnet => NET,
                Language::Bir => HEAP_PROGRAM,
                Language::Bp => BOOLEAN_PROGRAM,
            },
        })
    }
}

pub fn run(args: Args) -> Result<Done> {
    let starter = Starter::of(&args)?;
    let path = args.out.unwrap_or_else(|| starter.file.into());
    write_new(&path, starter.text)?;
    let path = path.display().to_string();
    let next = (starter.next)(&quoted(&path));
    Ok(Written { format: "pidlab-init/1", kind: args.kind, path, next }.into())
}

/// Writes a file that is not there yet; a link that leads nowhere counts as a file.
fn write_new(path: &Path, text: &str) -> Result<()> {
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{} exists and is left as it is; give another file with --out", path.display())
        }
        Err(error) => {
            return Err(error).with_context(|| format!("cannot write {}", path.display()));
        }
    };
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

/// As a word for a shell, and for the command of an external backend.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./+,:@%".contains(c);
    match word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[derive(Serialize)]
struct Written {
    format: &'static str,
    kind: Kind,
    path: String,
    /// Commands to go on with.
    next: Vec<String>,
}

impl Document for Written {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "wrote {}; try:", self.path)?;
        self.next.iter().try_for_each(|command| writeln!(out, "  {command}"))
    }

    fn rows(&self) -> Result<Rows> {
        Rows::of("kind path next", [self])
    }
}
