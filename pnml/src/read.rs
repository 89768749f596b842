//! From the document tree to a net.

use crate::nodes::{DEEPEST, Reader, parse};
use crate::terms::Declarations;
use crate::{Arc, Direction, Kind, Parsed, Place, PnmlNet, Source, Transition};
use pidlab_syntax::quoted;
use roxmltree::Node;
use std::collections::HashMap;

/// The only net of a file.
pub fn read(source: &Source) -> Parsed<PnmlNet> {
    let document = parse(source)?;
    let reader = Reader { source };
    let root = document.root_element();
    if root.tag_name().name() != "pnml" {
        return Err(reader.expected(root, "<pnml>"));
    }
    let mut nets = Vec::new();
    for child in reader.elements(root)? {
        match child.tag_name().name() {
            "net" => nets.push(child),
            "name" | "toolspecific" => {}
            _ => return Err(reader.expected(child, "<net>")),
        }
    }
    match nets[..] {
        [net] => NetReader::new(reader, net)?.net(net),
        [_, second, ..] => Err(reader.expected(second, "one net in a file")),
        [] => Err(reader.error(root, "expected a <net>, found none")),
    }
}

/// What an identifier stands for.
#[derive(Clone)]
enum Identified {
    Place(usize),
    Transition(usize),
    Reference(String),
}

struct NetReader<'s> {
    reader: Reader<'s>,
    net: PnmlNet,
    declarations: Declarations,
    identified: HashMap<String, Identified>,
}

impl<'s> NetReader<'s> {
    fn new(reader: Reader<'s>, node: Node) -> Parsed<NetReader<'s>> {
        let id = reader.attribute(node, "id")?.to_string();
        let kind = kind(reader, node)?;
        let net = PnmlNet { name: id.clone(), id, kind, ..PnmlNet::default() };
        let (declarations, identified) = (Declarations::default(), HashMap::new());
        Ok(NetReader { reader, net, declarations, identified })
    }

    fn net<'t>(mut self, node: Node<'t, 't>) -> Parsed<PnmlNet> {
        self.declare(node, 0)?;
        let mut arcs = Vec::new();
        self.page(node, 0, &mut arcs)?;
        for arc in arcs {
            let arc = self.arc(arc)?;
            self.net.arcs.push(arc);
        }
        let Declarations { sorts, variables, .. } = self.declarations;
        Ok(PnmlNet { sorts, variables, ..self.net })
    }

    /// Declarations of the net and of all its pages come before everything that uses them.
    fn declare<'t>(&mut self, node: Node<'t, 't>, depth: usize) -> Parsed<()> {
        self.bounded(node, depth)?;
        for child in self.reader.elements(node)? {
            match child.tag_name().name() {
                "declaration" if self.net.kind == Kind::Symmetric => {
                    self.declarations.read(self.reader, child)?;
                }
                "page" => self.declare(child, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn bounded(&self, node: Node, depth: usize) -> Parsed<()> {
        match depth > DEEPEST {
            true => Err(self.reader.error(node, format!("pages nest more than {DEEPEST} deep"))),
            false => Ok(()),
        }
    }

    fn page<'t>(
        &mut self,
        node: Node<'t, 't>,
        depth: usize,
        arcs: &mut Vec<Node<'t, 't>>,
    ) -> Parsed<()> {
        for child in self.reader.elements(node)? {
            match child.tag_name().name() {
                "name" if depth == 0 => self.net.name = name(self.reader, child, &self.net.id),
                "name" | "graphics" | "toolspecific" => {}
                "declaration" => {}
                "page" => {
                    self.bounded(child, depth)?;
                    self.page(child, depth + 1, arcs)?;
                }
                "place" => self.place(child)?,
                "transition" => self.transition(child)?,
                "referencePlace" | "referenceTransition" => {
                    let to = self.reader.attribute(child, "ref")?.to_string();
                    self.identify(child, Identified::Reference(to))?;
                }
                "arc" => arcs.push(child),
                _ => {
                    let what = "<place>, <transition>, <arc>, <page>, <referencePlace> or <referenceTransition>";
                    return Err(self.reader.expected(child, what));
                }
            }
        }
        Ok(())
    }

    fn identify(&mut self, node: Node, what: Identified) -> Parsed<String> {
        let id = self.reader.attribute(node, "id")?.to_string();
        match self.identified.insert(id.clone(), what) {
            None => Ok(id),
            Some(_) => Err(self.reader.error(node, format!("the id {} occurs twice", quoted(&id)))),
        }
    }

    fn place<'t>(&mut self, node: Node<'t, 't>) -> Parsed<()> {
        let reader = self.reader;
        let id = self.identify(node, Identified::Place(self.net.places.len()))?;
        let span = reader.span(node);
        let mut place = Place { name: id.clone(), id, span, ..Place::default() };
        let symmetric = self.net.kind == Kind::Symmetric;
        for child in reader.elements(node)? {
            match child.tag_name().name() {
                "name" => place.name = name(reader, child, &place.id),
                "graphics" | "toolspecific" => {}
                "initialMarking" if !symmetric => place.tokens = reader.count(child)?,
                "type" if symmetric => {
                    let structure = structure(reader, child)?;
                    let sort = reader.only(structure, "a sort")?;
                    place.sort = Some(self.declarations.sort(reader, sort)?);
                }
                "hlinitialMarking" if symmetric => {
                    let structure = structure(reader, child)?;
                    let term = reader.only(structure, "a term")?;
                    place.initial = Some(self.declarations.term(reader, term)?);
                }
                _ => {
                    let what = match symmetric {
                        true => "<name>, <type> or <hlinitialMarking> of a place",
                        false => "<name> or <initialMarking> of a place",
                    };
                    return Err(reader.expected(child, what));
                }
            }
        }
        if symmetric && place.sort.is_none() {
            return Err(reader.error(node, "expected the <type> of the place"));
        }
        self.net.places.push(place);
        Ok(())
    }

    fn transition<'t>(&mut self, node: Node<'t, 't>) -> Parsed<()> {
        let reader = self.reader;
        let id = self.identify(node, Identified::Transition(self.net.transitions.len()))?;
        let span = reader.span(node);
        let mut transition = Transition { name: id.clone(), id, span, condition: None };
        for child in reader.elements(node)? {
            match child.tag_name().name() {
                "name" => transition.name = name(reader, child, &transition.id),
                "graphics" | "toolspecific" => {}
                "condition" if self.net.kind == Kind::Symmetric => {
                    let structure = structure(reader, child)?;
                    let term = reader.only(structure, "a condition")?;
                    transition.condition = Some(self.declarations.term(reader, term)?);
                }
                _ => return Err(reader.expected(child, "<name> or <condition> of a transition")),
            }
        }
        self.net.transitions.push(transition);
        Ok(())
    }

    fn arc<'t>(&mut self, node: Node<'t, 't>) -> Parsed<Arc> {
        let reader = self.reader;
        let id = reader.attribute(node, "id")?.to_string();
        let (source, target) = (self.end(node, "source")?, self.end(node, "target")?);
        let direction = match (source, target) {
            (Identified::Place(place), Identified::Transition(transition)) => {
                Direction::Take { place, transition }
            }
            (Identified::Transition(transition), Identified::Place(place)) => {
                Direction::Put { transition, place }
            }
            _ => return Err(reader.error(node, "expected an arc between a place and a transition")),
        };
        let symmetric = self.net.kind == Kind::Symmetric;
        let mut arc = Arc { id, span: reader.span(node), direction, weight: 1, term: None };
        for child in reader.elements(node)? {
            match child.tag_name().name() {
                "name" | "graphics" | "toolspecific" => {}
                "inscription" if !symmetric => arc.weight = reader.weight(child)?,
                "hlinscription" if symmetric => {
                    let structure = structure(reader, child)?;
                    let term = reader.only(structure, "a term")?;
                    let term = self.declarations.term(reader, term)?;
                    if let Some(none) = term.no_copies() {
                        let message = "expected a positive number in <numberof>: on an arc 0 copies move nothing and bind no variable";
                        return Err(reader.source.error(none, message));
                    }
                    arc.term = Some(term);
                }
                // some tools write the type of every arc
                "type" if is_normal(reader, child) => {}
                "type" => return Err(reader.expected(child, "an arc of the type normal")),
                _ => return Err(reader.expected(child, "the inscription of the arc")),
            }
        }
        if symmetric && arc.term.is_none() {
            return Err(reader.error(node, "expected the <hlinscription> of the arc"));
        }
        Ok(arc)
    }

    /// The node at an end of an arc, through references.
    fn end(&self, arc: Node, attribute: &str) -> Parsed<Identified> {
        let mut id = self.reader.attribute(arc, attribute)?;
        // a way through references that is longer than there are nodes goes round
        for _ in 0..=self.identified.len() {
            match self.identified.get(id) {
                Some(Identified::Reference(to)) => id = to,
                Some(found) => return Ok(found.clone()),
                None => {
                    let text = format!("`{attribute}`: there is no node {}", quoted(id));
                    return Err(self.reader.error(arc, text));
                }
            }
        }
        Err(self.reader.error(arc, format!("the reference {} leads to itself", quoted(id))))
    }
}

/// Types of nets end with the name of their kind.
fn kind(reader: Reader, node: Node) -> Parsed<Kind> {
    let given = reader.attribute(node, "type")?;
    match given.rsplit('/').next().unwrap_or(given) {
        "ptnet" | "P/T net" | "PTNet" | "P/T" | "T net" => Ok(Kind::PlaceTransition),
        "symmetricnet" => Ok(Kind::Symmetric),
        _ => {
            let what = format!(
                "expected a net of the type ptnet or symmetricnet, such as http://www.pnml.org/version-2009/grammar/ptnet, found {}",
                quoted(given)
            );
            Err(reader.error(node, what))
        }
    }
}

fn name(reader: Reader, node: Node, id: &str) -> String {
    reader.text(node).filter(|name| !name.is_empty()).unwrap_or(id).to_string()
}

fn is_normal(reader: Reader, node: Node) -> bool {
    node.attribute("value").or(reader.text(node)) == Some("normal")
}

/// `<structure>`, beside which there may be text and graphics.
fn structure<'t>(reader: Reader, node: Node<'t, 't>) -> Parsed<Node<'t, 't>> {
    for child in reader.elements(node)? {
        match child.tag_name().name() {
            "structure" => return Ok(child),
            "text" | "graphics" | "toolspecific" => {}
            _ => return Err(reader.expected(child, "<structure>")),
        }
    }
    Err(reader.error(node, "expected <structure>, found none"))
}
