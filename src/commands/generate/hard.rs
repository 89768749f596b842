//! `pidlab generate hard`: instances of hard families.

use super::Common;
use crate::output::{Document, Done, Rows};
use anyhow::bail;
use pidlab_generators::hard::{Family, REGISTRY, Variant, instance};
use serde::Serialize;
use std::io::{self, Write};

/// A state of a hard family: base, equivalent to it, or a twin that is not
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab generate hard --list
  pidlab generate hard --family cubic --size 20 --variant twin > twin.json")]
pub struct Args {
    /// Family; see --list
    #[arg(long, required_unless_present = "list")]
    family: Option<Family>,
    /// Size, in the family's own unit; see --list
    #[arg(long, required_unless_present = "list")]
    size: Option<usize>,
    /// base, equivalent or twin
    #[arg(long, default_value = "base")]
    variant: Variant,
    /// List the families, their sizes and twins
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct Listing {
    format: &'static str,
    families: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    size: &'static str,
    least: usize,
    largest: usize,
    about: &'static str,
    twin: Option<&'static str>,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    if args.list {
        return Ok(list().into());
    }
    let (Some(family), Some(size)) = (args.family, args.size) else {
        bail!("--family and --size are needed; --list shows the families");
    };
    let made = instance(family, size, args.variant, args.common.seed)?;
    let about = match args.variant {
        Variant::Base => format!("{family} of size {size}"),
        _ => format!("{family} of size {size}; beside the base state: {}", made.guarantee),
    };
    args.common.done(made.state, &about)
}

fn list() -> Listing {
    let families = REGISTRY.iter().map(|entry| Row {
        name: entry.name,
        size: entry.size,
        least: entry.sizes.0,
        largest: entry.sizes.1,
        about: entry.about,
        twin: entry.twin,
    });
    Listing { format: "pidlab-families/1", families: families.collect() }
}

impl Document for Listing {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for Row { name, size, least, largest, about, twin } in &self.families {
            writeln!(out, "{name:<17} {about}")?;
            writeln!(out, "{:<17} size: {size}; {least} to {largest}", "")?;
            writeln!(out, "{:<17} twin: {}", "", twin.unwrap_or("none"))?;
        }
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("name size least largest about twin", &self.families)
    }
}
