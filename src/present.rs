//! How a command shows its result: text for people, one JSON document, or CSV made from that document.
//!
//! The same two flags everywhere, and one rule for CSV: the entries of the document's main list are the
//! lines (or the document itself is the only line), fields of nested objects get dotted names, lists are
//! written as JSON, nothing is an empty field.

use crate::grid::csv_line;
use serde_json::{Map, Value};
use std::io::Write;

#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct FormatArgs {
    /// Print one JSON document
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV: the names of the columns, then one line for each entry of the result
    #[arg(long)]
    pub csv: bool,
}

/// Where the lines of the CSV are in the document, and which columns come first.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'l> {
    /// Name of the list; empty if the document itself is the line, or is the list.
    pub list: &'l str,
    pub lead: &'l [&'l str],
}

impl<'l> Lines<'l> {
    pub const fn of(list: &'l str, lead: &'l [&'l str]) -> Lines<'l> {
        Lines { list, lead }
    }

    /// The document is the only line.
    pub const fn single(lead: &'l [&'l str]) -> Lines<'l> {
        Lines { list: "", lead }
    }
}

impl FormatArgs {
    pub fn is_text(self) -> bool {
        !self.json && !self.csv
    }

    /// Shows a result; the text is only made when it is asked for.
    pub fn show(
        self,
        document: &Value,
        lines: Lines<'_>,
        text: impl FnOnce(),
    ) -> anyhow::Result<()> {
        match (self.json, self.csv) {
            (true, _) => print(&format!("{}\n", serde_json::to_string_pretty(document)?)),
            (_, true) => print(&csv(document, lines)),
            _ => text(),
        }
        Ok(())
    }
}

/// A reader that went away (`pidlab … | head`) is no error.
fn print(text: &str) {
    std::io::stdout().lock().write_all(text.as_bytes()).ok();
}

/// A document as CSV.
pub fn csv(document: &Value, lines: Lines<'_>) -> String {
    let at = if lines.list.is_empty() { Some(document) } else { document.get(lines.list) };
    let entries: Vec<&Value> = match at {
        Some(Value::Array(entries)) => entries.iter().collect(),
        Some(entry) => vec![entry],
        None => Vec::new(),
    };
    let flat: Vec<Map<String, Value>> = entries.into_iter().map(flatten).collect();
    let columns = columns(&flat, lines.lead);
    let mut out = csv_line(columns.iter().map(String::as_str));
    for entry in &flat {
        let fields: Vec<String> = columns.iter().map(|name| field(entry.get(name))).collect();
        out.push_str(&csv_line(fields.iter().map(String::as_str)));
    }
    out
}

/// Leading columns first, whether or not an entry has them; then the rest as they appear.
fn columns(entries: &[Map<String, Value>], lead: &[&str]) -> Vec<String> {
    let mut columns: Vec<String> = lead.iter().map(|name| name.to_string()).collect();
    for name in entries.iter().flat_map(|entry| entry.keys()) {
        if name != "format" && !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    columns
}

/// Fields of nested objects under dotted names.
fn flatten(entry: &Value) -> Map<String, Value> {
    let mut flat = Map::new();
    let mut open: Vec<(String, &Value)> = vec![(String::new(), entry)];
    while let Some((name, value)) = open.pop() {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                let dotted = |key: &str| match name.is_empty() {
                    true => key.to_string(),
                    false => format!("{name}.{key}"),
                };
                open.extend(fields.iter().rev().map(|(key, value)| (dotted(key), value)));
            }
            Value::Object(_) => {}
            other => {
                let name = if name.is_empty() { "value".to_string() } else { name };
                flat.insert(name, other.clone());
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
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_become_lines_and_nested_fields_columns() {
        let document = json!({"format": "x/1", "runs": [
            {"name": "a", "time": {"low": 1, "high": 2.5}, "list": [1, 2]},
            {"name": "b, c", "why": null, "time": {}},
        ]});
        let lines = Lines::of("runs", &["name", "time.low"]);
        let expected = "name,time.low,list,time.high,why\na,1,\"[1,2]\",2.5,\n\"b, c\",,,,\n";
        let sorted = |text: &str| -> Vec<String> { text.lines().map(String::from).collect() };
        assert_eq!(sorted(&csv(&document, lines)), sorted(expected));
    }

    #[test]
    fn a_document_can_be_the_only_line() {
        let document = json!({"format": "x/1", "verdict": "safe", "trace": null});
        assert_eq!(csv(&document, Lines::single(&["verdict"])), "verdict,trace\nsafe,\n");
        assert_eq!(csv(&json!({"none": 1}), Lines::of("runs", &["name"])), "name\n");
    }
}
