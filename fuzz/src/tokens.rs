//! Texts made of words, numbers, marks and lines, whatever the language: names are exchanged for names that the text has,
//! lines and bracketed parts are repeated, moved and left out, numbers go to where limits are.

use pidlab_random::Rng;

/// Where readers and searches have their limits.
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "63",
    "64",
    "65",
    "255",
    "65536",
    "1000000",
    "4294967295",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Number,
    Blank,
    Mark,
}

fn class(c: char) -> Class {
    match c {
        '0'..='9' => Class::Number,
        '_' => Class::Word,
        c if c.is_alphanumeric() => Class::Word,
        c if c.is_whitespace() => Class::Blank,
        _ => Class::Mark,
    }
}

/// One to three changes of a text.
pub fn tokens(text: &str, rng: &mut Rng) -> Option<String> {
    let mut text = text.to_string();
    for _ in 0..1 + rng.index(3) {
        text = match rng.index(10) {
            0..=3 => change_token(&text, rng)?,
            4 => exchange_tokens(&text, rng)?,
            5 | 6 => change_lines(&text, rng)?,
            7 | 8 => repeat_bracketed(&text, rng).or_else(|| change_lines(&text, rng))?,
            _ => drop_token(&text, rng)?,
        };
    }
    Some(text)
}

/// Words are whole, digits within a word belong to it.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let of = class(first);
        let belongs = |c: char| match of {
            Class::Word => matches!(class(c), Class::Word | Class::Number),
            Class::Mark => false,
            other => class(c) == other,
        };
        let end = rest.char_indices().skip(1).find(|&(_, c)| !belongs(c));
        let (part, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        parts.push(part);
        rest = after;
    }
    parts
}

fn class_of(token: &str) -> Class {
    token.chars().next().map_or(Class::Blank, class)
}

fn places(parts: &[&str], of: Class) -> Vec<usize> {
    (0..parts.len()).filter(|&i| class_of(parts[i]) == of).collect()
}

fn pick<T: Copy>(items: &[T], rng: &mut Rng) -> Option<T> {
    if items.is_empty() { None } else { Some(items[rng.index(items.len())]) }
}

/// A token becomes another one of its class that the text has, a number possibly one of [`NUMBERS`].
fn change_token(text: &str, rng: &mut Rng) -> Option<String> {
    let mut parts = split(text);
    let of = [Class::Word, Class::Word, Class::Number, Class::Number, Class::Mark][rng.index(5)];
    let places = places(&parts, of);
    let (at, donor) = (pick(&places, rng)?, pick(&places, rng)?);
    parts[at] = match of {
        Class::Number if rng.index(2) == 0 => pick(&NUMBERS, rng)?,
        _ => parts[donor],
    };
    Some(parts.concat())
}

fn exchange_tokens(text: &str, rng: &mut Rng) -> Option<String> {
    let mut parts = split(text);
    let of = [Class::Word, Class::Number, Class::Mark][rng.index(3)];
    let places = places(&parts, of);
    parts.swap(pick(&places, rng)?, pick(&places, rng)?);
    Some(parts.concat())
}

fn drop_token(text: &str, rng: &mut Rng) -> Option<String> {
    let mut parts = split(text);
    if parts.is_empty() {
        return None;
    }
    parts.remove(rng.index(parts.len()));
    Some(parts.concat())
}

/// A line is left out, moved, or repeated somewhere else.
fn change_lines(text: &str, rng: &mut Rng) -> Option<String> {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return None;
    }
    let at = rng.index(lines.len());
    let line = if rng.index(2) == 0 { lines.remove(at) } else { lines[at] };
    if rng.index(3) > 0 {
        lines.insert(rng.index(lines.len() + 1), line);
    }
    Some(lines.concat())
}

/// What is in a pair of brackets comes once more, there or where another pair ends.
fn repeat_bracketed(text: &str, rng: &mut Rng) -> Option<String> {
    let mut parts = split(text);
    let pairs = bracketed(&parts);
    let (open, close) = pick(&pairs, rng)?;
    let (_, end) = pick(&pairs, rng)?;
    let inside: Vec<&str> = parts[open + 1..close].to_vec();
    parts.splice(end..end, inside);
    Some(parts.concat())
}

/// Places of brackets that belong together.
fn bracketed(parts: &[&str]) -> Vec<(usize, usize)> {
    let (mut open, mut pairs) = (Vec::new(), Vec::new());
    for (at, part) in parts.iter().enumerate() {
        match *part {
            "(" | "{" | "[" | "<" => open.push(at),
            ")" | "}" | "]" | ">" => pairs.extend(open.pop().map(|begin| (begin, at))),
            _ => {}
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_its_tokens() {
        let text = "if (x1 == 20) { é := \"a\"; }\n";
        assert_eq!(split(text).concat(), text);
        assert_eq!(&split(text)[..6], ["if", " ", "(", "x1", " ", "="]);
        assert_eq!(bracketed(&split("({a})")), [(1, 3), (0, 4)]);
    }

    #[test]
    fn mutants_differ_and_keep_to_the_words_of_the_text() {
        let text = "net a\nplace b : 1\nplace c : 2\n";
        let mut different = 0;
        for seed in 0..1000 {
            let mutant = tokens(text, &mut Rng::new(seed, 0)).unwrap_or_default();
            different += usize::from(mutant != text);
            let known = |word: &&str| class_of(word) != Class::Word || split(text).contains(word);
            // two words join where what was between them is left out
            assert!(split(&mutant).iter().filter(|word| !known(word)).count() <= 3, "{mutant}");
        }
        assert!(different > 700, "{different}");
    }
}
