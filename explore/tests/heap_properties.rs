//! Properties of heap programs: answers, runs that show them, and that no symmetry changes them.

mod support;

use pidlab_explore::PropertyAnswer::{self, *};
use pidlab_explore::heap::{
    Compression, HeapExploration, HeapOptions, HeapProgram, compile_with, explore,
};
use pidlab_explore::search::{Limits, Order};
use pidlab_explore::source::Source;

fn program(properties: &[&str]) -> HeapProgram {
    let path = format!("{}/../models/work-queue.bir", env!("CARGO_MANIFEST_DIR"));
    let source = Source::new("work-queue.bir", std::fs::read_to_string(path).unwrap());
    let properties: Vec<String> = properties.iter().map(|text| text.to_string()).collect();
    compile_with(&source, &[("TASKS".into(), 2)], &properties).unwrap_or_else(|e| panic!("{e}"))
}

const PROPERTIES: [(&str, PropertyAnswer); 8] = [
    ("never count(Worker) > WORKERS", Holds),
    ("never count(work) > 1", Violated),
    ("always count(work) <= 2 && count(work.loc0) <= count(work)", Holds),
    ("always count(Failed) == 0", Violated),
    ("reach count(work.loc1) == 2 && count(Task) == 2", Reached),
    ("reach count(Worker) == 3", Unreachable),
    ("never count(Worker.idle) == 2 && count(Task) == 2", Violated),
    ("named = reach count(Object) == 0", Reached),
];

fn run(options: &HeapOptions<'_>) -> HeapExploration {
    let texts: Vec<&str> = PROPERTIES.iter().map(|(text, _)| *text).collect();
    explore(program(&texts), options).unwrap()
}

#[test]
fn answers_do_not_depend_on_symmetry_store_or_order() {
    for symmetry in ["none", "pc", "kbots:inf", "exact"] {
        for compression in [Compression::Bytes, Compression::Packed, Compression::Collapse] {
            for order in [Order::BreadthFirst, Order::DepthFirst] {
                let symmetry = symmetry.parse().unwrap();
                let found =
                    run(&HeapOptions { symmetry, compression, order, ..Default::default() });
                for (verdict, (text, answer)) in found.verdicts.iter().zip(PROPERTIES) {
                    assert_eq!(verdict.answer, answer, "{text}, {symmetry}");
                }
            }
        }
    }
}

#[test]
fn runs_lead_to_the_state_that_decides() {
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let found = run(&HeapOptions { trace: true, order, ..Default::default() });
        assert!(found.left_out.is_none());
        for verdict in &found.verdicts {
            assert_eq!(verdict.trace.is_some(), matches!(verdict.answer, Violated | Reached));
        }
        let both = found.verdicts[4].trace.as_ref().unwrap();
        assert_eq!(both.ending[0], "reach count(work.loc1) == 2 && count(Task) == 2");
        assert_eq!(both.ending[1..], ["Worker 1 at work.loc1", "Worker 2 at work.loc1"]);
        assert_eq!(found.verdicts[7].property, "named");
    }
}

#[test]
fn limits_leave_answers_open() {
    let limits = Limits { states: Some(3), ..Limits::default() };
    let found = run(&HeapOptions { limits, ..Default::default() });
    assert_eq!(found.verdicts[0].answer, Unknown);
    assert_eq!(found.verdicts[5].answer, Unknown);
}

/// A condition that goes wrong decides nothing: before the cell is made there is nothing to compare.
#[test]
fn globals_and_properties_of_the_text() {
    let text = "system s {
      top record Cell { int(0..3) n; }
      Cell cell;
      property small = always cell.n < 3;
      property two = reach cell.n == 2 && cell != null;
      main thread MAIN() {
        loc a: do { cell := new Cell; } goto b;
        loc b: when cell.n < 2 do { cell.n := cell.n + 1; } goto b;
               when cell.n == 2 return;
      }
    }";
    let source = Source::new("inline.bir", text);
    let with = |properties: &[&str]| {
        let given: Vec<String> = properties.iter().map(|text| text.to_string()).collect();
        compile_with(&source, &[], &given)
    };
    let found = explore(with(&["never cell.n == 1"]).unwrap(), &HeapOptions::default()).unwrap();
    let answers: Vec<PropertyAnswer> = found.verdicts.iter().map(|v| v.answer).collect();
    assert_eq!(answers, [Holds, Reached, Violated]);
    for (property, expected) in [
        ("sometimes true", "expected `never`, `always` or `reach`"),
        ("never 3", "expected a value of type boolean"),
        ("never count(X) > 1", "there is no thread, function or record X"),
        ("never count(MAIN.x) > 1", "MAIN has no location x"),
        ("never count(1) > 1", "expected a thread, function or record"),
        ("never x > 1", "there is no variable or constant `x`"),
        ("never new Cell == null", "a guard cannot contain `new`"),
        ("small = never true", "the property small is declared twice"),
        ("never true true", "expected"),
        ("never", "expected an expression"),
    ] {
        let error = with(&[property]).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("property:1:"), "{property}: {error}");
    }
}
