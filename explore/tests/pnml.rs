//! PNML nets explored: against nets of our own that mean the same, and against counts by hand.

use pidlab_core::Relations;
use pidlab_explore::net::{NetOptions, compile, explore, tnet_of};
use pidlab_explore::search::Options;
use pidlab_explore::source::Source;

fn counts(text: &str) -> (u64, u64, u64) {
    let net = compile(Source::new("net", text), &[], &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let options = Options::default();
    let settings =
        NetOptions { relations: Relations::default(), canon: true, force: false, options };
    let counters = explore(&net, &settings).unwrap().report.counters;
    (counters.states, counters.edges, counters.deadlocks)
}

fn converted(text: &str) -> Result<String, String> {
    let source = Source::new("net.pnml", text);
    let net = pidlab_pnml::read(&source).map_err(|error| error.to_string())?;
    tnet_of(&source, &net).map_err(|error| error.to_string())
}

fn file(kind: &str, declarations: &str, page: &str) -> String {
    format!(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/{kind}\">{declarations}<page id=\"g\">{page}</page></net></pnml>"
    )
}

#[test]
fn a_place_transition_net() {
    let page = "<place id=\"take\"><initialMarking><text>3</text></initialMarking></place><place id=\"full slots\"/>\
        <transition id=\"t1\"/><transition id=\"t2\"/>\
        <arc id=\"a\" source=\"take\" target=\"t1\"/><arc id=\"b\" source=\"t1\" target=\"full slots\"/>\
        <arc id=\"c\" source=\"full slots\" target=\"t2\"><inscription><text>2</text></inscription></arc>\
        <arc id=\"d\" source=\"t2\" target=\"take\"><inscription><text>2</text></inscription></arc>";
    // free and full add up to 3
    assert_eq!(counts(&converted(&file("ptnet", "", page)).unwrap()), (4, 5, 0));
}

const RING: &str = "<declaration><structure><declarations>\
    <namedsort id=\"p\" name=\"P\"><cyclicenumeration><feconstant id=\"c0\" name=\"0\"/><feconstant id=\"c1\" name=\"1\"/><feconstant id=\"c2\" name=\"2\"/></cyclicenumeration></namedsort>\
    <namedsort id=\"r\" name=\"R\"><finiteintrange start=\"5\" end=\"6\"/></namedsort>\
    <namedsort id=\"pr\" name=\"PR\"><productsort><usersort declaration=\"p\"/><usersort declaration=\"r\"/></productsort></namedsort>\
    <variabledecl id=\"x\" name=\"x\"><usersort declaration=\"p\"/></variabledecl>\
    <variabledecl id=\"y\" name=\"y\"><usersort declaration=\"r\"/></variabledecl>\
    </declarations></structure></declaration>";
const X: &str = "<variable refvariable=\"x\"/>";
const Y: &str = "<variable refvariable=\"y\"/>";

fn arc(id: &str, from: &str, to: &str, term: &str) -> String {
    format!(
        "<arc id=\"{id}\" source=\"{from}\" target=\"{to}\"><hlinscription><structure>{term}</structure></hlinscription></arc>"
    )
}

fn place(id: &str, sort: &str, initial: &str) -> String {
    let initial = match initial {
        "" => String::new(),
        term => format!("<hlinitialMarking><structure>{term}</structure></hlinitialMarking>"),
    };
    format!(
        "<place id=\"{id}\"><type><structure><usersort declaration=\"{sort}\"/></structure></type>{initial}</place>"
    )
}

fn pair(x: &str, y: &str) -> String {
    format!("<tuple><subterm>{x}</subterm><subterm>{y}</subterm></tuple>")
}

#[test]
fn a_symmetric_net() {
    let all = "<all><usersort declaration=\"p\"/></all>";
    let next = format!("<successor><subterm>{X}</subterm></successor>");
    // a token (x, y) walks round and picks any y anew; it eats the idle x that it leaves
    let condition = format!(
        "<condition><structure><inequality><subterm>{X}</subterm><subterm><useroperator declaration=\"c2\"/></subterm></inequality></structure></condition>"
    );
    let page = [
        place("at", "pr", &pair("<useroperator declaration=\"c0\"/>", "<finiteintrangeconstant value=\"5\"><finiteintrange start=\"5\" end=\"6\"/></finiteintrangeconstant>")),
        place("idle", "p", all),
        format!("<transition id=\"walk\">{condition}</transition><transition id=\"pick\"/>"),
        arc("a", "at", "walk", &pair(X, Y)),
        arc("b", "idle", "walk", X),
        arc("c", "walk", "at", &pair(&next, Y)),
        arc("d", "pick", "at", &pair(X, Y)),
        arc("e", "at", "pick", &pair(X, "<finiteintrangeconstant value=\"5\"><finiteintrange start=\"5\" end=\"6\"/></finiteintrangeconstant>")),
    ]
    .concat();
    let text = converted(&file("symmetricnet", RING, &page)).unwrap();
    let ours = "net ours\nplace at(int, int)\nplace idle(int)\ninit at(0, 5)\ninit idle(0), idle(1), idle(2)\n\
        transition walk { take at(x, y), idle(x) guard x != 2 put at((x + 1) % 3, y) }\n\
        transition pick for y in 5..6 { take at(x, 5) put at(x, y) }";
    assert_eq!(counts(&text), counts(ours), "{text}");
    assert_eq!(counts(&text).0, 6);
}

#[test]
fn what_has_no_counterpart_is_refused_with_its_place() {
    let difference = format!(
        "<subtract><subterm><all><usersort declaration=\"p\"/></all></subterm><subterm>{X}</subterm></subtract>"
    );
    let page = [
        place("idle", "p", ""),
        "\n<transition id=\"t\"/>\n".into(),
        arc("a", "idle", "t", &difference),
    ]
    .concat();
    let error = converted(&file("symmetricnet", RING, &page)).unwrap_err();
    assert!(error.contains("differences of multisets"), "{error}");
    assert!(error.starts_with("net.pnml:3:") && error.contains("^"), "{error}");
    let many = "<place id=\"p\"><initialMarking><text>1000000</text></initialMarking></place>";
    assert!(converted(&file("ptnet", "", many)).unwrap_err().contains("1000000 tokens"));
}
