//! The checker shares nothing with what it checks: its files name no module of the other side.

use std::path::{Path, PathBuf};

/// What the checker may use: documents, the net as data with the names of its places, the budget and its errors.
const CHECKER: [&str; 7] = ["answer", "budget", "config", "error", "names", "net", "set_document"];
/// Its readers share no code with the parsers; limits are all they have in common.
const READERS: [&str; 2] = ["budget", "error"];

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/check").join(name)
}

/// The modules of the crate that a file names, comments aside.
fn used(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    // `super` is the folder of the checker: one further up would lead out of it
    assert!(!text.contains("super::super"), "{}", path.display());
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let uses = code.flat_map(|line| line.split("crate::").skip(1));
    let word = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    uses.map(word).collect()
}

fn allow(path: &Path, allowed: &[&str]) -> usize {
    let used = used(path);
    for module in &used {
        assert!(allowed.contains(&module.as_str()), "{} uses {module}", path.display());
    }
    used.len()
}

#[test]
fn the_checker_uses_documents_and_nothing_of_the_algorithms() {
    let files = std::fs::read_dir(file("")).unwrap();
    let uses: usize = files.map(|file| allow(&file.unwrap().path(), &CHECKER)).sum();
    assert!(uses >= 10, "the files of the checker are elsewhere");
}

#[test]
fn the_checker_reads_alone() {
    for reader in ["tts.rs", "spec.rs"] {
        assert!(allow(&file(reader), &READERS) > 0);
    }
}
