//! Functions, virtual calls and exceptions: what they do, under every symmetry and compression.

mod support;

use pidlab_explore::heap::{
    Compression, HeapExploration, HeapOptions, HeapProgram, compile, explore,
};
use pidlab_explore::search::Order;
use pidlab_explore::source::Source;
use support::inline;

fn run(text: &str) -> HeapExploration {
    let options = HeapOptions { trace: true, ..HeapOptions::default() };
    explore(inline(text), &options).unwrap()
}

fn fault(text: &str) -> String {
    run(text).fault.expect("a violation or limit").1
}

fn refused(text: &str) -> String {
    compile(&Source::new("inline.bir", text), &[]).unwrap_err().to_string()
}

/// Factorial by recursion; the stack grows to the argument plus one.
fn factorial(of: i64) -> String {
    format!(
        "system s {{
           function factorial(int n) returns int {{
             int rest;
             loc a: when n <= 1 return 1;
                    when n > 1 rest := invoke factorial(n - 1) goto b;
             loc b: return n * rest;
           }}
           main thread MAIN() {{
             int r;
             loc a: r := invoke factorial({of}) goto b;
             loc b: do {{ assert r == 120; }} return;
           }}
         }}"
    )
}

#[test]
fn recursion_up_to_a_bound() {
    let found = run(&factorial(5));
    assert!(found.fault.is_none(), "{:?}", found.fault);
    // 5 calls, 5 returns, the end, the start
    assert_eq!(found.report.counters.states, 12);
    assert_eq!(found.report.counters.ends, 1);
    assert!(fault(&factorial(4)).contains("assertion failed"));
    let deep = run(&factorial(70));
    let (fault, text) = deep.fault.unwrap();
    assert!(fault.violation.is_limit() && text.contains("stack limit: more than 64"), "{text}");
}

#[test]
fn a_frame_is_part_of_the_state() {
    // two threads inside one function with different arguments and callers
    let text = "system s {
      int(0..9) sum;
      function add(int(0..3) n) { loc a: do { sum := sum + n; } goto b; loc b: return; }
      thread T(int(0..3) n) { loc a: invoke add(n) goto b; loc b: invoke add(n) goto c; loc c: return; }
      main thread MAIN() { loc a: do { start T(1); start T(2); } return; }
    }";
    let found = run(text);
    assert!(found.fault.is_none());
    // each thread has 7 places and then it is gone; the sum follows from them
    assert_eq!(found.report.counters.states, 1 + 8 * 8);
    assert_eq!((found.stuck(), found.report.counters.ends), (0, 1));
}

const SHAPES: &str = "
  top record Object {}
  record Shape extends Object { int size; }
  record Square extends Shape {}
  record Circle extends Shape {}
  record Disc extends Circle {}
  function squareArea(Square s, int factor) returns int { loc a: return s.size * s.size * factor; }
  function roundArea(Circle s, int factor) returns int { loc a: return 3 * s.size * s.size * factor; }
  virtual area { Square -> squareArea, Circle -> roundArea }";

#[test]
fn the_type_of_the_record_decides() {
    for (of, expected) in [("Square", 8), ("Circle", 24), ("Disc", 24)] {
        let text = format!(
            "system s {{ {SHAPES}
               main thread MAIN() {{
                 {} s; int r;
                 loc a: do {{ s := new {of}; s.size := 2; }} r := invoke virtual area(s, 2) goto b;
                 loc b: do {{ assert r == {expected}; }} return;
               }} }}",
            if of == "Square" { "Square" } else { "Circle" }
        );
        assert!(run(&text).fault.is_none(), "{of}");
    }
    let null = format!(
        "system s {{ {SHAPES} main thread MAIN() {{ Disc s; loc a: invoke virtual area(s, 2) goto a; }} }}"
    );
    assert!(fault(&null).contains("null dereference"));
    let unknown = format!(
        "system s {{ {SHAPES} main thread MAIN() {{ Shape s; loc a: invoke virtual area(s, 2) goto a; }} }}"
    );
    assert!(refused(&unknown).contains("no function for values of type Shape"));
}

const ERRORS: &str = "
  top record Object {}
  record Error extends Object { int code; }
  record Full extends Error {}
  record Empty extends Error {}
  function deep(int n, int code) {
    Error e;
    loc a: when n > 0 invoke deep(n - 1, code) goto b;
           when n == 0 && code == 1 throw new Full;
           when n == 0 && code == 2 do { Error e := new Empty; e.code := 7; throw e; } goto b;
           when n == 0 && code == 3 throw new Error;
           when n == 0 && code == 4 throw e;
           when n == 0 && code == 0 goto b;
    loc b: return;
    loc c: throw e;
    catch Full e at a goto c;
  }";

#[test]
fn exceptions_go_up_to_a_handler() {
    for (code, expected) in [(0, 1), (1, 2), (2, 3), (3, 4)] {
        let text = format!(
            "system s {{ {ERRORS}
               main thread MAIN() {{
                 Empty empty; Error e; int(0..9) r;
                 loc a: invoke deep(3, {code}) goto b;
                 loc b: do {{ r := 1; }} goto end;
                 loc c: do {{ r := 2; }} goto end;
                 loc d: do {{ r := 3; assert empty.code == 7; }} goto end;
                 loc f: do {{ r := 4; }} goto end;
                 loc end: do {{ assert r == {expected}; }} return;
                 catch Full e at a, b goto c;
                 catch Empty empty goto d;
                 catch Error e at a goto f;
               }} }}"
        );
        let found = run(&text);
        assert!(found.fault.is_none(), "{code}: {:?}", found.fault);
        assert_eq!((found.stuck(), found.report.counters.ends), (0, 1));
    }
}

#[test]
fn nobody_catches() {
    let main = |code: i32, catch: &str| {
        format!(
            "system s {{ {ERRORS} main thread MAIN() {{
               Error e; loc a: invoke deep(2, {code}) goto b; loc b: return; {catch} }} }}"
        )
    };
    let text = fault(&main(1, ""));
    assert!(text.contains("an exception of type Full that nobody catches"), "{text}");
    assert!(text.contains("inline.bir") && text.contains("throw"), "{text}");
    // a handler for another place, and one for another type
    assert!(fault(&main(2, "catch Empty e at b goto b;")).contains("type Empty"));
    assert!(fault(&main(3, "catch Empty e at a goto b;")).contains("type Error"));
    assert!(fault(&main(4, "")).contains("null dereference"));
}

#[test]
fn assume_and_arrays_of_arrays() {
    let text = "system s {
      main thread MAIN() {
        int[][] grid; int(0..5) x;
        loc a: do { grid := new int[2][3]; grid[1][2] := 5; x := choose(0..5); assume x > 2; } goto b;
        loc b: do { assert grid[1][2] == 5 && grid[0][2] == 0 && length(grid[0]) == 3;
                    int[][][] cube := new int[2][2][]; assert cube[1][1] == null;
                    cube[1][1] := grid[1]; assert cube[1][1][2] == 5; } goto c;
        loc c: do { assume x == 4; } return;
      } }";
    let found = run(text);
    assert!(found.fault.is_none(), "{:?}", found.fault);
    // 3, 4 and 5 are left; only 4 ends
    assert_eq!((found.stuck(), found.report.counters.ends), (2, 1));
    let trace = found.trace.unwrap();
    assert!(trace.ending[0].contains("blocks at `assume x == 4`"), "{:?}", trace.ending);
}

/// While a function called from inside an atomic block runs, nobody else moves.
#[test]
fn calls_from_atomic_blocks() {
    let text = "system s {
      int x;
      function twice() { loc a: do { x := x + 1; } goto b; loc b: do { x := x - 1; } return; }
      thread T() { atomic { loc a: invoke twice() goto b; } loc b: return; }
      main thread MAIN() { loc a: do { start T(); start T(); } goto b; loc b: do { assert x == 0; } return; }
    }";
    assert!(run(text).fault.is_none());
    let open =
        text.replace("atomic { loc a: invoke twice() goto b; }", "loc a: invoke twice() goto b;");
    assert!(fault(&open).contains("assertion failed"));
}

/// `wait` inside a function: the frame below keeps its variables.
#[test]
fn monitors_inside_functions() {
    let text = "system s {
      top record Cell { lock l; boolean full; }
      function take(Cell c) returns boolean {
        loc a: do { lock(c.l); } goto b;
        loc b: when !c.full do { wait(c.l); } goto b;
               when c.full do { c.full := false; unlock(c.l); } return true;
      }
      function put(Cell c) {
        loc a: do { lock(c.l); } goto b;
        loc b: do { c.full := true; notifyAll(c.l); unlock(c.l); } return;
      }
      thread Taker(Cell c) { boolean done; loc a: done := invoke take(c) goto b;
                             loc b: do { assert done; } return; }
      main thread MAIN() { Cell c; loc a: do { c := new Cell; start Taker(c); } invoke put(c) goto b;
                           loc b: return; }
    }";
    let found = run(text);
    assert!(found.fault.is_none(), "{:?}", found.fault);
    assert_eq!((found.stuck(), found.report.counters.ends), (0, 1));
}

/// A function may end with `wait`: its caller goes on when it was notified and has the lock again.
#[test]
fn a_function_that_ends_waiting() {
    let text = "system s {
      top record Cell { lock l; boolean full; }
      function pause(Cell c) { loc a: do { wait(c.l); } return; }
      thread Taker(Cell c) {
        loc a: do { lock(c.l); } goto b;
        loc b: when !c.full invoke pause(c) goto b; when c.full do { unlock(c.l); } return;
      }
      main thread MAIN() {
        Cell c;
        loc a: do { c := new Cell; start Taker(c); start Taker(c); } goto b;
        loc b: do { lock(c.l); c.full := true; notifyAll(c.l); unlock(c.l); } return;
      }
    }";
    let found = run(text);
    assert!(found.fault.is_none(), "{:?}", found.fault);
    assert_eq!((found.stuck(), found.report.counters.ends), (0, 1));
}

#[test]
fn traces_name_functions() {
    let found = run(&factorial(4));
    let trace = found.trace.unwrap();
    let first = &trace.steps[0];
    assert_eq!((first.transition.as_str(), first.to.as_deref()), ("MAIN.a", Some("factorial.a")));
    assert!(first.changes.contains(&"new MAIN 1 in factorial#1.n: 4".to_string()), "{first:?}");
    let last = trace.steps.last().unwrap();
    assert_eq!(last.transition, "MAIN.b");
    let back = &trace.steps[trace.steps.len() - 2];
    assert_eq!(back.to.as_deref(), Some("b"));
    assert!(back.changes.contains(&"MAIN 1.r: 0 -> 24".to_string()), "{back:?}");
}

#[test]
fn every_compression_and_order_agrees() {
    let stack = || support::program("shared-stack.bir", &[("USERS", 3), ("CAPACITY", 2)]);
    let recursion = || inline(&factorial(5));
    for program in [&stack as &dyn Fn() -> HeapProgram, &recursion] {
        for symmetry in ["none", "pc", "kbots:0", "kbots:2", "kbots:inf", "exact"] {
            let count = |compression, order| {
                let symmetry = symmetry.parse().unwrap();
                let options =
                    HeapOptions { symmetry, compression, order, ..HeapOptions::default() };
                let found = explore(program(), &options).unwrap();
                assert!(found.fault.is_none(), "{:?}", found.fault);
                let counters = found.report.counters;
                (counters.states, counters.edges, counters.deadlocks)
            };
            let expected = count(Compression::None, Order::BreadthFirst);
            for compression in Compression::ALL {
                assert_eq!(count(compression, Order::BreadthFirst), expected, "{symmetry}");
            }
            if ["none", "exact"].contains(&symmetry) {
                assert_eq!(count(Compression::Bytes, Order::DepthFirst), expected, "{symmetry}");
            }
        }
    }
}

#[test]
fn errors_show_the_place() {
    let function = "function f(int n) returns int { loc a: return n; }";
    let main = |body: &str| {
        format!("system s {{ top record O {{}} {function} main thread MAIN() {{ {body} }} }}")
    };
    for (body, expected) in [
        ("loc a: invoke g(1) goto a;", "there is no function g"),
        ("loc a: invoke f() goto a;", "function f takes 1 arguments, not 0"),
        ("loc a: invoke f(true) goto a;", "expected a value of type int, found boolean"),
        ("loc a: x := invoke f(1) goto a;", "MAIN has no local variable x"),
        (
            "boolean x; loc a: x := invoke f(1) goto a;",
            "x is of type boolean, the result of type int",
        ),
        ("int(0..3) x; loc a: x := invoke f(1) goto a;", "the result of type int"),
        ("loc a: invoke virtual f(1) goto a;", "there is no virtual function f"),
        ("loc a: throw 3;", "expected a record to throw, found int"),
        ("loc a: throw new int[2];", "expected a record to throw, found int[]"),
        ("loc a: return 3;", "a thread returns nothing"),
        ("loc a: invoke f(1);", "expected `goto`"),
        ("loc a: return; catch O x goto a;", "MAIN has no local variable x"),
        ("int x; loc a: return; catch O x goto a;", "x is of type int, which no O is"),
        ("O x; loc a: return; catch O x at b goto a;", "has no location b"),
        ("O x; loc a: return; catch O x goto a; loc b: return;", "expected `catch` or `}`"),
        ("loc a: do { start f(1); } return;", "there is no thread f"),
        ("int x; loc a: x := 3 goto a;", "expected `invoke`"),
        ("loc a: do { int[][] x := new int[][3]; } return;", "expected"),
    ] {
        let text = refused(&main(body));
        assert!(text.contains(expected) && text.contains('^'), "{body}: {text}");
    }
    let twice = "system s { function f() { loc a: return; } function f() { loc a: return; } }";
    assert!(
        refused(&format!("{} main thread M() {{ loc a: return; }} }}", &twice[..twice.len() - 1]))
            .contains("the function f is declared twice")
    );
    for (functions, expected) in [
        (
            "function f(A a) { loc a: return; } virtual v { O -> f }",
            "first parameter of f must take a O",
        ),
        (
            "function f(O a) { loc a: return; } function g(A a, int n) { loc a: return; } virtual v { O -> f, A -> g }",
            "must have the same result",
        ),
        ("function f(O a) { loc a: return; } virtual v { O -> f, O -> f }", "O has two functions"),
        ("virtual v { }", "needs a function"),
        ("function f(O a) returns int { loc a: return; }", "`return` needs one"),
        ("function f(O a) { loc a: return a; }", "f returns nothing"),
    ] {
        let text = refused(&format!(
            "system s {{ top record O {{}} record A extends O {{}} {functions} main thread M() {{ loc a: return; }} }}"
        ));
        assert!(text.contains(expected) && text.contains('^'), "{functions}: {text}");
    }
}

/// The variables of a function that throws what nobody catches are in the trace.
#[test]
fn an_uncaught_exception_shows_the_variables_of_the_function_that_throws_it() {
    let found = run("system s { top record E {}
          function f(int n) { E e; loc a: do { n := n + 1; e := new E; throw e; } return; }
          main thread MAIN() { loc a: invoke f(6) goto b; loc b: return; } }");
    let trace = found.trace.expect("a trace");
    let changes = &trace.steps.last().expect("a step that fails").changes;
    assert!(changes.contains(&"MAIN 1 in f#1.n: 6 -> 7".to_string()), "{changes:?}");
}
