//! `.pnml`: place/transition nets (ISO/IEC 15909-2), with the wanted markings in a property of their own.
//!
//! The property is lines of conditions `p >= 2, q >= 1`, which hold together; several lines are
//! alternatives. A place goes by its identifier or its name in the file; where several have the same name,
//! only identifiers will do. Symmetric nets are refused: their tokens are not alike.

use super::counter;
use crate::config::{Config, MAX_COUNT};
use crate::net::{MAX_PLACES, Net, Transition, collect_entries};
use pidlab_pnml::{Direction, Kind, PnmlNet};
use pidlab_syntax::{Parsed, Source, Span, quoted};
use rustc_hash::{FxHashMap, FxHashSet};

/// What starts a comment of a property.
const COMMENT: char = '#';

/// A net of a file and what its places can be called.
pub struct PnmlSystem {
    /// The net, without targets.
    pub net: Net,
    /// Identifiers, and names that only one place has.
    known: FxHashMap<String, u32>,
}

/// Reads a `.pnml` file alone; the targets are left empty.
pub fn read_system(source: &Source) -> Parsed<PnmlSystem> {
    let file = pidlab_pnml::read(source)?;
    if file.kind != Kind::PlaceTransition {
        let message =
            "a symmetric net: expected a place/transition net, whose tokens are all alike";
        return Err(source.error(Span::default(), message));
    }
    if file.places.len() > MAX_PLACES {
        return Err(source.error(Span::default(), format!("more than {MAX_PLACES} places")));
    }
    let (net, known) = (Net::default(), FxHashMap::default());
    let mut system = PnmlSystem { net, known };
    system.places(&file, source)?;
    system.transitions(&file, source)?;
    Ok(system)
}

/// A number of tokens that must fit a counter.
fn count(value: u64, span: Span, source: &Source) -> Parsed<u32> {
    let fits = u32::try_from(value).ok().filter(|&value| value <= MAX_COUNT);
    fits.ok_or_else(|| {
        source.error(span, format!("{value} tokens are too many: at most {MAX_COUNT}"))
    })
}

impl PnmlSystem {
    fn places(&mut self, file: &PnmlNet, source: &Source) -> Parsed<()> {
        let mut initial = Vec::new();
        let (mut names, mut twice) = (FxHashSet::default(), FxHashSet::default());
        for place in &file.places {
            source.budget().steps(1)?;
            if !names.insert(place.name.as_str()) {
                twice.insert(place.name.as_str());
            }
        }
        for (number, place) in (0..).zip(&file.places) {
            source.budget().steps(1)?;
            initial.push((number, count(place.tokens, place.span, source)?));
            // documents go by name, so names must differ
            let name = if twice.contains(place.name.as_str()) { &place.id } else { &place.name };
            self.net.places.push(name);
            self.known.insert(name.clone(), number);
        }
        for (number, place) in (0..).zip(&file.places) {
            self.known.insert(place.id.clone(), number);
        }
        let mut seen = FxHashSet::default();
        if let Some(again) = self.net.places.iter().position(|name| !seen.insert(name)) {
            let place = &file.places[again];
            let message = format!(
                "{} is the name of one place and the identifier of another",
                quoted(&place.name)
            );
            return Err(source.error(place.span, message));
        }
        self.net.initial = Config::new(initial);
        Ok(())
    }

    fn transitions(&mut self, file: &PnmlNet, source: &Source) -> Parsed<()> {
        let mut ends = vec![(Vec::new(), Vec::new()); file.transitions.len()];
        for arc in &file.arcs {
            source.budget().steps(1)?;
            let weight = count(arc.weight, arc.span, source)?;
            match arc.direction {
                Direction::Take { place, transition } => {
                    ends[transition].0.push((place as u32, weight))
                }
                Direction::Put { transition, place } => {
                    ends[transition].1.push((place as u32, weight))
                }
            }
        }
        for (transition, (pre, post)) in file.transitions.iter().zip(ends) {
            source.budget().steps(1 + pre.len() + post.len())?;
            let sum = |entries| {
                let message = "the arcs of this transition move too many tokens";
                collect_entries(entries).ok_or_else(|| source.error(transition.span, message))
            };
            let line = source.line_of(transition.span) as u32;
            let (pre, post) = (sum(pre)?, sum(post)?);
            self.net.transitions.push(Transition { pre, post, transfers: Vec::new(), line });
            self.net.labels.push(transition.name.as_str().into());
        }
        Ok(())
    }

    /// Reads the property of the net.
    pub fn read_property(&self, source: &Source) -> Parsed<Vec<Config>> {
        let mut targets = Vec::new();
        for line in source.lines(COMMENT) {
            let text = line?.text;
            source.budget().reserve::<[u64; 2]>(text.len())?;
            let conditions = text.split(',').map(|part| self.condition(part.trim_ascii(), source));
            let mut bounds: FxHashMap<u32, u32> = FxHashMap::default();
            for condition in conditions {
                let (place, least) = condition?;
                let bound = bounds.entry(place).or_default();
                *bound = least.max(*bound);
            }
            let target = Config::new(bounds.into_iter().collect());
            if target.entries().is_empty() {
                return Err(source.expected("a condition that is not always true", text));
            }
            targets.push(target);
        }
        if targets.is_empty() {
            return Err(source.expected("a target such as `p >= 1, q >= 2`", ""));
        }
        Ok(targets)
    }

    fn condition(&self, text: &str, source: &Source) -> Parsed<(u32, u32)> {
        let Some((name, least)) = text.rsplit_once(">=") else {
            return Err(source.expected("`place >= number`", text));
        };
        let name = name.trim_ascii();
        let Some(&place) = self.known.get(name) else {
            let message = format!("there is no place {}, nor one of them alone", quoted(name));
            return Err(source.error(source.span_of(name), message));
        };
        Ok((place, counter(least.trim_ascii(), source)?))
    }
}

/// Parses a `.pnml` file and its property.
pub fn parse(text: &str, property: &str) -> Parsed<Net> {
    let system = read_system(&Source::new(".pnml", text))?;
    let targets = system.read_property(&Source::new(".prop", property))?;
    Ok(Net { targets, ..system.net })
}
