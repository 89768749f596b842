use super::{parse_state, state_to_string};
use crate::json;

fn json_of(text: &str) -> String {
    json::state_to_string(&parse_state(text).unwrap())
}

#[test]
fn the_papers_example_reads_as_printed() {
    let expected = r#"{"format":"pidlab-state/1","sigma":{"L":[["@2",2],[3,"@2.1"]],"L'":[["@1",3,"@4"],["@2.2"]]},"eta":{"1":0,"2":2,"2.1":0,"2.2":0,"4":0}}"#;
    let ascii = "L : <2:2, 2> <3, 2.1:0>\nL' : <1:0, 3, 4:0> <2.2:0>\n";
    assert_eq!(json_of(ascii), expected);
    assert_eq!(json_of("L: ⟨2:2,2⟩ # one\n  ⟨3, 2.1:0⟩ L': ⟨1:0, 3, 4:0⟩⟨2.2:0⟩"), expected);
    assert_eq!(state_to_string(&json::parse_state(expected).unwrap()), ascii);
}

#[test]
fn every_kind_of_component_survives() {
    let cases = [
        "A : <@1, @1.2, 1.2.3:7> <> <true, \"true\", t-1, -5, 5, \"5\", \"@x\", \"a b\\n\">\n",
        "_x : <ψ'>\n\"a b\" : <\"<\">\n",
        "A : <@1>\n@eta : 2:0 3.1:4\n",
        "@eta :\n",
        "A : <1:18446744073709551614, @18446744073709551615>\n",
    ];
    for text in cases {
        let state = parse_state(text).unwrap();
        assert_eq!(state_to_string(&state), text);
        let through_json = json::parse_state(&json::state_to_string(&state)).unwrap();
        assert_eq!(state_to_string(&through_json), text);
    }
}

/// A file of no bytes is taken for a mishap, so nothing is written as one.
#[test]
fn a_state_without_vectors_is_not_an_empty_text() {
    let empty = json::parse_state(r#"{"sigma":{},"eta":{}}"#).unwrap();
    assert_eq!(state_to_string(&empty), "@eta :\n");
    for text in ["@eta :", "", "# nothing\n"] {
        assert_eq!(json_of(text), json::state_to_string(&empty), "{text}");
    }
}

#[test]
fn a_count_may_be_given_once_or_always() {
    assert_eq!(json_of("A: <2:1> <@2> <2:1>"), json_of("A: <@2> <2:1> <@2:1>"));
}

#[test]
fn errors_name_line_column_and_remedy() {
    let cases = [
        ("A : <2:1>\n  <2:3>", "line 2, column 4: pid 2 has count 3 here and count 1 in line 1"),
        ("A : <2.1>", "line 1, column 6: `2.1` could be a pid or a number; write @2.1"),
        ("A : <1:0> A : <1>", "line 1, column 11: location `A` occurs twice"),
        ("A <1>", "expected `:` after the location name, found `<`"),
        ("<1>", "line 1, column 1: expected a location name"),
        ("A : <1, >", "expected a pid, string, integer or boolean, found `>`"),
        ("A : <1", "expected `,` or `>`, found the end of the text"),
        ("A : <1:x>", "number of children created"),
        ("A : <0:1>", "part that is 0"),
        ("A : <@01>", "leading zero"),
        ("A : <@>", "empty"),
        ("A : <18446744073709551616:1>", "2^64"),
        ("A : <18446744073709551616>", "does not fit in 64 bits"),
        ("A : <1:18446744073709551615>", "2^64-1"),
        ("A : <\"x>", "string is broken"),
        ("A : <->", "a digit after `-`"),
        ("A : 5", "expected a vector <…> or a location name"),
        ("@x : 5", "@eta"),
        ("@eta : 5", "line 1, column 8: expected an active pid with its count"),
    ];
    for (text, expected) in cases {
        let message = parse_state(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
}

/// States from a small generator of all kinds of names, data and pids, through both formats.
#[test]
fn random_states_round_trip() {
    let mut seed = 7u64;
    let mut below = |bound: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (seed >> 33) % bound
    };
    let strings = ["a", "true", "", "1", "1:0", "@1", "a'b", "<", "ω-x", "\u{1}", "a b", "#"];
    for _ in 0..2_000 {
        let mut builder = crate::state::StateBuilder::new();
        for _ in 0..below(6) {
            let location = builder.location(strings[below(12) as usize]);
            let mut entries = Vec::new();
            for _ in 0..below(4) {
                entries.push(match below(4) {
                    0 => crate::state::NewComponent::Data(strings[below(12) as usize].into()),
                    1 => crate::state::NewComponent::Data((below(5) as i64 - 2).into()),
                    2 => crate::state::NewComponent::Data((below(2) == 0).into()),
                    _ => {
                        let length = below(3) + 1;
                        let pid: Vec<u64> = (0..length).map(|_| below(3) + 1).collect();
                        builder.pid(&pid)
                    }
                });
            }
            builder.vector(location, entries);
        }
        for root in 1..=below(3) {
            builder.active(&[root], below(4)).unwrap();
        }
        let state = builder.finish().unwrap();
        let text = state_to_string(&state);
        let back = parse_state(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(json::state_to_string(&back), json::state_to_string(&state), "{text}");
        assert_eq!(state_to_string(&back), text);
    }
}

/// Texts with random damage never panic, and what is still a state survives being written and read.
#[test]
fn damaged_texts_are_read_or_refused() {
    let mut seed = 3u64;
    let mut below = |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (seed >> 33) as usize % bound
    };
    let start = "L : <2:2, 2> <3, @2.1:0, \"a\\n\"> # c\nL' : ⟨1:0, true⟩ <>\n@eta : 5:0, 4.1:2\n";
    let pieces = ['<', '>', ':', ',', '@', '"', '#', '\n', '0', '9', '.', '-', 'x', '⟨', ' '];
    let (mut read, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut text: Vec<char> = start.chars().collect();
        for _ in 0..=below(4) {
            let at = below(text.len().max(1));
            match below(3) {
                0 if text.len() > 1 => drop(text.remove(at)),
                0 | 1 => text.insert(at, pieces[below(pieces.len())]),
                _ => text.truncate(at.max(1)),
            }
        }
        let text: String = text.into_iter().collect();
        match parse_state(&text) {
            Err(error) => {
                assert!(error.line >= 1 && error.column >= 1);
                refused += 1;
            }
            Ok(state) => {
                let back = parse_state(&state_to_string(&state)).unwrap();
                assert_eq!(json::state_to_string(&back), json::state_to_string(&state));
                read += 1;
            }
        }
    }
    assert!(read > 1_000 && refused > 1_000, "{read} {refused}");
}
