//! Text as the reader sees it: powers as raised digits, numbers with as many digits as they need, and
//! what XML and TeX would read as markup escaped.

/// `p^1.5` as `p¹·⁵`: what follows a `^` is raised as far as there are raised characters for it.
pub fn pretty(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut raised = false;
    for c in text.chars() {
        match (c, raised) {
            ('^', _) => raised = true,
            (c, true) => match superscript(c) {
                Some(small) => out.push(small),
                None => {
                    raised = false;
                    out.push(c);
                }
            },
            (c, false) => out.push(c),
        }
    }
    out
}

fn superscript(c: char) -> Option<char> {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    match c {
        '-' => Some('⁻'),
        '.' => Some('·'),
        c => c.to_digit(10).map(|digit| DIGITS[digit as usize]),
    }
}

/// A number with three or four digits that count, for notes.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e6).contains(&size) {
        let digits = (2.0 - size.max(1e-3).log10().floor()).clamp(0.0, 5.0) as usize;
        return format!("{value:.digits$}");
    }
    let power = size.log10().floor();
    pretty(&format!("{:.2}·10^{power}", value / 10f64.powf(power)))
}

/// A whole number with a comma before every three digits.
pub fn count(number: usize) -> String {
    grouped(&number.to_string())
}

/// Commas into the digits before the decimal point.
pub fn grouped(number: &str) -> String {
    let (sign, rest) = match number.strip_prefix('-') {
        Some(rest) => ("−", rest),
        None => ("", number),
    };
    let whole = rest.find('.').unwrap_or(rest.len());
    let mut out = String::from(sign);
    for (at, digit) in rest.chars().enumerate() {
        if at > 0 && at < whole && (whole - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Text for TeX: what it would read as commands is escaped, signs are spelt.
pub fn tex(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '%' | '_' | '#' | '&' | '$' | '{' | '}' => out.extend(['\\', c]),
            '^' => out.push_str("\\^{}"),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\~{}"),
            '–' => out.push_str("--"),
            '′' => out.push('\''),
            c => match symbol(c) {
                Some(symbol) => out.extend(["$", symbol, "$"]),
                None => out.push(c),
            },
        }
    }
    out
}

/// A sign as TeX spells it in a formula.
fn symbol(c: char) -> Option<&'static str> {
    const SIGNS: &str = "×·≥≤∞−µτσηΩω⁰¹²³⁴⁵⁶⁷⁸⁹⁻";
    const NAMES: [&str; 23] = [
        "\\times", "\\cdot", "\\geq", "\\leq", "\\infty", "-", "\\mu", "\\tau", "\\sigma", "\\eta",
        "\\Omega", "\\omega", "^0", "^1", "^2", "^3", "^4", "^5", "^6", "^7", "^8", "^9", "^-",
    ];
    SIGNS.chars().position(|sign| sign == c).map(|at| NAMES[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_raised() {
        assert_eq!(pretty("O(p^2) and p^1.5, 10^-3 s"), "O(p²) and p¹·⁵, 10⁻³ s");
        assert_eq!(pretty("a ^b"), "a b");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(grouped("-1234.5678"), "−1,234.5678");
        assert_eq!(
            (short(0.0), short(12.3456), short(2.5e7)),
            ("0.00000".into(), "12.3".into(), "2.50·10⁷".into())
        );
    }

    #[test]
    fn signs_are_spelt_for_tex() {
        assert_eq!(tex("p² ≥ 3 % of a_b"), "p$^2$ $\\geq$ 3 \\% of a\\_b");
        assert_eq!(tex("10⁻³ µs"), "10$^-$$^3$ $\\mu$s");
    }
}
