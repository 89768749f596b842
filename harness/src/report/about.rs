//! Where a page comes from: when and where it was measured, the command that makes it again, and what a run
//! that says too little would need.

use super::Page;
use crate::built_in;
use crate::experiment::{ScaleName, library};
use crate::figures::escape;
use crate::store::manifest::Manifest;

/// Lines for the head of a page on a run.
pub fn run(manifest: &Manifest) -> Vec<String> {
    let machine = manifest.sessions.last().map(|session| {
        let p = &session.provenance;
        format!(
            "Measured {} on {} cores of {}, kernel {}, by pidlab {} at {}.",
            escape(&session.started),
            p.cores,
            escape(&p.cpu),
            escape(&p.kernel),
            escape(&p.pidlab),
            escape(&p.commit)
        )
    });
    let again =
        format!("Makes it again: <code>{}</code>", escape(&again(manifest, manifest.scale)));
    machine.into_iter().chain([again]).collect()
}

/// The command for a run of some scale.
fn again(manifest: &Manifest, scale: ScaleName) -> String {
    let (name, scale, seed) = (&manifest.experiment, scale.name(), manifest.seed);
    if name == library::TOURNAMENT {
        return format!("pidlab tournament --scale {scale} --seed {seed}");
    }
    let is_ours = |list: &[built_in::NamedText]| list.iter().any(|(known, _)| known == name);
    match is_ours(built_in::get().published) {
        true => format!("pidlab reproduce {name} --scale {scale} --seed {seed}"),
        false if is_ours(built_in::get().compared) => {
            format!("pidlab run {name} --scale {scale} --seed {seed}")
        }
        false => format!("pidlab run {name}.toml --scale {scale} --seed {seed}"),
    }
}

/// What an inconclusive claim needs: the next scale, with what it takes.
pub fn what_is_missing(page: &Page<'_>) -> String {
    let next = match page.manifest.scale {
        ScaleName::Smoke => ScaleName::Small,
        ScaleName::Small => ScaleName::Paper,
        ScaleName::Paper => {
            return "This is the largest scale: it needs more states or larger sizes than the paper's."
                .to_string();
        }
    };
    let seconds = page.experiment.scale(next).seconds;
    let time = match seconds {
        s if s <= 0.0 => String::new(),
        s if s < 120.0 => format!(", about {s:.0} s on 2 cores"),
        s => format!(", about {:.0} min on 2 cores", s / 60.0),
    };
    format!("It needs more states or larger sizes: {}{time}.", again(page.manifest, next))
}
