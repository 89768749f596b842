//! Canonical forms against the classes of Definition 1 found by brute force.

use crate::universe::{sample, states};
use pidlab_backends::Budget;
use pidlab_backends::canon::canonical_form;
use pidlab_check::enumeration::{class, is_witness};
use pidlab_core::{Relations, json};
use std::collections::HashMap;

/// Equal text for equivalent states and only for them; each form consistent and equivalent to what
/// it stands for, by the map that comes with it.
#[test]
fn forms_are_classes() {
    let mut states = sample(states(2, true), 300);
    states.extend(sample(self::states(3, true), 300));
    for relations in Relations::subsets() {
        let mut form_of_class = HashMap::new();
        let mut class_of_form = HashMap::new();
        for state in &states {
            let form = canonical_form(state, relations, &Budget::unlimited()).unwrap();
            let text = json::state_to_string(&form.state);
            assert!(form.state.is_consistent(), "{text}");
            assert!(is_witness(state, &form.state, relations, &form.image), "{relations} {text}");
            let class = class(state, relations);
            assert_eq!(form_of_class.entry(class.clone()).or_insert(text.clone()), &text);
            assert!(class_of_form.entry(text).or_insert_with(|| class.clone()) == &class);
        }
        assert!(form_of_class.len() > 20);
    }
}

#[test]
fn an_inconsistent_state_has_none() {
    let text = r#"{"sigma":{"A":[["@1"]],"B":[["@1.1"]]},"eta":{"1":0}}"#;
    let state = json::parse_state(text).unwrap();
    let error = canonical_form(&state, Relations::ALL, &Budget::unlimited()).unwrap_err();
    assert!(error.to_string().contains("Assumption 2"), "{error}");
}
