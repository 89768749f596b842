//! Colors of Okabe and Ito (2008), told apart by color-blind readers, each with a marker and a dash of
//! its own so that grey print loses nothing.
//!
//! A style is a number. The first seven differ in all three; the next seven have the same colors with
//! hollow markers and other dashes, and so on: no two of the first 49 look alike.

use plotters::style::RGBColor;

/// Blue, vermilion, green, purple, orange, sky blue, black.
pub const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// A style drawn black.
pub const BLACK: usize = 6;
/// Black circles, for measurements that curves go through.
pub const MEASURED: usize = 13;

/// Lengths of strokes and gaps, in pixels of a page.
const DASHES: [&[f64]; 7] = [
    &[],
    &[6.0, 3.0],
    &[2.0, 2.0],
    &[8.0, 3.0, 2.0, 3.0],
    &[4.0, 2.0, 1.0, 2.0],
    &[10.0, 4.0],
    &[1.0, 3.0],
];

/// The same as TikZ takes them, in points.
const TEX_DASHES: [&str; 7] = [
    "solid",
    "dash pattern=on 4pt off 2pt",
    "dash pattern=on 1.4pt off 1.4pt",
    "dash pattern=on 5pt off 2pt on 1.4pt off 2pt",
    "dash pattern=on 2.6pt off 1.4pt on 0.7pt off 1.4pt",
    "dash pattern=on 6.5pt off 2.6pt",
    "dash pattern=on 0.7pt off 2pt",
];

/// The outline of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A circle.
    Circle,
    /// A square on its side.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// A triangle that points down.
    Wedge,
    /// An x.
    Cross,
    /// A +.
    Plus,
}

const SHAPES: [(Shape, &str); 7] = [
    (Shape::Circle, "*"),
    (Shape::Square, "square*"),
    (Shape::Triangle, "triangle*"),
    (Shape::Diamond, "diamond*"),
    (Shape::Wedge, "triangle*, every mark/.append style={rotate=180}"),
    (Shape::Cross, "x"),
    (Shape::Plus, "+"),
];

/// A marker: its outline, and whether it is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The outline.
    pub shape: Shape,
    /// Whether it is filled.
    pub filled: bool,
}

/// How often the colors have been used up before this style.
fn round(style: usize) -> usize {
    style / COLORS.len()
}

/// The color of a style.
pub fn color(style: usize) -> RGBColor {
    COLORS[style % COLORS.len()]
}

/// The marker of a style. Odd rounds are hollow; every second round moves on by one shape, so that a
/// color meets another one.
pub fn marker(style: usize) -> Marker {
    // crosses cannot be hollow: in hollow rounds the shapes are moved, which tells them apart as well
    let (round, at) = (round(style), style % COLORS.len());
    Marker { shape: SHAPES[(at + round) % SHAPES.len()].0, filled: round % 2 == 0 }
}

/// The dash of a style, in pixels of a page.
pub fn dash(style: usize) -> &'static [f64] {
    DASHES[dash_number(style)]
}

fn dash_number(style: usize) -> usize {
    (style + 3 * round(style)) % DASHES.len()
}

/// The color of a style as `0072B2`.
pub fn hex(style: usize) -> String {
    let RGBColor(red, green, blue) = color(style);
    format!("{red:02X}{green:02X}{blue:02X}")
}

/// Marker and dash of a style as pgfplots takes them.
pub fn tex_marker(style: usize) -> String {
    let Marker { shape, filled } = marker(style);
    let name = SHAPES.iter().find(|(known, _)| *known == shape).map_or("*", |(_, name)| name);
    match (filled, shape) {
        (false, Shape::Circle) => "o".into(),
        (false, Shape::Cross | Shape::Plus) | (true, _) => name.into(),
        (false, _) => name.replacen('*', "", 1),
    }
}

/// The dash of a style as TikZ takes it.
pub fn tex_dash(style: usize) -> &'static str {
    TEX_DASHES[dash_number(style)]
}

/// The shade of a cell that holds so many of at most so many measurements: from pale to dark blue by
/// the logarithm, so that single measurements stay visible and grey print keeps the order.
pub fn shade(count: usize, densest: usize) -> RGBColor {
    let weight = (count as f64).ln_1p() / (densest.max(1) as f64).ln_1p();
    let mix = |pale: f64, dark: f64| (pale + (dark - pale) * weight.clamp(0.0, 1.0)) as u8;
    RGBColor(mix(226.0, 8.0), mix(233.0, 30.0), mix(242.0, 74.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_series_look_alike() {
        let looks = |style: usize| (hex(style), format!("{:?}", marker(style)));
        let lines = |style: usize| (hex(style), dash_number(style));
        let tex = |style: usize| (hex(style), tex_marker(style));
        assert_eq!((0..49).map(looks).collect::<BTreeSet<_>>().len(), 49);
        assert_eq!((0..49).map(lines).collect::<BTreeSet<_>>().len(), 49);
        assert_eq!((0..49).map(tex).collect::<BTreeSet<_>>().len(), 49);
    }

    #[test]
    fn named_styles_are_what_they_are_called() {
        assert_eq!((color(BLACK), color(MEASURED)), (RGBColor(0, 0, 0), RGBColor(0, 0, 0)));
        assert_eq!(marker(MEASURED), Marker { shape: Shape::Circle, filled: false });
    }

    #[test]
    fn more_is_darker() {
        let gray = |n: usize| {
            let RGBColor(r, g, b) = shade(n, 100);
            u32::from(r) + u32::from(g) + u32::from(b)
        };
        assert!(gray(1) > gray(2) && gray(2) > gray(50) && gray(50) > gray(100));
    }
}
