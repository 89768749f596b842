//! The table of a run in formats of others: CSV, Parquet, JSON Lines, ARFF (Weka).
//!
//! Tables of earlier versions and such as were kept as CSV alone get the types that their columns have now.

use super::columns::{self, ColumnDoc, ColumnType};
use crate::analyse::table;
use pidlab_analysis::{Cells, Table, TableError, Values};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

/// A format that a table can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TableFormat {
    /// Comma-separated values (RFC 4180)
    Csv,
    /// Parquet, with booleans and categories
    Parquet,
    /// JSON Lines: an object a row
    Jsonl,
    /// The attribute-relation format of Weka
    Arff,
}

impl TableFormat {
    /// By the ending of a file.
    pub fn of_path(path: &Path) -> Option<TableFormat> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        <TableFormat as clap::ValueEnum>::from_str(&ending, true).ok()
    }
}

/// The table of a run, with the types of this version.
pub struct TypedTable {
    table: Table,
    /// Its columns.
    pub columns: Vec<ColumnDoc>,
}

impl TypedTable {
    /// Reads that of a run folder.
    pub fn read(folder: &Path) -> anyhow::Result<TypedTable> {
        TypedTable::of(&table::read(folder)?).map_err(Into::into)
    }

    fn of(table: &Table) -> Result<TypedTable, TableError> {
        let (mut typed, mut docs) = (Vec::new(), Vec::new());
        let names = table.columns();
        for name in &names {
            let values = values(table, name)?;
            docs.push(columns::describe(
                name,
                matches!(values, Values::Sparse(_) | Values::Real(_)),
            ));
            typed.push((name.as_str(), values));
        }
        // categories are a matter of the file: here they stay texts
        let texts = typed.into_iter().map(|(name, values)| match values {
            Values::Category(texts) => (name, Values::Text(texts)),
            other => (name, other),
        });
        Ok(TypedTable { table: Table::new(texts.collect())?, columns: docs })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.table.rows()
    }

    /// Writes it; `name` is what it is called where the format wants a name.
    pub fn write(
        &self,
        format: TableFormat,
        name: &str,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        match format {
            TableFormat::Csv => self.csv(out),
            TableFormat::Jsonl => self.json_lines(out),
            TableFormat::Arff => self.arff(name, out),
            TableFormat::Parquet => {
                let names = self.columns.iter().map(|column| column.name.as_str());
                let columns: Result<Vec<_>, TableError> =
                    names.map(|name| Ok((name, values(&self.table, name)?))).collect();
                Ok(Table::new(columns?)?.write_parquet(out)?)
            }
        }
    }

    fn cells(&self) -> Result<Vec<Cells<'_>>, TableError> {
        self.columns.iter().map(|column| self.table.cells(&column.name)).collect()
    }

    fn csv(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(self.columns.iter().map(|column| &column.name))?;
        let cells = self.cells()?;
        for row in 0..self.rows() {
            out.write_record(cells.iter().map(|column| plain(column, row).unwrap_or_default()))?;
        }
        Ok(out.flush()?)
    }

    fn json_lines(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        let cells = self.cells()?;
        for row in 0..self.rows() {
            for (at, (column, values)) in self.columns.iter().zip(&cells).enumerate() {
                let before = if at == 0 { "{" } else { "," };
                let name = Value::from(column.name.as_str());
                write!(out, "{before}{name}:{}", json(values, row))?;
            }
            writeln!(out, "}}")?;
        }
        Ok(())
    }

    /// Categories are nominal attributes, with the values that occur.
    fn arff(&self, name: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        let cells = self.cells()?;
        writeln!(out, "@relation {}\n", quoted(name))?;
        for (column, values) in self.columns.iter().zip(&cells) {
            writeln!(out, "@attribute {} {}", quoted(&column.name), attribute(column, values))?;
        }
        writeln!(out, "\n@data")?;
        for row in 0..self.rows() {
            let fields: Vec<String> = cells.iter().map(|column| arff_field(column, row)).collect();
            writeln!(out, "{}", fields.join(","))?;
        }
        Ok(())
    }
}

/// A column with the type that it has in this version.
fn values<'t>(table: &'t Table, name: &str) -> Result<Values<'t>, TableError> {
    let texts = |texts: Vec<Option<&'t str>>| texts.into_iter().map(Option::unwrap_or_default);
    Ok(match (columns::type_of(name), table.cells(name)?) {
        (Some(ColumnType::Flag), _) => Values::Flag(table.flags(name)?),
        (Some(ColumnType::Category), Cells::Texts(found)) => {
            Values::Category(texts(found).collect())
        }
        (Some(ColumnType::Parameter), Cells::Texts(found)) => parameter(texts(found).collect()),
        (_, Cells::Texts(found)) => Values::Text(texts(found).collect()),
        (Some(ColumnType::Parameter), Cells::Wholes(found)) => {
            Values::Sparse(found.into_iter().map(|one| one.map(|whole| whole as f64)).collect())
        }
        (_, Cells::Wholes(_)) => Values::Whole(table.wholes(name)?),
        (_, Cells::Reals(found)) => Values::Sparse(found),
        (_, Cells::Flags(_)) => Values::Flag(table.flags(name)?),
    })
}

/// A parameter that was kept as text: numbers if all are.
fn parameter(texts: Vec<&str>) -> Values<'_> {
    let number = |text: &&str| text.is_empty() || text.parse::<f64>().is_ok();
    let some = texts.iter().any(|text| !text.is_empty());
    match some && texts.iter().all(number) {
        true => Values::Sparse(texts.into_iter().map(|text| text.parse().ok()).collect()),
        false => Values::Category(texts),
    }
}

/// A field as text; nothing where there is none.
fn plain(cells: &Cells<'_>, row: usize) -> Option<String> {
    match cells {
        Cells::Texts(values) => values[row].map(String::from),
        Cells::Wholes(values) => values[row].map(|value| value.to_string()),
        Cells::Reals(values) => values[row].map(|value| value.to_string()),
        Cells::Flags(values) => values[row].map(|value| value.to_string()),
    }
}

fn json(cells: &Cells<'_>, row: usize) -> Value {
    match cells {
        Cells::Texts(values) => values[row].into(),
        Cells::Wholes(values) => values[row].into(),
        Cells::Reals(values) => values[row].into(),
        Cells::Flags(values) => values[row].into(),
    }
}

/// Numbers of ARFF are floating point: larger ones, such as hashes, would lose digits.
const EXACT: u64 = 1 << 53;

fn attribute(column: &ColumnDoc, cells: &Cells<'_>) -> String {
    let text = columns::type_of(&column.name) == Some(ColumnType::Text);
    match cells {
        Cells::Wholes(values) if values.iter().flatten().any(|&whole| whole > EXACT) => {
            "string".into()
        }
        Cells::Wholes(_) | Cells::Reals(_) => "numeric".into(),
        Cells::Flags(_) => "{false,true}".into(),
        Cells::Texts(_) if text => "string".into(),
        Cells::Texts(values) => {
            let found: BTreeSet<&str> =
                values.iter().flatten().copied().filter(|value| !value.is_empty()).collect();
            let found: Vec<String> = found.into_iter().map(quoted).collect();
            format!("{{{}}}", found.join(","))
        }
    }
}

fn arff_field(cells: &Cells<'_>, row: usize) -> String {
    match (plain(cells, row), cells) {
        (None, _) => "?".into(),
        (Some(text), Cells::Texts(_)) if text.is_empty() => "?".into(),
        (Some(text), Cells::Texts(_)) => quoted(&text),
        (Some(text), _) => text,
    }
}

/// A name or text as ARFF has it: in quotes unless it is plain.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.into(),
        false => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: TableFormat) -> String {
        let table = Table::new(vec![
            ("row", Values::Whole(vec![0, 1])),
            ("backend", Values::Text(vec!["canon", "it's, mine"])),
            ("obvious", Values::Text(vec!["yes", "no"])),
            ("set_pid_share", Values::Text(vec!["0.5", ""])),
            ("pair", Values::Whole(vec![u64::MAX, 1])),
            ("message", Values::Text(vec!["", "no\\ \"file\""])),
        ]);
        let mut out = Vec::new();
        TypedTable::of(&table.unwrap()).unwrap().write(format, "mini smoke", &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn tables_of_earlier_versions_get_types() {
        assert_eq!(
            written(TableFormat::Csv),
            "row,backend,obvious,set_pid_share,pair,message\n0,canon,true,0.5,18446744073709551615,\n1,\"it's, mine\",false,,1,\"no\\ \"\"file\"\"\"\n"
        );
        let lines = written(TableFormat::Jsonl);
        let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        assert_eq!((&first["obvious"], &first["pair"]), (&true.into(), &u64::MAX.into()));
        let second: Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
        assert_eq!(
            (&second["set_pid_share"], second.as_object().unwrap().len()),
            (&Value::Null, 6)
        );
    }

    #[test]
    fn weka_gets_nominal_attributes() {
        let text = written(TableFormat::Arff);
        for line in [
            "@relation 'mini smoke'",
            "@attribute backend {canon,'it\\'s, mine'}",
            "@attribute obvious {false,true}",
            "@attribute set_pid_share numeric",
            "@attribute message string",
            "1,'it\\'s, mine',false,?,1,'no\\\\ \"file\"'",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in {text}");
        }
    }
}
