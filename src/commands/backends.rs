//! `pidlab backends`: what can decide equivalence here.

use crate::outcome::Outcome;
use crate::output;
use anyhow::Result;
use pidlab_backends::{Exactness, Info, registry};
use serde_json::json;

#[derive(clap::Args)]
pub struct Args {
    /// Print a JSON array
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Result<Outcome> {
    let infos = registry::list();
    if args.json {
        let list: Vec<_> = infos.iter().map(to_json).collect();
        output::pretty(&list)?;
    } else {
        infos.iter().for_each(print);
    }
    Ok(Outcome::Yes)
}

fn exactness(info: &Info) -> &'static str {
    match info.exactness {
        Exactness::Exact => "exact",
        Exactness::Heuristic => "heuristic",
        Exactness::Partial => "partial",
    }
}

fn to_json(info: &Info) -> serde_json::Value {
    json!({
        "format": "pidlab-backend/1",
        "name": info.name,
        "exactness": exactness(info),
        "source": info.source,
        "available": info.unavailable.is_none(),
        "why_not": info.unavailable,
        "default": info.name == registry::DEFAULT,
    })
}

fn print(info: &Info) {
    let mark = if info.name == registry::DEFAULT { " (default)" } else { "" };
    outln!("{:<16} {:<9} {}{mark}", info.name, exactness(info), info.source);
    if let Some(reason) = &info.unavailable {
        outln!("{:<26} not available: {reason}", "");
    }
}
