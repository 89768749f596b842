//! Any bytes as a witness of pairs of small states: what the checker accepts is a bijection of Definition 1 by the
//! enumeration, too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pidlab_check::{enumeration, verify_named, witness};
use pidlab_core::text::parse_state;
use pidlab_core::{Relations, State};
use std::sync::LazyLock;

pidlab_fuzz::mutate_by!(pidlab_fuzz::json);

static PAIRS: LazyLock<Vec<(State, State)>> = LazyLock::new(|| {
    let pair =
        |q: &str, r: &str| (parse_state(q).expect("a state"), parse_state(r).expect("a state"));
    vec![
        pair("L : <1:1> <2:0>  H : <1.1:0>", "L : <1:0> <2:1>  H : <2.1:0>"),
        pair("L : <1:0> <2:0> <3:0>", "L : <2:0> <3:0> <5:0>"),
        pair("A : <1:2>  B : <1.1:0, 1.2:0>", "A : <1:2>  B : <1.2:0, 1.1:0>"),
    ]
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(pairs) = witness::read(bytes) else { return };
    for (q, r) in PAIRS.iter() {
        for relations in Relations::subsets() {
            if verify_named(q, r, relations, &pairs).is_ok() {
                let image = numbers(q, r, &pairs);
                assert!(enumeration::is_witness(q, r, relations, &image), "{relations}: {pairs:?}");
            }
        }
    }
});

/// The image of each pid by its number.
fn numbers(q: &State, r: &State, pairs: &[(String, String)]) -> Vec<u32> {
    let bare = |name: &str| name.strip_prefix('@').unwrap_or(name).to_string();
    let image = |pid: u32| {
        let name = q.forest().pid(pid).to_string();
        let (_, to) = pairs.iter().find(|(from, _)| bare(from) == name)?;
        r.pids().find(|&pid| r.forest().pid(pid).to_string() == bare(to))
    };
    q.pids().map(|pid| image(pid).expect("an accepted witness names every pid")).collect()
}
