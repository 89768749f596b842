//! A JSON document as CSV, by one rule for all documents.
//!
//! A line is an entry of the document's main list, or the document itself if it has none. Small
//! objects inside an entry become columns with dotted names; lists, larger objects and maps of pids are
//! written as JSON; nothing is an empty field. Several documents (JSON Lines) are one line each.

use pidlab_harness::grid::csv_lines;
use serde_json::{Deserializer, Map, Value};

/// Where the lines of a document are, and which columns come first.
struct Shape {
    /// The document's format without version.
    format: &'static str,
    /// Path to the list; empty if the document is the only line.
    list: &'static [&'static str],
    lead: &'static [&'static str],
    /// Whether there are no columns but those.
    only: bool,
}

const fn shape(
    format: &'static str,
    list: &'static [&'static str],
    lead: &'static [&'static str],
) -> Shape {
    Shape { format, list, lead, only: false }
}

/// Documents with more than one list, or where some columns are to come first.
const SHAPES: [Shape; 25] = [
    Shape {
        only: true,
        ..shape(
            "pidlab-analysis-result",
            &["analysis", "series"],
            &[
                "backend",
                "relations",
                "graph",
                "rows",
                "censored_states",
                "growth.states",
                "growth.exponent.value",
                "growth.exponent.low",
                "growth.exponent.high",
            ],
        )
    },
    shape("pidlab-backend", &[], &["name", "exactness", "available", "default"]),
    shape("pidlab-bench-engine", &["rows"], &["pids", "pair", "backend", "seconds"]),
    shape("pidlab-bench-hard", &["rows"], &["family", "size", "pids", "pair"]),
    shape("pidlab-canon", &[], &["hash"]),
    shape("pidlab-check", &[], &["equivalent", "backend", "witness", "reason"]),
    shape("pidlab-cover", &[], &["verdict", "algorithm", "explored"]),
    shape("pidlab-cover-compare", &["rows"], &[]),
    shape("pidlab-compare", &["results"], &["experiment", "backend", "class", "verdict"]),
    shape("pidlab-track", &["changes"], &["commit", "when", "backend", "class", "step"]),
    shape("pidlab-cover-stress", &["schedules"], &["schedule"]),
    shape("pidlab-experiments", &["experiments"], &["name", "title", "source"]),
    shape("pidlab-explain", &["tables", "rows"], &["after", "structure", "vector", "number"]),
    shape("pidlab-explore", &[], &["model", "states", "edges", "seen", "deadlocks", "complete"]),
    shape("pidlab-families", &["families"], &["name", "size", "least", "largest"]),
    shape("pidlab-figures", &["figures"], &["name", "path"]),
    shape("pidlab-graph", &["arcs"], &["source", "target", "label"]),
    shape("pidlab-lint", &[], &["model", "holds"]),
    shape("pidlab-report", &["claims"], &["id", "paper", "ours", "verdict"]),
    shape("pidlab-reproduce", &["claims"], &["id", "paper", "ours", "verdict"]),
    shape("pidlab-reproduction", &["claims"], &["id", "paper", "ours", "verdict"]),
    shape("pidlab-run-result", &[], &["run", "complete", "rows", "rows_total", "seconds"]),
    shape("pidlab-state", &[], &["part", "key", "value"]),
    shape(
        "pidlab-tournament",
        &["backends"],
        &["rank", "backend", "decided", "par2_seconds.value"],
    ),
    shape("pidlab-transformations", &["transformations"], &["name", "source", "guarantee"]),
];

/// Maps whose keys are data, not names of fields.
const MAPS: [&str; 4] = ["witness", "canonical", "certificate", "reason"];
/// An object with more fields is written as JSON.
const SMALL: usize = 16;

/// CSV of one document or of JSON Lines.
pub fn of(text: &str) -> serde_json::Result<String> {
    let documents: Vec<Value> =
        Deserializer::from_str(text).into_iter().collect::<serde_json::Result<_>>()?;
    Ok(match &documents[..] {
        [Value::Array(entries)] => lines(entries, shape_of(entries.first())),
        [state] if format_of(state) == Some("pidlab-state") => {
            lines(&state_entries(state), shape_of(Some(state)))
        }
        [document] => one(document),
        many => lines(many, None),
    })
}

fn one(document: &Value) -> String {
    let shape = shape_of(Some(document));
    match shape {
        Some(found) if !found.list.is_empty() => lines(&entries(document, found.list), shape),
        Some(_) => lines(std::slice::from_ref(document), shape),
        None => match only_list(document) {
            Some(entries) => lines(entries, None),
            None => lines(std::slice::from_ref(document), None),
        },
    }
}

/// The entries at the end of a path; those of a list in a list bring the fields of the outer entry along.
fn entries(document: &Value, path: &[&str]) -> Vec<Value> {
    let mut level = vec![document.clone()];
    for (depth, name) in path.iter().enumerate() {
        let mut below = Vec::new();
        for outer in &level {
            match outer.get(name) {
                Some(Value::Array(inner)) if depth == 0 => below.extend(inner.iter().cloned()),
                Some(Value::Array(inner)) => below.extend(inner.iter().map(|e| joined(outer, e))),
                Some(other) => below.push(other.clone()),
                None => {}
            }
        }
        level = below;
    }
    level
}

/// An inner entry with the plain fields of the outer one.
fn joined(outer: &Value, inner: &Value) -> Value {
    let (Value::Object(outer), Value::Object(inner)) = (outer, inner) else { return inner.clone() };
    let plain = outer.iter().filter(|(_, value)| !value.is_array() && !value.is_object());
    let mut both: Map<String, Value> = plain.map(|(k, v)| (k.clone(), v.clone())).collect();
    both.extend(inner.iter().map(|(k, v)| (k.clone(), v.clone())));
    Value::Object(both)
}

fn format_of(document: &Value) -> Option<&str> {
    document.get("format")?.as_str()?.split('/').next()
}

fn shape_of(document: Option<&Value>) -> Option<&'static Shape> {
    let format = format_of(document?)?;
    SHAPES.iter().find(|shape| shape.format == format)
}

/// The list of objects of a document that has just one.
fn only_list(document: &Value) -> Option<&[Value]> {
    let is_list = |list: &&Vec<Value>| !list.is_empty() && list.iter().all(Value::is_object);
    let mut lists = document.as_object()?.values().filter_map(Value::as_array).filter(is_list);
    lists.next().filter(|_| lists.next().is_none()).map(Vec::as_slice)
}

/// σ and η of a state, a vector or a pid a line.
fn state_entries(state: &Value) -> Vec<Value> {
    let mut entries = Vec::new();
    let part = |name: &str| state.get(name).and_then(Value::as_object).into_iter().flatten();
    for (location, vectors) in part("sigma") {
        for vector in vectors.as_array().into_iter().flatten() {
            entries.push(serde_json::json!({"part": "sigma", "key": location, "value": vector}));
        }
    }
    for (pid, created) in part("eta") {
        entries.push(serde_json::json!({"part": "eta", "key": pid, "value": created}));
    }
    entries
}

fn lines(entries: &[Value], shape: Option<&Shape>) -> String {
    let flat: Vec<Map<String, Value>> = entries.iter().map(flatten).collect();
    let columns = columns(&flat, shape);
    let mut out = csv_lines([columns.iter().map(String::as_str)]);
    for entry in &flat {
        let fields: Vec<String> = columns.iter().map(|name| field(entry.get(name))).collect();
        out.push_str(&csv_lines([fields.iter().map(String::as_str)]));
    }
    out
}

/// Leading columns first, whether or not an entry has them; then the rest.
fn columns(entries: &[Map<String, Value>], shape: Option<&Shape>) -> Vec<String> {
    let lead = shape.map_or(&[][..], |shape| shape.lead);
    let mut columns: Vec<String> = lead.iter().map(|name| name.to_string()).collect();
    if shape.is_some_and(|shape| shape.only) {
        return columns;
    }
    let mut known: std::collections::HashSet<String> = columns.iter().cloned().collect();
    for name in entries.iter().flat_map(|entry| entry.keys()).filter(|name| *name != "format") {
        if known.insert(name.clone()) {
            columns.push(name.clone());
        }
    }
    columns
}

fn flatten(entry: &Value) -> Map<String, Value> {
    let mut flat = Map::new();
    let mut open: Vec<(String, &Value)> = vec![(String::new(), entry)];
    while let Some((name, value)) = open.pop() {
        let is_map = MAPS.contains(&name.as_str());
        match value {
            Value::Object(fields) if name.is_empty() || (!is_map && fields.len() <= SMALL) => {
                let dotted = |key: &str| match name.is_empty() {
                    true => key.to_string(),
                    false => format!("{name}.{key}"),
                };
                open.extend(fields.iter().rev().map(|(key, value)| (dotted(key), value)));
            }
            other => {
                flat.insert(if name.is_empty() { "value".into() } else { name }, other.clone());
            }
        }
    }
    flat
}

fn field(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_list_of_a_document_is_its_lines() {
        let text = r#"{"format": "x/1", "seed": 1, "runs": [
            {"a": "1, 2", "t": {"high": 2.5, "low": 1}, "z": [1, 2]}, {"a": "b", "t": {}, "why": null}]}"#;
        let csv = of(text).unwrap();
        assert_eq!(csv, "a,t.high,t.low,z,why\n\"1, 2\",2.5,1,\"[1,2]\",\nb,,,,\n");
    }

    #[test]
    fn documents_without_a_list_and_json_lines() {
        let single = of(r#"{"format": "x/1", "b": true, "witness": {"@1": "@2"}}"#).unwrap();
        assert_eq!(single, "b,witness\ntrue,\"{\"\"@1\"\":\"\"@2\"\"}\"\n");
        let lines = of("{\"id\": 1, \"ok\": true}\n{\"id\": 2, \"error\": \"bad\"}\n").unwrap();
        assert_eq!(lines, "id,ok,error\n1,true,\n2,,bad\n");
        assert!(of("{\"id\": ").is_err());
    }

    #[test]
    fn states_are_listed_by_vector_and_pid() {
        let text =
            r#"{"format": "pidlab-state/1", "sigma": {"L": [["@1"], ["@2", 7]]}, "eta": {"1": 0}}"#;
        let csv = of(text).unwrap();
        let expected =
            "part,key,value\nsigma,L,\"[\"\"@1\"\"]\"\nsigma,L,\"[\"\"@2\"\",7]\"\neta,1,0\n";
        assert_eq!(csv, expected);
    }

    #[test]
    fn a_list_in_a_list_brings_the_outer_fields_along() {
        let text = r#"{"format": "pidlab-explain/1", "tables": [{"after": "the start", "rows": [{"number": 1}, {"number": 2}]}]}"#;
        let csv = of(text).unwrap();
        assert_eq!(csv, "after,structure,vector,number\nthe start,,,1\nthe start,,,2\n");
    }

    #[test]
    fn named_columns_come_first() {
        let text = r#"{"format": "pidlab-cover/1", "verdict": "safe", "algorithm": "mp", "certificate": {"a": 1}}"#;
        assert_eq!(
            of(text).unwrap(),
            "verdict,algorithm,explored,certificate\nsafe,mp,,\"{\"\"a\"\":1}\"\n"
        );
    }
}
