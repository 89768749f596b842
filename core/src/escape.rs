//! Text inside the markup and graph languages that we write: what they would read as their own is
//! escaped. One pass over the characters.

/// Text as it may stand in XML and HTML, attributes in double quotes included. Control characters,
/// which XML cannot hold, become U+FFFD.
///
/// ```
/// assert_eq!(pidlab_core::escape::xml("p < q & \"r\""), "p &lt; q &amp; &quot;r&quot;");
/// ```
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() && c != '\t' && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Text as it may stand between the double quotes of the DOT language; ends of lines become `\n`.
pub fn dot(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(xml("a<b>&\"\u{1}\t"), "a&lt;b&gt;&amp;&quot;\u{fffd}\t");
    }

    #[test]
    fn a_dot_string_cannot_be_left() {
        assert_eq!(dot("a\"];\\\nb"), "a\\\"];\\\\\\nb");
    }
}
