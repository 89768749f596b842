//! Vectors of every width, from none to more components than any packed word holds, and states without
//! pids, without data, without anything.

use crate::{checked, quick_backends};
use pidlab_backends::GraphKind;
use pidlab_core::{Relations, State};
use serde_json::{Value, json};

/// Vectors of `width` components over two threads and, if wanted, data; `last` ends one of them.
fn state(root: u64, width: usize, data: bool, last: &Value) -> State {
    let pid = |child: usize| json!(format!("@{root}.{}", child % 2 + 1));
    let component = |i: usize| if data && i % 3 == 2 { json!(i) } else { pid(i / 2) };
    let mut changed: Vec<Value> = (0..width).map(component).collect();
    changed.pop();
    changed.extend((width > 0).then(|| last.clone()));
    let plain: Vec<Value> = (0..width).map(component).collect();
    let mut vectors = vec![json!(plain), json!(changed), json!([pid(0)]), json!([])];
    vectors.rotate_left(root as usize % 4);
    let eta = json!({ root.to_string(): 2, format!("{root}.1"): 0, format!("{root}.2"): 0 });
    serde_json::from_value(json!({ "sigma": { "A": vectors }, "eta": eta })).unwrap()
}

#[test]
fn vectors_of_every_width() {
    let relations = Relations::default();
    for backend in quick_backends() {
        for width in 0..=40 {
            for data in [false, true] {
                let [q, same] = [1, 6].map(|root| state(root, width, data, &json!("end")));
                let other = state(6, width, data, &json!("other end"));
                let name = backend.info().name;
                let decide = |r| checked(&*backend, &q, r, relations, GraphKind::Corrected);
                assert!(decide(&same), "{name}, width {width}, data {data}");
                assert_eq!(decide(&other), width == 0, "{name}, width {width}, data {data}");
            }
        }
    }
}

#[test]
fn states_without_pids() {
    let state = |sigma: Value| -> State {
        serde_json::from_value(json!({ "sigma": sigma, "eta": {} })).unwrap()
    };
    let states = [
        state(json!({})),
        state(json!({ "A": [[]] })),
        state(json!({ "A": [[], []] })),
        state(json!({ "B": [[], []] })),
        state(json!({ "A": [["x"], []] })),
        state(json!({ "A": [["y"], []] })),
    ];
    for backend in quick_backends() {
        for (i, q) in states.iter().enumerate() {
            for (j, r) in states.iter().enumerate() {
                let found = checked(&*backend, q, r, Relations::default(), GraphKind::Corrected);
                assert_eq!(found, i == j, "{}: {i} and {j}", backend.info().name);
            }
        }
    }
}
