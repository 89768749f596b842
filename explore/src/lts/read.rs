//! States, labels and lines of `pidlab-lts/1` from text (docs/lts.md has the format).

use super::label::{LabelBuilder, Part};
use super::schema::Schema;
use super::state::{LtsBuilder, LtsState};
use super::text::{Read, Seen, Text};
use pidlab_core::json::STATE_FORMAT;
use pidlab_core::state::LARGEST_ETA;
use std::borrow::Cow;

/// The `format` of a file.
pub const FORMAT: &str = "pidlab-lts/1";

/// What the reader keeps from line to line.
#[derive(Default)]
pub struct Reader {
    pub builder: LtsBuilder,
    pub label: LabelBuilder,
    shape: Vec<u8>,
    name: Vec<u8>,
}

/// The name of a state within a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateName<'t> {
    Number(u64),
    Text(Cow<'t, str>),
}

/// What a line says.
#[derive(Debug)]
pub enum LineKind<'t> {
    Header,
    /// The state itself is in [`Reader::builder`].
    State {
        id: StateName<'t>,
        initial: bool,
        expanded: bool,
    },
    /// The label is in [`Reader::label`].
    Transition {
        from: StateName<'t>,
        to: StateName<'t>,
    },
}

const HEADER: [&str; 2] = ["format", "name"];
const STATE: [&str; 4] = ["id", "state", "initial", "expanded"];
const TRANSITION: [&str; 5] = ["from", "to", "action", "pid", "parameters"];
const SUCCESSOR: [&str; 4] = ["state", "action", "pid", "parameters"];
const PARTS: [&str; 3] = ["format", "sigma", "eta"];

impl Reader {
    /// Reads one line; its first field says what it is.
    pub fn line<'t>(&mut self, line: &'t str, schema: &mut Schema) -> Read<LineKind<'t>> {
        let mut text = Text::new(line);
        let mut probe = text.clone();
        probe.expect(b'{', "an object: a state, a transition or a header")?;
        probe.peek();
        let start = probe.at();
        let first = probe.string("the name of a field")?;
        let kind = match &*first {
            "format" | "name" => self.header(&mut text)?,
            "id" | "state" | "initial" | "expanded" => self.state_line(&mut text, schema)?,
            "from" | "to" | "action" | "pid" | "parameters" => {
                self.transition(&mut text, schema)?
            }
            _ => {
                let message = "expected a header (`format`), a state (`id`, `state`) or a transition (`from`, `action`, `to`)";
                return Err(text.wrong(start, probe.at(), message));
            }
        };
        text.end()?;
        Ok(kind)
    }

    fn header<'t>(&mut self, text: &mut Text<'t>) -> Read<LineKind<'t>> {
        let mut seen = Seen::default();
        text.object("a header", |text, name, span| {
            let field = seen.field(text, &HEADER, name, span)?;
            text.peek();
            let start = text.at();
            let value = text.string("a string")?;
            match field == 0 && value != FORMAT {
                true => {
                    let message = format!("expected the format `{FORMAT}`");
                    Err(text.wrong(start, text.at(), message))
                }
                false => Ok(()),
            }
        })?;
        Ok(LineKind::Header)
    }

    fn state_line<'t>(&mut self, text: &mut Text<'t>, schema: &mut Schema) -> Read<LineKind<'t>> {
        let (mut id, mut initial, mut expanded) = (StateName::Number(0), false, true);
        let (mut seen, start) = (Seen::default(), text.at());
        text.object("a state", |text, name, span| {
            match seen.field(text, &STATE, name, span)? {
                0 => id = state_name(text)?,
                1 => self.parts(text, schema)?,
                2 => initial = text.boolean("true or false")?,
                _ => expanded = text.boolean("true or false")?,
            }
            Ok(())
        })?;
        seen.require(text, &STATE, 0, start)?;
        seen.require(text, &STATE, 1, start)?;
        Ok(LineKind::State { id, initial, expanded })
    }

    fn transition<'t>(&mut self, text: &mut Text<'t>, schema: &mut Schema) -> Read<LineKind<'t>> {
        let (mut from, mut to) = (StateName::Number(0), StateName::Number(0));
        let (mut seen, start) = (Seen::default(), text.at());
        self.label.clear();
        text.object("a transition", |text, name, span| {
            match seen.field(text, &TRANSITION, name, span)? {
                0 => from = state_name(text)?,
                1 => to = state_name(text)?,
                field => self.label_field(text, schema, field - 2)?,
            }
            Ok(())
        })?;
        for field in 0..3 {
            seen.require(text, &TRANSITION, field, start)?;
        }
        Ok(LineKind::Transition { from, to })
    }

    /// A successor of the protocol: a label and the state it leads to.
    pub fn successor(
        &mut self,
        text: &mut Text<'_>,
        schema: &mut Schema,
        state: &mut LtsState,
    ) -> Read<()> {
        let (mut seen, start) = (Seen::default(), text.at());
        self.label.clear();
        text.object("a successor", |text, name, span| {
            match seen.field(text, &SUCCESSOR, name, span)? {
                0 => self.state(text, schema, state),
                field => self.label_field(text, schema, field - 1),
            }
        })?;
        seen.require(text, &SUCCESSOR, 0, start)?;
        seen.require(text, &SUCCESSOR, 1, start)
    }

    /// `action`, `pid` or `parameters`.
    fn label_field(&mut self, text: &mut Text<'_>, schema: &mut Schema, field: usize) -> Read<()> {
        match field {
            0 => {
                self.label.action = schema.word(&text.string("the name of an action")?);
                Ok(())
            }
            1 => {
                text.peek();
                let start = text.at();
                let what = "the pid of the thread that acts, such as \"@1.2\"";
                let pid = text.string(what)?;
                let wrong = |text: &Text<'_>, message| text.wrong(start, text.at(), message);
                let Some(dotted) = pid.strip_prefix('@') else {
                    return Err(wrong(text, format!("expected {what}")));
                };
                self.label.pid(dotted).map_err(|message| wrong(text, message))
            }
            _ => self.parameters(text, schema),
        }
    }

    fn parameters(&mut self, text: &mut Text<'_>, schema: &mut Schema) -> Read<()> {
        let (label, name) = (&mut self.label, &mut self.name);
        if text.peek() == b'[' {
            label.begin_parameters(false);
            return text.list("parameters", |text| {
                let part = component(text, schema, name)?;
                label.parameter(0, part.unwrap_or(Part::Pid(name)));
                Ok(())
            });
        }
        label.begin_parameters(true);
        text.object("parameters, as a list or an object", |text, field, span| {
            let word = schema.word(field);
            let part = component(text, schema, name)?;
            match label.parameter(word, part.unwrap_or(Part::Pid(name))) {
                true => Ok(()),
                false => Err(text.wrong(span.start, span.end, "this parameter occurs twice")),
            }
        })
    }

    /// A state (`pidlab-state/1`).
    pub fn state(
        &mut self,
        text: &mut Text<'_>,
        schema: &mut Schema,
        state: &mut LtsState,
    ) -> Read<()> {
        self.parts(text, schema)?;
        self.builder.finish(&schema.places, state);
        Ok(())
    }

    /// What a state consists of, into [`Reader::builder`].
    #[inline]
    fn parts(&mut self, text: &mut Text<'_>, schema: &mut Schema) -> Read<()> {
        self.builder.clear();
        text.peek();
        let (mut seen, start) = (Seen::default(), text.at());
        text.object(
            "a state, such as {\"sigma\": {\"L\": [[\"@1\"]]}, \"eta\": {\"1\": 0}}",
            |text, name, span| match seen.field(text, &PARTS, name, span)? {
                0 => self.state_format(text),
                1 => self.sigma(text, schema),
                _ => self.eta(text),
            },
        )?;
        seen.require(text, &PARTS, 1, start)?;
        seen.require(text, &PARTS, 2, start)?;
        match self.builder.active_twice() {
            Some(pid) => Err(text.wrong(start, text.at(), format!("eta gives pid {pid} twice"))),
            None => Ok(()),
        }
    }

    fn state_format(&mut self, text: &mut Text<'_>) -> Read<()> {
        text.peek();
        let start = text.at();
        match text.string("a string")? == STATE_FORMAT {
            true => Ok(()),
            false => {
                let message = format!("expected the format `{STATE_FORMAT}`");
                Err(text.wrong(start, text.at(), message))
            }
        }
    }

    fn sigma(&mut self, text: &mut Text<'_>, schema: &mut Schema) -> Read<()> {
        let mut locations: u128 = 0;
        let what = "sigma as an object from locations to lists of vectors";
        text.object(what, |text, location, span| {
            let number = schema.location(location);
            // locations beyond 128 may occur twice: their vectors add up
            let bit = 1u128.checked_shl(number).unwrap_or(0);
            if locations & bit != 0 {
                let message = "this location occurs twice in sigma";
                return Err(text.wrong(span.start, span.end, message));
            }
            locations |= bit;
            text.list("a list of vectors", |text| self.vector(text, schema, location, number))
        })
    }

    #[inline]
    fn vector(
        &mut self,
        text: &mut Text<'_>,
        schema: &mut Schema,
        location: &str,
        number: u32,
    ) -> Read<()> {
        let Reader { builder, shape, .. } = self;
        shape.clear();
        shape.extend_from_slice(&number.to_le_bytes());
        let first = builder.next_word();
        text.list("a vector as a list of components", |text| {
            match component_text(text, schema)? {
                Component::Data(datum) => {
                    shape.push(0);
                    builder.datum(datum);
                    Ok(())
                }
                Component::Pid(dotted, start) => {
                    shape.push(1);
                    let pid = builder.pid(&dotted);
                    pid.map_err(|message| text.wrong(start, text.at(), message))
                }
            }
        })?;
        let place = schema.place(shape, location);
        builder.token(place, first);
        Ok(())
    }

    fn eta(&mut self, text: &mut Text<'_>) -> Read<()> {
        let what = "eta as an object from active pids to the number of children each has created";
        text.object(what, |text, pid, span| {
            let created = text.integer("a number of children, 0 or more")?;
            let created = u64::try_from(created).ok().filter(|&created| created <= LARGEST_ETA);
            let Some(created) = created else {
                let message = "expected a number of children from 0 to 18446744073709551614";
                return Err(text.wrong(span.start, text.at(), message));
            };
            let dotted = pid.strip_prefix('@').unwrap_or(pid);
            let active = self.builder.active(dotted, created);
            active.map_err(|message| text.wrong(span.start, span.end, message))
        })
    }
}

/// A component as it stands in the text.
enum Component<'t> {
    Data(u32),
    /// A dotted pid and where it stands.
    Pid(Cow<'t, str>, usize),
}

const COMPONENT: &str = "a pid (\"@1.2\"), string, integer or boolean";

#[inline]
fn component_text<'t>(text: &mut Text<'t>, schema: &mut Schema) -> Read<Component<'t>> {
    match text.peek() {
        b'"' => {
            let start = text.at();
            let string = text.string(COMPONENT)?;
            Ok(match string.strip_prefix('@') {
                None => Component::Data(schema.string(&string)),
                Some(rest) if rest.starts_with('@') => Component::Data(schema.string(rest)),
                Some(_) => Component::Pid(without_first(string), start),
            })
        }
        b't' | b'f' => Ok(Component::Data(Schema::boolean(text.boolean(COMPONENT)?))),
        _ => Ok(Component::Data(schema.integer(text.integer(COMPONENT)?))),
    }
}

fn without_first(string: Cow<'_, str>) -> Cow<'_, str> {
    match string {
        Cow::Borrowed(text) => Cow::Borrowed(&text[1..]),
        Cow::Owned(text) => Cow::Owned(text[1..].to_string()),
    }
}

/// A parameter; `None`: a pid, whose name is now `name`.
fn component(
    text: &mut Text<'_>,
    schema: &mut Schema,
    name: &mut Vec<u8>,
) -> Read<Option<Part<'static>>> {
    match component_text(text, schema)? {
        Component::Data(datum) => Ok(Some(Part::Data(datum))),
        Component::Pid(dotted, start) => {
            name.clear();
            let pushed = super::name::push_dotted(name, &dotted);
            pushed.map_err(|message| text.wrong(start, text.at(), message))?;
            Ok(None)
        }
    }
}

fn state_name<'t>(text: &mut Text<'t>) -> Read<StateName<'t>> {
    const WHAT: &str = "the name of a state, a number or a string";
    if text.peek() == b'"' {
        return Ok(StateName::Text(text.string(WHAT)?));
    }
    let start = text.at();
    let number = text.integer(WHAT)?;
    let number = u64::try_from(number);
    number
        .map(StateName::Number)
        .map_err(|_| text.wrong(start, text.at(), format!("expected {WHAT}")))
}

/// Reads one state on its own.
#[cfg(test)]
pub fn parse_state(line: &str, schema: &mut Schema, state: &mut LtsState) -> Read<()> {
    let mut reader = Reader::default();
    let mut text = Text::new(line);
    reader.state(&mut text, schema, state)?;
    text.end()
}
