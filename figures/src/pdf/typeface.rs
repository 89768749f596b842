//! One font of a PDF: which of its glyphs are in use, and how it is embedded (PDF 1.7, section 9.7: a
//! composite font with glyph numbers as codes, and a map back to Unicode for selecting and searching).

use super::{COMPRESSION, Numbers};
use crate::DrawError;
use crate::font::Weight;
use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish, Name, Pdf, Rect, Ref, Str};
use std::collections::BTreeMap;
use subsetter::GlyphRemapper;
use ttf_parser::{Face, GlyphId};

const SYSTEM: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// A font and the glyphs of it in use.
pub struct Typeface {
    weight: Weight,
    remapper: GlyphRemapper,
    /// By their new numbers.
    letters: BTreeMap<u16, char>,
}

impl Typeface {
    pub fn new(weight: Weight) -> Typeface {
        Typeface { weight, remapper: GlyphRemapper::new(), letters: BTreeMap::new() }
    }

    pub fn used(&self) -> bool {
        !self.letters.is_empty()
    }

    /// Its name within the page.
    pub fn resource(&self) -> &'static [u8] {
        match self.weight {
            Weight::Regular => b"R",
            Weight::Bold => b"B",
        }
    }

    /// The codes of a text.
    pub fn glyphs(&mut self, text: &str) -> Vec<u8> {
        let Some(face) = self.weight.face() else { return Vec::new() };
        let mut codes = Vec::with_capacity(2 * text.len());
        for letter in text.chars() {
            let old = face.glyph_index(letter).unwrap_or_default().0;
            let new = self.remapper.remap(old);
            self.letters.entry(new).or_insert(letter);
            codes.extend(new.to_be_bytes());
        }
        codes
    }

    /// Writes the font as object `id`.
    pub fn write(&self, pdf: &mut Pdf, id: Ref, numbers: &mut Numbers) -> Result<(), DrawError> {
        let Some(face) = self.weight.face() else { return Err(DrawError::Font) };
        let data = subsetter::subset(self.weight.data(), 0, &self.remapper)?;
        // six letters and a plus say that it is a subset; a page has one subset of each font
        let name = format!("PIDLAB+{}", self.weight.name());
        let name = Name(name.as_bytes());
        let (cid, descriptor) = (numbers.next(), numbers.next());
        let (cmap, file) = (numbers.next(), numbers.next());
        pdf.type0_font(id)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid)
            .to_unicode(cmap);
        self.write_widths(pdf, face, (cid, descriptor), name);
        write_descriptor(pdf, face, (descriptor, file), name);
        let mut map = UnicodeCmap::new(Name(b"pidlab"), SYSTEM);
        self.letters.iter().for_each(|(glyph, letter)| map.pair(*glyph, *letter));
        let map = compress_to_vec_zlib(map.finish().as_slice(), COMPRESSION);
        pdf.stream(cmap, &map).filter(Filter::FlateDecode);
        let packed = compress_to_vec_zlib(&data, COMPRESSION);
        let mut stream = pdf.stream(file, &packed);
        stream.filter(Filter::FlateDecode).pair(Name(b"Length1"), data.len() as i32);
        Ok(())
    }

    fn write_widths(&self, pdf: &mut Pdf, face: &Face<'_>, id: (Ref, Ref), name: Name<'_>) {
        let scale = thousandths(face);
        let widths = self
            .remapper
            .remapped_gids()
            .map(|glyph| scale * f32::from(face.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0)));
        let mut font = pdf.cid_font(id.0);
        font.subtype(CidFontType::Type2).base_font(name).system_info(SYSTEM).font_descriptor(id.1);
        font.cid_to_gid_map_predefined(Name(b"Identity")).default_width(0.0);
        font.widths().consecutive(0, widths);
        font.finish();
    }
}

/// Units of the font in thousandths of its size.
fn thousandths(face: &Face<'_>) -> f32 {
    1000.0 / f32::from(face.units_per_em())
}

fn write_descriptor(pdf: &mut Pdf, face: &Face<'_>, id: (Ref, Ref), name: Name<'_>) {
    let scale = thousandths(face);
    let scaled = |value: i16| scale * f32::from(value);
    let bounds = face.global_bounding_box();
    let bounds = Rect::new(
        scaled(bounds.x_min),
        scaled(bounds.y_min),
        scaled(bounds.x_max),
        scaled(bounds.y_max),
    );
    pdf.font_descriptor(id.0)
        .name(name)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(bounds)
        .italic_angle(0.0)
        .ascent(scaled(face.ascender()))
        .descent(scaled(face.descender()))
        .cap_height(scaled(face.capital_height().unwrap_or(face.ascender())))
        .stem_v(80.0)
        .font_file2(id.1);
}
