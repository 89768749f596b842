//! `pidlab backends`: what can decide equivalence here.

use crate::output::{Document, Done, Rows};
use pidlab_backends::{Exactness, Info, registry};
use serde::Serialize;
use std::io::{self, Write};

/// List the backends: name, exact or heuristic, source, available or not and why
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab backends
  pidlab backends --json | jq '.[] | select(.available) | .name'")]
pub struct Args {}

#[derive(Serialize)]
struct Backends(Vec<ListedBackend>);

#[derive(Serialize)]
struct ListedBackend {
    format: &'static str,
    name: String,
    exactness: &'static str,
    source: String,
    available: bool,
    why_not: Option<String>,
    default: bool,
}

pub fn run(_: Args) -> anyhow::Result<Done> {
    Ok(Backends(registry::list().into_iter().map(entry).collect()).into())
}

fn entry(info: Info) -> ListedBackend {
    ListedBackend {
        format: "pidlab-backend/1",
        exactness: match info.exactness {
            Exactness::Exact => "exact",
            Exactness::Heuristic => "heuristic",
            Exactness::Partial => "partial",
        },
        available: info.unavailable.is_none(),
        default: info.name == registry::DEFAULT,
        name: info.name,
        source: info.source,
        why_not: info.unavailable,
    }
}

impl Document for Backends {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for entry in &self.0 {
            let mark = if entry.default { " (default)" } else { "" };
            writeln!(out, "{:<16} {:<9} {}{mark}", entry.name, entry.exactness, entry.source)?;
            if let Some(reason) = &entry.why_not {
                writeln!(out, "{:<26} not available: {reason}", "")?;
            }
        }
        writeln!(
            out,
            "\nyour own: any program that reads and writes JSON Lines, as --backend 'external:COMMAND';"
        )?;
        writeln!(
            out,
            "pidlab init backend writes one in Python, docs/external-backends.md has the protocol"
        )
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("name exactness available default source why_not", &self.0)
    }
}
