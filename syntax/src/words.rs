//! What serde has against a value, in the words of this product: "expected X, found Y", and no names of Rust's types.

/// Names of Rust's types, and what a person who writes a file calls them.
const TYPES: [(&str, &str); 14] = [
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65,535"),
    ("u32", "a whole number from 0 to 4,294,967,295"),
    ("u64", "a whole number, 0 or more"),
    ("usize", "a whole number, 0 or more"),
    ("i8", "a whole number"),
    ("i16", "a whole number"),
    ("i32", "a whole number"),
    ("i64", "a whole number"),
    ("f64", "a number"),
    ("a boolean", "true or false"),
    ("a sequence", "a list, such as [a, b]"),
    ("a map", "a table of fields"),
    ("string or table", "a string or a table of fields"),
];

/// The message of an error of serde.
pub fn serde_words(said: &str) -> String {
    let wrong =
        ["invalid type: ", "invalid value: "].iter().find_map(|kind| said.strip_prefix(kind));
    if let Some((found, expected)) = wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("expected {}, found {found}", type_words(expected));
    }
    if let Some(expected) = said.strip_prefix("wanted ") {
        return format!("expected {}", type_words(expected));
    }
    match said.strip_prefix("unknown variant ") {
        Some(rest) => format!("unknown value {rest}"),
        None => said.into(),
    }
}

fn type_words(expected: &str) -> &str {
    let known = TYPES.iter().find(|(name, _)| *name == expected);
    match known {
        Some((_, words)) => words,
        None if expected.starts_with("struct ") => "a table of fields",
        None => expected,
    }
}

#[cfg(test)]
mod tests {
    use super::serde_words;

    #[test]
    fn types_of_rust_do_not_reach_the_reader() {
        for (said, shown) in [
            (
                "invalid value: integer `-1`, expected u32",
                "expected a whole number from 0 to 4,294,967,295, found integer `-1`",
            ),
            ("invalid type: string \"a\", expected f64", "expected a number, found string \"a\""),
            (
                "invalid type: string \"a, expected b\", expected a sequence",
                "expected a list, such as [a, b], found string \"a, expected b\"",
            ),
            ("wanted string or table", "expected a string or a table of fields"),
            ("unknown variant `x`, expected `a` or `b`", "unknown value `x`, expected `a` or `b`"),
            ("missing field `name`", "missing field `name`"),
        ] {
            assert_eq!(serde_words(said), shown);
        }
    }
}
