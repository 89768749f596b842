//! `.lgfsm`: an explicit local/global machine (Beacon'01 section 2.1).
//!
//! ```text
//! lgfsm 1
//! shared 3          # shared states 0..2
//! local 2           # local states 0..1
//! init 0 0          # shared and local state in which any number of threads starts
//! 0 0 -> 1 1        # transitions as in .tts
//! error 2           # or `error 2|1,1`: bad when shared state 2 occurs (with two threads in 1)
//! ```

use super::steps::Steps;
use super::tts::{in_range, numbered, target};
use super::{counter, machine, sizes, unlimited};
use crate::budget::Budget;
use crate::error::{ParseError, ReadError};
use crate::net::Net;

/// Parses an `.lgfsm` file.
pub fn parse(text: &str) -> Result<Net, ParseError> {
    unlimited(|budget| read(text, budget))
}

/// The same within a budget.
pub fn read(text: &str, budget: &Budget) -> Result<Net, ReadError> {
    let mut lines = numbered(text, budget);
    let mut head = |key: &str, what: &str| -> Result<(u32, &str), ReadError> {
        let (line, text) = lines.next().transpose()?.unwrap_or((1, ""));
        match text.strip_prefix(key) {
            Some(rest) if rest.starts_with([' ', '\t']) => Ok((line, rest.trim_ascii())),
            _ => {
                let message = format!("expected `{key} {what}`, found `{text}`");
                Err(ParseError::new(line, message).into())
            }
        }
    };
    let (line, version) = head("lgfsm", "1")?;
    if version != "1" {
        return Err(
            ParseError::new(line, format!("version {version}: only version 1 is known")).into()
        );
    }
    let (line, shared) = head("shared", "N")?;
    let shared = counter(shared, line)?;
    let (line, local) = head("local", "N")?;
    let sizes = sizes(shared, counter(local, line)?, line)?;
    let (line, start) = head("init", "s l")?;
    let mut net = machine(sizes.0, sizes.1, start_state(start, line, sizes)?, budget)?;
    let mut steps = Steps::new(sizes, budget);
    for found in lines {
        let (line, text) = found?;
        budget.reserve::<[u64; 2]>(text.len())?;
        match text.strip_prefix("error") {
            Some(state) => net.targets.push(target(state.trim_ascii(), line, sizes, budget)?),
            None => steps.add(text, line)?,
        }
    }
    net.transitions = steps.finish()?;
    if net.targets.is_empty() {
        let last = u32::try_from(text.lines().count()).unwrap_or(u32::MAX).max(1);
        return Err(ParseError::new(last, "empty target: expected a line `error s`").into());
    }
    Ok(net)
}

fn start_state(text: &str, line: u32, sizes: (u32, u32)) -> Result<(u32, u32), ParseError> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [shared, local] = words[..] else {
        return Err(ParseError::new(line, format!("expected `init s l`, found `init {text}`")));
    };
    Ok((in_range(shared, sizes.0, "shared", line)?, in_range(local, sizes.1, "local", line)?))
}
