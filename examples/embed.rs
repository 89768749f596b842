//! A model checker of its own that keeps one state of every class: all it needs is `pidlab-backends`.

use pidlab_backends::{
    Budget, Relations, State, WitnessMap, canonical_form, decide, explain, parse_state,
};
use std::collections::HashMap;

/// Two listeners, one of which has a handler.
fn state(parent: u8) -> Result<State, serde_json::Error> {
    let (one, two) = (u8::from(parent == 1), u8::from(parent == 2));
    parse_state(&format!(
        r#"{{"sigma": {{"L": [["@1"], ["@2"]], "H": [["@{parent}.1", "leap", 2012]]}},
            "eta": {{"1": {one}, "2": {two}, "{parent}.1": 0}}}}"#
    ))
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (q, r) = (state(1)?, state(2)?);
    for relations in [Relations::default(), Relations::ALL] {
        let verdict = decide(&q, &r, relations);
        match WitnessMap::of(&verdict, &q, &r) {
            Some(witness) => {
                println!("{relations}: equivalent");
                witness.entries().for_each(|(from, to)| println!("  {from} -> {to}"));
            }
            None => println!("{relations}: {}", explain(&q, &r, relations).text),
        }
    }
    // the visited set of a search
    let mut classes: HashMap<u128, State> = HashMap::new();
    for state in [q, r] {
        let form = canonical_form(&state, Relations::default(), &Budget::unlimited())?;
        classes.insert(form.hash, form.state);
    }
    println!("{} class", classes.len());
    assert_eq!(classes.len(), 1);
    Ok(())
}
