//! Nets of both kinds through the public interface: what is read, what is refused and where, and that
//! writing and reading give the same net.

use pidlab_pnml::{Direction, Kind, Source, TermKind, Values, read, write};

fn ptnet(body: &str) -> String {
    format!(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n<net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n<page id=\"g\">\n{body}\n</page>\n</net>\n</pnml>"
    )
}

const BUFFER: &str = r#"<place id="free"><name><text>free slots</text></name><initialMarking><text> 3 </text></initialMarking></place>
<place id="full"><graphics><position x="1" y="2"/></graphics></place>
<transition id="put"/><transition id="get"><toolspecific tool="x" version="1"><any/></toolspecific></transition>
<page id="inner"><referencePlace id="r" ref="full"/><referencePlace id="r2" ref="r"/>
<arc id="a2" source="put" target="r2"><inscription><text>2</text></inscription></arc></page>
<arc id="a1" source="free" target="put"/>
<arc id="a3" source="full" target="get"><type value="normal"/></arc>"#;

#[test]
fn pages_are_joined_and_references_resolved() {
    let net = read(&Source::new("b.pnml", ptnet(BUFFER))).unwrap();
    assert_eq!((net.kind, net.places.len(), net.transitions.len()), (Kind::PlaceTransition, 2, 2));
    assert_eq!((net.places[0].name.as_str(), net.places[0].tokens), ("free slots", 3));
    let weight = |id| net.arcs.iter().find(|arc| arc.id == id).map(|arc| arc.weight);
    assert_eq!((weight("a1"), weight("a2")), (Some(1), Some(2)));
    let direction = net.arcs.iter().find(|arc| arc.id == "a2").unwrap().direction;
    assert_eq!(direction, Direction::Put { transition: 0, place: 1 });
}

#[test]
fn what_is_not_known_is_refused_where_it_stands() {
    let cases = [
        ("<plaice id=\"p\"/>", "expected <place>, <transition>, <arc>", (4, 1)),
        ("<place/>", "the attribute `id`", (4, 1)),
        ("<place id=\"p\"/>\n <place id=\"p\"/>", "occurs twice", (5, 2)),
        (
            "<place id=\"p\">\n <initialMarking><text>many</text></initialMarking></place>",
            "found `many`",
            (5, 2),
        ),
        ("<place id=\"p\"><type/></place>", "expected <name> or <initialMarking>", (4, 15)),
        ("<arc id=\"a\" source=\"x\" target=\"y\"/>", "there is no node `x`", (4, 1)),
        (
            "<place id=\"p\"/><arc id=\"a\" source=\"p\" target=\"p\"/>",
            "between a place and a transition",
            (4, 16),
        ),
        (
            "<referencePlace id=\"r\" ref=\"r\"/><transition id=\"t\"/>\n<arc id=\"a\" source=\"r\" target=\"t\"/>",
            "leads to itself",
            (5, 1),
        ),
        ("words", "found the text `words`", (4, 1)),
        ("<place id=\"p\">", "not XML", (5, 1)),
        (
            "<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"><type value=\"inhibitor\"/></arc>",
            "of the type normal",
            (4, 70),
        ),
        (
            "<place id=\"p\"/><transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\">\n <inscription><text>0</text></inscription></arc>",
            "expected a positive number of tokens in <text>, found `0`",
            (5, 2),
        ),
    ];
    for (body, message, place) in cases {
        let error = read(&Source::new("x.pnml", ptnet(body))).unwrap_err();
        assert!(error.message.contains(message), "{body}: {error}");
        assert_eq!((error.line, error.column), place, "{body}: {error}");
    }
    let other = "<pnml><net id=\"n\" type=\"x/stochastic\"/></pnml>";
    assert!(read(&Source::new("x", other)).unwrap_err().message.contains("ptnet or symmetricnet"));
    let entity = "<!DOCTYPE pnml [<!ENTITY a \"b\">]><pnml/>";
    assert!(read(&Source::new("x", entity)).is_err());
}

#[test]
fn nesting_is_bounded() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(5_000), close.repeat(5_000));
    let pages = ptnet(&deep("<page id=\"x\">", "</page>"));
    assert!(read(&Source::new("x", pages)).unwrap_err().message.contains("100 deep"));
    let terms = deep("<not><subterm>", "</subterm></not>");
    let text = symmetric(&format!("<condition><structure>{terms}</structure></condition>"));
    assert!(read(&Source::new("x", text)).unwrap_err().message.contains("100 deep"));
}

fn symmetric(condition: &str) -> String {
    format!(
        r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="ring" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
<declaration><structure><declarations>
<namedsort id="p" name="P"><cyclicenumeration><feconstant id="p0" name="0"/><feconstant id="p1" name="1"/></cyclicenumeration></namedsort>
<namedsort id="c" name="C"><finiteintrange start="0" end="3"/></namedsort>
<namedsort id="pc" name="PC"><productsort><usersort declaration="p"/><usersort declaration="c"/></productsort></namedsort>
<variabledecl id="x" name="x"><usersort declaration="p"/></variabledecl>
<variabledecl id="y" name="y"><usersort declaration="c"/></variabledecl>
</declarations></structure></declaration>
<page id="g">
<place id="at"><type><text>PC</text><structure><usersort declaration="pc"/></structure></type>
<hlinitialMarking><structure><numberof><subterm><numberconstant value="2"><positive/></numberconstant></subterm>
<subterm><tuple><subterm><useroperator declaration="p1"/></subterm><subterm><finiteintrangeconstant value="3"><finiteintrange start="0" end="3"/></finiteintrangeconstant></subterm></tuple></subterm></numberof></structure></hlinitialMarking></place>
<place id="idle"><type><structure><dot/></structure></type><hlinitialMarking><structure><dotconstant/></structure></hlinitialMarking></place>
<transition id="t">{condition}</transition>
<arc id="a" source="at" target="t"><hlinscription><structure><tuple><subterm><variable refvariable="x"/></subterm><subterm><variable refvariable="y"/></subterm></tuple></structure></hlinscription></arc>
<arc id="b" source="t" target="at"><hlinscription><structure><tuple><subterm><successor><subterm><variable refvariable="x"/></subterm></successor></subterm><subterm><variable refvariable="y"/></subterm></tuple></structure></hlinscription></arc>
</page></net></pnml>"#
    )
}

#[test]
fn symmetric_nets_are_read_and_written() {
    let condition = "<condition><structure><and><subterm><lessthan><subterm><variable refvariable=\"y\"/></subterm><subterm><finiteintrangeconstant value=\"2\"><finiteintrange start=\"0\" end=\"3\"/></finiteintrangeconstant></subterm></lessthan></subterm><subterm><booleanconstant value=\"true\"/></subterm></and></structure></condition>";
    let net = read(&Source::new("r.pnml", symmetric(condition))).unwrap();
    assert_eq!(net.sorts.len(), 4, "the sort with one value is declared by its use");
    assert_eq!(net.sorts[2].values, Values::Product(vec![0, 1]));
    let initial = net.places[0].initial.as_ref().unwrap();
    assert!(
        matches!(&initial.kind, TermKind::NumberOf(2, tuple) if matches!(&tuple.kind, TermKind::Tuple(parts) if parts.len() == 2))
    );
    let unknown =
        symmetric("<condition><structure><variable refvariable=\"z\"/></structure></condition>");
    assert!(read(&Source::new("r", unknown)).unwrap_err().message.contains("no variable `z`"));
    let again = symmetric("").replace(
        "name=\"C\"><finiteintrange start=\"0\" end=\"3\"/>",
        "name=\"C\"><finiteenumeration><feconstant id=\"p1\" name=\"one\"/></finiteenumeration>",
    );
    let error = read(&Source::new("r", again)).unwrap_err();
    assert!(error.message.contains("occurs twice"), "{error}");
    assert_eq!((error.line, error.column), (5, 47), "{error}");
    round_trip(&symmetric(condition));
    round_trip(&ptnet(BUFFER));
}

/// Zero copies bind no variable and move nothing; a marking may have them.
#[test]
fn arcs_of_no_tokens_are_refused_where_they_stand() {
    let none = "<numberof><subterm><numberconstant value=\"0\"><natural/></numberconstant></subterm><subterm><dotconstant/></subterm></numberof>";
    let with = |term: &str| {
        let page = format!(
            "<place id=\"p\"><type><structure><dot/></structure></type><hlinitialMarking><structure>{none}</structure></hlinitialMarking></place>\n\
             <transition id=\"t\"/><arc id=\"a\" source=\"p\" target=\"t\"><hlinscription><structure>\n{term}</structure></hlinscription></arc>"
        );
        let text = ptnet(&page).replace("/ptnet", "/symmetricnet");
        read(&Source::new("x.pnml", text))
    };
    with("<dotconstant/>").unwrap();
    let sum = format!("<add><subterm><dotconstant/></subterm><subterm>{none}</subterm></add>");
    for (term, column) in [(none, 1), (sum.as_str(), 48)] {
        let error = with(term).unwrap_err();
        assert!(error.message.contains("a positive number in <numberof>"), "{error}");
        assert_eq!((error.line, error.column), (6, column), "{error}");
    }
}

/// Places in the text are all that may differ.
fn round_trip(text: &str) {
    let first = read(&Source::new("a.pnml", text)).unwrap();
    let mut written = Vec::new();
    write(&first, &mut written).unwrap();
    let again = String::from_utf8(written).unwrap();
    let second = read(&Source::new("b.pnml", again.clone())).unwrap();
    let mut twice = Vec::new();
    write(&second, &mut twice).unwrap();
    assert_eq!(again, String::from_utf8(twice).unwrap());
    assert_eq!((first.sorts, first.variables), (second.sorts, second.variables));
    assert_eq!(first.arcs.len(), second.arcs.len());
    let tokens =
        |places: &[pidlab_pnml::Place]| places.iter().map(|p| p.tokens).collect::<Vec<_>>();
    assert_eq!(tokens(&first.places), tokens(&second.places));
}
