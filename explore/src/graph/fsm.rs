//! `.fsm`, the text format of mCRL2 and LTSmin that has the values of states: a line for each variable with the
//! values it takes, a line for each state with the numbers of its values, a line for each transition; states
//! count from 1, and the first is the initial one. `ltsconvert`, `ltsview` and `diagraphica` (mCRL2) read it.
//!
//! A variable is a place of a net or a variable of a program: what stands before the first `(`, `⟨`, ` = ` or
//! ` at ` of a token. Graphs without tokens have one variable, the number of the node.

use super::{StateGraph, one_line};
use crate::unique::identifier;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

/// One variable: its values in the order they turn up.
struct Variable {
    name: String,
    values: Vec<String>,
    number: HashMap<String, usize>,
}

impl Variable {
    fn new(name: String) -> Variable {
        Variable { name, values: Vec::new(), number: HashMap::new() }
    }

    fn number(&mut self, value: String) -> usize {
        let fresh = self.values.len();
        let values = &mut self.values;
        *self.number.entry(value).or_insert_with_key(|value| {
            values.push(value.clone());
            fresh
        })
    }
}

pub fn write(graph: &StateGraph, out: &mut impl Write) -> io::Result<()> {
    let first = graph.start()?;
    let (variables, rows) = table(graph);
    for Variable { name, values, .. } in &variables {
        write!(out, "{name}({}) String", values.len())?;
        values.iter().try_for_each(|value| write!(out, " \"{}\"", one_line(value)))?;
        writeln!(out)?;
    }
    writeln!(out, "---")?;
    // the initial state is the first one, so it changes places with the one that is
    let place = |id: usize| match id {
        0 => first as usize,
        id if id == first as usize => 0,
        id => id,
    };
    for id in 0..rows.len() {
        let row: Vec<String> = rows[place(id)].iter().map(usize::to_string).collect();
        writeln!(out, "{}", row.join(" "))?;
    }
    writeln!(out, "---")?;
    for edge in &graph.edges {
        let (from, to) = (place(edge.0 as usize) + 1, place(edge.2 as usize) + 1);
        writeln!(out, "{from} {to} \"{}\"", one_line(graph.label(edge)))?;
    }
    Ok(())
}

/// The variables, and of each state the numbers of its values.
fn table(graph: &StateGraph) -> (Vec<Variable>, Vec<Vec<usize>>) {
    let states: Vec<BTreeMap<&str, String>> =
        graph.nodes.iter().map(|node| values(&node.tokens)).collect();
    let names: BTreeMap<&str, ()> =
        states.iter().flat_map(|state| state.keys().map(|&name| (name, ()))).collect();
    let mut used = HashSet::new();
    let of_name =
        |(name, ()): (&str, ())| (name.to_string(), Variable::new(identifier(name, &mut used)));
    let mut variables: Vec<(String, Variable)> = names.into_iter().map(of_name).collect();
    if variables.is_empty() {
        variables.push((String::new(), Variable::new("node".into())));
    }
    let mut rows = Vec::with_capacity(states.len());
    for (id, mut state) in states.into_iter().enumerate() {
        if state.is_empty() && graph.nodes[id].tokens.is_empty() && variables[0].0.is_empty() {
            state.insert("", id.to_string());
        }
        let number = |(name, variable): &mut (String, Variable)| {
            variable.number(state.remove(name.as_str()).unwrap_or_default())
        };
        rows.push(variables.iter_mut().map(number).collect());
    }
    (variables.into_iter().map(|(_, variable)| variable).collect(), rows)
}

/// The variables of a state and what each holds: several tokens of a place are one value.
fn values(tokens: &[String]) -> BTreeMap<&str, String> {
    let mut values: BTreeMap<&str, String> = BTreeMap::new();
    for token in tokens {
        let (name, value) = parts(token);
        let all = values.entry(name).or_default();
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(value);
    }
    values
}

/// A token as the name of a variable and its value.
fn parts(token: &str) -> (&str, &str) {
    let marks = [("(", 0), ("⟨", 0), (" = ", 3), (" at ", 4)];
    let found = marks.iter().filter_map(|(mark, skipped)| Some((token.find(mark)?, *skipped)));
    match found.min() {
        Some((at, skipped)) => (&token[..at], &token[at + skipped..]),
        None => (token, "true"),
    }
}
