//! Petri nets spelled out as thread transition systems, one shared state for each token that a
//! transition takes or puts: the answer is that of the net, and the size of the file does not matter.

mod common;

use common::{Random, answer, answer_about};
use pidlab_cover::check::Model;
use pidlab_cover::parse::{spec, tts};
use pidlab_cover::{Budget, CoverVerdict, Net};

/// A small net: transitions as lists of places taken and put, one token each.
struct Small {
    places: u32,
    initial: Vec<u32>,
    transitions: Vec<[Vec<u32>; 2]>,
    target: u32,
}

impl Small {
    fn random(random: &mut Random) -> Small {
        let places = 3 + random.below(4);
        let list = |random: &mut Random, least: u32, most: u32| -> Vec<u32> {
            (0..least + random.below(most - least + 1)).map(|_| random.below(places)).collect()
        };
        let transitions = 2 + random.below(6);
        Small {
            places,
            initial: list(random, 1, 3),
            transitions: (0..transitions)
                .map(|_| [list(random, 1, 3), list(random, 0, 3)])
                .collect(),
            target: random.below(places),
        }
    }

    /// Names and counts of a list of places.
    fn counted(&self, list: &[u32]) -> Vec<(u32, usize)> {
        let count = |p: u32| list.iter().filter(|&&q| q == p).count();
        (0..self.places).map(|p| (p, count(p))).filter(|c| c.1 > 0).collect()
    }

    fn spec(&self) -> String {
        let mut rules = String::new();
        for [takes, puts] in &self.transitions {
            let guard: Vec<String> =
                self.counted(takes).iter().map(|(p, n)| format!("p{p} >= {n}")).collect();
            let all: Vec<u32> = takes.iter().chain(puts).copied().collect();
            let count = |list: &[u32], p: u32| list.iter().filter(|&&q| q == p).count();
            let effects: Vec<String> = self
                .counted(&all)
                .iter()
                .map(|&(p, _)| {
                    let (minus, plus) = (count(takes, p), count(puts, p));
                    let sign = if plus < minus { "-" } else { "+" };
                    format!("p{p}' = p{p} {sign} {}", plus.abs_diff(minus))
                })
                .collect();
            rules += &format!("{} -> {};\n", guard.join(", "), effects.join(", "));
        }
        let names: Vec<String> = (0..self.places).map(|p| format!("p{p}")).collect();
        let start: Vec<String> =
            self.counted(&self.initial).iter().map(|(p, n)| format!("p{p} = {n}")).collect();
        let (names, start) = (names.join(" "), start.join(", "));
        format!("vars\n{names}\nrules\n{rules}init\n{start}\ntarget\np{} >= 1\n", self.target)
    }

    /// The chain of a transition moves one thread a step: from a place, or the pool (local state 0),
    /// to a place, or the pool.
    fn tts(&self) -> (String, String) {
        let mut states = self.initial.len() as u32 + 1;
        let centre = states - 1;
        let mut lines = String::new();
        for (s, p) in self.initial.iter().enumerate() {
            lines += &format!("{s} 0 -> {} {}\n", s + 1, p + 1);
        }
        for [takes, puts] in &self.transitions {
            let length = takes.len().max(puts.len());
            let mut at = centre;
            for i in 0..length {
                let from = takes.get(i).map_or(0, |p| p + 1);
                let to = puts.get(i).map_or(0, |p| p + 1);
                let next = if i + 1 == length { centre } else { states };
                states += u32::from(i + 1 < length);
                lines += &format!("{at} {from} -> {next} {to}\n");
                at = next;
            }
        }
        lines += &format!("{centre} {} -> {states} 0\n", self.target + 1);
        (format!("{} {}\n{lines}", states + 1, self.places + 1), format!("{states}|0\n"))
    }

    /// Taking and putting one by one asks for less than all at once: nets where that differs are left out.
    fn is_faithful(&self) -> bool {
        let order = |[takes, puts]: &[Vec<u32>; 2]| {
            takes.iter().enumerate().all(|(i, p)| puts.iter().take(i).all(|q| q != p))
        };
        self.transitions.iter().all(order)
    }
}

#[test]
fn encoded_nets_have_the_answer_of_the_net() {
    let mut decided = [0; 2];
    for seed in 0..400 {
        let small = Small::random(&mut Random(900_000 + seed));
        if !small.is_faithful() {
            continue;
        }
        let (text, property) = small.tts();
        let net = tts::parse(&text, &property).unwrap();
        let model =
            Model::read_tts(text.as_bytes(), property.as_bytes(), None, &Budget::unlimited())
                .unwrap();
        let direct = answer(&spec::parse(&small.spec()).unwrap(), "auto", 5.0, false).verdict;
        for algorithm in ["auto", "backward", "mp", "karp-miller", "directed"] {
            let seconds = if algorithm == "auto" { 5.0 } else { 0.05 };
            let found = answer_about(&net, &model, algorithm, seconds, true).verdict;
            let open = [found, direct].contains(&CoverVerdict::Unknown);
            assert!(open || found == direct, "{seed} {algorithm}: {}\n{text}", small.spec());
            if algorithm == "auto" && !open {
                decided[usize::from(found == CoverVerdict::Safe)] += 1;
            }
        }
    }
    assert!(decided.iter().all(|&n| n > 50), "{decided:?}");
}

/// A ring of tokens with `n` places whose every step is a chain of `length` shared states.
fn ring(n: u32, length: u32) -> Net {
    let mut lines = String::from("0 0 -> 1 1\n");
    let mut states = 2;
    for p in 1..=n {
        let mut at = 1;
        for i in 0..length {
            let (from, to) = (if i == 0 { p } else { 0 }, if i == 1 { p % n + 1 } else { 0 });
            let next = if i + 1 == length { 1 } else { states };
            states += u32::from(i + 1 < length);
            lines += &format!("{at} {from} -> {next} {to}\n");
            at = next;
        }
    }
    let text = format!("{} {}\n{lines}", states, n + 1);
    tts::parse(&text, &format!("1|{n},{n}\n")).unwrap()
}

/// 60,000 places: tables of pairs of all of them would not fit, those of the net within do.
#[test]
fn a_large_file_of_a_small_net_is_decided() {
    let net = ring(300, 200);
    assert!(net.places.len() > 55_000);
    let found = answer(&net, "auto", 30.0, true);
    assert_eq!(found.verdict, CoverVerdict::Safe, "{:?}", found.reason);
}
