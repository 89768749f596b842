//! GraphML (graphml.graphdrawing.org), as NetworkX, igraph, yEd and others write it.
//!
//! The colour of a node or edge is its `data` under the key whose `attr.name` is `color` or `colour` (an integer, number
//! or boolean where `attr.type` says so, else a text; a whole number is an integer), or the key's default; data under
//! other keys says nothing about the graph and is left out. `edgedefault` and an edge's own `directed` say which edges are directed; parallel edges count. One
//! graph a file; ports, hyperedges and graphs inside nodes are not read. Cost: one pass, one hash lookup a name.

use crate::MAX_VERTICES;
use crate::graph::{Graph, GraphBuilder};
use pidlab_core::datum::Datum;
use pidlab_syntax::{Parsed, Source, XmlEvent, XmlReader, XmlTag};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

pub fn parse(source: &Source) -> Parsed<Graph> {
    let mut reader = Reader {
        source,
        xml: XmlReader::new(source),
        keys: FxHashMap::default(),
        names: FxHashMap::default(),
        graph: GraphBuilder::default(),
        edges: Vec::new(),
    };
    reader.document()?;
    reader.finish()
}

/// A key of the file that holds colours.
struct Key {
    of_nodes: bool,
    of_edges: bool,
    is: DataType,
    default: Option<Datum>,
}

#[derive(Clone, Copy)]
enum DataType {
    Integer,
    Number,
    Boolean,
    Text,
}

/// An edge whose ends may not have been seen yet.
struct NewEdge<'s> {
    ends: [Cow<'s, str>; 2],
    tag: XmlTag<'s>,
    directed: bool,
    color: Option<Datum>,
}

struct Reader<'s> {
    source: &'s Source,
    xml: XmlReader<'s>,
    /// Nothing of keys that hold no colours.
    keys: FxHashMap<Cow<'s, str>, Option<Key>>,
    names: FxHashMap<Cow<'s, str>, u32>,
    graph: GraphBuilder,
    edges: Vec<NewEdge<'s>>,
}

/// A whole number is the same colour whatever its type.
fn of_number(number: f64) -> Datum {
    const EXACT: f64 = (1_u64 << 53) as f64;
    match number.fract() == 0.0 && number.abs() <= EXACT {
        true => Datum::Int((number as i64).into()),
        false => Datum::Str(number.to_string().into()),
    }
}

impl<'s> Reader<'s> {
    fn document(&mut self) -> Parsed<()> {
        match self.xml.event()? {
            Some(XmlEvent::Start(tag)) if tag.name == "graphml" => {}
            Some(XmlEvent::Start(tag)) => return Err(self.xml.expected("`<graphml>`", tag.name)),
            _ => return Err(self.xml.expected("`<graphml>`", "")),
        }
        let mut graphs = 0;
        while let Some(event) = self.xml.event()? {
            match event {
                XmlEvent::Start(tag) => match tag.name {
                    "key" => self.key(&tag)?,
                    "desc" | "data" => self.skip()?,
                    "graph" if graphs == 0 => {
                        graphs = 1;
                        self.graph(&tag)?;
                    }
                    "graph" => return Err(self.xml.expected("one graph in a file", tag.name)),
                    other => return Err(self.xml.expected("`<key>` or `<graph>`", other)),
                },
                XmlEvent::End(_) => {}
                XmlEvent::Text(text) => return Err(self.unexpected_text(&text)),
            }
        }
        match graphs {
            0 => Err(self.xml.expected("`<graph>`", "")),
            _ => Ok(()),
        }
    }

    fn unexpected_text(&self, text: &str) -> pidlab_syntax::Diagnostic {
        self.xml.expected("an element `<…>`", text)
    }

    /// Everything up to the end of the element that was just opened.
    fn skip(&mut self) -> Parsed<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.xml.event()? {
                Some(XmlEvent::Start(_)) => depth += 1,
                Some(XmlEvent::End(_)) => depth -= 1,
                Some(XmlEvent::Text(_)) => {}
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// The text of the element that was just opened.
    fn text(&mut self) -> Parsed<Cow<'s, str>> {
        let mut found = Cow::Borrowed("");
        loop {
            match self.xml.event()? {
                Some(XmlEvent::Text(text)) => match found.is_empty() {
                    true => found = text,
                    false => found = Cow::Owned(found.into_owned() + &text),
                },
                Some(XmlEvent::Start(tag)) => return Err(self.xml.expected("a text", tag.name)),
                Some(XmlEvent::End(_)) | None => return Ok(found),
            }
        }
    }

    fn key(&mut self, tag: &XmlTag<'s>) -> Parsed<()> {
        let name = self.xml.value(tag, "attr.name")?.unwrap_or_default();
        let id = self.xml.required(tag, "id")?;
        if !name.eq_ignore_ascii_case("color") && !name.eq_ignore_ascii_case("colour") {
            self.keys.insert(id, None);
            return self.skip();
        }
        let of = self.xml.value(tag, "for")?.unwrap_or(Cow::Borrowed("all"));
        let is = match &*self.xml.value(tag, "attr.type")?.unwrap_or_default() {
            "int" | "long" => DataType::Integer,
            "float" | "double" => DataType::Number,
            "boolean" => DataType::Boolean,
            "string" | "" => DataType::Text,
            other => {
                let expected = "boolean, int, long, float, double or string as `attr.type`";
                return Err(self.xml.expected(expected, other));
            }
        };
        let mut default = None;
        loop {
            match self.xml.event()? {
                Some(XmlEvent::Start(inner)) if inner.name == "default" => {
                    let text = self.text()?;
                    default = Some(self.datum(is, &text)?);
                }
                Some(XmlEvent::Start(_)) => self.skip()?,
                Some(XmlEvent::Text(text)) => return Err(self.unexpected_text(&text)),
                Some(XmlEvent::End(_)) | None => break,
            }
        }
        let (of_nodes, of_edges) =
            (["all", "node"].contains(&&*of), ["all", "edge"].contains(&&*of));
        self.keys.insert(id, Some(Key { of_nodes, of_edges, is, default }));
        Ok(())
    }

    fn datum(&self, is: DataType, text: &str) -> Parsed<Datum> {
        match is {
            DataType::Integer => match text.trim().parse::<i64>() {
                Ok(number) => Ok(Datum::Int(number.into())),
                Err(_) => Err(self.xml.expected("an integer", text)),
            },
            DataType::Number => match text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(of_number(number)),
                _ => Err(self.xml.expected("a number", text)),
            },
            DataType::Boolean => match text.trim() {
                "true" | "1" => Ok(Datum::Bool(true)),
                "false" | "0" => Ok(Datum::Bool(false)),
                _ => Err(self.xml.expected("true or false", text)),
            },
            DataType::Text => Ok(Datum::Str(text.into())),
        }
    }

    fn default_of(&self, is_theirs: impl Fn(&Key) -> bool) -> Option<Datum> {
        let keys = self.keys.values().flatten();
        keys.filter(|key| is_theirs(key)).find_map(|key| key.default.clone())
    }

    fn graph(&mut self, tag: &XmlTag<'s>) -> Parsed<()> {
        let directed = match &*self.xml.required(tag, "edgedefault")? {
            "directed" => true,
            "undirected" => false,
            other => return Err(self.xml.expected("`directed` or `undirected`", other)),
        };
        loop {
            match self.xml.event()? {
                Some(XmlEvent::Start(tag)) => match tag.name {
                    "node" => self.node(&tag)?,
                    "edge" => self.edge(tag, directed)?,
                    "data" | "desc" => self.skip()?,
                    other => return Err(self.xml.expected("`<node>` or `<edge>`", other)),
                },
                Some(XmlEvent::Text(text)) => return Err(self.unexpected_text(&text)),
                Some(XmlEvent::End(_)) | None => return Ok(()),
            }
        }
    }

    fn node(&mut self, tag: &XmlTag<'s>) -> Parsed<()> {
        let id = self.xml.required(tag, "id")?;
        if self.names.len() == MAX_VERTICES {
            return Err(self.xml.expected(&format!("at most {MAX_VERTICES} nodes"), tag.name));
        }
        let vertex = self.graph.vertex();
        if self.names.insert(id.clone(), vertex).is_some() {
            let message = format!("there is a second node {}", pidlab_syntax::quoted(&id));
            return Err(self.source.error(self.source.span_of(tag.name), message));
        }
        let color = match self.colored(|key| key.of_nodes)? {
            Some(color) => Some(color),
            None => self.default_of(|key| key.of_nodes),
        };
        if let Some(color) = color {
            self.graph.paint(vertex, color);
        }
        Ok(())
    }

    fn edge(&mut self, tag: XmlTag<'s>, directed: bool) -> Parsed<()> {
        let ends = [self.xml.required(&tag, "source")?, self.xml.required(&tag, "target")?];
        let directed = match self.xml.value(&tag, "directed")?.as_deref() {
            None => directed,
            Some("true") => true,
            Some("false") => false,
            Some(other) => return Err(self.xml.expected("`true` or `false`", other)),
        };
        for port in ["sourceport", "targetport"] {
            if self.xml.value(&tag, port)?.is_some() {
                return Err(self.xml.expected("an edge without ports", tag.name));
            }
        }
        let color = match self.colored(|key| key.of_edges)? {
            Some(color) => Some(color),
            None => self.default_of(|key| key.of_edges),
        };
        self.edges.push(NewEdge { ends, tag, directed, color });
        Ok(())
    }

    /// What the data of a node or edge says about its colour; read up to the end of the element.
    fn colored(&mut self, is_theirs: impl Fn(&Key) -> bool) -> Parsed<Option<Datum>> {
        let mut color = None;
        loop {
            match self.xml.event()? {
                Some(XmlEvent::Start(tag)) if tag.name == "data" => {
                    let id = self.xml.required(&tag, "key")?;
                    let Some(key) = self.keys.get(&id) else {
                        return Err(self.xml.expected("a key that is declared above", &id));
                    };
                    match key.as_ref().map(|key| (is_theirs(key), key.is)) {
                        None => self.skip()?,
                        Some((true, is)) if color.is_none() => {
                            let text = self.text()?;
                            color = Some(self.datum(is, &text)?);
                        }
                        Some((true, _)) => return Err(self.xml.expected("one colour", &id)),
                        Some((false, _)) => {
                            return Err(self.xml.expected("a key that is `for` this element", &id));
                        }
                    }
                }
                Some(XmlEvent::Start(tag)) if tag.name == "desc" => self.skip()?,
                Some(XmlEvent::Start(tag)) => {
                    return Err(self.xml.expected("`<data>`", tag.name));
                }
                Some(XmlEvent::Text(text)) => return Err(self.unexpected_text(&text)),
                Some(XmlEvent::End(_)) | None => return Ok(color),
            }
        }
    }

    fn finish(mut self) -> Parsed<Graph> {
        for edge in std::mem::take(&mut self.edges) {
            let mut ends = [0; 2];
            for (slot, name) in ends.iter_mut().zip(&edge.ends) {
                *slot = *self.names.get(name).ok_or_else(|| {
                    let message = format!("there is no node {}", pidlab_syntax::quoted(name));
                    // a name with entities is not a part of the text
                    let part = if let Cow::Borrowed(part) = name { part } else { edge.tag.name };
                    self.source.error(self.source.span_of(part), message)
                })?;
            }
            let kind = self.graph.kind(edge.directed, edge.color);
            self.graph.edge(ends[0], ends[1], kind);
        }
        Ok(self.graph.finish(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Graph, String> {
        parse(&Source::new("a.graphml", text)).map_err(|wrong| wrong.to_string())
    }

    fn with(inside: &str) -> String {
        format!("<?xml version='1.0'?>\n<graphml xmlns='x'>\n{inside}\n</graphml>\n")
    }

    #[test]
    fn colors_directions_and_parallel_edges() {
        let text = with(
            "<key id='d0' for='node' attr.name='color' attr.type='int'><default>5</default></key>
             <key id='d1' for='edge' attr.name='color' attr.type='string'/>
             <key id='w' for='edge' attr.name='weight' attr.type='double'/>
             <graph id='G' edgedefault='undirected'><desc>any</desc>
             <edge source='a' target='b'><data key='w'>0.5</data></edge><edge source='b' target='a'/>
             <node id='a'/><node id='b'><data key='d0'>7</data></node>
             <edge source='a' target='a' directed='true'><data key='d1'>red &amp; blue</data></edge></graph>",
        );
        let graph = read(&text).unwrap();
        assert_eq!((graph.vertex_count(), graph.edge_count()), (2, 3));
        assert_eq!((graph.color(0), graph.color(1)), (&Datum::Int(5), &Datum::Int(7)));
        let colored: Vec<_> = graph.edges().filter(|(.., kind)| kind.directed).collect();
        assert_eq!(colored[0].2.color, Some("red & blue".into()));
    }

    #[test]
    fn numbers_are_colors_whatever_their_type() {
        let colors = |of: &str, colors: [&str; 2]| {
            let [a, b] = colors.map(|c| format!("<data key='c'>{c}</data></node>"));
            let graph = read(&with(&format!(
                "<key id='c' for='node' attr.name='color' attr.type='{of}'/><graph edgedefault='directed'>
                 <node id='a'>{a}<node id='b'>{b}</graph>"
            )));
            let graph = graph.unwrap();
            (graph.color(0).clone(), graph.color(1).clone())
        };
        assert_eq!(colors("double", ["1.0", "2e0"]), colors("int", ["1", "2"]));
        assert_eq!(colors("float", ["0.5", "1.50"]), colors("string", ["0.5", "1.5"]));
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        let graph = |inside: &str| with(&format!("<graph edgedefault='directed'>{inside}</graph>"));
        let key = "<key id='c' for='node' attr.name='color' attr.type='double'/>";
        let colored =
            |inside: &str| with(&format!("{key}<graph edgedefault='directed'>{inside}</graph>"));
        for (text, expected) in [
            ("<gml/>".to_string(), "1:2: expected `<graphml>`, found `gml`"),
            (with(""), "expected `<graph>`, found nothing"),
            (with("<graph/>"), "3:2: `<graph>` lacks the attribute `edgedefault`"),
            (
                with("<graph edgedefault='both'/>"),
                "expected `directed` or `undirected`, found `both`",
            ),
            (
                with("<key id='d' for='node' attr.name='color' attr.type='wibble'/>"),
                "float, double or string as `attr.type`, found `wibble`",
            ),
            (
                graph("<node id='a'><data key='d'>1</data></node>"),
                "expected a key that is declared above, found `d`",
            ),
            (
                colored("<node id='a'/><edge source='a' target='a'><data key='c'>1</data></edge>"),
                "is `for` this element",
            ),
            (
                colored("<node id='a'><data key='c'>1</data><data key='c'>1</data></node>"),
                "one colour",
            ),
            (colored("<node id='a'><data key='c'>red</data></node>"), "a number, found `red`"),
            (graph("<node/>"), "`<node>` lacks the attribute `id`"),
            (graph("<node id='a'/><node id='a'/>"), "there is a second node `a`"),
            (graph("<node id='a'/><edge source='a' target='b'/>"), "3:70: there is no node `b`"),
            (graph("<hyperedge/>"), "expected `<node>` or `<edge>`, found `hyperedge`"),
            (graph("<node id='a'><graph/></node>"), "expected `<data>`, found `graph`"),
            (graph("x"), "expected an element"),
            (graph("") + "<more/>", "expected `<key>`"),
        ] {
            let wrong = read(&text).unwrap_err();
            assert!(wrong.contains(expected), "{text}: {wrong}");
        }
    }
}
