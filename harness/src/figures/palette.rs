//! Colours of Okabe and Ito (2008), told apart by colour-blind readers, each with a marker and a dash
//! of its own so that grey print loses nothing.

pub const COLOURS: [&str; 7] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"];

pub const DASHES: [&str; 7] = ["", "6 3", "2 2", "8 3 2 3", "4 2 1 2", "10 4", "1 3"];

/// The same as pgfplots names them.
pub const TEX_MARKS: [&str; 7] = ["*", "square*", "triangle*", "diamond*", "x", "+", "o"];

pub const TEX_DASHES: [&str; 7] = [
    "solid",
    "dashed",
    "densely dotted",
    "dashdotted",
    "dashdotdotted",
    "loosely dashed",
    "dotted",
];

pub fn colour(style: usize) -> &'static str {
    COLOURS[style % COLOURS.len()]
}

pub fn dash(style: usize) -> &'static str {
    DASHES[style % DASHES.len()]
}

/// The marker of a style as SVG, around a point.
pub fn marker(style: usize, x: f64, y: f64, r: f64) -> String {
    let colour = colour(style);
    let path = |d: String, filled: bool| match filled {
        true => format!(r#"<path d="{d}" fill="{colour}"/>"#),
        false => format!(r#"<path d="{d}" fill="none" stroke="{colour}" stroke-width="1.2"/>"#),
    };
    match style % 7 {
        0 => format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r}" fill="{colour}"/>"#),
        1 => path(format!("M{:.1} {:.1}h{w}v{w}h-{w}z", x - r, y - r, w = 2.0 * r), true),
        2 => path(format!("M{x:.1} {:.1}l{r} {h}h-{w}z", y - r, h = 2.0 * r, w = 2.0 * r), true),
        3 => path(format!("M{x:.1} {:.1}l{r} {r}l-{r} {r}l-{r} -{r}z", y - r), true),
        4 => {
            path(format!("M{:.1} {:.1}l{w} {w}m0 -{w}l-{w} {w}", x - r, y - r, w = 2.0 * r), false)
        }
        5 => path(format!("M{:.1} {y:.1}h{w}m-{r} -{r}v{w}", x - r, w = 2.0 * r), false),
        _ => format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r}" fill="none" stroke="{colour}"/>"#),
    }
}
