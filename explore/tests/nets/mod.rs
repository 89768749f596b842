//! Random nets.
#![allow(dead_code)]

use pidlab_core::Relation;
use pidlab_explore::net::{Net, compile};
use pidlab_explore::source::Source;
use pidlab_random::Rng;
use std::fmt::Write;

/// Places: control in A and B, memory of other pids in C and D.
const PLACES: &str =
    "flow A(pid)\nflow B(pid, int)\ndata C(pid, pid)\ndata D(pid, int)\ninit A(@1)\n";

const PLACES_OF_FORESTS: &str = "flow A(pid)\nflow B(pid, int)\ninit A(@1), B(@2, 0), A(@4)\n";

fn relation(rng: &mut Rng) -> Relation {
    Relation::ALL[rng.index(4)]
}

/// A random net in which every active thread holds a token of A or B.
pub fn random_net(rng: &mut Rng) -> String {
    random_net_with(rng, 9)
}

/// The same without tokens of two pids: markings are forests, under sibling relations too.
pub fn random_net_of_forests(rng: &mut Rng) -> String {
    random_net_with(rng, 6)
}

fn random_net_with(rng: &mut Rng, kinds: usize) -> String {
    let places = if kinds > 6 { PLACES } else { PLACES_OF_FORESTS };
    let mut text = format!("net random\n{places}");
    let guards = ["", "guard {p} REL {q}", "guard not {p} REL {q}", "guard {p} != {q}"];
    for number in 0..rng.between(3, 7) {
        let guard = guards[rng.index(guards.len())].replace("REL", relation(rng).name());
        let guard = guard.replace("{p}", "p").replace("{q}", "q");
        let body = match rng.index(kinds) {
            0 => "take A(p) put B(p, 0)".to_string(),
            1 => "take B(p, n) put A(p)".to_string(),
            2 => "take A(p) create c of p put A(p), B(c, 0)".to_string(),
            3 => "take B(p, n) guard n < 2 create c of p put B(p, n + 1), A(c)".to_string(),
            4 => format!("take A(p), A(q) {guard} put A(p) end q"),
            5 => format!("take A(p), B(q, n) {guard} put B(p, n) end q"),
            6 => format!("take A(p), A(q) {guard} put B(p, 1), A(q), C(p, q)"),
            7 => format!("take C(p, q) {guard} put D(q, 0)"),
            _ => "take A(p) create c[2] of p put B(c[1], 0), A(c[2]), C(p, c[1]) end p".to_string(),
        };
        writeln!(text, "transition t{number} {{ {body} }}").unwrap();
    }
    text
}

pub fn compiled(text: &str) -> Net {
    compile(Source::new("random", text), &[], &[]).unwrap_or_else(|e| panic!("{text}\n{e}"))
}
