//! Clusters within one test: every process is a thread that speaks to the others through sockets.
#![allow(dead_code)]

use pidlab_cluster::{Checkpoints, Cluster, Identity, Member};
use pidlab_explore::heap::HeapProgram;
use pidlab_explore::heap::compile as compile_program;
use pidlab_explore::net::{Net, compile as compile_net};
use pidlab_explore::source::Source;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

/// Where checkpoints go.
#[derive(Clone, Default)]
pub struct Folders {
    pub write: Option<PathBuf>,
    pub resume: Option<PathBuf>,
}

impl Folders {
    fn checkpoints(&self) -> Checkpoints {
        let write = self.write.clone().map(|folder| (folder, Duration::ZERO));
        Checkpoints { write, resume: self.resume.clone() }
    }
}

/// Listeners on free ports, and their addresses.
pub fn listeners(count: usize) -> (Vec<TcpListener>, Vec<String>) {
    let bind = |_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let listeners: Vec<_> = (0..count).map(bind).collect();
    let hosts = listeners.iter().map(|l| l.local_addr().unwrap().to_string()).collect();
    (listeners, hosts)
}

pub fn identity(options: &str) -> Identity {
    let (program, model) = (Identity::program("test"), "model".into());
    Identity { program, model, options: options.into() }
}

/// Has each of several processes do the same; what they come to, by number.
pub fn together<T: Send>(
    processes: usize,
    threads: usize,
    folders: &Folders,
    work: impl Fn(&Cluster) -> T + Sync,
) -> Vec<T> {
    let (listeners, hosts) = listeners(processes);
    let (hosts, work) = (&hosts, &work);
    std::thread::scope(|scope| {
        let running: Vec<_> = listeners
            .into_iter()
            .enumerate()
            .map(|(process, listener)| {
                scope.spawn(move || {
                    let member = Member {
                        hosts: hosts.clone(),
                        process,
                        threads,
                        identity: identity(""),
                        listener: Some(listener),
                        checkpoints: folders.checkpoints(),
                    };
                    work(&Cluster::join(member).unwrap())
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn text(name: &str) -> Source {
    let path = format!("{}/../models/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Source::new(name, text)
}

pub fn net(name: &str, constants: &[(&str, &str)], properties: &[&str]) -> Net {
    let constants: Vec<(String, String)> =
        constants.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    let properties: Vec<String> = properties.iter().map(|p| p.to_string()).collect();
    compile_net(text(name), &constants, &properties).unwrap_or_else(|error| panic!("{error}"))
}

pub fn program(name: &str, constants: &[(&str, i64)]) -> HeapProgram {
    let constants: Vec<(String, i64)> =
        constants.iter().map(|&(name, value)| (name.into(), value)).collect();
    compile_program(&text(name), &constants).unwrap_or_else(|error| panic!("{error}"))
}

/// Numbers of processes and threads that are tried.
pub fn shapes() -> impl Iterator<Item = (usize, usize)> {
    (1..=4).flat_map(|processes| [(processes, 1), (processes, 2)])
}
