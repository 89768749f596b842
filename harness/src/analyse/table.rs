//! The result table of a run folder, read back: `rows.parquet`, or `rows.csv` where only that was kept.

use anyhow::{Context, bail};
use pidlab_analysis::{Table, Values};
use std::path::Path;

pub fn read(folder: &Path) -> anyhow::Result<Table> {
    let (parquet, csv) = (folder.join("rows.parquet"), folder.join("rows.csv"));
    if parquet.exists() {
        return Table::read_parquet(&parquet).context(
            "the result table cannot be read; `pidlab run` with the same options writes it again",
        );
    }
    if csv.exists() {
        let text = std::fs::read_to_string(&csv)
            .with_context(|| format!("cannot read {}", csv.display()))?;
        return parse(&text).with_context(|| format!("{}", csv.display()));
    }
    bail!(
        "{} has no rows.parquet and no rows.csv; is the run complete? `pidlab run` with the same options continues it",
        folder.display()
    )
}

/// A table from CSV (RFC 4180); a column whose fields are all whole numbers becomes one of numbers.
fn parse(text: &str) -> anyhow::Result<Table> {
    let mut lines = text.lines().enumerate();
    let names = fields(lines.next().map_or("", |(_, line)| line));
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for (number, line) in lines {
        let found = fields(line);
        if found.len() != names.len() {
            bail!("line {}: {} fields, expected {}", number + 1, found.len(), names.len());
        }
        for (column, field) in columns.iter_mut().zip(found) {
            column.push(field);
        }
    }
    let values = |column: &'_ Vec<String>| -> Option<Vec<u64>> {
        column.iter().map(|field| field.parse().ok()).collect()
    };
    let typed = names.iter().zip(&columns).map(|(name, column)| {
        let values = match values(column) {
            Some(numbers) => Values::Whole(numbers),
            None => Values::Text(column.iter().map(String::as_str).collect()),
        };
        (name.as_str(), values)
    });
    Ok(Table::new(typed.collect())?)
}

/// The fields of one line; a doubled quote inside quotes is one.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let last = fields.len() - 1;
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                fields[last].push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields[last].push(c),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_as_we_write_it_is_read_back() {
        let table = parse("a,b,c\n1,\"x, \"\"y\"\"\",18446744073709551615\n2,z,0\n").unwrap();
        assert_eq!(table.wholes("a").unwrap(), [1, 2]);
        assert_eq!(table.texts("b").unwrap(), ["x, \"y\"", "z"]);
        assert_eq!(table.wholes("c").unwrap(), [u64::MAX, 0]);
        assert!(parse("a,b\n1\n").unwrap_err().to_string().contains("line 2"));
    }
}
