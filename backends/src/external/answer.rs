//! What a program answers, checked as far as it can be.

use super::Exchange;
use super::request::ExternalQuestion;
use crate::backend::{Backend, Place, Undecided, Verdict, Witness};
use crate::budget::Budget;
use crate::canon::Canon;
use crate::encoding::{Encoded, PidVertices};
use pidlab_core::{Pid, State};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;
use std::time::Duration;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    /// The number of the request.
    id: Option<u64>,
    equivalent: Option<bool>,
    /// The image of every vertex of the graph that was sent.
    image: Option<Vec<u32>>,
    /// The image of every pid.
    witness: Option<FxHashMap<String, String>>,
    error: Option<String>,
    /// Wall time of making the program's own structures from the request, and of deciding.
    build_seconds: Option<f64>,
    decide_seconds: Option<f64>,
    /// CPU time of both.
    cpu_seconds: Option<f64>,
    /// Size of the program's own graph of one side.
    vertices: Option<u32>,
    arcs: Option<u32>,
}

/// The verdict in an answer, or what is wrong with the answer. Times that the program gives replace those in
/// `exchange`, which hold them within what has passed; so do sizes.
pub fn judge(
    line: &str,
    number: u64,
    question: &ExternalQuestion<'_>,
    exchange: &mut Exchange,
    budget: &Budget,
) -> Result<Verdict, String> {
    let answer: Answer = serde_json::from_str(line).map_err(|error| {
        format!("its answer is not as documented: {error}: {}", pidlab_core::pid::excerpt(line))
    })?;
    answer.take_times(exchange)?;
    if let (Some(vertices), Some(arcs)) = (answer.vertices, answer.arcs) {
        exchange.size = Some((vertices as usize, arcs as usize));
    }
    match answer {
        Answer { error: Some(error), .. } => Err(error),
        Answer { id: None, .. } => {
            Err(format!("its answer lacks \"id\": {number}, the number of the request"))
        }
        Answer { id: Some(id), .. } if id != number => {
            Err(format!("it answers request {id} where request {number} was asked"))
        }
        Answer { equivalent: None, .. } => Ok(Verdict::Undecided(Undecided::NoDifferenceFound)),
        Answer { equivalent: Some(false), .. } => Ok(Verdict::NotEquivalent),
        Answer { image: Some(image), .. } => from_image(&image, question),
        Answer { witness: Some(witness), .. } => from_names(&witness, question),
        Answer { .. } => complete(question, budget),
    }
}

/// Clocks are read one after another, so what a program says may exceed what we saw by a little.
const SLACK: Duration = Duration::from_millis(10);

impl Answer {
    fn take_times(&self, exchange: &mut Exchange) -> Result<(), String> {
        let build = duration("build_seconds", self.build_seconds)?;
        let decide = duration("decide_seconds", self.decide_seconds)?;
        let cpu = duration("cpu_seconds", self.cpu_seconds)?;
        if build.is_some() || decide.is_some() {
            let (build, decide) = (build.unwrap_or_default(), decide.unwrap_or_default());
            // a program may claim more seconds than a sum of two can hold
            let said = build.saturating_add(decide);
            within("building and deciding", said, exchange.build + exchange.decide)?;
            (exchange.build, exchange.decide) = (build, decide);
        }
        let Some(cpu) = cpu else { return Ok(()) };
        if let Place::Counted(counted) = exchange.place {
            within("CPU time", cpu, counted)?;
        }
        exchange.place = Place::Reported(cpu);
        Ok(())
    }
}

fn duration(field: &str, seconds: Option<f64>) -> Result<Option<Duration>, String> {
    let wrong = |_| format!("its \"{field}\" is not a number of seconds");
    seconds.map(|seconds| Duration::try_from_secs_f64(seconds).map_err(wrong)).transpose()
}

fn within(what: &str, said: Duration, passed: Duration) -> Result<(), String> {
    match said <= passed + SLACK {
        true => Ok(()),
        false => Err(format!(
            "it says that {what} took {:.3} s where {:.3} s have passed",
            said.as_secs_f64(),
            passed.as_secs_f64()
        )),
    }
}

fn from_image(image: &[u32], question: &ExternalQuestion<'_>) -> Result<Verdict, String> {
    let wrong = || "its image is not an isomorphism of the graphs it was sent".to_string();
    if let Some(pair) = question.layered().filter(|pair| pair.is_isomorphism(image)) {
        return Ok(pair.witness(image));
    }
    let (q, r, pids) = question.plain().ok_or_else(wrong)?;
    if !is_isomorphism(q, r, image) {
        return Err(wrong());
    }
    let PidVertices { first, count } = pids;
    let images = (first..first + count).map(|vertex| image[vertex as usize] - first).collect();
    Ok(Verdict::Equivalent(Witness(images)))
}

/// Colours of pids differ from those of other vertices, so an isomorphism keeps them apart.
fn is_isomorphism(q: &Encoded, r: &Encoded, image: &[u32]) -> bool {
    let n = r.colors.len();
    let distinct: FxHashSet<u32> = image.iter().copied().filter(|&v| (v as usize) < n).collect();
    let sizes = (q.colors.len(), q.edges.len()) == (n, r.edges.len());
    if image.len() != n || distinct.len() != n || !sizes {
        return false;
    }
    let ordered = |x: u32, y: u32| (x.min(y), x.max(y));
    let edges: FxHashSet<(u32, u32)> = r.edges.iter().map(|&(x, y)| ordered(x, y)).collect();
    let kept =
        |&(x, y): &(u32, u32)| edges.contains(&ordered(image[x as usize], image[y as usize]));
    let same_color = |(v, &w): (usize, &u32)| q.colors[v] == r.colors[w as usize];
    image.iter().enumerate().all(same_color) && q.edges.iter().all(kept)
}

fn from_names(
    names: &FxHashMap<String, String>,
    question: &ExternalQuestion<'_>,
) -> Result<Verdict, String> {
    let (q, r) = (question.problem.q, question.problem.r);
    let numbers: FxHashMap<Pid, u32> = r.pids().map(|pid| (r.forest().pid(pid), pid)).collect();
    let images: Result<Vec<u32>, String> =
        q.pids().map(|pid| image_of(pid, q, names, &numbers)).collect();
    Ok(Verdict::Equivalent(Witness(images?)))
}

fn image_of(
    pid: u32,
    q: &State,
    names: &FxHashMap<String, String>,
    numbers: &FxHashMap<Pid, u32>,
) -> Result<u32, String> {
    let name = format!("@{}", q.forest().pid(pid));
    let image = names.get(&name).ok_or_else(|| format!("its witness lacks {name}"))?;
    let parsed = Pid::parse(image.strip_prefix('@').unwrap_or(image)).ok();
    parsed.and_then(|pid| numbers.get(&pid).copied()).ok_or_else(|| {
        format!("its witness maps {name} to {image}, which is not a pid of the other state")
    })
}

/// "Equivalent" without a witness: ours is taken, and must exist.
fn complete(question: &ExternalQuestion<'_>, budget: &Budget) -> Result<Verdict, String> {
    match Canon.decide(question.problem, budget).verdict {
        Verdict::NotEquivalent => {
            Err("it says \"equivalent\" without a witness, and `canon` says there is none"
                .to_string())
        }
        verdict => Ok(verdict),
    }
}
