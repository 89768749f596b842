//! Processes killed at random moments: a search that goes on from its checkpoint counts the same.

use crate::{LARGE, LARGE_STATES, Scratch, children_of, end, explore, kill, read, start};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Random enough, and the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn command(folder: &str, processes: u64) -> Command {
    let mut command = explore(&LARGE);
    command.args(["--cluster", &processes.to_string(), "--threads", "1"]);
    command.args(["--checkpoint", folder, "--every", "0s"]);
    if Path::new(folder).exists() {
        command.args(["--resume", folder]);
    }
    command
}

/// Kills one process of a search after a while; `false` if it had ended before.
fn kill_one(folder: &str, most: u64, dice: &mut Dice) -> bool {
    let processes = 1 + dice.below(4);
    let child = start(command(folder, processes));
    std::thread::sleep(Duration::from_millis(dice.below(most)));
    let mut all = vec![child.id()];
    all.extend(children_of(child.id()));
    kill(all[dice.below(all.len() as u64) as usize]);
    let (code, document, errors) = end(child);
    assert!(!errors.contains("panicked") && !errors.contains("damaged"), "{errors}");
    // none outlives the search by long
    for process in &all[1..] {
        for _ in 0..600 {
            if !Path::new(&format!("/proc/{process}")).exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    if code == Some(0) {
        let states = document.map(|document| document["states"].as_u64());
        assert_eq!(states, Some(Some(LARGE_STATES)), "{errors}");
    }
    code != Some(0)
}

fn finish(folder: &str, processes: u64) {
    let alone = read(&explore(&LARGE).output().expect("pidlab runs")).1.expect("a document");
    let output = command(folder, processes).output().expect("pidlab runs");
    let (code, document, errors) = read(&output);
    let document = document.unwrap_or_else(|| panic!("{errors}"));
    assert_eq!(code, Some(0), "{errors}");
    for count in ["states", "edges", "seen", "deadlocks", "final", "complete"] {
        assert_eq!(document[count], alone[count], "{count}");
    }
}

/// Searches, each killed up to five times before it may end, until so many kills have met one that was at work.
fn kills(name: &str, enough: u64, most: u64) -> u64 {
    let mut dice = Dice(enough);
    let mut killed = 0;
    for search in 0..4 * enough {
        let scratch = Scratch::new(&format!("{name}-{search}"));
        let folder = scratch.path("checkpoint");
        killed += (0..5).take_while(|_| kill_one(&folder, most, &mut dice)).count() as u64;
        finish(&folder, 1 + dice.below(4));
        if killed >= enough {
            break;
        }
    }
    killed
}

#[test]
fn a_few_kills() {
    assert!(kills("few", 1, 1000) > 0);
}

#[test]
#[ignore = "minutes: 50 kills and more"]
fn fifty_kills() {
    let killed = kills("fifty", 50, 1000);
    assert!(killed >= 50, "{killed}");
}
