//! `pidlab generate transform`: a state similar to a given one.

use super::Common;
use crate::input;
use crate::output::{Document, Done, Rows};
use anyhow::bail;
use pidlab_generators::transform::{REGISTRY, UnknownTransformation};
use pidlab_generators::{Rng, Transformation, apply};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// A state similar to a given one, by the papers' transformations
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab generate transform --list
  pidlab generate transform q.json --kind rename > r.json")]
pub struct Args {
    /// State to start from
    #[arg(required_unless_present = "list")]
    state: Option<PathBuf>,
    /// Transformation, NAME or NAME:STRENGTH; give it several times to compose them. See --list
    #[arg(long, required_unless_present = "list")]
    kind: Vec<String>,
    /// Share of vectors, components or pids to touch, for all kinds given without a strength
    #[arg(long, default_value_t = 1.0)]
    strength: f64,
    /// Number of the stream of the seed, such as the number of a row
    #[arg(long, default_value_t = 0)]
    stream: u64,
    /// List the transformations, their sources and what they guarantee
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    common: Common,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    if args.list {
        return Ok(list().into());
    }
    let Some(path) = args.state else { bail!("a state to start from is needed") };
    let state = input::load_state(&path, false)?;
    let steps: Vec<Transformation> =
        args.kind.iter().map(|kind| parse_step(kind, args.strength)).collect::<Result<_, _>>()?;
    let made = apply(&steps, &state, &mut Rng::new(args.common.seed, args.stream))?;
    let about = format!("beside {}: {}", path.display(), made.guarantee);
    args.common.done(made.state, &about)
}

#[derive(Serialize)]
struct Listing {
    format: &'static str,
    transformations: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    about: &'static str,
    source: &'static str,
    guarantee: &'static str,
}

fn list() -> Listing {
    let rows = REGISTRY.iter().map(|entry| Row {
        name: entry.name,
        about: entry.about,
        source: entry.source,
        guarantee: entry.guarantee,
    });
    Listing { format: "pidlab-transformations/1", transformations: rows.collect() }
}

impl Document for Listing {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for Row { name, about, source, guarantee } in &self.transformations {
            writeln!(out, "{name:<19} {about}")?;
            writeln!(out, "{:<19} {source}; guarantee: {guarantee}", "")?;
        }
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("name source guarantee about", &self.transformations)
    }
}

/// NAME:STRENGTH, or NAME with the strength given for all.
fn parse_step(text: &str, strength: f64) -> Result<Transformation, UnknownTransformation> {
    match text.contains(':') {
        true => text.parse(),
        false => Ok(Transformation { kind: text.parse()?, strength }),
    }
}
