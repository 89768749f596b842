//! Figures of measurements: one model, one renderer, and the files they are written to.
//!
//! A [`Figure`] holds panels with axes and layers and knows nothing of experiments. The renderer draws it
//! through plotters on any [`Canvas`](canvas::Canvas); ours write SVG with notes that show when marks are
//! hovered, PDF with embedded fonts, and PNG. [`pgfplots`] writes the same figure for LaTeX.
//!
//! ```
//! use pidlab_figures::{Axis, Figure, Labels, Layer, Legend, Mark, Panel, Width, pdf, svg};
//!
//! let squares = (1..=10).map(|i| (f64::from(i), f64::from(i * i))).collect();
//! let figure = Figure {
//!     name: "squares".into(),
//!     caption: "Squares of small numbers.".into(),
//!     columns: 1,
//!     panel: (420.0, 300.0),
//!     labels: Labels::Each,
//!     panels: vec![Panel {
//!         title: "squares".into(),
//!         x: Axis::linear("n", 0.0, 10.0),
//!         y: Axis::log("n^2", 1.0, 100.0),
//!         layers: vec![Layer::named("n^2", 0, Mark::Curve(squares))],
//!         legend: Legend::Below,
//!     }],
//! };
//! assert!(svg(&figure)?.contains("n²"));
//! assert!(pdf(&figure, Width::Column)?.starts_with(b"%PDF"));
//! # Ok::<(), pidlab_figures::DrawError>(())
//! ```

#![warn(missing_docs)]

mod axis;
mod cactus;
pub mod canvas;
mod clip;
mod density;
mod font;
mod layout;
mod model;
mod output;
pub mod palette;
mod pdf;
#[cfg(feature = "png")]
mod png;
mod render;
mod svg;
mod tex;
mod text;

pub use axis::{Axis, Scale, Tick, common_time_unit, time_unit};
pub use cactus::{Cactus, Solved};
pub use density::density;
pub use layout::{Arrangement, Sheet, Width};
pub use model::{
    Bar, Beyond, Density, DensityCell, Dot, Figure, Guide, Labels, Layer, Legend, Mark, Panel,
    Span, Stroke, thinned,
};
#[cfg(feature = "png")]
pub use output::png;
pub use output::{DrawError, Forms, forms, pdf, svg};
pub use render::{DrawResult, render};
pub use tex::pgfplots;
pub use text::{count, pretty, short, tex};
