//! What two processes tell each other before they search together.
//!
//! A greeting is eight bytes that no other program begins with, a length, and JSON. Processes that
//! belong to other hosts are sent away; processes that belong here but search something else end the
//! search, as it could not come to anything.

use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const MAGIC: &[u8; 8] = b"pidlab\x001";
/// Longest greeting.
const LONGEST: usize = 1 << 20;

/// Who a process is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub process: usize,
    /// The addresses of all processes: which cluster this is.
    pub hosts: Vec<String>,
    pub threads: usize,
    /// Which search of the command this is.
    pub session: u64,
    pub identity: Identity,
    /// Why the other is sent away.
    pub refused: Option<String>,
}

/// What is searched, and by which program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub program: String,
    /// Name and digest of the model.
    pub model: String,
    /// Everything else that the result depends on.
    pub options: String,
}

impl Identity {
    /// The program by its version and by what its messages depend on.
    pub fn program(version: &str) -> String {
        let order = if cfg!(target_endian = "little") { "little" } else { "big" };
        format!("{version}, {}-bit, {order}-endian", usize::BITS)
    }
}

/// What a greeting means for the one who receives it.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Welcome,
    /// It is for somebody else: wait for another.
    Stranger(String),
    /// One of us that searches something else: nothing can come of this.
    Misfit(String),
}

impl Hello {
    /// Compares the greeting of another process with one's own.
    pub fn judge(&self, other: &Hello) -> Verdict {
        if other.hosts != self.hosts || other.process >= self.hosts.len() {
            return Verdict::Stranger("it belongs to another cluster".into());
        }
        let (own, theirs) = (&self.identity, &other.identity);
        let differences = [
            ("another version of the program", &own.program, &theirs.program),
            ("another model", &own.model, &theirs.model),
            ("other options", &own.options, &theirs.options),
        ];
        let name = format!("process {}", other.process);
        for (what, own, theirs) in differences {
            if own != theirs {
                let text =
                    format!("{name} was started with {what}: `{theirs}` there, `{own}` here");
                return Verdict::Misfit(text);
            }
        }
        if self.threads != other.threads {
            let (own, theirs) = (self.threads, other.threads);
            let text =
                format!("{name} has {theirs} threads, this one {own}; all must have as many");
            return Verdict::Misfit(text);
        }
        Verdict::Welcome
    }
}

/// Sends a greeting.
pub fn send(mut stream: &TcpStream, hello: &Hello) -> io::Result<()> {
    let text = serde_json::to_vec(hello)?;
    let length = (text.len() as u32).to_le_bytes();
    stream.write_all(&[&MAGIC[..], &length, &text].concat())
}

/// Reads a greeting; an error says what is wrong with it, or that it did not come in time.
pub fn receive(stream: &TcpStream, until: Instant) -> io::Result<Hello> {
    let mut head = [0; 12];
    read_until(stream, &mut head, until)?;
    let [a, b, c, d] = [head[8], head[9], head[10], head[11]];
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    if head[..8] != MAGIC[..] || length > LONGEST {
        return Err(io::Error::new(ErrorKind::InvalidData, "it is not a process of pidlab"));
    }
    let mut text = vec![0; length];
    read_until(stream, &mut text, until)?;
    serde_json::from_slice(&text)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "its greeting cannot be read"))
}

fn read_until(mut stream: &TcpStream, buffer: &mut [u8], until: Instant) -> io::Result<()> {
    let mut read = 0;
    while read < buffer.len() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        match stream.read(&mut buffer[read..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(more) => read += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(process: usize) -> Hello {
        Hello {
            process,
            hosts: vec!["a:1".into(), "b:1".into()],
            threads: 2,
            session: 0,
            identity: Identity { model: "m".into(), ..Identity::default() },
            refused: None,
        }
    }

    #[test]
    fn strangers_and_misfits_are_told_apart() {
        let own = hello(0);
        assert_eq!(own.judge(&hello(1)), Verdict::Welcome);
        let elsewhere = Hello { hosts: vec!["c:1".into()], ..hello(0) };
        assert!(matches!(own.judge(&elsewhere), Verdict::Stranger(_)));
        assert!(matches!(own.judge(&hello(7)), Verdict::Stranger(_)));
        let other = Identity { model: "n".into(), ..Identity::default() };
        let Verdict::Misfit(text) = own.judge(&Hello { identity: other, ..hello(1) }) else {
            panic!("another model must not pass")
        };
        assert!(text.contains("another model") && text.contains("process 1"), "{text}");
        assert!(matches!(own.judge(&Hello { threads: 1, ..hello(1) }), Verdict::Misfit(_)));
    }
}
