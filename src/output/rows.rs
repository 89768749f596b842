//! The rows of a document, for CSV: columns that the document declares, and one record an entry.
//!
//! A column is the path of a field of the entry, `ratio.low` for the field `low` of the field `ratio`. Nothing
//! is an empty field; lists and objects are written as JSON. `low=ratio.low` gives a column another name than its
//! path. A path that ends in `*` stands for all fields below it that some entry has and no other column shows.

use serde::Serialize;
use serde_json::{Map, Value};
use std::io::Write;

pub struct Rows {
    columns: Vec<String>,
    records: Vec<Vec<String>>,
}

/// Names of fields, from the outermost.
type Path = Vec<String>;

impl Rows {
    /// One record for each entry; columns are separated by blanks.
    pub fn of<T: Serialize>(
        columns: &str,
        entries: impl IntoIterator<Item = T>,
    ) -> anyhow::Result<Rows> {
        let entries: Vec<Value> =
            entries.into_iter().map(serde_json::to_value).collect::<Result<_, _>>()?;
        let (mut paths, mut names): (Vec<Path>, Vec<String>) = (Vec::new(), Vec::new());
        for column in columns.split_whitespace() {
            let (name, path) = column.split_once('=').unwrap_or((column, column));
            let path = path.split('.').filter(|name| *name != "*").map(String::from).collect();
            match column.ends_with('*') {
                true => spread(&path, &entries, &mut paths),
                false => {
                    paths.push(path);
                    names.push(name.into());
                }
            }
            names.extend(paths[names.len()..].iter().map(|path| path.join(".")));
        }
        let record = |entry| paths.iter().map(|path| field(find(entry, path))).collect();
        Ok(Rows { records: entries.iter().map(record).collect(), columns: names })
    }

    /// As the text of a file.
    pub fn csv(&self) -> anyhow::Result<String> {
        let mut bytes = Vec::new();
        self.write(true, &mut bytes)?;
        Ok(String::from_utf8(bytes)?)
    }

    /// Writes the records, below the names of the columns if these are wanted.
    pub fn write(&self, with_columns: bool, out: &mut dyn Write) -> csv::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        if with_columns {
            writer.write_record(&self.columns)?;
        }
        for record in &self.records {
            writer.write_record(record)?;
        }
        Ok(writer.flush()?)
    }
}

fn find<'e>(entry: &'e Value, path: &[String]) -> Option<&'e Value> {
    path.iter().try_fold(entry, |value, name| value.get(name))
}

/// Adds the paths of all fields below one, in the order in which entries have them.
fn spread(above: &Path, entries: &[Value], paths: &mut Vec<Path>) {
    let below = |entry| find(entry, above).and_then(Value::as_object);
    entries.iter().filter_map(below).for_each(|fields| leaves(above, fields, paths));
}

fn leaves(above: &Path, fields: &Map<String, Value>, paths: &mut Vec<Path>) {
    for (name, value) in fields {
        let path = [above.as_slice(), std::slice::from_ref(name)].concat();
        let shown = path == ["format"] || paths.contains(&path);
        match value {
            _ if shown => {}
            // entries are built by this program and nest a few levels
            Value::Object(inner) => leaves(&path, inner, paths),
            // its fields are columns where it is not null
            Value::Null if paths.iter().any(|column| column.starts_with(&path)) => {}
            _ => paths.push(path),
        }
    }
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

    fn csv(rows: &Rows) -> String {
        rows.csv().unwrap()
    }

    #[test]
    fn columns_are_paths() {
        let entries = [
            json!({"a": "1, 2", "t": {"high": 2.5, "low": 1}, "z": [1, 2]}),
            json!({"a": "b", "t": null, "z": {"@1": "@2"}}),
        ];
        let rows = Rows::of("a low=t.low z why", &entries).unwrap();
        let expected = "a,low,z,why\n\"1, 2\",1,\"[1,2]\",\nb,,\"{\"\"@1\"\":\"\"@2\"\"}\",\n";
        assert_eq!(csv(&rows), expected);
    }

    #[test]
    fn a_star_stands_for_all_fields_below() {
        let entries = [json!({"m": {"x": {"s": 1}}, "n": 2}), json!({"m": {"y.z": 3}, "n": 4})];
        let rows = Rows::of("n m.*", &entries).unwrap();
        assert_eq!(csv(&rows), "n,m.x.s,m.y.z\n2,1,\n4,,3\n");
        let entry =
            json!({"format": "f/1", "a": {"@1": "@2"}, "b": true, "c": {"d": 1}, "e": null});
        let rest = Rows::of("e.f a *", [entry]).unwrap();
        assert_eq!(csv(&rest), "e.f,a,b,c.d\n,\"{\"\"@1\"\":\"\"@2\"\"}\",true,1\n");
    }

    #[test]
    fn without_entries_the_columns_remain() {
        assert_eq!(csv(&Rows::of("a b", [(); 0]).unwrap()), "a,b\n");
    }
}
