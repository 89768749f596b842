//! What a program can do, right and wrong: each ends as a clear result or error.

mod support;

use pidlab_explore::heap::{HeapExploration, HeapOptions, compile, explore};
use pidlab_explore::search::{Limits, Order};
use pidlab_explore::source::Source;
use support::inline;

/// A system around a main thread's body.
fn system(declarations: &str, main: &str) -> String {
    format!("system s {{ top record Object {{}} {declarations} main thread MAIN() {{ {main} }} }}")
}

fn run(declarations: &str, main: &str) -> HeapExploration {
    let options = HeapOptions { trace: true, ..HeapOptions::default() };
    explore(inline(&system(declarations, main)), &options).unwrap()
}

fn violation(declarations: &str, main: &str) -> String {
    let found = run(declarations, main);
    let (fault, text) = found.fault.expect("a violation");
    assert!(!fault.violation.is_limit(), "{text}");
    assert!(found.trace.is_some_and(|trace| !trace.steps.is_empty()));
    text
}

fn limit(declarations: &str, main: &str) -> String {
    let (fault, text) = run(declarations, main).fault.expect("a limit");
    assert!(fault.violation.is_limit(), "{text}");
    text
}

fn refused(text: &str) -> String {
    compile(&Source::new("inline.bir", text), &[]).unwrap_err().to_string()
}

const NODE: &str = "record Node extends Object { Node next; int(0..3) n; lock l; }";

#[test]
fn null_dereference() {
    let text = violation(NODE, "Node a; loc x: do { a.n := 1; } return;");
    assert!(text.contains("null dereference") && text.contains("a.n := 1"), "{text}");
    let text = violation(NODE, "Node a; loc x: when a.n == 0 return;");
    assert!(text.contains("null dereference"), "{text}");
}

#[test]
fn integers_out_of_range() {
    let text = violation("", "int(0..2) i; loc x: do { i := i + 1; } goto x;");
    assert!(text.contains("3 is not in 0..2"), "{text}");
    let text = violation("", "int i; loc x: do { i := 2147483647; i := i + 1; } goto x;");
    assert!(text.contains("overflow"), "{text}");
    let text = violation("", "int i; loc x: do { i := 1 / i; } return;");
    assert!(text.contains("division by zero"), "{text}");
}

#[test]
fn assertions_arrays_and_casts() {
    assert!(violation("", "loc x: do { assert 1 > 2; } return;").contains("assertion failed"));
    let text = violation("", "loc x: do { int[] a := new int[2]; a[2] := 1; } return;");
    assert!(text.contains("index out of bounds: 2"), "{text}");
    let text = violation("", "loc x: do { int[] a := new int[0 - 1]; } return;");
    assert!(text.contains("-1 elements"), "{text}");
    let sub = "record A extends Object {} record B extends A {}";
    let text = violation(sub, "loc x: do { A a := new A; B b := a as B; } return;");
    assert!(text.contains("not of the type"), "{text}");
    let right =
        "loc x: do { A a := new B; assert a instanceof B; B b := a as B; assert b == a; } return;";
    assert!(run(sub, right).fault.is_none());
}

#[test]
fn inherited_fields() {
    let sub = "record A extends Object { int x; } record B extends A { int y; }";
    let main = "loc l: do { B b := new B; b.x := 1; b.y := 2; A a := b; assert a.x == 1; } return;";
    assert!(run(sub, main).fault.is_none());
}

#[test]
fn monitors() {
    let text = violation(NODE, "loc x: do { Node a := new Node; unlock(a.l); } return;");
    assert!(text.contains("does not hold the lock"), "{text}");
    let text = violation(NODE, "loc x: do { Node a := new Node; notify(a.l); } return;");
    assert!(text.contains("does not hold the lock"), "{text}");
    let text = violation(NODE, "loc x: do { Node a := new Node; lock(a.l); } return;");
    assert!(text.contains("still holds a lock"), "{text}");
    let again = "loc x: do { Node a := new Node; lock(a.l); lock(a.l); assert held(a.l);
        unlock(a.l); assert held(a.l); unlock(a.l); assert !held(a.l); } return;";
    assert!(run(NODE, again).fault.is_none());
}

/// A waiting thread gives the lock up altogether and has it back as often as before.
#[test]
fn wait_gives_up_and_takes_back_all_holds() {
    let declarations = format!(
        "{NODE} thread T(Node a) {{
            loc x: do {{ lock(a.l); lock(a.l); wait(a.l); }} goto y;
            loc y: do {{ assert held(a.l); unlock(a.l); assert held(a.l); unlock(a.l); a.n := 1; }} return;
         }}"
    );
    let main = "Node a; loc x: do { a := new Node; start T(a); } goto y;
        loc y: do { lock(a.l); notify(a.l); unlock(a.l); } goto z;
        loc z: when a.n == 1 return; when a.n == 0 goto y;";
    let found = run(&declarations, main);
    assert!(found.fault.is_none(), "{:?}", found.fault);
    assert_eq!((found.stuck(), found.report.counters.ends), (0, 1));
}

/// `notify` wakes any one of those who wait: both choices are explored, the other one stays.
#[test]
fn notify_wakes_one_of_them() {
    let declarations = format!(
        "{NODE} thread T(Node a, int(0..3) me) {{
            loc x: do {{ lock(a.l); wait(a.l); }} goto y;
            loc y: do {{ a.n := me; unlock(a.l); }} return;
         }}"
    );
    let main = "Node a; int(0..2) count; loc x: do { a := new Node; start T(a, 1); start T(a, 2); } goto y;
        loc y: do { lock(a.l); notify(a.l); unlock(a.l); } goto z;
        loc z: when a.n == 1 do { a := null; } return; when a.n == 2 do { a := null; } return;";
    let found = run(&declarations, main);
    assert!(found.fault.is_none());
    let trace = found.trace.expect("one of them waits for ever");
    assert!(trace.ending.iter().any(|line| line.contains("waits to be notified")), "{trace:?}");
}

#[test]
fn a_deadlock_in_the_middle_of_a_body_names_the_statement() {
    let declarations = format!(
        "{NODE} thread T(Node a, Node b) {{
            loc x: do {{ lock(a.l); }} goto y;
            loc y: do {{ a.n := 1; lock(b.l); a.n := 0; unlock(b.l); unlock(a.l); }} return;
         }}"
    );
    let main = "loc x: do { Node a := new Node; Node b := new Node; start T(a, b); start T(b, a); } return;";
    let found = run(&declarations, main);
    assert_eq!(found.stuck(), 1);
    let ending = found.trace.unwrap().ending.join("\n");
    assert!(ending.contains("T 1 at y: blocks at `lock(b.l)` in line"), "{ending}");
}

#[test]
fn a_deadlock_inside_an_atomic_block_says_so() {
    let declarations = "boolean go; thread T() { loc x: do { go := true; } return; }";
    let main = "loc x: do { start T(); } goto y; atomic { loc y: when go return; }";
    let found = run(declarations, main);
    assert_eq!(found.stuck(), 1);
    let ending = found.trace.unwrap().ending.join("\n");
    assert!(ending.contains("MAIN 1 at y inside an atomic block: no guard holds"), "{ending}");
    assert!(ending.contains("T 1 at x: must wait, since MAIN 1 is in an atomic block"), "{ending}");
}

#[test]
fn atomic_blocks_leave_out_interleavings() {
    let thread = |atomic: &str, end: &str| {
        format!(
            "int(0..9) n; thread T() {{ int(0..9) i; {atomic}
            loc a: do {{ i := n; }} goto b;
            loc b: do {{ n := i + 1; }} goto c; {end}
            loc c: return; }}"
        )
    };
    let main = "loc x: do { start T(); start T(); } goto y; loc y: when n == 2 return;";
    assert_eq!(run(&thread("", ""), main).stuck(), 1);
    assert_eq!(run(&thread("atomic {", "}"), main).stuck(), 0);
}

#[test]
fn programs_without_bound_end_with_a_limit() {
    let text =
        limit(NODE, "Node a; loc x: do { Node b := new Node; b.next := a; a := b; } goto x;");
    assert!(text.contains("allocate without bound"), "{text}");
    let text = limit("thread T() { loc x: goto x; }", "loc x: do { start T(); } goto x;");
    assert!(text.contains("limit"), "{text}");
    let text = limit("", "loc x: do { while true { } } return;");
    assert!(text.contains("without an end"), "{text}");
    let text = limit("", "int i; loc x: do { i := choose(1..1000); } return;");
    assert!(text.contains("choice limit"), "{text}");
}

#[test]
fn garbage_does_not_make_states() {
    let main = "Node a; loc x: do { a := new Node; a := null; } goto x;";
    assert_eq!(run(NODE, main).report.counters.states, 1);
    let off =
        HeapOptions { heap: pidlab_explore::heap::HeapOrder::Address, ..HeapOptions::default() };
    let found = explore(inline(&system(NODE, main)), &off).unwrap();
    assert_eq!(found.report.counters.states, 1);
}

#[test]
fn heap_symmetry_forgets_the_order_of_creation() {
    let main = "Node a; Node b; loc x: do { a := new Node; b := new Node; } goto z;
        do { b := new Node; a := new Node; } goto z; loc z: return;";
    let states = |heap| {
        let options = HeapOptions { heap, ..HeapOptions::default() };
        explore(inline(&system(NODE, main)), &options).unwrap().report.counters.states
    };
    use pidlab_explore::heap::HeapOrder;
    assert_eq!((states(HeapOrder::DepthFirst), states(HeapOrder::Address)), (3, 4));
}

#[test]
fn the_order_of_sets_and_tables_does_not_matter() {
    let main = "set<int> s; loc x: do { s := new set<int>; add(s, 1); add(s, 2); add(s, 1); } goto y;
        do { s := new set<int>; add(s, 2); add(s, 1); } goto y;
        loc y: do { assert size(s) == 2; remove(s, 1); assert !contains(s, 1); assert pick(s) == 2; } return;";
    let found = run("", main);
    assert!(found.fault.is_none(), "{:?}", found.fault);
    assert_eq!(found.report.counters.states, 3);
    let main = "table<int, boolean> t; loc x: do { t := new table<int, boolean>; put(t, 5, true);
        put(t, 5, false); put(t, 6, true); assert get(t, 5) == false; remove(t, 6);
        assert size(t) == 1; } return;";
    assert!(run("", main).fault.is_none());
    let text = violation(
        "",
        "loc x: do { table<int, int> t := new table<int, int>; int i := get(t, 1); } return;",
    );
    assert!(text.contains("no such key"), "{text}");
}

#[test]
fn limits_of_the_search() {
    let program = support::program("philosophers.bir", &[("N", 7)]);
    let limits = Limits { states: Some(100), ..Limits::default() };
    let options = HeapOptions { limits, order: Order::BreadthFirst, ..HeapOptions::default() };
    let found = explore(program, &options).unwrap();
    assert_eq!((found.report.counters.states, found.report.complete()), (100, false));
}

#[test]
fn errors_in_the_text() {
    let cases = [
        (system("const N;", "loc x: return;"), "for example N=3"),
        (system("record A extends B {} record B extends A {}", "loc x: return;"), "extends itself"),
        (system("record A {}", "loc x: return;"), "must extend"),
        (system("record A extends C {}", "loc x: return;"), "no record C; known: A, Object"),
        (system("", "loc x: goto y;"), "no location y"),
        (system("", "loc x: do { z := 1; } return;"), "no variable `z`"),
        (system("", "boolean b; loc x: do { b := 1; } return;"), "type boolean, found int(1..1)"),
        (system("", "int(3..1) i; loc x: return;"), "3..1 is empty"),
        (system(NODE, "loc x: when new Node == null return;"), "a guard cannot contain `new`"),
        (system(NODE, "Node a; loc x: do { wait(a.l); a := null; } return;"), "last statement"),
        (system("lock l;", "loc x: return;"), "field of a record"),
        (
            system("thread T(int a) { loc x: return; }", "loc x: do { start T(); } return;"),
            "takes 1 arguments",
        ),
        ("system s { top record Object {} }".into(), "main thread"),
        (system("", "loc x: when true"), "`goto`, `return`, `invoke` or `throw`"),
        (String::new(), "expected `system`"),
    ];
    for (text, expected) in cases {
        let error = refused(&text);
        assert!(error.contains(expected), "{text}\n{error}");
        assert!(error.contains("inline.bir:1:") && error.contains('^'), "{error}");
    }
}

/// The front end ends with a program or an error on any text.
#[test]
fn mutilated_programs_do_not_crash_the_front_end() {
    for (name, constants) in support::SMALL {
        let program = support::program(name, constants);
        let text = &program.source.text;
        for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)).step_by(7) {
            for broken in [
                text[..at].to_string(),
                format!("{}{}", &text[..at], &text[at..].get(1..).unwrap_or("")),
            ] {
                _ = compile(&Source::new(name, broken), &support::settings(constants));
            }
        }
    }
}

/// A depth-first search may find a deadlock at the end of a long way; the trace is a short one.
#[test]
fn traces_are_short() {
    let program = support::program("philosophers.bir", &[("N", 7)]);
    let options = HeapOptions { trace: true, ..HeapOptions::default() };
    let trace = explore(program, &options).unwrap().trace.unwrap();
    assert_eq!(trace.steps.len(), 8);
    assert_eq!(trace.steps[1].changes, ["Fork 1.isHeld: false -> true"]);
    assert_eq!(trace.ending.len(), 7);
}

/// What a failing step had changed when it failed.
fn failing_changes(declarations: &str, main: &str) -> Vec<String> {
    let trace = run(declarations, main).trace.expect("a trace");
    let last = trace.steps.last().expect("a step that fails");
    assert!(last.fails && last.to.is_none());
    last.changes.clone()
}

/// The state of a violation holds no variables; the trace has them all the same.
#[test]
fn a_failing_step_shows_the_values_it_failed_with() {
    let chosen =
        "int x; loc a: do { x := choose(0..3); g := x * 10; if x == 2 { assert g < 20; } } return;";
    assert_eq!(failing_changes("int g := 0;", chosen), ["g: 0 -> 20", "MAIN 1.x: 0 -> 2"]);
    // objects that are made are told, as are threads; what nothing refers to is not
    let made =
        "Node n; loc a: do { n := new Node; n.n := 3; start T(); n := n.next; n.n := 1; } return;";
    let declarations = format!("{NODE} thread T() {{ int y := 4; loc a: return; }}");
    assert_eq!(failing_changes(&declarations, made), ["new T 1.y: 4"]);
    // a guard that fails has changed nothing
    let guard = "Node n; loc a: when n.n == 0 do { } return;";
    assert_eq!(failing_changes(NODE, guard), Vec::<String>::new());
}

#[test]
fn a_thread_that_ends_with_a_lock_shows_who_holds_what() {
    let declarations = format!(
        "{NODE} Node shared; Node other;
         thread T() {{ loc a: when available(other.l) do {{ lock(other.l); }} goto b;
           loc b: when false do {{ }} return; }}"
    );
    let main = "loc a: do { shared := new Node; other := new Node; start T(); } goto b;
        loc b: when !available(other.l) do { lock(shared.l); } return;";
    assert_eq!(failing_changes(&declarations, main), ["Node 1.l: free -> held by MAIN 1"]);
}
