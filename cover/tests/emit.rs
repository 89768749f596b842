//! A question written in another format has the same verdict when it is read again.

mod common;

use common::programs::Flat;
use common::{Random, answer};
use pidlab_cover::parse::{bp, lgfsm, pnml, spec, tts};
use pidlab_cover::{
    Budget, Config, CoverVerdict, EmitError, EmitFormat, Net, OMEGA, Source, Transition,
    collect_entries, emit,
};
use std::collections::BTreeMap;
use std::fmt::Write;

fn read_again(net: &Net, format: EmitFormat) -> Result<Net, EmitError> {
    let text = emit(net, format, &Budget::unlimited())?;
    let property = text.property.clone().unwrap_or_default();
    let read = match format {
        EmitFormat::Lgfsm => lgfsm::parse(&text.model),
        EmitFormat::Tts => tts::parse(&text.model, &property),
        EmitFormat::Spec => spec::parse(&text.model),
        EmitFormat::Pnml => pnml::parse(&text.model, &property),
    };
    Ok(read.unwrap_or_else(|e| panic!("{e}\n{}\n{property}", text.model)))
}

fn verdict(net: &Net) -> CoverVerdict {
    answer(net, "backward", 20.0, true).verdict
}

/// Compares all formats; counts those that are refused.
fn compare(net: &Net, refused: &mut BTreeMap<String, u32>) -> CoverVerdict {
    let expected = verdict(net);
    for format in EmitFormat::ALL {
        match read_again(net, format) {
            Ok(again) => assert_eq!(verdict(&again), expected, "{format}: {net:?}"),
            Err(error) => *refused.entry(error.to_string()[..20].to_string()).or_default() += 1,
        }
    }
    expected
}

#[test]
fn random_programs_are_the_same_in_every_format() {
    let mut random = Random(61);
    let (mut refused, mut bad) = (BTreeMap::new(), 0);
    for _ in 0..300 {
        let net = bp::parse(&Flat::random(&mut random).text()).unwrap();
        bad += u32::from(compare(&net, &mut refused) == CoverVerdict::Unsafe);
    }
    assert!(refused.is_empty(), "{refused:?}");
    assert!((30..270).contains(&bad), "{bad} of 300 are unsafe");
}

/// A few lines of each kind, and a start that need not be the usual one.
fn random_threads(random: &mut Random) -> Net {
    let (shared, local) = (1 + random.below(3), 2 + random.below(3));
    let mut text = format!("{shared} {local}\n");
    for _ in 0..2 + random.below(6) {
        let mut draw = |bound: u32| random.below(bound);
        let (s, l, s2, l2) = (draw(shared), draw(local), draw(shared), draw(local));
        let arrow = ["->", "->", "+>", "~>"][draw(4) as usize];
        let _ = write!(text, "{s} {l} {arrow} {s2} {l2}");
        let moves = if arrow == "->" { draw(4) } else { 0 };
        for _ in 0..moves {
            let _ = write!(text, " {} ~> {}", draw(local), draw(local));
        }
        text.push('\n');
    }
    let threads: Vec<String> =
        (0..random.below(3)).map(|_| random.below(local).to_string()).collect();
    let property = format!("{}|{}", random.below(shared), threads.join(","));
    let mut net = tts::parse(&text, &property).unwrap();
    if random.below(3) == 0 {
        let start = format!("{}|{}/{}", random.below(shared), local - 1, random.below(local - 1));
        tts::set_start(&mut net, &Source::new("start", start)).unwrap();
    }
    net
}

#[test]
fn random_thread_systems_are_the_same_in_every_format() {
    let mut random = Random(62);
    let (mut refused, mut bad) = (BTreeMap::new(), 0);
    for _ in 0..400 {
        let net = random_threads(&mut random);
        bad += u32::from(compare(&net, &mut refused) == CoverVerdict::Unsafe);
    }
    // choices cannot be said in .spec, broadcasts not in .pnml
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused.values().all(|&n| n < 390) && bad > 40, "{refused:?}, {bad} unsafe");
}

#[test]
fn random_nets_are_the_same_in_every_format() {
    let mut random = Random(63);
    let (mut refused, mut bad) = (BTreeMap::new(), 0);
    for round in 0..300 {
        let places = 2 + random.below(4);
        let entries = |random: &mut Random, most: u32| {
            let drawn =
                (0..random.below(most + 1)).map(|_| (random.below(places), 1 + random.below(2)));
            collect_entries(drawn.collect::<Vec<_>>()).unwrap()
        };
        let transitions = (0..1 + random.below(5)).map(|_| {
            let (pre, post) = (entries(&mut random, 2), entries(&mut random, 2));
            let mut transfers = Vec::new();
            if round % 2 == 0 && random.below(3) == 0 {
                transfers.push((random.below(places), random.below(places)));
            }
            Transition { pre, post, transfers, line: 0 }
        });
        let transitions = transitions.collect();
        let first = if random.below(2) == 0 { OMEGA } else { 1 + random.below(3) };
        let mut target = entries(&mut random, 2);
        target.extend(target.is_empty().then_some((0, 4)));
        let net = Net {
            places: (0..places).map(|p| format!("a place {p}")).collect(),
            transitions,
            initial: Config::new(vec![(0, first), (1, random.below(2))]),
            targets: vec![Config::new(target)],
            ..Net::default()
        };
        bad += u32::from(compare(&net, &mut refused) == CoverVerdict::Unsafe);
    }
    assert!(bad > 30 && bad < 270, "{bad} unsafe");
}

#[test]
fn what_cannot_be_said_is_refused() {
    let fails = |net: &Net, format: EmitFormat, line: Option<u32>, words: &str| {
        let error = emit(net, format, &Budget::unlimited()).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(error.line(), line, "{error}");
    };
    let chooses = tts::parse("1 2\n0 1 -> 0 0\n0 0 -> 0 0 1 ~> 0 1 ~> 1\n", "0|1").unwrap();
    let chosen = "cannot express the transition `";
    fails(&chooses, EmitFormat::Spec, Some(3), chosen);
    fails(&chooses, EmitFormat::Spec, Some(3), "`, in which tokens choose where they go");
    fails(&chooses, EmitFormat::Pnml, Some(3), "`, which moves all tokens of a place");
    let crowd = spec::parse(
        "vars x y\nrules\nx >= 4000000 -> y' = y + 1;\ninit x >= 0, y = 0\ntarget y >= 1\n",
    );
    fails(&crowd.unwrap(), EmitFormat::Tts, Some(3), "threads by name");
    let many = spec::parse("vars x\nrules\ninit x = 4000000\ntarget x >= 1\n").unwrap();
    fails(&many, EmitFormat::Tts, None, "threads by name");
    assert!(emit(&many, EmitFormat::Pnml, &Budget::unlimited()).is_ok());
}

#[test]
fn a_pnml_net_needs_places_that_are_there() {
    let text = emit(
        &spec::parse("vars x\nrules\nx >= 1 -> x' = x + 1;\ninit x = 1\ntarget x >= 3\n").unwrap(),
        EmitFormat::Pnml,
        &Budget::unlimited(),
    );
    let text = text.unwrap().model;
    let wrong = |property: &str| pnml::parse(&text, property).unwrap_err().to_string();
    assert!(wrong("y >= 1").starts_with(".prop:1:1: there is no place `y`"), "{}", wrong("y >= 1"));
    assert!(wrong("").contains("expected a target such as"));
    assert!(wrong("x > 1").contains("expected `place >= number`"));
    assert!(wrong("x >= 0").contains("not always true"));
    assert!(pnml::parse(&text, "x >= 3 # by name\np0 >= 9\n").is_ok());
    assert!(pnml::parse("<pnml/>", "x >= 1").is_err());
}
