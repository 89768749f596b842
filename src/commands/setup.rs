//! `pidlab setup python`: the Python environment of the adapters, made or brought up to date.

use crate::output::{Document, Done, Rows};
use anyhow::{Context, Result};
use pidlab_backends::external::python::interpreter;
use pidlab_backends::external::python::setup::{Environment, folder, make, program_in};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

/// Set up what some backends need and does not come with the program
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab setup python
  pidlab setup python --with networkx,igraph")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Make a Python environment with the programs of the papers and others, in pinned versions
    ///
    /// It lies in pidlab/python under XDG_CACHE_HOME or ~/.cache; backends find it there. A second call changes
    /// nothing unless more packages are asked for. Needs Python 3 and the network; PIDLAB_PYTHON names the
    /// Python to make it with.
    Python(PythonArgs),
}

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab setup python
  pidlab setup python --with networkx,igraph")]
struct PythonArgs {
    /// Only these: sage, networkx, igraph, pynauty, dejavu, snakes [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    with: Vec<String>,
}

pub fn run(args: Args) -> Result<Done> {
    let What::Python(args) = args.what;
    let folder = folder()?;
    note!(
        "looking at {} (packages are installed if they are missing, which can take minutes)",
        folder.display()
    );
    let made = make(&folder, &args.with, &interpreter::base()).with_context(|| match args.with.len() {
        1 => "the Python environment",
        _ => "the Python environment (fewer packages: --with networkx, or another of the list in --help)",
    })?;
    Ok(SetUp::from(made).into())
}

/// What is in the environment.
#[derive(Serialize)]
struct SetUp {
    format: &'static str,
    folder: PathBuf,
    program: PathBuf,
    changed: bool,
    python: String,
    with: Vec<String>,
    packages: BTreeMap<String, String>,
}

impl From<Environment> for SetUp {
    fn from(made: Environment) -> SetUp {
        SetUp {
            format: "pidlab-setup/1",
            program: program_in(&made.folder),
            folder: made.folder,
            changed: made.changed,
            python: made.record.python,
            with: made.record.with,
            packages: made.record.packages.into_iter().collect(),
        }
    }
}

#[derive(Serialize)]
struct Package<'s> {
    package: &'s str,
    version: &'s str,
}

impl Document for SetUp {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let what = if self.changed { "made" } else { "up to date" };
        writeln!(out, "{what}: {}", self.folder.display())?;
        writeln!(out, "Python {} with {}", self.python, self.with.join(", "))?;
        self.packages.iter().try_for_each(|(name, version)| writeln!(out, "  {name} {version}"))
    }

    fn rows(&self) -> Result<Rows> {
        let packages = self.packages.iter();
        Rows::of("package version", packages.map(|(package, version)| Package { package, version }))
    }
}
