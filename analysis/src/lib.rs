//! Result tables as frames: the only crate that sees polars.
//!
//! A [`Table`] is made from columns, kept as Parquet, and asked for columns, selections, medians by
//! group and counts by pairs of keys. What the numbers mean is the harness's business; how they are
//! judged is that of `pidlab-stats`.
//!
//! ```
//! use pidlab_analysis::{Table, Values};
//!
//! // two variants of state 1, one of state 2
//! let rows = Table::new(vec![
//!     ("state", Values::Whole(vec![1, 1, 2])),
//!     ("seconds", Values::Real(vec![0.1, 0.3, 0.7])),
//! ])?;
//! let medians = rows.medians(&["state"], &["seconds"])?;
//! assert_eq!(medians.wholes("state")?, [1, 2]);
//! assert_eq!(medians.numbers("seconds")?, [0.2, 0.7]);
//! # Ok::<(), pidlab_analysis::TableError>(())
//! ```

#![warn(missing_docs)]

mod sealed;

use polars::prelude::*;
use std::io::{Cursor, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use thiserror::Error;

/// What can go wrong with a table.
#[derive(Debug, Error)]
pub enum TableError {
    /// The file cannot be opened.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a Parquet table.
    #[error("{}: {source}", path.display())]
    Parquet {
        /// Which file.
        path: PathBuf,
        /// What polars says.
        source: PolarsError,
    },
    /// The bytes of the file are not those that were written.
    #[error("{}: the file is damaged: its checksum is wrong", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
    },
    /// A column is missing or of another type.
    #[error("column `{column}`: {source}")]
    Column {
        /// Its name.
        column: String,
        /// What polars says.
        source: PolarsError,
    },
    /// Columns that do not fit together, or a table that cannot be written.
    #[error(transparent)]
    Frame(#[from] PolarsError),
}

/// The values of one column.
pub enum Values<'v> {
    /// Texts.
    Text(Vec<&'v str>),
    /// Whole numbers; numbers of rows and counts stay exact.
    Whole(Vec<u64>),
    /// Numbers; NaN where there is none.
    Real(Vec<f64>),
    /// Texts of which there are few, kept as categories in files.
    Category(Vec<&'v str>),
    /// Yes or no.
    Flag(Vec<bool>),
    /// Numbers that some rows do not have.
    Sparse(Vec<Option<f64>>),
}

/// The values of one column as they are; nothing where a row has none.
pub enum Cells<'t> {
    /// Texts and categories.
    Texts(Vec<Option<&'t str>>),
    /// Whole numbers.
    Wholes(Vec<Option<u64>>),
    /// Numbers.
    Reals(Vec<Option<f64>>),
    /// Yes or no.
    Flags(Vec<Option<bool>>),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Whole(values) => values.len(),
            Values::Real(values) => values.len(),
            Values::Category(values) => values.len(),
            Values::Flag(values) => values.len(),
            Values::Sparse(values) => values.len(),
        }
    }

    fn into_column(self, name: &str) -> PolarsResult<Column> {
        Ok(match self {
            Values::Text(values) => Column::new(name.into(), values),
            Values::Whole(values) => Column::new(name.into(), values),
            Values::Real(values) => Column::new(name.into(), values),
            Values::Category(values) => {
                let categories = DataType::from_categories(Categories::global());
                Column::new(name.into(), values).cast(&categories)?
            }
            Values::Flag(values) => Column::new(name.into(), values),
            Values::Sparse(values) => Column::new(name.into(), values),
        })
    }
}

/// Named columns of equal length.
#[derive(Clone, Debug)]
pub struct Table(DataFrame);

impl Table {
    /// A table of columns; all must have the length of the first.
    pub fn new(columns: Vec<(&str, Values<'_>)>) -> Result<Table, TableError> {
        let height = columns.first().map_or(0, |(_, values)| values.len());
        let columns = columns.into_iter().map(|(name, values)| values.into_column(name));
        Ok(Table(DataFrame::new(height, columns.collect::<PolarsResult<_>>()?)?))
    }

    /// Reads a Parquet file whole; categories become texts.
    pub fn read_parquet(path: &Path) -> Result<Table, TableError> {
        let bytes = std::fs::read(path)
            .map_err(|source| TableError::Io { path: path.to_path_buf(), source })?;
        if sealed::is_damaged(&bytes) {
            return Err(TableError::Damaged { path: path.to_path_buf() });
        }
        let texts = |column: &Column| match column.dtype() {
            DataType::Categorical(..) => column.cast(&DataType::String),
            _ => Ok(column.clone()),
        };
        let frame = without_panic(|| {
            let frame = ParquetReader::new(Cursor::new(bytes)).finish()?;
            let columns = frame.columns().iter().map(texts).collect::<PolarsResult<_>>()?;
            DataFrame::new(frame.height(), columns)
        });
        frame.map(Table).map_err(|source| TableError::Parquet { path: path.to_path_buf(), source })
    }

    /// Writes the table as Parquet, compressed with zstd, with a checksum.
    pub fn write_parquet(&mut self, mut out: impl Write) -> Result<(), TableError> {
        let mut bytes = Vec::new();
        ParquetWriter::new(&mut bytes)
            .with_compression(ParquetCompression::Zstd(None))
            .with_key_value_metadata(Some(sealed::metadata()))
            .finish(&mut self.0)?;
        sealed::seal(&mut bytes);
        out.write_all(&bytes).map_err(|error| TableError::Frame(error.into()))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.0.height()
    }

    /// Names of the columns in order.
    pub fn columns(&self) -> Vec<String> {
        self.0.get_column_names().into_iter().map(|name| name.to_string()).collect()
    }

    fn column(&self, name: &str) -> Result<&Column, TableError> {
        self.0
            .column(name)
            .map_err(|source| TableError::Column { column: name.to_string(), source })
    }

    /// A numeric column; missing values are NaN.
    pub fn numbers(&self, name: &str) -> Result<Vec<f64>, TableError> {
        let wrap = |source| TableError::Column { column: name.to_string(), source };
        let column = self.column(name)?.cast(&DataType::Float64).map_err(wrap)?;
        let values = column.f64().map_err(wrap)?;
        Ok(values.iter().map(|value| value.unwrap_or(f64::NAN)).collect())
    }

    /// A column of whole numbers, exactly; a missing or other value is an error.
    pub fn wholes(&self, name: &str) -> Result<Vec<u64>, TableError> {
        let wrap = |source| TableError::Column { column: name.to_string(), source };
        let column = self.column(name)?.strict_cast(&DataType::UInt64).map_err(wrap)?;
        let values = column.u64().map_err(wrap)?;
        let whole = values.iter().collect::<Option<Vec<u64>>>();
        whole.ok_or_else(|| wrap(polars_err!(ComputeError: "has missing values")))
    }

    /// A text column; missing values are empty.
    pub fn texts(&self, name: &str) -> Result<Vec<&str>, TableError> {
        let wrap = |source| TableError::Column { column: name.to_string(), source };
        let values = self.column(name)?.str().map_err(wrap)?;
        Ok(values.iter().map(|value| value.unwrap_or("")).collect())
    }

    /// A column of yes and no, also as tables of earlier versions and CSV files have it, in words.
    pub fn flags(&self, name: &str) -> Result<Vec<bool>, TableError> {
        match self.cells(name)? {
            Cells::Flags(values) => Ok(values.into_iter().map(|v| v == Some(true)).collect()),
            _ => Ok(self.texts(name)?.into_iter().map(|t| matches!(t, "yes" | "true")).collect()),
        }
    }

    /// A column as it is.
    pub fn cells(&self, name: &str) -> Result<Cells<'_>, TableError> {
        let wrap = |source| TableError::Column { column: name.to_string(), source };
        let column = self.column(name)?;
        Ok(match column.dtype() {
            DataType::Boolean => Cells::Flags(column.bool().map_err(wrap)?.iter().collect()),
            DataType::UInt64 => Cells::Wholes(column.u64().map_err(wrap)?.iter().collect()),
            DataType::Float64 => Cells::Reals(column.f64().map_err(wrap)?.iter().collect()),
            _ => Cells::Texts(column.str().map_err(wrap)?.iter().collect()),
        })
    }

    /// The distinct values of a text column, in order of first appearance.
    pub fn distinct(&self, name: &str) -> Result<Vec<String>, TableError> {
        let mut seen = Vec::new();
        let mut known = std::collections::HashSet::new();
        for text in self.texts(name)? {
            if known.insert(text) {
                seen.push(text.to_string());
            }
        }
        Ok(seen)
    }

    /// The rows whose text column has the given value.
    pub fn only(&self, name: &str, value: &str) -> Result<Table, TableError> {
        let wrap = |source| TableError::Column { column: name.to_string(), source };
        let mask = self.column(name)?.str().map_err(wrap)?.equal(value);
        Ok(Table(self.0.filter(&mask)?))
    }

    /// The table with one more column.
    pub fn with(mut self, name: &str, values: Values<'_>) -> Result<Table, TableError> {
        self.0.with_column(values.into_column(name)?)?;
        Ok(self)
    }

    /// Medians of numeric columns over rows that agree in the keys, named as before.
    pub fn medians(&self, keys: &[&str], values: &[&str]) -> Result<Table, TableError> {
        #[allow(deprecated)] // the eager interface; `lazy` would double the crates to build
        let mut grouped = self
            .0
            .group_by_stable(keys.iter().copied())?
            .select(values.iter().copied())
            .median()?;
        for value in values {
            grouped.rename(&format!("{value}_median"), (*value).into())?;
        }
        Ok(Table(grouped))
    }

    /// How often each pair of values of two text columns occurs.
    pub fn counts(&self, one: &str, other: &str) -> Result<Vec<(String, String, u64)>, TableError> {
        let mut counts = std::collections::BTreeMap::new();
        for pair in self.texts(one)?.into_iter().zip(self.texts(other)?) {
            *counts.entry(pair).or_insert(0) += 1;
        }
        let own = |((a, b), n): ((&str, &str), u64)| (a.to_string(), b.to_string(), n);
        Ok(counts.into_iter().map(own).collect())
    }
}

/// On some damaged files the reader of polars panics where it should refuse: a panic of it is an error here, and its
/// text is not shown. What other threads would say of panics of their own meanwhile is lost. One file at a time: two that
/// took turns in taking and setting the hook could leave the silent one behind.
fn without_panic<T>(read: impl FnOnce() -> PolarsResult<T>) -> PolarsResult<T> {
    static HOOK: Mutex<()> = Mutex::new(());
    let _mine = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let shown = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let done = panic::catch_unwind(AssertUnwindSafe(read));
    panic::set_hook(shown);
    done.unwrap_or_else(|_| Err(PolarsError::ComputeError("the file is damaged".into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Table {
        Table::new(vec![
            ("backend", Values::Text(vec!["a", "b", "a", "a"])),
            ("state", Values::Whole(vec![1, 1, 1, 2])),
            ("t", Values::Real(vec![1.0, 5.0, 3.0, 9.0])),
        ])
        .unwrap()
    }

    fn back(mut table: Table, name: &str) -> Table {
        let path = std::env::temp_dir().join(format!("pidlab-{name}-{}", std::process::id()));
        table.write_parquet(std::fs::File::create(&path).unwrap()).unwrap();
        let back = Table::read_parquet(&path);
        std::fs::remove_file(&path).unwrap();
        back.unwrap()
    }

    #[test]
    fn categories_flags_and_gaps_come_back() {
        let table = Table::new(vec![
            ("backend", Values::Category(vec!["b", "a", "b"])),
            ("obvious", Values::Flag(vec![true, false, true])),
            ("share", Values::Sparse(vec![Some(0.5), None, Some(1.0)])),
        ]);
        let table = back(table.unwrap(), "categories");
        assert_eq!(table.texts("backend").unwrap(), ["b", "a", "b"]);
        assert_eq!(table.only("backend", "b").unwrap().rows(), 2);
        assert_eq!(table.flags("obvious").unwrap(), [true, false, true]);
        assert!(matches!(table.cells("share").unwrap(), Cells::Reals(v) if v[1].is_none()));
        let old = Table::new(vec![("obvious", Values::Text(vec!["yes", "no"]))]).unwrap();
        assert_eq!(old.flags("obvious").unwrap(), [true, false]);
    }

    #[test]
    fn damaged_files_are_refused() {
        let mut bytes = Vec::new();
        sample().write_parquet(&mut bytes).unwrap();
        let path = std::env::temp_dir().join(format!("pidlab-damaged-{}", std::process::id()));
        let digits = sealed::digits(&bytes).unwrap();
        let mark = digits - sealed::MARK.len()..digits;
        for at in 0..bytes.len() {
            for bit in [0x01, 0x80] {
                bytes[at] ^= bit;
                std::fs::write(&path, &bytes).unwrap();
                // a changed mark leaves the table as it was, but without its checksum
                let read = Table::read_parquet(&path);
                assert!(read.is_err() || mark.contains(&at), "byte {at}");
                bytes[at] ^= bit;
            }
        }
        for length in [0, 3, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(Table::read_parquet(&path).is_err(), "{length} bytes");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn parquet_round_trip() {
        let back = back(sample(), "table");
        assert_eq!(back.numbers("t").unwrap(), [1.0, 5.0, 3.0, 9.0]);
        assert_eq!(back.texts("backend").unwrap(), ["a", "b", "a", "a"]);
        assert_eq!(back.columns(), ["backend", "state", "t"]);
    }

    #[test]
    fn medians_and_counts_by_group() {
        let medians = sample().medians(&["backend", "state"], &["t"]).unwrap();
        assert_eq!(medians.texts("backend").unwrap(), ["a", "b", "a"]);
        assert_eq!(medians.numbers("t").unwrap(), [2.0, 5.0, 9.0]);
        assert_eq!(sample().only("backend", "a").unwrap().rows(), 3);
        assert_eq!(sample().counts("backend", "backend").unwrap().len(), 2);
        assert!(sample().numbers("nothing").unwrap_err().to_string().contains("nothing"));
    }
}
