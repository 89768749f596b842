//! The exact form with a hash of a few bits, in which everything collides: no form changes with the
//! order of threads or the places of objects, and it does not matter which way finds it.

use super::exact::Exact;
use super::hash::weak::with_bits;
use super::members::Members;
use super::numbering::{HeapOrder, Numbering};
use super::rigid::RigidShapes;
use super::traversal::{Traversal, Traversed};
use crate::heap::{HeapModel, Word, compile};
use crate::search::{Model, Successors};
use crate::source::Source;
use std::collections::HashSet;

/// Hashes of 0 bits are all equal.
const BITS: [u32; 7] = [0, 1, 2, 3, 5, 8, 63];

/// A ring of threads that share counters of two sizes.
const RING: &str = "system Ring {
  thread Turn(int[] left, int[] right) {
    loc l0: when left[0] < 2 do { left[0] := left[0] + 1; } goto l1;
    loc l1: when right[0] < 2 do { right[0] := right[0] + 1; } goto l0;
  }
  main thread MAIN() {
    loc l0: do {
      int[] a := new int[1];
      int[] b := new int[2];
      int[] c := new int[1];
      int[] d := new int[2];
      start Turn(a, b);
      start Turn(b, c);
      start Turn(c, d);
      start Turn(d, a);
    } return;
  }
}";

/// Threads with an object of their own each: as many parts as threads.
const APART: &str = "system Apart {
  top record Counter { int value; boolean odd; Counter self; }
  thread Counting(Counter mine) {
    loc l0: when mine.value < 3 do {
      mine.value := mine.value + 1;
      mine.odd := !mine.odd;
      if mine.value == 2 { mine.self := mine; }
    } goto l0;
  }
  main thread MAIN() {
    loc l0: do {
      start Counting(new Counter);
      start Counting(new Counter);
      start Counting(new Counter);
    } return;
  }
}";

fn model(text: &str, constants: &[(&str, i64)]) -> HeapModel {
    let set: Vec<(String, i64)> = constants.iter().map(|&(n, v)| (n.to_string(), v)).collect();
    let program = compile(&Source::new("test.bir", text), &set);
    HeapModel::new(program.unwrap_or_else(|error| panic!("{error}")), HeapOrder::DepthFirst)
}

fn models() -> Vec<(&'static str, HeapModel)> {
    let read = |name: &str, constants: &[(&str, i64)]| {
        let path = format!("{}/../models/{name}", env!("CARGO_MANIFEST_DIR"));
        model(&std::fs::read_to_string(path).unwrap(), constants)
    };
    vec![
        ("ring", model(RING, &[])),
        ("apart", model(APART, &[])),
        ("philosophers", read("philosophers.bir", &[("N", 4)])),
        ("buffer", read("bounded-buffer.bir", &[("N", 2), ("M", 2)])),
        ("readers", read("readers-writers.bir", &[("READERS", 2), ("WRITERS", 2)])),
    ]
}

/// Reachable states, not too many.
fn states(model: &HeapModel) -> Vec<Vec<Word>> {
    let (mut worker, mut successors) = (model.worker(), Successors::new());
    let mut all = vec![model.initial_words()];
    let mut known: HashSet<Vec<Word>> = all.iter().cloned().collect();
    let mut next = 0;
    while next < all.len() && all.len() < 400 {
        successors.clear();
        model.successors(&mut worker, &all[next], &mut successors).unwrap();
        for index in 0..successors.len() {
            if known.insert(successors.state(index).clone()) {
                all.push(successors.state(index).clone());
            }
        }
        next += 1;
    }
    all
}

struct Random(u64);

impl Random {
    fn shuffled(&mut self, count: usize) -> Vec<u32> {
        let mut items: Vec<u32> = (0..count as u32).collect();
        for end in (1..items.len()).rev() {
            self.0 = pidlab_core::mix::mix(self.0, 1);
            items.swap(end, (self.0 % (end as u64 + 1)) as usize);
        }
        items
    }
}

/// The same state with threads and objects in another order.
fn renamed(model: &HeapModel, words: &[Word], random: &mut Random) -> Vec<Word> {
    let threads = random.shuffled(words[0] as usize);
    let objects = random.shuffled(model.layout.objects(words).count());
    let mut out = Vec::new();
    Numbering::default().rewrite_as(&model.layout, words, &threads, &objects, &mut out);
    out
}

#[test]
fn forms_do_not_depend_on_the_hash_being_good() {
    let mut random = Random(4);
    for (name, model) in models() {
        let states = states(&model);
        for bits in BITS {
            // two memories: what one has seen of shapes must not matter
            let (mut first, mut second) = (Exact::default(), Exact::default());
            let (mut one, mut other) = (Vec::new(), Vec::new());
            for words in &states {
                let again = renamed(&model, words, &mut random);
                with_bits(bits, || {
                    first.canonical(&model.layout, words, &mut one).unwrap();
                    second.canonical(&model.layout, &again, &mut other).unwrap();
                });
                assert_eq!(one, other, "{name}, {bits} bits: {words:?} renamed to {again:?}");
            }
        }
    }
}

/// What is kept of a shape gives the form that a traversal finds, for the same and renamed states.
#[test]
fn both_ways_find_the_same_form() {
    let mut random = Random(5);
    for (name, model) in models() {
        let mut compared = 0;
        for bits in BITS {
            let (mut rigid, mut traversal) = (RigidShapes::default(), Traversal::default());
            let (mut kept, mut found, mut order) = (Vec::new(), Vec::new(), Vec::new());
            for words in states(&model) {
                let again = renamed(&model, &words, &mut random);
                let both = with_bits(bits, || {
                    rigid.canonical(&model.layout, &words, &mut kept)
                        && traversal.order(&model.layout, &again, &mut order) == Traversed::Found
                });
                if both {
                    let (layout, heap) = (&model.layout, HeapOrder::DepthFirst);
                    Numbering::default().rewrite(layout, &again, &order, heap, &mut found);
                    assert_eq!(kept, found, "{name}, {bits} bits: {words:?}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 0 || ["apart", "buffer", "readers"].contains(&name), "{name}");
    }
}

/// Sets and a table of objects that refer to each other.
const SETS: &str = "system Sets {
  top record Node { Node next; int(0..1) n; }
  set<Node> a;
  set<Node> b;
  table<Node, int(0..1)> t;
  main thread MAIN() {
    loc l0: do { a := new set<Node>; b := new set<Node>; t := new table<Node, int(0..1)>; } goto l1;
    loc l1:
      when size(a) < 4 do { add(a, new Node); } goto l1;
      when size(a) > 2 do { Node x := pick(a); Node y := pick(a); x.next := y; } goto l1;
      when size(a) > 2 do { Node x := pick(a); x.n := 1 - x.n; add(b, x); } goto l1;
      when size(b) > 1 do { Node x := pick(b); put(t, x, x.n); remove(a, x); } goto l1;
  }
}";

/// Where threads stay in order, objects in any order have one form, whoever finds it; the short way finds many.
#[test]
fn forms_of_sets_do_not_depend_on_the_hash_being_good() {
    let mut random = Random(6);
    let model = model(SETS, &[]);
    let states = states(&model);
    let (mut short, mut long) = (0, 0);
    for bits in BITS {
        let (mut exact, mut members) = (Exact::default(), Members::default());
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for words in &states {
            let objects = random.shuffled(model.layout.objects(words).count());
            let threads: Vec<u32> = (0..words[0]).collect();
            let mut again = Vec::new();
            Numbering::default().rewrite_as(&model.layout, words, &threads, &objects, &mut again);
            let open = with_bits(bits, || {
                let open = exact.with_threads_in_order(&model.layout, words, &mut one).unwrap();
                let same = exact.with_threads_in_order(&model.layout, &again, &mut other).unwrap();
                assert_eq!(open, same);
                let is_short = members.order(&model.layout, words).is_some();
                assert_eq!(is_short, members.order(&model.layout, &again).is_some());
                short += usize::from(open && is_short);
                long += usize::from(open && !is_short);
                open
            });
            assert!(!open || one == other, "{bits} bits: {words:?} renamed to {again:?}");
        }
    }
    assert!(short > 500 && long > 500, "{short} by the short way, {long} by the engine");
}
