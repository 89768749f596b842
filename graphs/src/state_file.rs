//! Files of states, with errors that point: the readers of core give line and column, and this crate knows texts.

use pidlab_core::{State, json, text};
use pidlab_syntax::{Parsed, Source, json_error};

/// A state as JSON.
pub fn state_of_json(source: &Source) -> Parsed<State> {
    json::parse_state(&source.text).map_err(|error| json_error(source, &error))
}

/// A state in the papers' notation.
pub fn state_of_text(source: &Source) -> Parsed<State> {
    text::parse_state(&source.text).map_err(|error| {
        source.error(source.character(error.line, error.column), error.problem.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_shown_where_it_stands() {
        let wrong = state_of_text(&Source::new("a.pst", "L : <1:0>\nL : <2:0>\n")).unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "a.pst:2:1: location `L` occurs twice; write all its vectors after one name\n 2 | L : <2:0>\n   | ^"
        );
        let source = Source::new("a.json", "{\"sigma\": {\"A\": [[1.5]]},\n \"eta\": {}}");
        let wrong = state_of_json(&source).unwrap_err();
        assert_eq!((wrong.line, wrong.column, wrong.width), (1, 19, 3), "{wrong}");
    }
}
