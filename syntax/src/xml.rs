//! XML as far as graph and net files use it: elements, attributes, text; one pass, no tree.
//!
//! Comments, processing instructions, CDATA, the five named entities and numeric ones are known. A document
//! type with declarations of its own is refused, so that no file can make text grow. Tags must nest; how deep
//! is bounded by [`MAX_DEPTH`]. Cost: one pass, no allocation but for values with entities.

use crate::diagnostic::{Diagnostic, Parsed, quoted};
use crate::source::Source;
use std::borrow::Cow;

/// Elements inside elements.
const MAX_DEPTH: usize = 256;

/// What comes next in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XmlEvent<'s> {
    /// `<name …>`; for `<name …/>` an end follows at once.
    Start(XmlTag<'s>),
    /// `</name>`.
    End(&'s str),
    /// Text that is not blank.
    Text(Cow<'s, str>),
}

/// An opening tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlTag<'s> {
    /// The name, without the prefix of a namespace.
    pub name: &'s str,
    attributes: Vec<(&'s str, &'s str)>,
}

/// Reads a document event by event.
pub struct XmlReader<'s> {
    source: &'s Source,
    rest: &'s str,
    open: Vec<&'s str>,
    /// The element of a tag that closed itself.
    closing: Option<&'s str>,
}

impl<'s> XmlReader<'s> {
    /// At the start of a text.
    pub fn new(source: &'s Source) -> XmlReader<'s> {
        let rest = source.text.strip_prefix('\u{feff}').unwrap_or(&source.text);
        XmlReader { source, rest, open: Vec::new(), closing: None }
    }

    /// The next event; `None` after the last element.
    pub fn event(&mut self) -> Parsed<Option<XmlEvent<'s>>> {
        if let Some(name) = self.closing.take() {
            self.open.pop();
            return Ok(Some(XmlEvent::End(name)));
        }
        loop {
            self.source.budget().steps(1)?;
            if self.rest.is_empty() {
                return match self.open.last() {
                    None => Ok(None),
                    Some(name) => Err(self.expected(&format!("`</{name}>`"), "")),
                };
            }
            if let Some(text) = self.text()? {
                return Ok(Some(XmlEvent::Text(text)));
            }
            if let Some(event) = self.markup()? {
                return Ok(Some(event));
            }
        }
    }

    /// Text up to the next tag, if it says anything.
    fn text(&mut self) -> Parsed<Option<Cow<'s, str>>> {
        let cdata = "<![CDATA[";
        if let Some(after) = self.rest.strip_prefix(cdata) {
            let end = after.find("]]>").ok_or_else(|| self.expected("`]]>`", ""))?;
            self.rest = &after[end + 3..];
            return self.inside(Cow::Borrowed(&after[..end]));
        }
        let end = self.rest.find('<').unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        match text.trim().is_empty() {
            true => Ok(None),
            false => {
                let text = self.unescaped(text.trim())?;
                self.inside(text)
            }
        }
    }

    /// Text belongs into an element.
    fn inside(&self, text: Cow<'s, str>) -> Parsed<Option<Cow<'s, str>>> {
        match (self.open.is_empty(), &text) {
            (true, Cow::Borrowed(part)) => Err(self.expected("an element `<…>`", part)),
            (true, _) => Err(self.expected("an element `<…>`", "")),
            (false, _) => Ok(Some(text)),
        }
    }

    /// A tag; comments and instructions are skipped.
    fn markup(&mut self) -> Parsed<Option<XmlEvent<'s>>> {
        for (start, end) in [("<!--", "-->"), ("<?", "?>")] {
            if let Some(after) = self.rest.strip_prefix(start) {
                let at = after.find(end).ok_or_else(|| self.expected(&format!("`{end}`"), ""))?;
                self.rest = &after[at + end.len()..];
                return Ok(None);
            }
        }
        if self.rest.starts_with("<!DOCTYPE") {
            return self.document_type();
        }
        if let Some(after) = self.rest.strip_prefix("</") {
            return self.end_tag(after).map(Some);
        }
        match self.rest.strip_prefix('<') {
            Some(after) => self.start_tag(after).map(Some),
            None => Ok(None),
        }
    }

    fn document_type(&mut self) -> Parsed<Option<XmlEvent<'s>>> {
        let end = self.rest.find(['>', '[']).unwrap_or(self.rest.len());
        if !self.rest[end..].starts_with('>') {
            let part = &self.rest[..end.min("<!DOCTYPE".len())];
            return Err(self.source.error(
                self.source.span_of(part),
                "a document type with declarations of its own is not read; remove it",
            ));
        }
        self.rest = &self.rest[end + 1..];
        Ok(None)
    }

    fn end_tag(&mut self, after: &'s str) -> Parsed<XmlEvent<'s>> {
        let (name, after) = self.name(after)?;
        let after = after.trim_start();
        let Some(rest) = after.strip_prefix('>') else {
            return Err(self.expected("`>`", first(after)));
        };
        match self.open.pop() {
            Some(open) if open == name => {
                self.rest = rest;
                Ok(XmlEvent::End(local(name)))
            }
            Some(open) => Err(self.expected(&format!("`</{open}>`"), name)),
            None => Err(self.expected("an element `<…>`", name)),
        }
    }

    fn start_tag(&mut self, after: &'s str) -> Parsed<XmlEvent<'s>> {
        let (name, mut after) = self.name(after)?;
        let mut attributes = Vec::new();
        loop {
            after = after.trim_start();
            if let Some(rest) = after.strip_prefix("/>") {
                self.rest = rest;
                self.closing = Some(local(name));
                break;
            }
            if let Some(rest) = after.strip_prefix('>') {
                self.rest = rest;
                break;
            }
            let (attribute, rest) = self.attribute(after)?;
            if attributes.iter().any(|&(known, _)| known == attribute.0) {
                let message = format!("the attribute {} stands here twice", quoted(attribute.0));
                return Err(self.source.error(self.source.span_of(attribute.0), message));
            }
            attributes.push(attribute);
            after = rest;
        }
        if self.open.len() == MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} elements inside each other");
            return Err(self.source.error(self.source.span_of(name), message));
        }
        self.open.push(name);
        Ok(XmlEvent::Start(XmlTag { name: local(name), attributes }))
    }

    /// `name="value"`; the value is not unescaped yet.
    fn attribute(&self, after: &'s str) -> Parsed<((&'s str, &'s str), &'s str)> {
        let (name, after) = self.name(after)?;
        let after = after.trim_start();
        let Some(after) = after.strip_prefix('=').map(str::trim_start) else {
            return Err(self.expected(&format!("`=` after the attribute {name}"), first(after)));
        };
        let quote = match after.chars().next() {
            Some(quote @ ('"' | '\'')) => quote,
            _ => return Err(self.expected("a value in quotation marks", first(after))),
        };
        let value = &after[1..];
        let Some(end) = value.find(quote) else {
            return Err(self.expected(&format!("`{quote}` at the end of the value"), ""));
        };
        if let Some(at) = value[..end].find('<') {
            return Err(self.expected("a value without `<`", &value[at..at + 1]));
        }
        Ok(((name, &value[..end]), &value[end + 1..]))
    }

    fn name(&self, text: &'s str) -> Parsed<(&'s str, &'s str)> {
        let is_name = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
        let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
        match text[..end].starts_with(|c: char| c.is_alphabetic() || c == '_') {
            true => Ok(text.split_at(end)),
            false => Err(self.expected("a name", first(text))),
        }
    }

    /// The value of an attribute, entities replaced.
    pub fn value(&self, tag: &XmlTag<'s>, attribute: &str) -> Parsed<Option<Cow<'s, str>>> {
        let found = tag.attributes.iter().find(|(name, _)| *name == attribute);
        found.map(|&(_, raw)| self.unescaped(raw)).transpose()
    }

    /// The value of an attribute that must be there.
    pub fn required(&self, tag: &XmlTag<'s>, attribute: &str) -> Parsed<Cow<'s, str>> {
        self.value(tag, attribute)?.ok_or_else(|| {
            let message = format!("`<{}>` lacks the attribute `{attribute}`", tag.name);
            self.source.error(self.source.span_of(tag.name), message)
        })
    }

    /// "expected X, found `Y`" at a part of the text.
    pub fn expected(&self, what: &str, part: &str) -> Diagnostic {
        self.source.expected(what, part)
    }

    fn unescaped(&self, text: &'s str) -> Parsed<Cow<'s, str>> {
        if !text.contains('&') {
            return Ok(Cow::Borrowed(text));
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('&') {
            out.push_str(&rest[..at]);
            let entity = &rest[at..];
            let end = entity.find(';').unwrap_or(entity.len().min(1));
            let known = character(&entity[1..end.max(1)]);
            let Some(c) = known.filter(|_| entity[end..].starts_with(';')) else {
                let part = &entity[..end];
                return Err(self.expected("one of &amp; &lt; &gt; &quot; &apos; &#N;", part));
            };
            out.push(c);
            rest = &entity[end + 1..];
        }
        out.push_str(rest);
        Ok(Cow::Owned(out))
    }
}

fn character(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = entity.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

/// A name without the prefix of its namespace.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The first character, for messages.
fn first(text: &str) -> &str {
    &text[..text.chars().next().map_or(0, char::len_utf8)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &str) -> Result<Vec<String>, String> {
        let source = Source::new("a.xml", text);
        let mut reader = XmlReader::new(&source);
        let mut shown = Vec::new();
        while let Some(event) = reader.event().map_err(|wrong| wrong.to_string())? {
            shown.push(match event {
                XmlEvent::Start(tag) => {
                    let id = reader.value(&tag, "id").map_err(|wrong| wrong.to_string())?;
                    format!("<{} {}", tag.name, id.unwrap_or_default())
                }
                XmlEvent::End(name) => format!("</{name}"),
                XmlEvent::Text(text) => text.into_owned(),
            });
        }
        Ok(shown)
    }

    #[test]
    fn a_document_event_by_event() {
        let text = "<?xml version='1.0'?><!DOCTYPE a><!-- <b> --><x:a id = 'q&amp;r'> t &#65;\n<b/>\
                    <![CDATA[<c>]]></x:a>\n";
        let expected = ["<a q&r", "t A", "<b ", "</b", "<c>", "</a"];
        assert_eq!(events(text).unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        for (text, expected) in [
            ("<a>", "1:4: expected `</a>`, found nothing"),
            ("<a></b>", "1:6: expected `</a>`, found `b`"),
            ("</b>", "1:3: expected an element"),
            ("x", "1:1: expected an element"),
            ("<a b></a>", "1:5: expected `=` after the attribute b, found `>`"),
            ("<a b=c></a>", "1:6: expected a value in quotation marks, found `c`"),
            ("<a b=\"", "expected `\"` at the end"),
            ("<a b='1' b='2'/>", "1:10: the attribute `b` stands here twice"),
            ("<a>&nbsp;</a>", "1:4: expected one of &amp;"),
            ("<a>&", "expected one of &amp;"),
            ("<!DOCTYPE a [<!ENTITY x \"y\">]><a/>", "1:1: a document type"),
            ("<1/>", "1:2: expected a name, found `1`"),
            ("<!-- ", "expected `-->`"),
        ] {
            let wrong = events(text).unwrap_err();
            assert!(wrong.contains(expected), "{text}: {wrong}");
        }
        assert!(events(&"<a>".repeat(300)).unwrap_err().contains("more than 256 elements"));
    }
}
