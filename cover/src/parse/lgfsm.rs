//! `.lgfsm`: an explicit local/global machine (Beacon'01 section 2.1).
//!
//! ```text
//! lgfsm 1
//! shared 3          # shared states 0..2
//! local 2           # local states 0..1
//! init 0 0          # shared and local state in which any number of threads starts; or `0|1,1/0`: two
//!                   # threads in 1 and any number in 0
//! 0 0 -> 1 1        # transitions as in .tts
//! error 2           # or `error 2|1,1`: bad when shared state 2 occurs (with two threads in 1)
//! ```

use super::steps::Steps;
use super::tts::{COMMENT, in_range, start_of, target};
use super::{counter, machine, sizes};
use crate::net::Net;
use pidlab_syntax::{Parsed, Source};

/// Parses an `.lgfsm` file.
pub fn parse(text: &str) -> Parsed<Net> {
    read(&Source::new(".lgfsm", text))
}

/// The same within the budget of the source.
pub fn read(source: &Source) -> Parsed<Net> {
    let net = read_machine(source)?;
    if net.targets.is_empty() {
        return Err(source.expected("a line `error s`, the target", ""));
    }
    Ok(net)
}

/// The machine of a file that may leave out what is bad.
pub fn read_machine(source: &Source) -> Parsed<Net> {
    let mut lines = source.lines(COMMENT);
    let mut head = |key: &str, what: &str| {
        let text = lines.next().transpose()?.map_or("", |line| line.text);
        match text.strip_prefix(key) {
            Some(rest) if rest.starts_with([' ', '\t']) => Ok(rest.trim_ascii()),
            _ => Err(source.expected(&format!("`{key} {what}`"), text)),
        }
    };
    let version = head("lgfsm", "1")?;
    if version != "1" {
        let message = format!("version {version}: only version 1 is known");
        return Err(source.error(source.span_of(version), message));
    }
    let shared = counter(head("shared", "N")?, source)?;
    let local = head("local", "N")?;
    let sizes = sizes(shared, counter(local, source)?, local, source)?;
    let start = head("init", "s l")?;
    let mut net = match start.contains(['|', '/']) {
        true => {
            let net = machine(sizes.0, sizes.1, (0, 0), source.budget())?;
            Net { initial: start_of(start, sizes, source)?, at_least: Vec::new(), ..net }
        }
        false => {
            let start = start_state(start, sizes, source)?;
            machine(sizes.0, sizes.1, start, source.budget())?
        }
    };
    let mut steps = Steps::new(sizes, source);
    for line in lines {
        let line = line?;
        source.budget().reserve::<[u64; 2]>(line.text.len())?;
        match line.text.strip_prefix("error") {
            Some(state) => net.targets.push(target(state.trim_ascii(), sizes, source)?),
            None => steps.add(line)?,
        }
    }
    net.transitions = steps.finish()?;
    Ok(net)
}

fn start_state(text: &str, sizes: (u32, u32), source: &Source) -> Parsed<(u32, u32)> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [shared, local] = words[..] else {
        return Err(source.expected("two states `s l` after `init`", text));
    };
    Ok((in_range(shared, sizes.0, "shared", source)?, in_range(local, sizes.1, "local", source)?))
}
