//! What a `.tts` file means, rule by rule, and that the checker sees when it was misread.

mod common;

use common::{answer, answer_about};
use pidlab_cover::check::{Model, check_answer};
use pidlab_cover::parse::tts;
use pidlab_cover::{Budget, CoverVerdict, Document, Net, Source};

/// The verdict of every algorithm that decides, checked by the checker's own reading.
fn verdict_from(start: Option<&str>, system: &str, property: &str) -> CoverVerdict {
    let mut net = tts::parse(system, property).unwrap();
    if let Some(start) = start {
        tts::set_start(&mut net, &Source::new("start", start)).unwrap();
    }
    let model =
        Model::read_tts(system.as_bytes(), property.as_bytes(), start, &Budget::unlimited())
            .unwrap();
    let verdict = answer_about(&net, &model, "auto", 10.0, true).verdict;
    for algorithm in ["backward", "mp", "beacon", "karp-miller", "bounded:3"] {
        let found = answer_about(&net, &model, algorithm, 1.0, true).verdict;
        assert!(found == verdict || found == CoverVerdict::Unknown, "{algorithm}: {found:?}");
    }
    verdict
}

fn verdict(system: &str, property: &str) -> CoverVerdict {
    verdict_from(None, system, property)
}

/// A thread in local state 1 may stay while another moves.
const STAY_OR_MOVE: &str = "2 3\n0 0 -> 0 1\n0 0 -> 1 0 1 ~> 1 1 ~> 2\n";

#[test]
fn each_thread_chooses_among_several_passive_moves() {
    assert_eq!(verdict(STAY_OR_MOVE, "1|1"), CoverVerdict::Unsafe);
    assert_eq!(verdict(STAY_OR_MOVE, "1|1,1,2"), CoverVerdict::Unsafe);
    let must = "2 3\n0 0 -> 0 1\n0 0 -> 1 0 1 ~> 2\n";
    assert_eq!(verdict(must, "1|1"), CoverVerdict::Safe);
    let either = "2 4\n0 0 -> 0 1\n0 0 -> 1 0 1 ~> 3 1 ~> 2\n";
    assert_eq!(verdict(either, "1|1"), CoverVerdict::Safe);
    assert_eq!(verdict(either, "1|2,3,3"), CoverVerdict::Unsafe);
}

#[test]
fn a_move_to_itself_alone_says_nothing() {
    let system = "2 3\n0 0 -> 0 1\n0 0 -> 1 0 1 ~> 1\n";
    assert!(!tts::parse(system, "1|1").unwrap().has_transfers());
    assert_eq!(verdict(system, "1|1"), CoverVerdict::Unsafe);
    assert_eq!(verdict(system, "1|2"), CoverVerdict::Safe);
}

#[test]
fn the_moving_thread_takes_no_part_in_passive_moves() {
    let system = "2 3\n0 0 -> 1 0 0 ~> 1\n";
    assert_eq!(verdict(system, "1|0"), CoverVerdict::Unsafe);
    assert_eq!(verdict(system, "1|0,0"), CoverVerdict::Safe);
    assert_eq!(verdict(system, "1|0,1,1"), CoverVerdict::Unsafe);
}

#[test]
fn a_broadcast_needs_no_thread_in_its_local_state() {
    assert_eq!(verdict("2 3\n0 1 ~> 1 2\n", "1|0"), CoverVerdict::Unsafe);
    assert_eq!(verdict("2 3\n0 1 ~> 1 2\n", "1|2"), CoverVerdict::Safe);
    assert_eq!(verdict("2 3\n0 0 -> 0 1\n0 1 ~> 1 2\n", "1|1"), CoverVerdict::Safe);
}

#[test]
fn broadcasts_between_the_same_shared_states_are_one_step() {
    let both = "2 4\n0 0 -> 0 1\n0 0 -> 0 2\n0 1 ~> 1 3\n0 2 ~> 1 3\n";
    assert_eq!(verdict(both, "1|1"), CoverVerdict::Safe);
    assert_eq!(verdict(both, "1|2"), CoverVerdict::Safe);
    assert_eq!(verdict(both, "1|3,3"), CoverVerdict::Unsafe);
    let apart = both.replace("0 2 ~> 1 3", "0 2 ~> 0 3");
    assert_eq!(verdict(&apart, "1|2"), CoverVerdict::Unsafe);
    let choice = "2 3\n0 0 -> 0 1\n0 1 ~> 1 2\n0 1 ~> 1 1\n";
    assert_eq!(verdict(choice, "1|1,2"), CoverVerdict::Unsafe);
}

#[test]
fn a_second_line_replaces_the_first_with_its_passive_moves() {
    let twice = "2 3\n0 0 -> 0 1\n0 0 -> 1 0 1 ~> 2\n0 0 -> 1 0\n";
    assert_eq!(verdict(twice, "1|1"), CoverVerdict::Unsafe);
    assert_eq!(verdict(twice, "1|2"), CoverVerdict::Safe);
    let other = "2 3\n0 0 -> 0 1\n0 0 -> 1 0\n0 0 -> 1 0 1 ~> 2\n";
    assert_eq!(verdict(other, "1|1"), CoverVerdict::Safe);
    let net = tts::parse(other, "1|1").unwrap();
    assert_eq!(net.transitions.iter().map(|t| t.line).collect::<Vec<_>>(), [2, 4]);
}

#[test]
fn the_thread_that_spawns_stays() {
    let system = "3 3\n0 0 +> 1 1\n1 1 -> 2 2\n";
    assert_eq!(verdict_from(Some("0|0"), system, "2|0,2"), CoverVerdict::Unsafe);
    assert_eq!(verdict_from(Some("0|0"), system, "1|1,1"), CoverVerdict::Safe);
    assert_eq!(verdict("1 2\n0 1 +> 0 0\n", "0|1"), CoverVerdict::Safe);
}

#[test]
fn a_start_counts_threads() {
    let system = "2 3\n0 0 -> 1 1\n1 0 -> 1 1\n";
    assert_eq!(verdict(system, "1|1,1,1"), CoverVerdict::Unsafe);
    assert_eq!(verdict_from(Some("0|0"), system, "1|1,1"), CoverVerdict::Safe);
    assert_eq!(verdict_from(Some("0|0,0"), system, "1|1,1"), CoverVerdict::Unsafe);
    assert_eq!(verdict_from(Some("0|0,0/2"), system, "1|1,1,1"), CoverVerdict::Safe);
    assert_eq!(verdict_from(Some("0|0/2"), system, "1|1,2,2,2"), CoverVerdict::Unsafe);
    assert_eq!(verdict_from(Some("0BU0,2"), system, "1|1,1,2"), CoverVerdict::Unsafe);
    assert_eq!(verdict_from(Some("1/0"), system, "0|"), CoverVerdict::Safe);
}

/// The trace of the unsafe answer says who stayed; other numbers are refused.
#[test]
fn a_trace_says_what_threads_chose() {
    let property = "1|1,1,2";
    let net = tts::parse(STAY_OR_MOVE, property).unwrap();
    let model =
        Model::read_tts(STAY_OR_MOVE.as_bytes(), property.as_bytes(), None, &Budget::unlimited())
            .unwrap();
    for algorithm in ["backward", "bounded:5"] {
        let document = answer(&net, algorithm, 10.0, true);
        let edit = |change: &dyn Fn(&mut std::collections::BTreeMap<String, u32>)| {
            let mut damaged: Document = document.clone();
            let last = damaged.trace.as_mut().unwrap().steps.last_mut().unwrap();
            change(last.moves.get_mut("l1").unwrap());
            check_answer(&model, &damaged, &Budget::unlimited())
                .expect_err("accepted a damaged trace")
                .to_string()
        };
        assert_eq!(check_answer(&model, &document, &Budget::unlimited()), Ok(true));
        let too_few = edit(&|moves| moves.retain(|to, _| to != "l2"));
        assert!(too_few.contains("tokens that choose"), "{too_few}");
        let elsewhere = edit(&|moves| moves.extend([("l0".to_string(), 0)]));
        assert!(elsewhere.contains("tokens that choose"), "{elsewhere}");
        let swapped = edit(&|moves| {
            let stay = moves["l1"];
            moves.insert("l1".into(), moves["l2"] + stay);
            moves.remove("l2");
        });
        assert!(swapped.contains("covers no target"), "{swapped}");
    }
}

/// An answer about a net that was misread does not pass the checker's own reading.
#[test]
fn a_misread_file_is_noticed() {
    let rejected = |net: &Net, system: &str, property: &str| {
        let document = answer(net, "auto", 10.0, true);
        let model =
            Model::read_tts(system.as_bytes(), property.as_bytes(), None, &Budget::unlimited())
                .unwrap();
        check_answer(&model, &document, &Budget::unlimited())
            .expect_err("the misreading went unnoticed");
    };
    let mut must_move = tts::parse(STAY_OR_MOVE, "1|1").unwrap();
    must_move.transitions[1].transfers.retain(|arc| arc.0 != arc.1);
    rejected(&must_move, STAY_OR_MOVE, "1|1");

    let broadcast = "2 3\n0 1 ~> 1 2\n";
    let mut needs_a_thread = tts::parse(broadcast, "1|0").unwrap();
    needs_a_thread.transitions[0].pre.push((3, 1));
    needs_a_thread.transitions[0].post.push((4, 1));
    rejected(&needs_a_thread, broadcast, "1|0");
}
