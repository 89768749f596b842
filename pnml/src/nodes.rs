//! The document tree with errors that point: what the readers of nets and of terms share.

use pidlab_syntax::{Diagnostic, Parsed, Source, Span, quoted};
use roxmltree::{Document, Node, NodeType, ParsingOptions};

/// How deep pages and terms may nest.
pub const DEEPEST: usize = 100;
/// What an element takes in the tree, about.
const ELEMENT_BYTES: usize = 64;

/// The tree of a text.
pub fn parse(source: &Source) -> Parsed<Document<'_>> {
    let elements = source.text.bytes().filter(|&byte| byte == b'<').count();
    source.budget().reserve_bytes((elements * ELEMENT_BYTES) as u64)?;
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    Document::parse_with_options(&source.text, options).map_err(|error| {
        let at = byte_of(&source.text, error.pos());
        source.error(Span { start: at, end: at }, format!("this is not XML as expected: {error}"))
    })
}

/// The byte of a line and a column, both from 1.
fn byte_of(text: &str, at: roxmltree::TextPos) -> usize {
    let row = (at.row as usize).saturating_sub(1);
    let line = text.split_inclusive('\n').take(row).map(str::len).sum::<usize>();
    let column = (at.col as usize).saturating_sub(1);
    let rest = text.get(line..).unwrap_or("");
    line + rest.char_indices().nth(column).map_or(rest.len(), |(byte, _)| byte)
}

/// Reads elements of one text.
#[derive(Clone, Copy)]
pub struct Reader<'s> {
    pub source: &'s Source,
}

impl<'s> Reader<'s> {
    /// The opening tag of an element.
    pub fn span(&self, node: Node) -> Span {
        let range = node.range();
        let text = self.source.text.get(range.clone()).unwrap_or("");
        let tag = text.find(['>', '\n']).map_or(text.len(), |end| end + 1);
        Span { start: range.start, end: range.start + tag }
    }

    pub fn error(&self, node: Node, message: impl Into<String>) -> Diagnostic {
        self.source.error(self.span(node), message)
    }

    /// "expected X, found `Y`", where Y is an element.
    pub fn expected(&self, node: Node, what: &str) -> Diagnostic {
        let found = format!("<{}>", node.tag_name().name());
        self.error(node, format!("expected {what}, found {}", quoted(&found)))
    }

    /// The elements below; text between them is an error.
    pub fn elements<'t>(&self, node: Node<'t, 't>) -> Parsed<Vec<Node<'t, 't>>> {
        let mut found = Vec::new();
        for child in node.children() {
            match child.node_type() {
                NodeType::Element => found.push(child),
                NodeType::Text if !child.text().unwrap_or("").trim().is_empty() => {
                    let (range, text) = (child.range(), child.text().unwrap_or(""));
                    let blanks = text.len() - text.trim_start().len();
                    let span = Span { start: range.start + blanks, end: range.end };
                    let text = quoted(text.trim());
                    let name = node.tag_name().name();
                    return Err(self.source.error(
                        span,
                        format!("expected elements in <{name}>, found the text {text}"),
                    ));
                }
                _ => {}
            }
        }
        self.source.budget().steps(1 + found.len())?;
        Ok(found)
    }

    /// The only element below.
    pub fn only<'t>(&self, node: Node<'t, 't>, what: &str) -> Parsed<Node<'t, 't>> {
        match self.elements(node)?[..] {
            [child] => Ok(child),
            [_, second, ..] => Err(self.expected(second, &format!("one element, {what}"))),
            [] => Err(self.error(node, format!("expected {what}, found nothing"))),
        }
    }

    /// The value of an attribute that must be there.
    pub fn attribute<'t>(&self, node: Node<'t, 't>, name: &str) -> Parsed<&'t str> {
        node.attribute(name).ok_or_else(|| {
            let element = node.tag_name().name();
            self.error(node, format!("expected the attribute `{name}` of <{element}>"))
        })
    }

    /// An integer in an attribute.
    pub fn integer(&self, node: Node, name: &str) -> Parsed<i64> {
        let text = self.attribute(node, name)?;
        text.trim().parse().map_err(|_| {
            let found = quoted(text);
            self.error(node, format!("expected an integer as `{name}`, found {found}"))
        })
    }

    /// What `<text>` below an element holds; `None` if there is none.
    pub fn text<'t>(&self, node: Node<'t, 't>) -> Option<&'t str> {
        let text = node.children().find(|child| child.has_tag_name_any("text"))?;
        Some(text.text().unwrap_or("").trim())
    }

    /// A number of tokens in `<text>`.
    pub fn count(&self, node: Node) -> Parsed<u64> {
        let text = self.text(node).unwrap_or("");
        text.parse().map_err(|_| {
            let found = if text.is_empty() { "nothing".into() } else { quoted(text) };
            self.error(node, format!("expected a number of tokens in <text>, found {found}"))
        })
    }

    /// How many tokens an arc moves; ISO 15909 knows no arcs that move none.
    pub fn weight(&self, node: Node) -> Parsed<u64> {
        match self.count(node)? {
            0 => Err(self.error(node, "expected a positive number of tokens in <text>, found `0`")),
            weight => Ok(weight),
        }
    }
}

/// Names without the namespace, which tools write in several ways.
pub trait AnyNamespace {
    fn has_tag_name_any(&self, name: &str) -> bool;
}

impl AnyNamespace for Node<'_, '_> {
    fn has_tag_name_any(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}
