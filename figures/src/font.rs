//! The font of print, and the widths of text in it.
//!
//! DejaVu Sans Condensed has every sign that we use and is narrow. Pages name fonts that every browser
//! has; these are hardly wider, so what fits in print fits there.

use std::sync::OnceLock;
use ttf_parser::Face;

/// Heights in parts of the size of the text.
pub const ASCENT: f64 = 0.76;
/// How far text reaches below its line.
pub const DESCENT: f64 = 0.22;
/// Height of capitals and digits.
pub const CAPITAL: f64 = 0.73;

/// The weights in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Text.
    Regular,
    /// Titles.
    Bold,
}

impl Weight {
    /// The font file.
    pub fn data(self) -> &'static [u8] {
        match self {
            Weight::Regular => dejavu::sans_condensed::regular(),
            Weight::Bold => dejavu::sans_condensed::bold(),
        }
    }

    /// Its name in a document.
    pub fn name(self) -> &'static str {
        match self {
            Weight::Regular => "DejaVuSansCondensed",
            Weight::Bold => "DejaVuSansCondensed-Bold",
        }
    }

    /// The font, read; `None` only if the file were broken.
    pub fn face(self) -> Option<&'static Face<'static>> {
        static FACES: [OnceLock<Option<Face<'static>>>; 2] = [OnceLock::new(), OnceLock::new()];
        FACES[self as usize].get_or_init(|| Face::parse(self.data(), 0).ok()).as_ref()
    }

    /// Width of a text of size 1.
    pub fn width(self, text: &str) -> f64 {
        let Some(face) = self.face() else { return 0.6 * text.chars().count() as f64 };
        let advance = |c: char| {
            let glyph = face.glyph_index(c).unwrap_or_default();
            f64::from(face.glyph_hor_advance(glyph).unwrap_or(0))
        };
        text.chars().map(advance).sum::<f64>() / f64::from(face.units_per_em())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_every_sign_in_use() {
        for weight in [Weight::Regular, Weight::Bold] {
            let face = weight.face().unwrap();
            let missing: String = "µ·²≥≤×–′τΩσηω∞⁰¹³⁴⁵⁶⁷⁸⁹⁻−é½→…"
                .chars()
                .filter(|c| face.glyph_index(*c).is_none())
                .collect();
            assert_eq!(missing, "");
        }
    }

    #[test]
    fn widths_are_those_of_the_font() {
        let digits = Weight::Regular.width("0123456789");
        assert!((5.0..6.5).contains(&digits), "{digits}");
        assert!(Weight::Bold.width("Wide") > Weight::Regular.width("Wide"));
        assert_eq!(Weight::Regular.width(""), 0.0);
    }
}
