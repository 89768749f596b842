//! Targets made by random walks: every marking that a walk ends in is found again, by a run that the
//! checker replays, whatever the net.

mod common;

use common::{Random, answer};
use pidlab_cover::{Budget, Config, CoverVerdict, EnabledIndex, Net, OMEGA, parse};
use std::path::{Path, PathBuf};

/// Threads in each place of any number: as many as a walk can use.
const THREADS: u32 = 200;

fn net_of(path: &Path) -> Option<Net> {
    let text = std::fs::read_to_string(path).unwrap();
    match path.extension()?.to_str()? {
        "spec" => Some(parse::spec::parse(&text).unwrap()),
        "tts" => {
            let appended = PathBuf::from(format!("{}.prop", path.display()));
            let property = std::fs::read_to_string(&appended)
                .or_else(|_| std::fs::read_to_string(path.with_extension("prop")))
                .unwrap();
            Some(parse::tts::parse(&text, &property).unwrap())
        }
        _ => None,
    }
}

/// The nets of the public suites, in a fixed order.
fn nets() -> Vec<(String, Net)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/cover");
    let mut paths = Vec::new();
    for suite in ["mist", "wahl-kroening"] {
        let entries = std::fs::read_dir(folder.join(suite)).unwrap();
        paths.extend(entries.map(|entry| entry.unwrap().path()));
    }
    paths.sort();
    let named = |path: &PathBuf| Some((path.display().to_string(), net_of(path)?));
    paths.iter().filter_map(named).collect()
}

/// Where a walk of so many steps ends, on the places that do not hold any number anyway; `None` if it
/// ends early or nowhere new.
fn walk(net: &Net, steps: u32, random: &mut Random) -> Option<Config> {
    let index = EnabledIndex::new(net, |_| true, &Budget::unlimited()).unwrap();
    let start = net.initial.entries().iter();
    let start = start.map(|&(p, n)| (p, if n == OMEGA { THREADS } else { n }));
    let mut marking = Config::new(start.collect());
    for _ in 0..steps {
        let enabled = index.enabled(net, &marking);
        let moves = |&&t: &&u32| {
            let t = &net.transitions[t as usize];
            !t.has_choice() && t.pre != t.post
        };
        let useful: Vec<u32> = enabled.iter().filter(moves).copied().collect();
        if useful.is_empty() {
            return None;
        }
        let t = useful[random.below(useful.len() as u32) as usize];
        marking = net.fire(&marking, &net.transitions[t as usize]).ok()?;
    }
    let counted = marking.entries().iter().filter(|e| net.initial.get(e.0) != OMEGA);
    let target = Config::new(counted.copied().collect());
    (!target.leq(&net.initial)).then_some(target)
}

/// Walks `lengths` steps on every `stride`-th net and has each end found within the time.
fn find_again(stride: usize, lengths: &[u32], seconds: f64) {
    let mut asked = 0;
    for (number, (name, net)) in nets().into_iter().enumerate().step_by(stride) {
        for &length in lengths {
            let mut random = Random(4_000_000 + number as u64 * 1000 + u64::from(length));
            let Some(target) = walk(&net, length, &mut random) else {
                continue;
            };
            asked += 1;
            let question = Net { targets: vec![target], ..net.clone() };
            let found = answer(&question, "auto", seconds, true);
            let steps = found.trace.as_ref().map_or(0, |trace| trace.steps.len());
            let what = format!("{name}, {length} steps");
            println!("{what}: {} by {} in {:.2} s", steps, found.algorithm, found.seconds);
            assert_eq!(found.verdict, CoverVerdict::Unsafe, "{what}: {:?}", found.reason);
        }
    }
    assert!(asked > 10, "only {asked} targets");
}

#[test]
fn ends_of_short_walks_are_found() {
    find_again(4, &[10, 25], 30.0);
}

#[test]
#[ignore = "takes minutes: cargo test --release -p pidlab-cover -- --ignored"]
fn ends_of_walks_of_up_to_a_hundred_steps_are_found() {
    find_again(1, &[25, 40, 60, 75, 90, 100], 30.0);
}
