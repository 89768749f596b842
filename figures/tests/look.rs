//! What must hold of every figure at every width: text is large enough, lies on the paper and covers no
//! other text; shades have no seams; marks carry notes; nothing outside the axes goes without a word.

#[path = "../examples/gallery/samples.rs"]
mod samples;

use pidlab_figures::canvas::{Board, Canvas, Color, Line, Paint, Pen, Surface};
use pidlab_figures::{Arrangement, Figure, Labels, Mark, Sheet, Width, count, render, svg};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};
use std::convert::Infallible;

/// Keeps what is drawn.
#[derive(Default)]
struct Record {
    /// What it says and its box: left, top, right, bottom.
    texts: Vec<(String, [f64; 4])>,
    sizes: Vec<f64>,
    rectangles: Vec<([i32; 4], Color)>,
    notes: usize,
    dashes: Vec<Vec<f64>>,
}

impl Surface for Record {
    fn path(&mut self, _: &[(i32, i32)], pen: &Pen) {
        self.dashes.push(pen.dash.clone());
    }

    fn polygon(&mut self, _: &[(i32, i32)], _: Color) {}

    fn rectangle(&mut self, from: (i32, i32), to: (i32, i32), paint: &Paint) {
        if let Paint::Fill(color) = paint {
            self.rectangles.push(([from.0, from.1, to.0, to.1], *color));
        }
    }

    fn circle(&mut self, _: (i32, i32), _: u32, _: &Paint) {}

    fn text(&mut self, line: &Line<'_>) {
        let (x, y) = line.start();
        let (width, height) = (line.size * line.weight.width(line.text), 0.72 * line.size);
        let place = match line.upright {
            true => [x - height, y - width, x, y],
            false => [x, y - height, x + width, y],
        };
        self.texts.push((line.text.to_string(), place));
        self.sizes.push(line.size);
    }

    fn note(&mut self, text: &str) {
        assert!(!text.is_empty());
        self.notes += 1;
    }
}

fn drawn(figure: &Figure, sheet: Sheet) -> (Record, Arrangement) {
    let plan = Arrangement::new(figure, sheet);
    let mut record = Record::default();
    render(figure, &plan, Board::new(&mut record, plan.units())).unwrap();
    (record, plan)
}

fn sheets(figure: &Figure) -> [Sheet; 3] {
    [
        Sheet::page(figure),
        Sheet::print(figure, Width::Column, 20.0),
        Sheet::print(figure, Width::Full, 20.0),
    ]
}

#[test]
fn no_text_covers_another_or_leaves_the_paper() {
    for figure in samples::all() {
        for sheet in sheets(&figure) {
            let (record, plan) = drawn(&figure, sheet);
            let (width, height) = plan.units();
            for (i, (text, a)) in record.texts.iter().enumerate() {
                let what = format!("{} at {:.0}: {text}", figure.name, sheet.width);
                assert!(a[0] >= 0.0 && a[1] >= 0.0, "{what}: {a:?}");
                assert!(a[2] <= f64::from(width) && a[3] <= f64::from(height), "{what}: {a:?}");
                for (other, b) in &record.texts[i + 1..] {
                    let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                    assert!(apart, "{what} covers {other}: {a:?} {b:?}");
                }
            }
        }
    }
}

#[test]
fn print_has_its_width_and_text_of_seven_points() {
    for figure in samples::all().iter().filter(|figure| figure.labels != Labels::Bare) {
        for (width, points) in [(Width::Column, 238.11), (Width::Full, 493.23)] {
            let (record, plan) = drawn(figure, Sheet::print(figure, width, 20.0));
            assert!((f64::from(plan.units().0) / 20.0 - points).abs() < 0.1);
            assert!(record.sizes.iter().all(|size| size / 20.0 >= 6.999));
        }
    }
}

#[test]
fn cells_reach_under_their_neighbors() {
    let figure = &samples::all()[0];
    for sheet in sheets(figure) {
        let (record, _) = drawn(figure, sheet);
        // of two cells side by side the left one ends beyond where the right one begins
        let cells: Vec<[i32; 4]> = record.rectangles.iter().map(|(place, _)| *place).collect();
        let gaps = cells.iter().filter(|a| {
            cells.iter().any(|b| b[3] == a[3] && b[0] > a[0] && (0..3).contains(&(b[0] - a[2])))
        });
        assert_eq!(gaps.count(), 0);
    }
}

#[test]
fn what_lies_outside_is_told() {
    let figure = &samples::all()[0];
    let Mark::Density(density) = &figure.panels[0].layers[0].mark else { panic!("no density") };
    let beyond: usize = density.beyond.iter().map(|beyond| beyond.count).sum();
    let inside: usize = density.cells.iter().map(|cell| cell.count).sum();
    assert!(beyond > 0);
    assert_eq!(beyond + inside, 20_000);
    let text = svg(figure).unwrap();
    assert!(text.contains(&format!(">outside: {} above<", count(beyond))), "{beyond}");
}

#[test]
fn a_density_has_a_scale_and_a_legend_for_its_curves() {
    let (record, _) = drawn(&samples::all()[0], Sheet::page(&samples::all()[0]));
    let texts: Vec<&str> = record.texts.iter().map(|(text, _)| text.as_str()).collect();
    for text in ["measurements in a cell", "O(p¹·⁵)", "O(p²)", "dividing line"] {
        assert_eq!(texts.iter().filter(|t| **t == text).count(), 1, "{text}");
    }
    assert!(record.notes > 1000);
}

#[test]
fn guides_are_named_where_they_end() {
    let figure = &samples::all()[2];
    for sheet in sheets(figure) {
        let (record, _) = drawn(figure, sheet);
        for name in ["2×", "10×"] {
            let found = record.texts.iter().filter(|(text, _)| text == name).count();
            assert!(found >= figure.panels.len(), "{name}: {found}");
        }
    }
}

#[test]
fn logarithmic_bars_have_an_axis_and_numbers() {
    let (record, _) = drawn(&samples::all()[4], Sheet::page(&samples::all()[4]));
    let has = |what: &str| record.texts.iter().any(|(text, _)| text == what);
    assert!(has("bytes per state") && has("10") && has("1,000") && has("10,000"));
    let figure = &samples::all()[4];
    let bars = figure.panels[0].layers.iter().flat_map(|layer| match &layer.mark {
        Mark::Bars(bars) => bars.clone(),
        _ => Vec::new(),
    });
    assert!(bars.into_iter().all(|bar| has(&bar.label)));
}

#[test]
fn a_svg_is_one_well_formed_element_per_mark() {
    for figure in samples::all() {
        let text = svg(&figure).unwrap();
        assert_eq!(text.matches("<g>").count(), text.matches("</g>").count());
        assert_eq!(text.matches("<title>").count(), text.matches("</title>").count());
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert!(!text.contains("NaN") && !text.contains("inf\""), "{}", figure.name);
    }
}

/// A backend as others write them: neither dashes nor notes.
struct Plain<'p> {
    size: (u32, u32),
    calls: &'p mut usize,
}

impl DrawingBackend for Plain<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(
        &mut self,
        at: BackendCoord,
        _: BackendColor,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        assert!(at.0 >= 0 && at.1 >= 0);
        *self.calls += 1;
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        _: BackendCoord,
        _: BackendCoord,
        _: &S,
        _: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        *self.calls += 1;
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(
        &mut self,
        _: &str,
        _: &T,
        _: BackendCoord,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        *self.calls += 1;
        Ok(())
    }
}

impl Canvas for Plain<'_> {}

#[test]
fn any_backend_of_plotters_will_do() {
    for figure in samples::all() {
        let sheet = Sheet { unit: 1.0, ..Sheet::page(&figure) };
        let plan = Arrangement::new(&figure, sheet);
        let mut calls = 0;
        render(&figure, &plan, Plain { size: plan.units(), calls: &mut calls }).unwrap();
        assert!(calls > 100, "{}: {calls}", figure.name);
    }
}
