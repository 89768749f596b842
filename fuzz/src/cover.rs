//! What the targets of coverability have in common.

use pidlab_cover::parse::{lgfsm, pnml, spec, tts};
use pidlab_cover::{
    Budget, CoverVerdict, EmitFormat, Net, SolveOptions, Source, coverability_set, emit, solve,
};
use std::time::Duration;

/// Larger nets are not written: their text would only cost time.
const MOST_PLACES: usize = 2_000;

/// A text that may cost a second and a gigabyte.
pub fn limited(text: &str) -> Source {
    Source::new("fuzzed", text).within(Budget::new(Some(Duration::from_secs(1)), Some(1 << 30)))
}

/// What can be written in a format can be read again.
pub fn write_and_read(net: &Net) {
    let budget = Budget::new(Some(Duration::from_secs(1)), Some(1 << 30));
    if net.places.len() > MOST_PLACES {
        return;
    }
    for format in EmitFormat::ALL {
        let Ok(text) = emit(net, format, &budget) else { continue };
        let property = text.property.unwrap_or_default();
        let read = match format {
            EmitFormat::Lgfsm => lgfsm::parse(&text.model),
            EmitFormat::Tts => tts::parse(&text.model, &property),
            EmitFormat::Spec => spec::parse(&text.model),
            EmitFormat::Pnml => pnml::parse(&text.model, &property),
        };
        if let Err(error) = read {
            panic!("{format} cannot be read again: {error}\n{}", text.model);
        }
    }
}

/// Every algorithm, for a moment each.
const ALGORITHMS: [&str; 7] =
    ["auto", "backward", "mp", "directed", "beacon", "karp-miller", "bounded:2"];
/// Larger nets are not solved: few of the algorithms would get anywhere.
const MOST_SOLVED: usize = 200;

/// No answer is rejected by its check, and no two contradict each other.
pub fn solve_by_all(net: &Net) {
    if net.places.len().max(net.transitions.len()) > MOST_SOLVED {
        return;
    }
    let moment = || Budget::new(Some(Duration::from_millis(30)), Some(1 << 28));
    let mut known = None;
    for algorithm in ALGORITHMS {
        for reduce in [true, false] {
            let options = SolveOptions { algorithm: algorithm.into(), budget: moment(), reduce };
            let document = solve(net, &options).unwrap_or_else(|error| panic!("{error}"));
            if document.verdict != CoverVerdict::Unknown {
                let &mut (first, verdict) = known.get_or_insert((algorithm, document.verdict));
                assert_eq!(verdict, document.verdict, "{first} and {algorithm}");
            }
        }
    }
    for algorithm in ["mp", "karp-miller"] {
        if let Err(error) = coverability_set(net, None, algorithm, &moment()) {
            panic!("{error}");
        }
    }
}
