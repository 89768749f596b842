//! The same document as one process prints.

use crate::{Scratch, end, explore, member, read, start};
use serde_json::Value;

/// A document without what depends on time and on how the search was run.
fn comparable(mut document: Value) -> Value {
    let fields = document.as_object_mut().expect("an object");
    let varying = ["cluster", "threads", "statistics", "seconds", "store_bytes", "bytes_per_state"];
    varying.iter().for_each(|field| drop(fields.remove(*field)));
    document
}

#[test]
fn one_command_starts_all_processes() {
    let cases: [(&[&str], &[&str]); 5] = [
        (&["nkm.tnet", "--set", "k=2", "--set", "m=2"], &["--threads", "1"]),
        (&["server.tnet", "--relations", "auto"], &[]),
        (&["philosophers.bir", "--set", "N=4", "--search", "bfs"], &[]),
        (&["work-queue.bir", "--search", "bfs", "--property", "never count(work) > 1"], &[]),
        (&["nkm.tnet", "--set", "m=2", "--stop", "--property", "never count(h4(_)) > 0"], &[]),
    ];
    for (case, alone) in cases {
        let one = read(&explore(&[case, alone].concat()).output().expect("pidlab runs"));
        let document = one.1.unwrap_or_else(|| panic!("{case:?}: {}", one.2));
        for processes in ["1", "2", "3"] {
            let args = [case, &["--cluster", processes, "--threads", "1"]].concat();
            let (code, many, errors) = read(&explore(&args).output().expect("pidlab runs"));
            let many = many.unwrap_or_else(|| panic!("{args:?}: {errors}"));
            assert_eq!(code, one.0, "{args:?}: {errors}");
            assert_eq!(many["cluster"]["processes"].to_string(), processes);
            assert_eq!(comparable(many), comparable(document.clone()), "{args:?}");
        }
    }
}

#[test]
fn processes_are_started_one_by_one() {
    let scratch = Scratch::new("one-by-one");
    let (hosts, _) = scratch.hosts(3);
    let case = ["philosophers.bir", "--set", "N=4"];
    let running: Vec<_> =
        (0..3).rev().map(|process| start(member(&case, &hosts, process, 3))).collect();
    let mut ends: Vec<_> = running.into_iter().map(end).collect();
    let (code, document, errors) = ends.pop().expect("process 0");
    let document = document.unwrap_or_else(|| panic!("{errors}"));
    assert_eq!(document["cluster"]["processes"], 3);
    assert!(document["trace"].is_object(), "{document}");
    for (other, nothing, errors) in ends {
        assert_eq!((other, nothing), (code, None), "{errors}");
    }
}

#[test]
fn shares_and_balance_are_told() {
    let args = ["nkm.tnet", "--set", "k=3", "--set", "m=2", "--cluster", "2"];
    let (_, document, errors) = read(&explore(&args).output().expect("pidlab runs"));
    let cluster = document.unwrap_or_else(|| panic!("{errors}"))["cluster"].clone();
    for share in ["canonise_share", "communication_share", "waiting_share", "balance"] {
        let value = cluster[share].as_f64().unwrap_or(-1.0);
        assert!((0.0..=1.0).contains(&value), "{share}: {cluster}");
    }
    assert!(cluster["bytes_sent_per_state"].as_f64().unwrap_or(0.0) > 1.0, "{cluster}");
    let states = cluster["states_by_process"].as_array().expect("two numbers");
    assert_eq!(states.iter().filter_map(Value::as_u64).sum::<u64>(), 1772);
}

#[test]
fn a_space_too_large_for_one_process_fits_into_four() {
    // under sibling relations N(k,m) has keys of the same size whoever searches
    let net = ["nkm.tnet", "--set", "k=2", "--set", "m=3", "--relations", "all"];
    let limited = ["--memory-limit", "16MiB", "--threads", "1"];
    let args = [&net[..], &limited].concat();
    let (code, one, errors) = read(&explore(&args).output().expect("pidlab runs"));
    let one = one.unwrap_or_else(|| panic!("{errors}"));
    assert_eq!((code, &one["stopped"]), (Some(3), &Value::from("memory")), "{one}");
    let args = [&args[..], &["--cluster", "4"]].concat();
    let (code, four, errors) = read(&explore(&args).output().expect("pidlab runs"));
    let four = four.unwrap_or_else(|| panic!("{errors}"));
    assert_eq!((code, four["states"].as_u64()), (Some(0), Some(373_322)), "{four}");
}

#[test]
fn limits_hold_for_all_processes() {
    let args = ["nkm.tnet", "--set", "k=6", "--set", "m=3", "--cluster", "2", "--timeout", "1s"];
    let start = std::time::Instant::now();
    let (code, document, errors) = read(&explore(&args).output().expect("pidlab runs"));
    let document = document.unwrap_or_else(|| panic!("{errors}"));
    assert_eq!((code, &document["stopped"]), (Some(3), &Value::from("time")), "{document}");
    assert!(document["states"].as_u64() > Some(1));
    // generous, for a busy machine
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn what_needs_all_states_in_one_process_is_refused() {
    for args in [
        &["nkm.tnet", "--cluster", "2", "--check"][..],
        &["nkm.tnet", "--cluster", "2", "--output", "x.dot"],
        &["nkm.tnet", "--cluster", "2", "--compare-plain", "10"],
        &["nkm.tnet", "--cluster", "2", "--search", "dfs"],
        &["philosophers.bir", "--set", "N=3", "--cluster", "2", "--search", "dfs"],
        &["nkm.tnet", "--cluster", "0"],
        &["nkm.tnet", "--processes", "2"],
        &["nkm.tnet", "--cluster", "2", "--resume", "no-such-folder"],
    ] {
        let (code, document, errors) = read(&explore(args).output().expect("pidlab runs"));
        assert_eq!((code, document), (Some(2), None), "{args:?}: {errors}");
        assert!(errors.starts_with("error: "), "{args:?}: {errors}");
    }
}
