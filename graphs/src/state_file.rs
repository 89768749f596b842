//! Files of states, with errors that point: the readers of core give line and column, and this crate knows texts.

use pidlab_core::json::ReadError;
use pidlab_core::state::BuildError;
use pidlab_core::text::TextProblem;
use pidlab_core::{State, json, text};
use pidlab_syntax::{Parsed, Source, json_error};

/// A state as JSON.
pub fn state_of_json(source: &Source) -> Parsed<State> {
    json::parse_state_within(&source.text, source.budget()).map_err(|error| match error {
        ReadError::Json(error) => json_error(source, &error),
        ReadError::Limit(limit) => limit.into(),
    })
}

/// A state in the papers' notation.
pub fn state_of_text(source: &Source) -> Parsed<State> {
    text::parse_state_within(&source.text, source.budget()).map_err(|error| match error.problem {
        TextProblem::Build(BuildError::Limit(limit)) => limit.into(),
        problem => source.error(source.character(error.line, error.column), problem.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_budget::{Budget, Exhausted};
    use std::time::Duration;

    /// A limit that is reached is one, and no mistake in the text.
    #[test]
    fn states_of_any_size_obey_limits() {
        let spent = Budget::new(Some(Duration::ZERO), None);
        let vectors: Vec<String> = (1..100_000).map(|pid| format!("[\"@{pid}\"]")).collect();
        let json = format!("{{\"sigma\": {{\"A\": [{}]}}, \"eta\": {{}}}}", vectors.join(","));
        let notation = format!("A : {}", vectors.join(" ").replace("[\"", "<").replace("\"]", ">"));
        assert_eq!(state_of_json(&Source::new("a.json", &*json)).unwrap().pid_count(), 99_999);
        assert_eq!(state_of_text(&Source::new("a.pst", &*notation)).unwrap().pid_count(), 99_999);
        let json = Source::new("a.json", json).within(spent.clone());
        assert_eq!(state_of_json(&json).unwrap_err().limit, Some(Exhausted::Time));
        let notation = Source::new("a.pst", notation).within(spent);
        assert_eq!(state_of_text(&notation).unwrap_err().limit, Some(Exhausted::Time));
    }

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
