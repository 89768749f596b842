//! Figures as files: SVG for pages, PDF for papers, PNG for slides, pgfplots with CSV, and the caption.

use crate::canvas::Board;
use crate::layout::{Plan, Sheet, Width};
use crate::model::Figure;
use crate::render::render;
use crate::tex::{csv, pgfplots};
use plotters::drawing::DrawingAreaErrorKind;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
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
    /// The picture could not be packed.
    #[error("cannot write PNG: {0}")]
    Png(String),
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// A figure as SVG.
pub fn svg(figure: &Figure) -> Result<String, DrawError> {
    let plan = Plan::new(figure, Sheet::page(figure));
    let sheet = plan.sheet;
    let mut svg = crate::svg::Svg::new(sheet.unit, sheet.text * sheet.unit);
    render(figure, &plan, Board::new(&mut svg, plan.units()))?;
    Ok(svg.finish(plan.units(), &figure.name))
}

/// A figure as PDF.
pub fn pdf(figure: &Figure, width: Width) -> Result<Vec<u8>, DrawError> {
    let plan = Plan::new(figure, Sheet::print(figure, width, PRINT_UNIT));
    let mut pdf = crate::pdf::Pdf::new(plan.units(), PRINT_UNIT);
    render(figure, &plan, Board::new(&mut pdf, plan.units()))?;
    pdf.finish(&figure.name)
}

/// A figure as PNG with 300 pixels an inch.
#[cfg(feature = "png")]
pub fn png(figure: &Figure, width: Width) -> Result<Vec<u8>, DrawError> {
    const DOTS_PER_INCH: f64 = 300.0;
    let plan = Plan::new(figure, Sheet::print(figure, width, PRINT_UNIT));
    let mut png = crate::png::Png::new(plan.units(), PRINT_UNIT * 72.0 / DOTS_PER_INCH)?;
    render(figure, &plan, Board::new(&mut png, plan.units()))?;
    png.finish(DOTS_PER_INCH)
}

/// Writes all forms of a figure into a folder and returns the SVG and its path.
pub fn write(figure: &Figure, folder: &Path) -> Result<(String, PathBuf), DrawError> {
    let save = |ending: &str, data: &[u8]| -> Result<PathBuf, DrawError> {
        let path = folder.join(format!("{}{ending}", figure.name));
        let written = std::fs::write(&path, data);
        match written {
            Ok(()) => Ok(path),
            Err(source) => Err(DrawError::Write { path, source }),
        }
    };
    for width in [Width::Column, Width::Full] {
        save(&format!("-{}.pdf", width.name()), &pdf(figure, width)?)?;
    }
    save(".tex", pgfplots(figure).as_bytes())?;
    save(".csv", csv(figure).as_bytes())?;
    save(".txt", figure.caption.as_bytes())?;
    #[cfg(feature = "png")]
    save(".png", &png(figure, Width::Full)?)?;
    let svg = svg(figure)?;
    let path = save(".svg", svg.as_bytes())?;
    Ok((svg, path))
}
