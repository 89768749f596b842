//! From the result table to instances: one pair of states, and what each backend took on it.
//!
//! Repetitions and vertex orders of one question are brought down to their median. What was not decided
//! (limit, crash, failure, or a heuristic that saw no difference) counts as infinite. Pairs that do not
//! exist are no instances.

use crate::harness::plan::Plan;
use crate::harness::series;
use pidlab_analysis::{Table, TableError};
use pidlab_stats::order::median;
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
pub struct Class {
    pub set: String,
    pub size: u64,
    pub transformation: String,
    pub p: f64,
    /// Median seconds by backend.
    pub times: Vec<f64>,
}

pub struct Field {
    pub backends: Vec<String>,
    pub instances: Vec<Instance>,
    pub classes: Vec<Class>,
    /// Seconds that a decision may take.
    pub limit: f64,
    /// Rows not decided, by backend and status.
    pub undecided: BTreeMap<(String, String), u64>,
}

/// State, transformation and relations.
type Question = (u64, String, String);

impl Field {
    pub fn of(table: &Table, plan: &Plan) -> Result<Field, TableError> {
        let table = series::prepare(table.clone(), &plan.experiment.analysis)?;
        let backends = plan.backends.clone();
        let mut questions: BTreeMap<Question, (Instance, Vec<Vec<f64>>)> = BTreeMap::new();
        let mut undecided = BTreeMap::new();
        let (state, p, size) =
            (table.numbers("state")?, table.numbers("p")?, table.numbers("size")?);
        let (t, status, set) = (table.numbers("t")?, table.texts("status")?, table.texts("set")?);
        let (what, relations) = (table.texts("transformation")?, table.texts("relations")?);
        let backend = table.texts("backend")?;
        for i in 0..t.len() {
            let Some(at) = backends.iter().position(|b| b == backend[i]) else { continue };
            if status[i] == "skipped" {
                continue;
            }
            if status[i] != "ok" {
                *undecided.entry((backend[i].to_string(), status[i].to_string())).or_insert(0) += 1;
            }
            let key = (state[i] as u64, what[i].to_string(), relations[i].to_string());
            let (instance, times) = questions.entry(key).or_insert_with(|| {
                let instance = Instance {
                    state: state[i] as u64,
                    set: set[i].to_string(),
                    size: size[i] as u64,
                    transformation: what[i].to_string(),
                    p: p[i],
                    times: Vec::new(),
                };
                (instance, vec![Vec::new(); backends.len()])
            });
            instance.p = instance.p.max(p[i]);
            times[at].push(if status[i] == "ok" { t[i] } else { f64::INFINITY });
        }
        let instances: Vec<Instance> = questions.into_values().map(finish).collect();
        let classes = classes(&instances);
        let limit = plan.experiment.budget.seconds;
        Ok(Field { backends, instances, classes, limit, undecided })
    }
}

fn finish((mut instance, times): (Instance, Vec<Vec<f64>>)) -> Instance {
    instance.times = times.into_iter().map(median_or_never).collect();
    instance
}

fn median_or_never(mut times: Vec<f64>) -> f64 {
    match times.is_empty() {
        true => f64::INFINITY,
        false => median(&mut times),
    }
}

/// Instances by set, size and transformation, in the order of their states.
fn classes(instances: &[Instance]) -> Vec<Class> {
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
    members.into_iter().map(|class| summarise(&class)).collect()
}

fn summarise(class: &[&Instance]) -> Class {
    let first = class[0];
    let column = |at: usize| median_or_never(class.iter().map(|i| i.times[at]).collect());
    Class {
        set: first.set.clone(),
        size: first.size,
        transformation: first.transformation.clone(),
        p: median_or_never(class.iter().map(|i| i.p).collect()),
        times: (0..first.times.len()).map(column).collect(),
    }
}
