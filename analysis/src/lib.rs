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

use polars::prelude::*;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
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
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Values::Text(values) => values.len(),
            Values::Whole(values) => values.len(),
            Values::Real(values) => values.len(),
        }
    }

    fn into_column(self, name: &str) -> Column {
        match self {
            Values::Text(values) => Column::new(name.into(), values),
            Values::Whole(values) => Column::new(name.into(), values),
            Values::Real(values) => Column::new(name.into(), values),
        }
    }
}

/// Named columns of equal length.
#[derive(Clone, Debug)]
pub struct Table(DataFrame);

impl Table {
    /// A table of columns; all must have the length of the first.
    pub fn new(columns: Vec<(&str, Values<'_>)>) -> Result<Table, TableError> {
        let height = columns.first().map_or(0, |(_, values)| values.len());
        let columns = columns.into_iter().map(|(name, values)| values.into_column(name)).collect();
        Ok(Table(DataFrame::new(height, columns)?))
    }

    /// Reads a Parquet file whole.
    pub fn read_parquet(path: &Path) -> Result<Table, TableError> {
        let file = File::open(path)
            .map_err(|source| TableError::Io { path: path.to_path_buf(), source })?;
        let frame = ParquetReader::new(file)
            .finish()
            .map_err(|source| TableError::Parquet { path: path.to_path_buf(), source })?;
        Ok(Table(frame))
    }

    /// Writes the table as Parquet, compressed with zstd.
    pub fn write_parquet(&mut self, out: impl Write) -> Result<(), TableError> {
        ParquetWriter::new(out)
            .with_compression(ParquetCompression::Zstd(None))
            .finish(&mut self.0)
            .map(|_| ())
            .map_err(TableError::Frame)
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
        self.0.with_column(values.into_column(name))?;
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

    #[test]
    fn parquet_round_trip() {
        let path =
            std::env::temp_dir().join(format!("pidlab-table-{}.parquet", std::process::id()));
        sample().write_parquet(File::create(&path).unwrap()).unwrap();
        let back = Table::read_parquet(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
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
