//! Bounds of what an experiment file may ask for, checked before the first row; problems name the field.

use super::instances::InstanceSet;
use super::models::Configuration;
use super::states::{Pairing, StateSet, Variation};
use super::{Experiment, QuestionKind, RowLimits, Scale, ScaleName, Sizes};
use crate::claims::Claim;
use crate::names;

/// A run is held in memory when it is exported, with some hundred bytes a row.
pub(crate) const MOST_ROWS: u64 = 100_000_000;
/// Rows of a block are put in order in one list.
const MOST_ROWS_OF_A_BLOCK: u64 = 1_000_000;
const MOST_SIZES: u32 = 100_000;
/// As long as a clock can wait without overflow, and longer than anybody will.
const MOST_SECONDS: f64 = 1e6;
/// 1 EiB; larger numbers of bytes would not fit into 64 bits.
const MOST_MIB: u64 = 1 << 40;

type Checked = Result<(), String>;

/// Everything that TOML cannot see.
pub fn check(experiment: &Experiment) -> Checked {
    names::check(&experiment.name).map_err(|problem| format!("`name`: {problem}"))?;
    let nobody = experiment.backends.is_empty() && experiment.explorer.names(None).is_empty();
    for (field, empty) in [
        ("backends", nobody),
        ("relations", experiment.relations.is_empty()),
        ("graphs", experiment.graphs.is_empty()),
    ] {
        if empty {
            return Err(format!("`{field}` is empty; name at least one"));
        }
    }
    for (field, number) in [("orders", experiment.orders), ("repetitions", experiment.repetitions)]
    {
        if number == 0 {
            return Err(format!("`{field}` is 0; it must be at least 1"));
        }
    }
    once("backends", &experiment.backends)?;
    once("relations", &experiment.relations)?;
    once("graphs", &experiment.graphs)?;
    entries(experiment)?;
    limits(&experiment.budget)?;
    experiment.analysis.check()?;
    Claim::check_own(experiment)?;
    experiment.transformations.iter().try_for_each(variation)?;
    let random = experiment.states.iter().any(|set| set.random.is_some());
    if experiment.transformations.is_empty() && random {
        return Err("`transformations` is empty, but random states need at least one".into());
    }
    let transformed = |set: &&StateSet| set.pairing == Some(Pairing::Transformed);
    if experiment.transformations.is_empty()
        && let Some(set) = experiment.states.iter().find(transformed)
    {
        let label = &set.label;
        return Err(format!(
            "states `{label}` are to be transformed, but `transformations` is empty"
        ));
    }
    for name in [ScaleName::Smoke, ScaleName::Small, ScaleName::Paper] {
        let scale = experiment.scale(name);
        self::scale(scale, name.name(), needs_sizes(experiment))?;
        rows(experiment, scale, name)?;
        answerers(experiment, name)?;
        for set in &experiment.states {
            set.check(&scale.sizes.values())?;
        }
    }
    Ok(())
}

/// Nothing is listed twice: its rows would be counted twice.
pub fn once<T: PartialEq + std::fmt::Debug>(field: &str, listed: &[T]) -> Checked {
    let again = |(at, one): &(usize, &T)| listed[..*at].contains(one);
    match listed.iter().enumerate().find(again) {
        Some((_, one)) => Err(format!("`{field}` lists {one:?} twice")),
        None => Ok(()),
    }
}

/// One kind of questions in a file, and every entry in order.
fn entries(experiment: &Experiment) -> Checked {
    let lists = [experiment.states.len(), experiment.models.len(), experiment.instances.len()];
    match lists.iter().filter(|&&entries| entries > 0).count() {
        0 => Err("nothing is asked; list [[states]], [[models]] or [[instances]]".into()),
        1 => experiment.instances.iter().try_for_each(InstanceSet::check),
        _ => Err("[[states]], [[models]] and [[instances]] are different kinds of experiments; write a file \
                  for each"
            .into()),
    }
}

/// Labels that a scale picks are there, and configurations fit their models.
fn answerers(experiment: &Experiment, scale: ScaleName) -> Checked {
    let labels = experiment.labels();
    for wanted in experiment.scale(scale).only.iter().flatten() {
        if !labels.contains(&wanted.as_str()) {
            let (known, scale) = (labels.join("`, `"), scale.name());
            return Err(format!("scale `{scale}`: `only` names `{wanted}`; there are `{known}`"));
        }
    }
    if experiment.kind() != QuestionKind::Models {
        return Ok(());
    }
    for name in experiment.backends_at(scale) {
        let for_nets = matches!(Configuration::parse(&name)?, Configuration::Net { .. });
        if let Some(case) = experiment.models.iter().find(|case| case.is_net() != for_nets) {
            return Err(format!("`{name}` does not fit the model `{}`", case.model));
        }
    }
    Ok(())
}

fn limits(budget: &RowLimits) -> Checked {
    between("budget.seconds", budget.seconds, 0.001, MOST_SECONDS)?;
    between("budget.grace_seconds", budget.grace_seconds, 0.0, MOST_SECONDS)?;
    match (1..=MOST_MIB).contains(&budget.memory_mib) {
        true => Ok(()),
        false => Err(format!(
            "`budget.memory_mib` is {}, expected a number between 1 and {MOST_MIB}",
            budget.memory_mib
        )),
    }
}

/// Refuses infinities and what is not a number, too.
fn between(field: &str, value: f64, least: f64, most: f64) -> Checked {
    match (least..=most).contains(&value) {
        true => Ok(()),
        false => Err(format!("`{field}` is {value}, expected a number between {least} and {most}")),
    }
}

fn variation(variation: &Variation) -> Checked {
    for step in &variation.steps {
        let field = format!("strength` of the transformation `{}", variation.label);
        between(&field, step.strength, 0.0, 1.0)?;
    }
    Ok(())
}

/// Files and models have sizes of their own.
fn needs_sizes(experiment: &Experiment) -> bool {
    experiment.states.iter().any(|set| !set.is_listed() && set.sizes.is_none())
}

/// So many that they can be listed.
pub fn sizes(field: &str, sizes: &Sizes) -> Checked {
    match sizes {
        Sizes::Range(range) if range.count > MOST_SIZES => {
            Err(format!("`{field}.count` is {}, expected at most {MOST_SIZES}", range.count))
        }
        Sizes::Range(range) if range.from > range.to => Err(format!(
            "`{field}.from` is {} and `{field}.to` is {}: a range goes up",
            range.from, range.to
        )),
        _ => Ok(()),
    }
}

fn scale(scale: &Scale, name: &str, needs_sizes: bool) -> Checked {
    between(&format!("scale.{name}.seconds"), scale.seconds, 0.0, f64::MAX)?;
    sizes(&format!("scale.{name}.sizes"), &scale.sizes)?;
    let sizes = scale.sizes.values();
    let sized = !needs_sizes || !sizes.is_empty();
    if !sized || scale.states == 0 || scale.variants == 0 {
        return Err(format!(
            "scale `{name}` has no size, state or variant; each must be at least 1 (`sizes` at the top of the \
             file is for all scales)"
        ));
    }
    match sizes.contains(&0) {
        true => Err(format!("scale `{name}` has size 0; sizes start at 1")),
        false => Ok(()),
    }
}

/// The grid must fit into memory; the field that makes it too large is named.
fn rows(experiment: &Experiment, scale: &Scale, name: ScaleName) -> Checked {
    let (backends, name) = (experiment.backends_at(name), name.name());
    let in_block = [
        ("repetitions", u64::from(experiment.repetitions)),
        ("orders", u64::from(experiment.orders)),
        ("variants", u64::from(scale.variants)),
        ("transformations", experiment.transformations.len().max(1) as u64),
        ("relations", experiment.relations.len() as u64),
        ("graphs", experiment.graphs.len() as u64),
        ("backends", backends.len() as u64),
    ];
    let blocks = [
        ("scale.states", u64::from(scale.states)),
        ("sizes", scale.sizes.values().len() as u64),
        ("states", experiment.states.len() as u64),
    ];
    at_most(&in_block, MOST_ROWS_OF_A_BLOCK, &format!("a state at scale `{name}`"))?;
    at_most(&[in_block.as_slice(), &blocks].concat(), MOST_ROWS, &format!("scale `{name}`"))
}

fn at_most(factors: &[(&str, u64)], most: u64, what: &str) -> Checked {
    let rows = factors.iter().fold(1u64, |rows, (_, factor)| rows.saturating_mul(*factor));
    let largest = factors.iter().max_by_key(|(_, factor)| *factor);
    match largest {
        Some((field, factor)) if rows > most => Err(format!(
            "{what} has {rows} rows, more than the {most} that a run can hold; `{field}` is {factor}, lower it"
        )),
        _ => Ok(()),
    }
}

/// Ratio of vectors to pids.
pub fn vectors_per_pid(set: &StateSet) -> Checked {
    match set.vectors_per_pid {
        Some(ratio) => between("vectors_per_pid", ratio, 0.0, 1e6),
        None => Ok(()),
    }
}
