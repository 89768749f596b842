//! `pidlab setup python`: the Python environment of the adapters, made or brought up to date.

use crate::outcome::Outcome;
use crate::output;
use anyhow::{Context, Result};
use pidlab_backends::external::python::interpreter;
use pidlab_backends::external::python::setup::{Environment, folder, make, program_in};
use serde_json::json;

/// Set up what some backends need and does not come with the program
#[derive(clap::Args)]
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
struct PythonArgs {
    /// Only these: sage, networkx, igraph, pynauty, dejavu, snakes [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    with: Vec<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Outcome> {
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
    match args.json {
        true => output::json(&document(&made))?,
        false => print(&made),
    }
    Ok(Outcome::Yes)
}

fn document(made: &Environment) -> serde_json::Value {
    json!({
        "format": "pidlab-setup/1",
        "folder": made.folder,
        "program": program_in(&made.folder),
        "changed": made.changed,
        "python": made.record.python,
        "with": made.record.with,
        "packages": made.record.packages,
    })
}

fn print(made: &Environment) {
    let what = if made.changed { "made" } else { "up to date" };
    outln!("{what}: {}", made.folder.display());
    outln!("Python {} with {}", made.record.python, made.record.with.join(", "));
    for (name, version) in &made.record.packages {
        outln!("  {name} {version}");
    }
}
