//! Documents as trees, JSON and TOML: values are exchanged for values of the same kind that the document has elsewhere,
//! entries are repeated and left out, numbers and texts go to where limits are. What comes out is always a document.

use crate::tokens;
use pidlab_random::Rng;
use serde_json::{Map, Number, Value};
use std::mem::discriminant;

/// One to three changes of a JSON document.
pub fn json(text: &str, rng: &mut Rng) -> Option<String> {
    let mut tree: Value = serde_json::from_str(text).ok()?;
    change(&mut tree, rng);
    serde_json::to_string(&tree).ok()
}

/// Lines of JSON: one of them is changed, or lines as such are.
pub fn json_lines(text: &str, rng: &mut Rng) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    if lines.is_empty() || rng.index(4) == 0 {
        return tokens(text, rng);
    }
    let at = rng.index(lines.len());
    lines[at] = json(&lines[at], rng)?;
    Some(lines.join("\n"))
}

/// A TOML document: its tree, or its tokens, which know `nan` and dates.
pub fn toml(text: &str, rng: &mut Rng) -> Option<String> {
    if rng.index(4) == 0 {
        return tokens(text, rng);
    }
    let table: toml::Table = ::toml::from_str(text).ok()?;
    let mut tree = serde_json::to_value(table).ok()?;
    change(&mut tree, rng);
    ::toml::to_string(&tree).ok()
}

fn change(tree: &mut Value, rng: &mut Rng) {
    for _ in 0..1 + rng.index(3) {
        let nodes = count(tree);
        let donor = node(tree, &mut rng.index(nodes)).cloned();
        let Some(place) = node(tree, &mut rng.index(nodes)) else { return };
        match donor.filter(|donor| discriminant(donor) == discriminant(place)) {
            Some(donor) => *place = donor,
            None => alter(place, rng),
        }
    }
}

/// Values in a tree, the tree itself among them.
fn count(tree: &Value) -> usize {
    1 + match tree {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// The value of a number, counted from the root.
fn node<'t>(tree: &'t mut Value, number: &mut usize) -> Option<&'t mut Value> {
    if *number == 0 {
        return Some(tree);
    }
    *number -= 1;
    match tree {
        Value::Array(items) => items.iter_mut().find_map(|item| node(item, number)),
        Value::Object(fields) => fields.values_mut().find_map(|field| node(field, number)),
        _ => None,
    }
}

fn alter(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Null => *value = Value::from(rng.next_u64()),
        Value::Bool(flag) => *flag = !*flag,
        Value::Number(number) => *number = other_number(number, rng),
        Value::String(text) => *text = other_text(text, rng),
        Value::Array(items) => alter_list(items, rng),
        Value::Object(fields) => alter_fields(fields, rng),
    }
}

fn other_number(number: &Number, rng: &mut Rng) -> Number {
    let near = number.as_i64().unwrap_or(0);
    match rng.index(10) {
        0 => Number::from(near.wrapping_add(1)),
        1 => Number::from(near.wrapping_sub(1)),
        2 => Number::from(0),
        3 => Number::from(-1),
        4 => Number::from(u64::from(u32::MAX)),
        5 => Number::from(i64::MAX),
        6 => Number::from(u64::MAX),
        7 => Number::from_f64(1e308).unwrap_or(Number::from(1)),
        8 => Number::from_f64(5e-324).unwrap_or(Number::from(1)),
        _ => Number::from(rng.below(1000)),
    }
}

fn other_text(text: &str, rng: &mut Rng) -> String {
    match rng.index(6) {
        0 => String::new(),
        1 => format!("{text}{text}"),
        2 => format!("../{text}"),
        3 => format!("{text}\u{1b}[31m|<é>\n"),
        4 => text.repeat(40),
        _ => tokens(text, rng).unwrap_or_default(),
    }
}

fn alter_list(items: &mut Vec<Value>, rng: &mut Rng) {
    if items.is_empty() {
        return;
    }
    let (at, other) = (rng.index(items.len()), rng.index(items.len()));
    match rng.index(4) {
        0 => drop(items.remove(at)),
        1 => items.swap(at, other),
        2 => items.clear(),
        _ => items.insert(at, items[other].clone()),
    }
}

fn alter_fields(fields: &mut Map<String, Value>, rng: &mut Rng) {
    let names: Vec<String> = fields.keys().cloned().collect();
    if names.is_empty() {
        return;
    }
    let (from, to) = (&names[rng.index(names.len())], &names[rng.index(names.len())]);
    let taken = if rng.index(2) == 0 { fields.remove(from) } else { fields.get(from).cloned() };
    if let Some(value) = taken.filter(|_| rng.index(2) == 0) {
        fields.insert(to.clone(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_are_documents_and_most_differ() {
        let text = r#"{"a":[1,2,{"b":"x"}],"c":{"d":true,"e":null}}"#;
        let mut different = 0;
        for seed in 0..1000 {
            let mutant = json(text, &mut Rng::new(seed, 0)).expect("a tree is written");
            different += usize::from(mutant != text);
            serde_json::from_str::<Value>(&mutant).expect("what is written is a document");
        }
        assert!(different > 700, "{different}");
    }

    #[test]
    fn toml_stays_toml() {
        let text = "name = \"a\"\n[scale]\nsmall = { sizes = [1, 2], seconds = 0.5 }\n";
        let whole = |seed| {
            let mutant = toml(text, &mut Rng::new(seed, 0)).unwrap_or_default();
            ::toml::from_str::<::toml::Table>(&mutant).is_ok()
        };
        let documents = (0..1000).filter(|&seed| whole(seed)).count();
        assert!(documents > 750, "{documents}");
    }
}
