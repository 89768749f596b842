//! `pidlab generate transform`: a state similar to a given one.

use super::Common;
use crate::input;
use crate::outcome::Outcome;
use crate::output;
use anyhow::bail;
use pidlab_generators::transform::{REGISTRY, UnknownTransformation};
use pidlab_generators::{Rng, Transformation, apply};
use serde_json::json;
use std::path::PathBuf;

/// A state similar to a given one, by the papers' transformations
#[derive(clap::Args)]
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

pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if args.list {
        return list(args.common.json);
    }
    let Some(path) = args.state else { bail!("a state to start from is needed") };
    let state = input::load_state(&path, false)?;
    let steps: Vec<Transformation> =
        args.kind.iter().map(|kind| parse_step(kind, args.strength)).collect::<Result<_, _>>()?;
    let made = apply(&steps, &state, &mut Rng::new(args.common.seed, args.stream))?;
    let about = format!("{} to {}", made.guarantee, path.display());
    args.common.write(&made.state, &about)
}

fn list(as_json: bool) -> anyhow::Result<Outcome> {
    if as_json {
        let entries: Vec<_> = REGISTRY
            .iter()
            .map(|entry| {
                json!({"name": entry.name, "about": entry.about, "source": entry.source,
                    "guarantee": entry.guarantee})
            })
            .collect();
        let document = json!({"format": "pidlab-transformations/1", "transformations": entries});
        output::json(&document)?;
        return Ok(Outcome::Yes);
    }
    for entry in &REGISTRY {
        outln!("{:<19} {}", entry.name, entry.about);
        outln!("{:<19} {}; guarantee: {}", "", entry.source, entry.guarantee);
    }
    Ok(Outcome::Yes)
}

/// NAME:STRENGTH, or NAME with the strength given for all.
fn parse_step(text: &str, strength: f64) -> Result<Transformation, UnknownTransformation> {
    match text.contains(':') {
        true => text.parse(),
        false => Ok(Transformation { kind: text.parse()?, strength }),
    }
}
