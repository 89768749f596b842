//! Values with units, written alike in every command: times (`20s`), sizes (`2GiB`), shares (`5%`); and the
//! limits of what may run long.

use anyhow::{Result, bail};
use pidlab_budget::Budget;
use std::str::FromStr;
use std::time::Duration;

#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct LimitArgs {
    /// Give up after this time (such as 20s, 500ms, 2m; a bare number is seconds): exit code 3
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<Timeout>,
    /// Give up beyond this much working memory (such as 2GiB, 512MB; a bare number is bytes): exit code 3
    #[arg(long, value_name = "SIZE")]
    pub memory_limit: Option<Size>,
}

impl LimitArgs {
    /// A budget whose clock starts now.
    pub fn budget(&self) -> Budget {
        Budget::new(self.timeout.map(|t| t.0), self.memory_limit.map(|m| m.0))
    }

    pub fn seconds(&self) -> Option<f64> {
        self.timeout.map(|timeout| timeout.0.as_secs_f64())
    }

    /// At least one: a smaller limit is meant as a limit.
    pub fn mebibytes(&self) -> Option<u64> {
        self.memory_limit.map(|size| (size.0 >> 20).max(1))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Timeout(pub Duration);

#[derive(Clone, Copy, Debug)]
pub struct Size(pub u64);

impl FromStr for Timeout {
    type Err = anyhow::Error;
    fn from_str(text: &str) -> Result<Timeout> {
        let (value, unit) = split(text)?;
        let seconds = match unit {
            "" | "s" => value,
            "ms" => value / 1e3,
            "m" | "min" => value * 60.0,
            "h" => value * 3600.0,
            other => bail!("`{other}` is not a unit of time; use ms, s, m or h"),
        };
        match Duration::try_from_secs_f64(seconds) {
            Ok(duration) => Ok(Timeout(duration)),
            Err(_) => bail!("`{text}` is too long a time to wait"),
        }
    }
}

impl FromStr for Size {
    type Err = anyhow::Error;
    fn from_str(text: &str) -> Result<Size> {
        let (value, unit) = split(text)?;
        let factor = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1.0,
            "kb" => 1e3,
            "mb" => 1e6,
            "gb" => 1e9,
            "k" | "kib" => 1024.0,
            "m" | "mib" => 1048576.0,
            "g" | "gib" => 1073741824.0,
            other => bail!("`{other}` is not a unit of memory; use KiB, MiB, GiB, KB, MB or GB"),
        };
        Ok(Size((value * factor) as u64))
    }
}

/// A share such as `5%` or `0.05`.
#[derive(Clone, Copy, Debug)]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = anyhow::Error;
    fn from_str(text: &str) -> Result<Share> {
        let share = match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse::<f64>().map(|p| p / 100.0),
            None => text.parse(),
        };
        match share {
            Ok(share) if (0.0..1.0).contains(&share) => Ok(Share(share)),
            _ => bail!("`{text}` is not a share below 1; write 5% or 0.05"),
        }
    }
}

/// A number and the unit behind it.
fn split(text: &str) -> Result<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    match number.parse::<f64>() {
        Ok(value) => Ok((value, unit.trim())),
        Err(_) => bail!("`{text}` does not start with a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!("500ms".parse::<Timeout>().unwrap().0, Duration::from_millis(500));
        assert_eq!("2m".parse::<Timeout>().unwrap().0, Duration::from_secs(120));
        assert_eq!("2GiB".parse::<Size>().unwrap().0, 2 << 30);
        assert_eq!("1.5kb".parse::<Size>().unwrap().0, 1500);
        assert!("soon".parse::<Timeout>().is_err() && "3 elephants".parse::<Size>().is_err());
    }

    #[test]
    fn shares() {
        let share = |text: &str| text.parse::<Share>().map(|s| s.0);
        assert_eq!(share("5%").unwrap(), 0.05);
        assert_eq!(share("0.05").unwrap(), 0.05);
        for bad in ["5", "-1%", "x", "", "%", "NaN"] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }
}
