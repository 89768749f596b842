//! Abstract types of the user's own: what operations do, and that the order of calls leaves no trace.

mod support;

use pidlab_explore::heap::{HeapExploration, HeapOptions, compile, explore};
use pidlab_explore::source::Source;
use support::inline;

const BAG: &str = "
  top record Object {}
  record Item extends Object { int(0..9) n; }
  extension Bag {
    table<int(0..9), int> counts;
    int(0..99) size;
    lock guard;
    operation count(int(0..9) n) returns int {
      if contains(counts, n) { return get(counts, n); }
      return 0;
    }
    operation put(int(0..9) n) {
      put(counts, n, this.count(n) + 1);
      size := size + 1;
    }
    operation drop(int(0..9) n) returns boolean {
      int left := this.count(n) - 1;
      if left < 0 { return false; }
      if left == 0 { remove(counts, n); } else { put(counts, n, left); }
      size := size - 1;
      return true;
    }
    operation size() returns int { return size; }
    operation twice(Bag other, int(0..9) n) returns Bag { this.put(n); other.put(n); return this; }
  }
  extension Items {
    set<Item> all;
    operation put(Item item) { add(all, item); }
    operation any() returns Item { return pick(all); }
    operation size() returns int { return size(all); }
  }";

fn system(main: &str) -> String {
    format!("system s {{ {BAG} main thread MAIN() {{ {main} }} }}")
}

fn run(main: &str) -> HeapExploration {
    explore(inline(&system(main)), &HeapOptions::default()).unwrap()
}

#[test]
fn operations_run_inside_a_step() {
    let main = "Bag bag; boolean b;
      loc a: do {
        bag := new Bag; bag.put(3); bag.put(3); bag.put(1);
        assert bag.count(3) == 2 && bag.size() == 3 && bag.count(7) == 0;
        b := bag.drop(3); assert b; bag.drop(1);
        b := bag.drop(1); assert !b && bag.size() == 1;
        Bag other := new Bag;
        int n := bag.twice(other, 5).size();
        assert n == 2 && other.size() == 1 && other.count(5) == 1 && bag.count(5) == 1;
      } goto b;
      loc b: when bag.count(3) == 1 && bag.size() == 2 return;";
    let found = run(main);
    assert!(found.fault.is_none(), "{:?}", found.fault);
    assert_eq!((found.report.counters.states, found.report.counters.ends), (3, 1));
}

/// Sets and tables move when they grow; variables follow, whoever holds them.
#[test]
fn references_follow_what_moves() {
    let main = "Items items; Item last;
      loc a: do {
        items := new Items;
        int i := 0;
        while i < 5 { Item item := new Item; item.n := i; items.put(item); last := item; i := i + 1; }
        last.n := items.size();
      } goto b;
      loc b: do { Item item := items.any(); assert items.size() == 5; item.n := 7; } goto c;
      loc c: return;";
    let found = run(main);
    assert!(found.fault.is_none(), "{:?}", found.fault);
    // any of five, the last of which is known by name
    assert_eq!(found.report.counters.states, 2 + 5 + 1);
}

/// Two orders of insertion, one state: with numbers always, with objects in the exact form.
#[test]
fn the_order_of_calls_does_not_count() {
    let numbers = "Bag bag; int(0..1) c;
      loc a: do { bag := new Bag; int(0..1) c := choose(0..1);
                  if c == 0 { bag.put(1); bag.put(2); bag.put(1); } else { bag.put(2); bag.put(1); bag.put(1); }
                } goto b;
      loc b: return;";
    assert_eq!(run(numbers).report.counters.states, 3);
    let objects = "Items items; Item x; Item y;
      loc a: do { items := new Items; x := new Item; y := new Item; int(0..1) c := choose(0..1);
                  if c == 0 { items.put(x); items.put(y); } else { items.put(y); items.put(x); } } goto b;
      loc b: return;";
    let options = |symmetry: &str| HeapOptions {
        symmetry: symmetry.parse().unwrap(),
        ..HeapOptions::default()
    };
    for symmetry in ["none", "exact"] {
        let found = explore(inline(&system(objects)), &options(symmetry)).unwrap();
        assert_eq!(found.report.counters.states, 3, "{symmetry}");
    }
}

#[test]
fn what_is_wrong_is_shown() {
    let null = run("Bag bag; loc a: do { bag.put(1); } return;");
    assert!(null.fault.unwrap().1.contains("null dereference"));
    let range =
        run("Bag bag; loc a: do { bag := new Bag; bag.put(3); int i := 12; bag.put(i); } return;");
    assert!(range.fault.unwrap().1.contains("12 is not in 0..9"));
    let blocks =
        run("Items items; loc a: do { items := new Items; Item i := items.any(); } return;");
    assert_eq!((blocks.stuck(), blocks.report.counters.states), (1, 1));
    for (main, expected) in [
        (
            "Bag bag; loc a: when bag.size == 1 return;",
            "Bag keeps size to itself; its operations: count, put",
        ),
        ("Bag bag; loc a: do { bag.size := 1; } return;", "keeps size to itself"),
        (
            "Bag bag; loc a: do { bag.add(1); } return;",
            "Bag has no operation add; its operations: count",
        ),
        ("Item item; loc a: do { item.put(1); } return;", "Item has no operations"),
        ("int i; loc a: do { i.put(1); } return;", "values of type int have no operations"),
        ("Bag bag; loc a: do { bag.put(); } return;", "operation put takes 1 arguments, not 0"),
        ("Bag bag; loc a: do { bag.put(true); } return;", "found boolean"),
        ("Bag bag; int i; loc a: do { i := bag.put(1); } return;", "put returns nothing"),
        (
            "Bag bag; boolean b; loc a: do { b := b && bag.drop(1); } return;",
            "put its result into a variable first",
        ),
        ("Bag bag; boolean b; loc a: when bag.drop(1) return;", "a guard cannot contain"),
        ("loc a: do { return; } return;", "`return` stands behind the block"),
        ("loc a: do { int i := this.x; } return;", "no variable or constant `this`"),
    ] {
        let text = refused(&system(main));
        assert!(text.contains(expected) && text.contains('^'), "{main}: {text}");
    }
    for (extension, expected) in [
        (
            "operation f() returns int { if true { return 1; } }",
            "f must end with `return` on every way",
        ),
        ("operation f() { this.g(); } operation g() { this.f(); }", "operation f calls itself"),
        ("operation f() { x := 1; }", "there is no variable `x`"),
        ("operation f() { local := 1; }", "there is no variable `local`"),
        ("operation f() { return 1; }", "the operation returns nothing"),
        ("operation f() returns int { return; }", "expected a value of type int"),
        ("operation f(int a, int a) { }", "the parameter a is declared twice"),
        ("operation f() { } operation f() { }", "the operation f is declared twice"),
        ("int a; int a;", "the field a is declared twice"),
        ("lock l; operation f() { wait(this.l); }", "last statement"),
    ] {
        let text = refused(&format!(
            "system s {{ extension E {{ {extension} }} main thread M() {{ int local; loc a: return; }} }}"
        ));
        assert!(text.contains(expected) && text.contains('^'), "{extension}: {text}");
    }
}

fn refused(text: &str) -> String {
    compile(&Source::new("inline.bir", text), &[]).unwrap_err().to_string()
}

/// Code that doubles with every level has a bound.
#[test]
fn no_end_of_code() {
    let mut text = String::from("system s { extension E { operation f0() { } ");
    for level in 1..8 {
        let call = format!("this.f{}(); ", level - 1);
        text += &format!("operation f{level}() {{ {} }} ", call.repeat(30));
    }
    text += "} main thread M() { loc a: return; } }";
    assert!(refused(&text).contains("calls of operations"), "{}", refused(&text));
    let mut deep = String::from("system s { extension E { operation f0() { } ");
    for level in 1..20 {
        deep += &format!("operation f{level}() {{ this.f{}(); }} ", level - 1);
    }
    deep += "} main thread M() { loc a: return; } }";
    assert!(refused(&deep).contains("levels deep"));
}
