//! Figures for papers: a pgfplots picture that stands alone, and its data as CSV.
//!
//! The picture carries its own numbers: selecting them from a common file would have TeX read the
//! whole file for every curve, which takes minutes. The CSV is long: one line a mark, with the numbers
//! of its panel and layer.

use super::model::{Figure, Layer, Legend, Mark, Panel, Scale};
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
    writeln!(
        out,
        "% and \\usepgfplotslibrary{{groupplots}}; the data is also in {}.csv",
        figure.name
    )
    .ok();
    writeln!(out, "\\begin{{tikzpicture}}").ok();
    let rows = figure.panels.len().div_ceil(figure.columns.max(1));
    // room for axis labels, and for legends where there are any
    let between = if figure.panels.iter().any(has_legend) { 3.4 } else { 1.9 };
    writeln!(
        out,
        "\\begin{{groupplot}}[group style={{group size={} by {rows}, horizontal sep=1.8cm, vertical sep={between}cm}}, width=\\linewidth/{}, title style={{font=\\footnotesize}}, label style={{font=\\footnotesize}}, tick label style={{font=\\scriptsize}}, legend style={{font=\\scriptsize, at={{(0.5,0)}}, yshift=-30pt, anchor=north, legend columns=2}}, unbounded coords=discard, colormap={{density}}{{gray(0cm)=(0.8); gray(1cm)=(0.1)}}]",
        figure.columns, figure.columns
    )
    .ok();
    figure.panels.iter().for_each(|panel| write_panel(panel, &mut out));
    out.push_str("\\end{groupplot}\n\\end{tikzpicture}\n");
    out
}

fn has_legend(panel: &Panel) -> bool {
    panel.legend == Legend::Below && panel.layers.iter().any(|layer| !layer.name.is_empty())
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
            ", y dir=reverse, height={:.1}cm, ytick={{{}}}, yticklabels={{{}}}",
            2.0 + 0.45 * names.len() as f64,
            ticks.join(","),
            names.join(",")
        )
        .ok();
    }
    writeln!(out, "\\nextgroupplot[{options}]").ok();
    panel.layers.iter().for_each(|layer| write_layer(layer, out));
}

fn write_layer(layer: &Layer, out: &mut String) {
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
        Mark::Cells(_) => {
            "scatter, only marks, mark=square*, mark size=0.8pt, scatter src=explicit".to_string()
        }
        Mark::Spans(_) => {
            format!("only marks, mark={mark}, {colour}, error bars/.cd, x dir=both, x explicit")
        }
    };
    let columns = match layer.mark {
        Mark::Cells(_) => "x=x, y=y, meta=low",
        Mark::Spans(_) => "x=x, y=y, x error minus=low, x error plus=high",
        Mark::Bars(_) => "x=low, y=y",
        _ => "x=x, y=y",
    };
    // a plot without a name must not use up an entry of the legend
    let forget = if layer.name.is_empty() { "forget plot, " } else { "" };
    writeln!(out, "\\addplot[{forget}{style}] table[{columns}] {{").ok();
    out.push_str("x y low high\n");
    let rows = rows(layer);
    for [x, y, low, high] in &rows {
        writeln!(out, "{x:.4e} {y:.4e} {low:.4e} {high:.4e}").ok();
    }
    // intervals of bars end where the next begins, the last one at a bar of no height
    if let (Mark::Bars(_), Some([_, _, _, end])) = (&layer.mark, rows.last()) {
        writeln!(out, "{end:.4e} 0 {end:.4e} {end:.4e}").ok();
    }
    out.push_str("};\n");
    match layer.name.is_empty() {
        true => {}
        false => {
            writeln!(out, "\\addlegendentry{{{}}}", plain(&layer.name)).ok();
        }
    }
}
