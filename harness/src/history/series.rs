//! One value a commit: how its times compare with those of the other commits on the same states.
//!
//! A commit's value is the median over states of log t minus that state's own median over commits, so
//! that a large state counts as much as a small one and a commit that lacks some states stays
//! comparable. Machines never share a series.
//!
//! Whole sessions are faster or slower, and with them every backend alike. Where each commit has at least
//! three backends, what they have in common (the median over backends) becomes a series of its own, `all
//! backends`, and theirs show what is left. Nothing is lost: a change that slows everything down is in the
//! common series. Known weakness: a change of more than half of the backends looks like one of the rest.

use super::entry::{SeriesKey, Snapshot};
use crate::distinct::distinct;
use crate::store::machine;
use pidlab_stats::changepoint::{ChangePoint, change_points, common_change_points};
use pidlab_stats::order::{median, median_of};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The backend of the series that shows what all have in common.
pub const COMMON: &str = "all backends";
const FEWEST_BACKENDS: usize = 3;
/// Fewer common states than this say nothing about a commit.
const FEWEST_STATES: usize = 5;

/// A commit's place in a series.
#[derive(Clone, Debug, Serialize)]
pub struct CommitValue {
    /// The commit.
    pub commit: String,
    /// First line of its message.
    #[serde(skip)]
    pub title: String,
    /// When it was made.
    pub when: String,
    /// Natural logarithm of the time relative to the series' middle, without what backends share.
    #[serde(rename = "relative", serialize_with = "relative")]
    pub level: f64,
    /// A typical time: that of the middle state.
    pub seconds: f64,
}

/// All commits of one machine under one subject.
#[derive(Serialize)]
pub struct CommitSeries {
    /// What it is about.
    #[serde(flatten)]
    pub subject: SeriesKey,
    /// In the order of the commits.
    pub values: Vec<CommitValue>,
    /// Where the level changes.
    pub changes: Vec<ChangePoint>,
    /// Uncertainty of one value.
    #[serde(skip)]
    error: f64,
    /// Times left out because their inputs are not those of the newest commit.
    pub other_inputs: usize,
}

/// The history of one machine.
#[derive(Serialize)]
pub struct MachineHistory {
    /// The machine.
    #[serde(serialize_with = "in_words")]
    pub machine: machine::Machine,
    /// Commits that were measured.
    pub commits: usize,
    /// Kernels that it had.
    pub kernels: Vec<String>,
    /// One for each subject.
    pub series: Vec<CommitSeries>,
}

/// A level as documents have it: relative to the series' middle.
fn relative<S: Serializer>(level: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(level.exp())
}

fn in_words<S: Serializer>(machine: &machine::Machine, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(machine)
}

/// Everything a history says, machine by machine; steps below `smallest` (0.05 for 5 %) are ignored.
pub fn all(entries: &[Snapshot], smallest: f64) -> Vec<MachineHistory> {
    let mut machines: BTreeMap<machine::Machine, Vec<&Snapshot>> = BTreeMap::new();
    for entry in entries {
        machines.entry(entry.machine.clone()).or_default().push(entry);
    }
    let of = |(machine, entries): (machine::Machine, Vec<&Snapshot>)| {
        let mut series = of_machine(&entries, smallest);
        series.sort_by_cached_key(|series| {
            let SeriesKey { experiment, backend, relations, class, .. } = &series.subject;
            let names = [experiment, backend, relations].map(String::clone);
            (names, least_size(class), class.clone())
        });
        MachineHistory {
            machine,
            commits: distinct(entries.iter().map(|e| &e.commit)).len(),
            kernels: distinct(entries.iter().map(|e| e.kernel.clone())),
            series,
        }
    };
    machines.into_iter().map(of).collect()
}

/// Where a class of sizes such as `64<=p<512` begins.
fn least_size(class: &str) -> u64 {
    let digits = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
    digits(class.trim_start_matches("p>=")).unwrap_or(0)
}

/// Times of one state: commit number → times of its runs.
type Times = BTreeMap<usize, Vec<f64>>;

#[derive(Default)]
struct Gathered {
    /// By state: the newest inputs and the times on them.
    states: BTreeMap<u64, (u64, Times)>,
    other_inputs: usize,
}

fn of_machine(entries: &[&Snapshot], smallest: f64) -> Vec<CommitSeries> {
    let commits = distinct(entries.iter().map(|entry| entry.commit.clone()));
    let number = |commit: &String| commits.iter().position(|c| c == commit).unwrap_or(0);
    let mut gathered: BTreeMap<SeriesKey, Gathered> = BTreeMap::new();
    // newest first: its inputs are the ones to compare on
    for entry in entries.iter().rev() {
        let commit = number(&entry.commit);
        for line in entry.lines.iter().filter(|line| line.seconds > 0.0 && line.seconds.is_finite())
        {
            let group = gathered.entry(line.subject.clone()).or_default();
            let state = group.states.entry(line.state).or_insert((line.inputs, Times::new()));
            match state.0 == line.inputs {
                true => state.1.entry(commit).or_default().push(line.seconds.ln()),
                false => group.other_inputs += 1,
            }
        }
    }
    let all = gathered
        .into_iter()
        .filter_map(|(subject, group)| series(subject, group, &commits, entries))
        .collect();
    let mut all = without_common(all);
    find_changes(&mut all, smallest.ln_1p());
    all
}

/// Size classes of one backend are looked at together: what slows one down mostly slows down others.
fn find_changes(all: &mut [CommitSeries], smallest: f64) {
    let mut groups: BTreeMap<SeriesKey, Vec<usize>> = BTreeMap::new();
    for (number, one) in all.iter().enumerate() {
        let key = SeriesKey { class: String::new(), ..one.subject.clone() };
        groups.entry(key).or_default().push(number);
    }
    for members in groups.into_values() {
        let levels: Vec<Vec<f64>> = members
            .iter()
            .map(|&member| all[member].values.iter().map(|value| value.level).collect())
            .collect();
        let commits = |member: usize| all[member].values.iter().map(|value| &value.commit);
        let alike = members.iter().all(|&member| commits(member).eq(commits(members[0])));
        let series: Vec<(&[f64], f64)> = levels
            .iter()
            .zip(&members)
            .map(|(levels, &member)| (levels.as_slice(), all[member].error))
            .collect();
        let found = match alike {
            true => common_change_points(&series, smallest),
            // places in them stand for different commits
            false => {
                series.iter().map(|(own, error)| change_points(own, *error, smallest)).collect()
            }
        };
        for (&member, changes) in members.iter().zip(found) {
            all[member].changes = changes;
        }
    }
}

/// Splits off what the backends of an experiment share, commit by commit.
fn without_common(all: Vec<CommitSeries>) -> Vec<CommitSeries> {
    let mut experiments: BTreeMap<(String, String, u64), Vec<CommitSeries>> = BTreeMap::new();
    for one in all {
        let SeriesKey { experiment, scale, seed, .. } = one.subject.clone();
        experiments.entry((experiment, scale, seed)).or_default().push(one);
    }
    experiments.into_values().flat_map(split).collect()
}

fn split(mut group: Vec<CommitSeries>) -> Vec<CommitSeries> {
    let Some(common) = common(&group) else { return group };
    let shared: BTreeMap<String, f64> =
        common.values.iter().map(|value| (value.commit.clone(), value.level)).collect();
    for value in group.iter_mut().flat_map(|one| &mut one.values) {
        value.level -= shared.get(&value.commit).copied().unwrap_or(0.0);
    }
    group.insert(0, common);
    group
}

/// The median over backends of their medians over series; nothing if a commit has too few backends.
fn common(group: &[CommitSeries]) -> Option<CommitSeries> {
    let mut levels: BTreeMap<(&str, &str), BTreeMap<&str, Vec<&CommitValue>>> = BTreeMap::new();
    for one in group {
        for value in &one.values {
            let commit = levels.entry((&value.when, &value.commit)).or_default();
            commit.entry(&one.subject.backend).or_default().push(value);
        }
    }
    let mut values = Vec::new();
    for backends in levels.into_values() {
        if backends.len() < FEWEST_BACKENDS {
            return None;
        }
        let over = |get: fn(&CommitValue) -> f64| {
            median_of(backends.values().map(|own| median_of(own.iter().map(|value| get(value)))))
        };
        let (level, seconds) = (over(|value| value.level), over(|value| value.seconds));
        let first = backends.into_values().next()?.into_iter().next()?;
        values.push(CommitValue { level, seconds, ..first.clone() });
    }
    let SeriesKey { experiment, scale, seed, .. } = group.first()?.subject.clone();
    let any = String::new;
    let subject = SeriesKey {
        experiment,
        scale,
        seed,
        backend: COMMON.into(),
        relations: any(),
        graph: any(),
        class: any(),
    };
    Some(CommitSeries { subject, values, changes: Vec::new(), error: 0.0, other_inputs: 0 })
}

fn series(
    subject: SeriesKey,
    group: Gathered,
    commits: &[String],
    entries: &[&Snapshot],
) -> Option<CommitSeries> {
    let mut deviations: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    let mut middles = Vec::new();
    for (_, times) in group.states.into_values() {
        let logs: Vec<(usize, f64)> =
            times.into_iter().map(|(commit, mut logs)| (commit, median(&mut logs))).collect();
        let middle = median_of(logs.iter().map(|(_, log)| *log));
        middles.push(middle);
        for (commit, log) in logs {
            deviations.entry(commit).or_default().push(log - middle);
        }
    }
    let middle = median(&mut middles);
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for (commit, mut deviations) in deviations {
        if deviations.len() < FEWEST_STATES {
            continue;
        }
        let level = median(&mut deviations);
        errors.push(standard_error(&deviations, level));
        let entry = entries.iter().find(|entry| entry.commit == commits[commit])?;
        values.push(CommitValue {
            commit: entry.commit.clone(),
            title: entry.title.clone(),
            when: entry.when.clone(),
            level,
            seconds: (middle + level).exp(),
        });
    }
    let (error, other_inputs) = (median(&mut errors), group.other_inputs);
    let changes = Vec::new();
    (!values.is_empty()).then_some(CommitSeries { subject, values, changes, error, other_inputs })
}

/// Of a median, from the median absolute deviation.
fn standard_error(values: &[f64], center: f64) -> f64 {
    let spread = 1.4826 * median_of(values.iter().map(|value| (value - center).abs()));
    1.2533 * spread / (values.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::entry::SnapshotLine;
    use super::*;
    use pidlab_random::Rng;

    /// Several backends in noisy sessions; `canon` is slower from one commit on.
    fn busy(slower_from: usize) -> Vec<Snapshot> {
        let mut draws = Rng::for_analysis(5, 5);
        let mut entries = history(12, slower_from, "one");
        for entry in &mut entries {
            let session = (0.15 * draws.normal()).exp();
            let own = std::mem::take(&mut entry.lines);
            for (i, backend) in ["canon", "nauty", "traces", "wl"].into_iter().enumerate() {
                entry.lines.extend(own.iter().map(|line| {
                    let mut line = line.clone();
                    line.subject.backend = backend.into();
                    let plain = (line.state + 1) as f64 * (0.01 * draws.normal()).exp();
                    line.seconds = session * if i == 0 { line.seconds } else { plain };
                    line
                }));
            }
        }
        entries
    }

    #[test]
    fn noise_of_whole_sessions_does_not_hide_a_backend() {
        let machines = all(&busy(6), 0.05);
        let series = &machines[0].series;
        assert_eq!(series.len(), 5);
        assert_eq!(series[0].subject.backend, COMMON);
        assert!(series[0].changes.is_empty());
        let changed: Vec<&str> = series
            .iter()
            .filter(|one| !one.changes.is_empty())
            .map(|one| one.subject.backend.as_str())
            .collect();
        assert_eq!(changed, ["canon"]);
        let canon = series.iter().find(|one| one.subject.backend == "canon").unwrap();
        assert_eq!(canon.values[canon.changes[0].at].commit, "c6");
    }

    fn history(commits: usize, slower_from: usize, cpu: &str) -> Vec<Snapshot> {
        let mut draws = Rng::for_analysis(4, 4);
        (0..commits)
            .map(|i| Snapshot {
                commit: format!("c{i}"),
                title: format!("change {i}"),
                when: format!("2026-01-{:02}T00:00:00Z", i + 1),
                measured: String::new(),
                machine: machine::Machine { cpu: cpu.into(), cores: 2 },
                kernel: "6".into(),
                run: "r".into(),
                lines: (0..20)
                    .map(|state| SnapshotLine {
                        subject: SeriesKey {
                            experiment: "e".into(),
                            scale: "small".into(),
                            seed: 1,
                            backend: "canon".into(),
                            relations: "parent".into(),
                            graph: "corrected".into(),
                            class: "p<64".into(),
                        },
                        state,
                        inputs: state,
                        rows: 3,
                        seconds: (state + 1) as f64
                            * if i >= slower_from { 1.1 } else { 1.0 }
                            * (0.02 * draws.normal()).exp(),
                    })
                    .collect(),
            })
            .collect()
    }

    #[test]
    fn a_slower_commit_is_named_and_machines_stay_apart() {
        let mut entries = history(12, 7, "one");
        entries.extend(history(12, 99, "other"));
        let machines = all(&entries, 0.05);
        assert_eq!(machines.len(), 2);
        let changed = &machines[0].series[0];
        assert_eq!(changed.changes.len(), 1);
        assert_eq!(changed.values[changed.changes[0].at].commit, "c7");
        let step = changed.changes[0].after - changed.changes[0].before;
        assert!((step - 1.1f64.ln()).abs() < 0.02, "{step}");
        assert!(machines[1].series[0].changes.is_empty());
    }

    #[test]
    fn other_inputs_and_missing_states_do_not_mix_in() {
        let mut entries = history(8, 99, "one");
        for line in &mut entries[3].lines {
            (line.inputs, line.seconds) = (999, 1000.0);
        }
        entries[5].lines.truncate(4);
        let series = &all(&entries, 0.05)[0].series[0];
        assert_eq!(series.other_inputs, 20);
        let commits: Vec<&str> = series.values.iter().map(|v| v.commit.as_str()).collect();
        assert_eq!(commits, ["c0", "c1", "c2", "c4", "c6", "c7"]);
        assert!(series.changes.is_empty());
    }
}
