//! Brings the processes of a search together: one connection between any two of them.

use super::door::{Absent, Door};
use super::hello::{self, Hello, Verdict};
use crate::ClusterError;
use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// Time between two attempts to reach a process.
const AGAIN: Duration = Duration::from_millis(50);
/// Longest single attempt.
const ATTEMPT: Duration = Duration::from_secs(5);

/// Connections to all other processes, by number; none to oneself.
pub fn meet(
    door: &Door,
    own: &Hello,
    until: Instant,
) -> Result<Vec<Option<TcpStream>>, ClusterError> {
    let mut streams = Vec::new();
    for process in 0..own.process {
        streams.push(Some(connect(door, own, process, until)?));
    }
    streams.push(None);
    for process in own.process + 1..own.hosts.len() {
        match door.wait_for(own.session, process, until) {
            Ok(stream) => streams.push(Some(stream)),
            Err(Absent::Misfit(why)) => return Err(ClusterError::Misfit(why)),
            Err(Absent::Late) => {
                let address = own.hosts[process].clone();
                return Err(ClusterError::Absent {
                    process,
                    address,
                    cause: "did not connect".into(),
                });
            }
        }
    }
    door.close_session(own.session);
    Ok(streams)
}

fn connect(
    door: &Door,
    own: &Hello,
    process: usize,
    until: Instant,
) -> Result<TcpStream, ClusterError> {
    let address = &own.hosts[process];
    loop {
        let cause = match attempt(address, own, until) {
            Ok((stream, other)) => match (other.refused.clone(), own.judge(&other)) {
                (None, Verdict::Welcome) if other.process == process => return Ok(stream),
                (_, Verdict::Misfit(why)) => return Err(ClusterError::Misfit(why)),
                (Some(why), _) => format!("sent this process away: {why}"),
                (_, Verdict::Stranger(why)) => why,
                _ => format!("calls itself process {}", other.process),
            },
            Err(error) => error.to_string(),
        };
        if let Some(misfit) = door.misfit() {
            return Err(ClusterError::Misfit(misfit));
        }
        if Instant::now() + AGAIN >= until {
            return Err(ClusterError::Absent { process, address: address.clone(), cause });
        }
        std::thread::sleep(AGAIN);
    }
}

/// Connects, greets and is greeted.
fn attempt(address: &str, own: &Hello, until: Instant) -> io::Result<(TcpStream, Hello)> {
    let until = until.min(Instant::now() + ATTEMPT);
    let mut last = io::Error::new(ErrorKind::NotFound, "the address has no host");
    for resolved in address.to_socket_addrs()? {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(&resolved, left) {
            Ok(stream) => {
                hello::send(&stream, own)?;
                let other = hello::receive(&stream, until)?;
                return Ok((stream, other));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
