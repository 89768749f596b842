//! `pidlab export`: the table of a run in formats of others.

use crate::output::{Document, Done, Rows};
use anyhow::bail;
use pidlab_harness::store::columns::ColumnDoc;
use pidlab_harness::store::formats::{TableFormat, TypedTable};
use pidlab_harness::store::manifest::Manifest;
use pidlab_harness::store::single;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Write the rows of a run as CSV, Parquet, JSON Lines or ARFF
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pidlab export results/sacs10-smoke > rows.csv
  pidlab export results/sacs10-smoke --format parquet --output rows.parquet")]
pub struct Args {
    /// Run folder, as `pidlab run` printed it
    run: PathBuf,
    /// csv, parquet, jsonl or arff [default: what the file ends in, else csv]
    #[arg(long = "format", value_enum)]
    table_format: Option<TableFormat>,
    /// A new file to write to [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Exported {
    format: &'static str,
    run: String,
    /// The file that was written.
    output: Option<String>,
    rows: usize,
    columns: Vec<ColumnDoc>,
    #[serde(skip)]
    table: TypedTable,
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    table_format: TableFormat,
}

pub fn run(args: Args) -> anyhow::Result<Done> {
    let ending = args.output.as_deref().and_then(TableFormat::of_path);
    let table_format = args.table_format.or(ending).unwrap_or(TableFormat::Csv);
    if let (Some(path), Some(other)) = (&args.output, ending.filter(|other| *other != table_format))
    {
        bail!("{} ends like {other:?} and --format asks for {table_format:?}", path.display());
    }
    if table_format == TableFormat::Parquet && args.output.is_none() {
        bail!("Parquet is not text; name a file with --output FILE");
    }
    let manifest = Manifest::read(&args.run)?;
    let table = TypedTable::read(&args.run)?;
    let name = format!("{} {}", manifest.experiment, manifest.scale.name());
    if let Some(path) = &args.output {
        let mut bytes = Vec::new();
        table.write(table_format, &name, &mut bytes)?;
        single::add(path, &bytes)?;
    }
    let document = Exported {
        format: "pidlab-export/1",
        run: args.run.display().to_string(),
        output: args.output.map(|path| path.display().to_string()),
        rows: table.rows(),
        columns: table.columns.clone(),
        table,
        name,
        table_format,
    };
    Ok(document.into())
}

impl Document for Exported {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.output {
            Some(path) => writeln!(out, "{} rows in {path}", self.rows),
            None => self.table.write(self.table_format, &self.name, out).map_err(io::Error::other),
        }
    }

    /// What the columns mean.
    fn rows(&self) -> anyhow::Result<Rows> {
        Rows::of("name type description", &self.columns)
    }

    fn is_file(&self) -> bool {
        self.output.is_none()
    }
}
