//! Searches that go on from checkpoints come to what an uninterrupted one comes to.

mod support;

use pidlab_budget::Budget;
use pidlab_explore::heap::ThreadSymmetry;
use pidlab_explore::heap::{self, HeapOptions};
use pidlab_explore::net::Net;
use pidlab_explore::net::{NetOptions, explore, explore_by};
use pidlab_explore::search::{Counters, Limits, Options, Order, StopReason};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::{Folders, net, program, together};

/// A folder of its own that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("pidlab-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Scratch(folder)
    }

    fn both(&self) -> Folders {
        Folders { write: Some(self.0.clone()), resume: Some(self.0.clone()) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn settings<'a>(net: &Net, limits: Limits) -> NetOptions<'a> {
    let options = Options { limits, ..Options::default() };
    NetOptions { relations: net.used_relations(), canon: true, force: false, options }
}

type Ended = Result<(Counters, Option<StopReason>, Option<usize>), String>;

fn search(net: &Net, limits: &Limits, shape: (usize, usize), folders: &Folders) -> Vec<Ended> {
    together(shape.0, shape.1, folders, |cluster| {
        let found = explore_by(net, &settings(net, limits.clone()), cluster);
        let found = found.map_err(|error| error.to_string())?;
        let trace = found.verdicts.first().and_then(|v| v.trace.as_ref()).map(|t| t.steps.len());
        Ok((found.report.counters, found.report.stopped, trace))
    })
}

fn nkm() -> Net {
    net("nkm.tnet", &[("k", "3"), ("m", "2")], &["reach count(f1(_)) == 3"])
}

/// What one process comes to.
fn alone(net: &Net) -> Ended {
    let found = explore(net, &settings(net, Limits::default())).unwrap();
    let trace = found.verdicts[0].trace.as_ref().map(|trace| trace.steps.len());
    Ok((found.report.counters, found.report.stopped, trace))
}

#[test]
fn a_search_goes_on_with_any_number_of_processes() {
    let net = nkm();
    let wanted = alone(&net);
    let shapes = [(2, 1), (1, 1), (3, 2), (3, 1), (2, 2), (4, 1)];
    for (round, &first) in shapes.iter().enumerate() {
        let scratch = Scratch::new(&format!("resume-{round}"));
        let write = Folders { write: Some(scratch.0.clone()), resume: None };
        let mut folders = write;
        // stopped again and again, until the time is enough
        for (attempt, &shape) in [first].iter().chain(shapes.iter().cycle()).enumerate() {
            let time = Duration::from_millis(5 << attempt.min(14));
            let ends = search(
                &net,
                &Limits { budget: Budget::new(Some(time), None), ..Limits::default() },
                shape,
                &folders,
            );
            let end = ends[0].clone();
            if matches!(end, Ok((_, None, _))) {
                assert!(ends.iter().all(|end| *end == wanted), "{ends:?} instead of {wanted:?}");
                break;
            }
            if scratch.0.exists() {
                folders = scratch.both();
            }
        }
    }
}

#[test]
fn concrete_states_survive() {
    let constants = [("N", 3), ("MAX", 1)];
    let symmetry = "kbots:2".parse::<ThreadSymmetry>().unwrap();
    let options = |limits| {
        let order = Order::BreadthFirst;
        HeapOptions { symmetry, order, limits, ..HeapOptions::default() }
    };
    let make = || program("ordered-list.bir", &constants);
    let wanted = heap::explore(make(), &options(Limits::default())).unwrap().report.counters;
    let scratch = Scratch::new("concrete");
    let mut folders = Folders { write: Some(scratch.0.clone()), resume: None };
    for (attempt, shape) in [(2, 1), (3, 1), (1, 2), (2, 2)].into_iter().cycle().enumerate() {
        let time = Duration::from_millis(5 << attempt.min(14));
        let limits = Limits { budget: Budget::new(Some(time), None), ..Limits::default() };
        let ends = together(shape.0, shape.1, &folders, |cluster| {
            heap::explore_by(make(), &options(limits.clone()), cluster).map(|found| found.report)
        });
        if scratch.0.exists() {
            folders = scratch.both();
        }
        if let Ok(report) = &ends[0]
            && report.stopped.is_none()
        {
            assert_eq!(report.counters, wanted);
            return;
        }
    }
}

fn some_file(folder: &Path, ending: &str) -> PathBuf {
    let entries = fs::read_dir(folder.join("search-0")).unwrap().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.to_str().unwrap().ends_with(ending));
    files.sort();
    files.pop().unwrap()
}

#[test]
fn damaged_or_foreign_checkpoints_are_refused() {
    let net = nkm();
    let scratch = Scratch::new("damaged");
    let write = Folders { write: Some(scratch.0.clone()), resume: None };
    let most = Limits { states: Some(200), ..Limits::default() };
    assert!(search(&net, &most, (2, 1), &write)[0].is_ok());
    // a folder with a checkpoint is not begun again by mistake
    let refused = std::panic::catch_unwind(|| search(&net, &most, (2, 1), &write));
    assert!(refused.is_err());
    let file = some_file(&scratch.0, ".states");
    let whole = fs::read(&file).unwrap();
    let mut changed = whole.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    for damaged in [&changed[..], &whole[..middle], b""] {
        fs::write(&file, damaged).unwrap();
        for end in search(&net, &most, (2, 1), &scratch.both()) {
            let text = end.unwrap_err();
            assert!(text.contains("damaged"), "{text}");
        }
    }
    fs::write(&file, &whole).unwrap();
    assert!(search(&net, &most, (3, 1), &scratch.both()).iter().all(|end| end.is_ok()));
    let manifest = some_file(&scratch.0, "manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"model\":\"model\"", "\"model\":\"another\"")).unwrap();
    let foreign = std::panic::catch_unwind(|| search(&net, &most, (1, 1), &scratch.both()));
    assert!(foreign.is_err());
}

#[test]
fn what_a_killed_search_leaves_is_swept_away() {
    let net = nkm();
    let scratch = Scratch::new("sweep");
    let write = Folders { write: Some(scratch.0.clone()), resume: None };
    let most = Limits { states: Some(100), ..Limits::default() };
    assert!(search(&net, &most, (2, 1), &write)[0].is_ok());
    let orphan = scratch.0.join("search-0/level-99-0-1-1.states");
    let part = scratch.0.join("search-0/manifest.json.part");
    fs::write(&orphan, b"half").unwrap();
    fs::write(&part, b"half").unwrap();
    assert!(search(&net, &most, (2, 1), &scratch.both())[0].is_ok());
    assert!(!orphan.exists() && !part.exists());
}
