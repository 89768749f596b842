//! PNML nets explored: against nets of our own that mean the same, and against counts by hand; nets of our own written
//! as PNML and read again.

mod numbers;

use numbers::Random;
use pidlab_core::Relations;
use pidlab_explore::net::{NetOptions, compile, explore, pnml_of, tnet_of};
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

#[test]
fn a_value_of_another_sort_is_refused_with_its_place() {
    let refused = |initial: &str, at: &str, condition: &str, why: &str| {
        let page = [
            place("idle", "p", initial),
            format!("\n<transition id=\"t\">{condition}</transition>\n"),
            arc("a", "idle", "t", at),
        ]
        .concat();
        let error = converted(&file("symmetricnet", RING, &page)).unwrap_err();
        assert!(error.starts_with("net.pnml:") && error.contains(why), "{error}");
        assert!(error.lines().last().unwrap().contains('^'), "{error}");
    };
    let expected = "expected a value of the sort `P`, found one of `R`";
    refused("", Y, "", expected);
    refused("<all><usersort declaration=\"r\"/></all>", X, "", "of the sort `P`");
    refused("", &pair(X, Y), "", "of the sort `P`");
    refused("", "<dotconstant/>", "", "of the sort `P`");
    let number = "<finiteintrangeconstant value=\"5\"><finiteintrange start=\"5\" end=\"6\"/></finiteintrangeconstant>";
    refused(
        "",
        &format!("<add><subterm>{X}</subterm><subterm>{number}</subterm></add>"),
        "",
        "`P`",
    );
    let compared = format!(
        "<condition><structure><equality><subterm>{X}</subterm><subterm>{Y}</subterm></equality></structure></condition>"
    );
    refused("", X, &compared, expected);
}

/// A net as PNML, read again as a net.
fn there_and_back(text: &str) -> Result<String, String> {
    let net = compile(Source::new("net.tnet", text), &[], &[]).map_err(|e| e.to_string())?;
    let mut written = Vec::new();
    let pnml = pnml_of(&net).map_err(|error| error.to_string())?;
    pidlab_pnml::write(&pnml, &mut written).unwrap();
    converted(&String::from_utf8(written).unwrap())
}

#[test]
fn a_net_without_components_is_a_place_transition_net() {
    let text = "net buffer\nplace free()\nplace full()\ninit free() for i in 1..3\n\
        transition fill { take free() put full() }\n\
        transition drain { take full(), full() read free() put free(), free() }";
    let net = compile(Source::new("net", text), &[], &[]).unwrap();
    let pnml = pnml_of(&net).unwrap();
    assert_eq!(pnml.kind.name(), "ptnet");
    assert_eq!(pnml.places.iter().map(|place| place.tokens).collect::<Vec<_>>(), [3, 0]);
    assert_eq!(pnml.arcs.iter().map(|arc| arc.weight).collect::<Vec<_>>(), [1, 1, 1, 2, 3]);
    assert_eq!(counts(&there_and_back(text).unwrap()), counts(text));
}

#[test]
fn what_pnml_cannot_say_is_refused_with_its_place() {
    let refused = |text: &str, at: &str, why: &str| {
        let error = there_and_back(text).unwrap_err();
        assert!(error.starts_with(at) && error.contains(why) && error.contains('^'), "{error}");
    };
    refused("net n\nplace p(pid)\ninit p(@1)", "net.tnet:2:7", "place `p` holds pids");
    refused("net n\nplace p(int)\ninit p(1)", "net.tnet:2:7", "give it a domain");
    let active = "net n\nplace p(int in 0..1)\ntransition t { active x put p(0) }";
    refused(active, "net.tnet:3:12", "binds any active thread");
    let counts =
        "net n\nplace p(int in 0..1)\ntransition t { take p(x) guard count(p(_)) < 2 put p(0) }";
    refused(counts, "net.tnet:3:32", "counts tokens");
    let large = "net n\nplace p(int in 0..100000000)\ninit p(1)";
    refused(large, "net.tnet:2:7", "more than 10000 values");
    let table = "net n\nplace p(int in 0..9999)\ninit p(1)\ntransition t { take p(x), p(y) put p((x + y) % 2) }";
    refused(table, "net.tnet:4:36", "too many values");
}

impl Random {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// A component to take: a constant, a variable of its type, anything, or a value of what is bound.
    fn taken(&mut self, kind: Component, bound: &mut Vec<&'static str>) -> String {
        let variable = kind.variables()[self.below(2)];
        match self.below(6) {
            0 => "_".into(),
            1 => self.pick(kind.constants()).into(),
            2 => match self.value(kind, bound) {
                Some(value) => value,
                None => "_".into(),
            },
            _ => {
                bound.push(variable);
                variable.into()
            }
        }
    }

    /// A value of what is bound, if there is one.
    fn value(&mut self, kind: Component, bound: &[&'static str]) -> Option<String> {
        let all: Vec<&str> = kind.values().iter().copied().filter(|v| is_bound(v, bound)).collect();
        (!all.is_empty()).then(|| self.pick(&all).to_string())
    }

    fn token(
        &mut self,
        place: usize,
        mut part: impl FnMut(&mut Random, Component) -> String,
    ) -> String {
        let parts: Vec<String> = PLACES[place].1.iter().map(|&kind| part(self, kind)).collect();
        format!("{}({})", PLACES[place].0, parts.join(", "))
    }

    fn transition(&mut self, number: usize) -> String {
        let (mut clauses, mut bound, mut taken) = (Vec::new(), Vec::new(), 0);
        for _ in 0..1 + self.below(3) {
            let place = self.below(PLACES.len());
            let token = self.token(place, |random, kind| random.taken(kind, &mut bound));
            let word = self.pick(&["take", "take", "read"]);
            taken += usize::from(word == "take");
            clauses.push(format!("{word} {token}"));
        }
        // never more tokens than before, so that there are finitely many markings
        for _ in 0..taken - self.below(5) / 4 * taken.min(1) {
            let place = self.below(PLACES.len());
            let token = self.token(place, |random, kind| match random.value(kind, &bound) {
                Some(value) if random.below(3) > 0 => value,
                _ => random.pick(kind.constants()).to_string(),
            });
            clauses.push(format!("put {token}"));
        }
        let guards: Vec<&str> = GUARDS.iter().copied().filter(|g| is_bound(g, &bound)).collect();
        if !guards.is_empty() && self.below(2) == 0 {
            clauses.push(format!("guard {}", self.pick(&guards)));
        }
        format!("transition t{number} {{ {} }}\n", clauses.join(" "))
    }

    fn net(&mut self) -> String {
        let mut text = String::from("net random\n");
        for (name, kinds) in PLACES {
            let types: Vec<&str> = kinds.iter().map(|kind| kind.declared()).collect();
            text += &format!("place {name}({})\n", types.join(", "));
        }
        for _ in 0..4 + self.below(3) {
            let place = self.below(PLACES.len());
            let token = self.token(place, |random, kind| random.pick(kind.constants()).into());
            text += &format!("init {token}\n");
        }
        (0..5 + self.below(5)).for_each(|number| text += &self.transition(number));
        text
    }
}

#[derive(Clone, Copy)]
enum Component {
    /// 0 to 2.
    Range,
    /// 1, 3 or 4.
    Values,
    Truth,
    Text,
}

const PLACES: [(&str, &[Component]); 5] = [
    ("a", &[Component::Range]),
    ("b", &[Component::Range, Component::Truth]),
    ("c", &[]),
    ("d", &[Component::Text]),
    ("e", &[Component::Values]),
];

const GUARDS: [&str; 10] = [
    "x < y",
    "x != 2",
    "p or x == 0",
    "s == \"x y\"",
    "x in [0, 2]",
    "not (p and x > 0)",
    "x * y <= 2",
    "u >= v",
    "u > x and not p",
    "s != t or x == y and u == 3",
];

impl Component {
    fn declared(self) -> &'static str {
        match self {
            Component::Range => "int in 0..2",
            Component::Values => "int in [4, 1, 3]",
            Component::Truth => "bool",
            Component::Text => "string in [\"x y\", \"<z>\"]",
        }
    }

    fn variables(self) -> [&'static str; 2] {
        match self {
            Component::Range => ["x", "y"],
            Component::Values => ["u", "v"],
            Component::Truth => ["p", "q"],
            Component::Text => ["s", "t"],
        }
    }

    fn constants(self) -> &'static [&'static str] {
        match self {
            Component::Range => &["0", "1", "2"],
            Component::Values => &["1", "3", "4"],
            Component::Truth => &["true", "false"],
            Component::Text => &["\"x y\"", "\"<z>\""],
        }
    }

    fn values(self) -> &'static [&'static str] {
        match self {
            Component::Range => {
                &["x", "y", "(x + 1) % 3", "(x + y) % 3", "u / 2", "if p then x else 2"]
            }
            Component::Values => &["u", "v", "if u == v then 1 else 4", "if x > 0 then u else 3"],
            Component::Truth => &["p", "q", "not p", "x == y", "u > x", "p == q"],
            Component::Text => &["s", "t", "if p then s else \"<z>\""],
        }
    }
}

/// Whether all variables of an expression are bound.
fn is_bound(expression: &str, bound: &[&'static str]) -> bool {
    let quoted = expression.split('"').step_by(2);
    let words = quoted.flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
    let variables = words.filter(|word| word.len() == 1 && word.chars().all(char::is_alphabetic));
    variables.into_iter().all(|variable| bound.contains(&variable))
}

#[test]
fn random_nets_have_the_same_states_when_they_are_read_again() {
    let mut random = Random(5);
    let (mut large, mut stuck) = (0, 0);
    for number in 0..300 {
        let text = random.net();
        let expected = counts(&text);
        let again = there_and_back(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(counts(&again), expected, "net {number}\n{text}\n{again}");
        // and once more, as the reader makes it
        let third = there_and_back(&again).unwrap_or_else(|error| panic!("{error}\n{again}"));
        assert_eq!(counts(&third).0, expected.0, "net {number}\n{again}\n{third}");
        large += usize::from(expected.0 > 5);
        stuck += usize::from(expected.2 > 0);
    }
    assert!(
        large > 60 && stuck > 50,
        "{large} nets with more than 5 states, {stuck} with deadlocks"
    );
}
