//! What the generator was told, as columns: `set_NAME` for the fields of an entry of the experiment file, with the defaults of
//! random states, and `transformation_kinds`, `transformation_strength`. The names are those of the Python package.

use crate::experiment::Experiment;
use pidlab_generators::RandomParams;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// A column whose value follows from the label of a row's entry.
pub struct ParameterColumn {
    /// Its name.
    pub name: String,
    values: BTreeMap<String, Scalar>,
}

enum Scalar {
    Number(f64),
    Text(String),
}

impl ParameterColumn {
    /// Whether it follows from the transformation and not from the set.
    pub fn is_of_transformation(&self) -> bool {
        self.name.starts_with("transformation_")
    }

    /// Whether all values are numbers.
    pub fn is_number(&self) -> bool {
        self.values.values().all(|value| matches!(value, Scalar::Number(_)))
    }

    /// The value of an entry as a number.
    pub fn number(&self, label: &str) -> Option<f64> {
        match self.values.get(label)? {
            Scalar::Number(number) => Some(*number),
            Scalar::Text(_) => None,
        }
    }

    /// The value of an entry as text; empty where it has none.
    pub fn text(&self, label: &str) -> String {
        match self.values.get(label) {
            Some(Scalar::Number(number)) => number.to_string(),
            Some(Scalar::Text(text)) => text.clone(),
            None => String::new(),
        }
    }
}

/// The columns of an experiment's text; none if it cannot be read, which whoever runs it has said. Labels are those of
/// the experiment, which has some where the text has none.
pub fn columns(text: &str, labels: &EntryLabels<'_>) -> Vec<ParameterColumn> {
    let experiment: Table = toml::from_str(text).unwrap_or_default();
    let mut columns: BTreeMap<String, BTreeMap<String, Scalar>> = BTreeMap::new();
    let sets = ["states", "models", "instances"].map(|kind| entries(&experiment, kind));
    for (entry, label) in sets.into_iter().flatten().zip(&labels.sets) {
        add(&mut columns, "set", label, fields_of(entry));
    }
    let transformations = entries(&experiment, "transformations");
    for (entry, label) in transformations.zip(&labels.transformations) {
        add(&mut columns, "transformation", label, steps_of(entry));
    }
    columns.into_iter().map(|(name, values)| ParameterColumn { name, values }).collect()
}

/// What rows call the entries of an experiment, in the order of its file.
#[derive(Default)]
pub struct EntryLabels<'e> {
    sets: Vec<&'e str>,
    transformations: Vec<&'e str>,
}

impl EntryLabels<'_> {
    /// Those of an experiment.
    pub fn of(experiment: &Experiment) -> EntryLabels<'_> {
        let states = experiment.states.iter().map(|set| set.label.as_str());
        let models = experiment.models.iter().map(|case| case.label.as_str());
        let instances = experiment.instances.iter().map(|set| set.label.as_str());
        let transformations = experiment.transformations.iter();
        EntryLabels {
            sets: states.chain(models).chain(instances).collect(),
            transformations: transformations.map(|variation| variation.label.as_str()).collect(),
        }
    }
}

fn entries<'t>(experiment: &'t Table, kind: &str) -> impl Iterator<Item = &'t Table> {
    let list = experiment.get(kind).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_table)
}

fn add(
    columns: &mut BTreeMap<String, BTreeMap<String, Scalar>>,
    prefix: &str,
    label: &str,
    fields: Table,
) {
    for (name, value) in flat(fields, prefix) {
        columns.entry(name).or_default().insert(label.to_string(), value);
    }
}

/// An entry's own fields, constants of a model, and the parameters of random states.
fn fields_of(entry: &Table) -> Table {
    let mut fields = entry.clone();
    for name in ["label", "random", "set", "sizes"] {
        fields.remove(name);
    }
    fields.extend(entry.get("set").and_then(Value::as_table).cloned().unwrap_or_default());
    if let Some(random) = entry.get("random").and_then(Value::as_table) {
        fields.extend(Table::try_from(RandomParams::default()).unwrap_or_default());
        fields.extend(random.clone());
        // the column `size`, row by row
        fields.remove("pids");
        if let Some(Value::Array(width)) = fields.remove("width") {
            let names = ["width_least", "width_largest"].map(String::from);
            fields.extend(names.into_iter().zip(width));
        }
    }
    fields
}

/// Kinds and the least strength of a transformation's steps.
fn steps_of(entry: &Table) -> Table {
    let steps = entry.get("steps").and_then(Value::as_array);
    let steps: Vec<&Table> = steps.into_iter().flatten().filter_map(Value::as_table).collect();
    let kinds: Vec<&str> =
        steps.iter().filter_map(|step| step.get("kind").and_then(Value::as_str)).collect();
    let strength = |step: &&Table| step.get("strength").and_then(number).unwrap_or(1.0);
    let mut fields = Table::new();
    fields.insert("kinds".into(), kinds.join("+").into());
    if let Some(least) = steps.iter().map(strength).reduce(f64::min) {
        fields.insert("strength".into(), least.into());
    }
    fields
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

/// Tables within tables as fields of their own; lists of tables say too much for a column.
fn flat(fields: Table, prefix: &str) -> Vec<(String, Scalar)> {
    let mut found = Vec::new();
    for (name, value) in fields {
        let name = format!("{prefix}_{name}");
        match value {
            // the reader of experiments bounds how far tables nest
            Value::Table(inner) => found.extend(flat(inner, &name)),
            Value::Array(list) if list.iter().any(|one| one.is_table() || one.is_array()) => {}
            Value::Array(list) => {
                let texts: Vec<String> = list.iter().map(plain).collect();
                found.push((name, Scalar::Text(texts.join(", "))));
            }
            one => {
                let scalar = number(&one).map_or_else(|| Scalar::Text(plain(&one)), Scalar::Number);
                found.push((name, scalar));
            }
        }
    }
    found
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_columns_by_label() {
        let text = r#"
            [[states]]
            label = "many"
            random = { pid_share = 0.75 }
            [[states]]
            label = "hard"
            family = "cfi"
            [[transformations]]
            label = "both"
            steps = [{ kind = "rename" }, { kind = "exchange-pids", strength = 0.25 }]
        "#;
        let labels = EntryLabels { sets: vec!["many", "hard"], transformations: vec!["both"] };
        let columns = columns(text, &labels);
        let named = |name: &str| columns.iter().find(|column| column.name == name).unwrap();
        assert_eq!(named("set_pid_share").number("many"), Some(0.75));
        assert_eq!(named("set_pid_share").number("hard"), None);
        assert_eq!(named("set_family").text("hard"), "cfi");
        assert_eq!(named("set_family").text("many"), "");
        assert!(named("set_depth").is_number() && !named("set_family").is_number());
        assert_eq!(named("transformation_kinds").text("both"), "rename+exchange-pids");
        assert_eq!(named("transformation_strength").number("both"), Some(0.25));
        assert!(columns.iter().all(|column| column.name != "set_pids"));
    }

    #[test]
    fn entries_without_labels_have_parameters_too() {
        let text = r#"
            name = "least"
            backends = ["canon"]
            sizes = [10]
            states = [{ random = { pid_share = 0.75 } }]
            transformations = [{ steps = [{ kind = "rename" }] }]
        "#;
        let experiment = Experiment::parse(text, std::path::Path::new("least.toml")).unwrap();
        let columns = columns(text, &EntryLabels::of(&experiment));
        let named = |name: &str| columns.iter().find(|column| column.name == name).unwrap();
        let label = &experiment.states[0].label;
        assert_eq!(named("set_pid_share").number(label), Some(0.75));
        let label = &experiment.transformations[0].label;
        assert_eq!(named("transformation_kinds").text(label), "rename");
    }
}
