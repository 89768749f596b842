//! Integers in keys: seven bits a byte, low bits first.

/// Appends a number.
#[inline]
pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A data word, small in magnitude, as a small number.
#[inline]
pub fn fold(word: u32) -> u64 {
    let value = word as i32;
    u64::from(((value << 1) ^ (value >> 31)) as u32)
}

#[inline]
pub fn unfold(value: u64) -> u32 {
    let value = value as u32;
    (value >> 1) ^ (value & 1).wrapping_neg()
}

/// Reads numbers from a key that [`put`] wrote.
pub struct KeyReader<'k>(pub &'k [u8]);

impl KeyReader<'_> {
    /// The next byte as it is.
    #[inline]
    pub fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        byte
    }

    #[inline]
    pub fn get(&mut self) -> u64 {
        let mut value = 0;
        let mut shift = 0;
        while let Some((&byte, rest)) = self.0.split_first() {
            self.0 = rest;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let words = [0, 1, 127, 128, u32::MAX, i32::MAX as u32, i32::MIN as u32, -77i32 as u32];
        let mut bytes = Vec::new();
        for word in words {
            put(&mut bytes, fold(word));
            put(&mut bytes, u64::from(word));
        }
        let mut reader = KeyReader(&bytes);
        for word in words {
            assert_eq!(unfold(reader.get()), word);
            assert_eq!(reader.get(), u64::from(word));
        }
        assert!(reader.0.is_empty());
    }
}
