//! The collapse tables of Bogor'03, figures 5 and 6.

mod support;

use pidlab_backends::Budget;
use pidlab_explore::heap::{
    CollapseTable, ExplainError, HeapModel, HeapOrder, ThreadSymmetry, explain,
};

fn tables(moves: &[&str], last: usize) -> Result<Vec<CollapseTable>, ExplainError> {
    let model = support::model("philosophers.bir", &[("N", 3)]);
    let moves: Vec<String> = moves.iter().map(|name| name.to_string()).collect();
    explain(&model, ThreadSymmetry::Kbots(usize::MAX), &moves, last, &Budget::unlimited())
}

fn shown(table: &CollapseTable) -> Vec<(String, String, u32)> {
    let short = |name: &str| name.replace("Philosopher ", "P").replace("Fork ", "F");
    let row = |row: &pidlab_explore::heap::CollapseRow| {
        (short(&row.structure), row.vector.join(","), row.number)
    };
    table.rows.iter().map(row).collect()
}

fn expected(rows: &[(&str, &str, u32)]) -> Vec<(String, String, u32)> {
    rows.iter().map(|&(name, vector, number)| (name.into(), vector.into(), number)).collect()
}

const FIGURE_5: [(&str, &str, u32); 13] = [
    ("Globals", "", 1),
    ("F3", "false", 2),
    ("F2", "false", 2),
    ("F1", "true", 3),
    ("Heap", "Fork,2,Fork,2,Fork,3", 4),
    ("P2 Store", "1,2", 5),
    ("P2", "loc0,5", 6),
    ("P3 Store", "2,3", 7),
    ("P3", "loc0,7", 8),
    ("P1 Store", "3,1", 9),
    ("P1", "loc1,9", 10),
    ("Threads", "6,8,10", 11),
    ("State", "1,4,11", 12),
];

/// The figure prints <3,2> for P2's store. P2 refers to F3 and F2, which are objects 3 and 1 in this
/// state's order, so the row is <3,1>; that is number 9 of figure 5, and all later numbers are one
/// less than printed. The figure also lists F3 before F1, against the order F2 < F1 < F3 of its text.
const FIGURE_6: [(&str, &str, u32); 13] = [
    ("Globals", "", 1),
    ("F2", "false", 2),
    ("F1", "true", 3),
    ("F3", "true", 3),
    ("Heap", "Fork,2,Fork,3,Fork,3", 13),
    ("P3 Store", "1,2", 5),
    ("P3", "loc0,5", 6),
    ("P2 Store", "3,1", 9),
    ("P2", "loc0,9", 14),
    ("P1 Store", "2,3", 7),
    ("P1", "loc2,7", 15),
    ("Threads", "6,14,15", 16),
    ("State", "1,13,16", 17),
];

#[test]
fn figures_5_and_6() {
    let found = tables(&["MAIN 1", "Philosopher 1", "Philosopher 1"], 2).unwrap();
    assert_eq!(shown(&found[0]), expected(&FIGURE_5));
    assert_eq!(shown(&found[1]), expected(&FIGURE_6));
}

#[test]
fn wrong_moves_are_named() {
    let error = tables(&["MAIN 1", "Waiter 1"], 1).unwrap_err().to_string();
    assert!(error.contains("step 2") && error.contains("Philosopher 3"), "{error}");
    let stuck = ["MAIN 1", "Philosopher 1", "Philosopher 2", "Philosopher 1"];
    assert!(matches!(tables(&stuck, 1), Err(ExplainError::Stuck { step: 4, .. })));
}

/// Figure 3 compares heights of stacks before program counters: the first thread is two calls deep in
/// a function of the text's beginning, the second one call deep in one of its end.
#[test]
fn heights_of_stacks_come_first() {
    let text = "system s {
      function early(int(0..1) n) {
        loc a: when n > 0 invoke early(n - 1) goto b; when n == 0 goto b;
        loc b: return;
      }
      function late() { loc a: return; }
      thread T(boolean deep) {
        loc a: when deep invoke early(1) goto b; when !deep invoke late() goto b;
        loc b: return;
      }
      main thread MAIN() { loc a: do { start T(true); start T(false); } return; }
    }";
    let model = HeapModel::new(support::inline(text), HeapOrder::DepthFirst);
    let moves: Vec<String> = ["MAIN 1", "T 1", "T 2", "T 1"].map(String::from).to_vec();
    let rows = |symmetry: &str| {
        let symmetry = symmetry.parse().unwrap();
        let tables = explain(&model, symmetry, &moves, 1, &Budget::unlimited()).unwrap();
        shown(&tables[0])
    };
    let threads = |rows: &[(String, String, u32)]| -> Vec<String> {
        let is_thread = |row: &&(String, String, u32)| ["T 1", "T 2"].contains(&row.0.as_str());
        rows.iter().filter(is_thread).map(|row| row.0.clone()).collect()
    };
    assert_eq!(threads(&rows("pc")), ["T 1", "T 2"]);
    let by_height = rows("kbots:0");
    assert_eq!(threads(&by_height), ["T 2", "T 1"]);
    // a row of program counter and variables for each frame, the running one first
    let find = |name: &str| &by_height.iter().find(|row| row.0 == name).unwrap().1;
    let store = |name: &str| by_height.iter().rfind(|row| row.0 == name).unwrap().2;
    let (inner, own) = (store("T 1 Store in early"), store("T 1 Store"));
    let outer = by_height.iter().filter(|row| row.0 == "T 1 Store in early").nth(1).unwrap().2;
    assert_eq!(find("T 1 Store in early"), "0");
    let first = by_height.iter().find(|row| row.0 == "T 1 Store in early").unwrap().2;
    assert_eq!(outer, inner);
    assert_eq!(*find("T 1"), format!("early.a,{first},early.a,{outer},a,{own}"));
}
