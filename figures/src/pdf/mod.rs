//! Figures as PDF: one page of the size of the figure, text that can be selected and searched, fonts
//! embedded with the signs in use alone.

mod typeface;

use crate::DrawError;
use crate::canvas::{Color, Line, Paint, Pen, Surface};
use crate::font::Weight;
use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Filter, Finish, Name, Pdf as Document, Rect, Ref, Str, TextStr};
use plotters_backend::BackendCoord;
use typeface::Typeface;

const COMPRESSION: u8 = 8;
/// A quarter of a circle as a Bézier curve.
const QUARTER: f32 = 0.552_284_8;

/// A PDF in the making.
pub struct Pdf {
    content: Content,
    size: (f64, f64),
    typefaces: [Typeface; 2],
    /// Opacities in use, as thousandths.
    opacities: Vec<u16>,
}

/// Hands out the numbers of objects.
pub(crate) struct Numbers(i32);

impl Numbers {
    pub(crate) fn next(&mut self) -> Ref {
        self.0 += 1;
        Ref::new(self.0)
    }
}

impl Pdf {
    /// Of a size in units, so many of which make a point.
    pub fn new((width, height): (u32, u32), unit: f64) -> Pdf {
        let size = (f64::from(width) / unit, f64::from(height) / unit);
        let mut content = Content::new();
        let scale = (1.0 / unit) as f32;
        content.transform([scale, 0.0, 0.0, -scale, 0.0, size.1 as f32]);
        content.set_line_join(LineJoinStyle::RoundJoin);
        content.set_line_cap(LineCapStyle::ButtCap);
        let typefaces = [Typeface::new(Weight::Regular), Typeface::new(Weight::Bold)];
        Pdf { content, size, typefaces, opacities: Vec::new() }
    }

    /// The file.
    pub fn finish(self, title: &str) -> Result<Vec<u8>, DrawError> {
        let mut numbers = Numbers(0);
        let mut pdf = Document::new();
        let (catalog, pages, page) = (numbers.next(), numbers.next(), numbers.next());
        let (content, info) = (numbers.next(), numbers.next());
        pdf.catalog(catalog).pages(pages);
        pdf.pages(pages).kids([page]).count(1);
        pdf.document_info(info).title(TextStr(title)).producer(TextStr("pidlab"));
        let used: Vec<(&Typeface, Ref)> = self
            .typefaces
            .iter()
            .filter(|typeface| typeface.used())
            .map(|typeface| (typeface, numbers.next()))
            .collect();
        let mut written = pdf.page(page);
        written.parent(pages).contents(content);
        written.media_box(Rect::new(0.0, 0.0, self.size.0 as f32, self.size.1 as f32));
        let mut resources = written.resources();
        let mut fonts = resources.fonts();
        for (typeface, id) in &used {
            fonts.pair(Name(typeface.resource()), *id);
        }
        fonts.finish();
        let mut states = resources.ext_g_states();
        for (number, thousandths) in self.opacities.iter().enumerate() {
            let alpha = f32::from(*thousandths) / 1000.0;
            let name = opacity_name(number);
            let mut state = states.insert(Name(name.as_bytes())).dict();
            state.pair(Name(b"ca"), alpha).pair(Name(b"CA"), alpha);
        }
        states.finish();
        resources.finish();
        written.finish();
        let packed = compress_to_vec_zlib(self.content.finish().as_slice(), COMPRESSION);
        pdf.stream(content, &packed).filter(Filter::FlateDecode);
        for (typeface, id) in used {
            typeface.write(&mut pdf, id, &mut numbers)?;
        }
        Ok(pdf.finish())
    }

    fn opacity(&mut self, alpha: f64) {
        let thousandths = (alpha.clamp(0.0, 1.0) * 1000.0).round() as u16;
        let known = self.opacities.iter().position(|known| *known == thousandths);
        let number = known.unwrap_or_else(|| {
            self.opacities.push(thousandths);
            self.opacities.len() - 1
        });
        self.content.set_parameters(Name(opacity_name(number).as_bytes()));
    }

    /// Draws within a state of its own if it is not opaque.
    fn with(&mut self, color: Color, draw: impl FnOnce(&mut Content)) {
        if color.alpha < 1.0 {
            self.content.save_state();
            self.opacity(color.alpha);
        }
        draw(&mut self.content);
        if color.alpha < 1.0 {
            self.content.restore_state();
        }
    }

    /// Fills or outlines the path that `trace` lays.
    fn painted(&mut self, paint: &Paint, trace: impl FnOnce(&mut Content)) {
        match paint {
            Paint::Fill(color) => self.with(*color, |content| {
                fill(content, *color);
                trace(content);
                content.fill_nonzero();
            }),
            Paint::Outline(pen) => self.with(pen.color, |content| {
                hold(content, pen);
                trace(content);
                content.stroke();
            }),
        }
    }
}

fn opacity_name(number: usize) -> String {
    format!("A{number}")
}

fn parts(color: Color) -> [f32; 3] {
    let (red, green, blue) = color.rgb;
    [red, green, blue].map(|part| f32::from(part) / 255.0)
}

fn fill(content: &mut Content, color: Color) {
    let [red, green, blue] = parts(color);
    content.set_fill_rgb(red, green, blue);
}

fn hold(content: &mut Content, pen: &Pen) {
    let [red, green, blue] = parts(pen.color);
    content.set_stroke_rgb(red, green, blue);
    content.set_line_width(pen.width as f32);
    content.set_dash_pattern(pen.dash.iter().map(|length| *length as f32), 0.0);
}

fn follow(content: &mut Content, points: &[BackendCoord]) {
    for (number, &(x, y)) in points.iter().enumerate() {
        match number {
            0 => content.move_to(x as f32, y as f32),
            _ => content.line_to(x as f32, y as f32),
        };
    }
}

fn round(content: &mut Content, (x, y): (f32, f32), r: f32) {
    let k = QUARTER * r;
    content.move_to(x + r, y);
    content.cubic_to(x + r, y + k, x + k, y + r, x, y + r);
    content.cubic_to(x - k, y + r, x - r, y + k, x - r, y);
    content.cubic_to(x - r, y - k, x - k, y - r, x, y - r);
    content.cubic_to(x + k, y - r, x + r, y - k, x + r, y);
    content.close_path();
}

impl Surface for Pdf {
    fn path(&mut self, points: &[BackendCoord], pen: &Pen) {
        self.painted(&Paint::Outline(pen.clone()), |content| follow(content, points));
    }

    fn polygon(&mut self, points: &[BackendCoord], color: Color) {
        self.painted(&Paint::Fill(color), |content| {
            follow(content, points);
            content.close_path();
        });
    }

    fn rectangle(&mut self, from: BackendCoord, to: BackendCoord, paint: &Paint) {
        self.painted(paint, |content| {
            let (width, height) = (to.0 - from.0, to.1 - from.1);
            content.rect(from.0 as f32, from.1 as f32, width as f32, height as f32);
        });
    }

    fn circle(&mut self, center: BackendCoord, radius: u32, paint: &Paint) {
        self.painted(paint, |content| {
            round(content, (center.0 as f32, center.1 as f32), radius as f32);
        });
    }

    fn text(&mut self, line: &Line<'_>) {
        let typeface = &mut self.typefaces[line.weight as usize];
        let glyphs = typeface.glyphs(line.text);
        let (x, y) = line.start();
        let (x, y) = (x as f32, y as f32);
        // the page grows downwards, letters upwards
        let place = match line.upright {
            true => [0.0, -1.0, -1.0, 0.0, x, y],
            false => [1.0, 0.0, 0.0, -1.0, x, y],
        };
        let content = &mut self.content;
        fill(content, line.color);
        content.begin_text();
        content.set_font(Name(typeface.resource()), line.size as f32);
        content.set_text_matrix(place).show(Str(&glyphs));
        content.end_text();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Anchor;
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    fn document(text: &str) -> Vec<u8> {
        let mut pdf = Pdf::new((1000, 500), 20.0);
        let line = Line {
            text,
            at: (100, 100),
            anchor: Anchor::Start,
            size: 140.0,
            weight: Weight::Regular,
            color: Color { rgb: (0, 0, 0), alpha: 1.0 },
            upright: false,
        };
        pdf.text(&line);
        pdf.finish("sample").unwrap()
    }

    fn find(data: &[u8], what: &[u8], from: usize) -> Option<usize> {
        data[from..].windows(what.len()).position(|window| window == what).map(|at| at + from)
    }

    /// All streams of a document, unpacked.
    fn streams(data: &[u8]) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = find(data, b"stream\n", from) {
            let end = find(data, b"\nendstream", at).unwrap();
            found.push(decompress_to_vec_zlib(&data[at + 7..end]).unwrap());
            from = end + 10;
        }
        found
    }

    #[test]
    fn text_can_be_read_back_from_the_file() {
        let data = document("t (µs) ≥ p²");
        let streams = streams(&data);
        let cmap =
            streams.iter().map(|s| String::from_utf8_lossy(s)).find(|s| s.contains("begincmap"));
        let cmap = cmap.unwrap();
        for c in "t (µs)≥p²".chars() {
            let code = format!("<{:04X}>", c as u32);
            assert!(cmap.to_uppercase().contains(&code), "{c}: {cmap}");
        }
    }

    #[test]
    fn the_font_is_embedded_with_the_signs_in_use_alone() {
        let data = document("abc");
        assert!(find(&data, b"/FontFile2", 0).is_some());
        assert!(find(&data, b"+DejaVuSansCondensed", 0).is_some());
        // no font that a reader would have to bring along
        assert!(find(&data, b"/Helvetica", 0).is_none() && find(&data, b"Bold", 0).is_none());
        let font = streams(&data).into_iter().find(|s| s.starts_with(&[0, 1, 0, 0])).unwrap();
        let face = ttf_parser::Face::parse(&font, 0).unwrap();
        assert_eq!(face.number_of_glyphs(), 4);
        assert!(data.len() < 20_000, "{}", data.len());
    }

    #[test]
    fn the_page_has_the_size_of_the_figure() {
        let data = document("abc");
        assert!(find(&data, b"/MediaBox [0 0 50 25]", 0).is_some());
    }
}
