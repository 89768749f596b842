//! Pids as bytes whose order is the order of pids.
//!
//! An integer up to 240 is one byte; a larger one is a byte that says how many follow, then those, high
//! bytes first. No code of an integer begins another and none begins with 0, so that bytes compare as
//! pids do, a pid is a prefix of another where its bytes are, and the first 16 bytes, padded with
//! zeros, decide for all but very deep pids.

use std::fmt::Write as _;

const LARGEST_BYTE: u64 = 0xF0;

/// Appends the code of an integer.
#[inline]
pub fn push_segment(out: &mut Vec<u8>, segment: u64) {
    if segment <= LARGEST_BYTE {
        out.push(segment as u8);
        return;
    }
    let skip = segment.leading_zeros() as usize / 8;
    let bytes = &segment.to_be_bytes()[skip..];
    out.push(LARGEST_BYTE as u8 + bytes.len() as u8);
    out.extend_from_slice(bytes);
}

/// The first integer of a name and the bytes it takes.
#[inline]
pub fn first_segment(name: &[u8]) -> (u64, usize) {
    match name.first() {
        None => (0, 0),
        Some(&byte) if u64::from(byte) <= LARGEST_BYTE => (byte.into(), 1),
        Some(&byte) => {
            let len = usize::from(byte) - LARGEST_BYTE as usize;
            let value = name.iter().skip(1).take(len);
            (value.fold(0, |value, &byte| value << 8 | u64::from(byte)), 1 + len)
        }
    }
}

/// A pid on its way into a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameRef {
    /// The first 16 bytes.
    prefix: u128,
    pub start: u32,
    pub end: u32,
    /// Where its last integer begins.
    pub last: u32,
    /// How many integers.
    pub depth: u32,
}

impl NameRef {
    /// A name that lies in `bytes` from `start` on.
    #[inline]
    pub fn of(bytes: &[u8], start: usize) -> NameRef {
        let (mut at, mut last, mut depth) = (start, start, 0);
        while at < bytes.len() {
            last = at;
            at += first_segment(&bytes[at..]).1;
            depth += 1;
        }
        let name = &bytes[start..];
        let mut padded = [0; 16];
        let shown = name.len().min(16);
        padded[..shown].copy_from_slice(&name[..shown]);
        NameRef {
            prefix: u128::from_be_bytes(padded),
            start: start as u32,
            end: bytes.len() as u32,
            last: last as u32,
            depth,
        }
    }

    #[inline]
    pub fn bytes<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[self.start as usize..self.end as usize]
    }

    #[inline]
    pub fn compare(&self, other: &NameRef, bytes: &[u8]) -> std::cmp::Ordering {
        let by_prefix = self.prefix.cmp(&other.prefix);
        by_prefix.then_with(|| match self.end - self.start > 16 && other.end - other.start > 16 {
            true => self.bytes(bytes).cmp(other.bytes(bytes)),
            false => (self.end - self.start).cmp(&(other.end - other.start)),
        })
    }
}

/// Appends the name of a dotted pid; an error says what is wrong with it.
#[inline]
pub fn push_dotted(out: &mut Vec<u8>, text: &str) -> Result<(), String> {
    let before = out.len();
    let mut value = 0u64;
    let mut digits = 0;
    for &byte in text.as_bytes() {
        match byte {
            // 19 digits fit; a first 0 is an error of any kind
            b'0'..=b'9' if digits < 19 && (value != 0 || byte != b'0') => {
                value = value * 10 + u64::from(byte - b'0');
                digits += 1;
            }
            b'.' if digits > 0 => {
                push_segment(out, value);
                (value, digits) = (0, 0);
            }
            _ => {
                out.truncate(before);
                return push_slowly(out, text);
            }
        }
    }
    if digits == 0 {
        out.truncate(before);
        return push_slowly(out, text);
    }
    push_segment(out, value);
    Ok(())
}

#[cold]
fn push_slowly(out: &mut Vec<u8>, text: &str) -> Result<(), String> {
    let mut segments = Vec::new();
    pidlab_core::pid::parse_segments(text, &mut segments).map_err(|error| error.to_string())?;
    segments.iter().for_each(|&segment| push_segment(out, segment));
    Ok(())
}

/// Writes a name with dots.
pub fn write_dotted(name: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < name.len() {
        let (segment, len) = first_segment(&name[at..]);
        if at > 0 {
            out.push(b'.');
        }
        push_decimal(out, segment);
        at += len;
    }
}

/// Appends a number in decimal.
#[inline]
pub fn push_decimal(out: &mut Vec<u8>, value: u64) {
    if value < 10 {
        out.push(b'0' + value as u8);
        return;
    }
    let mut text = String::new();
    let _ = write!(text, "{value}");
    out.extend_from_slice(text.as_bytes());
}

/// A name with dots, as text.
pub fn dotted(name: &[u8]) -> String {
    let mut out = Vec::new();
    write_dotted(name, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENTS: [u64; 8] = [1, 2, 239, 240, 241, 256, 65_536, u64::MAX];

    fn name(segments: &[u64]) -> Vec<u8> {
        let mut out = Vec::new();
        segments.iter().for_each(|&s| push_segment(&mut out, s));
        out
    }

    #[test]
    fn bytes_compare_as_pids_do() {
        let mut pids = vec![];
        for a in SEGMENTS {
            pids.push(vec![a]);
            for b in SEGMENTS {
                pids.push(vec![a, b]);
                pids.push([vec![a, b], vec![3; 20]].concat());
            }
        }
        for q in &pids {
            for r in &pids {
                let both = [name(q), name(r)].concat();
                let (x, y) = (name(q), name(r));
                assert_eq!(x.cmp(&y), q.cmp(r), "{q:?} {r:?}");
                let x = NameRef { end: x.len() as u32, ..NameRef::of(&both[..x.len()], 0) };
                let y = NameRef::of(&both, x.end as usize);
                assert_eq!(x.compare(&y, &both), q.cmp(r), "{q:?} {r:?}");
                assert_eq!(y.depth as usize, r.len());
            }
        }
    }

    #[test]
    fn text_goes_there_and_back() {
        for text in ["1", "240.241.1", "18446744073709551615.7", "12345678901234567890"] {
            let mut out = Vec::new();
            push_dotted(&mut out, text).unwrap();
            assert_eq!(dotted(&out), text);
        }
        for bad in ["", ".", "1.", ".1", "0", "01", "1.0", "x", "18446744073709551616", "1..2"] {
            let mut out = vec![7];
            assert!(push_dotted(&mut out, bad).is_err(), "{bad}");
            assert_eq!(out, [7]);
        }
    }
}
