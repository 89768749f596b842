//! What all pages have: head and foot, sections that fold, a list of contents, tables that sort.
//!
//! A page is written from top to bottom; [`section`] leaves a mark, and [`foot`] makes a folding section of
//! what follows it and an entry of the contents. Titles are HTML already, so they hold no `>` of others.

use crate::figures::escape;
use crate::grid::{Grid, GridCell};
use std::fmt::Write;

/// The style of all pages.
const STYLE: &str = include_str!("report.css");
/// What sorts tables, shows notes, zooms and filters.
const SCRIPT: &str = include_str!("report.js");
const RULERS: &str = include_str!("rulers.js");

/// Nothing is loaded from anywhere, and what a page holds is text, styles and scripts of its own.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">";

const SECTION: &str = "<!--section:";
const SECTION_END: &str = "-->";
const CONTENTS: &str = "<!--contents-->";
/// Shorter pages need no contents.
const FEWEST_SECTIONS: usize = 3;

/// Whether a section is unfolded when the page opens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// What readers come for.
    Open,
    /// The rest: one click away.
    Closed,
}

/// The page up to its first section; `about` are lines on where it comes from.
pub fn head(title: &str, source: &str, about: &[String], out: &mut String) {
    let (title, source) = (escape(title), escape(source));
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">{POLICY}<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>{title}</title><link rel=\"icon\" href=\"data:,\"><style>{STYLE}</style></head><body><main>\n<h1>{title}</h1><p class=\"source\">{source}</p>"
    )
    .ok();
    about.iter().for_each(|line| write!(out, "<p class=\"about\">{line}</p>").unwrap_or(()));
    out.push_str(CONTENTS);
}

/// Begins a section; the title is HTML already.
pub fn section(title: &str, fold: Fold, out: &mut String) {
    let mark = if fold == Fold::Open { "open:" } else { "closed:" };
    write!(out, "{SECTION}{mark}{title}{SECTION_END}").ok();
}

/// The page's end; sections and contents take their places.
pub fn foot(out: &mut String) {
    let mut parts = out.split(SECTION);
    let start = parts.next().unwrap_or_default().to_string();
    let (mut body, mut titles) = (String::new(), Vec::new());
    for part in parts {
        let Some((heading, content)) = part.split_once(SECTION_END) else { continue };
        let (fold, title) = heading.split_once(':').unwrap_or(("open", heading));
        let id = anchor(title, &titles);
        let open = if fold == "open" { " open" } else { "" };
        write!(
            body,
            "<details{open} id=\"{id}\"><summary><h2>{title}</h2></summary>{content}</details>"
        )
        .ok();
        titles.push((id, title.to_string()));
    }
    *out = start.replacen(CONTENTS, &contents(&titles), 1) + &body;
    writeln!(
        out,
        "<div id=\"tip\" role=\"tooltip\" hidden></div></main><script>{RULERS}{SCRIPT}</script></body></html>"
    )
    .ok();
}

fn contents(titles: &[(String, String)]) -> String {
    if titles.len() < FEWEST_SECTIONS {
        return String::new();
    }
    let entry = |(id, title): &(String, String)| format!("<li><a href=\"#{id}\">{title}</a></li>");
    let entries: String = titles.iter().map(entry).collect();
    format!("<nav aria-label=\"Contents\"><ul>{entries}</ul></nav>")
}

/// A name for links that no other section has: figures have theirs without the prefix.
fn anchor(title: &str, taken: &[(String, String)]) -> String {
    let letters =
        title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let words: Vec<String> = letters
        .collect::<String>()
        .split('-')
        .filter(|w| !w.is_empty())
        .map(String::from)
        .collect();
    let id = format!("s-{}", words.join("-"));
    match taken.iter().any(|(other, _)| *other == id) {
        true => format!("{id}-{}", taken.len()),
        false => id,
    }
}

/// A small table.
pub fn grid_table(grid: &Grid, out: &mut String) {
    let names: Vec<String> = grid.columns.iter().map(|name| escape(name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let cell = |cell: &GridCell| match cell.bold {
        true => format!("<b>{}</b>", escape(&cell.text)),
        false => escape(&cell.text),
    };
    table(&names, grid.rows.iter().map(|row| row.iter().map(cell).collect()), out);
}

/// Cells are HTML already.
pub fn table(names: &[&str], rows: impl Iterator<Item = Vec<String>>, out: &mut String) {
    columns(names, "", out);
    for row in rows {
        write!(out, "<tr><td>{}</td></tr>", row.join("</td><td>")).ok();
    }
    out.push_str("</tbody></table></div>");
}

/// A table of which each row becomes a card on a narrow screen, so that its last column is seen, too.
pub fn cards(names: &[&str], rows: impl Iterator<Item = Vec<String>>, out: &mut String) {
    columns(names, " class=\"cards\"", out);
    for row in rows {
        out.push_str("<tr>");
        for (name, cell) in names.iter().zip(row) {
            write!(out, "<td data-name=\"{name}\">{cell}</td>").ok();
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
}

fn columns(names: &[&str], class: &str, out: &mut String) {
    write!(out, "<div class=\"wide\"><table{class}><thead><tr>").ok();
    for name in names {
        write!(out, "<th scope=\"col\"><button type=\"button\">{name}</button></th>").ok();
    }
    out.push_str("</tr></thead><tbody>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_fold_and_are_listed() {
        let mut out = String::new();
        head("a < b", "ours", &["<code>again</code>".into()], &mut out);
        for (title, fold) in
            [("One", Fold::Open), ("Two, too", Fold::Closed), ("One", Fold::Closed)]
        {
            section(title, fold, &mut out);
            out.push_str("<p>text</p>");
        }
        foot(&mut out);
        assert!(out.contains("<h1>a &lt; b</h1>") && out.contains("<code>again</code>"), "{out}");
        assert!(out.contains("<details open id=\"s-one\"><summary><h2>One</h2>"), "{out}");
        assert!(
            out.contains("<details id=\"s-two-too\">") && out.contains("id=\"s-one-2\""),
            "{out}"
        );
        assert!(out.contains("<li><a href=\"#s-two-too\">Two, too</a></li>"), "{out}");
        assert_eq!(out.matches("</details>").count(), 3);
        assert!(!out.contains(SECTION) && !out.contains(CONTENTS), "{out}");
    }
}
