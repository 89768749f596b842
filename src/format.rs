//! `--format table|json|csv` and `--json`, for commands whose result is a table.

/// How a result is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Json,
    Csv,
}

#[derive(clap::Args, Clone, Copy, Debug)]
pub struct FormatArgs {
    /// A table to read, one JSON document, or CSV
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatArgs {
    pub fn chosen(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// A share such as `5%` or `0.05`.
#[derive(Clone, Copy, Debug)]
pub struct Share(pub f64);

impl std::str::FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let share = match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|p| p / 100.0),
            None => text.parse(),
        };
        match share {
            Ok(share) if (0.0..1.0).contains(&share) => Ok(Share(share)),
            _ => Err(format!("`{text}` is not a share below 1; write 5% or 0.05")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        let share = |text: &str| text.parse::<Share>().map(|s| s.0);
        assert_eq!(share("5%"), Ok(0.05));
        assert_eq!(share("0.05"), Ok(0.05));
        for bad in ["5", "-1%", "x", "", "%", "NaN"] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }
}
