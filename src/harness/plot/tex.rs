//! Figures for papers: a pgfplots picture that can be included as it is, and its data as CSV.
//!
//! The CSV is long: one line a mark, with the numbers of its panel and layer. The picture holds its
//! coordinates itself: selecting them from a file fails on logarithmic axes and takes a pass over
//! the file for every layer.

use super::model::{Axis, Figure, Layer, Mark, Panel, Scale};
use super::palette::{TEX_DASHES, TEX_MARKS};
use crate::grid::tex as plain;
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
        Mark::Line(points) | Mark::Curve(points) | Mark::Guide(points) => {
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
    writeln!(out, "% and \\usepgfplotslibrary{{groupplots}}; data also in {}.csv", figure.name)
        .ok();
    writeln!(out, "\\begin{{tikzpicture}}").ok();
    let rows = figure.panels.len().div_ceil(figure.columns.max(1));
    writeln!(
        out,
        "\\begin{{groupplot}}[group style={{group size={} by {rows}, horizontal sep=1.6cm, vertical sep=1.8cm}}, width=\\linewidth/{}, legend style={{font=\\footnotesize, at={{(0.5,-0.25)}}, anchor=north, legend columns=2}}, unbounded coords=discard]",
        figure.columns, figure.columns
    )
    .ok();
    figure.panels.iter().for_each(|panel| write_panel(panel, &mut out));
    out.push_str("\\end{groupplot}\n\\end{tikzpicture}\n");
    out
}

fn write_panel(panel: &Panel, out: &mut String) {
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
    panel.layers.iter().for_each(|layer| write_layer(panel, layer, out));
}

fn write_layer(panel: &Panel, layer: &Layer, out: &mut String) {
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
        Mark::Curve(ref points) => format!(
            "thick, {dash}, {colour}, mark={mark}, mark size=1.6pt, mark options={{solid}}, mark repeat={}",
            points.len().div_ceil(8).max(1)
        ),
        Mark::Guide(_) => "no marks, thin, gray, dashed".to_string(),
        Mark::Bars(_) => format!("ybar interval, fill={colour}, draw=none"),
        Mark::Cells(_) => "scatter, only marks, mark=square*, mark size=0.8pt, scatter src=explicit, colormap/blackwhite".to_string(),
        Mark::Spans(_) => format!("only marks, mark={mark}, {colour}, error bars/.cd, x dir=both, x explicit"),
    };
    writeln!(out, "\\addplot[{style}] coordinates {{{}}};", coordinates(panel, layer)).ok();
    match layer.name.is_empty() {
        true => {}
        false => {
            writeln!(out, "\\addlegendentry{{{}}}", plain(&layer.name)).ok();
        }
    }
}

/// A layer's marks as pgfplots reads them, moved to just outside the frame where they are further out:
/// TeX cannot count that far.
fn coordinates(panel: &Panel, layer: &Layer) -> String {
    let inside = |axis: &Axis, value: f64| match axis.scale {
        Scale::Names(_) => value,
        _ => axis.value(axis.at(value).clamp(-0.02, 1.02)),
    };
    let x = |value: f64| inside(&panel.x, value);
    let y = |value: f64| inside(&panel.y, value);
    let mut out = String::new();
    for [px, py, low, high] in rows(layer) {
        if !px.is_finite() || !py.is_finite() {
            continue;
        }
        match layer.mark {
            Mark::Bars(_) => write!(out, "({:.5e},{:.5e}) ", x(low), y(py)),
            Mark::Cells(_) => write!(out, "({:.5e},{:.5e}) [{low:.3}] ", x(px), y(py)),
            Mark::Spans(_) => {
                let (minus, plus) = (x(px) - x(px - low), x(px + high) - x(px));
                write!(out, "({:.5e},{py}) += ({plus:.5e},0) -= ({minus:.5e},0) ", x(px))
            }
            _ => write!(out, "({:.5e},{:.5e}) ", x(px), y(py)),
        }
        .ok();
    }
    // the last bar needs its right edge
    if let (Mark::Bars(bars), true) = (&layer.mark, !out.is_empty()) {
        let edge = bars.last().map_or(0.0, |bar| bar.1);
        write!(out, "({:.5e},0)", x(edge)).ok();
    }
    out
}
