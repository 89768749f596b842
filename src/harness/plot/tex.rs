//! Figures for papers: a pgfplots picture and the CSV it reads.
//!
//! The CSV is long: one line a mark, with the numbers of its panel and layer; the picture selects by
//! them, so both files can be edited and the picture compiled again.

use super::model::{Figure, Layer, Mark, Panel, Scale};
use super::palette::{TEX_DASHES, TEX_MARKS};
use std::fmt::Write;

/// The data of a figure: panel, layer, x, y and up to two more values.
pub fn csv(figure: &Figure) -> String {
    let mut out = String::from("panel,layer,x,y,low,high\n");
    for (p, panel) in figure.panels.iter().enumerate() {
        for (l, layer) in panel.layers.iter().enumerate() {
            for [x, y, low, high] in rows(layer) {
                writeln!(out, "{p},{l},{x:e},{y:e},{low:e},{high:e}").ok();
            }
        }
    }
    out
}

fn rows(layer: &Layer) -> Vec<[f64; 4]> {
    match &layer.mark {
        Mark::Dots(dots) => dots.iter().map(|d| [d.x, d.y, 0.0, 0.0]).collect(),
        Mark::Line(points) | Mark::Guide(points) => {
            points.iter().map(|&(x, y)| [x, y, 0.0, 0.0]).collect()
        }
        Mark::Bars(bars) => bars.iter().map(|&(l, r, h)| [(l + r) / 2.0, h, l, r]).collect(),
        Mark::Cells(cells) => cells
            .iter()
            .map(|c| [(c.x.0 + c.x.1) / 2.0, (c.y.0 + c.y.1) / 2.0, c.weight, 0.0])
            .collect(),
        Mark::Spans(spans) => spans.iter().map(|&(l, v, h, at)| [v, at, v - l, h - v]).collect(),
    }
}

pub fn tex(figure: &Figure) -> String {
    let mut out = String::new();
    writeln!(out, "% needs \\usepackage{{pgfplots}} with \\pgfplotsset{{compat=1.16}}").ok();
    writeln!(out, "% and \\usepgfplotslibrary{{groupplots}}; data in {}.csv", figure.name).ok();
    writeln!(out, "\\begin{{tikzpicture}}").ok();
    let rows = figure.panels.len().div_ceil(figure.columns.max(1));
    writeln!(
        out,
        "\\begin{{groupplot}}[group style={{group size={} by {rows}, horizontal sep=1.6cm, vertical sep=1.8cm}}, width=\\linewidth/{}, legend style={{font=\\footnotesize, at={{(0.5,-0.25)}}, anchor=north, legend columns=2}}, table/col sep=comma, unbounded coords=discard]",
        figure.columns, figure.columns
    )
    .ok();
    for (p, panel) in figure.panels.iter().enumerate() {
        write_panel(figure.name, p, panel, &mut out);
    }
    out.push_str("\\end{groupplot}\n\\end{tikzpicture}\n");
    out
}

fn write_panel(name: &str, p: usize, panel: &Panel, out: &mut String) {
    let log = |scale: &Scale| if *scale == Scale::Log { "log" } else { "linear" };
    let mut options = format!(
        "title={{{}}}, xlabel={{{}}}, ylabel={{{}}}, xmode={}, ymode={}, xmin={:e}, xmax={:e}, ymin={:e}, ymax={:e}",
        plain(&panel.title),
        plain(&panel.x.label),
        plain(&panel.y.label),
        log(&panel.x.scale),
        log(&panel.y.scale),
        panel.x.low,
        panel.x.high,
        panel.y.low,
        panel.y.high
    );
    if let Scale::Names(names) = &panel.y.scale {
        let ticks: Vec<String> = (0..names.len()).map(|i| i.to_string()).collect();
        let names: Vec<String> = names.iter().map(|n| format!("{{{}}}", plain(n))).collect();
        write!(
            options,
            ", y dir=reverse, ytick={{{}}}, yticklabels={{{}}}",
            ticks.join(","),
            names.join(",")
        )
        .ok();
    }
    writeln!(out, "\\nextgroupplot[{options}]").ok();
    for (l, layer) in panel.layers.iter().enumerate() {
        write_layer(name, p, l, layer, out);
    }
}

fn write_layer(name: &str, p: usize, l: usize, layer: &Layer, out: &mut String) {
    let colour = [
        "blue!70!black",
        "orange!80!black",
        "teal",
        "magenta!70!black",
        "brown",
        "cyan!70!black",
        "black",
    ][layer.style % 7];
    let (mark, dash) = (TEX_MARKS[layer.style % 7], TEX_DASHES[layer.style % 7]);
    let style = match layer.mark {
        Mark::Dots(_) => format!("only marks, mark={mark}, mark size=1pt, {colour}"),
        Mark::Line(_) => format!("no marks, thick, {dash}, {colour}"),
        Mark::Guide(_) => "no marks, thin, gray, dashed".to_string(),
        Mark::Bars(_) => format!("ybar interval, fill={colour}, draw=none"),
        Mark::Cells(_) => "scatter, only marks, mark=square*, mark size=0.8pt, scatter src=explicit, colormap/blackwhite".to_string(),
        Mark::Spans(_) => format!("only marks, mark={mark}, {colour}, error bars/.cd, x dir=both, x explicit"),
    };
    let extra = match layer.mark {
        Mark::Cells(_) => ", meta=low",
        Mark::Spans(_) => ", x error minus=low, x error plus=high",
        _ => "",
    };
    writeln!(
        out,
        "\\addplot[{style}, x filter/.expression={{(\\thisrow{{panel}}=={p})*(\\thisrow{{layer}}=={l}) ? x : nan}}] table[x=x, y=y{extra}]{{{name}.csv}};"
    )
    .ok();
    match layer.name.is_empty() {
        true => {}
        false => {
            writeln!(out, "\\addlegendentry{{{}}}", plain(&layer.name)).ok();
        }
    }
}

/// Text for TeX: what it would read as commands is escaped, signs are spelt.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '%' | '_' | '#' | '&' | '$' | '{' | '}' => out.extend(['\\', c]),
            '^' => out.push_str("\\^{}"),
            '×' => out.push_str("$\\times$"),
            '·' => out.push_str("$\\cdot$"),
            '²' => out.push_str("$^2$"),
            '≥' => out.push_str("$\\geq$"),
            'µ' => out.push_str("$\\mu$"),
            '′' => out.push('\''),
            c => out.push(c),
        }
    }
    out
}
