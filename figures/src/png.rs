//! Figures as PNG, for slides and text processors: the glyphs of the print font drawn as outlines.

use crate::DrawError;
use crate::canvas::{Color, Line, Paint, Pen, Surface};
use plotters_backend::BackendCoord;
use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint as Ink, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};
use ttf_parser::OutlineBuilder;

/// A PNG in the making.
pub struct Png {
    pixels: Pixmap,
    /// From units to pixels.
    transform: Transform,
}

impl Png {
    /// Of a size in units, so many of which make a pixel.
    pub fn new((width, height): (u32, u32), unit: f64) -> Result<Png, DrawError> {
        let pixels = |units: u32| (f64::from(units) / unit).ceil() as u32;
        let mut pixels = Pixmap::new(pixels(width), pixels(height)).ok_or(DrawError::Size)?;
        pixels.fill(tiny_skia::Color::WHITE);
        let scale = (1.0 / unit) as f32;
        Ok(Png { pixels, transform: Transform::from_scale(scale, scale) })
    }

    /// The file, which says how many pixels make an inch.
    pub fn finish(self, dots_per_inch: f64) -> Result<Vec<u8>, DrawError> {
        let plain = self.pixels.encode_png().map_err(|error| DrawError::Png(error.to_string()))?;
        Ok(with_density(plain, dots_per_inch))
    }

    fn fill(&mut self, path: Option<Path>, color: Color) {
        if let Some(path) = path {
            self.pixels.fill_path(&path, &ink(color), FillRule::Winding, self.transform, None);
        }
    }

    fn stroke(&mut self, path: Option<Path>, pen: &Pen) {
        let stroke = Stroke {
            width: pen.width as f32,
            line_cap: LineCap::Butt,
            line_join: LineJoin::Round,
            dash: StrokeDash::new(pen.dash.iter().map(|length| *length as f32).collect(), 0.0),
            ..Stroke::default()
        };
        if let Some(path) = path {
            self.pixels.stroke_path(&path, &ink(pen.color), &stroke, self.transform, None);
        }
    }

    fn painted(&mut self, path: Option<Path>, paint: &Paint) {
        match paint {
            Paint::Fill(color) => self.fill(path, *color),
            Paint::Outline(pen) => self.stroke(path, pen),
        }
    }
}

fn ink(color: Color) -> Ink<'static> {
    let (red, green, blue) = color.rgb;
    let mut ink = Ink::default();
    ink.set_color_rgba8(red, green, blue, (255.0 * color.alpha).round() as u8);
    ink
}

fn polyline(points: &[BackendCoord], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (number, &(x, y)) in points.iter().enumerate() {
        match number {
            0 => path.move_to(x as f32, y as f32),
            _ => path.line_to(x as f32, y as f32),
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

impl Surface for Png {
    fn path(&mut self, points: &[BackendCoord], pen: &Pen) {
        self.stroke(polyline(points, false), pen);
    }

    fn polygon(&mut self, points: &[BackendCoord], color: Color) {
        self.fill(polyline(points, true), color);
    }

    fn rectangle(&mut self, from: BackendCoord, to: BackendCoord, paint: &Paint) {
        let (left, right) = (from.0.min(to.0) as f32, from.0.max(to.0) as f32);
        let (top, bottom) = (from.1.min(to.1) as f32, from.1.max(to.1) as f32);
        let rectangle = Rect::from_ltrb(left, top, right, bottom);
        self.painted(rectangle.map(PathBuilder::from_rect), paint);
    }

    fn circle(&mut self, (x, y): BackendCoord, radius: u32, paint: &Paint) {
        self.painted(PathBuilder::from_circle(x as f32, y as f32, radius as f32), paint);
    }

    fn text(&mut self, line: &Line<'_>) {
        let Some(face) = line.weight.face() else { return };
        let mut glyphs = Glyphs {
            path: PathBuilder::new(),
            origin: line.start(),
            scale: line.size / f64::from(face.units_per_em()),
            upright: line.upright,
            advance: 0.0,
        };
        for letter in line.text.chars() {
            let glyph = face.glyph_index(letter).unwrap_or_default();
            // a blank has no outline
            face.outline_glyph(glyph, &mut glyphs);
            glyphs.advance += f64::from(face.glyph_hor_advance(glyph).unwrap_or(0));
        }
        self.fill(glyphs.path.finish(), line.color);
    }
}

/// Collects the outlines of a line of text.
struct Glyphs {
    path: PathBuilder,
    origin: (f64, f64),
    scale: f64,
    upright: bool,
    advance: f64,
}

impl Glyphs {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        let along = self.scale * (self.advance + f64::from(x));
        let up = self.scale * f64::from(y);
        let (x, y) = match self.upright {
            true => (self.origin.0 - up, self.origin.1 - along),
            false => (self.origin.0 + along, self.origin.1 - up),
        };
        (x as f32, y as f32)
    }
}

impl OutlineBuilder for Glyphs {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) =
            (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// Puts a chunk `pHYs` (PNG, third edition, section 11.3.4.3) after the header, which has 33 bytes.
fn with_density(png: Vec<u8>, dots_per_inch: f64) -> Vec<u8> {
    const HEADER: usize = 33;
    if png.len() < HEADER {
        return png;
    }
    let per_meter = ((dots_per_inch / 0.0254).round() as u32).to_be_bytes();
    let mut chunk = b"pHYs".to_vec();
    chunk.extend(per_meter.iter().chain(&per_meter));
    chunk.push(1);
    let mut out = png[..HEADER].to_vec();
    out.extend((chunk.len() as u32 - 4).to_be_bytes());
    out.extend(&chunk);
    out.extend(checksum(&chunk).to_be_bytes());
    out.extend(&png[HEADER..]);
    out
}

/// CRC-32 as PNG wants it; one chunk of 13 bytes needs no table.
fn checksum(data: &[u8]) -> u32 {
    !data.iter().fold(!0u32, |mut crc, byte| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { 0xEDB8_8320 ^ (crc >> 1) } else { crc >> 1 };
        }
        crc
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_says_its_density_and_reads_back() {
        let mut png = Png::new((400, 200), 2.0).unwrap();
        let black = Color { rgb: (0, 0, 0), alpha: 1.0 };
        png.rectangle((0, 0), (200, 200), &Paint::Fill(black));
        let data = png.finish(300.0).unwrap();
        let at = data.windows(4).position(|w| w == b"pHYs").unwrap();
        assert_eq!(u32::from_be_bytes(data[at + 4..at + 8].try_into().unwrap()), 11_811);
        let pixels = Pixmap::decode_png(&data).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (200, 100));
        assert_eq!(pixels.pixel(50, 50).unwrap().red(), 0);
        assert_eq!(pixels.pixel(150, 50).unwrap().red(), 255);
        // the known value of the check of CRC-32
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    }
}
