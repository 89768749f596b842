//! Broken files give an error with the right line, and no input makes a parser panic.

mod common;

use common::{Random, model_of};
use pidlab_cover::check::{Model, Unreadable};
use pidlab_cover::parse::{bp, lgfsm, spec, tts};
use pidlab_cover::{Budget, Diagnostic, Net, Source};

fn fails(result: Result<Net, Diagnostic>, line: usize, words: &str) {
    let error = result.expect_err(&format!("accepted, though {words}"));
    assert_eq!(error.line, line, "{error}");
    assert!(error.message.contains(words), "{error}");
}

#[test]
fn broken_tts() {
    let tts = |text: &str| tts::parse(text, "0|0");
    fails(tts(""), 1, "expected `S L`, the numbers of states, found nothing");
    fails(tts("2\n"), 1, "expected `S L`");
    fails(tts("2 2\n0 0 1 1\n"), 2, "expected `s l -> s' l'`");
    fails(tts("2 2\n\n0 0 => 1 1\n"), 3, "expected `s l -> s' l'`");
    fails(tts("2 2\n0 0 -> 1 5\n"), 2, "local state 5 out of range");
    fails(tts("2 2\n2 0 -> 1 1\n"), 2, "shared state 2 out of range");
    fails(tts("2 2\n0 0 -> 1 x\n"), 2, "expected a number");
    fails(tts("1000000000 2\n"), 1, "1000000000 shared");
    fails(tts("99999999999999999999999 2\n"), 1, "too large");
    fails(tts("0 2\n"), 1, "at least one shared");
    fails(tts("2 2\n0 0 -> 1 1 0 ~>\n"), 2, "after the transition");
    fails(tts("2 2\n0 0 +> 1 1 0 ~> 1\n"), 2, "passive moves follow `->`");
    fails(tts("2 2\n0 0 ~> 1 1 0 ~> 1\n"), 2, "passive moves follow `->`");
    fails(tts("2 2\n0 0 -> 1 1 0 ~> 2\n"), 2, "local state 2 out of range");
    fails(tts("2 2\n0 +0 -> 1 1\n"), 2, "expected a number");
    fails(tts::parse("2 2\n", ""), 1, "expected a target");
    fails(tts::parse("2 2\n", "7|0"), 1, "shared state 7 out of range");
}

#[test]
fn broken_starts_of_a_tts() {
    let start = |text: &str| {
        let mut net = tts::parse("2 3\n", "0|0").unwrap();
        tts::set_start(&mut net, &Source::new("start", text)).map(|()| net)
    };
    fails(start(""), 1, "expected `s|l,l…/l,l…`");
    fails(start("0"), 1, "expected `s|l,l…/l,l…`");
    fails(start("2|0"), 1, "shared state 2 out of range");
    fails(start("0|0/3"), 1, "local state 3 out of range");
    fails(start("0|x"), 1, "expected a number");
    fails(start("0|1,"), 1, "expected a number");
    fails(start("0|1,2/2"), 1, "local state 2 is on both sides");
}

#[test]
fn broken_spec() {
    let with = |rule: &str, init: &str, target: &str| {
        spec::parse(&format!("vars\nx y\nrules\n{rule}\ninit\n{init}\ntarget\n{target}\n"))
    };
    let rule = "x >= 1 -> x' = x - 1, y' = y + 1;";
    assert!(with(rule, "x >= 1, y = 0", "y >= 2").is_ok());
    fails(with("x >= 1 x' = x - 1;", "x = 1", "y >= 1"), 4, "`,` or `->`");
    fails(with("z >= 1 -> x' = x - 1;", "x = 1", "y >= 1"), 4, "`z` is not declared");
    fails(with("x = 1 -> x' = x - 1;", "x = 1", "y >= 1"), 4, "`>=`");
    fails(with("x >= 1 -> y' = y + x;", "x = 1", "y >= 1"), 4, "copied");
    fails(with("x >= 1 -> x' = x + x;", "x = 1", "y >= 1"), 4, "copied");
    fails(with("x >= 1 -> x' = 0 - 1;", "x = 1", "y >= 1"), 4, "below zero");
    fails(with("x >= 1 -> x' = y + x - 99999, y' = 0;", "x = 1", "y >= 1"), 4, "1000 steps");
    fails(with(rule, "x in [2, 1]", "y >= 1"), 6, "is empty");
    fails(with(rule, "x in [2 1]", "y >= 1"), 6, "expected `,`");
    fails(with(rule, "x = 1", "y = 0"), 8, "`>=`");
    fails(with("x >= 99999999999 -> x' = x - 1;", "x = 1", "y >= 1"), 4, "too large");
    fails(with(rule, "x = 1, x = 2", "y >= 1"), 6, "initialised twice");
    fails(with(rule, "x = 1", ""), 7, "empty target");
    fails(with(rule, "x = 1", "y >= 1 nonsense"), 8, "not declared");
    fails(spec::parse("vars\nx x\nrules\n"), 2, "declared twice");
    fails(spec::parse("rules\n"), 1, "expected `vars`");
}

#[test]
fn targets_without_a_comma_are_alternatives_and_init_may_leave_places_open() {
    let text =
        "vars\nx y\nrules\ntrue -> ;\ninit\nx >= 2\ntarget\nx >= 1,\n y >= 1\ny >= 3 x >= 9\n";
    let net = spec::parse(text).unwrap();
    assert_eq!(net.targets.len(), 3);
    assert!(net.transitions[0].pre.is_empty());
    assert_eq!(net.targets[0].entries(), &[(0, 1), (1, 1)]);
    assert_eq!(net.at_least, vec![(0, 2)]);
    assert_eq!(net.initial.get(0), pidlab_cover::OMEGA);
}

#[test]
fn transfers_in_a_spec_move_the_guarded_tokens_too() {
    let text = "vars\nx y\nrules\nx >= 2 -> y' = y + x, x' = 0;\ninit\nx = 5\ntarget\ny >= 5\n";
    let net = spec::parse(text).unwrap();
    let t = &net.transitions[0];
    assert_eq!((t.pre.as_slice(), t.post.as_slice()), (&[(0, 2)][..], &[(1, 2)][..]));
    assert_eq!(net.fire(&net.initial, t).unwrap().entries(), &[(1, 5)]);
}

#[test]
fn an_interval_starts_at_its_upper_end() {
    let text = "vars\nx y\nrules\ninit\nx in [1, 3], y = 0\ntarget\nx >= 3\n";
    assert_eq!(spec::parse(text).unwrap().initial.entries(), &[(0, 3)]);
}

#[test]
fn resets_in_a_spec_lose_their_tokens_and_assignments_happen_at_once() {
    let text = "vars\nx y z\nrules\nz >= 1 -> x' = y + 1, y' = 0;\ninit\nx = 7, y = 2, z = 1\ntarget\nx >= 4\n";
    let net = spec::parse(text).unwrap();
    let after = net.fire(&net.initial, &net.transitions[0]).unwrap();
    assert_eq!((after.get(0), after.get(1), after.get(2)), (3, 0, 1));
    assert_eq!(net.places.len(), 4);
}

/// `y' = y + x - 1` needs one token on either place, not one on y.
#[test]
fn what_is_taken_may_come_from_any_place_of_the_sum() {
    let rule = "z >= 1 -> y' = y + x - 1, x' = 0;";
    let text = format!("vars\nx y z\nrules\n{rule}\ninit\nx = 1, z = 1\ntarget\ny >= 1\n");
    let net = spec::parse(&text).unwrap();
    let pres: Vec<_> = net.transitions.iter().map(|t| t.pre.clone()).collect();
    assert_eq!(pres.len(), 2);
    assert!(pres.contains(&vec![(0, 1), (2, 1)]) && pres.contains(&vec![(1, 1), (2, 1)]));
    let guarded = text.replace("z >= 1 ->", "x >= 1 ->");
    let net = spec::parse(&guarded).unwrap();
    assert_eq!(net.transitions.len(), 1);
    assert_eq!(net.transitions[0].pre, vec![(0, 1)]);
    assert!(net.transitions[0].post.is_empty());
}

#[test]
fn broken_lgfsm() {
    let head = "lgfsm 1\nshared 2\nlocal 2\ninit 0 0\n";
    assert!(lgfsm::parse(&format!("{head}0 0 -> 1 1\nerror 1\n")).is_ok());
    fails(lgfsm::parse(&format!("{head}0 0 -> 1 1\n")), 5, "expected a line `error s`");
    fails(lgfsm::parse(&format!("{head}0 0 1 1\nerror 1\n")), 5, "expected `s l -> s' l'`");
    fails(lgfsm::parse("lgfsm 2\n"), 1, "version 2");
    fails(lgfsm::parse("lgfsm 1\nshared 1000000000\nlocal 1\n"), 3, "at most");
    fails(
        lgfsm::parse("lgfsm 1\nshared 2\nlocal 2\ninit 0\n"),
        4,
        "expected two states `s l` after `init`",
    );
    let started =
        |init: &str| lgfsm::parse(&format!("lgfsm 1\nshared 2\nlocal 3\ninit {init}\nerror 1\n"));
    let net = started("0|1,1/0").unwrap();
    assert_eq!(net.initial.entries(), &[(0, 1), (2, pidlab_cover::OMEGA), (3, 2)]);
    fails(started("0|3"), 4, "local state 3 out of range");
    fails(started("0|1/1"), 4, "on both sides");
    fails(lgfsm::parse("lgfsm 1\nlocal 2\n"), 2, "expected `shared N`");
}

#[test]
fn broken_programs() {
    let body =
        |text: &str| bp::parse(&format!("shared a, b;\nerror a && b;\nthread {{\n{text}\n}}\n"));
    assert!(body("a := *; b := !a;").is_ok());
    fails(body("c := true;"), 4, "`c` is not declared");
    fails(body("a := true"), 5, "expected `;`");
    fails(body("f();"), 4, "no procedure `f`");
    fails(body("a, b := true;"), 4, "2 variables are assigned 1 values");
    fails(body("if a { }"), 4, "expected `(`");
    fails(body("lock(c);"), 4, "not declared");
    fails(body("{ local x; lock(x); }"), 4, "expected a statement");
    fails(body("while (true) { local x; lock(x); }"), 4, "is local");
    fails(body(&"if (a) {".repeat(200)), 4, "nested more than 100");
    fails(body(&format!("a := {}b;", "!".repeat(300))), 4, "nested more than 100");
    fails(bp::parse("shared a;\nproc f() {\nf();\n}\nthread { f(); }\nerror a;\n"), 3, "recursive");
    fails(bp::parse("shared a;\nthread { a := true; }\n"), 1, "empty target");
    fails(bp::parse("shared a;\nerror a;\n"), 2, "expected a `thread");
    fails(bp::parse("shared a, a;\n"), 1, "declared twice");
    fails(body("while (a) { local x, x; }"), 4, "`x` is declared twice");
}

/// Every language shows the place as all others do.
#[test]
fn errors_show_file_line_column_and_caret() {
    let shown = |result: Result<Net, Diagnostic>| result.unwrap_err().to_string();
    let named = |name: &str, text: &str| Source::new(name, text);
    assert_eq!(
        shown(tts::read_system(&named("a.tts", "2 2\n0 0 -> 1 15 # x\n"))),
        "a.tts:2:10: local state 15 out of range: 2 declared, 0 to 1\n \
         2 | 0 0 -> 1 15 # x\n   |          ^^"
    );
    assert_eq!(
        shown(spec::read(&named("a.spec", "vars x\nrules\n  x >= 1 -> y' = 0;\n"))),
        "a.spec:3:13: place `y` is not declared under `vars`\n \
         3 |   x >= 1 -> y' = 0;\n   |             ^"
    );
    assert_eq!(
        shown(bp::read(&named("a.bp", "thread {\n\tskip\n}\n"))),
        "a.bp:3:1: expected `;`, found `}`\n 3 | }\n   | ^"
    );
    assert_eq!(
        shown(lgfsm::read(&named("a.lgfsm", "lgfsm 1\nshared two\n"))),
        "a.lgfsm:2:8: expected a number, found `two`\n 2 | shared two\n   |        ^^^"
    );
    let net = tts::parse("2 2\n", "0|0").unwrap();
    let wrong = tts::read_property(&named("a.prop", "0|0\n1|1, x"), &net).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "a.prop:2:6: expected a number, found `x`\n 2 | 1|1, x\n   |      ^"
    );
}

/// Names and lines of any length give messages of a few lines.
#[test]
fn messages_are_short() {
    let long = "x".repeat(1_000_000);
    for text in [format!("vars\n{long} {long}\n"), format!("vars\nx\nrules\n{long} >= 1 -> ;")] {
        let error = spec::parse(&text).unwrap_err();
        assert!(error.to_string().len() < 1000, "{}", error.to_string().len());
    }
    assert!(tts::parse(&long, "").unwrap_err().to_string().len() < 1000);
    assert!(bp::parse(&long).err().unwrap().to_string().len() < 1000);
}

/// Cuts, repeats and overwrites pieces of valid files; the parsers must answer, not panic.
#[test]
fn mutated_files_do_not_panic() {
    let specs = [include_str!("../../models/finkel.spec")];
    let programs = [include_str!("../../models/rockall.bp")];
    let machines = [include_str!("../../models/mutex.lgfsm")];
    let mut random = Random(7);
    let mut accepted = 0;
    for _ in 0..4000 {
        let text = mutate(specs[0], &mut random);
        let bytes = text.as_bytes();
        accepted +=
            read_alike(spec::parse(&text), Model::read_spec(bytes, &Budget::unlimited()), &text);
        let text = mutate(machines[0], &mut random);
        accepted += u32::from(lgfsm::parse(&text).is_ok());
        let text = mutate(SYSTEM, &mut random);
        let property = mutate("1|1,0\n", &mut random);
        let model =
            Model::read_tts(text.as_bytes(), property.as_bytes(), None, &Budget::unlimited());
        accepted += read_alike(tts::parse(&text, &property), model, &text);
    }
    for _ in 0..300 {
        accepted += u32::from(bp::parse(&mutate(programs[0], &mut random)).is_ok());
    }
    assert!(accepted > 100, "the mutations are too coarse: {accepted} files accepted");
}

const SYSTEM: &str = "2 3 # sizes\n0 0 -> 0 1\n0 0 -> 1 0 1 ~> 1 1 ~> 2\n1 1 +> 0 2\n0 1 ~> 1 2\n";

/// What the parser accepts the checker's own reader understands in the same way.
fn read_alike(net: Result<Net, Diagnostic>, model: Result<Model, Unreadable>, text: &str) -> u32 {
    let Ok(net) = net else { return 0 };
    assert_eq!(model.as_ref(), Ok(&model_of(&net)), "{text}");
    1
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len() as u32) as usize;
        let end = (at + random.below(12) as usize).min(bytes.len());
        match random.below(4) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() as u32) as usize;
                bytes.splice(to..to, piece);
            }
            2 => bytes[at] = b"{}();,->=|'*&!#0149\n xyz"[random.below(24) as usize],
            _ => bytes[at] = random.below(256) as u8,
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The example in docs/formats-cover.md is a program.
#[test]
fn the_documented_examples_parse() {
    let docs = include_str!("../../docs/formats-cover.md");
    let block = |after: &str| {
        let rest = &docs[docs.find(after).unwrap()..];
        let start = rest.find("```text\n").unwrap() + 8;
        rest[start..].split("```").next().unwrap().to_string()
    };
    bp::parse(&block("### Our own dialect")).unwrap();
    bp::parse(&block("### Bebop")).unwrap();
    spec::parse(&block("## `.spec`")).unwrap();
    lgfsm::parse(&block("## `.lgfsm`")).unwrap();
    tts::parse(&block("## `.tts`"), "1|1").unwrap();
}
