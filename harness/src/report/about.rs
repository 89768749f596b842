//! Where a page comes from: when and where it was measured, the command that makes it again, and what a run
//! that says too little would need.

use super::Page;
use crate::built_in;
use crate::claims::{Decided, Judgement};
use crate::experiment::{Experiment, ScaleName, library};
use crate::figures::escape;
use crate::names::shell_word;
use crate::plan::Plan;
use crate::store::EXPERIMENT;
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

/// The command, in the folder of the run, that does one of its rows again.
pub fn replay(page: &Page<'_>) -> String {
    let manifest = page.manifest;
    let as_usual = page.experiment.backends_at(manifest.scale) == manifest.backends;
    let (scale, seed) = (manifest.scale.name(), manifest.seed);
    let backends = backend_options(manifest, as_usual);
    format!("pidlab run {EXPERIMENT} --scale {scale} --seed {seed}{backends} --replay NUMBER")
}

/// Options that ask for the backends of a run, unless it has those of its experiment.
fn backend_options(manifest: &Manifest, as_usual: bool) -> String {
    let asked = manifest.backends.iter().filter(|_| !as_usual);
    asked.map(|name| format!(" --backend {}", shell_word(name))).collect()
}

/// The command for a run of some scale: by name if the experiment is as it comes with the program, else by the file
/// beside the page, which has limits and families as they were asked for.
fn again(manifest: &Manifest, scale: ScaleName) -> String {
    let name = manifest.experiment.as_str();
    let usual = usual_backends(manifest);
    let as_usual = usual.as_ref() == Some(&manifest.backends);
    let is_published = built_in::get().published.iter().any(|(known, _)| *known == name);
    let command = match (name, usual.is_some()) {
        (library::TOURNAMENT, true) => "tournament".to_string(),
        (library::TOURNAMENT, false) => format!("tournament {EXPERIMENT}"),
        (_, true) if is_published && as_usual => format!("reproduce {name}"),
        (_, true) => format!("run {name}"),
        (_, false) => format!("run {EXPERIMENT}"),
    };
    let backends = backend_options(manifest, as_usual);
    format!("pidlab {command} --scale {} --seed {}{backends}", scale.name(), manifest.seed)
}

/// The backends that an experiment of the program has unless others are asked for, if the run is of that experiment.
fn usual_backends(manifest: &Manifest) -> Option<Vec<String>> {
    let found = library::find(&manifest.experiment).ok()?;
    let experiment = Experiment::parse(&found.text, &found.path).ok()?;
    let plan = Plan::new(experiment, &found.text, manifest.scale, Some(manifest.seed)).ok()?;
    let is_it = |plan: &Plan| format!("{:016x}", plan.digest()) == manifest.plan;
    if is_it(&plan) {
        return Some(manifest.backends.clone());
    }
    let usual = plan.backends.clone();
    let other = plan.with_backends(manifest.backends.clone(), &found.text).ok()?;
    is_it(&other).then_some(usual)
}

/// Why the verdict on a claim is not better, and what would decide it if it is open.
pub fn explanation(experiment: &Experiment, manifest: &Manifest, claim: &Decided) -> String {
    let why = claim.explanation.as_deref();
    let open = claim.verdict == Judgement::Inconclusive && claim.may_change(experiment);
    let missing = open.then(|| what_is_missing(experiment, manifest, claim));
    why.into_iter().chain(missing.as_deref()).collect::<Vec<_>>().join(" ")
}

/// What an inconclusive claim needs: the program that it is about, or the next scale, with what it takes.
fn what_is_missing(experiment: &Experiment, manifest: &Manifest, claim: &Decided) -> String {
    let usual = usual_backends(manifest).unwrap_or_default();
    let not_asked = |name: &&String| usual.contains(name) && !manifest.backends.contains(name);
    if let Some(program) = claim.program.as_ref().filter(not_asked) {
        let (name, scale) = (&manifest.experiment, manifest.scale.name());
        return format!(
            "It is about {program}, which this run did not ask: pidlab run {name} --scale {scale}."
        );
    }
    let next = match manifest.scale {
        ScaleName::Smoke => ScaleName::Small,
        ScaleName::Small => ScaleName::Paper,
        ScaleName::Paper => {
            return "No scale is larger: more states or sizes under [scale.paper] may decide it."
                .to_string();
        }
    };
    let seconds = experiment.scale(next).seconds;
    let time = match seconds {
        s if s <= 0.0 => String::new(),
        s if s < 120.0 => format!(", about {s:.0} s on 2 cores"),
        s => format!(", about {:.0} min on 2 cores", s / 60.0),
    };
    format!("A larger run may decide it: {}{time}.", again(manifest, next))
}
