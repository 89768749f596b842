//! Figures as SVG: plain elements, no scripts, text as text, fonts by name; hovering shows what lies
//! behind a mark.
//!
//! All numbers are whole ones of a tenth of a pixel, which keeps files small.

use crate::canvas::{Anchor, Color, Line, Paint, Pen, Surface};
use crate::font::Weight;
use pidlab_core::escape::xml as escape;
use plotters_backend::BackendCoord;
use std::fmt::Write;

/// An SVG in the making.
pub struct Svg {
    body: String,
    unit: f64,
    size: f64,
}

impl Svg {
    /// With so many units a pixel, and text of this size unless a text says otherwise.
    pub fn new(unit: f64, size: f64) -> Svg {
        Svg { body: String::new(), unit, size }
    }

    /// The file, of a size in units; without a title nothing shows when the background is hovered. `alt` is what
    /// those hear who do not see it, `frames` what scripts read.
    pub fn finish(
        self,
        (width, height): (u32, u32),
        title: &str,
        alt: &str,
        frames: &str,
    ) -> String {
        let attribute = |name: &str, value: &str| match value.is_empty() {
            true => String::new(),
            false => format!(" {name}=\"{}\"", escape(value)),
        };
        let (alt, frames) = (attribute("aria-label", alt), attribute("data-frames", frames));
        let title = match title.is_empty() {
            true => String::new(),
            false => format!("<title>{}</title>", escape(title)),
        };
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{:.0}" height="{:.0}" font-family="Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans Condensed', sans-serif" font-size="{:.0}" role="img"{alt}{frames}>{title}<rect width="100%" height="100%" fill="white"/>{}</svg>
"#,
            f64::from(width) / self.unit,
            f64::from(height) / self.unit,
            self.size,
            self.body
        )
    }

    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        // writing to a string cannot fail
        self.body.write_fmt(text).ok();
    }

    fn title(&mut self, text: &str) {
        let text = escape(text);
        self.add(format_args!("<title>{text}</title>"));
    }
}

fn hex(color: Color) -> String {
    let (red, green, blue) = color.rgb;
    let short = [red, green, blue].iter().all(|part| part >> 4 == part & 15);
    match short {
        true => format!("#{:x}{:x}{:x}", red & 15, green & 15, blue & 15),
        false => format!("#{red:02x}{green:02x}{blue:02x}"),
    }
}

fn opacity(name: &str, color: Color) -> String {
    match color.alpha {
        alpha if alpha >= 1.0 => String::new(),
        alpha => format!(r#" {name}-opacity="{alpha:.2}""#),
    }
}

fn stroke(pen: &Pen) -> String {
    let mut out = format!(r#" stroke="{}" stroke-width="{}""#, hex(pen.color), pen.width);
    out.push_str(&opacity("stroke", pen.color));
    if !pen.dash.is_empty() {
        let dash: Vec<String> = pen.dash.iter().map(|length| format!("{length:.0}")).collect();
        write!(out, r#" stroke-dasharray="{}""#, dash.join(" ")).ok();
    }
    out
}

fn paint(paint: &Paint) -> String {
    match paint {
        Paint::Fill(color) => format!(r#" fill="{}"{}"#, hex(*color), opacity("fill", *color)),
        Paint::Outline(pen) => format!(r#" fill="none"{}"#, stroke(pen)),
    }
}

/// A path in steps from point to point, which are shorter to write than places.
fn steps(points: &[BackendCoord]) -> String {
    let mut out = String::new();
    let mut last = None;
    for &(x, y) in points {
        match last {
            None => write!(out, "M{x} {y}").ok(),
            Some((fx, _)) if fx == x => write!(out, "V{y}").ok(),
            Some((_, fy)) if fy == y => write!(out, "H{x}").ok(),
            Some((fx, fy)) => write!(out, "l{} {}", x - fx, y - fy).ok(),
        };
        last = Some((x, y));
    }
    out
}

impl Surface for Svg {
    fn path(&mut self, points: &[BackendCoord], pen: &Pen) {
        let (steps, stroke) = (steps(points), stroke(pen));
        self.add(format_args!(r#"<path d="{steps}" fill="none"{stroke}/>"#));
    }

    fn polygon(&mut self, points: &[BackendCoord], color: Color) {
        let (steps, fill) = (steps(points), paint(&Paint::Fill(color)));
        self.add(format_args!(r#"<path d="{steps}z"{fill}/>"#));
    }

    fn rectangle(&mut self, from: BackendCoord, to: BackendCoord, how: &Paint) {
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        let (width, height) = (from.0.abs_diff(to.0), from.1.abs_diff(to.1));
        let paint = paint(how);
        self.add(format_args!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}"{paint}/>"#
        ));
    }

    fn circle(&mut self, (x, y): BackendCoord, radius: u32, how: &Paint) {
        let paint = paint(how);
        self.add(format_args!(r#"<circle cx="{x}" cy="{y}" r="{radius}"{paint}/>"#));
    }

    fn text(&mut self, line: &Line<'_>) {
        let (x, y) = line.at;
        let place = match line.upright {
            true => format!(r#"transform="translate({x} {y})rotate(-90)""#),
            false => format!(r#"x="{x}" y="{y}""#),
        };
        let anchor = match line.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let weight = match line.weight {
            Weight::Regular => "",
            Weight::Bold => r#" font-weight="bold""#,
        };
        let color = match line.color.rgb {
            (0, 0, 0) => String::new(),
            _ => paint(&Paint::Fill(line.color)),
        };
        let size = match (line.size - self.size).abs() < 0.5 {
            true => String::new(),
            false => format!(r#" font-size="{:.0}""#, line.size),
        };
        let text = escape(line.text);
        self.add(format_args!("<text {place}{anchor}{weight}{size}{color}>{text}</text>"));
    }

    fn note(&mut self, text: &str) {
        self.add(format_args!("<g>"));
        self.title(text);
    }

    fn end_note(&mut self) {
        self.add(format_args!("</g>"));
    }

    fn hover(&mut self, (x, y): BackendCoord, radius: u32, text: &str) {
        self.add(format_args!("<g>"));
        self.title(text);
        self.add(format_args!(
            r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="transparent"/></g>"#
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_short_and_text_is_escaped() {
        let mut svg = Svg::new(10.0, 110.0);
        let black = Color { rgb: (0, 0, 0), alpha: 1.0 };
        let pen = Pen { color: black, width: 8, dash: vec![30.0, 20.0] };
        svg.path(&[(0, 0), (0, 5), (7, 5), (9, 9)], &pen);
        svg.note("a < b");
        svg.circle((1, 2), 3, &Paint::Fill(Color { rgb: (17, 34, 51), alpha: 0.5 }));
        svg.end_note();
        let text = svg.finish((100, 50), "", "two > one", "[\"x\"]");
        assert!(
            text.contains("aria-label=\"two &gt; one\" data-frames=\"[&quot;x&quot;]\""),
            "{text}"
        );
        let line = r##"<path d="M0 0V5H7l2 4" fill="none" stroke="#000" stroke-width="8" stroke-dasharray="30 20"/>"##;
        assert!(text.contains(line), "{text}");
        let circle = r##"<circle cx="1" cy="2" r="3" fill="#123" fill-opacity="0.50"/>"##;
        assert!(text.contains(&format!("<g><title>a &lt; b</title>{circle}</g>")), "{text}");
        assert!(text.contains(r#"viewBox="0 0 100 50" width="10" height="5""#), "{text}");
    }
}
