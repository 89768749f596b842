//! What goes wrong between processes: every one ends soon, with a message and an exit code.

use crate::{LARGE, Scratch, children_of, end, explore, kill, member, start};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::{Duration, Instant};

/// Longer than any of the faults here may take to be found.
const SOON: Duration = Duration::from_secs(60);

#[test]
fn a_process_that_is_killed_ends_the_others() {
    let scratch = Scratch::new("killed");
    let (hosts, _) = scratch.hosts(3);
    let huge = ["nkm.tnet", "--set", "k=6", "--set", "m=3"];
    let running: Vec<_> = (0..3).map(|process| start(member(&huge, &hosts, process, 3))).collect();
    std::thread::sleep(Duration::from_millis(1500));
    let (mut others, mut victim) = (running, None);
    victim.replace(others.remove(2));
    kill(victim.as_ref().expect("a process").id());
    let start = Instant::now();
    for (process, child) in others.into_iter().enumerate() {
        let (code, document, errors) = end(child);
        assert_eq!(code, Some(3), "process {process}: {errors}");
        assert!(errors.contains("process "), "process {process}: {errors}");
        assert!(!errors.contains("panicked"), "process {process}: {errors}");
        assert_eq!(document.is_some(), process == 0, "process {process}");
        let stopped = document.map(|document| document["stopped"].clone());
        assert!(stopped.is_none_or(|stopped| stopped == "lost"));
    }
    assert!(start.elapsed() < SOON);
    let _ = victim.expect("a process").wait();
}

#[test]
fn a_child_that_is_killed_ends_the_command() {
    let mut command = explore(&["nkm.tnet", "--set", "k=6", "--set", "m=3", "--cluster", "3"]);
    command.args(["--threads", "1"]);
    let child = start(command);
    let started = Instant::now();
    let children = loop {
        let children = children_of(child.id());
        if children.len() == 2 || started.elapsed() > SOON {
            break children;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    std::thread::sleep(Duration::from_millis(500));
    kill(children[1]);
    let (code, _, errors) = end(child);
    // before the search begins it is a process that cannot be reached
    assert!(matches!(code, Some(2 | 3)), "{errors}");
    assert!(errors.contains("process 2"), "{errors}");
    std::thread::sleep(Duration::from_millis(200));
    assert!(!std::path::Path::new(&format!("/proc/{}", children[0])).exists());
}

#[test]
fn a_process_that_stops_answering_ends_the_others_at_the_time_limit() {
    let scratch = Scratch::new("stopped");
    let (hosts, _) = scratch.hosts(2);
    let huge = ["nkm.tnet", "--set", "k=6", "--set", "m=3", "--timeout", "4s"];
    let first = start(member(&huge, &hosts, 0, 2));
    let second = start(member(&huge, &hosts, 1, 2));
    std::thread::sleep(Duration::from_millis(1500));
    let signal = |name: &str| {
        let _ = Command::new("kill").args([name, &second.id().to_string()]).status();
    };
    signal("-STOP");
    let started = Instant::now();
    let (code, _, errors) = end(first);
    signal("-CONT");
    assert_eq!(code, Some(3), "{errors}");
    assert!(started.elapsed() < SOON);
    assert!(matches!(end(second).0, Some(3)));
}

#[test]
fn a_host_that_cannot_be_reached_is_named() {
    let scratch = Scratch::new("unreachable");
    let (hosts, addresses) = scratch.hosts(2);
    for process in [0, 1] {
        let started = Instant::now();
        let args = [&LARGE[..], &["--timeout", "1s"]].concat();
        let (code, document, errors) = end(start(member(&args, &hosts, process, 2)));
        assert_eq!((code, document), (Some(2), None), "{errors}");
        assert!(errors.contains(&format!("process {}", 1 - process)), "{errors}");
        assert!(errors.contains(&addresses[1 - process]), "{errors}");
        assert!(started.elapsed() < SOON);
    }
}

#[test]
fn a_port_in_use_is_named() {
    let scratch = Scratch::new("in-use");
    let (hosts, addresses) = scratch.hosts(2);
    let _taken = TcpListener::bind(&addresses[0]).expect("the port is free");
    let (code, document, errors) = end(start(member(&LARGE, &hosts, 0, 2)));
    assert_eq!((code, document), (Some(2), None), "{errors}");
    assert!(errors.contains(&addresses[0]) && errors.contains("another search"), "{errors}");
}

#[test]
fn processes_with_other_models_or_options_end_with_a_message() {
    let scratch = Scratch::new("misfits");
    let (hosts, _) = scratch.hosts(2);
    let nkm = ["nkm.tnet", "--set", "k=2"];
    let others: [(&[&str], &str); 3] = [
        (&["nkm.tnet", "--set", "k=3"], "other options"),
        (&["ring.tnet"], "another model"),
        (&["nkm.tnet", "--set", "k=2", "--stop"], "other options"),
    ];
    for (other, what) in others {
        let first = start(member(&nkm, &hosts, 0, 2));
        let second = start(member(other, &hosts, 1, 2));
        for child in [first, second] {
            let (code, document, errors) = end(child);
            assert_eq!((code, document), (Some(2), None), "{errors}");
            assert!(errors.contains(what), "{what}: {errors}");
        }
    }
}

#[test]
fn garbage_on_a_port_changes_nothing() {
    let scratch = Scratch::new("garbage");
    let (hosts, addresses) = scratch.hosts(2);
    let case = ["nkm.tnet", "--set", "k=3", "--set", "m=2"];
    let first = start(member(&case, &hosts, 0, 2));
    for _ in 0..50 {
        if let Ok(mut stream) = TcpStream::connect(&addresses[0]) {
            let _ = stream.write_all(b"\0\x01garbage\xff\xff\xff\xff\xff\xff\xff\xff");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // says nothing and stays
    let _silent = TcpStream::connect(&addresses[0]);
    let second = start(member(&case, &hosts, 1, 2));
    let (code, document, errors) = end(first);
    let states = document.and_then(|document| document["states"].as_u64());
    assert_eq!((code, states), (Some(0), Some(1772)), "{errors}");
    assert_eq!(end(second).0, Some(0));
}
