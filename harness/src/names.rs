//! Names that end up in the names of files and folders.
//!
//! Names of experiments are checked; names of backends, which may be whole command lines, are made
//! plain.

/// Longer parts are refused by most file systems.
const LONGEST_PART: usize = 255;
const LONGEST_NAME: usize = 100;
const LONGEST_PLAIN: usize = 60;

/// One part of a path: something that stays in the folder it is used in.
pub fn check_part(part: &str) -> Result<(), &'static str> {
    match part {
        "" => Err("a part of it is empty"),
        "." | ".." => Err("it leads to another folder"),
        _ if part.len() > LONGEST_PART => Err("a part of it is longer than 255 bytes"),
        _ if part.contains(|c: char| c == '/' || c.is_control()) => {
            Err("it has a slash or a control character in it")
        }
        _ => Ok(()),
    }
}

/// A name that a user chose, which a folder is named after.
pub fn check(name: &str) -> Result<(), String> {
    let inside = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && name.len() <= LONGEST_NAME && name.chars().all(inside) {
        return Ok(());
    }
    Err(format!(
        "{name:?} cannot name a folder; use at most {LONGEST_NAME} letters, digits, dots, dashes and underscores, a letter or digit first"
    ))
}

/// Any text as a part of a file's name: letters, digits and dashes. Texts that had to be changed get a
/// checksum, so that different ones stay different.
pub fn plain(text: &str) -> String {
    let dashed: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if dashed == text && text.len() <= LONGEST_PLAIN {
        return dashed;
    }
    let kept = &dashed[..dashed.len().min(LONGEST_PLAIN)];
    format!("{kept}-{:08x}", crc32fast::hash(text.as_bytes()))
}

/// A word as a shell reads it, in quotes where it must be.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.into(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_stay_in_theirs() {
        for good in ["sacs10", "my.run-2_b", "7"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", ".", "..", "../evil", "a/b", "/etc", "-dash", ".hidden", "a\nb", "ä", "a b"]
        {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        assert!(check(&"x".repeat(101)).is_err());
    }

    #[test]
    fn commands_become_plain_and_stay_different() {
        assert_eq!(plain("nauty-faithful"), "nauty-faithful");
        let (a, b) = (plain("external:../a b"), plain("external:../a-b"));
        assert!(a.starts_with("external----a-b-") && a != b, "{a} {b}");
        assert!(plain(&"../".repeat(1000)).len() < 80);
        assert!(plain("é").is_ascii());
    }

    #[test]
    fn commands_can_be_pasted() {
        assert_eq!(shell_word("kbots:inf+tree"), "kbots:inf+tree");
        for word in ["external:python3 my backend.py", "it's $HOME `x`", "", "a\"b\\"] {
            let echo = format!("printf %s {}", shell_word(word));
            let shell = std::process::Command::new("sh").args(["-c", &echo]).output().unwrap();
            assert_eq!(String::from_utf8(shell.stdout).unwrap(), word);
        }
    }
}
