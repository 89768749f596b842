//! From a net to the text of a PNML file: one page, no drawing.

use crate::{Arc, Direction, Kind, PnmlNet, Term, TermKind, Values};
use std::borrow::Cow;
use std::io::{self, Write};

/// Where the types of nets are defined.
const GRAMMAR: &str = "http://www.pnml.org/version-2009/grammar";

/// Writes a net.
pub fn write(net: &PnmlNet, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<pnml xmlns=\"{GRAMMAR}/pnml\">")?;
    writeln!(out, "  <net id=\"{}\" type=\"{GRAMMAR}/{}\">", xml(&net.id), net.kind.name())?;
    name(&net.name, &net.id, "    ", out)?;
    if net.kind == Kind::Symmetric {
        declarations(net, out)?;
    }
    writeln!(out, "    <page id=\"page\">")?;
    for place in &net.places {
        writeln!(out, "      <place id=\"{}\">", xml(&place.id))?;
        name(&place.name, &place.id, "        ", out)?;
        if let Some(sort) = place.sort {
            let sort = user_sort(net, sort);
            writeln!(out, "        <type><structure>{sort}</structure></type>")?;
        }
        if place.tokens > 0 {
            let tokens = place.tokens;
            writeln!(out, "        <initialMarking><text>{tokens}</text></initialMarking>")?;
        }
        if let Some(term) = &place.initial {
            structure("hlinitialMarking", net, term, out)?;
        }
        writeln!(out, "      </place>")?;
    }
    for transition in &net.transitions {
        writeln!(out, "      <transition id=\"{}\">", xml(&transition.id))?;
        name(&transition.name, &transition.id, "        ", out)?;
        if let Some(term) = &transition.condition {
            structure("condition", net, term, out)?;
        }
        writeln!(out, "      </transition>")?;
    }
    net.arcs.iter().try_for_each(|written| arc(net, written, out))?;
    writeln!(out, "    </page>\n  </net>\n</pnml>")
}

/// Text inside XML.
fn xml(text: &str) -> Cow<'_, str> {
    if !text.contains(['<', '>', '&', '"', '\'']) {
        return text.into();
    }
    let escaped = |c: char| match c {
        '<' => "&lt;".to_string(),
        '>' => "&gt;".to_string(),
        '&' => "&amp;".to_string(),
        '"' => "&quot;".to_string(),
        '\'' => "&apos;".to_string(),
        other => other.to_string(),
    };
    text.chars().map(escaped).collect::<String>().into()
}

/// A name that is the identifier is left out.
fn name(name: &str, id: &str, lead: &str, out: &mut impl Write) -> io::Result<()> {
    match name == id {
        true => Ok(()),
        false => writeln!(out, "{lead}<name><text>{}</text></name>", xml(name)),
    }
}

fn arc(net: &PnmlNet, arc: &Arc, out: &mut impl Write) -> io::Result<()> {
    let place = |place: usize| xml(&net.places[place].id);
    let transition = |transition: usize| xml(&net.transitions[transition].id);
    let (source, target) = match arc.direction {
        Direction::Take { place: p, transition: t } => (place(p), transition(t)),
        Direction::Put { transition: t, place: p } => (transition(t), place(p)),
    };
    let head = format!("<arc id=\"{}\" source=\"{source}\" target=\"{target}\"", xml(&arc.id));
    match (&arc.term, arc.weight) {
        (Some(term), _) => {
            writeln!(out, "      {head}>")?;
            structure("hlinscription", net, term, out)?;
            writeln!(out, "      </arc>")
        }
        (None, 1) => writeln!(out, "      {head}/>"),
        (None, weight) => {
            let text = format!("<inscription><text>{weight}</text></inscription>");
            writeln!(out, "      {head}>{text}</arc>")
        }
    }
}

fn declarations(net: &PnmlNet, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "    <declaration><structure><declarations>")?;
    for sort in &net.sorts {
        let head = format!("id=\"{}\" name=\"{}\"", xml(&sort.id), xml(&sort.name));
        writeln!(out, "      <namedsort {head}>{}</namedsort>", values(net, &sort.values))?;
    }
    for variable in &net.variables {
        let head = format!("id=\"{}\" name=\"{}\"", xml(&variable.id), xml(&variable.name));
        let sort = user_sort(net, variable.sort);
        writeln!(out, "      <variabledecl {head}>{sort}</variabledecl>")?;
    }
    writeln!(out, "    </declarations></structure></declaration>")
}

fn user_sort(net: &PnmlNet, sort: usize) -> String {
    format!("<usersort declaration=\"{}\"/>", xml(&net.sorts[sort].id))
}

fn values(net: &PnmlNet, values: &Values) -> String {
    match values {
        Values::Dot => "<dot/>".into(),
        Values::Enumeration { cyclic, constants } => {
            let name = if *cyclic { "cyclicenumeration" } else { "finiteenumeration" };
            let constant = |(id, name): &(String, String)| {
                format!("<feconstant id=\"{}\" name=\"{}\"/>", xml(id), xml(name))
            };
            let constants: String = constants.iter().map(constant).collect();
            format!("<{name}>{constants}</{name}>")
        }
        Values::Range(first, last) => range(*first, *last),
        Values::Product(parts) => {
            let parts: String = parts.iter().map(|&part| user_sort(net, part)).collect();
            format!("<productsort>{parts}</productsort>")
        }
    }
}

fn range(first: i64, last: i64) -> String {
    format!("<finiteintrange start=\"{first}\" end=\"{last}\"/>")
}

fn structure(name: &str, net: &PnmlNet, of: &Term, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "        <{name}><structure>{}</structure></{name}>", term(net, of))
}

fn term(net: &PnmlNet, of: &Term) -> String {
    let all = |name: &str, parts: &[Term]| {
        let part = |part| format!("<subterm>{}</subterm>", term(net, part));
        format!("<{name}>{}</{name}>", parts.iter().map(part).collect::<String>())
    };
    let one = |name: &str, part: &Term| all(name, std::slice::from_ref(part));
    match &of.kind {
        TermKind::Variable(variable) => {
            format!("<variable refvariable=\"{}\"/>", xml(&net.variables[*variable].id))
        }
        TermKind::Constant(sort, position) => {
            let id = match &net.sorts[*sort].values {
                Values::Enumeration { constants, .. } => xml(&constants[*position].0),
                _ => "".into(),
            };
            format!("<useroperator declaration=\"{id}\"/>")
        }
        TermKind::Integer(value, of) => {
            let of = of.or_else(|| integer_range(net, *value));
            let range = of.map_or_else(String::new, |(first, last)| range(first, last));
            let name = "finiteintrangeconstant";
            format!("<{name} value=\"{value}\">{range}</{name}>")
        }
        TermKind::Dot => "<dotconstant/>".into(),
        TermKind::Tuple(parts) => all("tuple", parts),
        TermKind::Successor(part) => one("successor", part),
        TermKind::Predecessor(part) => one("predecessor", part),
        TermKind::NumberOf(count, part) => {
            let count = format!("<numberconstant value=\"{count}\"><positive/></numberconstant>");
            let part = term(net, part);
            format!("<numberof><subterm>{count}</subterm><subterm>{part}</subterm></numberof>")
        }
        TermKind::Add(parts) => all("add", parts),
        TermKind::Subtract(parts) => all("subtract", parts),
        TermKind::All(sort) => format!("<all>{}</all>", user_sort(net, *sort)),
        TermKind::Empty => "<empty/>".into(),
        TermKind::Compare(comparison, both) => {
            let (left, right) = (term(net, &both.0), term(net, &both.1));
            let name = comparison.element();
            format!("<{name}><subterm>{left}</subterm><subterm>{right}</subterm></{name}>")
        }
        TermKind::And(parts) => all("and", parts),
        TermKind::Or(parts) => all("or", parts),
        TermKind::Not(part) => one("not", part),
        TermKind::Truth(value) => format!("<booleanconstant value=\"{value}\"/>"),
    }
}

/// A declared range that holds an integer: constants are of a range.
fn integer_range(net: &PnmlNet, value: i64) -> Option<(i64, i64)> {
    net.sorts.iter().find_map(|sort| match sort.values {
        Values::Range(first, last) if (first..=last).contains(&value) => Some((first, last)),
        _ => None,
    })
}
