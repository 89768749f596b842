//! Figures as contents of files: SVG for pages, PDF for papers, PNG for slides, pgfplots with CSV, and the caption.

use crate::axis::{Axis, Scale};
use crate::canvas::Board;
use crate::layout::{Arrangement, Place, Sheet, Width};
use crate::model::{Figure, Mark, Panel};
use crate::render::render;
use crate::tex::{self, pgfplots};
use plotters::drawing::DrawingAreaErrorKind;
use std::convert::Infallible;
use thiserror::Error;

/// Units a point in print: a twentieth is finer than any printer.
const PRINT_UNIT: f64 = 20.0;

/// Why a figure could not be drawn or written.
#[derive(Debug, Error)]
pub enum DrawError {
    /// plotters found no room for something.
    #[error("cannot draw: {0}")]
    Drawing(#[from] DrawingAreaErrorKind<Infallible>),
    /// The font could not be cut down.
    #[error("cannot embed the font: {0}")]
    Subset(#[from] subsetter::Error),
    /// The font could not be read.
    #[error("cannot read the font")]
    Font,
    /// A picture without a pixel, or with too many.
    #[error("cannot draw a picture of this size")]
    Size,
    /// The data could not be written.
    #[error("cannot write CSV: {0}")]
    Csv(#[from] csv::Error),
    /// The picture could not be packed.
    #[error("cannot write PNG: {0}")]
    Png(String),
}

/// A figure as SVG.
pub fn svg(figure: &Figure) -> Result<String, DrawError> {
    let plan = Arrangement::new(figure, Sheet::page(figure));
    let sheet = plan.sheet;
    let mut svg = crate::svg::Svg::new(sheet.unit, sheet.text * sheet.unit);
    render(figure, &plan, Board::new(&mut svg, plan.units()))?;
    let frames = frames(figure, &plan);
    Ok(svg.finish(plan.units(), &figure.name, &figure.in_words(), &frames))
}

/// Where panels are and which values they span, as JSON: a page that zooms into one draws its axes anew. A cell of a
/// shaded panel stands for many measurements, of which the page finds those that are still in sight.
fn frames(figure: &Figure, plan: &Arrangement) -> String {
    let shaded = |panel: &Panel| panel.layers.iter().any(|l| matches!(l.mark, Mark::Density(_)));
    let panels = figure.panels.iter().zip(&plan.places);
    let frame = |(panel, place): (&Panel, &Place)| {
        let axis = |axis: &Axis| {
            let (low, high, label) = (axis.low, axis.high, &axis.label);
            match &axis.scale {
                Scale::Linear => serde_json::json!(["linear", low, high, label]),
                Scale::Log => serde_json::json!(["log", low, high, label]),
                Scale::Names(names) => serde_json::json!(["names", low, high, label, names]),
            }
        };
        let [left, top, width, height] = [place.at.0, place.at.1, place.size.0, place.size.1]
            .map(|l| plan.sheet.units(l).round());
        serde_json::json!({
            "title": panel.title, "at": [left, top, width, height], "x": axis(&panel.x), "y": axis(&panel.y),
            "shaded": shaded(panel),
        })
    };
    let frames: Vec<serde_json::Value> = panels.map(frame).collect();
    if frames.is_empty() { String::new() } else { serde_json::Value::from(frames).to_string() }
}

/// A figure as PDF.
pub fn pdf(figure: &Figure, width: Width) -> Result<Vec<u8>, DrawError> {
    let plan = Arrangement::new(figure, Sheet::print(figure, width, PRINT_UNIT));
    let mut pdf = crate::pdf::Pdf::new(plan.units(), PRINT_UNIT);
    render(figure, &plan, Board::new(&mut pdf, plan.units()))?;
    pdf.finish(&figure.name)
}

/// A figure as PNG with 300 pixels an inch.
#[cfg(feature = "png")]
pub fn png(figure: &Figure, width: Width) -> Result<Vec<u8>, DrawError> {
    const DOTS_PER_INCH: f64 = 300.0;
    let plan = Arrangement::new(figure, Sheet::print(figure, width, PRINT_UNIT));
    let mut png = crate::png::Png::new(plan.units(), PRINT_UNIT * 72.0 / DOTS_PER_INCH)?;
    render(figure, &plan, Board::new(&mut png, plan.units()))?;
    png.finish(DOTS_PER_INCH)
}

/// All forms of a figure.
pub struct Forms {
    /// The SVG as text.
    pub svg: String,
    /// Endings of the files' names, which begin with the figure's, and contents; the SVG is among them.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Draws a figure in all forms.
pub fn forms(figure: &Figure) -> Result<Forms, DrawError> {
    let mut files = Vec::new();
    for width in [Width::Column, Width::Full] {
        files.push((format!("-{}.pdf", width.name()), pdf(figure, width)?));
    }
    files.push((".tex".into(), pgfplots(figure).into_bytes()));
    files.push((".csv".into(), tex::csv(figure)?));
    files.push((".txt".into(), figure.caption.clone().into_bytes()));
    #[cfg(feature = "png")]
    files.push((".png".into(), png(figure, Width::Full)?));
    let svg = svg(figure)?;
    files.push((".svg".into(), svg.clone().into_bytes()));
    Ok(Forms { svg, files })
}
