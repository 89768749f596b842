//! What comes with the program that uses the harness: experiments, claims, models, and what it was built from.
//!
//! The harness includes no file from outside its folder; the program hands them over once, at its start.

use std::sync::OnceLock;

/// A name and the text that stands for it.
pub type NamedText = (&'static str, &'static str);

/// The files of a program, in the order in which they are listed to users.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn {
    /// Version of the program.
    pub version: &'static str,
    /// Commit that it was built from.
    pub commit: &'static str,
    /// Its `Cargo.lock`, for the versions of the crates in it.
    pub lock: &'static str,
    /// Experiments with claims to judge.
    pub published: &'static [NamedText],
    /// Experiments that two programs are compared by.
    pub compared: &'static [NamedText],
    /// The experiment whose rows a tournament ranks.
    pub tournament: &'static str,
    /// The claims of all papers.
    pub claims: &'static str,
    /// Models that experiments name, with their endings.
    pub models: &'static [NamedText],
}

static GIVEN: OnceLock<BuiltIn> = OnceLock::new();

/// Says what comes with this program; what was said first stays.
pub fn provide(files: BuiltIn) {
    GIVEN.get_or_init(|| files);
}

/// What this program brought along: nothing, if it did not say.
pub fn get() -> &'static BuiltIn {
    GIVEN.get_or_init(nothing)
}

#[cfg(not(test))]
fn nothing() -> BuiltIn {
    BuiltIn::default()
}

/// Tests of the harness see the files of the repository.
#[cfg(test)]
fn nothing() -> BuiltIn {
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let read = |path: &str| {
        let whole = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
        leak(std::fs::read_to_string(whole).unwrap())
    };
    let models = ["nkm.tnet", "server.tnet"];
    let models: Vec<NamedText> = models.map(|m| (m, read(&format!("models/{m}")))).into();
    BuiltIn {
        lock: read("Cargo.lock"),
        tournament: read("experiments/tournament.toml"),
        claims: read("experiments/claims.toml"),
        models: Vec::leak(models),
        ..BuiltIn::default()
    }
}
