//! Rows that ask an algorithm whether the target of a net can be covered (Beacon'01, public suites).
//!
//! Every answer passes the independent check of its trace or certificate before it counts; one that is
//! rejected, that contradicts what is known of the instance, or what another algorithm answered, is a
//! [`Finding`]. Random machines have no target: the question is then whether the algorithm's final set is
//! closed under steps, and a run that misses something ends as `open` (spec: Beacon's worklist orders).

use super::{Asker, Files, Finding, RowOutcome, nanos, peak_memory};
use crate::clock::process_cpu;
use crate::experiment::QuestionKind;
use crate::experiment::instances::{ENDINGS, InstanceSet, known_verdicts};
use crate::experiment::models;
use crate::plan::{Place, Plan, fnv};
use crate::question::{self, About, Question, property_beside};
use crate::store::record::{COUNTS, Check, Record, RowAnswer, Status};
use anyhow::{Context, bail};
use pidlab_cover::{
    Budget, CoverVerdict, Document, Net, SolveError, SolveOptions, random_machine, registry,
};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub struct Instances<'p> {
    plan: &'p Plan,
    current: Option<Instance>,
    /// The verdict that was found first, and by whom.
    agreed: Option<(CoverVerdict, usize)>,
}

/// A question with what is known of it.
struct Instance {
    block: u64,
    question: Question,
    input: u64,
    expected: Option<CoverVerdict>,
}

impl<'p> Instances<'p> {
    pub fn new(plan: &'p Plan) -> anyhow::Result<Instances<'p>> {
        for name in &plan.backends {
            if name != "auto" && !registry::is_known(name) {
                bail!("there is no algorithm `{name}`; use auto or one of {}", registry::NAMES);
            }
        }
        Ok(Instances { plan, current: None, agreed: None })
    }

    fn set(&self, place: &Place) -> &'p InstanceSet {
        &self.plan.experiment.instances[place.set]
    }

    /// The instance of a block, read or drawn once.
    fn instance(&mut self, place: &Place, budget: &Budget) -> anyhow::Result<&Instance> {
        if self.current.as_ref().is_none_or(|current| current.block != place.block) {
            self.current = Some(self.make(place, budget)?);
        }
        self.current.as_ref().context("no instance was made")
    }

    fn make(&self, place: &Place, budget: &Budget) -> anyhow::Result<Instance> {
        let (set, block) = (self.set(place), place.block);
        let Some(file) = self.plan.file_of(block) else {
            let (net, text) = random_machine(self.plan.seed, block);
            let question = Question::of_net(net);
            return Ok(Instance { block, question, input: fnv(text.as_bytes()), expected: None });
        };
        let (question, text) = load(file, budget)?;
        let known = match (&set.expect, &set.folder) {
            (Some(verdict), _) => Some(*verdict),
            (None, Some(folder)) => {
                known_verdicts(folder)?.get(base_name(&set.name_of(file))).copied()
            }
            (None, None) => None,
        };
        Ok(Instance { block, question, input: fnv(&text), expected: known })
    }

    fn contradiction(&mut self, place: &Place, verdict: CoverVerdict) -> Option<String> {
        if verdict == CoverVerdict::Unknown {
            return None;
        }
        let expected = self.current.as_ref().and_then(|instance| instance.expected);
        if let Some(known) =
            expected.filter(|known| *known != verdict && *known != CoverVerdict::Unknown)
        {
            return Some(format!("the instance is known to be {}", name(known)));
        }
        let (first, who) = *self.agreed.get_or_insert((verdict, place.backend));
        (first != verdict).then(|| format!("{} says {}", self.plan.backends[who], name(first)))
    }
}

impl Asker for Instances<'_> {
    fn begin(&mut self, _block: u64) {
        self.agreed = None;
    }

    fn row(&mut self, row: u64, place: &Place) -> anyhow::Result<RowOutcome> {
        let begun = process_cpu();
        let (plan, reduce) = (self.plan, self.set(place).reduce);
        let limits = &plan.experiment.budget;
        let budget = Budget::new(Some(limits.time()), Some(limits.memory_mib << 20));
        let algorithm = plan.backends[place.backend].clone();
        let options = SolveOptions { algorithm, budget: budget.clone(), reduce };
        let instance = match self.instance(place, &budget) {
            Ok(instance) => instance,
            Err(error) => {
                // a limit that is reached while reading is a measurement, too
                let reason = question::limit_reached(&error, &budget)
                    .ok_or_else(|| error.context(format!("row {row}")))?;
                let record = Record::lost(row, limit_of(&reason));
                return Ok(RowOutcome::here(record, None, Some(reason)));
            }
        };
        let (read, clock) = (process_cpu(), Instant::now());
        let question = &instance.question;
        let solved = question.solve(&options);
        let counts = solved.as_ref().map_or([0; COUNTS], |found| counts(question.net(), found));
        let mut record = Record {
            counts,
            pair: instance.input,
            generate_ns: nanos(read.saturating_sub(begun)),
            decide_ns: nanos(clock.elapsed()),
            cpu_ns: nanos(process_cpu().saturating_sub(read)),
            peak_kib: peak_memory(),
            expected: answer_of(instance.expected.unwrap_or(CoverVerdict::Unknown)),
            ..Record::lost(row, Status::Ok)
        };
        match solved {
            Ok(document) => {
                record.answer = answer_of(document.verdict);
                record.status = status_of(&document);
                let against = self.contradiction(place, document.verdict);
                record.check = Check::of(record.status == Status::Ok, against.is_some());
                let finding = against.map(|against| self.finding(&record, place, against));
                Ok(RowOutcome::here(record, finding, document.reason))
            }
            Err(error @ SolveError::Rejected { .. }) => {
                record.check = Check::Rejected;
                let finding = self.finding(&record, place, error.to_string());
                Ok(RowOutcome::here(record, Some(finding), None))
            }
            Err(error) => Err(error).with_context(|| format!("row {row}")),
        }
    }

    fn input(&mut self, place: &Place) -> anyhow::Result<Files> {
        let Some(file) = self.plan.file_of(place.block) else {
            let machine = random_machine(self.plan.seed, place.block).1;
            return Ok(vec![("machine.lgfsm".into(), machine)]);
        };
        let property = match file.extension().is_some_and(|ending| ending == "tts") {
            true => Some(property_beside(file)?),
            false => None,
        };
        let read = |part: PathBuf| {
            let name = part.file_name().unwrap_or_default().to_string_lossy().to_string();
            Ok((name, models::read(&part.display().to_string())?))
        };
        [Some(file.clone()), property].into_iter().flatten().map(read).collect()
    }

    fn reproduce(&mut self, finding: &Finding, _: &Path) -> anyhow::Result<Files> {
        let place = self.plan.place(finding.row);
        let mut files = self.input(&place)?;
        let about = serde_json::json!({ "format": "pidlab-disagreement/1", "finding": finding });
        files.push(("about.json".into(), serde_json::to_string_pretty(&about)?));
        Ok(files)
    }
}

impl Instances<'_> {
    fn finding(&self, record: &Record, place: &Place, against: String) -> Finding {
        Finding {
            row: record.row,
            backend: self.plan.backends[place.backend].clone(),
            name: None,
            answer: record.answer.name(QuestionKind::Instances).into(),
            against,
        }
    }
}

fn name(verdict: CoverVerdict) -> &'static str {
    answer_of(verdict).name(QuestionKind::Instances)
}

fn answer_of(verdict: CoverVerdict) -> RowAnswer {
    match verdict {
        CoverVerdict::Safe => RowAnswer::Yes,
        CoverVerdict::Unsafe => RowAnswer::No,
        CoverVerdict::Unknown => RowAnswer::Unknown,
    }
}

fn status_of(document: &Document) -> Status {
    match document.verdict {
        CoverVerdict::Safe | CoverVerdict::Unsafe => Status::Ok,
        CoverVerdict::Unknown => limit_of(document.reason.as_deref().unwrap_or_default()),
    }
}

/// The limit that a reason names; without one the algorithm itself gave up, which proves nothing.
fn limit_of(reason: &str) -> Status {
    match (reason.contains("memory limit"), reason.contains("time limit")) {
        (true, _) => Status::Memory,
        (_, true) => Status::Timeout,
        _ => Status::Open,
    }
}

/// As [`QuestionKind::counts`] names them.
fn counts(net: &Net, document: &Document) -> [u64; COUNTS] {
    let (threads, steps) =
        document.trace.as_ref().map_or((0, 0), |trace| (trace.threads, trace.steps.len() as u64));
    let (places, transitions) = (net.places.len() as u64, net.transitions.len() as u64);
    [places, transitions, document.explored, document.kept, threads, steps]
}

/// A question and the bytes that ask it: of a file, or of a model that comes with the program.
fn load(file: &Path, budget: &Budget) -> anyhow::Result<(Question, Vec<u8>)> {
    let bytes = match file.is_file() {
        true => question::read_bytes(file, budget)?,
        false => models::read(&file.display().to_string())?.into_bytes(),
    };
    let question = question::question_of(file, bytes.clone(), About::default(), budget)?;
    Ok((question, bytes))
}

/// The name without the endings a file may have; some have two, such as `.spec.tts`.
fn base_name(mut instance: &str) -> &str {
    while let Some((name, ending)) = instance.rsplit_once('.')
        && ENDINGS.contains(&ending)
    {
        instance = name;
    }
    instance
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn instances_are_known_without_their_endings() {
        assert_eq!(base_name("mist/kanban.spec.tts"), "mist/kanban");
        assert_eq!(base_name("rand_cas_vs_satabs.1.tts"), "rand_cas_vs_satabs.1");
        assert_eq!(base_name("machine 7"), "machine 7");
    }
}
