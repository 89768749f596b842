//! Bit strings in bytes, lowest bit first.

/// Appends bits to bytes.
pub struct BitWriter<'b> {
    bytes: &'b mut Vec<u8>,
    pending: u64,
    count: u32,
}

impl<'b> BitWriter<'b> {
    /// Starts at the end of `bytes`.
    pub fn new(bytes: &'b mut Vec<u8>) -> BitWriter<'b> {
        BitWriter { bytes, pending: 0, count: 0 }
    }

    /// Bits in the bytes so far, those that were there before included.
    pub fn position(&self) -> u32 {
        8 * self.bytes.len() as u32 + self.count
    }

    /// Appends the low `bits` bits of a value, at most 32; higher ones must be 0.
    #[inline]
    pub fn put(&mut self, value: u32, bits: u32) {
        debug_assert!(bits == 32 || value >> bits == 0);
        self.pending |= u64::from(value) << self.count;
        self.count += bits;
        if self.count >= 32 {
            self.bytes.extend_from_slice(&(self.pending as u32).to_le_bytes());
            self.pending >>= 32;
            self.count -= 32;
        }
    }

    /// Small values in `bits` bits; others as all ones and 32 more.
    pub fn put_small(&mut self, value: u32, bits: u32) {
        let escape = (1 << bits) - 1;
        self.put(value.min(escape), bits);
        if value >= escape {
            self.put(value, 32);
        }
    }

    /// Writes what is pending; the last byte is filled up with zeros.
    pub fn finish(self) {
        let rest = self.count.div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.pending.to_le_bytes()[..rest]);
    }
}

/// Reads bits from bytes; past the end there are zeros.
pub struct BitReader<'b> {
    bytes: &'b [u8],
    pending: u64,
    count: u32,
    /// Bits read so far.
    position: u32,
}

impl<'b> BitReader<'b> {
    pub fn new(bytes: &'b [u8]) -> BitReader<'b> {
        BitReader { bytes, pending: 0, count: 0, position: 0 }
    }

    /// Bits read so far.
    pub fn position(&self) -> u32 {
        self.position
    }

    #[inline]
    pub fn take(&mut self, bits: u32) -> u32 {
        if self.count < bits {
            self.fill();
        }
        self.position += bits;
        let value = (self.pending & ((1u64 << bits) - 1)) as u32;
        self.pending >>= bits;
        self.count -= bits;
        value
    }

    /// Makes 32 bits or more pending, of which there are fewer now.
    #[inline]
    fn fill(&mut self) {
        let word = match self.bytes.split_first_chunk() {
            Some((&word, rest)) => {
                self.bytes = rest;
                word
            }
            None => {
                let mut last = [0; 4];
                last[..self.bytes.len()].copy_from_slice(self.bytes);
                self.bytes = &[];
                last
            }
        };
        self.pending |= u64::from(u32::from_le_bytes(word)) << self.count;
        self.count += 32;
    }

    pub fn take_small(&mut self, bits: u32) -> u32 {
        let escape = (1 << bits) - 1;
        match self.take(bits) {
            value if value == escape => self.take(32),
            value => value,
        }
    }
}

/// Writes a value over `bits` bits at a position.
#[inline]
pub fn put_over(bytes: &mut [u8], position: u32, bits: u32, value: u32) {
    let shift = position % 8;
    let mut mask = ((1_u64 << bits) - 1) << shift;
    let mut value = u64::from(value) << shift;
    for byte in &mut bytes[position as usize / 8..] {
        if mask == 0 {
            return;
        }
        *byte = *byte & !(mask as u8) | (value & mask) as u8;
        (mask, value) = (mask >> 8, value >> 8);
    }
}

/// Bits for values 0..=most.
pub fn width(most: u32) -> u32 {
    u32::BITS - most.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_taken() {
        let values: Vec<(u32, u32)> =
            (0..400u32).map(|i| (i.wrapping_mul(2_654_435_761) >> (i % 32), 32 - i % 32)).collect();
        let mut bytes = vec![7];
        let mut writer = BitWriter::new(&mut bytes);
        for &(value, bits) in &values {
            writer.put(value, bits);
            writer.put_small(value, 4);
        }
        writer.finish();
        let mut reader = BitReader::new(&bytes[1..]);
        for &(value, bits) in &values {
            assert_eq!(reader.take(bits), value);
            assert_eq!(reader.take_small(4), value);
        }
        assert_eq!(reader.take(16), 0);
    }

    #[test]
    fn values_are_written_over() {
        for (position, bits) in (0..40).flat_map(|at| [1, 5, 8, 17, 32].map(|bits| (at, bits))) {
            let mut bytes = [0xA5_u8; 9];
            let mut before = BitReader::new(&[0xA5; 9]);
            put_over(&mut bytes, position, bits, 0x5A5A_5A5A & (u32::MAX >> (32 - bits)));
            let mut after = BitReader::new(&bytes);
            (0..position).for_each(|_| assert_eq!(after.take(1), before.take(1)));
            assert_eq!(after.take(bits), 0x5A5A_5A5A & (u32::MAX >> (32 - bits)));
            before.take(bits);
            (position + bits..72).for_each(|_| assert_eq!(after.take(1), before.take(1)));
        }
    }

    #[test]
    fn widths() {
        assert_eq!([0, 1, 2, 3, 4, u32::MAX].map(width), [0, 1, 2, 2, 3, 32]);
    }
}
