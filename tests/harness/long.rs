//! What `compare` promises with its default settings, measured. Run them by name:
//! `cargo test --release --test harness long -- --ignored --nocapture`.

use crate::support::{Scratch, expect, slowed, text};
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn compare(scratch: &Scratch, new: &Path) -> (Output, Duration) {
    let clock = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_pidlab"))
        .arg("compare")
        .arg(env!("CARGO_BIN_EXE_pidlab"))
        .arg(new)
        .arg("--out")
        .arg(scratch.path("out"))
        .output()
        .unwrap();
    (output, clock.elapsed())
}

#[test]
#[ignore = "about two minutes for each of seven backends: default settings"]
fn ten_percent_in_any_backend_are_found_within_five_minutes() {
    for backend in ["canon", "refine", "nauty", "traces", "wl", "vf2", "petgraph"] {
        let scratch = Scratch::new();
        let slow = slowed(&scratch, &format!("{backend}=1.1"));
        let (output, time) = compare(&scratch, &slow);
        println!("{backend}: {:.0} s\n{}", time.as_secs_f64(), text(&output.stdout));
        expect(&output, 1);
        let said = text(&output.stdout);
        let regressions = said.lines().filter(|line| line.contains("REGRESSION"));
        assert!(regressions.clone().count() > 0);
        assert!(regressions.into_iter().all(|line| line.contains(backend)), "{said}");
        assert!(time < Duration::from_secs(300), "{time:?}");
    }
}

#[test]
#[ignore = "about half an hour: twenty comparisons with default settings"]
fn twenty_comparisons_of_a_program_with_itself_raise_no_alarm() {
    for number in 1..=20 {
        let scratch = Scratch::new();
        let (output, time) = compare(&scratch, Path::new(env!("CARGO_BIN_EXE_pidlab")));
        println!("{number}: {:.0} s\n{}", time.as_secs_f64(), text(&output.stdout));
        expect(&output, 0);
    }
}
