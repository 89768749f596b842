//! Text of others made safe to show.
//!
//! File names, messages of other programs and names in models may hold escape sequences, which a
//! terminal would obey, or marks that turn the direction of writing. They are shown as `\u001b` and the
//! like, which is also how JSON writes them. Cost: one look at each character; text without them is
//! not copied.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with its control characters, but for ends of lines and tabs, made visible.
pub fn printable(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_hidden) else { return Cow::Borrowed(text) };
    let (clean, rest) = text.split_at(first);
    let mut shown = String::from(clean);
    for c in rest.chars() {
        match is_hidden(c) {
            // writing to a string does not fail
            true => _ = write!(shown, "\\u{:04x}", u32::from(c)),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Control characters, and the ones that change the direction of text.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_sent() {
        assert_eq!(printable("\u{1b}[2Jgone\r\u{9b}31m"), "\\u001b[2Jgone\\u000d\\u009b31m");
        assert_eq!(printable("a\u{202e}b"), "a\\u202eb");
    }

    #[test]
    fn other_text_is_left_alone() {
        assert!(matches!(printable("Ω*\n\tp → q"), Cow::Borrowed(_)));
    }
}
