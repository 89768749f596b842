//! The result table of a run folder, read back: `rows.parquet`, or `rows.csv` where only that was kept.

use crate::store::manifest::Manifest;
use anyhow::{Context, bail};
use pidlab_analysis::{Table, Values};
use std::io::Read;
use std::path::Path;

pub fn read(folder: &Path) -> anyhow::Result<Table> {
    let (parquet, csv) = (folder.join("rows.parquet"), folder.join("rows.csv"));
    if parquet.exists() {
        return Table::read_parquet(&parquet).context(
            "the result table cannot be read; `pidlab run` with the same options writes it again",
        );
    }
    if csv.exists() {
        let file =
            std::fs::File::open(&csv).with_context(|| format!("cannot read {}", csv.display()))?;
        return parse(file).with_context(|| format!("{}", csv.display()));
    }
    let run = Manifest::read(folder)?;
    bail!(
        "{} has no rows.parquet and no rows.csv; is the run complete? `pidlab run` of `{}` at scale {} in this folder continues it; rows that were not kept have to be made again",
        folder.display(),
        run.experiment,
        run.scale.name()
    )
}

/// A table from CSV (RFC 4180); a column whose fields are all whole numbers becomes one of numbers.
fn parse(text: impl Read) -> anyhow::Result<Table> {
    let mut reader = csv::Reader::from_reader(text);
    let names: Vec<String> = reader.headers()?.iter().map(str::to_string).collect();
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for record in reader.into_records() {
        for (column, field) in columns.iter_mut().zip(record?.iter()) {
            column.push(field.to_string());
        }
    }
    let wholes = |column: &Vec<String>| -> Option<Vec<u64>> {
        column.iter().map(|field| field.parse().ok()).collect()
    };
    let typed = names.iter().zip(&columns).map(|(name, column)| {
        let values = match wholes(column) {
            Some(numbers) => Values::Whole(numbers),
            None => Values::Text(column.iter().map(String::as_str).collect()),
        };
        (name.as_str(), values)
    });
    Ok(Table::new(typed.collect())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_as_we_write_it_is_read_back() {
        let text = "a,b,c\n1,\"x, \"\"y\"\"\",18446744073709551615\n2,z,0\n";
        let table = parse(text.as_bytes()).unwrap();
        assert_eq!(table.wholes("a").unwrap(), [1, 2]);
        assert_eq!(table.texts("b").unwrap(), ["x, \"y\"", "z"]);
        assert_eq!(table.wholes("c").unwrap(), [u64::MAX, 0]);
        assert!(parse("a,b\n1\n".as_bytes()).unwrap_err().to_string().contains("line: 2"));
    }
}
