//! From the result table to instances: one pair of states, and what each backend took on it.
//!
//! Repetitions and vertex orders of one question are brought down to their median. What was not decided
//! (limit, crash, failure, an answer after the limit, or a heuristic that saw no difference) counts as infinite. Pairs
//! that do not exist are not instances; what not everybody was asked about is left out and counted.

use crate::analyse::series;
use crate::experiment::QuestionKind;
use crate::plan::Plan;
use crate::store::manifest::Manifest;
use pidlab_analysis::{Table, TableError};
use pidlab_stats::order::{median, median_of};
use std::collections::BTreeMap;

/// One question, asked of every backend.
pub struct Instance {
    pub state: u64,
    pub set: String,
    pub size: u64,
    pub transformation: String,
    pub p: f64,
    /// Seconds by backend; infinite where it was not decided.
    pub times: Vec<f64>,
}

impl Instance {
    pub fn best(&self) -> f64 {
        self.times.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub fn label(&self) -> String {
        format!("{} {} {} (state {})", self.set, self.size, self.transformation, self.state)
    }
}

/// A family at one size, equivalent pairs or twins.
pub struct InstanceClass {
    pub set: String,
    pub size: u64,
    pub transformation: String,
    pub p: f64,
    /// Median seconds by backend.
    pub times: Vec<f64>,
}

pub struct Field {
    pub kind: QuestionKind,
    /// Who takes part: whom the experiment or the user lists.
    pub backends: Vec<String>,
    pub instances: Vec<Instance>,
    pub classes: Vec<InstanceClass>,
    /// Seconds that a decision may take.
    pub limit: f64,
    /// Instances that not everybody who takes part was asked about.
    pub left_out: usize,
    /// Rows not decided, by backend and status.
    pub undecided: BTreeMap<(String, String), u64>,
}

impl Field {
    pub fn of(table: Table, plan: &Plan, manifest: &Manifest) -> Result<Field, TableError> {
        let table = series::prepare(table, &plan.experiment.analysis, true)?;
        let limit = plan.experiment.budget.seconds;
        let backends: Vec<String> =
            plan.listed().iter().map(|name| manifest.shown(name).to_string()).collect();
        let (state, size) = (table.wholes("state")?, table.wholes("size")?);
        let (p, seconds) = (table.numbers("x")?, table.numbers("t")?);
        let (set, transformation) = (table.texts("set")?, table.texts("transformation")?);
        let (relations, backend) = (table.texts("relations")?, table.texts("backend")?);
        let status = table.texts("status")?;
        let mut questions: BTreeMap<_, (Instance, Vec<Vec<f64>>)> = BTreeMap::new();
        let mut undecided = BTreeMap::new();
        for i in (0..table.rows()).filter(|&i| status[i] != "skipped") {
            let new = || Instance {
                state: state[i],
                set: set[i].to_string(),
                size: size[i],
                transformation: transformation[i].to_string(),
                p: 0.0,
                times: Vec::new(),
            };
            let (instance, times) = questions
                .entry((state[i], transformation[i], relations[i]))
                .or_insert_with(|| (new(), vec![Vec::new(); backends.len()]));
            let Some(at) = backends.iter().position(|b| b == backend[i]) else { continue };
            // a backend that does not look at the clock may answer after the limit
            let late = status[i] == "ok" && seconds[i] > limit;
            let ending = if late { "late" } else { status[i] };
            if ending != "ok" {
                *undecided.entry((backend[i].to_string(), ending.to_string())).or_insert(0) += 1;
            }
            // a row that its worker did not survive has no count
            instance.p = instance.p.max(p[i]);
            times[at].push(if ending == "ok" { seconds[i] } else { f64::INFINITY });
        }
        let asked = questions.len();
        questions.retain(|_, (_, times)| times.iter().all(|times| !times.is_empty()));
        let instances: Vec<Instance> = questions.into_values().map(finish).collect();
        Ok(Field {
            kind: plan.experiment.kind(),
            left_out: asked - instances.len(),
            classes: classes(&instances),
            backends,
            instances,
            limit,
            undecided,
        })
    }
}

fn finish((mut instance, times): (Instance, Vec<Vec<f64>>)) -> Instance {
    instance.times = times.into_iter().map(|mut times| median(&mut times)).collect();
    instance
}

/// Instances by set, size and transformation, in the order of their states.
fn classes(instances: &[Instance]) -> Vec<InstanceClass> {
    let mut members: Vec<Vec<&Instance>> = Vec::new();
    for instance in instances {
        let same = |other: &&Instance| {
            other.set == instance.set
                && other.size == instance.size
                && other.transformation == instance.transformation
        };
        match members.iter_mut().find(|class| class.first().is_some_and(same)) {
            Some(class) => class.push(instance),
            None => members.push(vec![instance]),
        }
    }
    members.into_iter().map(|class| summarize(&class)).collect()
}

fn summarize(class: &[&Instance]) -> InstanceClass {
    let first = class[0];
    let column = |at: usize| median_of(class.iter().map(|i| i.times[at]));
    InstanceClass {
        set: first.set.clone(),
        size: first.size,
        transformation: first.transformation.clone(),
        p: median_of(class.iter().map(|i| i.p)),
        times: (0..first.times.len()).map(column).collect(),
    }
}
