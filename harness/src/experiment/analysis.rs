//! `[analysis]`: what the rows are analysed for. Nothing here needs new rows.

use super::Decider;
use pidlab_stats::{DividingLine, Law, Procedure};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// What the rows are analysed for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnalysisOptions {
    /// Which time.
    pub time: Time,
    /// By which clock.
    pub clock: Clock,
    /// What the time is set against [default: the first count of the kind].
    pub size: Option<Size>,
    /// The growth laws that times are compared with.
    pub laws: Vec<Law>,
    /// Parameters of the states whose effect is asked for.
    pub factors: Vec<String>,
    /// The segment procedure of SACS'10 and its settings, where it is applied.
    #[serde(deserialize_with = "segments")]
    pub segments: Option<Procedure>,
    /// Leaves out pairs that differ in a count, as the papers do (SACS'10, section 5, first remark).
    pub similar_only: bool,
    /// Keeps the times of rows with this decider alone; limits that were hit count as before.
    pub decided_by: Option<Decider>,
    /// Growth is that of the median state of each size, so that sizes of which some states meet a limit count.
    pub typical: bool,
}

impl Default for AnalysisOptions {
    fn default() -> AnalysisOptions {
        AnalysisOptions {
            time: Time::Total,
            clock: Clock::Cpu,
            size: None,
            laws: Law::PAPERS.to_vec(),
            factors: Vec::new(),
            segments: None,
            similar_only: false,
            decided_by: None,
            typical: false,
        }
    }
}

/// Laws that one verdict can weigh; with more there would be no verdict.
const MOST_LAWS: usize = 8;
/// Segments beyond this hold too few states each.
const MOST_SEGMENTS: usize = 50;

impl AnalysisOptions {
    /// Problems with the numbers; they name the field.
    pub fn check(&self) -> Result<(), String> {
        if self.laws.is_empty() || self.laws.len() > MOST_LAWS {
            let given = self.laws.len();
            return Err(format!("`analysis.laws` has {given} laws, expected 1 to {MOST_LAWS}"));
        }
        if let Some(pair) = self.laws.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(format!(
                "`analysis.laws` must be in order of growth, each once; `{}` comes before `{}`",
                pair[0].name(),
                pair[1].name()
            ));
        }
        self.segments.as_ref().map_or(Ok(()), check_segments)
    }

    /// What the time is set against.
    pub fn size(&self) -> Size {
        self.size.unwrap_or(Size::Pids)
    }
}

fn check_segments(procedure: &Procedure) -> Result<(), String> {
    if !(2..=MOST_SEGMENTS).contains(&procedure.number) {
        let given = procedure.number;
        return Err(format!(
            "`analysis.segments.number` is {given}, expected a number between 2 and {MOST_SEGMENTS}"
        ));
    }
    if !(0.0..=1e12).contains(&procedure.from) {
        let given = procedure.from;
        return Err(format!(
            "`analysis.segments.from` is {given}, expected a size between 0 and 1e12"
        ));
    }
    let (name, slope) = match procedure.line {
        DividingLine::TimesDensest(factor) => ("times_densest", factor),
        DividingLine::SecondsPerSize(slope) => ("seconds_per_size", slope),
    };
    match slope.is_finite() && slope > 0.0 {
        true => Ok(()),
        false => {
            Err(format!("`analysis.segments.line.{name}` is {slope}, expected a positive number"))
        }
    }
}

/// `true` for the paper's settings, or a table of other ones.
fn segments<'de, D: Deserializer<'de>>(de: D) -> Result<Option<Procedure>, D::Error> {
    de.deserialize_any(SegmentsVisitor)
}

struct SegmentsVisitor;

impl<'de> Visitor<'de> for SegmentsVisitor {
    type Value = Option<Procedure>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "true, false, or settings such as { number = 4, from = 200, line = { times_densest = 2.47 } }",
        )
    }

    fn visit_bool<E>(self, applied: bool) -> Result<Option<Procedure>, E> {
        Ok(applied.then(Procedure::default))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Option<Procedure>, A::Error> {
        Procedure::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
}

/// Which time is analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Time {
    /// Building the backend's structure and deciding.
    Total,
    /// Deciding alone.
    Decide,
    /// Building alone.
    Build,
}

/// Which clock is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// CPU time of whoever decided, the worker or a program of its own: not disturbed by other processes.
    Cpu,
    /// Time that passed.
    Wall,
}

/// What the time is set against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// p, the number of distinct pids.
    Pids,
    /// Vectors of a state.
    Vectors,
    /// a·v, arcs times vertices (ICTAC'08).
    ArcsTimesVertices,
    /// States of a state space.
    States,
    /// Places of a net.
    Places,
}

impl Size {
    /// Its column in the result table.
    pub fn column(self) -> &'static str {
        match self {
            Size::Pids => "p",
            Size::Vectors => "vectors",
            Size::ArcsTimesVertices => "av",
            Size::States => "states",
            Size::Places => "places",
        }
    }

    /// What stands for it in laws and verdicts.
    pub fn symbol(self) -> &'static str {
        match self {
            Size::Pids => "p",
            Size::Vectors => "vectors",
            Size::ArcsTimesVertices => "a·v",
            Size::States => "states",
            Size::Places => "places",
        }
    }

    /// What the x axis shows.
    pub fn label(self) -> &'static str {
        match self {
            Size::Pids => "p (distinct pids)",
            Size::Vectors => "vectors",
            Size::ArcsTimesVertices => "a·v (arcs × vertices, both graphs)",
            Size::States => "states",
            Size::Places => "places",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<AnalysisOptions, String> {
        let options: AnalysisOptions = toml::from_str(text).map_err(|e| e.message().to_string())?;
        options.check().map(|()| options)
    }

    #[test]
    fn settings_have_the_papers_values_unless_given() {
        assert_eq!(read("segments = true").unwrap().segments, Some(Procedure::default()));
        assert_eq!(read("segments = false").unwrap().segments, None);
        let some = read("segments = { number = 5, line = { seconds_per_size = 0.011 } }").unwrap();
        let some = some.segments.unwrap();
        assert_eq!((some.number, some.from), (5, 200.0));
        assert_eq!(some.line, DividingLine::SecondsPerSize(0.011));
        let laws = read("laws = [\"p\", \"p^1.25\", \"p^3\"]").unwrap().laws;
        assert_eq!(laws.iter().map(|law| law.name()).collect::<Vec<_>>(), ["p", "p^1.25", "p^3"]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_name() {
        for (text, said) in [
            ("laws = []", "analysis.laws"),
            ("laws = [\"p^2\", \"p\"]", "order of growth"),
            ("laws = [\"p\", \"p\"]", "each once"),
            ("laws = [\"n log n\"]", "growth law"),
            ("segments = 4", "number = 4"),
            ("segments = { number = 1 }", "analysis.segments.number"),
            ("segments = { number = 1000 }", "analysis.segments.number"),
            ("segments = { from = nan }", "analysis.segments.from"),
            ("segments = { line = { times_densest = 0 } }", "line.times_densest"),
            ("segments = { line = { seconds_per_size = inf } }", "line.seconds_per_size"),
            ("segments = { cut = 200 }", "cut"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
