//! Every subject finds cases that mean something, the same ones on any number of threads, and what contradicts is
//! found and made small.

use pidlab_budget::Budget;
use pidlab_differential::{
    Agreement, Contradiction, Coverability, File, Heaps, Nets, Pairs, Report, Settings, Subject,
    examine,
};
use pidlab_random::Rng;
use std::time::Duration;

fn settings(cases: u64, threads: usize) -> Settings {
    let settings = Settings::for_time(2010, Duration::from_secs(300));
    Settings { cases: Some(cases), threads, ..settings }
}

fn telling(report: &Report, comparisons: u64) {
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert!(report.comparisons > comparisons, "{} comparisons", report.comparisons);
}

#[test]
fn pairs_agree() {
    telling(&examine(Pairs::default, &settings(300, 2)), 1_000);
}

#[test]
fn nets_agree() {
    telling(&examine(|| Nets, &settings(200, 2)), 100);
}

#[test]
fn heap_programs_agree() {
    telling(&examine(|| Heaps, &settings(40, 2)), 400);
}

#[test]
fn coverability_agrees() {
    telling(&examine(|| Coverability, &settings(40, 2)), 150);
}

/// A subject of the test: nets, of which some are declared wrong.
struct Wrong<F>(F);

impl<F: Fn(&str) -> bool> Subject for Wrong<F> {
    type Case = <Nets as Subject>::Case;

    fn draw(&self, rng: &mut Rng) -> Option<Self::Case> {
        Nets.draw(rng)
    }

    fn hold_against_each_other(&self, case: &Self::Case, _: &Budget) -> Agreement {
        match (self.0)(&case.0.text()) {
            true => Err(Contradiction { kind: "test", message: "declared wrong".into() }),
            false => Ok(1),
        }
    }

    fn shrink(
        &self,
        case: &Self::Case,
        still_wrong: &mut dyn FnMut(&Self::Case) -> bool,
    ) -> Self::Case {
        Nets.shrink(case, still_wrong)
    }

    fn files(&self, case: &Self::Case) -> Vec<File> {
        Nets.files(case)
    }
}

fn creates(text: &str) -> bool {
    text.contains("create c of p")
}

#[test]
fn a_contradiction_is_found_and_made_small() {
    let one = examine(|| Wrong(creates), &settings(60, 1));
    let two = examine(|| Wrong(creates), &settings(60, 2));
    assert_eq!(one.findings.len(), 5, "it ends after five");
    for finding in one.findings.iter().chain(&two.findings) {
        let text = String::from_utf8_lossy(&finding.files[0].1).into_owned();
        assert!(creates(&text), "{text}");
        assert_eq!(text.matches("transition").count(), 1, "{text}");
    }
    let numbers = |report: &Report| report.findings[0].case;
    assert_eq!(numbers(&one), numbers(&two));
}

#[test]
fn a_panic_is_a_finding() {
    let report = examine(
        || Wrong(|text: &str| if creates(text) { panic!("oh") } else { false }),
        &settings(30, 1),
    );
    assert_eq!(report.findings[0].contradiction.kind, "panic");
    assert!(report.findings[0].contradiction.message.contains("oh"));
}
