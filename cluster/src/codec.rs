//! Numbers and byte strings in messages: numbers of seven bits a byte, strings behind their length.

/// Appends a number, seven bits a byte.
#[inline]
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends a string behind its length.
#[inline]
pub fn put_bytes(bytes: &mut Vec<u8>, string: &[u8]) {
    put(bytes, string.len() as u64);
    bytes.extend_from_slice(string);
}

/// Reads what was put, front to back; `None` where the bytes end too early.
#[derive(Clone, Copy)]
pub struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        if first < 0x80 {
            return Some(first.into());
        }
        self.long_number(first)
    }

    fn long_number(&mut self, first: u8) -> Option<u64> {
        let mut number = u64::from(first & 0x7F);
        for shift in (7..u64::BITS).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A number that fits into 32 bits.
    #[inline]
    pub fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    #[inline]
    pub fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (string, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_read() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| put(&mut bytes, number));
        put_bytes(&mut bytes, b"key");
        let mut reader = Reader(&bytes);
        assert!(numbers.iter().all(|&number| reader.number() == Some(number)));
        assert_eq!(reader.bytes(), Some(&b"key"[..]));
        assert!(reader.is_empty());
    }

    #[test]
    fn bytes_that_end_too_early_are_not_read() {
        assert_eq!(Reader(&[0x80]).number(), None);
        assert_eq!(Reader(&[0xFF; 11]).number(), None);
        assert_eq!(Reader(&[3, 1, 2]).bytes(), None);
        assert_eq!(Reader(&[0xFF, 0xFF, 0xFF, 0xFF, 0x7F]).small(), None);
    }
}
