//! A small table of text, and the forms it is shown in: aligned text, CSV, LaTeX.

use pidlab_figures::tex;
use std::borrow::Cow;
use std::fmt::Write;

pub struct Grid {
    /// Names the files it is written to.
    pub name: &'static str,
    pub caption: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    pub text: String,
    /// The best of its row.
    pub bold: bool,
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell { text, bold: false }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        text.to_string().into()
    }
}

impl Grid {
    /// Columns padded to their widest entry; all but the first are flushed right.
    pub fn text(&self) -> String {
        let width = |at: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(at)).map(|c| c.text.as_str());
            cells.chain([self.columns[at].as_str()]).map(|t| t.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut out = String::new();
        let mut line = |texts: Vec<&str>| {
            for (at, text) in texts.iter().enumerate() {
                let width = widths[at];
                match at {
                    0 => write!(out, "{text:<width$}").ok(),
                    _ => write!(out, "  {text:>width$}").ok(),
                };
            }
            out.push('\n');
        };
        line(self.columns.iter().map(String::as_str).collect());
        self.rows.iter().for_each(|row| line(row.iter().map(|c| c.text.as_str()).collect()));
        out
    }

    pub fn csv(&self) -> String {
        let mut out = csv_line(self.columns.iter().map(String::as_str));
        for row in &self.rows {
            out.push_str(&csv_line(row.iter().map(|cell| cell.text.as_str())));
        }
        out
    }

    /// A `tabular` to be put into a `table`; rules are those of booktabs.
    pub fn latex(&self) -> String {
        let mut out = String::from("% needs \\usepackage{booktabs}\n");
        let align = "r".repeat(self.columns.len().saturating_sub(1));
        writeln!(out, "\\begin{{tabular}}{{l{align}}}\n\\toprule").ok();
        let names: Vec<String> = self.columns.iter().map(|name| tex(name)).collect();
        writeln!(out, "{} \\\\\n\\midrule", names.join(" & ")).ok();
        for row in &self.rows {
            let cells: Vec<String> = row.iter().map(latex_cell).collect();
            writeln!(out, "{} \\\\", cells.join(" & ")).ok();
        }
        out.push_str("\\bottomrule\n\\end{tabular}\n");
        out
    }
}

fn latex_cell(cell: &Cell) -> String {
    match cell.bold {
        true => format!("\\textbf{{{}}}", tex(&cell.text)),
        false => tex(&cell.text),
    }
}

/// One line of CSV.
pub fn csv_line<'t>(fields: impl Iterator<Item = &'t str>) -> String {
    let fields: Vec<Cow<'_, str>> = fields.map(quoted).collect();
    format!("{}\n", fields.join(","))
}

/// A field as CSV wants it (RFC 4180).
pub fn quoted(text: &str) -> Cow<'_, str> {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let best = Cell { text: "3 %".into(), bold: true };
        Grid {
            name: "sample",
            caption: String::new(),
            columns: vec!["name".into(), "share, of all".into()],
            rows: vec![vec!["a_b".into(), best], vec!["x \"y\"".into(), "10".into()]],
        }
    }

    #[test]
    fn the_same_table_in_three_forms() {
        let text = "name   share, of all\na_b              3 %\nx \"y\"             10\n";
        assert_eq!(grid().text(), text);
        assert_eq!(grid().csv(), "name,\"share, of all\"\na_b,3 %\n\"x \"\"y\"\"\",10\n");
        let latex = grid().latex();
        assert!(latex.contains("a\\_b & \\textbf{3 \\%} \\\\"), "{latex}");
        assert!(latex.contains("\\begin{tabular}{lr}"), "{latex}");
    }
}
