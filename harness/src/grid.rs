//! A small table of text, and the forms it is shown in: aligned text, CSV, LaTeX.

use pidlab_figures::tex;
use std::fmt::Write;

/// A small table.
pub struct Grid {
    /// Names the files it is written to.
    pub name: &'static str,
    /// What it shows.
    pub caption: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// A row has a cell a column.
    pub rows: Vec<Vec<GridCell>>,
}

/// A field of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GridCell {
    /// What it says.
    pub text: String,
    /// The best of its row.
    pub bold: bool,
}

impl From<String> for GridCell {
    fn from(text: String) -> GridCell {
        GridCell { text, bold: false }
    }
}

impl From<&str> for GridCell {
    fn from(text: &str) -> GridCell {
        text.to_string().into()
    }
}

impl Grid {
    /// The columns' names, then the rows.
    fn lines(&self) -> Vec<Vec<String>> {
        let row = |row: &Vec<GridCell>| row.iter().map(|cell| cell.text.clone()).collect();
        [self.columns.clone()].into_iter().chain(self.rows.iter().map(row)).collect()
    }

    /// Aligned text; all columns but the first are flushed right.
    pub fn text(&self) -> String {
        aligned(&self.lines(), true)
    }

    /// As CSV.
    pub fn csv(&self) -> String {
        csv_lines(self.lines())
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

fn latex_cell(cell: &GridCell) -> String {
    match cell.bold {
        true => format!("\\textbf{{{}}}", tex(&cell.text)),
        false => tex(&cell.text),
    }
}

/// Columns padded to their widest field, two spaces between; all but the first flushed right if so asked.
pub fn aligned<L: AsRef<[String]>>(lines: &[L], right: bool) -> String {
    let columns = lines.iter().map(|line| line.as_ref().len()).max().unwrap_or(0);
    let length = |line: &L, at: usize| line.as_ref().get(at).map_or(0, |text| text.chars().count());
    let width = |at| lines.iter().map(|line| length(line, at)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for line in lines {
        let padded = line.as_ref().iter().zip(&widths).enumerate().map(|(at, (text, &width))| {
            if right && at > 0 { format!("{text:>width$}") } else { format!("{text:<width$}") }
        });
        out.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// Records as CSV (RFC 4180), a line each.
pub fn csv_lines<F: AsRef<[u8]>>(
    records: impl IntoIterator<Item: IntoIterator<Item = F>>,
) -> String {
    let mut out = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for record in records {
        // a buffer in memory takes everything
        out.write_record(record).ok();
    }
    String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let best = GridCell { text: "3 %".into(), bold: true };
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
