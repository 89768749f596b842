//! What the targets of coverability have in common.

use pidlab_cover::parse::{lgfsm, pnml, spec, tts};
use pidlab_cover::{Budget, EmitFormat, Net, Source, emit};
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
