//! Theorems 2 and 3 of SACS'10 on random nets, and the search's markings against states with pids.

mod nets;

use nets::{compiled, random_net, random_net_of_forests};
use pidlab_backends::Budget;
use pidlab_backends::canon::canonical_form;
use pidlab_core::{Relation, Relations};
use pidlab_explore::net::{
    Classes, LintSettings, Marking, Named, Net, NetCanonizer, NetModel, compile, each_step,
    is_local, lint, search_classes,
};
use pidlab_explore::search::{ArenaStore, Canonizer, Limits, Options, search};
use pidlab_explore::source::Source;
use pidlab_random::Rng;
use std::collections::HashMap;
use std::fmt::Write;

fn with_more(used: Relations, rng: &mut Rng) -> Relations {
    let more = Relation::ALL.into_iter().filter(|_| rng.index(3) == 0);
    more.fold(used, Relations::with)
}

#[test]
fn theorems_2_and_3_hold_on_random_nets() {
    let (mut pairs, mut steps) = (0, 0);
    for seed in 0..100 {
        let mut rng = Rng::new(seed, 0);
        let text = random_net(&mut rng);
        let net = compiled(&text);
        let relations = with_more(net.used_relations(), &mut rng);
        let budget = Budget::unlimited();
        let settings = LintSettings { relations, max_states: 60, pairs: 20, seed, budget };
        let report = lint(&net, &settings).unwrap();
        assert!(report.holds(), "seed {seed} {relations}\n{text}\n{report:?}");
        pairs += report.assumption3.tests;
        steps += report.assumption1.tests;
    }
    assert!(pairs > 1_000 && steps > 10_000, "{pairs} pairs, {steps} steps: too few to mean much");
}

/// The test above can fail: without the relation that a guard uses, Assumption 3 does.
#[test]
fn lint_finds_an_unsound_choice_of_relations() {
    let text = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/nkm.tnet"),
    )
    .unwrap();
    let settings = [("k".into(), "2".into()), ("m".into(), "2".into())];
    let net = compile(Source::new("nkm", text), &settings, &[]).unwrap();
    let check = |relations, max_states| {
        let budget = Budget::unlimited();
        let settings = LintSettings { relations, max_states, pairs: 500, seed: 1, budget };
        lint(&net, &settings).unwrap()
    };
    assert!(check(Relations::default(), 2_000).holds());
    assert!(check(Relations::NONE, 2_000).assumption3.failure.is_some());
    for most in [1, 10, 11] {
        let report = check(Relations::default(), most);
        assert_eq!((report.classes, report.assumption2.tests), (most, most));
    }
}

/// Markings of the search merge exactly when the engine's canonical forms of their states are equal.
#[test]
fn keys_agree_with_canonical_forms_of_states() {
    let mut compared = 0;
    for seed in 1_000..1_160 {
        let mut rng = Rng::new(seed, 0);
        let text =
            if seed < 1_080 { random_net(&mut rng) } else { random_net_of_forests(&mut rng) };
        let net = compiled(&text);
        let relations = with_more(Relations::NONE, &mut rng);
        for canonizer in
            [NetCanonizer::new(&net, relations), NetCanonizer::general(&net, relations)]
        {
            let mut worker = canonizer.worker();
            let mut by_key: HashMap<Vec<u8>, u128> = HashMap::new();
            let mut by_hash: HashMap<u128, Vec<u8>> = HashMap::new();
            for named in some_runs(&net, 120) {
                let state = named.to_state(&net).unwrap();
                let Ok(form) = canonical_form(&state, relations, &Budget::unlimited()) else {
                    continue;
                };
                let mut key = Vec::new();
                canonizer.key(&mut worker, &named.marking, &mut key).unwrap();
                let hash = *by_key.entry(key.clone()).or_insert(form.hash);
                let first = by_hash.entry(form.hash).or_insert(key.clone());
                assert_eq!((hash, &key), (form.hash, &*first), "seed {seed} {relations}\n{text}");
                compared += 1;
            }
        }
    }
    assert!(compared > 3_000, "{compared}");
}

/// Markings along all runs, breadth first, without merging.
fn some_runs(net: &Net, most: usize) -> Vec<Named> {
    let mut all = vec![Named::initial(net)];
    let mut next = 0;
    while next < all.len() && all.len() < most {
        let before = all[next].clone();
        each_step(net, &before, &Budget::unlimited(), |_, _, after| {
            all.push(after.clone());
            Ok(())
        })
        .unwrap();
        next += 1;
    }
    all
}

/// What Ω* does not see need not be kept: keys of markings that keep all relations are those of
/// markings that keep Ω* alone, and symmetry of bindings changes no count.
#[test]
fn keeping_less_changes_nothing() {
    for seed in 2_000..2_100 {
        let mut rng = Rng::new(seed, 0);
        let text = random_net(&mut rng);
        let net = compiled(&text);
        let relations = with_more(net.used_relations(), &mut rng);
        let limits = Limits { states: Some(400), ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let canonizer = NetCanonizer::new(&net, relations);
        let explore = |model: NetModel<'_>| {
            search(&model, &canonizer, &mut ArenaStore::new(), &options).unwrap()
        };
        let kept = explore(NetModel::new(&net, relations));
        let all = explore(NetModel::without_symmetry(&net, relations));
        assert_eq!(kept.complete(), all.complete(), "seed {seed}\n{text}");
        if kept.complete() {
            assert_eq!(kept.counters, all.counters, "seed {seed}\n{text}");
        }
    }
}

/// Chains of siblings are ordered as the engine orders them: no count changes under any Ω*.
#[test]
fn forests_with_siblings_give_the_same_counts() {
    let mut finite = 0;
    for seed in 0..200 {
        let mut rng = Rng::new(seed, 1);
        let net = compiled(&random_net_of_forests(&mut rng));
        for relations in Relations::subsets().filter(|set| net.used_relations().is_subset(*set)) {
            let limits = Limits { states: Some(200), ..Limits::default() };
            let options = Options { limits, ..Options::default() };
            let fast = search_classes(&net, relations, &options).unwrap().0;
            let model = NetModel::without_symmetry(&net, relations);
            let keys = NetCanonizer::general(&net, relations);
            let general = search(&model, &keys, &mut ArenaStore::new(), &options).unwrap();
            assert_eq!(fast.complete(), general.complete(), "seed {seed} {relations}");
            if fast.complete() {
                assert_eq!(fast.counters, general.counters, "seed {seed} {relations}");
                finite += 1;
            }
        }
    }
    assert!(finite > 100, "{finite}");
}

/// Transitions that bind threads of one tree only.
const LOCAL: [&str; 8] = [
    "take A(p) put B(p, 0)",
    "take B(p, n) guard n < 2 put B(p, n + 1)",
    "take B(p, n) guard n == 1 put A(p)",
    "take A(p) create c of p put D(p, 0), B(c, 0)",
    "take A(p) create c[2] of p put B(c[1], 0), B(c[2], 1) end p",
    "take D(p, n), B(c, m) guard p parent c put B(p, m) end c",
    "take D(p, n), B(c, m) guard p ancestor c and m > 0 put D(p, 1), B(c, 0)",
    "take B(p, n) guard no(D(x, _) where x parent p) end p",
];

/// Nets whose transitions are local may be searched tree by tree: no count changes.
#[test]
fn trees_alone_give_the_same_counts() {
    let mut finite = 0;
    for seed in 0..100 {
        let mut rng = Rng::new(seed, 0);
        let mut text = "net local\nflow A(pid)\nflow B(pid, int)\nflow D(pid, int)\n".to_string();
        text += "init A(@1), B(@2, 0)\n";
        for (number, body) in LOCAL.iter().enumerate() {
            if rng.index(3) > 0 {
                writeln!(text, "transition t{number} {{ {body} }}").unwrap();
            }
        }
        let net = compiled(&text);
        let relations = net.used_relations();
        assert!(is_local(&net, relations), "{text}");
        let limits = Limits { states: Some(150), ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let (trees, classes) = search_classes(&net, relations, &options).unwrap();
        let (model, keys) =
            (NetModel::without_symmetry(&net, relations), NetCanonizer::general(&net, relations));
        let general = search(&model, &keys, &mut ArenaStore::new(), &options).unwrap();
        assert_eq!(trees.complete(), general.complete(), "seed {seed}\n{text}");
        forms_lead_back(&net, relations, &classes, trees.counters.states as u32);
        if trees.complete() {
            assert_eq!(trees.counters, general.counters, "seed {seed}\n{text}");
            finite += 1;
        }
    }
    assert!(finite > 10, "{finite}");
}

/// Numbers of trees are read as the canonical forms of the canonizer, and found by them.
fn forms_lead_back(net: &Net, relations: Relations, classes: &Classes, states: u32) {
    let canonizer = NetCanonizer::new(net, relations);
    let (mut worker, mut marking) = (canonizer.worker(), Marking::default());
    let (mut form, mut again) = (Vec::new(), Vec::new());
    for class in 0..states {
        classes.read(class, &mut form);
        canonizer.decode(&mut worker, &form, &mut marking);
        canonizer.key(&mut canonizer.worker(), &marking, &mut again).unwrap();
        assert_eq!(form, again);
        assert_eq!(classes.find(net, &form), Some(class));
    }
}

/// A transition that looks at two trees, or at all of them, is not local.
#[test]
fn looking_beyond_a_tree_is_not_local() {
    let net = |body: &str| {
        compiled(&format!(
            "net x\nflow A(pid)\nflow B(pid, int)\ninit A(@1)\ntransition t {{ {body} }}\n"
        ))
    };
    let parent = Relations::default();
    for body in [
        "take A(p), B(q, n) put A(p), B(q, n)",
        "take A(p), B(q, n) guard not p parent q put A(p), B(q, n)",
        "take A(p) guard count(B(x, _)) < 2 put A(p)",
        "take A(p), B(q, n) guard p parent q or n == 0 put A(p), B(q, n)",
    ] {
        assert!(!is_local(&net(body), parent), "{body}");
    }
    assert!(is_local(&net("take A(p), B(q, n) guard p parent q put A(p), B(q, n)"), parent));
    let loosely = net("take A(p), B(q, n) guard p parent q put A(p), B(q, n)");
    assert!(!is_local(&loosely, Relations::NONE.with(Relation::Ancestor)));
}
