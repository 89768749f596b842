//! The rows behind the figures, as data in the page: a script lists those that are asked for.
//!
//! Columns with few values are numbers of a list of names, so that a page of 100,000 rows stays below 3 MB;
//! the text is read when the section is opened. Of more rows than that, evenly picked ones are in the page.

use super::{Fold, section};
use crate::experiment::QuestionKind;
use crate::figures::escape;
use pidlab_analysis::{Table, TableError};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A page holds at most so many.
const MOST: usize = 100_000;
/// Columns to filter by.
const NAMED: [&str; 4] = ["backend", "transformation", "status", "answer"];

/// Rows as a page holds them.
pub struct Rows {
    data: Value,
    /// Rows of the run.
    all: usize,
    shown: usize,
    named: Vec<(&'static str, Vec<String>)>,
    columns: Vec<&'static str>,
}

impl Rows {
    /// Of a table with the analysed size and time.
    pub fn of(table: &Table, kind: QuestionKind) -> Result<Rows, TableError> {
        let all = table.rows();
        let step = all.div_ceil(MOST).max(1);
        let picked = || (0..all).step_by(step);
        let mut data = Map::new();
        let row = table.wholes("row")?;
        data.insert("row".into(), picked().map(|i| row[i]).collect());
        let mut named = Vec::new();
        let mut names = Map::new();
        for column in NAMED
            .into_iter()
            .filter(|name| !(*name == "transformation" && kind != QuestionKind::Pairs))
        {
            let values = table.distinct(column)?;
            let texts = table.texts(column)?;
            let number = |text: &str| values.iter().position(|value| value == text);
            data.insert(column.into(), picked().map(|i| json!(number(texts[i]))).collect());
            names.insert(column.into(), json!(values));
            named.push((column, values));
        }
        let (x, t) = (table.numbers("x")?, table.numbers("t")?);
        data.insert("size".into(), picked().map(|i| json!(x[i])).collect());
        let micros = |i: usize| t[i].is_finite().then(|| (t[i] * 1e9).round() / 1e3);
        data.insert("µs".into(), picked().map(|i| json!(micros(i))).collect());
        let mut columns = vec!["row"];
        columns.extend(named.iter().map(|(name, _)| *name));
        columns.extend(["size", "µs"]);
        data.insert("names".into(), names.into());
        data.insert("columns".into(), json!(columns));
        Ok(Rows { data: data.into(), all, shown: picked().count(), named, columns })
    }

    /// The section: filters, a table that the script fills, and the data; `replay` is the command that does a row again.
    pub fn write(&self, replay: &str, out: &mut String) {
        section("Rows", Fold::Closed, out);
        let which = match self.all > self.shown {
            true => format!("{} of the {} rows, evenly picked; all", self.shown, self.all),
            false => "All rows of the run, which".to_string(),
        };
        write!(
            out,
            "<p>{which} are in <code>rows.csv</code>. A zoomed figure leaves the rows whose marks it shows; \
             a row is done again in the folder of this page by <code>{}</code> (where programs of your own answer, from where \
             the run was started, with the path of this folder before <code>experiment.toml</code>). “–” is a row without a time: a limit was hit, or \
             nothing was decided.</p><div class=\"rows\">",
            escape(replay)
        )
        .ok();
        for (name, values) in &self.named {
            write!(out, "<label>{name} <select id=\"rows-{name}\"><option value=\"\">all</option>")
                .ok();
            for (number, value) in values.iter().enumerate() {
                write!(out, "<option value=\"{number}\">{}</option>", escape(value)).ok();
            }
            out.push_str("</select></label>");
        }
        out.push_str("<label>row <input id=\"rows-number\" inputmode=\"numeric\" placeholder=\"number\"></label>");
        out.push_str("<button type=\"button\" id=\"rows-all\" hidden>all rows</button>");
        out.push_str("<p id=\"rows-count\" role=\"status\"></p></div><div class=\"wide\"><table id=\"rows-table\"><thead><tr>");
        for name in &self.columns {
            write!(out, "<th scope=\"col\"><button type=\"button\">{name}</button></th>").ok();
        }
        let data = self.data.to_string().replace('<', "\\u003c");
        write!(
            out,
            "</tr></thead><tbody></tbody></table></div><script type=\"application/json\" id=\"rows-data\">{data}</script>"
        )
        .ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pidlab_analysis::Values;

    #[test]
    fn data_of_others_cannot_end_the_script() {
        let table = Table::new(vec![
            ("row", Values::Whole(vec![0, 1])),
            ("backend", Values::Text(vec!["canon", "</script><b>"])),
            ("transformation", Values::Text(vec!["rename", "rename"])),
            ("status", Values::Text(vec!["ok", "timeout"])),
            ("answer", Values::Text(vec!["equivalent", "none"])),
            ("x", Values::Real(vec![10.0, 20.0])),
            ("t", Values::Real(vec![1e-6, f64::INFINITY])),
        ]);
        let mut out = String::new();
        Rows::of(&table.unwrap(), QuestionKind::Pairs)
            .unwrap()
            .write("pidlab run --replay NUMBER", &mut out);
        assert_eq!(out.matches("</script>").count(), 1, "{out}");
        assert!(out.contains("\"µs\":[1.0,null]"), "{out}");
        assert!(out.contains("<option value=\"1\">&lt;/script&gt;&lt;b&gt;</option>"), "{out}");
    }
}
