//! Figures for LaTeX: a pgfplots picture that stands alone, and its data as CSV.
//!
//! The picture carries its own numbers: selecting them from a common file would have TeX read the
//! whole file for every curve, which takes minutes. The CSV is long: one line a mark, with the numbers
//! of its panel and layer.

use crate::axis::{Axis, Scale};
use crate::clip::Outside;
use crate::layout::ends_above;
use crate::model::{Bar, Figure, Guide, Layer, Legend, Mark, Panel, Stroke};
use crate::palette::{COLORS, hex, tex_dash, tex_marker};
use crate::text::{pretty, tex};
use std::fmt::Write;

/// The data of a figure: panel, layer, x, y and up to two more values.
pub fn csv(figure: &Figure) -> Result<Vec<u8>, csv::Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["panel", "layer", "x", "y", "low", "high"])?;
    for (p, panel) in figure.panels.iter().enumerate() {
        for (l, layer) in panel.layers.iter().enumerate() {
            for values in rows(layer) {
                let values = values.map(|value| format!("{value:e}"));
                out.write_record([p, l].map(|number| number.to_string()).iter().chain(&values))?;
            }
        }
    }
    out.into_inner().map_err(|error| error.into_error().into())
}

fn rows(layer: &Layer) -> Vec<[f64; 4]> {
    let points = |points: &[(f64, f64)]| points.iter().map(|&(x, y)| [x, y, 0.0, 0.0]).collect();
    match &layer.mark {
        Mark::Dots(dots) => dots.iter().map(|d| [d.x, d.y, 0.0, 0.0]).collect(),
        Mark::Line(line) | Mark::Curve(line) => points(line),
        Mark::Guide(guide) => points(&guide.points),
        Mark::Bars(bars) => {
            bars.iter().map(|b| [(b.left + b.right) / 2.0, b.height, b.left, b.right]).collect()
        }
        Mark::Density(density) => density
            .cells
            .iter()
            .map(|c| [(c.x.0 + c.x.1) / 2.0, (c.y.0 + c.y.1) / 2.0, c.count as f64, 0.0])
            .collect(),
        Mark::Spans(spans) => {
            spans.iter().map(|s| [s.value, s.at, s.value - s.low, s.high - s.value]).collect()
        }
    }
}

/// The picture.
pub fn pgfplots(figure: &Figure) -> String {
    let mut out = String::new();
    writeln!(out, "% needs \\usepackage{{pgfplots}} with \\pgfplotsset{{compat=1.16}}").ok();
    writeln!(
        out,
        "% and \\usepgfplotslibrary{{groupplots}}; the data is also in {}.csv",
        figure.name
    )
    .ok();
    writeln!(out, "\\begin{{tikzpicture}}").ok();
    for style in 0..COLORS.len() {
        writeln!(out, "\\definecolor{{pidlab{style}}}{{HTML}}{{{}}}", hex(style)).ok();
    }
    let rows = figure.panels.len().div_ceil(figure.columns.max(1));
    // room for axis labels, and for legends where there are any
    let outside = figure.panels.iter().any(|panel| !Outside::of(panel).text().is_empty());
    let between = if figure.panels.iter().any(has_legend) { 3.4 } else { 1.9 };
    let between = if outside { between + 0.5 } else { between };
    writeln!(
        out,
        "\\begin{{groupplot}}[group style={{group size={} by {rows}, horizontal sep=1.8cm, vertical sep={between}cm}}, width=\\linewidth/{}, title style={{font=\\footnotesize, align=center}}, label style={{font=\\footnotesize}}, tick label style={{font=\\scriptsize}}, legend style={{font=\\scriptsize, at={{(0.5,0)}}, yshift=-30pt, anchor=north, legend columns=2}}, clip mode=individual, unbounded coords=discard, colormap={{density}}{{rgb255(0cm)=(226,233,242); rgb255(1cm)=(8,30,74)}}]",
        figure.columns, figure.columns
    )
    .ok();
    let densest = figure.densest();
    for (number, panel) in figure.panels.iter().enumerate() {
        // the panels of a row share the bar at its right end
        let last = (number + 1) % figure.columns.max(1) == 0 || number + 1 == figure.panels.len();
        write_panel(panel, densest, last, &mut out);
    }
    out.push_str("\\end{groupplot}\n\\end{tikzpicture}\n");
    out
}

/// Text as figures show it, for TeX.
fn plain(text: &str) -> String {
    tex(&pretty(text))
}

fn has_legend(panel: &Panel) -> bool {
    panel.legend == Legend::Below && panel.layers.iter().any(|layer| !layer.name.is_empty())
}

/// The title, and below it what lies outside.
fn title(panel: &Panel) -> String {
    match Outside::of(panel).text() {
        outside if outside.is_empty() => plain(&panel.title),
        outside => format!("{}\\\\\\scriptsize {}", plain(&panel.title), plain(&outside)),
    }
}

fn write_panel(panel: &Panel, densest: usize, last: bool, out: &mut String) {
    let mode = |axis: &Axis| if axis.scale == Scale::Log { "log" } else { "linear" };
    let mut options = format!(
        "title={{{}}}, xlabel={{{}}}, ylabel={{{}}}, xmode={}, ymode={}, xmin={:e}, xmax={:e}, ymin={:e}, ymax={:e}",
        title(panel),
        plain(&panel.x.label),
        plain(&panel.y.label),
        mode(&panel.x),
        mode(&panel.y),
        panel.x.low,
        panel.x.high,
        panel.y.low,
        panel.y.high
    );
    if let Scale::Names(names) = &panel.y.scale {
        let height = 2.0 + 0.45 * names.len() as f64;
        write!(options, ", y dir=reverse, height={height:.1}cm{}", names_of("y", names)).ok();
    }
    if let Scale::Names(names) = &panel.x.scale {
        options.push_str(&names_of("x", names));
    }
    if panel.layers.iter().any(|layer| matches!(layer.mark, Mark::Density(_))) {
        options.push_str(&color_bar(densest, last));
    }
    writeln!(out, "\\nextgroupplot[{options}]").ok();
    panel.layers.iter().for_each(|layer| write_layer(layer, panel, out));
}

fn names_of(axis: &str, names: &[String]) -> String {
    let ticks: Vec<String> = (0..names.len()).map(|i| i.to_string()).collect();
    let names: Vec<String> = names.iter().map(|n| format!("{{{}}}", plain(n))).collect();
    format!(", {axis}tick={{{}}}, {axis}ticklabels={{{}}}", ticks.join(","), names.join(","))
}

/// What shades mean: they go by the logarithm of the number.
fn color_bar(densest: usize, shown: bool) -> String {
    let ticks = Axis::log("", 1.0, (densest as f64).max(2.0)).ticks(4);
    let places: Vec<String> = ticks.iter().map(|t| format!("{:.4}", t.value.ln_1p())).collect();
    let labels: Vec<String> = ticks.iter().map(|t| format!("{{{}}}", plain(&t.label))).collect();
    let range =
        format!(", point meta min=0, point meta max={:.4}", (densest.max(1) as f64).ln_1p());
    if !shown {
        return range;
    }
    format!(
        "{range}, colorbar, colorbar style={{width=2mm, ytick={{{}}}, yticklabels={{{}}}, ylabel={{measurements in a cell}}}}",
        places.join(","),
        labels.join(",")
    )
}

fn write_layer(layer: &Layer, panel: &Panel, out: &mut String) {
    let color = format!("pidlab{}", layer.style % COLORS.len());
    let (mark, dash) = (tex_marker(layer.style), tex_dash(layer.style));
    let style = match &layer.mark {
        Mark::Dots(_) => format!("only marks, mark size=1pt, {color}, mark={mark}"),
        Mark::Line(_) => format!("no marks, thick, {dash}, {color}"),
        Mark::Curve(points) => format!(
            "thick, {dash}, {color}, mark size=1.6pt, mark options={{solid}}, mark repeat={}, mark={mark}",
            points.len().div_ceil(8).max(1)
        ),
        Mark::Guide(guide) => format!("no marks, gray, {}", guide_style(guide.stroke)),
        Mark::Density(_) => {
            "scatter, only marks, mark=square*, mark size=0.8pt, scatter src=explicit, scatter/use mapped color={draw=mapped color, fill=mapped color}".to_string()
        }
        Mark::Spans(_) => {
            format!(
                "only marks, {color}, error bars/.cd, x dir=both, x explicit, /pgfplots/.cd, mark={mark}"
            )
        }
        Mark::Bars(bars) => return write_bars(layer, bars, &color, panel, out),
    };
    let columns = match layer.mark {
        Mark::Density(_) => "x=x, y=y, meta expr=ln(1+\\thisrow{low})",
        Mark::Spans(_) => "x=x, y=y, x error minus=low, x error plus=high",
        _ => "x=x, y=y",
    };
    // a plot without a name must not use up an entry of the legend
    let forget = if layer.name.is_empty() { "forget plot, " } else { "" };
    writeln!(out, "\\addplot[{forget}{style}] table[{columns}] {{").ok();
    out.push_str("x y low high\n");
    for [x, y, low, high] in rows(layer) {
        writeln!(out, "{x:.4e} {y:.4e} {low:.4e} {high:.4e}").ok();
    }
    out.push_str("};\n");
    if let Mark::Guide(guide) = &layer.mark {
        write_guide_label(panel, guide, out);
    }
    if !layer.name.is_empty() {
        writeln!(out, "\\addlegendentry{{{}}}", plain(&layer.name)).ok();
    }
}

fn guide_style(stroke: Stroke) -> &'static str {
    match stroke {
        Stroke::Solid => "solid",
        Stroke::Dashed => "dashed",
        Stroke::Dotted => "densely dotted",
    }
}

/// The name of a guide where it ends.
fn write_guide_label(panel: &Panel, guide: &Guide, out: &mut String) {
    let (Some((x, y)), false) = (guide.points.last(), guide.label.is_empty()) else { return };
    let side = if ends_above(panel, guide) { "above" } else { "right" };
    let label = plain(&guide.label);
    writeln!(
        out,
        "\\node[{side}, font=\\scriptsize, inner sep=1pt] at (axis cs:{x:.4e},{y:.4e}) {{{label}}};"
    )
    .ok();
}

/// Rectangles of their own: they need not touch, and on a logarithmic axis stand on its lower end.
fn write_bars(layer: &Layer, bars: &[Bar], color: &str, panel: &Panel, out: &mut String) {
    for bar in bars.iter().filter(|bar| bar.height > panel.y.low) {
        let (top, middle) = (bar.height.min(panel.y.high), (bar.left + bar.right) / 2.0);
        writeln!(
            out,
            "\\path[fill={color}] (axis cs:{:.4e},{:.4e}) rectangle (axis cs:{:.4e},{top:.4e});",
            bar.left, panel.y.low, bar.right
        )
        .ok();
        if !bar.label.is_empty() {
            let label = plain(&bar.label);
            writeln!(
                out,
                "\\node[rotate=90, anchor=west, font=\\scriptsize, inner sep=1pt] at (axis cs:{middle:.4e},{top:.4e}) {{{label}}};"
            )
            .ok();
        }
    }
    if !layer.name.is_empty() {
        writeln!(out, "\\addlegendimage{{area legend, fill={color}, draw=none}}").ok();
        writeln!(out, "\\addlegendentry{{{}}}", plain(&layer.name)).ok();
    }
}
