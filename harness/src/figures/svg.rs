//! Figures as SVG: plain elements, no scripts, fonts by name; hovering shows what lies behind a mark.

use super::model::{Axis, Cell, Figure, Layer, Legend, Mark, Panel, Scale};
use super::palette::{colour, dash, marker};
use std::fmt::Write;

const TOP: f64 = 24.0;
const BOTTOM: f64 = 40.0;
const RIGHT: f64 = 14.0;
const LEGEND_LINE: f64 = 15.0;

/// Where a panel's data area lies.
struct Frame {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Frame {
    fn px(&self, axis: &Axis, value: f64) -> f64 {
        self.x + self.width * axis.at(value).clamp(-0.02, 1.02)
    }

    fn py(&self, axis: &Axis, value: f64) -> f64 {
        self.y + self.height * (1.0 - axis.at(value).clamp(-0.02, 1.02))
    }
}

pub fn render(figure: &Figure) -> String {
    let rows = figure.panels.len().div_ceil(figure.columns.max(1));
    let (width, base) = figure.panel;
    let legend = figure.panels.iter().map(|p| legend_lines(p, width)).max().unwrap_or(0);
    let height = base + legend as f64 * LEGEND_LINE;
    let (w, h) = (width * figure.columns as f64, height * rows as f64);
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w:.0} {h:.0}" width="{w:.0}" height="{h:.0}" font-family="Helvetica, Arial, sans-serif" font-size="11" role="img"><title>{}</title><rect width="100%" height="100%" fill="white"/>"#,
        escape(&figure.name)
    );
    for (i, panel) in figure.panels.iter().enumerate() {
        let at = ((i % figure.columns) as f64 * width, (i / figure.columns) as f64 * height);
        draw_panel(panel, at, (width, base), &mut out);
    }
    out.push_str("</svg>\n");
    out
}

fn draw_panel(panel: &Panel, (x, y): (f64, f64), (width, height): (f64, f64), out: &mut String) {
    let left = left_margin(&panel.y);
    let frame = Frame {
        x: x + left,
        y: y + TOP,
        width: width - left - RIGHT,
        height: height - TOP - BOTTOM,
    };
    push(
        out,
        format_args!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="middle" font-weight="bold">{}</text>"#,
            frame.x + frame.width / 2.0,
            y + 15.0,
            escape(&panel.title)
        ),
    );
    draw_axes(panel, &frame, x, out);
    push(
        out,
        format_args!(
            r#"<svg x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" viewBox="{:.1} {:.1} {:.1} {:.1}">"#,
            frame.x,
            frame.y,
            frame.width,
            frame.height,
            frame.x,
            frame.y,
            frame.width,
            frame.height
        ),
    );
    for layer in &panel.layers {
        draw_layer(layer, panel, &frame, out);
    }
    out.push_str("</svg>");
    if panel.legend == Legend::Below {
        draw_legend(panel, x + 8.0, y + height + 4.0, width - 16.0, out);
    }
}

fn left_margin(axis: &Axis) -> f64 {
    let longest = axis.ticks().iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
    let text = 6.2 * longest as f64;
    match axis.scale {
        Scale::Names(_) => text + 12.0,
        _ => text.max(18.0) + 28.0,
    }
}

fn draw_axes(panel: &Panel, frame: &Frame, left: f64, out: &mut String) {
    let (bottom, right) = (frame.y + frame.height, frame.x + frame.width);
    for (value, label) in panel.x.ticks() {
        let x = frame.px(&panel.x, value);
        push(
            out,
            format_args!(
                r##"<line x1="{x:.1}" y1="{:.1}" x2="{x:.1}" y2="{bottom:.1}" stroke="#ddd"/><text x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"##,
                frame.y,
                bottom + 14.0,
                escape(&label)
            ),
        );
    }
    for (value, label) in panel.y.ticks() {
        let y = frame.py(&panel.y, value);
        push(
            out,
            format_args!(
                r##"<line x1="{:.1}" y1="{y:.1}" x2="{right:.1}" y2="{y:.1}" stroke="#ddd"/><text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"##,
                frame.x,
                frame.x - 5.0,
                y + 4.0,
                escape(&label)
            ),
        );
    }
    push(
        out,
        format_args!(
            r##"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" fill="none" stroke="#444"/><text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"##,
            frame.x,
            frame.y,
            frame.width,
            frame.height,
            frame.x + frame.width / 2.0,
            bottom + 30.0,
            escape(&panel.x.label)
        ),
    );
    if !panel.y.label.is_empty() {
        let middle = frame.y + frame.height / 2.0;
        push(
            out,
            format_args!(
                r#"<text transform="translate({:.1} {middle:.1}) rotate(-90)" text-anchor="middle">{}</text>"#,
                left + 13.0,
                escape(&panel.y.label)
            ),
        );
    }
}

fn draw_layer(layer: &Layer, panel: &Panel, frame: &Frame, out: &mut String) {
    let x = |value: f64| frame.px(&panel.x, value);
    let y = |value: f64| frame.py(&panel.y, value);
    let colour = colour(layer.style);
    match &layer.mark {
        Mark::Dots(dots) => {
            for dot in dots {
                let shape = marker(layer.style, x(dot.x), y(dot.y), 2.2);
                push(out, format_args!(r#"<g fill-opacity="0.7">{shape}{}</g>"#, note(&dot.note)));
            }
        }
        Mark::Line(points) => {
            push(
                out,
                format_args!(
                    r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{}"/>"#,
                    path(points, &x, &y),
                    dash(layer.style)
                ),
            );
            draw_stops(layer, points, panel, frame, out);
        }
        Mark::Curve(points) => {
            let line =
                Layer { name: String::new(), style: layer.style, mark: Mark::Line(points.clone()) };
            draw_layer(&line, panel, frame, out);
            let pixels: Vec<(f64, f64)> = points.iter().map(|p| (x(p.0), y(p.1))).collect();
            for (px, py) in along(&pixels, layer.style) {
                out.push_str(&marker(layer.style, px, py, 3.2));
            }
        }
        Mark::Guide(points) => push(
            out,
            format_args!(
                r##"<polyline points="{}" fill="none" stroke="#777" stroke-width="0.8" stroke-dasharray="3 3"/>"##,
                path(points, &x, &y)
            ),
        ),
        Mark::Bars(bars) => {
            for &(low, high, height) in bars.iter().filter(|bar| bar.2 > 0.0) {
                push(
                    out,
                    format_args!(
                        r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{:.1}" fill="{colour}">{}</rect>"#,
                        x(low),
                        y(height),
                        (x(high) - x(low)).max(0.3),
                        y(0.0) - y(height),
                        note(&format!(
                            "{} from {} to {}: {} {}",
                            panel.x.label,
                            short(low),
                            short(high),
                            short(height),
                            panel.y.label
                        ))
                    ),
                );
            }
        }
        Mark::Cells(cells) => cells.iter().for_each(|cell| draw_cell(cell, x, y, out)),
        Mark::Spans(spans) => {
            for &(low, value, high, at) in spans {
                push(
                    out,
                    format_args!(
                        r#"<g><line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="{colour}" stroke-width="1.5"/>{}{}</g>"#,
                        x(low),
                        y(at),
                        x(high),
                        y(at),
                        marker(layer.style, x(value), y(at), 3.2),
                        note(&format!(
                            "{}: {} {} [{}, {}]",
                            layer.name,
                            panel.x.label,
                            short(value),
                            short(low),
                            short(high)
                        ))
                    ),
                );
            }
        }
    }
}

/// Points at even distances along a line, shifted by style so that markers of near lines do not meet.
fn along(pixels: &[(f64, f64)], style: usize) -> Vec<(f64, f64)> {
    const EVERY: f64 = 70.0;
    let mut next = EVERY * (0.15 + 0.13 * style as f64);
    let mut found = Vec::new();
    for pair in pixels.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        while length > 0.0 && next <= length {
            let part = next / length;
            found.push((x0 + part * (x1 - x0), y0 + part * (y1 - y0)));
            next += EVERY;
        }
        next -= length;
    }
    found
}

/// Most places of a curve that can be hovered.
const STOPS: usize = 60;

/// Unseen marks along a named curve, so that hovering it tells its values.
fn draw_stops(
    layer: &Layer,
    points: &[(f64, f64)],
    panel: &Panel,
    frame: &Frame,
    out: &mut String,
) {
    let step = if layer.name.is_empty() { usize::MAX } else { points.len().div_ceil(STOPS).max(1) };
    let stops = points.iter().step_by(step).filter(|_| step != usize::MAX);
    for &(px, py) in stops.filter(|(px, py)| px.is_finite() && py.is_finite()) {
        let text = format!(
            "{}: {} {}, {} {}",
            layer.name,
            panel.x.label,
            short(px),
            panel.y.label,
            short(py)
        );
        push(
            out,
            format_args!(
                r#"<g fill="transparent"><circle cx="{:.1}" cy="{:.1}" r="4"/>{}</g>"#,
                frame.px(&panel.x, px),
                frame.py(&panel.y, py),
                note(&text)
            ),
        );
    }
}

/// A number with three or four digits that count.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e6).contains(&size) {
        let digits = (2.0 - size.max(1e-3).log10().floor()).clamp(0.0, 5.0) as usize;
        return format!("{value:.digits$}");
    }
    format!("{value:.2e}")
}

/// Darker for more: from light to dark blue-black, so grey print keeps the order.
fn draw_cell(cell: &Cell, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64, out: &mut String) {
    let shade = |light: f64, dark: f64| (light + (dark - light) * cell.weight) as u8;
    let (left, top) = (x(cell.x.0), y(cell.y.1));
    push(
        out,
        format_args!(
            r##"<rect x="{left:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" fill="#{:02x}{:02x}{:02x}">{}</rect>"##,
            (x(cell.x.1) - left).max(1.0),
            (y(cell.y.0) - top).max(1.0),
            shade(186.0, 0.0),
            shade(200.0, 10.0),
            shade(220.0, 60.0),
            note(&cell.note)
        ),
    );
}

fn path(points: &[(f64, f64)], x: &dyn Fn(f64) -> f64, y: &dyn Fn(f64) -> f64) -> String {
    let mut text = String::new();
    for &(px, py) in points.iter().filter(|(px, py)| px.is_finite() && py.is_finite()) {
        push(&mut text, format_args!("{:.1},{:.1} ", x(px), y(py)));
    }
    text
}

fn named(panel: &Panel) -> impl Iterator<Item = &Layer> {
    panel.layers.iter().filter(|layer| !layer.name.is_empty())
}

/// Legend entries flow into lines by their estimated width.
fn legend_places(panel: &Panel, width: f64) -> Vec<(usize, f64)> {
    let (mut line, mut x) = (0, 0.0);
    let mut places = Vec::new();
    for layer in named(panel) {
        let need = 34.0 + 6.0 * layer.name.chars().count() as f64;
        if x > 0.0 && x + need > width {
            line += 1;
            x = 0.0;
        }
        places.push((line, x));
        x += need;
    }
    places
}

fn legend_lines(panel: &Panel, width: f64) -> usize {
    match panel.legend {
        Legend::None => 0,
        Legend::Below => legend_places(panel, width - 16.0).last().map_or(0, |(line, _)| line + 1),
    }
}

fn draw_legend(panel: &Panel, x: f64, y: f64, width: f64, out: &mut String) {
    for (layer, (line, offset)) in named(panel).zip(legend_places(panel, width)) {
        let (left, middle) = (x + offset, y + LEGEND_LINE * line as f64);
        let sample = match layer.mark {
            Mark::Dots(_) | Mark::Spans(_) => marker(layer.style, left + 10.0, middle, 3.0),
            Mark::Curve(_) => format!(
                "{}{}",
                sample_line(left, middle, colour(layer.style), dash(layer.style)),
                marker(layer.style, left + 10.0, middle, 3.0)
            ),
            Mark::Guide(_) => sample_line(left, middle, "#777", "3 3"),
            Mark::Cells(_) => format!(
                r##"<rect x="{:.1}" y="{:.1}" width="8" height="8" fill="#3a4060"/>"##,
                left + 6.0,
                middle - 4.0
            ),
            _ => sample_line(left, middle, colour(layer.style), dash(layer.style)),
        };
        push(
            out,
            format_args!(
                r#"{sample}<text x="{:.1}" y="{:.1}">{}</text>"#,
                left + 24.0,
                middle + 4.0,
                escape(&layer.name)
            ),
        );
    }
}

fn sample_line(x: f64, y: f64, colour: &str, dash: &str) -> String {
    format!(
        r#"<line x1="{x:.1}" y1="{y:.1}" x2="{:.1}" y2="{y:.1}" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash}"/>"#,
        x + 20.0
    )
}

fn note(text: &str) -> String {
    match text.is_empty() {
        true => String::new(),
        false => format!("<title>{}</title>", escape(text)),
    }
}

fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).ok();
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
