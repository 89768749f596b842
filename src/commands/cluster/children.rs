//! The processes that `--cluster` starts on this machine: the program again, with its own arguments.
//!
//! All of them listen on free ports of the loopback interface. The first process finds those and hands each
//! child its listener as standard input, so that nobody else can take a port in between. Where there are no
//! descriptors to hand over (Windows) a child listens anew on the port that was just closed.

use anyhow::Context;
use std::ffi::OsString;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long children may take to end after the search.
const ENDING: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Children {
    running: Vec<Child>,
    folder: Option<PathBuf>,
}

impl Children {
    /// Starts all processes but the first, with so many threads each; returns the addresses of all and
    /// the first's listener.
    pub fn start(
        processes: usize,
        threads: usize,
    ) -> anyhow::Result<(Children, Vec<String>, TcpListener)> {
        let mut listeners = Vec::new();
        let mut hosts = Vec::new();
        for _ in 0..processes {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
                .context("no port of the loopback interface is free")?;
            hosts.push(listener.local_addr()?.to_string());
            listeners.push(listener);
        }
        let mut children = Children::default();
        let hostfile = children.write_hosts(&hosts)?;
        let mut listeners = listeners.into_iter();
        let own = listeners.next().context("0 processes cannot search")?;
        for (process, listener) in (1..).zip(listeners) {
            let mut command = Command::new(std::env::current_exe()?);
            command
                .args(arguments())
                .args(["--processes", &processes.to_string(), "--process", &process.to_string()])
                .args(["--threads", &threads.to_string()])
                .arg("--hostfile")
                .arg(&hostfile)
                .stdout(Stdio::null());
            hand_over(listener, &mut command);
            let child =
                command.spawn().with_context(|| format!("process {process} cannot be started"))?;
            children.running.push(child);
        }
        Ok((children, hosts, own))
    }

    /// The list of hosts in a folder of its own.
    fn write_hosts(&mut self, hosts: &[String]) -> anyhow::Result<PathBuf> {
        let unique = hosts[0].replace([':', '.'], "-");
        let folder =
            std::env::temp_dir().join(format!("pidlab-cluster-{}-{unique}", std::process::id()));
        let cannot = || format!("{} cannot be created", folder.display());
        std::fs::create_dir(&folder).with_context(cannot)?;
        self.folder = Some(folder.clone());
        let file = folder.join("hosts");
        std::fs::File::create_new(&file)
            .and_then(|mut to| to.write_all((hosts.join("\n") + "\n").as_bytes()))
            .with_context(cannot)?;
        Ok(file)
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        let start = Instant::now();
        for child in &mut self.running {
            while matches!(child.try_wait(), Ok(None)) {
                if start.elapsed() > ENDING {
                    // it is ours and has nothing more to do
                    let _ = child.kill();
                    let _ = child.wait();
                    break;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// The arguments of this process without those that its children get anew.
fn arguments() -> Vec<OsString> {
    const ANEW: [&str; 2] = ["--cluster", "--threads"];
    let mut arguments = Vec::new();
    let mut given = std::env::args_os().skip(1);
    while let Some(argument) = given.next() {
        let text = argument.to_str().unwrap_or("");
        let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
        match ANEW.contains(&name) {
            // its value is the next argument, unless it came with it
            true if value.is_none() => drop(given.next()),
            true => {}
            false => arguments.push(argument),
        }
    }
    arguments
}

#[cfg(unix)]
fn hand_over(listener: TcpListener, to: &mut Command) {
    to.arg("--listener-on-stdin").stdin(Stdio::from(std::os::fd::OwnedFd::from(listener)));
}

#[cfg(not(unix))]
fn hand_over(listener: TcpListener, to: &mut Command) {
    drop(listener);
    to.stdin(Stdio::null());
}

/// The listener that the first process handed over as standard input.
#[cfg(unix)]
pub fn listener() -> anyhow::Result<TcpListener> {
    use std::os::fd::AsFd;
    let descriptor = std::io::stdin().as_fd().try_clone_to_owned();
    Ok(TcpListener::from(descriptor.context("the listener cannot be taken over")?))
}

#[cfg(not(unix))]
pub fn listener() -> anyhow::Result<TcpListener> {
    anyhow::bail!("a listener on standard input is a matter of Unix; leave --listener-on-stdin out")
}
