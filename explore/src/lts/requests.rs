//! The other end of the protocol: requests for initial states and successors, for programs of ours.

use super::read::Reader;
use super::schema::Schema;
use super::state::LtsState;
use super::text::{Read, Seen, Text};
use pidlab_syntax::Source;

/// Reads requests; keeps its memory.
#[derive(Default)]
pub struct Requests {
    /// Number of the request.
    pub number: u64,
    /// Whether it asks for the initial states.
    pub initial: bool,
    schema: Schema,
    reader: Reader,
    states: Vec<LtsState>,
    used: usize,
}

const FIELDS: [&str; 3] = ["id", "initial", "successors"];

impl Requests {
    /// Reads a request; an error says what is wrong with it.
    pub fn read(&mut self, line: &str) -> Result<(), String> {
        self.request(line.trim_end()).map_err(|wrong| {
            let source = Source::new("request", line.trim_end());
            source.error(wrong.span, wrong.message.as_str()).to_string()
        })
    }

    fn request(&mut self, line: &str) -> Read<()> {
        (self.number, self.initial, self.used) = (0, false, 0);
        let (mut text, mut seen) = (Text::new(line), Seen::default());
        text.object("a request", |text, name, span| {
            match seen.field(text, &FIELDS, name, span)? {
                0 => self.number = text.integer("the number of the request")?.unsigned_abs() as u64,
                1 => self.initial = text.boolean("true or false")?,
                _ => return text.list("a list of states", |text| self.state(text)),
            }
            Ok(())
        })?;
        seen.require(&text, &FIELDS, 0, 0)?;
        text.end()
    }

    fn state(&mut self, text: &mut Text<'_>) -> Read<()> {
        if self.used == self.states.len() {
            self.states.push(LtsState::default());
        }
        self.reader.state(text, &mut self.schema, &mut self.states[self.used])?;
        self.used += 1;
        Ok(())
    }

    /// The states that successors are asked of; with a start for every place that is known by now.
    pub fn states(&mut self) -> (&Schema, &[LtsState]) {
        let places = self.schema.places.len();
        for state in &mut self.states[..self.used] {
            state.fill_starts(places);
        }
        (&self.schema, &self.states[..self.used])
    }
}
