//! Names that other programs' formats take, each for one thing only.

use std::collections::HashSet;

/// A name, with a number behind it if it is taken.
pub fn unique(name: &str, used: &mut HashSet<String>) -> String {
    let mut unique = name.to_string();
    let mut number = 2;
    while !used.insert(unique.clone()) {
        unique = format!("{name}_{number}");
        number += 1;
    }
    unique
}

/// The same of letters, digits and `_` alone, close to a text.
pub fn identifier(text: &str, used: &mut HashSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    unique(&text.chars().map(plain).collect::<String>(), used)
}
