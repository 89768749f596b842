//! Processes that do not fit together, and others that connect by mistake.

mod support;

use pidlab_budget::Budget;
use pidlab_cluster::{Checkpoints, Cluster, ClusterError, Identity, Member};
use pidlab_explore::net::{NetOptions, explore, explore_by};
use pidlab_explore::search::{Limits, Options};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{identity, listeners, net};

fn member(hosts: &[String], process: usize, listener: TcpListener) -> Member {
    let (threads, identity, checkpoints) = (1, identity(""), Checkpoints::default());
    let (hosts, listener) = (hosts.to_vec(), Some(listener));
    Member { hosts, process, threads, identity, listener, checkpoints }
}

/// Explores a small net; the number of states, or why not.
fn within(time: Duration) -> Limits {
    Limits { budget: Budget::new(Some(time), None), ..Limits::default() }
}

fn search(cluster: &Cluster, limits: Limits) -> Result<u64, String> {
    let net = net("nkm.tnet", &[("k", "2"), ("m", "2")], &[]);
    let options = Options { limits, ..Options::default() };
    let relations = net.used_relations();
    let settings = NetOptions { relations, canon: true, force: false, options };
    let found = explore_by(&net, &settings, cluster).map_err(|error| error.to_string())?;
    Ok(found.report.counters.states)
}

fn all_search(members: Vec<Member>) -> Vec<Result<u64, String>> {
    std::thread::scope(|scope| {
        let start = |member| {
            scope.spawn(move || search(&Cluster::join(member).unwrap(), Limits::default()))
        };
        let running: Vec<_> = members.into_iter().map(start).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn states_alone() -> u64 {
    let net = net("nkm.tnet", &[("k", "2"), ("m", "2")], &[]);
    let (relations, options) = (net.used_relations(), Options::default());
    let settings = NetOptions { relations, canon: true, force: false, options };
    explore(&net, &settings).unwrap().report.counters.states
}

#[test]
fn processes_that_search_something_else_end_with_a_message() {
    type Change = fn(&mut Member);
    let changes: [(&str, Change); 4] = [
        ("another version", |member| member.identity.program = Identity::program("older")),
        ("another model", |member| member.identity.model = "other".into()),
        ("other options", |member| member.identity.options = "--set k=3".into()),
        ("threads", |member| member.threads = 2),
    ];
    for (what, change) in changes {
        let (mut bound, hosts) = listeners(2);
        let mut odd = member(&hosts, 1, bound.pop().unwrap());
        change(&mut odd);
        let start = Instant::now();
        let ends = all_search(vec![member(&hosts, 0, bound.pop().unwrap()), odd]);
        for end in ends {
            let text = end.unwrap_err();
            assert!(text.contains(what), "{what}: {text}");
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
    }
}

#[test]
fn a_process_that_does_not_come_is_named() {
    for process in [0, 1] {
        let (mut bound, mut hosts) = listeners(2);
        let own = bound.remove(process);
        // nobody listens there any more
        drop(bound);
        hosts[1 - process] = "127.0.0.1:9".into();
        let cluster = Cluster::join(member(&hosts, process, own)).unwrap();
        let limits = within(Duration::from_millis(300));
        let start = Instant::now();
        let text = search(&cluster, limits).unwrap_err();
        assert!(text.contains(&format!("process {} at 127.0.0.1:9", 1 - process)), "{text}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn two_searches_cannot_share_a_port() {
    let (bound, hosts) = listeners(1);
    let _first = Cluster::join(member(&hosts, 0, bound.into_iter().next().unwrap())).unwrap();
    let (mut spare, _) = listeners(1);
    let second = Member { listener: None, ..member(&hosts, 0, spare.pop().unwrap()) };
    let Err(error) = Cluster::join(second) else { panic!("the port is taken") };
    assert!(matches!(error, ClusterError::Listen { process: 0, .. }), "{error}");
}

#[test]
fn strangers_on_a_port_do_no_harm() {
    let (bound, hosts) = listeners(3);
    let done = AtomicBool::new(false);
    let states = states_alone();
    std::thread::scope(|scope| {
        for (number, host) in hosts.iter().enumerate() {
            let done = &done;
            scope.spawn(move || {
                let mut silent = Vec::new();
                while !done.load(Ordering::Relaxed) {
                    let Ok(mut stream) = TcpStream::connect(host) else { break };
                    let noise: &[&[u8]] = &[
                        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                        b"pidlab\x001\xff\xff\xff\xff",
                        b"pidlab\x001\x02\0\0\0{}",
                        b"",
                    ];
                    let _ = stream.write_all(noise[number % noise.len()]);
                    if silent.len() < 8 {
                        silent.push(stream);
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
        }
        for _ in 0..3 {
            // join again and again on new ports, and with strangers on the old ones
            let (bound, hosts) = listeners(3);
            let members = bound.into_iter().enumerate().map(|(p, l)| member(&hosts, p, l));
            assert!(all_search(members.collect()).into_iter().all(|end| end == Ok(states)));
        }
        let members = bound.into_iter().enumerate().map(|(p, l)| member(&hosts, p, l)).collect();
        let ends = all_search(members);
        done.store(true, Ordering::Relaxed);
        assert!(ends.iter().all(|end| *end == Ok(states)), "{ends:?}");
    });
}

#[test]
fn processes_of_another_cluster_are_sent_away() {
    let (bound, hosts) = listeners(2);
    let (own, mut others) = listeners(1);
    // believes that process 0 of the first cluster is its own
    others.insert(0, hosts[0].clone());
    let stray = Cluster::join(member(&others, 1, own.into_iter().next().unwrap())).unwrap();
    std::thread::scope(|scope| {
        let lost = scope.spawn(move || search(&stray, within(Duration::from_millis(500))));
        let members = bound.into_iter().enumerate().map(|(p, l)| member(&hosts, p, l)).collect();
        let ends = all_search(members);
        assert!(ends.iter().all(|end| *end == Ok(states_alone())), "{ends:?}");
        let text = lost.join().unwrap().unwrap_err();
        assert!(text.contains("process 0"), "{text}");
    });
}

#[test]
fn whoever_is_greeted_in_vain_is_closed_soon() {
    let (bound, hosts) = listeners(1);
    let _cluster = Cluster::join(member(&hosts, 0, bound.into_iter().next().unwrap())).unwrap();
    let mut stream = TcpStream::connect(&hosts[0]).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(b"what is this?").unwrap();
    // closed, with or without complaint
    assert!(matches!(stream.read(&mut [0; 16]), Ok(0) | Err(_)));
}
